"""Find what became of each unit of a text in a later one: it was kept, changed into another, or removed."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

MOST_PAIRS = 900  # units of one side times units of the other that are compared one by one
ALIKE = 0.5  # the share of characters two units have in common, from which one may have become the other
LOOKED_CHARS = 300


class Aligned(NamedTuple):
    """What became of each unit (nothing where it was removed), and what was added before each, and at the end."""

    kept: list[list[str]]
    added: list[list[str]]


def aligned(old: Sequence[str], new: Sequence[str], known: frozenset[str]) -> Aligned:
    """Return which unit of a new text each old one became: by likeness, and place by place between those that are alike.

    `known` are the units of the whole base: one of them that stands elsewhere now was moved, and became no other.
    """
    pairs = _likest(old, new, known)
    of_new = {at_new: at_old for at_old, at_new in pairs}
    for (i, j), (k, m) in pairwise([(-1, -1), *pairs, (len(old), len(new))]):
        if k - i == m - j:
            of_new.update((j + step, i + step) for step in range(1, k - i) if new[j + step] not in known)
    kept: list[list[str]] = [[] for _ in old]
    added: list[list[str]] = [[] for _ in range(len(old) + 1)]
    place = 0
    for at_new, unit in enumerate(new):
        if at_new in of_new:
            kept[of_new[at_new]] = [unit]
            place = of_new[at_new] + 1
        else:
            added[place].append(unit)
    return Aligned(kept, added)


def is_another(old: Sequence[str], new: Sequence[str]) -> bool:
    """Tell whether what stands in the place of some units is nothing that they have become, but others."""
    return bool(new) and all(_likeness(one, two, frozenset()) < ALIKE for one in old for two in new)


def _likest(old: Sequence[str], new: Sequence[str], known: frozenset[str]) -> list[tuple[int, int]]:
    """Return pairs of places, in order in both, whose units are most alike in all (dynamic programming).

    Of very many units only those that are the same are pairs.
    """
    if len(old) * len(new) > MOST_PAIRS:
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        return [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[_likeness(one, two, known) for two in new] for one in old]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            paired = best[i + 1][j + 1] + alike[i][j] if alike[i][j] >= ALIKE else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], paired)
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if alike[i][j] >= ALIKE and best[i][j] == best[i + 1][j + 1] + alike[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _likeness(one: str, other: str, known: frozenset[str]) -> float:
    if one == other or other in known:
        return float(one == other)
    return SequenceMatcher(None, one[:LOOKED_CHARS], other[:LOOKED_CHARS]).ratio()
