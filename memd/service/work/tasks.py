"""task.open, evidence, accept, revise, abandon, get, list: what runs work for, and a person's word on what they came to.

A verdict is written into the task, into the receipts it concerns and into the session of the run, in one batch. Accept, and
only accept, makes a candidate for a skill.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from memd.errors import (
    BadParamsError,
    MemdError,
    NameTakenError,
    RejectedFileError,
    RunMismatchError,
    RunUnknownError,
    SessionUnknownError,
    TaskMoveError,
)
from memd.formats.receipt_file import judged
from memd.formats.task_file import dump_task
from memd.formats.times import to_iso
from memd.model.change import Operation, Put
from memd.model.names import check_free, check_name, collision_key, is_name
from memd.model.work.record import Evidence, Task, TaskRun
from memd.model.work.run import Acceptance, RunState
from memd.model.work.session import EventKind
from memd.model.work.task import TASK_MOVES, Move, TaskState, words_for
from memd.service.work.candidates import candidate_put
from memd.service.work.effects import count_verdicts, drop_figures, keep_figures
from memd.service.work.receipts import receipt_of, receipt_text
from memd.service.work.run_state import make_runs_ready
from memd.service.work.session_files import session_of
from memd.service.work.sessions import kept_secrets_out, new_name, put_events
from memd.service.work.task_files import VERDICTS, moved, task_names, task_of
from memd.service.workspace import Workspace
from memd.service.writing.journal import nothing
from memd.storage.layout import task_file

STEM_CHARS = 48


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A task to open; without a name it gets one of its title."""

    title: str
    task: str = ""
    role: str = ""
    asked: str = ""


@dataclass(frozen=True, slots=True)
class VerdictRequest:
    """A person's word on a task; `run`: on which run, else the last that was completed."""

    task: str
    words: str = ""
    run: str = ""


async def open_task(workspace: Workspace, request: TaskRequest) -> dict[str, Any]:
    """Open a task."""
    title, asked = kept_secrets_out(workspace, (" ".join(request.title.split()), request.asked))
    if not title:
        raise BadParamsError("title: say in a few words what the task is")
    role = (await workspace.role(request.role)).name if request.role else ""
    async with workspace.working.turn:
        taken = task_names(workspace)
        name = check_name(request.task) if request.task else _free(title, taken, new_name(workspace, "t"))
        if name in taken:
            raise NameTakenError(name, name)
        check_free(name, taken)
        task = Task(name, title, TaskState.OPEN, role, asked, to_iso(workspace.ports.now()))
        put = Put(task_file(name), None, dump_task(task))
        done = workspace.commit(lambda _: [put], at_s=workspace.ports.now())
    await done
    return view(task)


def _free(title: str, taken: Sequence[str], otherwise: str) -> str:
    """Return a free name made of a title; letters of any script stay."""
    stem = re.sub(r"[^\w]+", "-", title.casefold()).strip("-_.")[:STEM_CHARS].strip("-_.")
    keys = {collision_key(one) for one in taken}
    for name in (stem, *(f"{stem}-{number}" for number in range(2, 1000))):
        if is_name(name) and collision_key(name) not in keys:
            return name
    return otherwise


async def add_evidence(workspace: Workspace, name: str, content: str, status: str, run: str) -> dict[str, Any]:
    """Record a fact that bears on a task. memd validates nothing: the status is what the caller says."""
    (content,) = kept_secrets_out(workspace, (content,))
    async with workspace.working.turn:
        found = await task_of(workspace, name)
        if run and found.task.run(run) is None:
            raise RunMismatchError(run, "another task", found.task.name)
        fact = Evidence(content, to_iso(workspace.ports.now()), status, run)
        put = moved(workspace, found, Move.EVIDENCE, evidence=[fact])
        done = workspace.commit(lambda _: [put], at_s=workspace.ports.now())
    await done
    return await get_task(workspace, name)


async def accept(workspace: Workspace, request: VerdictRequest) -> dict[str, Any]:
    """Accept a task: the run becomes the final accepted one, and a candidate for a skill is made."""
    return await _verdict(workspace, request, Move.ACCEPT)


async def revise(workspace: Workspace, request: VerdictRequest) -> dict[str, Any]:
    """Ask for another run; the words say what is to be different."""
    if not request.words.strip():
        raise BadParamsError("words: say what is to be different")
    return await _verdict(workspace, request, Move.REVISE)


async def abandon(workspace: Workspace, request: VerdictRequest) -> dict[str, Any]:
    """Give a task up."""
    return await _verdict(workspace, request, Move.ABANDON)


async def _verdict(workspace: Workspace, request: VerdictRequest, move: Move) -> dict[str, Any]:
    await make_runs_ready(workspace)
    (words,) = kept_secrets_out(workspace, (request.words,))
    async with workspace.working.turn:
        found = await task_of(workspace, request.task)
        task = found.task
        if move not in TASK_MOVES[task.state]:
            raise TaskMoveError(task.name, task.state.value, move.value, words_for(task.state))
        run = await _judged_run(workspace, task, request.run, move)
        acceptance = VERDICTS[move]
        put = moved(workspace, found, move, run=(run.id, run.state) if run else None,
                    acceptance=acceptance, said=words)  # fmt: skip
        operations: list[Operation] = [put]
        count: Callable[[], None] = nothing
        if run is not None:
            operations += await _receipt(workspace, run.id, acceptance, words)
            count = await count_verdicts(workspace, run.id, acceptance)
        if move is Move.ACCEPT and run is not None:
            operations.append(await candidate_put(workspace, task, run.id))
        with suppress(FileNotFoundError):
            await drop_figures(workspace)
        await _say(workspace, task, run, move, words, operations)
        count()
        await keep_figures(workspace)
    reply = await get_task(workspace, task.name)
    candidates = [one.name for one in operations if isinstance(one, Put) and "/candidates/" in one.name]
    return {**reply, **({"candidate": candidates[0].rpartition("/")[2].removesuffix(".toml")} if candidates else {})}


async def _judged_run(workspace: Workspace, task: Task, named: str, move: Move) -> TaskRun | None:
    """Return the run that is meant, or raise where it is none of this task's or has not come to its end."""
    if named:
        run = task.run(named)
        if run is None:
            if named not in workspace.working.running:
                await receipt_of(workspace, named)  # RunUnknownError where there is none at all
            raise RunMismatchError(named, "another task", task.name)
    else:
        done = [one for one in task.runs if one.state is RunState.COMPLETED]
        ended = done or [one for one in task.runs if one.state is not RunState.RUNNING]
        run = ended[-1] if ended else None
    if move is Move.ABANDON:
        return run if run and run.state is not RunState.RUNNING else None
    if run is None:
        raise RunUnknownError(named or f"of task {task.name}, completed")
    if run.state is not RunState.COMPLETED:
        raise TaskMoveError(
            task.name, f"without a completed run ({run.id} is {run.state.value})", move.value, "run it again"
        )
    return run


async def _receipt(workspace: Workspace, run: str, acceptance: Acceptance, words: str) -> list[Operation]:
    """Return what writes a verdict into a receipt; of one that is gone, nothing."""
    try:
        file, text = await receipt_text(workspace, run)
    except (RunUnknownError, RejectedFileError):
        return []
    return [Put(file, text, judged(text, acceptance, words, final=acceptance is Acceptance.ACCEPTED))]


async def _say(
    workspace: Workspace, task: Task, run: TaskRun | None, move: Move, words: str, operations: Sequence[Operation]
) -> None:
    """Commit the verdict, with an event in the session of the run where that is still there."""
    event = {"kind": EventKind.ACCEPTANCE.value, "task": task.name, "verdict": move.value}
    event |= {"run": run.id} if run else {}
    event |= {"words": words} if words else {}
    session = ""
    if run is not None:
        try:
            session = (await receipt_of(workspace, run.id))[0].session
        except (RunUnknownError, RejectedFileError):
            session = ""
    try:
        async with workspace.working.turn_of(session):
            log = await session_of(workspace, session)
            done = put_events(workspace, log, [event], lambda _: operations, own=True)
    except SessionUnknownError:  # the session was removed: the task and the receipt say what was said
        done = workspace.commit(lambda _: operations, at_s=workspace.ports.now())
    await done


async def get_task(workspace: Workspace, name: str) -> dict[str, Any]:
    """Return a task with its runs, evidence and what was said of it."""
    await make_runs_ready(workspace)
    task = (await task_of(workspace, name)).task
    open_runs = [run.run for run in workspace.working.running.values() if run.task == task.name]
    return view(task) | ({"running": open_runs} if open_runs else {})


async def list_tasks(workspace: Workspace, state: str) -> dict[str, Any]:
    """Return the tasks, of one state or all, and those whose file cannot be read."""
    found: list[dict[str, Any]] = []
    faults: list[str] = []
    for name in task_names(workspace):
        try:
            shown = await get_task(workspace, name)
        except MemdError as error:
            faults.append(str(error))
            continue
        if not state or shown["state"] == state:
            found.append(shown)
    found.sort(key=lambda one: str(one.get("created_at", "")), reverse=True)
    return {"tasks": found, **({"faults": faults} if faults else {})}


def view(task: Task) -> dict[str, Any]:
    """Return a task as replies tell it."""
    shown: dict[str, Any] = {
        "task": task.name, "title": task.title, "state": task.state.value, "file": task_file(task.name),
        "role": task.role, "asked": task.asked, "created_at": task.created_at,
        "final_accepted_run_id": task.final_run,
        "runs": [{"id": one.id, "state": one.state.value, "acceptance": one.acceptance.value} for one in task.runs],
        "said": [{"verdict": one.verdict, "at": one.at, "run": one.run, "words": one.words} for one in task.said],
        "evidence": [
            {"content": one.content, "status": one.status, "run": one.run, "at": one.at} for one in task.evidence
        ],
    }  # fmt: skip
    return {key: one for key, one in shown.items() if one not in ("", [])} | {"runs": shown["runs"]}
