"""Runs: one execution of an agent each, from a frozen snapshot to a receipt.

What a run does are events of its session (appending.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from memd.errors import (
    MemdError,
)
from memd.formats.records import read_lines
from memd.model.runs import Receipt, Running, RunState, SkillUse
from memd.service.work.receipts import iterations_of, receipt_of
from memd.service.work.sessions import session_of
from memd.storage.layout import RUNNING
from memd.storage.listing import is_unreadable, read_side

if TYPE_CHECKING:
    from memd.model.change import Line
    from memd.model.settings import SessionSettings
    from memd.storage.files import Tree
    from memd.store.store import Store


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


def again(store: Store, receipt: Receipt) -> Running:
    """Return a run that was closed as interrupted while its process went on."""
    return Running(
        receipt.run, receipt.session, receipt.started_at, receipt.task, receipt.role, receipt.asked, receipt.snapshot,
        receipt.skills, receipt.max_tool_iterations or sessions_settings(store, receipt.role).max_tool_iterations,
        state=RunState.INTERRUPTED,
    )  # fmt: skip


# The runs under way, kept as lines of `.memory/state/runs.jsonl`: what began here and has not ended. Git-ignored.
#
# A run belongs to a process where it was started with one; it is over when that process is. A run of an unknown process is
# over when the daemon that heard of it is.

STARTED, ENDED = "started", "ended"


def started_line(store: Store, n: int, run: Running, now_s: float) -> Line:
    """Return the line that says a run has begun."""
    value = {
        "what": STARTED, "run": run.run, "session": run.session, "started_at": run.started_at, "task": run.task,
        "role": run.role, "asked": run.asked, "snapshot": run.snapshot, "skills": [str(one) for one in run.skills],
        "max_tool_iterations": run.max_tool_iterations, "pid": run.pid, "mark": run.mark, "state": run.state.value,
    }  # fmt: skip
    return store.record(RUNNING, n, {key: one for key, one in value.items() if one}, now_s)


def ended_line(store: Store, n: int, run: str, now_s: float) -> Line:
    """Return the line that says a run has ended."""
    return store.record(RUNNING, n, {"what": ENDED, "run": run}, now_s)


async def make_runs_ready(store: Store) -> None:
    """Know which runs are under way; read once, as soon as it can be read."""
    working = store.working
    if not working.loaded:
        waiting = store.writer.waiting_lines(RUNNING)
        found = await asyncio.to_thread(read_running, store.tree, waiting)
        if not working.loaded:
            working.running = {**found, **working.running}
            working.loaded = not is_unreadable(store.tree, RUNNING)  # else what it says is known when it can be read


def read_running(tree: Tree, waiting: Iterable[str]) -> dict[str, Running]:
    """Return the runs that have begun and not ended. Blocks."""
    data = read_side(tree, RUNNING) or b""
    found: dict[str, Running] = {}
    for text in (data, "".join(waiting).encode("utf-8", "surrogatepass")):
        for line in read_lines(text):
            value = line.value or {}
            run = str(value.get("run", ""))
            if value.get("what") == STARTED:
                found[run] = _running(value)
            else:
                found.pop(run, None)
    return found


def _running(value: Mapping[str, Any]) -> Running:
    def said(key: str) -> str:
        return str(value.get(key, ""))

    skills = tuple(SkillUse.read(one) for one in value.get("skills", ()) if isinstance(one, str))
    limit, pid = value.get("max_tool_iterations", 0), value.get("pid", 0)
    return Running(
        said("run"), said("session"), said("started_at"), said("task"), said("role"), said("asked"), said("snapshot"),
        skills, limit if isinstance(limit, int) else 0, pid if isinstance(pid, int) else 0, said("mark"),
        RunState.INTERRUPTED if value.get("state") == RunState.INTERRUPTED else RunState.RUNNING,
    )  # fmt: skip


def is_alive(tree: Tree, run: Running) -> bool:
    """Tell whether the process of a run lives."""
    return bool(run.pid) and tree.system.process_mark(run.pid) == run.mark
