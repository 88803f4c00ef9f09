"""Take in what hooks left while no daemon heard them: in the order in which it came, each once, as if it had been heard.

Order of one event: what it asks for is carried out and kept, durably, as of the time it was said; what came of it is put down
for the next who asks; then its file goes. A kill in between lets it be taken in again, which keeps nothing twice: a memory's id
follows from the prompt, and the last message of a session is not written a second time.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memd.errors import MemdError
from memd.service.capture.levels import PAUSED, standing
from memd.service.work.attended_parts import Late
from memd.service.work.attending import attend
from memd.storage.gathering import FaultyError
from memd.storage.leaving import SpoolError
from memd.store.capture import Result

if TYPE_CHECKING:
    from memd.formats.spooled import Spooled
    from memd.service.walks import Walks
    from memd.store.capture import Unheard
    from memd.store.store import Store

logger = logging.getLogger(__name__)

AGAIN_S = 30.0  # what could not be kept is tried again
OFTEN_S, OFTEN_FOR_S, SELDOM_S = 1.0, 30.0, 30.0  # a hook that found nobody may be about to leave something
SPARE_S = 0.7  # of an asker's time, for its own answer
WAITS_S, LONGEST_S = 1.5, 5.0  # who says no time waits so long, and who says one at most
LOST = (
    "While memd's daemon did not run, {n} events of conversations found no room in its spool and were not kept."
    " Tell the person; what mattered in them has to be told again."
)
AFTERWARDS = "Asked for while memd's daemon did not run, and done since: "


@dataclass(slots=True)
class _Event:
    """An event as it was left, with the words of hook.event."""

    agent: str
    event: str
    session: str = ""
    key: str = ""
    source: str = ""
    message: str = ""
    reply: str = ""
    tool: str = ""
    input: dict[str, Any] | str = ""
    until_ms: int = 0
    role: str = ""
    project: str = ""
    named: str = ""
    mark: str = ""
    shared: bool = False
    chinese: bool = False


async def take_in(store: Store, walks: Walks, until_ms: int = 0) -> None:
    """Take in what waits before anything newer is heard; who asks waits no longer than it has time (ms since 1970; 0: a while)."""
    unheard = store.unheard
    if store.writer.read_only or store.ports.monotonic() < unheard.not_before_s or not unheard.has_news():
        return
    if unheard.work is None or unheard.work.done():
        unheard.work = asyncio.create_task(_take_all(store, walks))
    left_s = until_ms / 1000 - store.ports.now() - SPARE_S if until_ms else WAITS_S
    await asyncio.wait({unheard.work}, timeout=min(LONGEST_S, max(0.0, left_s)))


async def keep_taking_in(store: Store, walks: Walks, stop: asyncio.Event) -> None:
    """Look again and again whether something was left: often after the start, when a hook may just have found nobody."""
    with suppress(SpoolError):
        await asyncio.to_thread(store.unheard.spooling.make)
    often_until_s = store.ports.monotonic() + OFTEN_FOR_S
    while not stop.is_set():
        await take_in(store, walks)
        often = store.ports.monotonic() < often_until_s
        try:
            async with asyncio.timeout(OFTEN_S if often else SELDOM_S):
                await stop.wait()
        except TimeoutError:
            continue


async def _take_all(store: Store, walks: Walks) -> None:
    unheard = store.unheard
    try:
        if not unheard.looked:
            await asyncio.to_thread(unheard.load)
        if standing(store) == PAUSED:  # what was said before the pause is kept after it
            unheard.not_before_s = store.ports.monotonic() + AGAIN_S
            return
        if lost := await asyncio.to_thread(unheard.spooling.tidy, store.ports.now()):
            await asyncio.to_thread(unheard.tell, [Result("", LOST.format(n=lost))])
        while True:
            names = await asyncio.to_thread(unheard.spooling.names)
            unheard.skipped.intersection_update(names)  # the name of one that is gone may be another's next
            waiting = [name for name in names if name not in unheard.skipped]
            if not waiting:
                return
            for name in waiting:
                async with unheard.turn:
                    await _take(store, walks, name)
    except (MemdError, SpoolError) as error:
        logger.warning("what hooks left is not taken in yet: %s", error)
        unheard.not_before_s = store.ports.monotonic() + AGAIN_S


async def _take(store: Store, walks: Walks, name: str) -> None:
    unheard = store.unheard
    try:
        one = await asyncio.to_thread(unheard.spooling.read, name)
        if one is None:
            return
        found = await _heard(store, walks, one)
    except FaultyError as error:
        await _put_aside(unheard, name, str(error))
        return
    except (MemdError, SpoolError):
        raise
    except Exception as error:
        logger.exception("an event that was left could not be taken in")
        await _put_aside(unheard, name, type(error).__name__)
        return
    if found:
        await asyncio.to_thread(unheard.tell, found)
    await asyncio.to_thread(unheard.spooling.done, name)


async def _put_aside(unheard: Unheard, name: str, why: str) -> None:
    logger.warning("an event that was left is set aside, %s: %s", name, why)
    if not await asyncio.to_thread(unheard.spooling.set_aside, name):
        unheard.skipped.add(name)


async def _heard(store: Store, walks: Walks, one: Spooled) -> list[Result]:
    """Do what a daemon would have done, as of the time when it was said; return what came of what was asked for."""
    late = Late(one.id, min(one.at_s, store.ports.now()))
    event = _Event(**one.event)  # type: ignore[arg-type]  # load_spooled lets texts alone through, by these names
    await attend(store, walks, event, late)
    return [Result(late.role, AFTERWARDS + text) for text in late.told]
