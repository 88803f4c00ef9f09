"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from memd.client.types.keeping import PassView
from memd.client.types.views import AppendedEvent, Origin, Reply, Searched, SessionView


class CaptureLevel(Reply, kw_only=True):
    """What is kept of conversations here."""

    level: str
    """In force on this machine."""
    asked: str
    """What memd.toml says."""
    granted: str
    """How far this machine has raised it for this workspace; empty: not at all."""
    paused_until: str
    """Nothing is kept until then; empty: it is not paused."""
    model: str
    """The address of what is asked at a session's end; empty: nothing is."""
    model_trouble: str
    """Why it did not answer last; empty: it did, or was not asked."""


class CapturePaused(Reply, kw_only=True):
    """Until when nothing of conversations is kept."""

    paused_until: str


class AttendedEvent(Reply, kw_only=True):
    """What an agent is told."""

    text: str
    """For its window, at most 9,500 UTF-16 units."""
    action: str
    """On a call of a tool."""
    reason: str
    """Why a call is denied, and what to do instead."""
    elsewhere: str
    """The workspace that has this directory's memory, to be asked next."""
    session: str
    """Of memd's, that the event goes into; empty where it was answered before."""
    status: str
    """A line for the person where a window begins: whether memory is on, and what waits for them."""


class StatedFact(Struct, kw_only=True, omit_defaults=True):
    """A statement of a model's."""

    text: str
    """One fact, in the words of the turns."""
    turns: list[int]
    """The numbers of the turns that say it."""


class PackTurn(Struct, kw_only=True, omit_defaults=True):
    """A turn of a conversation."""

    n: int
    """Its number, by which a statement names it."""
    speaker: str
    """User or agent."""
    at: str
    text: str
    """Keys and tokens are redacted."""
    seen: bool | None = None
    """It was looked at before, and proves something only with another turn."""


class KnownMemory(Struct, kw_only=True, omit_defaults=True):
    """A memory that may say already what the turns tell."""

    id: str
    text: str


class PackView(Struct, kw_only=True, omit_defaults=True):
    """What a model is given."""

    pack: str
    """Its id: an answer names it."""
    session: str
    role: str
    instructions: str
    turns: list[PackTurn]
    known: list[KnownMemory]
    form: dict[str, Any]
    """JSON schema of the answer."""


class PacksView(Reply, kw_only=True):
    """Packs, oldest first."""

    packs: list[PackView]
    skipped: dict[str, str]
    """Sessions that were left out, each with the reason."""
    left: int
    """Messages that have no pack yet."""


class UnprovedFact(Struct, kw_only=True, omit_defaults=True):
    """A statement that was refused, as no turn proves it."""

    text: str
    turns: list[int]
    why: str


class AppliedPack(Reply, kw_only=True):
    """What became of an answer."""

    would: bool
    """It was only tried."""
    pack: str
    session: str
    role: str
    settled: bool
    """Its turns are done with; where nothing was proved they are not."""
    already: bool
    """Its turns were looked at before: nothing was done."""
    passes: list[PassView]
    unproved: list[UnprovedFact]


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


class RunEvents(Reply, kw_only=True):
    """Events that were appended, durably, and how many tool iterations are left."""

    run: str
    session: str
    events: list[AppendedEvent]
    iterations: int
    max_tool_iterations: int
    left: int
