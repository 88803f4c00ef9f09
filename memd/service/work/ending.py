"""How a run ends: its receipt is written, its task hears of it, its session says so. All in one batch of the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.errors import (
    MemdError,
    RejectedFileError,
    RunMoveError,
    RunUnknownError,
    SessionUnknownError,
    TaskUnknownError,
)
from memd.formats.receipt_file import as_kept, dump_receipt, load_receipt, persons_own
from memd.formats.times import to_iso, to_seconds
from memd.model.change import Operation, Put
from memd.model.runs import Acceptance, Evidence, Receipt, Running, RunState
from memd.model.sessions import Event, EventKind
from memd.model.tasks import Move
from memd.service.work.receipts import compose, receipt_text
from memd.service.work.runs import ended_line, is_alive, make_runs_ready
from memd.service.work.sessions import put_events, session_of
from memd.service.work.task_files import ENDED, moved, task_of
from memd.storage.layout import receipt_file

if TYPE_CHECKING:
    from memd.store.session_log import SessionLog
    from memd.store.store import Store

logger = logging.getLogger(__name__)

MADE_CHARS = 120  # of a memory that a run stored, in its receipt


class Ended(NamedTuple):
    """A run that was closed, with the file and the text of its receipt."""

    receipt: Receipt
    file: str
    text: str


async def close(store: Store, run: Running, state: RunState, summary: str, changed: Sequence[str]) -> Ended:
    """Close a run and write its receipt; call in the turn of what changes runs."""
    now_s = store.ports.now()
    working = store.working
    async with working.turn_of(run.session):
        log = await _log(store, run)
        events = log.of_run(run.run) if log else []
        receipt = compose(run, events, state, to_iso(now_s), summary, [*changed, *_remembered(store, run.run)])
        file, before = await _before(store, run, now_s)
        if before is not None:  # it was closed too early: what a person said and wrote since stays
            known = load_receipt(before, file)[0]
            receipt = replace(receipt, acceptance=known.acceptance, final=known.final, words=known.words)
        text = dump_receipt(receipt, persons_own(before or ""))
        operations: list[Operation] = [Put(file, before, text), *await _of_task(store, run, state, events)]

        def beside(n: int) -> list[Operation]:
            working.running.pop(run.run, None)
            working.receipts[run.run] = file
            return [ended_line(store, n, run.run, now_s), *operations]

        def roll_back() -> None:
            working.running[run.run] = run

        if log is None:
            done = store.commit(beside, at_s=now_s, roll_back=roll_back)
        else:
            done = put_events(store, log, [_said(run, receipt)], beside, roll_back, own=True)
    await done
    return Ended(receipt, file, text)


async def _log(store: Store, run: Running) -> SessionLog | None:
    try:
        return await session_of(store, run.session)
    except SessionUnknownError:
        return None  # somebody removed the session: the receipt says what is known without it


async def _before(store: Store, run: Running, now_s: float) -> tuple[str, str | None]:
    """Return the file of a run's receipt, and its text where there is one already."""
    try:
        return await receipt_text(store, run.run)
    except RunUnknownError:
        return receipt_file(run.run, to_seconds(run.started_at) or now_s), None


def _said(run: Running, receipt: Receipt) -> dict[str, Any]:
    event = {"kind": EventKind.RUN_COMPLETED.value, "run": run.run, "state": receipt.state.value}
    return event | ({"summary": receipt.summary[:2000]} if receipt.summary else {})


async def _of_task(store: Store, run: Running, state: RunState, events: Sequence[Event]) -> list[Operation]:
    """Return what the end of a run does to its task; a task that is gone or broken is a person's to mend."""
    if not run.task:
        return []
    try:
        found = await task_of(store, run.task)
    except (TaskUnknownError, RejectedFileError):
        return []
    known = found.task.run(run.run)
    acceptance = known.acceptance if known else Acceptance.PENDING
    facts = [_fact(one, run.run) for one in events if one.kind == EventKind.EVIDENCE]
    move = ENDED.get(state, Move.STOP)
    return [moved(store, found, move, run=(run.run, state), acceptance=acceptance, evidence=facts)]


def _fact(event: Event, run: str) -> Evidence:
    return Evidence(str(event.said.get("content", "")), event.at, str(event.said.get("status", "")), run)


def _remembered(store: Store, run: str) -> list[str]:
    """Return the memories that were stored in a run, one short text each."""
    return [
        f"remembered {role.name}/{memory.id}: {memory.content[:MADE_CHARS]}"
        for role in store.roles.values()
        if role.is_open or run in role.figures.runs
        for memory in role.compiled.memories.values()
        if memory.run == run
    ]


def check_same(receipt: Receipt, state: RunState, summary: str) -> None:
    """Raise RunMoveError where a completion says something else than the one that was carried out before."""
    if state is not receipt.state or (summary and as_kept(summary) != receipt.summary):
        raise RunMoveError(receipt.run, receipt.state.value, f"complete as {state.value}")


async def close_dead(store: Store) -> list[str]:
    """Close the runs whose process is gone, or was never known, as interrupted."""
    await make_runs_ready(store)
    working = store.working
    gone = []
    async with working.turn:
        for run in list(working.running.values()):
            alive = await asyncio.to_thread(is_alive, store.tree, run)
            if alive:
                continue
            try:
                await close(store, run, RunState.INTERRUPTED, "", ())
            except MemdError as error:  # a person's broken file must not keep the daemon from serving
                logger.warning("run %s cannot be closed yet: %s", run.run, error)
                continue
            gone.append(run.run)
    return gone
