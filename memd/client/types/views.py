"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field


class Past(Struct, kw_only=True, omit_defaults=True):
    """One text of a subject: how it came to be or went, when ("" where nobody knows), the memory that said it, and the time of its event."""

    how: str
    at: str
    id: str
    content: str
    event: str


class TriedSettings(Struct, kw_only=True, omit_defaults=True):
    """Settings of the table `trigger` to be tried; where one is missing it is as in force."""

    relevance_threshold: float | None = None
    max_episodic: int | None = None
    max_semantic: int | None = None
    max_trait: int | None = None
    max_goal: int | None = None


class Reply(Struct, kw_only=True, omit_defaults=True):
    """What is answered. A field that is UNSET is not sent."""

    remarks: list[str] | None = None
    """What became of the request on its way."""


class SectionView(Struct, kw_only=True, omit_defaults=True):
    """A section of a prompt."""

    name: str
    title: str
    content: str


class JudgedDimension(Struct, kw_only=True, omit_defaults=True):
    """One of the six dimensions of a score."""

    value: float
    """0 to 10."""
    given: bool
    """Not assessed, but said."""
    basis: str
    weight: float
    """What it counts in the total; the six make 1."""


class JudgedTotal(Struct, kw_only=True, omit_defaults=True):
    """How one was judged."""

    total: int | float
    """0 to 10, one decimal."""
    computed_total: float
    """Before it was raised to that of an explicit instruction."""
    band: str
    """Where the total falls."""
    dimensions: dict[str, JudgedDimension]


class NearText(Struct, kw_only=True, omit_defaults=True):
    """A text that waits near the gate's edge."""

    id: str
    """For review.decide."""
    role: str
    total: float
    content: str
    """Its first 100 characters."""


class MemoryView(Reply, kw_only=True):
    """A memory as replies show it: what is empty is not there."""

    id: str
    kind: str
    """Episodic, semantic, trait or goal."""
    name: str | None = None
    """A trait's name."""
    content: str
    keys: list[str] | None = None
    tags: list[str] | None = None
    topics: list[str] | None = None
    emotions: list[str] | None = None
    inferred: list[str] | None = None
    """Keys of its record that memd found out."""
    time: str | None = None
    """Since when it is remembered."""
    priority: int
    constant: bool
    """It is always in mind."""
    event: str | None = None
    """When what it tells happened or will, for a reader."""
    event_start: str | None = None
    """ISO 8601 with an offset."""
    event_end: str | None = None
    """Itself not in it."""
    planned: bool | None = None
    """That was to come when it was told."""
    valid_from: str | None = None
    """Since when it holds."""
    valid_until: str | None = None
    """Until when it holds."""
    disabled: bool | None = None
    validity: str | None = None
    score: float | None = None
    source: str | None = None
    """Who said so."""
    session: str | None = None
    speaker: str | None = None
    """Who says it there."""
    turn: int | None = None
    """The turn of the session."""
    run: str | None = None
    supersedes: str | None = None
    """The first of those whose place it took."""
    supersedes_all: list[str] | None = None
    """All whose place it took."""
    superseded_by: str | None = None
    """What took its place."""
    covered: list[str] | None = None
    """Its statements that others took the place of."""
    covered_by: list[str] | None = None
    """What took the place of a part of it."""
    holds: str | None = None
    """The rest, where others took a part."""
    conflicts_with: list[str] | None = None
    """What took the same place."""


class Aging(Struct, kw_only=True, omit_defaults=True):
    """What a memory is worth over time: its score, worn down by age and kept up by use."""

    now: float
    """0 to 10."""
    floor: float
    """`upkeep.floor`: what is worth less is proposed to be forgotten."""
    below: str | None = None
    """When it is worth less than that, unless it is used."""
    expires: str | None = None
    """When its time is over."""
    times: list[str]
    """From its beginning to a year from now."""
    course: list[float]
    """Its worth at each of these: as if its uses had all been at the last of them, and without use from now on."""


class ListedMemory(MemoryView, kw_only=True):
    """A memory among others."""

    expired: bool | None = None
    """Its time is over."""
    forgotten_at: str | None = None
    reason: str | None = None
    """Why it was forgotten."""
    withheld: str | None = None
    """Why it stays out of prompts."""
    worth: float | None = None
    """With `figures`: 0 to 10, by its score, its age and its use."""
    uses: int | None = None
    """With `figures`: how often it came to mind."""
    last_use: str | None = None
    expires: str | None = None
    """With `figures`: when its time is over."""
    related: list[str] | None = None
    """With `figures`: ids that it was linked to."""


class Hit(Struct, kw_only=True, omit_defaults=True):
    """A document that was found."""

    kind: str
    role: str
    """Whose memory it is; empty where it is none."""
    id: str
    name: str
    """Its file."""
    title: str
    snippet: str
    """The best part, the words marked **so**."""
    score: float
    """0 to 1."""
    line: int
    """Of its file."""
    time: str | None = None
    event: str | None = None
    """When what it tells happened or will."""
    tags: list[str] | None = None
    superseded_by: str | None = None
    """What took its place."""
    earlier: bool | None = None
    """Its words are of then, others than now."""
    withheld: str | None = None
    """Why it may not stand in a prompt."""


class Searched(Struct, kw_only=True, omit_defaults=True):
    """How far the full-text index on disk was."""

    behind: int
    """Documents that it does not have as they are now."""
    state: str


class Found(Reply, kw_only=True):
    """The best documents."""

    hits: list[Hit]
    total: int
    """How many there are."""
    about: bool | None = None
    """The total is an estimate: of words that nearly everything has, only the newest are read."""
    index: Searched
    as_of: str | None = None
    """The time that was asked about."""
    notes: list[str] | None = None
    """What nobody can tell of then."""
    elapsed_ms: float


class Origin(Struct, kw_only=True, omit_defaults=True):
    """Where a session comes from."""

    session: str
    how: str
    """Resume or fork."""
    at: str
    """The event after which it goes another way."""


class SessionView(Reply, kw_only=True):
    """What a session comes to."""

    session: str
    file: str
    events: int
    visible: int
    """Events that a model is shown again."""
    closed: bool
    kinds: dict[str, int]
    """How many events of each kind there are."""
    usage: dict[str, float]
    """Input_tokens, output_tokens, ..., cost, calls; no zeros."""
    last_at: str
    runs: list[str]
    bytes: int
    role: str | None = None
    title: str | None = None
    origin: Origin | None = field(default=None, name="from")
    engine: str | None = None
    opened_at: str | None = None
    damaged: int | None = None
    """Lines that cannot be read."""
    foreign: int | None = None
    """Lines that somebody else wrote."""
    twice: int | None = None
    """Lines that stand there again."""


class AppendedEvent(Struct, kw_only=True, omit_defaults=True):
    """An event that was appended."""

    id: str
    seq: int
    """Its place in the session, from 1."""
    raw_tool_call: dict[str, Any] | None = None
    """A tool call that was written as text, and what became of it."""
