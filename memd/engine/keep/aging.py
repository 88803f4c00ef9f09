"""What a memory is worth as it ages: its score, worn down by time and kept up by use.

    worth = score × wear × use, 0 to 10
    wear  = 1 / (1 + days × decay / 4)      days since it was made or last came to mind
    use   = 1 + log2(1 + uses) / 10         at most 1.5

Source
    Forgetting follows a power of time, not an exponential (Wixted and Ebbesen 1991): a memory that is never used loses
    half of its worth in 40 days as an episode, in 80 as a fact, in more than a year as a trait.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memd.model.memory import Memory

SCORE = 7.0  # of a memory that nobody scored
DAY_S = 86_400.0
SLOWER = 4.0
MOST_USE = 1.5


def worth_now(memory: Memory, uses: int, used_s: float | None, now_s: float) -> float:
    """Return what a memory is worth at a time (seconds since the epoch), 0 to 10."""
    since_s = max((one for one in (memory.when_s, used_s) if one is not None), default=now_s)
    days = max(0.0, now_s - since_s) / DAY_S
    wear = 1 / (1 + days * memory.decay_per_day / SLOWER)
    return min(10.0, _fresh(memory, uses) * wear)


def falls_below(memory: Memory, uses: int, used_s: float | None, worth: float) -> float | None:
    """Return when a memory that is not used again is worth less than this (seconds since the epoch), None where it never is."""
    since_s = max((one for one in (memory.when_s, used_s) if one is not None), default=None)
    if since_s is None or worth <= 0 or memory.decay_per_day <= 0:
        return None
    return since_s + max(0.0, _fresh(memory, uses) / worth - 1) * SLOWER / memory.decay_per_day * DAY_S


def _fresh(memory: Memory, uses: int) -> float:
    """Return what a memory is worth while no time has passed."""
    score = SCORE if memory.score is None else memory.score
    return score * min(MOST_USE, 1 + log2(1 + uses) / 10)


def is_expired(memory: Memory, now_s: float) -> bool:
    """Tell whether a memory's time is over."""
    return memory.expires_s is not None and memory.expires_s <= now_s
