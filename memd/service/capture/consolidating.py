"""Consolidation: what was said in sessions since the last pass becomes memories, waits in the inbox, or is let go.

A pass looks at a part of one session's new turns, and is one record of the log: what it keeps, what waits, which statements
were offered, and its report. A kill leaves all of it or nothing, and what was offered is not offered again. Statements that
say something like each other, or change the same memory, are kept by passes that follow one another, so that each is judged
beside what stands then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.fate import Decided, Fate
from memd.engine.keep.talk.together import together
from memd.engine.keep.talk.told import told_in
from memd.errors import MemdError, RoleUnknownError, SessionUnknownError
from memd.model.progress import untold
from memd.service.capture.committing import keep, shown
from memd.service.capture.deciding import Statement, apart, decided, id_of
from memd.service.capture.turns import NewTurns, part_at, unseen
from memd.service.screening import make_ready
from memd.service.walks import MAIN, Consolidate
from memd.service.work.sessions import find_sessions, session_of
from memd.storage.layout import OFFERED
from memd.store.capture.offered import Offered, read_offered

if TYPE_CHECKING:
    from memd.model.progress import Told as Progress
    from memd.model.work.told import Told
    from memd.store.capture.reports import Report
    from memd.store.role.role import Role
    from memd.store.store import Store
    from memd.store.work.session_log import SessionLog

CROWD = Decided(Fate.STAGED, "too much like it was said at once")
KEPT_AT_ONCE = 40  # statements that one step keeps
STEPS = 12  # steps after one another for one part; what is left then is decided as it stands
Pace = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class Passed:
    """What passes came to: their reports with the statements of each, sessions left out with the reason, messages not looked at."""

    passes: list[tuple[Report, list[Statement]]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    left: int = 0
    sessions: int = 0


class Taken(NamedTuple):
    """A part of a session with the statements that were taken from it, and whose memory they are for."""

    session: str
    role: Role
    part: NewTurns
    found: Sequence[Told]


async def at_once(_: float) -> None:
    """Go on without a rest."""
    await asyncio.sleep(0)


async def consolidate(store: Store, asked: Consolidate, told: Progress = untold, *, rest: Pace = at_once) -> Passed:
    """Look at what was said since the last pass; `rest` is awaited after each statement with the seconds it took."""
    await make_ready(store)
    wanted = (await store.role(asked.role)).name if asked.role else ""
    passed = Passed()
    async with store.captured.turn:
        names = [asked.session] if asked.session else sorted(await find_sessions(store))
        for number, name in enumerate(names):
            told(number, len(names), name)
            await _of_session(store, asked, name, wanted, passed, rest)
    return passed


async def _of_session(store: Store, asked: Consolidate, name: str, wanted: str, passed: Passed, rest: Pace) -> None:
    try:
        log = await opened(store, name)
        own = str(log.totals.opened.get("role", ""))
        if wanted and own and not asked.session and (await store.role(own)).name != wanted:
            return
        role = await whose(store, own, wanted)
    except SessionUnknownError:
        if asked.session:
            raise
        return
    except MemdError as error:
        passed.skipped[name] = str(error)
        return
    passed.sessions += 1
    writer = store.writer.journal.writer
    offered = await asyncio.to_thread(read_offered, store.tree, store.writer.waiting_lines(OFFERED), writer)
    new = await unseen(log, writer, offered.upto.get(log.name, 0))
    at = 0
    while at < len(new.messages):
        part = part_at(log, writer, new, at, store.ports.now())
        await _part(store, asked, log.name, role, part, offered, passed, rest)
        at += len(part.turns)
        if asked.dry_run:
            passed.left += part.left
            return


async def opened(store: Store, name: str) -> SessionLog:
    """Return the log of a session. SessionUnknownError where there is none."""
    async with store.working.turn_of(name):
        return await session_of(store, name)


async def whose(store: Store, own: str, wanted: str) -> Role:
    """Return whose memory a session feeds: its own role's; where it names none, the one that is asked for, or that hooks have."""
    name = own or wanted or store.settings.hooks.role
    try:
        return await store.role(name or MAIN)
    except RoleUnknownError:
        if name or len(store.roles) != 1:
            raise
        return await store.role(next(iter(store.roles)))


async def _part(
    store: Store, asked: Consolidate, session: str, role: Role, part: NewTurns, offered: Offered, passed: Passed, rest: Pace
) -> None:  # fmt: skip
    """Decide what becomes of what memd itself reads in a part."""
    zone = store.settings_of(role).trigger.zone
    found = await asyncio.to_thread(told_in, [*part.before, *part.turns], zone)
    await settle(store, asked, Taken(session, role, part, found), offered, passed, rest)


async def settle(
    store: Store, asked: Consolidate, taken: Taken, offered: Offered, passed: Passed, rest: Pace
) -> None:  # fmt: skip
    """Decide what becomes of a part's statements, and make it so, in as many steps as they need."""
    session, role, part, found = taken
    statements: list[Statement] = []
    async with role.turn:
        await store.refresh(role)
    for one in together(found):
        event = part.events.get(one.turn)
        told_as = id_of(session, event, one) if event else ""
        if not event or told_as in offered.ids:
            continue  # it was settled by a turn that was looked at before, or was offered
        offered.ids.add(told_as)
        begun_s = store.ports.monotonic()
        statements.append(await decided(store, role, session, one, told_as, asked.level))
        await rest(store.ports.monotonic() - begun_s)
    before = offered.upto.get(session, 0)
    for left in range(STEPS, -1, -1):
        now, later = _together(store, statements)
        if asked.dry_run:
            passed.passes.append((shown(store, asked, session, role, part, statements), statements))
            return
        if not left:
            now, later = [*now, *(replace(one, decided=CROWD) for one in later)], []
        passed.passes.append(await keep(store, asked, session, role, part, now, before if later else part.upto))
        if not later:
            break
        statements = [await decided(store, role, session, one.told, one.id, asked.level) for one in later]
    offered.upto[session] = part.upto


def _together(store: Store, statements: Sequence[Statement]) -> tuple[list[Statement], list[Statement]]:
    """Part statements into those that one step can keep, and those that are judged again after it."""
    now: list[Statement] = []
    kept: list[Statement] = []
    later: list[Statement] = []
    for one in statements:
        if one.decided.fate is not Fate.KEPT:
            now.append(one)
        elif len(kept) < KEPT_AT_ONCE and apart(store, kept, one):
            now.append(one)
            kept.append(one)
        else:
            later.append(one)
    return now, later
