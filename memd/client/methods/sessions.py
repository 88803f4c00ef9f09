"""Made from the declarations by `make docs`: change those, not this."""

# mypy: disable-error-code=empty-body

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from memd.client.asking import Asks, K, method

if TYPE_CHECKING:
    from memd.protocol.recall import (
        Context,
        CuratedOperation,
        EditedCurated,
        ReadCurated,
        SnapshotSections,
        TakenSnapshot,
    )
    from memd.protocol.sessions import AppendedEvents, ClosedSession, FoundInSessions, History, OpenedSession
    from memd.protocol.views import SessionView


class ContextMethods(Asks[K]):
    """The methods `context.*`."""

    @method("context.render")
    def render(
        self,
        *,
        run: str = "",
        session: str = "",
        role: str = "",
        message: str = "",
        snapshot: str = "",
        budget_chars: int = 0,
        max_messages: int = 0,
        now: float | str | None = None,
        zone: str = "",
        record: bool = True,
        reader: Literal["person", "model"] = "person",
    ) -> Context:
        """Put together what a model is given next.

        run: of this run: its snapshot, session and role
        session: of this session: its history
        role: whose memory is asked
        message: the newest message; else the session's last of the user
        snapshot: a stored one; else the run's, else the files as they are
        budget_chars: how many characters all together may have; 0 is no limit
        max_messages: how many messages; 0 is what memd.toml says
        now: the time it is; else the clock: seconds, milliseconds or ISO 8601
        zone: time zone: a name, or an offset such as +08:00
        record: note in the run what was injected
        """


class CuratedMethods(Asks[K]):
    """The methods `curated.*`."""

    @method("curated.add")
    def add(
        self, *, content: str, file: str = "memory", digest: str = "", reader: Literal["person", "model"] = "person"
    ) -> EditedCurated:
        """Add an entry.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        """

    @method("curated.edit")
    def edit(
        self,
        *,
        operations: list[CuratedOperation],
        file: str = "memory",
        digest: str = "",
        dry_run: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> EditedCurated:
        """Make several edits, all or none.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        dry_run: say what would stand there, and change nothing
        """

    @method("curated.read")
    def read(self, *, file: str = "memory", reader: Literal["person", "model"] = "person") -> ReadCurated:
        """Return MEMORY.md or USER.md, by entry.

        file: memory or user: MEMORY.md or USER.md
        """

    @method("curated.remove")
    def remove(
        self, *, old_text: str, file: str = "memory", digest: str = "", reader: Literal["person", "model"] = "person"
    ) -> EditedCurated:
        """Remove an entry.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        """

    @method("curated.replace")
    def replace(
        self,
        *,
        content: str,
        old_text: str,
        file: str = "memory",
        digest: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> EditedCurated:
        """Replace an entry.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        """


class SessionMethods(Asks[K]):
    """The methods `session.*`."""

    @method("session.append")
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

    @method("session.close")
    def close(self, *, session: str, reason: str = "", reader: Literal["person", "model"] = "person") -> ClosedSession:
        """Close a session.

        reason: why
        """

    @method("session.get")
    def get(self, *, session: str, reader: Literal["person", "model"] = "person") -> SessionView:
        """Tell what a session comes to."""

    @method("session.history")
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

    @method("session.open")
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
        resumes: the session that this one continues, from its end
        forks: the session that this one forks from
        at: the event after which it forks, by its id; else the end
        engine: the program that talks in it
        """

    @method("session.search")
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


class SnapshotMethods(Asks[K]):
    """The methods `snapshot.*`."""

    @method("snapshot.sections")
    def sections(self, *, digest: str, reader: Literal["person", "model"] = "person") -> SnapshotSections:
        """Return a snapshot as prompt sections.

        digest: or its first characters
        """

    @method("snapshot.take")
    def take(self, *, reader: Literal["person", "model"] = "person") -> TakenSnapshot:
        """Freeze the curated memory, stored once."""
