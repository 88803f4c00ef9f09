"""role.toml: what a role says of itself, every fault with its line, all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memd.errors import BadSettingsError, Fault
from memd.errors.root import meant
from memd.formats.settings import CHECKS, FAULTS, checks_of, line_of, load_table, table_faults
from memd.model.names import is_name
from memd.model.projects import is_project
from memd.model.role import BookUse, Link, Profile
from memd.model.settings import OF_A_ROLE

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
