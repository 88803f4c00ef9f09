"""How well each version of a skill does, from what persons said of the runs that used it.

Pure, and of receipts only their number counts, not their order.

Units
    mean, low, high  shares of 0 to 1, rounded to 4 digits; a revised run is worth half an accepted one
    version          counted from 1; 0 is a version that nobody knows, which has no predecessor and is none
Source
    mean: Laplace's rule of succession, (s + 1) / (n + 2). low, high: the score interval of E. B. Wilson, "Probable
    inference, the law of succession, and statistical inference", JASA 22 (1927), at 95 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from memd.model.runs import Acceptance
from memd.model.tasks import Counts, Effect

Z = 1.96
HALF = 0.5
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Regression:
    """A version that does worse than the one judged before it; certain where their intervals do not meet."""

    skill: str
    version: int
    mean: float
    before_version: int
    before_mean: float
    certain: bool


def judge(skill: str, version: int, counts: Counts) -> Effect:
    """Return how well a version does; one that nobody judged is at 0.5, anywhere from 0 to 1."""
    worth, total = counts.accepted + HALF * counts.revised, counts.total
    low, high = _wilson(worth, total)
    mean = round((worth + 1) / (total + 2), DIGITS)
    return Effect(skill, version, counts, mean, low, high)


def tally(uses: Iterable[tuple[str, int, Acceptance]]) -> dict[tuple[str, int], Counts]:
    """Return the counts of each skill and version, in that order; what waits for a word is not counted."""
    said = Counter(use for use in uses if use[2] is not Acceptance.PENDING)
    return {
        (skill, version): Counts(
            accepted=said[skill, version, Acceptance.ACCEPTED],
            revised=said[skill, version, Acceptance.REVISED],
            abandoned=said[skill, version, Acceptance.ABANDONED],
        )
        for skill, version in sorted({(skill, version) for skill, version, _ in said})
    }


def regressions(effects: Iterable[Effect]) -> list[Regression]:
    """Return the versions with a lower mean than the nearest version before them that was judged too."""
    judged = sorted(
        (effect for effect in effects if effect.version > 0 and effect.counts.total),
        key=lambda effect: (effect.skill, effect.version),
    )
    return [
        Regression(new.skill, new.version, new.mean, old.version, old.mean, certain=new.high < old.low)
        for old, new in pairwise(judged)
        if old.skill == new.skill and new.mean < old.mean
    ]


def _wilson(worth: float, total: int) -> tuple[float, float]:
    if not total:
        return 0.0, 1.0
    share, spread = worth / total, Z * Z / total
    middle = share + spread / 2
    reach = Z * sqrt(share * (1 - share) / total + spread / (4 * total))
    ends = ((middle - reach) / (1 + spread), (middle + reach) / (1 + spread))
    # At a share of 0 or 1 an end may fall outside by the last bit.
    low, high = (round(min(max(end, 0.0), 1.0), DIGITS) for end in ends)
    return low, high
