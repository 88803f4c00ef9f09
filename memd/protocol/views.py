"""Objects of requests and replies: what several of them show: a memory, a score, a session, an event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from memd.protocol.fields import Part, Reply, listed

NEAR_CHARS = 100
# Whole where it is raised to a floor that the settings have as a whole number.
Rated = Annotated[int | float, Meta(description="0 to 10, one decimal")]
Computed = Annotated[float, Meta(description="before it was raised to that of an explicit instruction")]
Band = Annotated[str, listed("keep", "borderline", "discard"), Meta(description="where the total falls")]
Recallable = Annotated[
    str, listed("episodic", "semantic", "trait", "goal", "entry", "page", "said")
]  # an entry is of a book; said: a quote of a session


@dataclass(frozen=True, slots=True)
class Past:
    """One text of a subject: how it came to be or went, when ("" where nobody knows), the memory that said it, and the time of its event."""

    how: str
    at: str
    id: str
    content: str
    event: str


class TriedSettings(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Settings of the table `trigger` to be tried; where one is missing it is as in force."""

    relevance_threshold: Annotated[float, Meta(ge=0, le=1)] | None = None
    max_episodic: Annotated[int, Meta(ge=0, le=1000)] | None = None
    max_semantic: Annotated[int, Meta(ge=0, le=1000)] | None = None
    max_trait: Annotated[int, Meta(ge=0, le=1000)] | None = None
    max_goal: Annotated[int, Meta(ge=0, le=1000)] | None = None


class JudgedDimension(Part):
    """One of the six dimensions of a score."""

    value: Annotated[float, Meta(description="0 to 10")]
    given: Annotated[bool, Meta(description="not assessed, but said")]
    basis: str
    weight: Annotated[float, Meta(description="what it counts in the total; the six make 1")]


class JudgedTotal(Part):
    """How one was judged."""

    total: Rated
    computed_total: Computed
    band: Band
    dimensions: dict[str, JudgedDimension]


class NearText(Part):
    """A text that waits near the gate's edge."""

    id: Annotated[str, Meta(description="for review.decide")]
    role: str
    total: float
    content: Annotated[str, Meta(description=f"its first {NEAR_CHARS} characters")]


def nearest_texts(waiting: Iterable[Mapping[str, Any]], most: int) -> list[NearText]:
    """Return those of the inbox that are nearest to being kept, the nearest first."""
    nearest = sorted(waiting, key=lambda one: -one["total"])[:most]
    return [NearText(one["id"], str(one.get("role", "")), one["total"], one["content"][:NEAR_CHARS]) for one in nearest]


class MemoryView(Reply, kw_only=True):
    """A memory as replies show it: what is empty is not there."""

    id: str
    kind: Annotated[str, Meta(description="episodic, semantic, trait or goal")]
    name: Annotated[str, Meta(description="a trait's name")] | None = None
    content: str
    keys: list[str] | None = None
    tags: list[str] | None = None
    topics: list[str] | None = None
    emotions: list[str] | None = None
    inferred: Annotated[list[str], Meta(description="keys of its record that memd found out")] | None = None
    time: Annotated[str, Meta(description="since when it is remembered")] | None = None
    priority: int
    constant: Annotated[bool, Meta(description="it is always in mind")]
    event: Annotated[str, Meta(description="when what it tells happened or will, for a reader")] | None = None
    event_start: Annotated[str, Meta(description="ISO 8601 with an offset")] | None = None
    event_end: Annotated[str, Meta(description="itself not in it")] | None = None
    planned: Annotated[bool, Meta(description="that was to come when it was told")] | None = None
    valid_from: Annotated[str, Meta(description="since when it holds")] | None = None
    valid_until: Annotated[str, Meta(description="until when it holds")] | None = None
    disabled: bool | None = None
    validity: str | None = None
    score: float | None = None
    source: Annotated[str, Meta(description="who said so")] | None = None
    session: str | None = None
    speaker: Annotated[str, Meta(description="who says it there")] | None = None
    turn: Annotated[int, Meta(description="the turn of the session")] | None = None
    run: str | None = None
    supersedes: Annotated[str, Meta(description="the first of those whose place it took")] | None = None
    supersedes_all: Annotated[list[str], Meta(description="all whose place it took")] | None = None
    superseded_by: Annotated[str, Meta(description="what took its place")] | None = None
    covered: Annotated[list[str], Meta(description="its statements that others took the place of")] | None = None
    covered_by: Annotated[list[str], Meta(description="what took the place of a part of it")] | None = None
    holds: Annotated[str, Meta(description="the rest, where others took a part")] | None = None
    conflicts_with: Annotated[list[str], Meta(description="what took the same place")] | None = None


class Aging(Part, kw_only=True):
    """What a memory is worth over time: its score, worn down by age and kept up by use."""

    now: Annotated[float, Meta(description="0 to 10")]
    floor: Annotated[float, Meta(description="`upkeep.floor`: what is worth less is proposed to be forgotten")]
    below: Annotated[str, Meta(description="when it is worth less than that, unless it is used")] | None = None
    expires: Annotated[str, Meta(description="when its time is over")] | None = None
    times: Annotated[list[str], Meta(description="from its beginning to a year from now")]
    course: Annotated[
        list[float],
        Meta(
            description="its worth at each of these: as if its uses had all been at the last of them, and without use from now on"
        ),
    ]


class ListedMemory(MemoryView, kw_only=True):
    """A memory among others."""

    expired: Annotated[bool, Meta(description="its time is over")] | None = None
    forgotten_at: str | None = None
    reason: Annotated[str, Meta(description="why it was forgotten")] | None = None
    withheld: Annotated[str, Meta(description="why it stays out of prompts")] | None = None
    worth: Annotated[float, Meta(description="with `figures`: 0 to 10, by its score, its age and its use")] | None = (
        None
    )
    uses: Annotated[int, Meta(description="with `figures`: how often it came to mind")] | None = None
    last_use: str | None = None
    expires: Annotated[str, Meta(description="with `figures`: when its time is over")] | None = None
    related: Annotated[list[str], Meta(description="with `figures`: ids that it was linked to")] | None = None


class Hit(Part, kw_only=True):
    """A document that was found."""

    kind: str
    role: Annotated[str, Meta(description="whose memory it is; empty where it is none")]
    id: str
    name: Annotated[str, Meta(description="its file")]
    title: str
    snippet: Annotated[str, Meta(description="the best part, the words marked **so**")]
    score: Annotated[float, Meta(description="0 to 1")]
    line: Annotated[int, Meta(description="of its file")]
    time: str | None = None
    event: Annotated[str, Meta(description="when what it tells happened or will")] | None = None
    tags: list[str] | None = None
    superseded_by: Annotated[str, Meta(description="what took its place")] | None = None
    earlier: Annotated[bool, Meta(description="its words are of then, others than now")] | None = None
    withheld: Annotated[str, Meta(description="why it may not stand in a prompt")] | None = None


class Searched(Part):
    """How far the full-text index on disk was."""

    behind: Annotated[int, Meta(description="documents that it does not have as they are now")]
    state: Annotated[str, listed("ready", "building", "failed", "absent")]


class Found(Reply, kw_only=True):
    """The best documents."""

    hits: list[Hit]
    total: Annotated[int, Meta(description="how many there are")]
    about: (
        Annotated[
            bool,
            Meta(description="the total is an estimate: of words that nearly everything has, only the newest are read"),
        ]
        | None
    ) = None
    index: Searched
    as_of: Annotated[str, Meta(description="the time that was asked about")] | None = None
    notes: Annotated[list[str], Meta(description="what nobody can tell of then")] | None = None
    elapsed_ms: float


class Origin(Part):
    """Where a session comes from."""

    session: str
    how: Annotated[str, Meta(description="resume or fork")]
    at: Annotated[str, Meta(description="the event after which it goes another way")]


class SessionView(Reply, kw_only=True):
    """What a session comes to."""

    session: str
    file: str
    events: int
    visible: Annotated[int, Meta(description="events that a model is shown again")]
    closed: bool
    kinds: Annotated[dict[str, int], Meta(description="how many events of each kind there are")]
    usage: Annotated[dict[str, float], Meta(description="input_tokens, output_tokens, ..., cost, calls; no zeros")]
    last_at: str
    runs: list[str]
    bytes: int
    role: str | None = None
    title: str | None = None
    origin: Origin | None = field(default=None, name="from")
    engine: str | None = None
    opened_at: str | None = None
    damaged: Annotated[int, Meta(description="lines that cannot be read")] | None = None
    foreign: Annotated[int, Meta(description="lines that somebody else wrote")] | None = None
    twice: Annotated[int, Meta(description="lines that stand there again")] | None = None


class AppendedEvent(Part):
    """An event that was appended."""

    id: str
    seq: Annotated[int, Meta(description="its place in the session, from 1")]
    raw_tool_call: (
        Annotated[dict[str, Any], Meta(description="a tool call that was written as text, and what became of it")]
        | None
    ) = None
