"""Sessions: the event stream of one conversation, opened, appended durably in any number of hands, and closed.

Events are validated, get their place, and are acknowledged by one line of the log for all that came in one request. The
order of the file is the order of arrival: two engines may append to one session, and none loses an event to the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.keep.leaves import changed, texts_in
from memd.engine.work.events import checked, marked
from memd.errors import (
    BadParamsError,
    MemdError,
    NameTakenError,
    SessionClosedError,
    SessionFullError,
    SessionOrderError,
)
from memd.formats.times import to_iso, to_seconds
from memd.model.names import check_free, check_name
from memd.model.work.session import EventKind
from memd.service.memory.screening import beside
from memd.service.work.session_files import find_sessions, session_of
from memd.storage.layout import session_file
from memd.store.limits import check_sessions
from memd.store.work.session_log import SessionLog

if TYPE_CHECKING:
    from memd.model.change import Operation
    from memd.model.settings import SessionSettings
    from memd.store.store import Store


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A session to open. `resumes` or `forks` names the one it goes on from; `from_event` where (forks: default its end)."""

    session: str = ""
    role: str = ""
    title: str = ""
    resumes: str = ""
    forks: str = ""
    from_event: str = ""
    engine: str = ""


class Opened(NamedTuple):
    """A session, and whether it was open already."""

    log: SessionLog
    existed: bool


class Appended(NamedTuple):
    """What became of events: their ids and places, how many the session has now, and what is odd about them.

    `already`: the same request was carried out before.
    """

    session: str
    events: list[dict[str, Any]]
    total: int
    remarks: Sequence[str] = ()
    already: bool = False


class Closed(NamedTuple):
    """A session that is closed; of one that was open till now, its runs that are under way."""

    log: SessionLog
    open_runs: list[str] | None = None


async def open_session(store: Store, request: OpenRequest) -> Opened:
    """Open a session, or return the one of that name that is open already."""
    working = store.working
    role = (await store.role(request.role)).name if request.role else ""
    name = check_name(request.session) if request.session else new_name(store, "s")
    store.meaning.begin()  # the first question finds the model loaded
    goes_on = bool(request.resumes or request.forks)
    if goes_on and name in await find_sessions(store):
        raise NameTakenError(name, name)
    origin = await _origin(store, request) if goes_on else {}  # before this one's turn: two may name each other
    async with working.turn_of(name):
        files = await find_sessions(store)
        if name in files:
            log = await session_of(store, name)
            if goes_on:
                raise NameTakenError(name, name)
            if log.totals.closed:
                raise SessionClosedError(name)
            return Opened(log, existed=True)
        check_free(name, files)
        await _check_room(store)
        now_s = store.ports.now()
        event: dict[str, Any] = {"kind": EventKind.OPENED.value, "session": name}
        title, engine = kept_secrets_out(store, (request.title, request.engine))
        said = {"role": role, "title": title, "engine": engine}
        event |= {key: value for key, value in said.items() if value}
        event |= {"from": origin} if origin else {}
        log = SessionLog(name, session_file(name, now_s))
        working.put(log)
        working.files[name] = log.file
        await put_events(store, log, [event])
        return Opened(log, existed=False)


async def _check_room(store: Store) -> None:
    """Raise LimitExceededError where sessions in all have no room."""
    sizes = store.working.sizes
    files = await asyncio.to_thread(sizes.look, store.tree, store.ports.monotonic())
    check_sessions(files, store.settings.limits, sizes.added_bytes)


async def _origin(store: Store, request: OpenRequest) -> dict[str, Any]:
    """Return where a session comes from: the event after which it goes another way."""
    if request.resumes and request.forks:
        raise BadParamsError("`resumes` and `forks` are two ways to go on; give one")
    parent_name = request.resumes or request.forks
    async with store.working.turn_of(parent_name):
        parent = await session_of(store, parent_name)
    at = request.from_event
    seq = parent.find(at) if at else len(parent)
    if at and not seq:
        raise BadParamsError(f"at: {at!r:.82} is no event of session {parent.name!r}")
    how = "resume" if request.resumes else "fork"
    return {"session": parent.name, "how": how, "at": parent.event(seq).id if seq else ""}


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
        await _check_room(store)
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


def kept_secrets_out(store: Store, texts: Sequence[str]) -> list[str]:
    """Return texts that will stand in tasks and receipts, without the secrets in them where that is the setting."""
    keep = store.settings.sessions.secrets != "redact"
    return [one if keep else store.keeping.quarantine.without_secrets(one) for one in texts]


def settings_of(store: Store, log: SessionLog) -> SessionSettings:
    """Return what is in force for a session: its role's own settings, where it has a role."""
    role = store.roles.get(str(log.totals.opened.get("role", "")))
    return (store.settings_of(role) if role else store.settings).sessions


def put_events(
    store: Store,
    log: SessionLog,
    events: Sequence[dict[str, Any]],
    beside: Callable[[int], Sequence[Operation]] = lambda _: (),
    roll_back: Callable[[], None] = lambda: None,
    *,
    own: bool = False,
) -> asyncio.Future[None]:
    """Append events, and with them what else belongs to the same batch; the future ends when they are durable.

    LimitExceededError where the session's file has no room; `own`: memd's own events, which always have. Call it in the
    session's turn.
    """
    now_s = store.ports.now()
    limit = store.settings.limits.session_bytes
    if len(log.data) > limit and not own:
        what = f"session {log.name!r}"
        raise SessionFullError(what, len(log.data), limit)

    def build(n: int) -> list[Operation]:
        lines = []
        for place, event in enumerate(events, 1):
            part = {"i": place} if len(events) > 1 else {}
            at = {"at": to_iso(to_seconds(event["at"]) or now_s)} if "at" in event else {}
            lines.append(store.record(log.file, n, {**part, **event, **at}, now_s))
        texts = [line.text.encode("utf-8", "surrogatepass") for line in lines]
        log.take(texts)
        store.working.sizes.added_bytes += sum(map(len, texts))
        return [*lines, *beside(n)]

    def undo() -> None:
        store.working.sessions.pop(log.name, None)  # what the file and the log have is read again
        roll_back()

    try:
        return store.commit(build, at_s=now_s, roll_back=undo)
    except MemdError:
        undo()
        raise


def tell(log: SessionLog, first: int, events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what a reply says of events just appended."""
    told = []
    for seq, event in enumerate(events, first):
        one: dict[str, Any] = {"id": log.event(seq).id, "seq": seq}
        if "raw_tool_call" in event:
            one["raw_tool_call"] = event["raw_tool_call"]
        told.append(one)
    return told


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


async def close_session(store: Store, name: str, reason: str) -> Closed:
    """Close a session; closing a closed one changes nothing."""
    async with store.working.turn_of(name):
        log = await session_of(store, name)
        if not log.totals.closed:
            open_runs = [run for run, one in store.working.running.items() if one.session == log.name]
            (why,) = kept_secrets_out(store, (reason,))
            event = {"kind": EventKind.CLOSED.value, **({"reason": why} if why else {})}
            await put_events(store, log, [event], own=True)
            return Closed(log, open_runs)
        return Closed(log)


def new_name(store: Store, letter: str) -> str:
    """Return a name nobody has: the time, and a piece of chance."""
    stamp = to_iso(store.ports.now()).replace("-", "").replace(":", "").replace("T", "-")[:13]
    return f"{letter}{stamp}-{store.ports.new_id()[:8]}"
