"""NovelAI lorebooks to World Info.

Source
    docs/design/world-info.md#other-programs-lorebooks: `lorebookVersion` tells them; budgetPriority orders. What World Info has no place
    for is kept under extensions.novelai of each entry, and what the file says of itself under `novelai`.
"""

from __future__ import annotations

from typing import Any

from memd.formats.foreign.world_info import mapping, numbered

_KNOWN = ("text", "displayName", "keys", "enabled", "forceActivation")


def is_it(value: Any) -> bool:
    """Tell whether a value is a NovelAI lorebook."""
    return isinstance(value, dict) and "lorebookVersion" in value and isinstance(value.get("entries"), list)


def to_world_info(value: Any) -> dict[str, Any]:
    """Return a NovelAI lorebook as a World Info file."""
    entries = [_entry(one) for one in value["entries"] if isinstance(one, dict)]
    about = {key: member for key, member in value.items() if key != "entries"}
    return {"entries": numbered(entries), "novelai": about}


def _entry(one: dict[str, Any]) -> dict[str, Any]:
    context = mapping(one.get("contextConfig"))
    priority = context.get("budgetPriority")
    entry: dict[str, Any] = {
        "key": one.get("keys") or [],
        "keysecondary": [],
        "comment": one.get("displayName") or "",
        "content": one.get("text") or "",
        "disable": one.get("enabled") is False,
        "constant": one.get("forceActivation") is True,
        "order": priority if isinstance(priority, (int, float)) else 100,
    }
    kept = {key: member for key, member in one.items() if key not in _KNOWN}
    if kept:
        entry["extensions"] = {"novelai": kept}
    return entry
