"""The verbs of runs: one execution of an agent, from a frozen snapshot to a receipt; and how runs stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from memd.errors import (
    BadNameError,
    BadParamsError,
    NameTakenError,
    RunMoveError,
    RunUnknownError,
    SessionClosedError,
    SessionFullError,
    SessionsFullError,
    SessionUnknownError,
    TaskMoveError,
    TaskUnknownError,
)
from memd.formats.times import to_iso
from memd.model.names import check_free, check_name
from memd.model.runs import RUN_MOVES, Receipt, Running, RunState, SkillUse
from memd.model.sessions import EventKind
from memd.model.tasks import Move
from memd.protocol.fields import MaybeName, Name, Paged, Request
from memd.protocol.work import CompletedRun, FoundRun, ReceiptView, Runs, RunUnderWay, StartedRun
from memd.service.work.ending import check_same, close
from memd.service.work.receipts import find_receipts, read_receipts, receipt_of
from memd.service.work.runs import (
    again,
    counted,
    is_alive,
    make_runs_ready,
    running_of,
    sessions_settings,
    started_line,
)
from memd.service.work.sessions import OpenRequest, kept_secrets_out, new_name, open_session, put_events, session_of
from memd.service.work.snapshots import freeze_now, storing
from memd.service.work.task_files import moved, task_of
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.model.change import Operation
    from memd.store.store import Store

Text = Annotated[str, Meta(max_length=1_000_000)]


class StartRun(Request):
    """A run to start."""

    run: Annotated[MaybeName, Meta(description="its name; else it gets one")] = ""
    session: Annotated[MaybeName, Meta(description="an open session; else it gets one of its own")] = ""
    task: Annotated[MaybeName, Meta(description="the task it works for")] = ""
    role: Annotated[MaybeName, Meta(description="whose run it is; else the task's, else main")] = ""
    asked: Annotated[Text, Meta(description="what was asked for")] = ""
    skills: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=100)]],
        Meta(max_length=50, description="the skills that it uses, as name@version"),
    ] = []
    max_tool_iterations: Annotated[
        int, Meta(ge=0, le=100_000, description="0 is the settings', which is also the most")
    ] = 0
    pid: Annotated[int, Meta(ge=0, le=2**31, description="the process whose end is the run's end")] = 0


class OfRun(Request):
    """A run."""

    run: Name


class CompleteRun(OfRun):
    """What a run came to."""

    outcome: Annotated[str, Meta(pattern="^(completed|failed|cancelled)$", description="how it ended")] = "completed"
    summary: Annotated[Text, Meta(description="what came of it; else the assistant's last message")] = ""
    changed: Annotated[
        list[Annotated[str, Meta(max_length=2000)]],
        Meta(max_length=1000, description="what it changed, one thing each"),
    ] = []


class ListRuns(Paged):
    """The newest runs that have ended, beside those under way; in the order of their files, and each part newest first."""

    task: Annotated[MaybeName, Meta(description="only of this task")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="how many that have ended")] = 20


@verb(
    "run.start",
    writes=True,
    errors=(
        BadNameError,
        NameTakenError,
        SessionClosedError,
        SessionFullError,
        SessionUnknownError,
        SessionsFullError,
        TaskMoveError,
        TaskUnknownError,
    ),
)
async def start(service: Service, given: StartRun) -> StartedRun:
    """Begin a run on a frozen snapshot."""
    store = service.store
    await make_runs_ready(store)
    skills = tuple(map(_used, given.skills))
    working = store.working
    async with working.turn:
        name = check_name(given.run) if given.run else new_name(store, "r")
        taken = {**await find_receipts(store), **working.running}
        if name in taken:
            raise NameTakenError(name, name)
        check_free(name, taken)
        task = await task_of(store, given.task) if given.task else None
        role = await _role_of(store, given.role or (task.task.role if task else ""))
        operations: list[Operation] = [moved(store, task, Move.START, run=(name, RunState.RUNNING))] if task else []
        frozen, faults = await freeze_now(store)
        operations += storing(store, frozen)
        session = await _session(store, given.session, OpenRequest(session=name, role=role))
        settings = sessions_settings(store, role)
        (asked,) = kept_secrets_out(store, (given.asked,))
        limit = given.max_tool_iterations or settings.max_tool_iterations
        now_s = store.ports.now()
        mark = store.tree.system.process_mark(given.pid) if given.pid else ""
        run = Running(
            name, session, to_iso(now_s), task.task.name if task else "", role, asked,
            frozen.digest, skills, min(limit, settings.max_tool_iterations),
            given.pid if mark else 0, mark, counted=True,
        )  # fmt: skip
        await _begin(store, run, operations)
    return StartedRun(
        run=name,
        session=run.session,
        snapshot=run.snapshot,
        role=role,
        max_tool_iterations=run.max_tool_iterations,
        max_context_messages=settings.max_context_messages,
        task=run.task or None,
        faults=faults or None,
    )


def _used(text: str) -> SkillUse:
    use = SkillUse.read(text)
    if not use.name or ("@" in text and not use.version):
        raise BadParamsError(f"skills: {text!r:.82} is not NAME or NAME@VERSION")
    return use


async def _session(store: Store, named: str, own: OpenRequest) -> str:
    """Return the open session that was named, or open the run's own."""
    if not named:
        return (await open_session(store, own)).log.name
    async with store.working.turn_of(named):
        log = await session_of(store, named)
    if log.totals.closed:
        raise SessionClosedError(log.name)
    return log.name


async def _begin(store: Store, run: Running, operations: Sequence[Operation]) -> None:
    now_s = store.ports.now()
    event: dict[str, Any] = {"kind": EventKind.RUN_STARTED.value, "run": run.run, "snapshot": run.snapshot}
    event |= {key: value for key in ("task", "role", "asked") if (value := getattr(run, key))}
    event |= {"skills": [str(one) for one in run.skills]} if run.skills else {}

    def beside(n: int) -> list[Operation]:
        store.working.running[run.run] = run
        return [started_line(store, n, run, now_s), *operations]

    def roll_back() -> None:
        store.working.running.pop(run.run, None)

    async with store.working.turn_of(run.session):
        log = await session_of(store, run.session)
        done = put_events(store, log, [event], beside, roll_back)
    await done


async def _role_of(store: Store, named: str) -> str:
    if named:
        return (await store.role(named)).name
    return "main" if "main" in store.roles else ""


@verb(
    "run.complete",
    writes=True,
    errors=(
        RunMoveError,
        RunUnknownError,
    ),
)
async def complete(service: Service, asked: CompleteRun) -> CompletedRun:
    """End a run and write its receipt.

    The same completion twice is one.
    """
    store = service.store
    state = RunState(asked.outcome)
    summary, *changed = kept_secrets_out(store, (asked.summary, *asked.changed))
    async with store.working.turn:
        run = await running_of(store, asked.run)
        if run is None:
            receipt, file = await receipt_of(store, asked.run)
            if state not in RUN_MOVES[receipt.state].get("complete", ()):
                check_same(receipt, state, summary)
                return CompletedRun(
                    run=receipt.run, state=state.value, file=file, session=receipt.session, already=True
                )
            run = again(store, receipt)
        receipt, file, text = await close(store, run, state, summary, changed)
    return CompletedRun(
        run=run.run,
        state=state.value,
        file=file,
        session=run.session,
        text=text,
        iterations=receipt.iterations,
        tools=dict(receipt.tools),
        usage=dict(receipt.usage),
        task=run.task or None,
    )


@verb("run.get", errors=(RunUnknownError,))
async def get_run(service: Service, asked: OfRun) -> FoundRun:
    """Return a run, or its receipt."""
    store = service.store
    run = await running_of(store, asked.run)
    if run is not None:
        return FoundRun(**_under_way(store, await counted(store, run)))
    receipt, file = await receipt_of(store, asked.run)
    text = store.texts.read(store.tree, file)
    return FoundRun(**_of_receipt(receipt), file=file, text=text or "")


@verb("run.list")
async def list_runs(service: Service, asked: ListRuns) -> Runs:
    """List runs under way and receipts."""
    workspace, task = service.store, asked.task
    await make_runs_ready(workspace)
    running = workspace.working.running
    open_runs = [await counted(workspace, run) for run in running.values() if not task or run.task == task]
    files = await find_receipts(workspace)
    names = sorted(files.values(), key=lambda name: (name.rpartition("/")[0], name), reverse=True)
    receipts = (await read_receipts(workspace, names if task else asked.part(names)))[0]
    chosen = [one for one in receipts if one.run not in running and (not task or one.task == task)]
    chosen.sort(key=lambda one: one.started_at, reverse=True)
    return Runs(
        running=[RunUnderWay(**_under_way(workspace, run)) for run in open_runs],
        runs=[
            ReceiptView(**_of_receipt(one), file=files.get(one.run, ""))
            for one in (asked.part(chosen) if task else chosen)
        ],
        total=len(chosen) if task else len(files),
    )


def _of_either(run: Running | Receipt) -> dict[str, Any]:
    """Return the fields of a _Run, but for its iterations."""
    texts = ("run", "session", "role", "task", "asked", "started_at", "snapshot")
    said = {name: getattr(run, name) or None for name in texts}
    return {**said, "state": run.state.value, "skills": [str(one) for one in run.skills] or None}


def _under_way(store: Store, run: Running) -> dict[str, Any]:
    """Return the fields of a RunUnderWay."""
    return {
        **_of_either(run),
        "iterations": len(run.iterations),
        "max_tool_iterations": run.max_tool_iterations,
        "pid": run.pid or None,
        "alive": is_alive(store.tree, run) if run.pid else None,
    }


def _of_receipt(receipt: Receipt) -> dict[str, Any]:
    """Return the fields of a ReceiptView, but for its file."""
    return {
        **_of_either(receipt),
        "iterations": receipt.iterations,
        "acceptance": receipt.acceptance.value,
        "final": receipt.final,
        "ended_at": receipt.ended_at or None,
        "injected": list(receipt.injected) or None,
        "tools": dict(receipt.tools) or None,
        "usage": dict(receipt.usage) or None,
        "summary": receipt.summary or None,
        "words": receipt.words or None,
        "evidence": list(receipt.evidence) or None,
        "changed": list(receipt.changed) or None,
        "edited": receipt.edited,
    }
