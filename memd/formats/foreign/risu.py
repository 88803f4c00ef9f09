"""Risu lorebooks to World Info.

Source
    docs/design/world-info.md#other-programs-lorebooks: `type` is "risu"; key and secondkey are lists in one text, activationPercent is a
    probability, a folder has no content of its own.
"""

from __future__ import annotations

from typing import Any

from memd.formats.foreign.world_info import numbered

_KNOWN = (
    "key",
    "secondkey",
    "content",
    "comment",
    "alwaysActive",
    "insertorder",
    "activationPercent",
    "selective",
    "mode",
)


def is_it(value: Any) -> bool:
    """Tell whether a value is a Risu lorebook."""
    return isinstance(value, dict) and value.get("type") == "risu" and isinstance(value.get("data"), list)


def to_world_info(value: Any) -> dict[str, Any]:
    """Return a Risu lorebook as a World Info file."""
    entries = [_entry(one) for one in value["data"] if isinstance(one, dict) and one.get("mode") != "folder"]
    folders = [one for one in value["data"] if isinstance(one, dict) and one.get("mode") == "folder"]
    about = {key: member for key, member in value.items() if key != "data"}
    return {"entries": numbered(entries), "risu": {**about, **({"folders": folders} if folders else {})}}


def _entry(one: dict[str, Any]) -> dict[str, Any]:
    keys = _split(one.get("key"))
    if one.get("useRegex") is True:
        keys = [key if key.startswith("/") else f"/{key}/" for key in keys]
    entry: dict[str, Any] = {
        "key": keys,
        "keysecondary": _split(one.get("secondkey")),
        "comment": one.get("comment") or "",
        "content": one.get("content") or "",
        "constant": one.get("alwaysActive") is True,
        "selective": one.get("selective") is True,
        "order": one.get("insertorder") if isinstance(one.get("insertorder"), (int, float)) else 100,
    }
    if isinstance(one.get("activationPercent"), (int, float)):
        entry |= {"probability": one["activationPercent"], "useProbability": True}
    kept = {key: member for key, member in one.items() if key not in _KNOWN}
    if kept:
        entry["extensions"] = {"risu": kept}
    return entry


def _split(text: Any) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()] if isinstance(text, str) else []
