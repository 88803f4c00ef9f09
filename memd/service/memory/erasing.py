"""What was said that made a memory: erased from sessions, receipts and tasks before the memory itself goes.

It is done first and once more wherever it was cut off, since the memory is there until the log has its erasure: who was told of no success asks again.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from memd.model.memory import Kind
from memd.service.memory.history import forgotten_of
from memd.service.memory.records import resolve

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store

FLUSH_S = 5.0


async def said_by(store: Store, role: Role, memory_id: str) -> tuple[str, Kind, tuple[str, ...]]:
    """Return a memory's id in full, its kind, and what it says; MemoryUnknownError, MemoryAmbiguousError. Call in the role's turn."""
    archived = await forgotten_of(store, role.name)
    chosen = resolve(role.name, memory_id, tuple(dict.fromkeys([*role.compiled.memories, *archived])))
    memory = role.compiled.memories.get(chosen)
    entry = archived.get(chosen, {}).get("entry") or {}
    said = [memory.content] if memory else []
    said += [str(entry.get(key) or "") for key in ("content", "value")]
    texts = tuple(dict.fromkeys(one.strip() for one in said if one.strip()))
    return chosen, memory.kind if memory else Kind(archived[chosen]["kind"]), texts


async def erase_what_was_said(store: Store, role: Role, memory_id: str) -> str:
    """Take what a memory says out of the records of what was said and done; return why not of the spool, "" where it did."""
    from memd.store.writing.erasing_texts import Told  # noqa: PLC0415  most who forget a memory erase nothing

    async with role.turn:
        await store.refresh(role)
        chosen, _, texts = await said_by(store, role, memory_id)
        told = Told(texts, *await _told_at(store, role, chosen))
    trouble = await _erase_unheard(store, chosen, texts)
    await store.writer.flush(FLUSH_S)  # what was acknowledged a moment ago may stand in the log alone
    store.working.attended.forget_said(texts)
    if store.writer.applier is not None:
        await store.writer.applier.erase_texts(told)
    return trouble


async def _erase_unheard(store: Store, memory_id: str, texts: tuple[str, ...]) -> str:
    """Take it out of what hooks left: first, since what is taken in meanwhile has it in a session by then."""
    from memd.storage.spool.leaving import SpoolError  # noqa: PLC0415
    from memd.store.writing.erasing_unheard import editing  # noqa: PLC0415

    unheard = store.unheard
    try:
        async with unheard.turn:
            await asyncio.to_thread(unheard.forget, memory_id, texts)
            await asyncio.to_thread(unheard.spooling.edit, editing(texts))
    except SpoolError as error:
        return str(error)
    return ""


async def _told_at(store: Store, role: Role, memory_id: str) -> tuple[str, int]:
    """Return the session and the turn in which a memory was told, also of one that was forgotten; "" and 0 where it names none."""
    memory = role.compiled.memories.get(memory_id)
    if memory is not None:
        return memory.session, memory.turn or 0
    entry = (await forgotten_of(store, role.name)).get(memory_id, {}).get("entry")
    session, turn = (entry.get("session"), entry.get("turn")) if isinstance(entry, dict) else ("", 0)
    return session if isinstance(session, str) else "", turn if type(turn) is int else 0
