"""run.get and run.list: how runs stand, from what is under way and from receipts."""

from __future__ import annotations

from typing import Any

from memd.errors import MemdError
from memd.model.work.record import Running
from memd.model.work.run import Receipt
from memd.service.work.receipts import find_receipts, iterations_of, read_receipts, receipt_of
from memd.service.work.run_state import is_alive, make_runs_ready
from memd.service.work.runs import running_of
from memd.service.work.session_files import session_of
from memd.service.workspace import Workspace


async def get(workspace: Workspace, name: str) -> dict[str, Any]:
    """Return a run: how it stands, or its receipt."""
    run = await running_of(workspace, name)
    if run is not None:
        return under_way(workspace, await _counted(workspace, run))
    receipt, file = await receipt_of(workspace, name)
    text = workspace.texts.read(workspace.tree, file)
    return {**view(receipt), "file": file, "text": text or ""}


async def list_runs(workspace: Workspace, task: str, limit: int) -> dict[str, Any]:
    """Return the runs under way, and the newest receipts, of a task or of all."""
    await make_runs_ready(workspace)
    running = workspace.working.running
    open_runs = [await _counted(workspace, run) for run in running.values() if not task or run.task == task]
    files = await find_receipts(workspace)
    names = sorted(files.values(), key=lambda name: (name.rpartition("/")[0], name), reverse=True)
    receipts = (await read_receipts(workspace, names if task else names[:limit]))[0]
    chosen = [one for one in receipts if one.run not in running and (not task or one.task == task)]
    found = [{**view(one), "file": files.get(one.run, "")} for one in chosen]
    found.sort(key=lambda one: one.get("started_at", ""), reverse=True)
    return {"running": [under_way(workspace, run) for run in open_runs], "runs": found[:limit], "total": len(files)}


async def _counted(workspace: Workspace, run: Running) -> Running:
    """Return a run with its tool iterations counted: those of a process before us stand in its session."""
    if not run.counted:
        try:
            async with workspace.working.turn_of(run.session):
                log = await session_of(workspace, run.session)
            run.iterations, run.counted = run.iterations | iterations_of(log.of_run(run.run)), True
        except MemdError:
            return run
    return run


def under_way(workspace: Workspace, run: Running) -> dict[str, Any]:
    """Return a run under way as replies tell it."""
    said: dict[str, Any] = {
        "run": run.run, "state": run.state.value, "session": run.session, "role": run.role, "task": run.task,
        "asked": run.asked, "started_at": run.started_at, "snapshot": run.snapshot,
        "skills": [str(one) for one in run.skills],
    }  # fmt: skip
    shown = {key: one for key, one in said.items() if one}
    shown |= {"iterations": len(run.iterations), "max_tool_iterations": run.max_tool_iterations}
    return shown | ({"pid": run.pid, "alive": is_alive(workspace.tree, run)} if run.pid else {})


def view(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt as replies tell it."""
    shown: dict[str, Any] = {
        "run": receipt.run, "state": receipt.state.value, "acceptance": receipt.acceptance.value,
        "final": receipt.final, "task": receipt.task, "session": receipt.session, "role": receipt.role,
        "started_at": receipt.started_at, "ended_at": receipt.ended_at, "snapshot": receipt.snapshot,
        "skills": [str(one) for one in receipt.skills], "injected": list(receipt.injected),
        "tools": dict(receipt.tools), "iterations": receipt.iterations, "usage": dict(receipt.usage),
        "asked": receipt.asked, "summary": receipt.summary, "words": receipt.words,
        "evidence": list(receipt.evidence), "changed": list(receipt.changed), "edited": receipt.edited,
    }  # fmt: skip
    return {key: one for key, one in shown.items() if one not in ("", [], {})}
