"""memd.toml, role.toml and what the machine grants: text to frozen values, every fault with its line, all of them at once.

Bounds on the text itself (64 KiB, 16 dots in a key) keep a crafted file from costing seconds or gigabytes
(docs/design/security.md#toml).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from memd.errors import BadSettingsError, Fault
from memd.errors.root import meant
from memd.formats.strict_json import StrictError, loads, toml_words
from memd.formats.times import zone_of
from memd.model.names import is_name
from memd.model.projects import is_project
from memd.model.settings import OF_A_ROLE, BookUse, Declared, Form, Link, Profile, Settings, declared, tables
from memd.model.trust import ModelAt, Trusted

TOML_BYTES = 64 * 1024
KEY_DOTS = 16
FAULTS = 50  # are told at once

_HEADER = re.compile(r"^[ \t]*\[{1,2}([^\]\n]+)\]")
_KEY = re.compile(r"^[ \t]*([A-Za-z0-9_.\"'-]{1,200})[ \t]*=")
_LONG_TEXT = re.compile(
    r"\"\"\"(?:[^\"\\]|\\.|\"{1,2}(?!\"))*(?:\"\"\"|\Z)|'''(?:[^']|'{1,2}(?!'))*(?:'''|\Z)", re.DOTALL
)
_WORD = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[A-Za-z0-9_-]+|\s*\.\s*|#[^\n]*|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Check:
    """What a value must be: said to a person by calling it, and to an editor by `schema`."""

    fault: Callable[[Any], str]
    schema: dict[str, Any]

    def __call__(self, value: Any) -> str:
        """Return what is wrong with a value, "" where nothing is."""
        return self.fault(value)


def _number(low: float, high: float) -> Check:
    """Return the check of a number within bounds."""

    def fault(value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return "must be a number"
        return "" if low <= value <= high else f"must be from {low:g} to {high:g}"

    return Check(fault, {"type": "number", "minimum": low, "maximum": high})


def _whole(low: int, high: int) -> Check:
    def fault(value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, int):
            return "must be a whole number"
        return "" if low <= value <= high else f"must be from {low} to {high}"

    return Check(fault, {"type": "integer", "minimum": low, "maximum": high})


def _one_of(*words: str) -> Check:
    return Check(lambda value: "" if value in words else f"must be one of {', '.join(words)}", {"enum": list(words)})


_flag = Check(lambda value: "" if isinstance(value, bool) else "must be true or false", {"type": "boolean"})
_text = Check(lambda value: "" if isinstance(value, str) else "must be a text in quotes", {"type": "string"})


def _zone_fault(value: Any) -> str:
    if not isinstance(value, str):
        return "must be a text in quotes"
    try:
        zone_of(value)
    except ValueError as error:
        return str(error)
    return ""


_OF_FORM = {Form.TIME_ZONE: Check(_zone_fault, {"type": "string"})}
_OF_KIND = {bool: _flag, str: _text}


def check_of(one: Declared) -> Check:
    """Return the check of a setting, by its declaration."""
    if one.choices:
        return _one_of(*one.choices)
    if one.bounds:
        return _whole(*map(int, one.bounds)) if one.kind is int else _number(*one.bounds)
    return _OF_FORM[one.form] if one.form else _OF_KIND[one.kind]


def checks_of(table: type) -> dict[str, Check]:
    """Return the checks of a table's settings by their keys."""
    return {one.key: check_of(one) for one in declared(table)}


CHECKS: dict[str, dict[str, Check]] = {name: checks_of(table) for name, table, _ in tables()}


@lru_cache(4)
def load_settings(data: bytes, name: str) -> Settings:
    """Return the settings of a memd.toml, or raise BadSettingsError with every fault in it; what was read lately is not read again."""
    text, tables = load_table(data, name)
    faults: list[Fault] = []
    parts: dict[str, Any] = {}
    defaults = Settings()
    for table, values in list(tables.items())[:FAULTS]:
        if table not in CHECKS or not isinstance(values, dict):
            why = f"unknown key {table!r}{meant(table, CHECKS)}"
            faults.append(Fault(name, line_of(text, "", table), 1, why, "settings.unknown"))
        else:
            faults += table_faults(name, text, table, values, CHECKS[table])
    del faults[FAULTS:]
    if faults:
        raise BadSettingsError(tuple(sorted(faults, key=lambda fault: fault.line)))
    for part in fields(Settings):
        values = tables.get(part.name, {})
        parts[part.name] = type(getattr(defaults, part.name))(**values)
    return Settings(**parts)


def table_faults(name: str, text: str, table: str, values: dict[str, Any], checks: dict[str, Check]) -> list[Fault]:
    """Return what is wrong with the values of one table."""
    faults: list[Fault] = []
    for key, value in list(values.items())[:FAULTS]:
        check = checks.get(key)
        why = check(value) if check else f"is unknown{meant(key, checks)}"
        if why:
            code = "settings.value" if check else "settings.unknown"
            faults.append(Fault(name, line_of(text, table, key), 1, f"{table}.{key} {why}", code))
    return faults


def line_of(text: str, table: str, key: str) -> int:
    """Return the line (from 1) where a key of a table, or a table, is written; 1 where it cannot be told."""
    current = ""
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        if header:
            current = header[1].strip("\"' ")
            if not table and current.split(".")[0].strip("\"' ") == key:
                return number
            continue
        found = _KEY.match(line)
        if found and current == table and found[1].split(".")[0].strip("\"'") == key:
            return number
        if found and found[1].replace('"', "").replace("'", "").startswith(f"{table}.{key}" if table else key):
            return number
    return 1


def load_table(data: bytes, name: str) -> tuple[str, dict[str, Any]]:
    """Return the text and the values of a TOML file, or raise BadSettingsError; a crafted one costs nothing much."""

    def reject(line: int, column: int, why: str, code: str = "toml.syntax") -> BadSettingsError:
        return BadSettingsError((Fault(name, line, column, why, code),))

    if len(data) > TOML_BYTES:
        raise reject(1, 1, f"{len(data)} bytes, at most {TOML_BYTES} are read", "toml.too_large")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise reject(data.count(b"\n", 0, error.start) + 1, 1, "this is not UTF-8", "text.not_utf8") from None
    if any(line.count(".") > KEY_DOTS for line in text.split("\n")) and _dots(text) > KEY_DOTS:
        raise reject(1, 1, f"a key may have {KEY_DOTS} dots at most", "toml.too_deep")
    try:
        return text, tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        at, column = (int(place[1]), int(place[2])) if place else (text.count("\n") + 1, 1)
        raise reject(at, column, f"this is not TOML: {toml_words(str(error).split(' (at')[0])}") from None
    except ValueError as error:
        raise reject(1, 1, str(error)[:120]) from None
    except RecursionError:
        raise reject(1, 1, "it is nested too deep", "toml.too_deep") from None


def _dots(text: str) -> int:
    """Return the most dots that any dotted key could have; texts and comments do not count."""
    most = run = 0
    after_dot = False
    for token in _WORD.finditer(_LONG_TEXT.sub("x", text)):
        word = token[0]
        if word.strip() == ".":
            run, after_dot = run + 1, True
            most = max(most, run)
        elif word[0] in "\"'" or word[0].isalnum() or word[0] in "_-":
            run, after_dot = (run if after_dot else 0), False
        else:
            run, after_dot = 0, False
    return most


# role.toml: what a role says of itself, every fault with its line, all of them at once.

WEIGHT, COMPAT, ENABLED = checks_of(Link)["weight"], CHECKS["books"]["compat"], checks_of(BookUse)["enabled"]
# Members of one value, and what they must be.
PLAIN: dict[str, tuple[type, str]] = {
    "display_name": (str, "a text in quotes"),
    "uuid": (str, "a text in quotes"),
    "fiction": (bool, "true or false"),
    "project": (str, 'a text in quotes, "host/owner/name"'),
}


def load_profile(data: bytes, name: str) -> Profile:
    """Return what a role.toml says, or raise BadSettingsError with every fault in it."""
    text, table = load_table(data, name)
    faults: list[Fault] = []

    def fault(key: str, why: str, code: str = "settings.value") -> None:
        faults.append(Fault(name, line_of(text, "", key), 1, why, code))

    known = (*PLAIN, "aliases", "link", "book", *OF_A_ROLE)
    own: dict[str, dict[str, Any]] = {}
    for key, value in list(table.items())[:FAULTS]:
        if key not in known:
            fault(key, f"unknown key {key!r}{meant(key, known)}", "settings.unknown")
        elif key in OF_A_ROLE:
            if isinstance(value, dict):
                checks = {one: check for one, check in CHECKS[key].items() if one in OF_A_ROLE[key]}
                faults += table_faults(name, text, key, value, checks)
                own[key] = value
            else:
                fault(key, f"{key} must be a table, [{key}]")
        elif key in PLAIN and (why := _plain_fault(key, value)):
            fault(key, why)
    aliases = table.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(one, str) and one for one in aliases):
        fault("aliases", "aliases must be a list of texts")
        aliases = []
    links = [
        Link(one["role"], float(one.get("weight", Link("").weight)))
        for one in _sound(table, "link", _link_fault, fault)
    ]
    books = [
        BookUse(one["name"].removesuffix(".json"), one.get("compat", ""), one.get("enabled", True))
        for one in _sound(table, "book", _book_fault, fault)
    ]
    if faults:
        raise BadSettingsError(tuple(faults))
    said = {key: table[key] for key in PLAIN if key in table}
    return Profile(aliases=tuple(aliases), links=tuple(links), books=tuple(books), settings=own, **said)


def _plain_fault(key: str, value: Any) -> str:
    if not isinstance(value, PLAIN[key][0]):
        return f"{key} must be {PLAIN[key][1]}"
    if key == "project" and not is_project(str(value)):
        return "project must be host/owner/name in small letters, as `memd role of DIR` tells it"
    return ""


def _sound(
    table: dict[str, Any], key: str, fault_of: Callable[[Any], str], tell: Callable[[str, str], None]
) -> list[dict[str, Any]]:
    """Return the members of an array of tables that have no fault; the others are told."""
    given = table.get(key, [])
    sound: list[dict[str, Any]] = []
    for one in given if isinstance(given, list) else [given]:
        why = fault_of(one)
        if why:
            tell(key, why)
        else:
            sound.append(one)
    return sound


def _link_fault(link: Any) -> str:
    if not isinstance(link, dict) or not isinstance(link.get("role"), str):
        return 'a [[link]] needs role = "NAME"'
    if not is_name(link["role"]):
        return f"{link['role'][:60]!r} is not a role's name"
    unknown = [key for key in link if key not in ("role", "weight")]
    if unknown:
        return f"unknown key {unknown[0]!r} in a [[link]]"
    why = WEIGHT(link.get("weight", Link("").weight))
    return f"weight {why}" if why else ""


def _book_fault(book: Any) -> str:
    if not isinstance(book, dict) or not isinstance(book.get("name"), str) or not book["name"]:
        return 'a [[book]] needs name = "FILE", without .json'
    unknown = [key for key in book if key not in ("name", "compat", "enabled")]
    if unknown:
        return f"unknown key {unknown[0]!r} in a [[book]]"
    for key, check in (("compat", COMPAT), ("enabled", ENABLED)):
        if key in book and (why := check(book[key])):
            return f"{key} of a [[book]] {why}"
    return ""


# What this machine grants to a workspace, as bytes: path and nonce must be the workspace's own, or nothing is granted.

FORM = 1
NONCE = re.compile(r"[0-9a-f]{32}")
DIGEST = re.compile(r"[0-9a-f]{64}")


def load_trust(data: bytes, workspace: str, nonce: str) -> Trusted:
    """Return what is granted to the workspace at a path with a nonce; ValueError says why nothing is."""
    try:
        value = loads(data)
    except StrictError as error:
        raise ValueError(f"it cannot be read: {error.why}") from None
    if not isinstance(value, dict) or value.get("form") != FORM:
        raise ValueError("it is of a form that this memd does not know")
    if value.get("workspace") != _plain(workspace):
        raise ValueError("it is of a workspace at another path")
    if not nonce or value.get("id") != nonce:
        raise ValueError("the workspace is another than the one it was granted to: .memory/state/id differs")
    granted, approved = value.get("granted"), value.get("approved")
    if not (isinstance(granted, dict) and isinstance(approved, list)):
        raise ValueError("it is damaged")  # noqa: TRY004  a fault of the file's
    digests = (one for one in approved if isinstance(one, str) and DIGEST.fullmatch(one))
    paused = value.get("paused_until", 0.0)
    until_s = float(paused) if isinstance(paused, (int, float)) and not isinstance(paused, bool) else 0.0
    return Trusted(
        {key: one for key, one in granted.items() if _is_value(one)},
        frozenset(digests),
        until_s,
        _model(value.get("model")),
    )


def dump_trust(workspace: str, nonce: str, trusted: Trusted) -> bytes:
    """Return the bytes of what is granted."""
    value: dict[str, Any] = {"form": FORM, "workspace": _plain(workspace), "id": nonce}
    value |= {"granted": dict(sorted(trusted.granted.items())), "approved": sorted(trusted.approved)}
    if trusted.paused_until_s:
        value["paused_until"] = trusted.paused_until_s
    if trusted.model:
        value["model"] = trusted.model._asdict()
    return json.dumps(value, indent=1).encode() + b"\n"


def _plain(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()  # a path may have bytes that are no text


def _model(value: Any) -> ModelAt | None:
    if not isinstance(value, dict) or not all(isinstance(value.get(key, ""), str) for key in ModelAt._fields):
        return None
    found = ModelAt(*(value.get(key, "") for key in ModelAt._fields))
    return found if found.url else None


def _is_value(value: Any) -> bool:
    return isinstance(value, (bool, int, float, str))
