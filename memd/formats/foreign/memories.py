"""Memories of other programs: what a file of theirs holds, the role memory's own files, hermes' entries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memd.formats.foreign.lorebooks import mapping
from memd.model.memory import Kind


@dataclass(slots=True)
class Foreign:
    """`refused` pairs a place in the file with the reason. `role` is whom the file says it belongs to, "" where it does not."""

    form: str
    memories: list[tuple[Kind, dict[str, Any]]] = field(default_factory=list)
    books: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    role: str = ""


# The role memory's own memory.json, and its management export.
#
# Source
#     docs/design/origins.md#the-role-memory: members, the export's names for them, and the stray `is_constant` of its tools, which
#     that system never believed; `isConstant` stays in force and the other is told.

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


# hermes MEMORY.md and USER.md: entries with a line `§` between them.
#
# Source
#     docs/design/origins.md#hermes: joined by exactly a line break, §, a line break; no header, no last line break.

MARK = "\n§\n"


def is_hermes(text: str, name: str) -> bool:
    """Tell whether a text is a file of § entries."""
    return MARK in text.replace("\r\n", "\n") or name.rpartition("/")[2] in ("MEMORY.md", "USER.md")


def read_hermes(text: str, name: str) -> Foreign:
    """Return the entries: what the agent knows as facts, what is in USER.md tagged with it."""
    found = Foreign("hermes")
    leaf = name.rpartition("/")[2]
    tags = ["user"] if leaf == "USER.md" else []
    for entry in dict.fromkeys(one.strip() for one in text.replace("\r\n", "\n").split(MARK)):
        if entry:
            found.memories.append((Kind.SEMANTIC, {"content": entry, **({"tags": tags} if tags else {})}))
    return found
