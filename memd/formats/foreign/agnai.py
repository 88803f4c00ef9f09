"""Agnai memory books to World Info.

Source
    docs/design/world-info.md#other-programs-lorebooks: `kind` is "memory"; weight orders, priority is kept, * and ? in keys are wildcards,
    which become patterns.
"""

from __future__ import annotations

import re
from typing import Any

from memd.formats.foreign.world_info import numbered, texts

_KNOWN = ("name", "entry", "keywords", "weight", "enabled", "secondaryKeys", "selective", "constant")


def is_it(value: Any) -> bool:
    """Tell whether a value is an Agnai memory book."""
    return isinstance(value, dict) and value.get("kind") == "memory" and isinstance(value.get("entries"), list)


def to_world_info(value: Any) -> dict[str, Any]:
    """Return an Agnai memory book as a World Info file."""
    entries = [_entry(one) for one in value["entries"] if isinstance(one, dict)]
    about = {key: member for key, member in value.items() if key != "entries"}
    return {"entries": numbered(entries), "agnai": about}


def _entry(one: dict[str, Any]) -> dict[str, Any]:
    weight = one.get("weight")
    entry: dict[str, Any] = {
        "key": [_key(word) for word in texts(one.get("keywords"))],
        "keysecondary": texts(one.get("secondaryKeys")),
        "comment": one.get("name") or "",
        "content": one.get("entry") or "",
        "disable": one.get("enabled") is False,
        "constant": one.get("constant") is True,
        "order": weight if isinstance(weight, (int, float)) else 100,
    }
    if isinstance(one.get("selective"), bool):
        entry["selective"] = one["selective"]
    kept = {key: member for key, member in one.items() if key not in _KNOWN}
    if kept:
        entry["extensions"] = {"agnai": kept}
    return entry


def _key(word: str) -> str:
    if "*" not in word and "?" not in word:
        return word
    pattern = re.escape(word).replace(r"\*", r"\w*").replace(r"\?", r"\w?").replace("/", r"\/")
    return f"/\\b{pattern}\\b/i"
