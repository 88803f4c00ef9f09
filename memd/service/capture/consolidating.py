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
from memd.engine.keep.talk.told import let_go_in, told_in
from memd.engine.scope import is_of_the_person
from memd.errors import MemdError, RoleUnknownError, SessionUnknownError
from memd.model.files import untold
from memd.model.projects import is_project
from memd.model.sessions import is_said
from memd.service.capture.committing import keep, shown
from memd.service.capture.deciding import Statement, apart, decided, id_of
from memd.service.capture.turns import BACK, BESIDE, NewTurns, part_at, turn_of, unseen
from memd.service.memory.history import unwanted_of
from memd.service.scope import role_made_for
from memd.service.screening import make_ready
from memd.service.walks import MAIN, Consolidate
from memd.service.work.sessions import find_sessions, session_of
from memd.storage.layout import OFFERED
from memd.store.capture import Offered, read_offered, read_report, report_ids
from memd.store.reading.discovery import own_role, role_of_project
from memd.text.characters import fingerprint

if TYPE_CHECKING:
    from memd.model.files import Told as Progress
    from memd.model.sessions import LetGo, Told, Turn
    from memd.store.capture import Report
    from memd.store.role.role import Role
    from memd.store.session_log import SessionLog
    from memd.store.store import Store

CROWD = Decided(Fate.STAGED, "too much like it was said at once")
UNWANTED = Decided(Fate.REFUSED, "it was forgotten since")
KEPT_AT_ONCE = 40  # statements that one step keeps
STEPS = 12  # steps after one another for one part; what is left then is decided as it stands
Pace = Callable[[float], Awaitable[None]]


class Stopped(Exception):  # noqa: N818  no error: it is time to stop
    """The daemon stops, or capture was paused: what was not acknowledged is looked at another time. A pace may raise it."""


@dataclass(slots=True)
class Passed:
    """What passes came to: their reports with the statements of each, sessions left out with the reason, messages not looked at."""

    passes: list[tuple[Report, list[Statement]]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    left: int = 0
    sessions: int = 0


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


@dataclass(slots=True)
class Walk:
    """One session on its way through its parts. `project`: "" where it was not held in one; `shared`: the person's own workspace is another."""

    store: Store
    asked: Consolidate
    session: str
    project: str
    shared: bool
    offered: Offered
    passed: Passed
    rest: Pace


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
    walk = await walk_of(store, asked, log, passed, rest)
    writer = store.writer.journal.writer
    new = await unseen(log, writer, walk.offered.upto.get(log.name, 0))
    at = 0
    while at < len(new.messages):
        part = part_at(log, writer, new, at, store.ports.now())
        await _part(walk, role, part)
        at += len(part.turns)
        if asked.dry_run:
            passed.left += part.left
            return


async def walk_of(store: Store, asked: Consolidate, log: SessionLog, passed: Passed, rest: Pace) -> Walk:
    """Begin the walk through a session: what of it was offered before, and which project it was held in."""
    held_in = str(log.totals.opened.get("project", "")) if store.settings.scopes.projects else ""
    project = held_in if is_project(held_in) else ""
    waiting = store.writer.waiting_lines(OFFERED)
    offered = await asyncio.to_thread(read_offered, store.tree, waiting, store.writer.journal.writer)
    return Walk(store, asked, log.name, project, bool(log.totals.opened.get("shared")), offered, passed, rest)


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


async def _part(walk: Walk, role: Role, part: NewTurns) -> None:
    """Decide what becomes of what memd itself reads in a part."""
    zone = walk.store.settings_of(role).trigger.zone
    found = await asyncio.to_thread(told_in, [*part.before, *part.turns], zone)
    await settle(walk, role, part, found)


async def settle(walk: Walk, role: Role, part: NewTurns, told: Sequence[Told]) -> None:
    """Decide what becomes of a part's statements, and make it so: of a project's session first what the person says of themselves."""
    store, offered = walk.store, walk.offered
    found: list[tuple[Told, str]] = []
    for one in together(told):
        event = part.events.get(one.turn)
        told_as = id_of(walk.session, event, one) if event else ""
        # What has no event was settled by a turn that was looked at before.
        if event and told_as not in offered.ids:
            offered.ids.add(told_as)
            found.append((one, told_as))
    if not walk.project:
        await _offer(walk, role, part, found)
        return
    own = own_role(store.roles, store.settings.hooks.role)
    persons = [one for one in found if is_of_the_person(one[0].text)]
    others = [one for one in found if one not in persons]
    if walk.shared:
        persons = []  # what a person says of themselves is not for a memory that others read
    if persons:
        await _offer(walk, own, part, persons, more=bool(others))
    if others or not persons:
        home = await _home_of(walk, own, others)
        await _offer(walk, home, part, others)


async def _home_of(walk: Walk, own: Role, found: Sequence[tuple[Told, str]]) -> Role:
    """Return the role of a project: made now, where there is none and something of it is kept or waits; else the person's own."""
    store, asked = walk.store, walk.asked
    await store.roles.look()
    role = role_of_project(store.roles.values(), walk.project)
    if role is not None or asked.dry_run:
        return role or own
    async with own.turn:
        await store.refresh(own)
    for one, told_as in found:
        fate = (await decided(store, own, walk.session, one, told_as, asked.level)).decided.fate
        if fate in (Fate.KEPT, Fate.STAGED):
            return await role_made_for(store, walk.project)
    return own


async def _offer(
    walk: Walk, role: Role, part: NewTurns, found: Sequence[tuple[Told, str]], *, more: bool = False
) -> None:
    """Keep statements in a role, in as many steps as they need; `more`: others of the same part come after these."""
    store, asked, session, offered = walk.store, walk.asked, walk.session, walk.offered
    statements: list[Statement] = []
    async with role.turn:
        await store.refresh(role)
    unwanted = await unwanted_of(store, role.name) if found else {}
    for one, told_as in found:
        if unwanted.get(fingerprint(one.text), one.at_s - 1) >= one.at_s:
            statements.append(Statement(one, told_as, UNWANTED))
            continue
        begun_s = store.ports.monotonic()
        statements.append(await decided(store, role, session, one, told_as, asked.level))
        await walk.rest(store.ports.monotonic() - begun_s)
    before = offered.upto.get(session, 0)
    for left in range(STEPS, -1, -1):
        now, later = _together(store, statements)
        if asked.dry_run:
            walk.passed.passes.append((shown(store, asked, session, role, part, statements), statements))
            return
        if not left:
            now, later = [*now, *(replace(one, decided=CROWD) for one in later)], []
        upto = before if later or more else part.upto
        walk.passed.passes.append(await keep(store, asked, session, role, part, now, upto))
        if not later:
            break
        statements = [await decided(store, role, session, one.told, one.id, asked.level) for one in later]
    if not more:
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


class _Heard(NamedTuple):
    """What a pass looked at, as its session says it still: turns with those before them, the ids of its own by their numbers, the zone."""

    turns: list[Turn]
    events: dict[int, str]
    zone: str


async def _heard_in(store: Store, report: Report) -> _Heard:
    """Return what a pass looked at; SessionUnknownError where its session is gone."""
    log = await opened(store, report.session)
    seqs = range(max(1, report.first_turn - BACK), min(report.last_turn, len(log)) + 1)
    said = [event for event in map(log.event, seqs) if is_said(event)]
    first = next((at for at, one in enumerate(said) if one.seq >= report.first_turn), len(said))
    turns = [turn_of(one, store.ports.now()) for one in said[max(0, first - BESIDE) :]]
    zone = store.settings_of(await store.role(report.role)).trigger.zone
    return _Heard(turns, {one.seq: one.id for one in said[first:]}, zone)


async def dropped_in(store: Store, report: Report) -> list[Told]:
    """Return what of a pass was not worth keeping, as its session says it still.

    A pass keeps no text of what it did not keep; what was forgotten since, or is read otherwise, is not among it.
    """
    ids = await asyncio.to_thread(report_ids, store.tree, store.texts)
    read = (read_report(store.tree, store.texts, one) for one in ids)
    of_part = await asyncio.to_thread(lambda: [one for one in read if one and _is_of_one_part(one, report)])
    try:
        heard = await _heard_in(store, report)
    except SessionUnknownError:
        return []
    told = together(await asyncio.to_thread(told_in, heard.turns, heard.zone))
    known = {became.id for one in of_part for became in one.became}
    found = [
        one
        for one in told
        if one.turn in heard.events and id_of(report.session, heard.events[one.turn], one) not in known
    ]
    if len(of_part) == 1:
        return found
    is_persons = await store.role(report.role) is own_role(store.roles, store.settings.hooks.role)
    return [one for one in found if is_of_the_person(one.text) == is_persons]


async def passed_over_in(store: Store, report: Report) -> list[LetGo]:
    """Return what a person said in the turns of a pass that tells nothing that lasts, as its session says it still."""
    try:
        heard = await _heard_in(store, report)
    except SessionUnknownError:
        return []
    return [one for one in await asyncio.to_thread(let_go_in, heard.turns, heard.zone) if one.turn in heard.events]


def _is_of_one_part(one: Report, other: Report) -> bool:
    """Tell whether two reports are of the same turns: what a project's session says of the person has one of its own."""
    return (one.session, one.first_turn, one.last_turn) == (other.session, other.first_turn, other.last_turn)
