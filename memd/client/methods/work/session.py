"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.work.session_search import FoundInSessions
    from memd.client.types.work.session_views import SessionView
    from memd.client.types.work.sessions import AppendedEvents, ClosedSession, History, OpenedSession


class SessionMethods:
    """The methods `session.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def append(
        self,
        *,
        session: str,
        events: list[dict[str, Any]],
        after: int = -1,
        reader: Literal["person", "model"] = "person",
    ) -> AppendedEvents:
        """Append events, durably.

        after: how many events the caller knows of; another number is refused
        """
        found: AppendedEvents = typed(
            "session.append",
            "work.sessions.AppendedEvents",
            self._client.call("session.append", **given(self.append, locals())),
        )
        return found

    def close(self, *, session: str, reason: str = "", reader: Literal["person", "model"] = "person") -> ClosedSession:
        """Close a session.

        reason: why
        """
        found: ClosedSession = typed(
            "session.close",
            "work.sessions.ClosedSession",
            self._client.call("session.close", **given(self.close, locals())),
        )
        return found

    def get(self, *, session: str, reader: Literal["person", "model"] = "person") -> SessionView:
        """Tell what a session comes to."""
        found: SessionView = typed(
            "session.get",
            "work.session_views.SessionView",
            self._client.call("session.get", **given(self.get, locals())),
        )
        return found

    def history(
        self,
        *,
        session: str,
        max_messages: int = 0,
        budget_chars: int = 0,
        before: str = "",
        lineage: bool = True,
        reader: Literal["person", "model"] = "person",
    ) -> History:
        """Return the visible tail within limits.

        max_messages: how many messages; 0 is what memd.toml says
        budget_chars: how many characters of them; 0 is what memd.toml says
        before: an event's id: the page before it
        lineage: go on into the sessions that this one comes from
        """
        found: History = typed(
            "session.history",
            "work.sessions.History",
            self._client.call("session.history", **given(self.history, locals())),
        )
        return found

    def open(
        self,
        *,
        session: str = "",
        role: str = "",
        title: str = "",
        resumes: str = "",
        forks: str = "",
        at: str = "",
        engine: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> OpenedSession:
        """Open a session, or go on from one.

        session: its name; else it gets one
        role: whose session it is
        title: what it is about
        resumes: the session that this one goes on from, at its end
        forks: the session that this one leaves
        at: the event after which, by its id; else the end
        engine: the program that talks in it
        """
        found: OpenedSession = typed(
            "session.open",
            "work.sessions.OpenedSession",
            self._client.call("session.open", **given(self.open, locals())),
        )
        return found

    def search(
        self,
        *,
        query: str = "",
        session: str = "",
        around: str = "",
        window: int = 5,
        speaker: Literal["user", "assistant", "system", "tool", ""] = "",
        after: str = "",
        before: str = "",
        limit: int = 10,
        offset: int = 0,
        reader: Literal["person", "model"] = "person",
    ) -> FoundInSessions:
        """Discover, scroll, read or browse sessions.

        query: what was said
        session: in this session and those it comes from; without `query`: read it
        around: what stood around an event, by its id or number
        window: how many events on each side
        speaker: with `query`: only what this one said
        after: with `query`: from this year, month, day or moment on
        before: with `query`: before this year, month, day or moment
        limit: how many at once
        offset: how many to pass over
        """
        found: FoundInSessions = typed(
            "session.search",
            "work.session_search.FoundInSessions",
            self._client.call("session.search", **given(self.search, locals())),
        )
        return found


class AsyncSessionMethods:
    """The methods `session.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def append(
        self,
        *,
        session: str,
        events: list[dict[str, Any]],
        after: int = -1,
        reader: Literal["person", "model"] = "person",
    ) -> AppendedEvents:
        """Append events, durably.

        after: how many events the caller knows of; another number is refused
        """
        found: AppendedEvents = typed(
            "session.append",
            "work.sessions.AppendedEvents",
            await self._client.call("session.append", **given(self.append, locals())),
        )
        return found

    async def close(
        self, *, session: str, reason: str = "", reader: Literal["person", "model"] = "person"
    ) -> ClosedSession:
        """Close a session.

        reason: why
        """
        found: ClosedSession = typed(
            "session.close",
            "work.sessions.ClosedSession",
            await self._client.call("session.close", **given(self.close, locals())),
        )
        return found

    async def get(self, *, session: str, reader: Literal["person", "model"] = "person") -> SessionView:
        """Tell what a session comes to."""
        found: SessionView = typed(
            "session.get",
            "work.session_views.SessionView",
            await self._client.call("session.get", **given(self.get, locals())),
        )
        return found

    async def history(
        self,
        *,
        session: str,
        max_messages: int = 0,
        budget_chars: int = 0,
        before: str = "",
        lineage: bool = True,
        reader: Literal["person", "model"] = "person",
    ) -> History:
        """Return the visible tail within limits.

        max_messages: how many messages; 0 is what memd.toml says
        budget_chars: how many characters of them; 0 is what memd.toml says
        before: an event's id: the page before it
        lineage: go on into the sessions that this one comes from
        """
        found: History = typed(
            "session.history",
            "work.sessions.History",
            await self._client.call("session.history", **given(self.history, locals())),
        )
        return found

    async def open(
        self,
        *,
        session: str = "",
        role: str = "",
        title: str = "",
        resumes: str = "",
        forks: str = "",
        at: str = "",
        engine: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> OpenedSession:
        """Open a session, or go on from one.

        session: its name; else it gets one
        role: whose session it is
        title: what it is about
        resumes: the session that this one goes on from, at its end
        forks: the session that this one leaves
        at: the event after which, by its id; else the end
        engine: the program that talks in it
        """
        found: OpenedSession = typed(
            "session.open",
            "work.sessions.OpenedSession",
            await self._client.call("session.open", **given(self.open, locals())),
        )
        return found

    async def search(
        self,
        *,
        query: str = "",
        session: str = "",
        around: str = "",
        window: int = 5,
        speaker: Literal["user", "assistant", "system", "tool", ""] = "",
        after: str = "",
        before: str = "",
        limit: int = 10,
        offset: int = 0,
        reader: Literal["person", "model"] = "person",
    ) -> FoundInSessions:
        """Discover, scroll, read or browse sessions.

        query: what was said
        session: in this session and those it comes from; without `query`: read it
        around: what stood around an event, by its id or number
        window: how many events on each side
        speaker: with `query`: only what this one said
        after: with `query`: from this year, month, day or moment on
        before: with `query`: before this year, month, day or moment
        limit: how many at once
        offset: how many to pass over
        """
        found: FoundInSessions = typed(
            "session.search",
            "work.session_search.FoundInSessions",
            await self._client.call("session.search", **given(self.search, locals())),
        )
        return found
