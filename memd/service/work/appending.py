"""Events, appended durably to a session: validated, without secrets, leaked calls marked.

Two engines may append to one session, and none loses an event to the other. A conversation of an agent goes on in another
session where its own is closed or full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.keep.leaves import changed, texts_in
from memd.engine.work.events import checked, marked
from memd.errors import LimitExceededError, NameTakenError, SessionClosedError, SessionOrderError, SessionUnknownError
from memd.formats.times import to_seconds
from memd.model.sessions import EventKind
from memd.service.screening import beside
from memd.service.work.sessions import (
    OpenRequest,
    close_session,
    open_session,
    put_events,
    session_of,
    settings_of,
    tell,
)
from memd.store.attended import SAME_S

if TYPE_CHECKING:
    from memd.model.settings import SessionSettings
    from memd.store.attended import Conversation
    from memd.store.session_log import SessionLog
    from memd.store.store import Store

FULL = "limit.session_bytes"
SAID = (EventKind.MESSAGE, EventKind.NOTE)
LOOKED_BACK = 20  # events of a session, for the last thing that was said in it


class Appended(NamedTuple):
    """What became of events: their ids and places, how many the session has now, and what is odd about them.

    `already`: the same request was carried out before.
    """

    session: str
    events: list[dict[str, Any]]
    total: int
    remarks: Sequence[str] = ()
    already: bool = False


async def append(store: Store, session: str, given: Sequence[dict[str, Any]], *, after: int = -1) -> Appended:
    """Append events; they are durable on return. All or none.

    `after`: how many events the caller knows of the session, or -1 where it does not matter.
    """
    events = [checked(raw, number) for number, raw in enumerate(given, 1)]
    async with store.working.turn_of(session):
        log = await session_of(store, session)
        if after >= 0 and after != len(log):
            again = _already(log, (await prepared(store, log, events))[0], after)
            if again:
                return again
            raise SessionOrderError(log.name, len(log), len(log) + 1, after + 1)
        if log.totals.closed:
            raise SessionClosedError(log.name)
        ready, remarks = await prepared(store, log, events)
        await store.working.check_room(store.settings.limits, store.tree, store.ports.monotonic())
        done = put_events(store, log, ready)
        told = tell(log, len(log) - len(ready) + 1, ready)
    await done
    return Appended(log.name, told, len(log), remarks)


async def prepared(
    store: Store, log: SessionLog, events: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return events with secrets taken out and leaked calls marked, and what is odd about their order.

    Long ones are looked through beside the event loop; call it in the session's turn.
    """
    settings, quarantine = settings_of(store, log), store.keeping.quarantine
    plain = list(events)
    if settings.secrets == "redact":
        await quarantine.take_secrets_ahead(texts_in(plain))
        plain = [changed(one, quarantine.without_secrets) for one in plain]
    ready = await beside(store, plain, _marked, plain, settings)
    hit = [number for number, one in enumerate(events, 1) if plain[number - 1] is not one]
    remarks = [f"event {number}: a secret was taken out" for number in hit]
    calls = set(log.totals.calls)
    last_s = to_seconds(log.totals.last_at) if log.totals.last_at else None
    for number, one in enumerate(ready, 1):
        call = one.get("call_id")
        if one["kind"] == EventKind.TOOL_CALL and call:
            calls.add(call)
        elif one["kind"] == EventKind.TOOL_RESULT and call and call not in calls:
            remarks.append(f"event {number}: no tool call {call!r:.62} waits for a result; it was appended as it came")
        at_s = to_seconds(one.get("at")) if "at" in one else None
        if at_s is not None and last_s is not None and at_s < last_s - 1:
            remarks.append(
                f"event {number}: its time is before that of the event it follows; the order of arrival stands"
            )
        last_s = at_s if at_s is not None else last_s
    return ready, remarks


def _marked(events: Sequence[dict[str, Any]], settings: SessionSettings) -> list[dict[str, Any]]:
    return [marked(one, settings.raw_tool_calls) for one in events]


def _already(log: SessionLog, events: Sequence[dict[str, Any]], after: int) -> Appended | None:
    """Return the reply to a request that was carried out before and is sent again; None where these are other events."""
    if after + len(events) > len(log):
        return None
    for seq, event in enumerate(events, after + 1):
        standing = log.event(seq)
        same = all(standing.said.get(key) == value for key, value in event.items() if key not in ("kind", "at"))
        if standing.kind != event["kind"] or not same:
            return None
    return Appended(log.name, tell(log, after + 1, events), len(log), already=True)


async def write_down(
    store: Store, talk: Conversation, request: OpenRequest, events: Sequence[dict[str, Any]], late_s: float = 0.0
) -> None:
    """Append events to a conversation's session, opened where it is needed; a closed or full one is gone on from.

    `late_s`: when they happened, where they may have been written before: they are not written behind themselves.
    """
    if not talk.session:
        talk.session = await _open(store, request)
    if late_s and await _is_last(store, talk.session, events, late_s):
        return
    for last in (False, True):
        try:
            await append(store, talk.session, events)
        except (SessionClosedError, SessionUnknownError):
            if last:
                raise
        except LimitExceededError as error:
            if last or error.code != FULL:
                raise
            await close_session(store, talk.session, "full")
        else:
            return
        talk.session = await _open(store, request)


async def _is_last(store: Store, session: str, events: Sequence[dict[str, Any]], late_s: float) -> bool:
    """Tell whether the last thing said in a session is what these events say, and of the same time."""
    async with store.working.turn_of(session):
        log = await session_of(store, session)
    said = next((one for one in reversed(events) if one["kind"] in SAID), None)
    if said is None:
        return False
    for seq in range(len(log), max(0, len(log) - LOOKED_BACK), -1):
        last = log.event(seq)
        if last.kind in SAID:
            at_s = to_seconds(last.at)
            same = all(last.said.get(key) == said.get(key) for key in ("speaker", "content"))
            return last.kind == said["kind"] and same and at_s is not None and abs(at_s - late_s) < SAME_S
    return False


async def _open(store: Store, request: OpenRequest) -> str:
    """Return the newest session of a name and its continuations, opened where the last of them is closed."""
    before = ""
    for number in count(1):
        name = request.session if number == 1 else f"{request.session}.{number}"
        try:
            async with store.working.turn_of(name):
                log = await session_of(store, name)
            if not log.totals.closed:
                return name
            before = name
        except SessionUnknownError:
            opening = replace(request, session=name, title="", resumes=before, forks="", from_event="")
            try:
                await open_session(store, opening)
            except NameTakenError:
                continue  # a person's own session has a name like it
            else:
                return name
    raise AssertionError("count() has no end")
