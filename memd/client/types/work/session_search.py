"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from memd.client.types.plain.declared import Reply
from memd.client.types.plain.searches import Searched
from memd.client.types.work.session_views import Origin


class SessionHit(Struct, kw_only=True, omit_defaults=True):
    """An event that was found."""

    session: str
    id: str
    seq: int
    kind: str
    at: str
    speaker: str
    """Empty where nobody spoke."""
    snippet: str
    score: float
    visible: bool
    lineage: str
    """The first of the sessions that this one goes on from."""
    title: str | None = None
    withheld: str | None = None
    """Why it may not stand in a prompt."""
    window: list[dict[str, Any]] | None = None
    """Events around it; of the first hit alone."""
    begins: list[dict[str, Any]] | None = None
    ends: list[dict[str, Any]] | None = None


class _OfSession(Reply, kw_only=True):
    """What a session comes to, as session.get has it; nothing where it cannot be read."""

    visible: int | None = None
    closed: bool | None = None
    kinds: dict[str, int] | None = None
    usage: dict[str, float] | None = None
    last_at: str | None = None
    runs: list[str] | None = None
    bytes: int | None = None
    role: str | None = None
    title: str | None = None
    origin: Origin | None = field(default=None, name="from")
    engine: str | None = None
    opened_at: str | None = None
    damaged: int | None = None
    foreign: int | None = None
    twice: int | None = None


class ListedSession(_OfSession, kw_only=True):
    """A session; one that cannot be read has its name, its file and its fault alone."""

    session: str
    file: str
    events: int | None = None
    fault: str | None = None


class FoundInSessions(_OfSession, kw_only=True):
    """Hits, a window, the two ends of a session with what it comes to, or the list: as `shape` says."""

    shape: str
    """Discover, scroll, read or browse."""
    hits: list[SessionHit] | None = None
    total: int | None = None
    """Of hits, or of sessions."""
    index: Searched | None = None
    session: str | None = None
    file: str | None = None
    events: int | list[dict[str, Any]] | None = None
    """Scroll: the events; read: how many."""
    seq: int | None = None
    count: int | None = None
    """Scroll: events of the session."""
    earlier: int | None = None
    """Events before the first."""
    later: int | None = None
    """Events after the last."""
    begins: list[dict[str, Any]] | None = None
    ends: list[dict[str, Any]] | None = None
    between: int | None = None
    """Events that are not shown."""
    sessions: list[ListedSession] | None = None
