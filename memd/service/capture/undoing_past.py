"""What takes the past back: the order, the passes over its sessions, what else came of them, and the sessions themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memd.errors import BadParamsError, SessionUnknownError
from memd.model.memory import UNDONE
from memd.model.sessions import EventKind
from memd.model.trust import past_order
from memd.service.capture.past import opened_of
from memd.service.capture.undoing_passes import undo_pass
from memd.service.granting import let_take_past
from memd.service.memory.records import removals
from memd.service.screening import make_ready
from memd.service.work.sessions import find_sessions, session_of
from memd.store.capture import read_report, report_ids
from memd.store.keep.ignored import is_of_hooks

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store

REASON = "the past that was taken in was taken back"
PAST_UNDONE = "past undone"
AT_ONCE = 150  # memories archived in one operation: nobody waits for more
FLUSH_S = 5.0


class Untaken(NamedTuple):
    """What became of a past that is taken back: memories that went to the archive, sessions that are gone, and what was left with the reason."""

    archived: int
    sessions: list[str]
    left: list[str]


async def undo_past(store: Store, past_id: str) -> Untaken:
    """Take back what was taken in of what agents keep: the order, the passes, what else came of the sessions, and these.

    Errors: BadParamsError where nothing is known of it.
    """
    ordered = past_order(store.in_force.trust.trusted.granted).get("id") == past_id
    if ordered:
        await asyncio.to_thread(let_take_past, store.tree, store.in_force.trust, {})
        store.in_force.look()
    async with store.captured.taking:
        mine = await _sessions_of(store, past_id)
        if not (mine or ordered):
            raise BadParamsError(f"nothing is known that was taken in as {past_id[:60]!r}")
        archived = 0
        for name in await asyncio.to_thread(report_ids, store.tree, store.texts):
            report = await asyncio.to_thread(read_report, store.tree, store.texts, name)
            if report and report.session in mine and not report.undone:
                archived += len((await undo_pass(store, name)).archived)
        for role in list(store.roles.values()):
            archived += await _archive(store, role, mine)
        await _unstage(store, mine)
        left = await _take_out(store, mine)
    gone = [name for name in mine if name not in left]
    text = f"conversations that agents keep on this machine: {len(gone)}; their memories: {archived}"
    store.audit({"what": PAST_UNDONE, "import": past_id, "text": text})
    return Untaken(archived, gone, [f"session {name}: {why}" for name, why in left.items()])


async def _sessions_of(store: Store, past_id: str) -> dict[str, str]:
    """Return the files of the sessions that were taken in under an id."""
    hooked = {name: file for name, file in (await find_sessions(store)).items() if is_of_hooks(file)}
    opened = await asyncio.to_thread(lambda: {name: opened_of(store.tree, file) for name, file in hooked.items()})
    for name in [name for name, said in opened.items() if not said]:  # taken in a moment ago: in the log alone so far
        with suppress(SessionUnknownError):
            async with store.working.turn_of(name):
                opened[name] = (await session_of(store, name)).totals.opened
    found = {name: hooked[name] for name, said in opened.items() if said.get("past") == past_id}
    logs = store.working.sessions.values()
    return found | {one.name: one.file for one in logs if one.totals.opened.get("past") == past_id}


async def _archive(store: Store, role: Role, sessions: Collection[str]) -> int:
    """Archive a role's memories that were told in sessions, where no report tells of them any more; return how many."""
    async with role.turn:
        await store.refresh(role)
        mine = [one for one in role.compiled.memories.values() if one.session in sessions]
        now_s = store.ports.now()
        for at in range(0, len(mine), AT_ONCE):
            build = partial(removals, store, role, mine[at : at + AT_ONCE], REASON, now_s=now_s)
            await store.commit(build, at_s=now_s)
    return len(mine)


async def _unstage(store: Store, sessions: Collection[str]) -> None:
    """Let what was told in sessions leave the inbox."""
    await make_ready(store)
    steps = store.keeping.inbox.steps(store.record, store.ports.now())
    mine = [one for one in store.keeping.inbox.waiting.values() if one.get("session") in sessions]
    for entry in mine:
        steps.close(entry, UNDONE)
    if mine:
        await store.commit(steps.operations, at_s=store.ports.now(), roll_back=steps.roll_back)


async def _take_out(store: Store, sessions: Mapping[str, str]) -> dict[str, str]:
    """Remove the files of sessions that nobody went on with; return those that stay, each with the reason."""
    left: dict[str, str] = {}
    await store.writer.flush(FLUSH_S)  # what was acknowledged a moment ago would make the file anew
    for name, file in sessions.items():
        async with store.working.turn_of(name):
            log = await session_of(store, name)
            kind = log.event(len(log)).kind
            if log.totals.kinds.get(EventKind.NOTE) and kind != EventKind.NOTE:
                left[name] = "the conversation went on since"
                continue
            await asyncio.to_thread(store.tree.remove, file)
            store.working.sessions.pop(name, None)
            store.working.files.pop(name, None)
        await store.sayings.forget(name)
    return left
