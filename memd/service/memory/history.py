"""What a memory was before: its earlier texts, those it took the place of, those that took its place; and what is forgotten."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from memd.formats.records import read_lines
from memd.formats.times import to_iso, to_seconds
from memd.storage.layout import ARCHIVE
from memd.storage.side import folder_pieces

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.store.role.role import Role
    from memd.store.store import Store

LONGEST = 200  # links that are followed


@dataclass(frozen=True, slots=True)
class Past:
    """One text of a subject: how it came to be or went, when ("" where nobody knows), the memory that said it, and the time of its event."""

    how: str
    at: str
    id: str
    content: str
    event: str


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
                told.append(Past("said until", _shown(until_s), one.id, entry["content"], ""))
        how = "superseded, from" if one.superseded_by else "holds in part, from" if one.holds else "holds, from"
        told.append(Past(how, _shown(one.when_s), one.id, one.content, one.event.told if one.event else ""))
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
    return sorted(found.values(), key=lambda one: one.when_s or 0.0)  # what has one time stays as it follows


def _shown(seconds: float | None) -> str:
    return to_iso(seconds) if seconds is not None else ""


async def forgotten_of(store: Store, role: str) -> dict[str, dict[str, Any]]:
    """Return what is forgotten of a role and not restored, by id, the newest text of each."""
    return await asyncio.to_thread(_archived, store, role, store.writer.waiting_lines(ARCHIVE))


def _archived(store: Store, role: str, waiting: list[str]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for data in chain(folder_pieces(store.tree, ARCHIVE), ["".join(waiting).encode()]):
        for line in read_lines(data):
            value = line.value or {}
            if value.get("role") != role or not isinstance(value.get("id"), str):
                continue
            if value.get("what") == "restored":
                found.pop(value["id"], None)
            elif isinstance(value.get("entry"), dict):
                found[value["id"]] = value
    return {one: value for one, value in found.items() if not store.writer.is_being_erased(role, one)}
