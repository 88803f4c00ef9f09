"""When sessions are consolidated without being asked for: at their end, after a rest, and once a night; in the background.

Nothing is done below the level inbox, while capture is paused, or where the workspace is only read. A session counts that
this machine wrote into within the last days: what lies longer ago is looked at when a person says so.

Units
    times are seconds since 1970; `night_hour` is an hour of `trigger.zone`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memd.engine.keep.fate import AUTO, INBOX
from memd.errors import MemdError
from memd.formats.times import zone_of
from memd.model.trust import PAST
from memd.service.capture.consolidating import Pace, Stopped, consolidate, opened
from memd.service.capture.levels import is_paused, level_in_force
from memd.service.capture.pack_answers import with_model
from memd.service.capture.past import take_next
from memd.service.walks import Consolidate
from memd.service.work.sessions import find_sessions
from memd.storage.listing import identify_side

if TYPE_CHECKING:
    from memd.storage.files import Identity
    from memd.store.store import Store

logger = logging.getLogger(__name__)

LOOK_S = 20.0  # how often it is asked whether it is time
RECENT_S = 3 * 86_400.0  # a session that was written into before that is left to a person
SHARE = 4.0  # for each second of work so many of rest
MOST_REST_S = 2.0
MINUTE_S = 60.0


async def keep_consolidating(store: Store, stop: asyncio.Event) -> None:
    """Look again and again whether sessions are due, until it is time to stop."""
    goes_on, looked_s = False, 0.0
    while not stop.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.0 if goes_on else LOOK_S):
                await _either(stop, store.captured.woken)
        if stop.is_set():
            return
        is_time = not goes_on or store.captured.woken.is_set() or store.ports.monotonic() - looked_s >= LOOK_S
        store.captured.woken.clear()
        goes_on = False
        try:
            if is_time:
                looked_s = store.ports.monotonic()
                await look(store, stop)
            goes_on = await take_next(store, _rest_of(store, stop))
        except Stopped:
            continue
        except MemdError as error:
            logger.warning("sessions could not be consolidated: %s", error)
        except Exception:
            logger.exception("consolidating failed")


async def look(store: Store, stop: asyncio.Event) -> int:
    """Consolidate the sessions that are due now; return how many."""
    now_s = store.ports.now()
    level = level_in_force(store)
    if level not in (AUTO, INBOX) or is_paused(store, now_s) or store.writer.running is None:
        return 0
    due = await _due(store, now_s)
    rest = _rest_of(store, stop)

    for number, (name, identity) in enumerate(due):
        try:
            past = bool((await opened(store, name)).totals.opened.get("past"))
            if not past:  # a model was named for what is said from then on
                await with_model(store, name, level, rest)
            await consolidate(store, Consolidate(name, "", level, PAST if past else "memd"), rest=rest)
        except Stopped:
            return number
        except MemdError as error:
            logger.warning("session %s could not be consolidated: %s", name, error)
        store.captured.ended.discard(name)
        if identity is not None:
            store.captured.seen[name] = identity
    return len(due)


def _rest_of(store: Store, stop: asyncio.Event) -> Pace:
    """Return what rests after each piece of work, and raises Stopped where it is time to stop."""

    async def rest(spent_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(MOST_REST_S, spent_s * SHARE)):
                await stop.wait()
        if stop.is_set() or is_paused(store, store.ports.now()):
            raise Stopped

    return rest


async def _due(store: Store, now_s: float) -> list[tuple[str, Identity | None]]:
    """Return the sessions that were written into since they were last looked at, and have ended, rest, or had their night."""
    files = await find_sessions(store)
    states = await asyncio.to_thread(lambda: {name: identify_side(store.tree, file) for name, file in files.items()})
    night = _is_night(store, now_s)
    idle_s = store.settings.capture.idle_minutes * MINUTE_S
    captured = store.captured
    found: list[tuple[str, Identity | None]] = []
    for name, identity in sorted(states.items()):
        if name in captured.ended:  # also what lies in the log alone yet: files follow it after a while
            found.append((name, identity))
            continue
        if identity is None or captured.seen.get(name) == identity:
            continue
        age_s = now_s - identity.modified_ns / 1e9
        if abs(age_s) > RECENT_S:
            continue  # also where a clock told another time
        rests = not -MINUTE_S <= age_s < idle_s
        if night or rests or await _is_closed(store, name):
            found.append((name, identity))
    captured.seen = {name: one for name, one in captured.seen.items() if name in states}
    return found


async def _is_closed(store: Store, name: str) -> bool:
    """Tell whether a session has its end in its file, also where it ended before this daemon began."""
    try:
        return (await opened(store, name)).totals.closed
    except MemdError:
        return False  # it is told of where somebody asks for it


def _is_night(store: Store, now_s: float) -> bool:
    """Tell whether a night has begun since the last look; a day lasts from one night hour to the next."""
    local = datetime.fromtimestamp(now_s, UTC).astimezone(zone_of(store.settings.trigger.zone))
    day = str((local - timedelta(hours=store.settings.capture.night_hour)).date())
    before, store.captured.night = store.captured.night, day
    return bool(before) and before != day


async def _either(*events: asyncio.Event) -> None:
    tasks = [asyncio.ensure_future(one.wait()) for one in events]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in tasks:
            one.cancel()
