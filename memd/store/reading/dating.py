"""What people and other programs wrote is read for the times it tells, a little at a time: a role may have thousands of it.

What was found is kept between starts with the rest that was made of the file: reading ten thousand takes seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from memd.formats.derived import memories_of
from memd.formats.times import mark_of, zone_of

if TYPE_CHECKING:
    from memd.engine.recall.compiled import Compiled
    from memd.formats.derived import RoleCache, Times
    from memd.model.memory import Memory
    from memd.store.role.role import Role

AT_ONCE = 10  # memories that are read without giving others a turn


async def read_times(role: Role, zone: str) -> int:
    """Read what is unread of a role, and return how many that were; call in its turn. `zone`: of its scenes, "" for the system's own."""
    compiled = role.compiled
    if role.own.profile.fiction:
        return 0  # the yesterday of a story is none of ours
    if compiled.zone not in (None, zone):
        compiled.undated.update(one.id for one in compiled.memories.values() if one.undated is not None)
    compiled.zone = zone
    count = len(compiled.undated)
    while compiled.undated:
        date(compiled, zone, AT_ONCE)
        await asyncio.sleep(0)
    return count


def date(compiled: Compiled, zone: str, most: int) -> None:
    """Read so many of what is unread. Takes up to a third of a millisecond each."""
    from memd.engine.keep.event.written import dated  # noqa: PLC0415  the rules of two languages

    where = zone_of(zone)
    for memory_id in list(islice(compiled.undated, most)):
        compiled.date(dated(compiled.memories[memory_id], where))


def take_times(compiled: Compiled, cache: RoleCache, zone: str, memories: Sequence[Memory] | None = None) -> None:
    """Let memories have the times that were found before in the same words, in a zone that the cache is of.

    `memories`: of the cache, where they were read already.
    """
    before = enumerate((memories_of(cache) if memories is None else memories) or ())
    unread = set(cache.unread)
    known = {_told_at(one): cache.told.get(at) for at, one in before if one.undated is not None and at not in unread}
    for memory_id in list(compiled.undated):
        memory = compiled.memories[memory_id]
        told = known.get(_told_at(memory), NEVER)
        if told is not NEVER:
            compiled.date(replace(memory, event=told[0], held=told[1], planned=told[2]) if told else memory)
    compiled.zone = zone


def with_times(cache: RoleCache, memories: Iterable[Memory], compiled: Compiled) -> RoleCache:
    """Add the times that were found to what is kept of a file with these memories, where they were looked for."""
    if compiled.zone is None:
        return cache
    cache.zone, cache.told, cache.unread = mark_of(compiled.zone), {}, []
    for at, one in enumerate(memories):
        if one.undated is None:
            continue
        held = compiled.memories.get(one.id)
        if held is None or one.id in compiled.undated or _told_at(held) != _told_at(one):
            cache.unread.append(at)
        elif held.event or held.held:
            cache.told[at] = (held.event, held.held, held.planned)
    return cache


NEVER: Times = (None, None, True)  # stands for what was not read


def _told_at(memory: Memory) -> tuple[str, float | str | None, bool]:
    """Return all that a memory's times are read from."""
    return memory.content, memory.undated, memory.is_of_world
