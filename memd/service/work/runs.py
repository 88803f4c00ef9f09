"""run.start, event, complete, get, list: one execution of an agent, from a frozen snapshot to a receipt.

What a run does are events of its session. How many tool iterations it has made is counted as they come, and the one too many
is refused before it is recorded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memd.engine.work.events import checked
from memd.errors import (
    BadParamsError,
    MemdError,
    NameTakenError,
    RunLimitError,
    RunMismatchError,
    RunMoveError,
    SessionClosedError,
)
from memd.formats.times import to_iso
from memd.model.change import Operation
from memd.model.names import check_free, check_name
from memd.model.settings import SessionSettings
from memd.model.work.record import Running
from memd.model.work.run import RUN_MOVES, Receipt, RunState, SkillUse
from memd.model.work.session import EventKind
from memd.model.work.task import Move
from memd.service.work.ending import already, close
from memd.service.work.receipts import find_receipts, iteration_key, iterations_of, receipt_of
from memd.service.work.run_state import is_alive, make_runs_ready, started_line
from memd.service.work.session_files import session_of
from memd.service.work.sessions import OpenRequest, kept_secrets_out, new_name, open_session, prepared, put_events, tell
from memd.service.work.snapshots import freeze_now, storing
from memd.service.work.task_files import moved, task_of
from memd.service.workspace import Workspace

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StartRequest:
    """A run to start. Without a session it gets one of its own; `pid` is the process whose end is the run's end."""

    run: str = ""
    session: str = ""
    task: str = ""
    role: str = ""
    asked: str = ""
    skills: tuple[str, ...] = ()
    max_tool_iterations: int = 0
    pid: int = 0


@dataclass(frozen=True, slots=True)
class CompleteRequest:
    """What a run came to; `changed` names what it changed in the world, one short text each."""

    run: str
    outcome: str = RunState.COMPLETED.value
    summary: str = ""
    changed: tuple[str, ...] = ()


async def start(workspace: Workspace, request: StartRequest) -> dict[str, Any]:
    """Freeze the curated memory, and begin a run on it."""
    await make_runs_ready(workspace)
    skills = tuple(map(_used, request.skills))
    working = workspace.working
    async with working.turn:
        name = check_name(request.run) if request.run else new_name(workspace, "r")
        taken = {**await find_receipts(workspace), **working.running}
        if name in taken:
            raise NameTakenError(name, name)
        check_free(name, taken)
        task = await task_of(workspace, request.task) if request.task else None
        role = await _role_of(workspace, request, task.task.role if task else "")
        operations: list[Operation] = [moved(workspace, task, Move.START, run=(name, RunState.RUNNING))] if task else []
        frozen, faults = await freeze_now(workspace)
        operations += storing(workspace, frozen)
        session = await _session(workspace, request.session, OpenRequest(name, role))
        settings = _settings(workspace, role)
        (asked,) = kept_secrets_out(workspace, (request.asked,))
        limit = request.max_tool_iterations or settings.max_tool_iterations
        now_s = workspace.ports.now()
        mark = workspace.tree.system.process_mark(request.pid) if request.pid else ""
        run = Running(
            name, session, to_iso(now_s), task.task.name if task else "", role, asked,
            frozen.digest, skills, min(limit, settings.max_tool_iterations),
            request.pid if mark else 0, mark, counted=True,
        )  # fmt: skip
        await _begin(workspace, run, operations)
    reply = {
        "run": name, "session": run.session, "snapshot": run.snapshot, "role": role,
        "max_tool_iterations": run.max_tool_iterations, "max_context_messages": settings.max_context_messages,
    }  # fmt: skip
    reply |= {"task": run.task} if run.task else {}
    return {**reply, "faults": faults} if faults else reply


def _used(text: str) -> SkillUse:
    use = SkillUse.read(text)
    if not use.name or ("@" in text and not use.version):
        raise BadParamsError(f"skills: {text!r:.82} is not NAME or NAME@VERSION")
    return use


async def _session(workspace: Workspace, named: str, own: OpenRequest) -> str:
    """Return the open session that was named, or open the run's own."""
    if not named:
        return str((await open_session(workspace, own))["session"])
    async with workspace.working.turn_of(named):
        log = await session_of(workspace, named)
    if log.closed:
        raise SessionClosedError(log.name)
    return log.name


async def _begin(workspace: Workspace, run: Running, operations: Sequence[Operation]) -> None:
    now_s = workspace.ports.now()
    event: dict[str, Any] = {"kind": EventKind.RUN_STARTED.value, "run": run.run, "snapshot": run.snapshot}
    event |= {key: value for key in ("task", "role", "asked") if (value := getattr(run, key))}
    event |= {"skills": [str(one) for one in run.skills]} if run.skills else {}

    def beside(n: int) -> list[Operation]:
        workspace.working.running[run.run] = run
        return [started_line(workspace, n, run, now_s), *operations]

    def roll_back() -> None:
        workspace.working.running.pop(run.run, None)

    async with workspace.working.turn_of(run.session):
        log = await session_of(workspace, run.session)
        done = put_events(workspace, log, [event], beside, roll_back)
    await done


async def _role_of(workspace: Workspace, request: StartRequest, of_task: str) -> str:
    named = request.role or of_task
    if named:
        return (await workspace.role(named)).name
    return "main" if "main" in workspace.roles else ""


def _settings(workspace: Workspace, role: str) -> SessionSettings:
    known = workspace.roles.get(role)
    return (workspace.settings_of(known) if known else workspace.settings).sessions


async def running_of(workspace: Workspace, name: str) -> Running | None:
    """Return a run under way; None for one that has ended; RunUnknownError."""
    await make_runs_ready(workspace)
    run = workspace.working.running.get(name)
    if run is None:
        await receipt_of(workspace, name)
    return run


async def known_run(workspace: Workspace, name: str) -> Running:
    """Return a run under way, or one that has ended as its receipt has it."""
    return await running_of(workspace, name) or _again(workspace, (await receipt_of(workspace, name))[0])


async def event(workspace: Workspace, name: str, events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Append events of a run to its session; a tool call beyond its limit is refused, with all that came with it."""
    run = await running_of(workspace, name)
    if run is None:
        receipt = (await receipt_of(workspace, name))[0]
        if "event" not in RUN_MOVES[receipt.state]:
            raise RunMoveError(name, receipt.state.value, "event")
        run = _again(workspace, receipt)
    given = [checked(raw, number) for number, raw in enumerate(events, 1)]
    for one in given:
        if one.get("run", name) != name:
            raise RunMismatchError(one["run"], "the request of that run", name)
    async with workspace.working.turn_of(run.session):
        log = await session_of(workspace, run.session)
        ready, remarks = await prepared(workspace, log, [{**one, "run": name} for one in given])
        if workspace.working.running.get(name) is not run:
            state = (
                RunState.RUNNING if name in workspace.working.running else (await receipt_of(workspace, name))[0].state
            )
            if run.state is RunState.RUNNING or state is not RunState.INTERRUPTED:
                raise RunMoveError(name, f"{state.value} meanwhile", "event")
        if not run.counted:
            run.iterations, run.counted = iterations_of(log.of_run(name)), True
        fresh = _iterations(run, given, len(log))
        resumed = run.state is RunState.INTERRUPTED
        now_s = workspace.ports.now()

        def beside(n: int) -> list[Operation]:
            run.iterations |= fresh
            if not resumed:
                return []
            run.state = RunState.RUNNING
            workspace.working.running[name] = run
            return [started_line(workspace, n, run, now_s)]

        done = put_events(workspace, log, ready, beside, lambda: run.iterations.difference_update(fresh))
        told = tell(log, len(log) - len(ready) + 1, ready)
    await done
    reply = {"run": name, "session": run.session, "events": told, "iterations": len(run.iterations)}
    reply |= {"max_tool_iterations": run.max_tool_iterations, "left": run.max_tool_iterations - len(run.iterations)}
    return {**reply, "remarks": remarks} if remarks else reply


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


async def complete(workspace: Workspace, request: CompleteRequest) -> dict[str, Any]:
    """Close a run with what it came to, and write its receipt. The same completion twice is one."""
    state = RunState(request.outcome)
    summary, *changed = kept_secrets_out(workspace, (request.summary, *request.changed))
    async with workspace.working.turn:
        run = await running_of(workspace, request.run)
        if run is None:
            receipt, file = await receipt_of(workspace, request.run)
            if state not in RUN_MOVES[receipt.state].get("complete", ()):
                return already(receipt, file, state, summary)
            run = _again(workspace, receipt)
        return await close(workspace, run, state, summary, changed)


def _again(workspace: Workspace, receipt: Receipt) -> Running:
    """Return a run that was closed as interrupted while its process went on."""
    return Running(
        receipt.run, receipt.session, receipt.started_at, receipt.task, receipt.role, receipt.asked, receipt.snapshot,
        receipt.skills, receipt.max_tool_iterations or _settings(workspace, receipt.role).max_tool_iterations,
        state=RunState.INTERRUPTED,
    )  # fmt: skip


async def close_dead(workspace: Workspace, *, unknown: bool) -> list[str]:
    """Close the runs whose process is gone as interrupted; `unknown`: those of an unknown process too."""
    await make_runs_ready(workspace)
    working = workspace.working
    gone = []
    async with working.turn:
        for run in list(working.running.values()):
            alive = await asyncio.to_thread(is_alive, workspace.tree, run)
            if alive or (not run.pid and not unknown):
                continue
            try:
                await close(workspace, run, RunState.INTERRUPTED, "", ())
            except MemdError as error:  # a person's broken file must not keep the daemon from serving
                logger.warning("run %s cannot be closed yet: %s", run.run, error)
                continue
            gone.append(run.run)
    return gone
