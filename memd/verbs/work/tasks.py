"""The verbs of tasks: what runs work for, and a person's word on what they came to.

A verdict is written into the task, into the receipts it concerns and into the session of the run, in one batch. Accept, and
only accept, makes a candidate for a skill.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, TypeVar

from msgspec import Meta

from memd.errors import (
    BadNameError,
    BadParamsError,
    MemdError,
    NameTakenError,
    RejectedFileError,
    RunMismatchError,
    RunUnknownError,
    SessionUnknownError,
    TaskMoveError,
    TaskUnknownError,
)
from memd.formats.receipt_file import judged
from memd.formats.task_file import dump_task
from memd.formats.times import to_iso
from memd.model.change import Operation, Put
from memd.model.names import check_free, check_name, collision_key, is_name
from memd.model.runs import Acceptance, Evidence, RunState, Task, TaskRun
from memd.model.sessions import EventKind
from memd.model.tasks import TASK_MOVES, Move, TaskState, words_for
from memd.protocol.fields import WORDS_CHARS, MaybeName, Name, Paged, Request, Saying
from memd.protocol.work import EvidenceView, JudgedTask, RunOfTask, Tasks, TaskView, VerdictView
from memd.service.work.effects import count_verdicts, drop_figures, keep_figures
from memd.service.work.learned import candidate_put
from memd.service.work.receipts import receipt_of, receipt_text
from memd.service.work.runs import make_runs_ready
from memd.service.work.sessions import kept_secrets_out, new_name, put_events, session_of
from memd.service.work.task_files import VERDICTS, moved, task_names, task_of
from memd.storage.layout import task_file
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.store.store import Store

STEM_CHARS = 48
T = TypeVar("T", bound="TaskView")


class OpenTask(Request):
    """A task to open; without a name it gets one of its title."""

    title: Annotated[str, Meta(min_length=1, max_length=500)]
    task: Annotated[MaybeName, Meta(description="its name; else made of the title")] = ""
    role: Annotated[MaybeName, Meta(description="whose task it is")] = ""
    asked: Annotated[str, Meta(max_length=WORDS_CHARS, description="what was asked for, whole")] = ""


class NamedTask(Request):
    """A task."""

    task: Name


class AddEvidence(NamedTask):
    """A fact that bears on a task."""

    content: Annotated[str, Meta(min_length=1, max_length=WORDS_CHARS)]
    status: Annotated[str, Meta(max_length=100, description="what the caller says of it: passed, failed, seen, …")] = ""
    run: Annotated[MaybeName, Meta(description="the run it comes from")] = ""


class Judge(NamedTask):
    """A person's word on a task."""

    words: Saying = ""
    run: Annotated[MaybeName, Meta(description="which run; else the last that was completed")] = ""


class ListTasks(Paged):
    """Of one state, or all."""

    state: Annotated[
        str, Meta(pattern="^(|open|review|revising|accepted|abandoned)$", description="only those in this state")
    ] = ""


@verb(
    "task.open",
    writes=True,
    errors=(
        BadNameError,
        NameTakenError,
    ),
)
async def open_task(service: Service, given: OpenTask) -> TaskView:
    """Open a task."""
    store = service.store
    title, asked = kept_secrets_out(store, (" ".join(given.title.split()), given.asked))
    if not title:
        raise BadParamsError("title: say in a few words what the task is")
    role = (await store.role(given.role)).name if given.role else ""
    async with store.working.turn:
        taken = task_names(store)
        name = check_name(given.task) if given.task else _free(title, taken, new_name(store, "t"))
        if name in taken:
            raise NameTakenError(name, name)
        check_free(name, taken)
        task = Task(name, title, TaskState.OPEN, role, asked, to_iso(store.ports.now()))
        put = Put(task_file(name), None, dump_task(task))
        done = store.commit(lambda _: [put], at_s=store.ports.now())
    await done
    return view_of(TaskView, task)


def _free(title: str, taken: Sequence[str], otherwise: str) -> str:
    """Return a free name made of a title; letters of any script stay."""
    stem = re.sub(r"[^\w]+", "-", title.casefold()).strip("-_.")[:STEM_CHARS].strip("-_.")
    keys = {collision_key(one) for one in taken}
    for name in (stem, *(f"{stem}-{number}" for number in range(2, 1000))):
        if is_name(name) and collision_key(name) not in keys:
            return name
    return otherwise


@verb(
    "task.evidence",
    writes=True,
    errors=(
        RunUnknownError,
        TaskUnknownError,
    ),
)
async def add_evidence(service: Service, asked: AddEvidence) -> TaskView:
    """Record a fact that bears on a task.

    memd validates nothing: the status is what the caller says.
    """
    store = service.store
    (content,) = kept_secrets_out(store, (asked.content,))
    async with store.working.turn:
        found = await task_of(store, asked.task)
        if asked.run and found.task.run(asked.run) is None:
            raise await _no_run_of(store, found.task, asked.run)
        fact = Evidence(content, to_iso(store.ports.now()), asked.status, asked.run)
        put = moved(store, found, Move.EVIDENCE, evidence=[fact])
        done = store.commit(lambda _: [put], at_s=store.ports.now())
    await done
    return await _view(store, TaskView, asked.task)


@verb(
    "task.accept",
    writes=True,
    errors=(
        RunUnknownError,
        TaskMoveError,
        TaskUnknownError,
    ),
)
async def accept(service: Service, asked: Judge) -> JudgedTask:
    """Accept a task's run; a candidate is made."""
    return await _verdict(service.store, asked, Move.ACCEPT)


@verb(
    "task.revise",
    writes=True,
    errors=(
        RunUnknownError,
        TaskMoveError,
        TaskUnknownError,
    ),
)
async def revise(service: Service, asked: Judge) -> JudgedTask:
    """Ask for another run, and say why."""
    if not asked.words.strip():
        raise BadParamsError("words: say what is to be different")
    return await _verdict(service.store, asked, Move.REVISE)


@verb(
    "task.abandon",
    writes=True,
    errors=(
        RunUnknownError,
        TaskMoveError,
        TaskUnknownError,
    ),
)
async def abandon(service: Service, asked: Judge) -> JudgedTask:
    """Give a task up."""
    return await _verdict(service.store, asked, Move.ABANDON)


async def _verdict(store: Store, asked: Judge, move: Move) -> JudgedTask:
    await make_runs_ready(store)
    (words,) = kept_secrets_out(store, (asked.words,))
    async with store.working.turn:
        found = await task_of(store, asked.task)
        task = found.task
        if move not in TASK_MOVES[task.state]:
            raise TaskMoveError(task.name, task.state.value, move.value, words_for(task.state))
        run = await _judged_run(store, task, asked.run, move)
        acceptance = VERDICTS[move]
        put = moved(store, found, move, run=(run.id, run.state) if run else None,
                    acceptance=acceptance, said=words)  # fmt: skip
        operations: list[Operation] = [put]
        count: Callable[[], None] | None = None
        if run is not None:
            operations += await _receipt(store, run.id, acceptance, words)
            count = await count_verdicts(store, run.id, acceptance)
        if move is Move.ACCEPT and run is not None:
            operations.append(await candidate_put(store, task, run.id))
        with suppress(FileNotFoundError):
            await drop_figures(store)
        await _say(store, task, run, move, words, operations)
        if count:
            count()
        await keep_figures(store)
    reply = await _view(store, JudgedTask, task.name)
    candidates = [one.name for one in operations if isinstance(one, Put) and "/candidates/" in one.name]
    if candidates:
        reply.candidate = candidates[0].rpartition("/")[2].removesuffix(".toml")
    return reply


async def _no_run_of(store: Store, task: Task, named: str) -> MemdError:
    """Return why a run is none of a task's: it is another's, or RunUnknownError is raised where there is none at all."""
    if named not in store.working.running:
        await receipt_of(store, named)
    return RunMismatchError(named, "another task", task.name)


async def _judged_run(store: Store, task: Task, named: str, move: Move) -> TaskRun | None:
    """Return the run that is meant, or raise where it is none of this task's or has not come to its end."""
    if named:
        run = task.run(named)
        if run is None:
            raise await _no_run_of(store, task, named)
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


async def _receipt(store: Store, run: str, acceptance: Acceptance, words: str) -> list[Operation]:
    """Return what writes a verdict into a receipt; of one that is gone, nothing."""
    try:
        file, text = await receipt_text(store, run)
    except (RunUnknownError, RejectedFileError):
        return []
    return [Put(file, text, judged(text, acceptance, words, final=acceptance is Acceptance.ACCEPTED))]


async def _say(
    store: Store, task: Task, run: TaskRun | None, move: Move, words: str, operations: Sequence[Operation]
) -> None:
    """Commit the verdict, with an event in the session of the run where that is still there."""
    event = {"kind": EventKind.ACCEPTANCE.value, "task": task.name, "verdict": move.value}
    event |= {"run": run.id} if run else {}
    event |= {"words": words} if words else {}
    session = ""
    if run is not None:
        try:
            session = (await receipt_of(store, run.id))[0].session
        except (RunUnknownError, RejectedFileError):
            session = ""
    try:
        async with store.working.turn_of(session):
            log = await session_of(store, session)
            done = put_events(store, log, [event], lambda _: operations, own=True)
    except SessionUnknownError:  # the session was removed: the task and the receipt say what was said
        done = store.commit(lambda _: operations, at_s=store.ports.now())
    await done


@verb("task.get", errors=(TaskUnknownError,))
async def get_task(service: Service, asked: NamedTask) -> TaskView:
    """Return a task with its runs and what was said."""
    return await _view(service.store, TaskView, asked.task)


@verb("task.list")
async def list_tasks(service: Service, asked: ListTasks) -> Tasks:
    """List tasks."""
    store = service.store
    found: list[TaskView] = []
    faults: list[str] = []
    for name in task_names(store):
        try:
            shown = await _view(store, TaskView, name)
        except MemdError as error:
            faults.append(str(error))
            continue
        if not asked.state or shown.state == asked.state:
            found.append(shown)
    found.sort(key=lambda one: one.created_at or "", reverse=True)
    return Tasks(total=len(found), tasks=asked.part(found), faults=faults or None)


async def _view(store: Store, kind: type[T], name: str) -> T:
    """Return a task as its file is now, with its runs under way."""
    await make_runs_ready(store)
    task = (await task_of(store, name)).task
    shown = view_of(kind, task)
    shown.running = [run.run for run in store.working.running.values() if run.task == task.name] or None
    return shown


def view_of(kind: type[T], task: Task) -> T:
    """Return a task as replies show it."""
    return kind(
        task=task.name,
        title=task.title,
        state=task.state.value,
        file=task_file(task.name),
        role=task.role or None,
        asked=task.asked or None,
        created_at=task.created_at or None,
        final_accepted_run_id=task.final_run or None,
        runs=[RunOfTask(one.id, one.state.value, one.acceptance.value) for one in task.runs],
        said=[VerdictView(one.verdict, one.at, one.run, one.words) for one in task.said] or None,
        evidence=[EvidenceView(one.content, one.status, one.run, one.at) for one in task.evidence] or None,
    )
