"""What a memory was before: its earlier texts, those it took the place of, and those that took its place."""

from __future__ import annotations

from typing import Any

from memd.formats.times import to_iso, to_seconds
from memd.model.memory import Memory
from memd.service.role import Role

LONGEST = 200  # links that are followed


def history_of(role: Role, memory: Memory) -> list[dict[str, Any]]:
    """Return the texts of one subject, oldest first: how each came to be, and when."""
    chain = [*_linked(role, memory, back=True), memory, *_linked(role, memory, back=False)]
    told: list[dict[str, Any]] = []
    for one in chain:
        record = role.raw(one.kind, one.id) or {}
        past = record.get("history")
        for entry in past if isinstance(past, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("content"), str):
                until_s = to_seconds(entry.get("until", ""))
                told.append({"how": "said until", "at": _shown(until_s), "id": one.id, "content": entry["content"]})
        how = "superseded, from" if one.superseded_by else "holds, from"
        told.append({"how": how, "at": _shown(one.when_s), "id": one.id, "content": one.content})
    return told


def _linked(role: Role, memory: Memory, *, back: bool) -> list[Memory]:
    found: list[Memory] = []
    seen = {memory.id}
    while len(found) < LONGEST:
        other = role.compiled.memories.get(memory.supersedes if back else memory.superseded_by)
        if other is None or other.id in seen:
            break
        seen.add(other.id)
        found.append(other)
        memory = other
    return found[::-1] if back else found


def _shown(seconds: float | None) -> str:
    return to_iso(seconds) if seconds is not None else ""
