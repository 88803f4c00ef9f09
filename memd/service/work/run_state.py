"""The runs under way, kept as lines of `.memory/state/runs.jsonl`: what began here and has not ended. Git-ignored.

A run belongs to a process where it was started with one; it is over when that process is. A run of an unknown process is
over when the daemon that heard of it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from memd.formats.records import read_lines
from memd.model.runs import Running, RunState, SkillUse
from memd.storage.layout import RUNNING
from memd.storage.side import is_unreadable, read_side

if TYPE_CHECKING:
    from memd.model.change import Line
    from memd.storage.files import Tree
    from memd.store.store import Store

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
