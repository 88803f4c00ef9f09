"""Runs: one execution of an agent each, from a frozen snapshot to a receipt.

What a run does are events of its session. How many tool iterations it has made is counted as they come, and the one too many
is refused before it is recorded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.work.events import checked
from memd.errors import (
    MemdError,
    RunLimitError,
    RunMismatchError,
    RunMoveError,
)
from memd.model.work.record import Running
from memd.model.work.run import RUN_MOVES, Receipt, RunState
from memd.model.work.session import EventKind
from memd.service.work.ending import close
from memd.service.work.receipts import iteration_key, iterations_of, receipt_of
from memd.service.work.run_state import is_alive, make_runs_ready, started_line
from memd.service.work.session_files import session_of
from memd.service.work.sessions import prepared, put_events, tell

if TYPE_CHECKING:
    from memd.model.change import Operation
    from memd.model.settings import SessionSettings
    from memd.store.store import Store

logger = logging.getLogger(__name__)


def sessions_settings(store: Store, role: str) -> SessionSettings:
    """Return what is in force for the runs of a role, or of none."""
    known = store.roles.get(role)
    return (store.settings_of(known) if known else store.settings).sessions


async def running_of(store: Store, name: str) -> Running | None:
    """Return a run under way; None for one that has ended; RunUnknownError."""
    await make_runs_ready(store)
    run = store.working.running.get(name)
    if run is None:
        await receipt_of(store, name)
    return run


async def known_run(store: Store, name: str) -> Running:
    """Return a run under way, or one that has ended as its receipt has it."""
    return await running_of(store, name) or again(store, (await receipt_of(store, name))[0])


async def counted(store: Store, run: Running) -> Running:
    """Return a run with its tool iterations counted: those of a process before us stand in its session."""
    if not run.counted:
        try:
            async with store.working.turn_of(run.session):
                log = await session_of(store, run.session)
            run.iterations, run.counted = run.iterations | iterations_of(log.of_run(run.run)), True
        except MemdError:
            return run
    return run


class Appended(NamedTuple):
    """What became of events: the run, their ids and places in its session, and what is odd about them."""

    run: Running
    events: list[dict[str, Any]]
    remarks: list[str]


async def event(store: Store, name: str, events: Sequence[dict[str, Any]]) -> Appended:
    """Append events of a run to its session; a tool call beyond its limit is refused, with all that came with it."""
    run = await running_of(store, name)
    if run is None:
        receipt = (await receipt_of(store, name))[0]
        if "event" not in RUN_MOVES[receipt.state]:
            raise RunMoveError(name, receipt.state.value, "event")
        run = again(store, receipt)
    given = [checked(raw, number) for number, raw in enumerate(events, 1)]
    for one in given:
        if one.get("run", name) != name:
            raise RunMismatchError(one["run"], "the request of that run", name)
    async with store.working.turn_of(run.session):
        log = await session_of(store, run.session)
        ready, remarks = await prepared(store, log, [{**one, "run": name} for one in given])
        if store.working.running.get(name) is not run:
            state = RunState.RUNNING if name in store.working.running else (await receipt_of(store, name))[0].state
            if run.state is RunState.RUNNING or state is not RunState.INTERRUPTED:
                raise RunMoveError(name, f"{state.value} meanwhile", "event")
        if not run.counted:
            run.iterations, run.counted = iterations_of(log.of_run(name)), True
        fresh = _iterations(run, given, len(log))
        resumed = run.state is RunState.INTERRUPTED
        now_s = store.ports.now()

        def beside(n: int) -> list[Operation]:
            run.iterations |= fresh
            if not resumed:
                return []
            run.state = RunState.RUNNING
            store.working.running[name] = run
            return [started_line(store, n, run, now_s)]

        done = put_events(store, log, ready, beside, lambda: run.iterations.difference_update(fresh))
        told = tell(log, len(log) - len(ready) + 1, ready)
    await done
    return Appended(run, told, remarks)


def _iterations(run: Running, events: Sequence[dict[str, Any]], count: int) -> set[str]:
    """Return the iterations that events begin, or raise RunLimitError where one is too many."""
    fresh = {
        iteration_key(one, f"{count}:{number}")
        for number, one in enumerate(events)
        if one["kind"] == EventKind.TOOL_CALL
    } - run.iterations
    if len(run.iterations) + len(fresh) > run.max_tool_iterations:
        raise RunLimitError(run.run, len(run.iterations), run.max_tool_iterations)
    return fresh


def again(store: Store, receipt: Receipt) -> Running:
    """Return a run that was closed as interrupted while its process went on."""
    return Running(
        receipt.run, receipt.session, receipt.started_at, receipt.task, receipt.role, receipt.asked, receipt.snapshot,
        receipt.skills, receipt.max_tool_iterations or sessions_settings(store, receipt.role).max_tool_iterations,
        state=RunState.INTERRUPTED,
    )  # fmt: skip


async def close_dead(store: Store, *, unknown: bool) -> list[str]:
    """Close the runs whose process is gone as interrupted; `unknown`: those of an unknown process too."""
    await make_runs_ready(store)
    working = store.working
    gone = []
    async with working.turn:
        for run in list(working.running.values()):
            alive = await asyncio.to_thread(is_alive, store.tree, run)
            if alive or (not run.pid and not unknown):
                continue
            try:
                await close(store, run, RunState.INTERRUPTED, "", ())
            except MemdError as error:  # a person's broken file must not keep the daemon from serving
                logger.warning("run %s cannot be closed yet: %s", run.run, error)
                continue
            gone.append(run.run)
    return gone
