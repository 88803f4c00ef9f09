"""What people and other programs wrote is read for the times it tells, a little at a time: a role may have thousands of it."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING

from memd.formats.zones import zone_of

if TYPE_CHECKING:
    from memd.engine.recall.compiled import Compiled
    from memd.store.role.role import Role

AT_ONCE = 10  # memories that are read without giving others a turn


async def read_times(role: Role, zone: str) -> None:
    """Read what is unread of a role; call in its turn. `zone`: of its scenes, "" for the system's own."""
    compiled = role.compiled
    if compiled.zone not in (None, zone):
        compiled.undated.update(one.id for one in compiled.memories.values() if one.undated is not None)
    compiled.zone = zone
    if compiled.undated and role.own.profile.fiction:
        compiled.undated.clear()  # the yesterday of a story is none of ours
    while compiled.undated:
        date(compiled, zone, AT_ONCE)
        await asyncio.sleep(0)


def date(compiled: Compiled, zone: str, most: int) -> None:
    """Read so many of what is unread. Takes up to a third of a millisecond each."""
    from memd.engine.keep.event.written import dated  # noqa: PLC0415  the rules of two languages

    where = zone_of(zone)
    for memory_id in list(islice(compiled.undated, most)):
        compiled.date(dated(compiled.memories[memory_id], where))
