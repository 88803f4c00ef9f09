"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from memd.client.types.plain.declared import Reply
from memd.client.types.work.session_views import AppendedEvent, SessionView


class OpenedSession(SessionView, kw_only=True):
    """A session that is open."""

    existed: bool
    """It was open already."""


class ClosedSession(SessionView, kw_only=True):
    """A session that is closed."""

    runs_still_open: list[str] | None = None
    """Not sent of one closed before."""


class AppendedEvents(Reply, kw_only=True):
    """Events that were appended, durably."""

    session: str
    events: list[AppendedEvent]
    count: int
    """Events of the session."""
    already: bool | None = None
    """The same request was carried out before."""


class History(Reply, kw_only=True):
    """The visible tail of a session."""

    session: str
    messages: list[dict[str, Any]]
    """Oldest first: id, seq, kind, at, and what was said."""
    chars: int
    """Of all messages."""
    visible: int
    """Events that could be shown."""
    cut: bool
    """Older ones were left out."""
    lineage: list[str] | None = None
    """Sessions it goes on from, itself first."""
    before: str | None = None
    """What to ask for the page before."""
