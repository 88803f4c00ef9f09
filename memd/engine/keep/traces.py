"""What a change of a record leaves to be taken back by: what was there before, and marks of what it made.

A mark is the first 16 hex digits of the sha256 of a value's canonical JSON: enough to tell whether somebody has edited
it since, and not a second copy of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import Any

from memd.formats.strict_json import canonical

MARK_CHARS = 16
UNMARKED = ("id", "history", "createdAt", "updatedAt")


def mark(value: Any) -> str:
    """Return the mark of a value; "" of one that is not there."""
    return "" if value is None else hashlib.sha256(canonical(value)).hexdigest()[:MARK_CHARS]


def marks(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the marks of all members of a record."""
    return {key: mark(value) for key, value in record.items()}


def trace(before: Mapping[str, Any], after: Mapping[str, Any], without: Collection[str] = ()) -> dict[str, Any]:
    """Return what a change leaves: `made`, the marks of what it changed, and `was`; `without` names what is kept elsewhere."""
    changed = [key for key in {**before, **after} if key not in UNMARKED and before.get(key) != after.get(key)]
    left: dict[str, Any] = {"made": {key: mark(after.get(key)) for key in changed}}
    if was := {key: before.get(key) for key in changed if key not in without}:
        left["was"] = was
    return left


def edited_since(record: Mapping[str, Any], made: Mapping[str, Any]) -> list[str]:
    """Return the members of a record that are other than a change made them."""
    return [key for key, told in made.items() if mark(record.get(key)) != told]


def taken_back(record: Mapping[str, Any], was: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with its members as they were; None is one that was not there."""
    result = dict(record)
    for key, value in was.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = value
    return result
