"""What a memory is: one record of a role, as the engine sees it.

Units
    seconds since the epoch (UTC) for times; days for decay; weights and confidence 0 to 1; priority 0 to 100.
Source
    The fields and defaults are those of docs/design/origins.md#the-role-memory;
    tags, validity, score, provenance and supersession are memd's own, all optional.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.model.lore import Entry  # noqa: TC001  who decodes a memory asks what its fields are

if TYPE_CHECKING:
    from collections.abc import Sequence


WORLD = "world"  # the tag of what happens in a story, or is said there: nothing of it is the user's


class Kind(StrEnum):
    """The four kinds, as they are written on the wire."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    TRAIT = "trait"
    GOAL = "goal"


class Source(StrEnum):
    """Who said it."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    FILE_EDIT = "file-edit"
    IMPORT = "import"


class Validity(StrEnum):
    """How long a memory is expected to hold."""

    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"


VALIDITY_WORDS = {
    "short": Validity.SHORT,
    "medium": Validity.MEDIUM,
    "long": Validity.LONG,
    "短期": Validity.SHORT,
    "中期": Validity.MEDIUM,
    "长期": Validity.LONG,
}


@dataclass(frozen=True, slots=True)
class KindDefaults:
    """What a field means when the record does not say."""

    priority: int
    constant: bool
    relevance_weight: float
    emotional_weight: float
    decay_per_day: float


DEFAULTS = {
    Kind.EPISODIC: KindDefaults(50, False, 0.8, 0.5, 0.1),
    Kind.SEMANTIC: KindDefaults(60, False, 0.9, 0.3, 0.05),
    Kind.TRAIT: KindDefaults(70, False, 1.0, 0.5, 0.01),
    Kind.GOAL: KindDefaults(60, False, 0.8, 0.7, 0.02),
}


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time, from `start_s` up to, not including, `end_s`; None and "" where nobody knows.

    `start` and `end` as they are written, ISO 8601 with an offset; `told`, `since` (its beginning) and `until` for a reader.
    """

    start_s: float | None
    end_s: float | None
    start: str = ""
    end: str = ""
    told: str = ""
    since: str = ""
    until: str = ""

    def span(self) -> tuple[float, float] | None:
        """Return both bounds: of an event whose end nobody knows, its first second."""
        if self.start_s is None:
            return None
        return self.start_s, self.start_s + 1 if self.end_s is None else self.end_s


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory. `text` is what a reader gets: a trait is its name and its value, without what others took the place of.

    `supersedes` and `covers` (digests of statements of those it names; none: all of them) are its own word. What follows
    from the word of others is never read from a record: `superseded_by` took the place of all of it, `covered_by` of a
    part, the statements of the digests `covered`, and `holds` is the rest; `rivals` took the place of the same and say otherwise, `earlier` where one of them is newer.
    `conflicts` are those that it says otherwise than, where nobody was sure, and `beside` those that hold beside it as a
    person said: its own word too. Who conflicts, on either side, is among the `rivals`.
    """

    id: str
    kind: Kind
    content: str
    name: str = ""
    keys: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    emotions: tuple[str, ...] = ()
    when_s: float | None = None
    priority: int = 50
    constant: bool = False
    ordinary: bool = False  # its record says in so many words that it is not constant
    disabled: bool = False
    relevance_weight: float = 1.0
    emotional_weight: float = 0.5
    decay_per_day: float = 0.0
    expires_s: float | None = None
    validity: str = ""
    score: float | None = None
    source: str = ""
    session: str = ""
    run: str = ""
    supersedes: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    superseded_by: str = ""
    covered_by: tuple[str, ...] = ()
    covered: tuple[str, ...] = ()
    holds: str = ""
    conflicts: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    earlier: bool = False
    speaker: str = ""
    turn: int | None = None
    inferred: tuple[str, ...] = ()  # keys of its record that memd found out
    trigger_type: str = ""
    event: Period | None = None  # when what it tells happened or will
    held: Period | None = None  # since when and until when it held
    undated: float | str | None = (
        None  # of what memd did not write and that has neither: when it was told, as that is written
    )
    planned: bool = False  # its event lay in the future when it was written
    lore: Entry | None = None  # what World Info's members of the record say; None where it has none

    @property
    def is_turn(self) -> bool:
        """Tell whether this is what somebody said in one turn of a session: others neither take its place nor add to it."""
        return self.kind is Kind.EPISODIC and bool(self.session and self.speaker) and self.turn is not None

    def is_expired(self, now_s: float) -> bool:
        """Tell whether its time is over."""
        return self.expires_s is not None and self.expires_s <= now_s

    @property
    def is_of_world(self) -> bool:
        """Tell whether this is of a story's world, and not the user's."""
        return WORLD in self.tags

    @property
    def text(self) -> str:
        """The words of this memory, for a reader and for what is found in memory."""
        said = self.said
        if not self.name or self.name.casefold() in said.casefold():
            return said
        return f"{self.name}: {said}"

    @property
    def said(self) -> str:
        """Its content, as far as it holds."""
        return self.holds or self.content

    def as_written(self) -> Memory:
        """Return it as its record has it, whatever others took the place of."""
        if not (self.superseded_by or self.covered_by or self.holds or self.rivals):
            return self
        return replace(self, superseded_by="", covered_by=(), covered=(), holds="", rivals=(), earlier=False)


def notes_of(event: Period | None, held: Period | None, now_s: float | None, text: str, *, planned: bool) -> list[str]:
    """Return what a reader is told of a memory's times at a time, "" left out: a plan whose day is over is told as past."""
    notes: list[str] = []
    if event is not None and (span := event.span()):
        if planned:
            notes.append(f"{'was ' if now_s is not None and span[1] <= now_s else ''}planned for {event.told}")
        elif event.told not in text:
            notes.append(_at(event.told))
    if held is not None:
        over = held.end_s is not None and now_s is not None and held.end_s <= now_s
        if held.since and held.since[:4] not in text and not over:
            notes.append(f"since {held.since}")
        if held.until:
            notes.append(f"{'held ' if over else ''}until {held.until}")
    return notes


def _at(told: str) -> str:
    if " to " in told:
        return f"from {told}"
    return f"on {told}" if len(told) >= len("2026-01-01") else f"in {told}"


def doubts_of(conflicts_with: object) -> dict[str, dict[str, Any]]:
    """Return what a record's `conflictsWith` says by the id it names: objects with `id`, `why` and `sure`, or ids alone."""
    found: dict[str, dict[str, Any]] = {}
    for one in conflicts_with if isinstance(conflicts_with, list) else ():
        told = one if isinstance(one, dict) else {"id": one}
        if isinstance(told.get("id"), str) and told["id"].strip():
            found.setdefault(told["id"], told)
    return found


READ_CHARS = 4000  # what a text is, its beginning tells


class Dimension(StrEnum):
    """What a text is judged by, in the order it is shown."""

    IMPORTANCE = "importance"
    NOVELTY = "novelty"
    RELEVANCE = "relevance"
    CREDIBILITY = "credibility"
    GRANULARITY = "granularity"
    TIMELINESS = "timeliness"


PUT = "put"  # a scoring of what a verb was given to store: none of the day's

# A text near the gate's edge waits in the inbox.
WAITING = "waiting"
# What becomes of a text that waited: a person kept it, or let it go; it was told again; it is known by now; its time was over;
# newer ones needed its place; what says the same was erased. Or it waits again, as a decision was taken back.
KEPT, DROPPED, AGAIN, KNOWN, EXPIRED, CROWDED, ERASED = "kept", "dropped", "told again", "known", "expired", "crowded out", "erased"  # fmt: skip
UNDONE = "undone"
STANDS = "stands"  # what became of a verdict that words gave alone and that was left as it is
JUDGED = "judged again"  # and that is what the audit's note says of a verdict that words gave alone
NOTE = "inbox"  # what a note of the audit says that tells what became of a text that waited

# Tenths, so that the sum is exact before it is rounded.
WEIGHT_TENTHS = {
    Dimension.IMPORTANCE: 3,
    Dimension.NOVELTY: 1,
    Dimension.RELEVANCE: 2,
    Dimension.CREDIBILITY: 2,
    Dimension.GRANULARITY: 1,
    Dimension.TIMELINESS: 1,
}


class Band(StrEnum):
    """Where a total falls."""

    KEEP = "keep"
    BORDERLINE = "borderline"
    DISCARD = "discard"


@dataclass(frozen=True, slots=True)
class Rating:
    """One dimension: its value, whether the caller gave it, and why it is so."""

    value: float
    given: bool
    basis: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate decided: `total` counts, `computed_total` is what the formula said."""

    ratings: dict[Dimension, Rating]
    computed_total: float
    total: float
    band: Band
    keep: bool
    reason: str
    hint: str
    remarks: tuple[str, ...] = ()


class Offered(NamedTuple):
    """A text offered to remember, with what is known of it: curated statements and goals, what recent sessions said.

    `overheard`: it was cut from a conversation, and nobody offered it.
    """

    text: str
    source: Source | None
    validity: str
    curated: Sequence[str]
    said: Sequence[str] = ()
    overheard: bool = False
