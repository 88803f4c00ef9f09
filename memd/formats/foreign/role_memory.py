"""The role memory's own memory.json, and its management export.

Source
    docs/design/origins.md#the-role-memory: members, the export's names for them, and the stray `is_constant` of its tools, which
    that system never believed; `isConstant` stays in force and the other is told.
"""

from __future__ import annotations

from typing import Any

from memd.formats.foreign.item import Foreign
from memd.formats.foreign.world_info import mapping
from memd.model.memory import Kind

ARRAYS = {"episodic": Kind.EPISODIC, "semantic": Kind.SEMANTIC, "traits": Kind.TRAIT, "goals": Kind.GOAL}
_TYPES = {**{kind.value: kind for kind in Kind}, "traits": Kind.TRAIT, "goals": Kind.GOAL}
_RENAMED = {"importanceScore": "relevanceWeight", "emotionScore": "emotionalWeight"}


def is_memory(value: Any) -> bool:
    """Tell whether a value is a memory.json."""
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in ARRAYS)


def is_management(value: Any) -> bool:
    """Tell whether a value is a management export."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and "type" in one and "content" in one for one in value)
    )


def read_memory(value: dict[str, Any]) -> Foreign:
    """Return the records of a memory.json, as they are."""
    found = Foreign("memory", role=str(value.get("characterUuid") or ""))
    doubtful = 0
    for name, kind in ARRAYS.items():
        records = value.get(name)
        for number, record in enumerate(records if isinstance(records, list) else ()):
            if not isinstance(record, dict):
                found.refused.append((f"{name}[{number}]", "it is no object"))
                continue
            doubtful += "is_constant" in record and record["is_constant"] != record.get("isConstant")
            found.memories.append((kind, record))
    if doubtful:
        found.notes.append(f"{doubtful} records asked for another is_constant than their isConstant; isConstant counts")
    return found


def read_management(value: list[dict[str, Any]]) -> Foreign:
    """Return the records of a management export; what memory.json has no name for is kept under its own."""
    found = Foreign("management")
    for number, one in enumerate(value):
        kind = _TYPES.get(str(one.get("type")))
        if kind is None:
            found.refused.append((f"[{number}]", f"type {str(one.get('type'))[:40]!r} is unknown"))
            continue
        record = {_RENAMED.get(key, key): member for key, member in one.items() if key != "type"}
        if kind in (Kind.TRAIT, Kind.GOAL):
            record = {("value" if key == "content" else key): member for key, member in record.items()}
        moment = one.get("timestamp", mapping(one.get("context")).get("timestamp", one.get("createdAt")))
        if moment is not None:
            record["timestamp"] = moment
        found.memories.append((kind, record))
    return found


def dump_management(memories: list[tuple[Kind, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return records as a management export."""
    back = {ours: theirs for theirs, ours in _RENAMED.items()}
    exported: list[dict[str, Any]] = []
    for kind, record in memories:
        one: dict[str, Any] = {"id": record.get("id", ""), "type": kind.value}
        one["content"] = record.get("content", record.get("value", ""))
        one |= {back.get(key, key): member for key, member in record.items() if key not in ("id", "content", "value")}
        one.setdefault("keywords", [])
        if "context" not in one and "timestamp" in one:
            one["context"] = {"timestamp": one.pop("timestamp")}
        exported.append(one)
    return exported
