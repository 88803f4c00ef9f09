"""memd.toml: text to frozen values, every fault with its line, all of them at once.

Bounds on the text itself (64 KiB, 16 dots in a key) keep a crafted file from costing seconds or gigabytes
(docs/design/security.md#toml).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from memd.errors import BadSettingsError, Fault
from memd.errors.root import meant
from memd.formats.strict_json import toml_words
from memd.formats.times import zone_of
from memd.model.settings import Declared, Form, Settings, declared, tables

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
