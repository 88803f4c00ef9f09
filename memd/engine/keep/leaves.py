"""The texts inside a value of JSON, and what they are without their secrets.

A value may be a secret by the name it stands under: `{"password": "..."}` is looked at as `password: ...`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any

from memd.formats.strict_json import canonical
from memd.text import expressions as re

# What can hold neither a secret nor an order: short words, ids, times and digests.
_BARE = re.compile(
    r"[A-Za-z]{0,11}|\d{0,8}|[\u4e00-\u9fff]{0,3}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z"
)
_TELLING = re.compile(
    r"pass(?:word|wd|phrase|code)|pwd|secret|token|(?:api|access|private|signing|license)[ _-]?key|credential|\bpin\b"
    r"|密码|口令|密钥|秘钥|令牌|私钥",
    re.IGNORECASE,
)
_SAID = ("value", "content")  # what stands behind a `name` in a record
LABEL_CHARS = 200
NAMES = 1024  # labels of which it is known what they are

Change = Callable[[str], str]


def is_bare(text: str) -> bool:
    """Tell whether a text is too plain to be looked at."""
    return _BARE.fullmatch(text) is not None


def changed(value: Any, change: Change) -> Any:
    """Return a value with its texts changed, keys too; the same object where nothing changes."""
    if isinstance(value, str):
        return value if is_bare(value) else change(value)
    if isinstance(value, dict):
        return _changed_object(value, change)
    if isinstance(value, list | tuple):
        items = [changed(one, change) for one in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)
    return value


def texts_in(value: Any) -> list[str]:
    """Return the texts that `changed` would change, each once."""
    found: dict[str, None] = {}

    def note(text: str) -> str:
        found[text] = None
        return text

    changed(value, note)
    return list(found)


def _changed_object(value: dict[Any, Any], change: Change) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    same = True
    for key, one in value.items():
        label = value.get("name") if key in _SAID else key
        named = isinstance(one, str) and isinstance(label, str) and one and _is_telling(label[:LABEL_CHARS])
        after = _named(str(label), one, change) if named else changed(one, change)
        own = change(key) if isinstance(key, str) and not _is_bare_key(key) else key
        same = same and after is one and own is key
        result[own] = after
    return value if same else result


@lru_cache(NAMES)
def _is_telling(label: str) -> bool:
    """Tell whether what stands under a label is a secret by that."""
    return _TELLING.search(label) is not None


_is_bare_key = lru_cache(NAMES)(is_bare)


def _named(label: str, text: str, change: Change) -> str:
    """Return a text changed as what a label names it."""
    front = f"{label[:LABEL_CHARS]}: "
    whole = front + text
    after = change(whole)
    if after == whole:
        return text
    return after[len(front) :] if after.startswith(front) else changed(text, change)


# What a change of a record leaves to be taken back by: what was there before, and marks of what it made.
#
# A mark is the first 16 hex digits of the sha256 of a value's canonical JSON: enough to tell whether somebody has edited
# it since, and not a second copy of it.

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
