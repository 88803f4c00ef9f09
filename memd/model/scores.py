"""The six dimensions of the gate, their weights, and what a scoring says.

Units
    Each dimension and the total are on 0 to 10; the total has one decimal, rounded half up.
Source
    docs/design/origins.md#what-memd-decides: no factor of 10, thresholds 7 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Dimension(StrEnum):
    """What a text is judged by, in the order it is shown."""

    IMPORTANCE = "importance"
    NOVELTY = "novelty"
    RELEVANCE = "relevance"
    CREDIBILITY = "credibility"
    GRANULARITY = "granularity"
    TIMELINESS = "timeliness"


PUT = "put"  # a scoring of what a verb was given to store: none of the day's

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
