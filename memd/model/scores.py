"""The six dimensions of the gate, their weights, and what a scoring says.

Units
    Each dimension and the total are on 0 to 10; the total has one decimal, rounded half up.
Source
    docs/design/origins.md#what-memd-decides: no factor of 10, thresholds 7 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memd.model.memory import Source

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
    """A text offered to remember, with what is known of it: curated statements and goals, what recent sessions said."""

    text: str
    source: Source | None
    validity: str
    curated: Sequence[str]
    said: Sequence[str] = ()
