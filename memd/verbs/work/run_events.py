"""The verb that appends what a run does to its session.

How many tool iterations a run has made is counted as they come, and the one too many is refused before it is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from memd.engine.work.events import checked
from memd.errors import BadEventError, RunLimitError, RunMismatchError, RunMoveError, RunUnknownError, SessionFullError
from memd.model.runs import RUN_MOVES, RunState
from memd.model.sessions import EventKind
from memd.protocol.fields import Events, Name, Request
from memd.protocol.sessions import RunEvents
from memd.protocol.views import AppendedEvent
from memd.service.work.appending import prepared
from memd.service.work.receipts import iteration_key, iterations_of, receipt_of
from memd.service.work.runs import again, running_of, started_line
from memd.service.work.sessions import put_events, session_of, tell
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.model.change import Operation
    from memd.model.runs import Running
    from memd.store.store import Store


class AppendToRun(Request):
    """Events of a run, for its session."""

    run: Name
    events: Annotated[Events, Meta(min_length=1)]


@verb(
    "run.event",
    writes=True,
    errors=(
        BadEventError,
        RunLimitError,
        RunMismatchError,
        RunMoveError,
        RunUnknownError,
        SessionFullError,
    ),
)
async def append_events(service: Service, asked: AppendToRun) -> RunEvents:
    """Append events of a run, counted."""
    run, events, remarks = await append_to_run(service.store, asked.run, asked.events)
    return RunEvents(
        run=asked.run,
        session=run.session,
        events=msgspec.convert(events, list[AppendedEvent]),
        iterations=len(run.iterations),
        max_tool_iterations=run.max_tool_iterations,
        left=run.max_tool_iterations - len(run.iterations),
        remarks=remarks or None,
    )


class AppendedToRun(NamedTuple):
    """What became of events: the run, their ids and places in its session, and what is odd about them."""

    run: Running
    events: list[dict[str, Any]]
    remarks: list[str]


async def append_to_run(store: Store, name: str, events: Sequence[dict[str, Any]]) -> AppendedToRun:
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
    return AppendedToRun(run, told, remarks)


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
