"""World Info files: the form in which memd holds every lorebook.

Source
    docs/design/world-info.md#the-file; the other shapes of the same thing are those of
    docs/design/origins.md#its-world-books.
"""

from __future__ import annotations

from typing import Any


def is_it(value: Any) -> bool:
    """Tell whether a value is a World Info file, or bare entries."""
    if isinstance(value, dict):
        entries = value.get("entries")
        if isinstance(entries, (dict, list)):
            return True
        return bool(value) and all(_is_entry(one) for one in value.values())
    return isinstance(value, list) and bool(value) and all(_is_entry(one) for one in value)


def to_world_info(value: Any) -> dict[str, Any]:
    """Return the file with its entries under `entries`; other members stay."""
    if isinstance(value, dict) and isinstance(value.get("entries"), (dict, list)):
        return value
    return {"entries": value}


def numbered(entries: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return entries under the uids they have, or the first free ones."""
    taken = {one["uid"] for one in entries if isinstance(one.get("uid"), int)}
    found: dict[str, dict[str, Any]] = {}
    free = 0
    for one in entries:
        uid = one.get("uid")
        if not isinstance(uid, int) or str(uid) in found:
            while free in taken or str(free) in found:
                free += 1
            uid = free
        found[str(uid)] = {**one, "uid": uid}
    return found


def mapping(value: Any) -> dict[str, Any]:
    """Return a value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def texts(value: Any) -> list[str]:
    """Return the texts of a list; none where it is no list."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _is_entry(one: Any) -> bool:
    return isinstance(one, dict) and "content" in one and ("key" in one or "keys" in one)
