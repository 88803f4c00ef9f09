"""What a memory was before: its earlier texts, those it took the place of, and those that took its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.formats.times import to_iso, to_seconds

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.store.role.role import Role

LONGEST = 200  # links that are followed


@dataclass(frozen=True, slots=True)
class Past:
    """One text of a subject: how it came to be or went, when ("" where nobody knows), and the memory that said it."""

    how: str
    at: str
    id: str
    content: str


def history_of(role: Role, memory: Memory) -> list[Past]:
    """Return the texts of one subject, oldest first: how each came to be, and when."""
    chain = [*_named(role, memory), memory, *_after(role, memory)]
    told: list[Past] = []
    for one in chain:
        record = role.raw(one.kind, one.id) or {}
        past = record.get("history")
        for entry in past if isinstance(past, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("content"), str):
                until_s = to_seconds(entry.get("until", ""))
                told.append(Past("said until", _shown(until_s), one.id, entry["content"]))
        how = "superseded, from" if one.superseded_by else "holds in part, from" if one.holds else "holds, from"
        told.append(Past(how, _shown(one.when_s), one.id, one.content))
    return told


def _named(role: Role, memory: Memory) -> list[Memory]:
    """Return those that a memory took the place of, and whose place they had taken, the oldest first."""
    found: dict[str, Memory] = {}
    waiting = list(memory.supersedes)
    while waiting and len(found) < LONGEST:
        other = role.compiled.memories.get(waiting.pop(0))
        if other is not None and other.id not in found and other.id != memory.id:
            found[other.id] = other
            waiting += other.supersedes
    return sorted(found.values(), key=lambda one: (one.when_s or 0.0, one.id))


def _after(role: Role, memory: Memory) -> list[Memory]:
    """Return those that took its place, and theirs, the oldest first."""
    found: dict[str, Memory] = {}
    waiting = [memory.id]
    while waiting and len(found) < LONGEST:
        for other in role.compiled.succession.successors(waiting.pop(0), role.compiled.memories):
            if other.id not in found and other.id != memory.id:
                found[other.id] = other
                waiting.append(other.id)
    return list(found.values())


def _shown(seconds: float | None) -> str:
    return to_iso(seconds) if seconds is not None else ""
