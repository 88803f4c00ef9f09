"""The verbs of sessions: the event stream of one conversation, and what of it a model is shown again."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from memd.errors import (
    BadEventError,
    BadNameError,
    BadParamsError,
    NameTakenError,
    SessionClosedError,
    SessionFullError,
    SessionOrderError,
    SessionsFullError,
    SessionUnknownError,
)
from memd.protocol.fields import Events, MaybeName, Name, Request, Short
from memd.protocol.sessions import AppendedEvents, ClosedSession, History, OpenedSession
from memd.protocol.views import AppendedEvent, SessionView
from memd.service.work.appending import append
from memd.service.work.histories import lineage_of, safe_tail
from memd.service.work.sessions import OpenRequest, close_session, fields_of, open_session, session_of
from memd.verbs.declared import Service, verb


class OpenSession(Request):
    """A session to open; without a name it gets one."""

    session: Annotated[MaybeName, Meta(description="its name; else it gets one")] = ""
    role: Annotated[MaybeName, Meta(description="whose session it is")] = ""
    title: Annotated[Short, Meta(description="what it is about")] = ""
    resumes: Annotated[MaybeName, Meta(description="the session that this one continues, from its end")] = ""
    forks: Annotated[MaybeName, Meta(description="the session that this one forks from")] = ""
    at: Annotated[str, Meta(max_length=100, description="the event after which it forks, by its id; else the end")] = ""
    engine: Annotated[Short, Meta(description="the program that talks in it")] = ""


class OfSession(Request):
    """A session."""

    session: Name


class AppendEvents(OfSession):
    """Events in their order: all are appended, or none."""

    events: Annotated[Events, Meta(min_length=1)]
    after: Annotated[
        int, Meta(ge=-1, description="how many events the caller knows of; another number is refused")
    ] = -1


class ReadHistory(OfSession):
    """Limits of 0 are the settings'."""

    max_messages: Annotated[int, Meta(ge=0, le=100_000, description="how many messages; 0 is what memd.toml says")] = 0
    budget_chars: Annotated[
        int, Meta(ge=0, le=10_000_000, description="how many characters of them; 0 is what memd.toml says")
    ] = 0
    before: Annotated[str, Meta(max_length=100, description="an event's id: the page before it")] = ""
    lineage: Annotated[bool, Meta(description="go on into the sessions that this one comes from")] = True


class CloseSession(OfSession):
    """Why it is closed."""

    reason: Annotated[Short, Meta(description="why")] = ""


@verb(
    "session.open",
    writes=True,
    errors=(
        BadNameError,
        NameTakenError,
        SessionClosedError,
        SessionFullError,
        SessionUnknownError,
        SessionsFullError,
    ),
)
async def open_one(service: Service, asked: OpenSession) -> OpenedSession:
    """Open a session, or go on from one."""
    opened = await open_session(
        service.store,
        OpenRequest(
            session=asked.session,
            role=asked.role,
            title=asked.title,
            resumes=asked.resumes,
            forks=asked.forks,
            from_event=asked.at,
            engine=asked.engine,
        ),
    )
    return OpenedSession(**fields_of(opened.log), existed=opened.existed)


@verb(
    "session.append",
    writes=True,
    errors=(
        BadEventError,
        SessionClosedError,
        SessionFullError,
        SessionOrderError,
        SessionUnknownError,
        SessionsFullError,
    ),
)
async def append_events(service: Service, asked: AppendEvents) -> AppendedEvents:
    """Append events, durably."""
    done = await append(service.store, asked.session, asked.events, after=asked.after)
    return AppendedEvents(
        session=done.session,
        events=msgspec.convert(done.events, list[AppendedEvent]),
        count=done.total,
        already=done.already or None,
        remarks=list(done.remarks) or None,
    )


@verb("session.history", errors=(SessionUnknownError,))
async def read_history(service: Service, asked: ReadHistory) -> History:
    """Return the visible tail within limits."""
    store = service.store
    logs = await lineage_of(store, asked.session, whole=asked.lineage)
    log = logs[0][0]
    if asked.before and not any(one.find(asked.before) for one, _ in logs):
        raise BadParamsError(f"before: {asked.before!r:.82} is no event of session {log.name!r}")
    tail = await safe_tail(
        store, logs, max_messages=asked.max_messages, budget_chars=asked.budget_chars, before=asked.before
    )
    return History(
        session=log.name,
        messages=tail.entries,
        chars=tail.chars,
        visible=sum(one.visible_count(stop) for one, stop in logs),
        cut=tail.cut,
        lineage=[one.name for one, _ in logs] if len(logs) > 1 else None,
        before=tail.entries[0]["id"] if tail.cut and tail.entries else None,
    )


@verb("session.get", errors=(SessionUnknownError,))
async def get_session(service: Service, asked: OfSession) -> SessionView:
    """Tell what a session comes to."""
    store = service.store
    async with store.working.turn_of(asked.session):
        return SessionView(**fields_of(await session_of(store, asked.session)))


@verb("session.close", writes=True, errors=(SessionUnknownError,))
async def close_one(service: Service, asked: CloseSession) -> ClosedSession:
    """Close a session."""
    closed = await close_session(service.store, asked.session, asked.reason)
    runs = None if closed.open_runs is None else closed.open_runs
    return ClosedSession(**fields_of(closed.log), runs_still_open=runs)
