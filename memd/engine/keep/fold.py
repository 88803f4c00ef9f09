"""Which episodes say nearly the same of nearly the same time, so that one of them can stand for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memd.engine.keep.relation.units import Statement, share_in
from memd.model.memory import Kind, Memory

ALIKE = 0.85  # of the units of either that the other has
DAY_S = 86_400.0


def foldable(memories: Sequence[Memory], read: Callable[[str], Statement], days: float) -> list[list[Memory]]:
    """Return groups of two and more near-identical episodes that lie within so many days, each oldest first.

    Figures, names and denials must be equal; constant and disabled memories are left alone, and those that took the place
    of another or whose place, or a part of it, was taken.
    """
    episodes = [one for one in memories if _may_fold(one)]
    episodes.sort(key=lambda one: (one.when_s or 0.0, one.id))
    groups: list[list[Memory]] = []
    open_groups: list[list[Memory]] = []
    for memory in episodes:
        when_s = memory.when_s or 0.0
        open_groups = [one for one in open_groups if when_s - (one[0].when_s or 0.0) <= days * DAY_S]
        home = next((one for one in open_groups if _say_the_same(read(one[0].content), read(memory.content))), None)
        if home is None:
            home = []
            open_groups.append(home)
            groups.append(home)
        home.append(memory)
    return [one for one in groups if len(one) > 1]


def _may_fold(memory: Memory) -> bool:
    plain = not (memory.constant or memory.disabled or memory.superseded_by or memory.covered_by or memory.supersedes)
    return memory.kind is Kind.EPISODIC and memory.when_s is not None and plain


def _say_the_same(one: Statement, other: Statement) -> bool:
    if one.figures_beyond(other) or other.figures_beyond(one) or bool(one.denials) != bool(other.denials):
        return False
    if any(name not in other.folded for name in one.names) or any(name not in one.folded for name in other.names):
        return False
    return min(share_in(one, other), share_in(other, one)) >= ALIKE
