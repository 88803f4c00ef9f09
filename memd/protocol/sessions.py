"""Objects of requests and replies: sessions, packs of them to be consolidated, and hooks."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from memd.protocol.fields import Event, Part, Reply, listed
from memd.protocol.keeping import PassView
from memd.protocol.views import AppendedEvent, Origin, Searched, SessionView

MOST_TURNS = 20  # that one statement names
STATED_CHARS = 2000


class CaptureLevel(Reply):
    """What is kept of conversations here."""

    level: Annotated[str, listed("off", "explicit", "inbox", "auto"), Meta(description="in force on this machine")]
    asked: Annotated[str, listed("off", "explicit", "inbox", "auto"), Meta(description="what memd.toml says")]
    granted: Annotated[
        str, Meta(description="how far this machine has raised it for this workspace; empty: not at all")
    ]
    paused_until: Annotated[str, Meta(description="nothing is kept until then; empty: it is not paused")]
    model: Annotated[str, Meta(description="the address of what is asked at a session's end; empty: nothing is")]
    model_trouble: Annotated[str, Meta(description="why it did not answer last; empty: it did, or was not asked")]


class CapturePaused(Reply):
    """Until when nothing of conversations is kept."""

    paused_until: str


class AttendedEvent(Reply):
    """What an agent is told."""

    text: Annotated[str, Meta(description="for its window, at most 9,500 UTF-16 units")]
    action: Annotated[Annotated[str, listed("allow", "deny")], Meta(description="on a call of a tool")]
    reason: Annotated[str, Meta(description="why a call is denied, and what to do instead")]
    elsewhere: Annotated[str, Meta(description="the workspace that has this directory's memory, to be asked next")]
    session: Annotated[str, Meta(description="of memd's, that the event goes into; empty where it was answered before")]
    status: Annotated[
        str,
        Meta(description="a line for the person where a window begins: whether memory is on, and what waits for them"),
    ]


class StatedFact(Struct, kw_only=True):
    """A statement of a model's."""

    text: Annotated[str, Meta(min_length=1, max_length=STATED_CHARS, description="one fact, in the words of the turns")]
    turns: Annotated[list[int], Meta(max_length=MOST_TURNS, description="the numbers of the turns that say it")]


class PackTurn(Part, kw_only=True):
    """A turn of a conversation."""

    n: Annotated[int, Meta(description="its number, by which a statement names it")]
    speaker: Annotated[str, Meta(description="user or agent")]
    at: str
    text: Annotated[str, Meta(description="keys and tokens are redacted")]
    seen: (
        Annotated[bool, Meta(description="it was looked at before, and proves something only with another turn")] | None
    ) = None


class KnownMemory(Part):
    """A memory that may say already what the turns tell."""

    id: str
    text: str


class PackView(Part, kw_only=True):
    """What a model is given."""

    pack: Annotated[str, Meta(description="its id: an answer names it")]
    session: str
    role: str
    instructions: str
    turns: list[PackTurn]
    known: list[KnownMemory]
    form: Annotated[dict[str, Any], Meta(description="JSON schema of the answer")]


class PacksView(Reply, kw_only=True):
    """Packs, oldest first."""

    packs: list[PackView]
    skipped: Annotated[dict[str, str], Meta(description="sessions that were left out, each with the reason")]
    left: Annotated[int, Meta(description="messages that have no pack yet")]


class UnprovedFact(Part):
    """A statement that was refused, as no turn proves it."""

    text: str
    turns: list[int]
    why: str


class AppliedPack(Reply, kw_only=True):
    """What became of an answer."""

    would: Annotated[bool, Meta(description="it was only tried")]
    pack: str
    session: str
    role: str
    settled: Annotated[bool, Meta(description="its turns are done with; where nothing was proved they are not")]
    already: Annotated[bool, Meta(description="its turns were looked at before: nothing was done")]
    passes: list[PassView]
    unproved: list[UnprovedFact]


class SessionHit(Part, kw_only=True):
    """An event that was found."""

    session: str
    id: str
    seq: int
    kind: str
    at: str
    speaker: Annotated[str, Meta(description="empty where nobody spoke")]
    snippet: str
    score: float
    visible: bool
    lineage: Annotated[str, Meta(description="the first of the sessions that this one goes on from")]
    title: str | None = None
    withheld: Annotated[str, Meta(description="why it may not stand in a prompt")] | None = None
    window: Annotated[list[Event], Meta(description="events around it; of the first hit alone")] | None = None
    begins: list[Event] | None = None
    ends: list[Event] | None = None


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

    shape: Annotated[str, Meta(description="discover, scroll, read or browse")]
    hits: list[SessionHit] | None = None
    total: Annotated[int, Meta(description="of hits, or of sessions")] | None = None
    index: Searched | None = None
    session: str | None = None
    file: str | None = None
    events: Annotated[int | list[Event], Meta(description="scroll: the events; read: how many")] | None = None
    seq: int | None = None
    count: Annotated[int, Meta(description="scroll: events of the session")] | None = None
    earlier: Annotated[int, Meta(description="events before the first")] | None = None
    later: Annotated[int, Meta(description="events after the last")] | None = None
    begins: list[Event] | None = None
    ends: list[Event] | None = None
    between: Annotated[int, Meta(description="events that are not shown")] | None = None
    sessions: list[ListedSession] | None = None


class OpenedSession(SessionView, kw_only=True):
    """A session that is open."""

    existed: Annotated[bool, Meta(description="it was open already")]


class ClosedSession(SessionView, kw_only=True):
    """A session that is closed."""

    runs_still_open: Annotated[list[str], Meta(description="not sent of one closed before")] | None = None


class AppendedEvents(Reply, kw_only=True):
    """Events that were appended, durably."""

    session: str
    events: list[AppendedEvent]
    count: Annotated[int, Meta(description="events of the session")]
    already: Annotated[bool, Meta(description="the same request was carried out before")] | None = None


class History(Reply, kw_only=True):
    """The visible tail of a session."""

    session: str
    messages: Annotated[list[Event], Meta(description="oldest first: id, seq, kind, at, and what was said")]
    chars: Annotated[int, Meta(description="of all messages")]
    visible: Annotated[int, Meta(description="events that could be shown")]
    cut: Annotated[bool, Meta(description="older ones were left out")]
    lineage: Annotated[list[str], Meta(description="sessions it goes on from, itself first")] | None = None
    before: Annotated[str, Meta(description="what to ask for the page before")] | None = None


class RunEvents(Reply, kw_only=True):
    """Events that were appended, durably, and how many tool iterations are left."""

    run: str
    session: str
    events: list[AppendedEvent]
    iterations: int
    max_tool_iterations: int
    left: int
