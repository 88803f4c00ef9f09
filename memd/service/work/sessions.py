"""Sessions: which there are, one of them as it is now, opened, given events in any number of hands, and closed.

What the file of a session has, and what is on its way there, is one. Events get their place and are acknowledged by one line
of the log for all that came together. The order of the file is the order of arrival.
"""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.errors import (
    BadParamsError,
    MemdError,
    NameTakenError,
    SessionClosedError,
    SessionFullError,
    SessionUnknownError,
)
from memd.formats.times import to_iso, to_seconds
from memd.model.names import check_free, check_name
from memd.model.sessions import EventKind
from memd.storage.layout import SESSIONS, session_file
from memd.store.session_log import SessionLog, load_session, look_for_sessions

if TYPE_CHECKING:
    from memd.model.change import Operation
    from memd.model.settings import SessionSettings
    from memd.store.store import Store

PROPOSED = 400  # messages and results at the end of a session that are looked at for what is worth remembering


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A session to open. `resumes` or `forks` names the one it goes on from; `from_event` where (forks: default its end).

    `past`: what took it in from an agent's own files, where it was held at `at_s` (0: now).
    """

    session: str = ""
    role: str = ""
    title: str = ""
    resumes: str = ""
    forks: str = ""
    from_event: str = ""
    engine: str = ""
    project: str = ""
    shared: bool = False
    past: str = ""
    at_s: float = 0.0


class Opened(NamedTuple):
    """A session, and whether it was open already."""

    log: SessionLog
    existed: bool


class Closed(NamedTuple):
    """A session that is closed; of one that was open till now, its runs that are under way."""

    log: SessionLog
    open_runs: list[str] | None = None


async def find_sessions(store: Store) -> dict[str, str]:
    """Return the files of all sessions as the directories are now, those that are only in the log included."""
    waiting = _waiting(store)  # what is written while we look is in one of the two
    found = await asyncio.to_thread(look_for_sessions, store.tree)
    for file in (*waiting, *_waiting(store)):
        found.setdefault(file.rpartition("/")[2].removesuffix(".jsonl"), file)
    for name, log in store.working.sessions.items():
        found.setdefault(name, log.file)
    known = store.working.files
    known.clear()
    known.update(found)
    return found


def _waiting(store: Store) -> list[str]:
    names = store.writer.applier.waiting_names(SESSIONS) if store.writer.applier else store.texts.lines
    return [name for name in names if name.startswith(f"{SESSIONS}/")]


async def session_of(store: Store, name: str) -> SessionLog:
    """Return a session as it is now, or raise SessionUnknownError; call in its turn."""
    wanted = unicodedata.normalize("NFC", name)
    working = store.working
    log = working.sessions.get(wanted)
    if log is not None and _is_current(store, log):
        working.sessions.move_to_end(wanted)
        return log
    file = log.file if log else working.files.get(wanted) or (await find_sessions(store)).get(wanted, "")
    if not file:
        raise SessionUnknownError(name)
    loaded = await asyncio.to_thread(load_session, store.tree, wanted, file, store.writer.waiting_lines(file))
    if not len(loaded) and loaded.identity is None:
        working.sessions.pop(wanted, None)
        working.files.pop(wanted, None)
        raise SessionUnknownError(name)
    working.put(loaded)
    return loaded


def _is_current(store: Store, log: SessionLog) -> bool:
    applier = store.writer.applier
    if applier and log.file in applier.being_appended:
        return True
    return store.tree.identify(log.file) == log.identity


async def said_in(store: Store, name: str) -> list[tuple[str, str]]:
    """Return who said what at the end of a session, oldest first: its messages, and results of tools that did not fail."""
    async with store.working.turn_of(name):
        log = await session_of(store, name)
    found: list[tuple[str, str]] = []
    for event in log.visible_back():
        text = event.said.get("content")
        if isinstance(text, str) and text.strip() and not event.said.get("is_error"):
            tool = event.kind == EventKind.TOOL_RESULT
            found.append(("tool" if tool else str(event.said.get("speaker", "")), text))
        if len(found) == PROPOSED:
            break
    return found[::-1]


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
        raise SessionFullError(f"session {log.name!r}", len(log.data), limit)

    def build(n: int) -> list[Operation]:
        lines = []
        for place, event in enumerate(events, 1):
            part = {"i": place} if len(events) > 1 else {}
            at = {"at": to_iso(to_seconds(event["at"]) or now_s)} if "at" in event else {}
            lines.append(store.record(log.file, n, {**part, **event, **at}, now_s))
        texts = [line.text.encode("utf-8", "surrogatepass") for line in lines]
        log.take(texts)
        store.sayings.touch(log.name)
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


def new_name(store: Store, letter: str) -> str:
    """Return a name nobody has: the time, and a piece of chance."""
    stamp = to_iso(store.ports.now()).replace("-", "").replace(":", "").replace("T", "-")[:13]
    return f"{letter}{stamp}-{store.ports.new_id()[:8]}"


async def open_session(store: Store, request: OpenRequest) -> Opened:
    """Open a session, or return the one of that name that is open already."""
    working = store.working
    role = (await store.role(request.role)).name if request.role else ""
    name = check_name(request.session) if request.session else new_name(store, "s")
    if not request.past:
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
        await store.working.check_room(store.settings.limits, store.tree, store.ports.monotonic())
        now_s = request.at_s or store.ports.now()
        event: dict[str, Any] = {"kind": EventKind.OPENED.value, "session": name}
        event |= {"past": request.past, "at": to_iso(now_s)} if request.past else {}
        title, engine = kept_secrets_out(store, (request.title, request.engine))
        said = {"role": role, "title": title, "engine": engine, "project": request.project, "shared": request.shared}
        event |= {key: value for key, value in said.items() if value}
        event |= {"from": origin} if origin else {}
        log = SessionLog(name, session_file(name, now_s))
        working.put(log)
        working.files[name] = log.file
        await put_events(store, log, [event])
        return Opened(log, existed=False)


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


async def close_session(store: Store, name: str, reason: str) -> Closed:
    """Close a session; closing a closed one changes nothing."""
    async with store.working.turn_of(name):
        log = await session_of(store, name)
        if not log.totals.closed:
            open_runs = [run for run, one in store.working.running.items() if one.session == log.name]
            (why,) = kept_secrets_out(store, (reason,))
            event = {"kind": EventKind.CLOSED.value, **({"reason": why} if why else {})}
            await put_events(store, log, [event], own=True)
            store.captured.end(log.name)
            return Closed(log, open_runs)
        return Closed(log)


# How replies show a session, and an event that was appended.


def fields_of(log: SessionLog) -> dict[str, Any]:
    """Return the fields of a SessionView; what a session's first line has is told as it stands there."""
    opened = log.totals.opened
    return {
        "session": log.name,
        "file": log.file,
        "events": len(log),
        "visible": len(log.visible),
        "closed": log.totals.closed,
        "kinds": dict(log.totals.kinds),
        "usage": log.totals.usage.view(),
        "last_at": log.totals.last_at,
        "runs": list(log.runs),
        "bytes": len(log.data),
        "role": opened.get("role", None),
        "title": opened.get("title", None),
        "origin": opened.get("from", None),
        "engine": opened.get("engine", None),
        "opened_at": opened["at"] if opened else None,
        "damaged": log.totals.damaged or None,
        "foreign": log.totals.foreign or None,
        "twice": log.totals.twice or None,
    }
