"""Models over named features: a linear one, of which every summand can be shown, and a sum of small decision trees.

Source
    Gradient boosting of the logistic loss (Friedman 2001), fitted by tools/training/boost.py; read as in QuickScorer
    (Lucchese and others 2015).
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import accumulate, zip_longest
from math import fsum
from operator import and_, getitem, itemgetter
from typing import TYPE_CHECKING, Literal

from memd.text import expressions as re
from memd.text.analysis import ENGLISH

if TYPE_CHECKING:
    from memd.formats.lexicons import Trees

_GENERAL = ("[length", "[source", "[a sign")  # signs that count, and of which a reader learns nothing
# Bits of a tree's leaves, and as what a view of bytes has two trees.
UNITS: tuple[tuple[int, Literal["I", "Q"]], ...] = ((16, "I"), (32, "Q"))
_HAN_BLANK = re.compile(r"(?<=[\u2e80-\uffff]) (?=[\u2e80-\uffff])")


@dataclass(frozen=True, slots=True)
class Linear:
    """Weights by the names of features, and what stands where there are none."""

    bias: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)

    def value(self, features: Mapping[str, float]) -> float:
        """Return the sum for features by name; those without a weight say nothing."""
        weights = self.weights
        # Whatever order the features are in, the sum is the same to the last bit.
        return self.bias + fsum(weights[name] * amount for name, amount in features.items() if name in weights)

    def telling(self, features: Mapping[str, float], count: int, *, against: bool = False) -> list[tuple[str, float]]:
        """Return the features that say most for (or against), with their summands, the greatest first.

        Small words are left out: they count, and tell a reader nothing.
        """
        sign = -1 if against else 1
        weights = self.weights
        summands = ((name, weights[name] * amount) for name, amount in features.items() if name in weights)
        telling = (one for one in summands if one[1] * sign > 0 and _tells(one[0]))
        return nlargest(count, telling, key=lambda one: (one[1] * sign, one[0]))


@dataclass(frozen=True, slots=True)
class Boosted:
    """Trees as rows of nodes, as formats/weights.py reads them, and what stands where there are none. A feature that is not named is 0.

    A set of leaves is a number with a bit a leaf, each tree's in bits of their own; a value of a feature leaves those
    that it does not rule out, and of what all of them leave the first of each tree is where it ends.
    """

    bias: float = 0.0
    trees: Trees = ()
    _steps: dict[tuple[str, ...], Steps] = field(default_factory=dict, init=False, compare=False, repr=False)
    _read: list[_Leaves] = field(default_factory=list, init=False, compare=False, repr=False)

    def value(self, features: Mapping[str, float]) -> float:
        """Return the sum of the leaves that features by name come to."""
        return self.sum(self.left(features))

    def left(self, features: Mapping[str, float]) -> int:
        """Return the leaves that features leave."""
        leaves, known = self._leaves(), self._leaves().steps
        left = leaves.all
        for name in leaves.signed:
            if name not in features:
                left &= known[name].left(0.0)
        for name, value in features.items():
            if name in known:
                left &= known[name].left(value)
        return left

    def steps(self, *names: str) -> Steps:
        """Return what values leave of features that all have the same."""
        if names not in self._steps:
            known = self._leaves().steps
            told = sorted((pair for name in names if name in known for pair in known[name].pairs), key=itemgetter(0))
            self._steps[names] = Steps(told, self._leaves().all)
        return self._steps[names]

    def sum(self, left: int) -> float:
        """Return the sum of the leaves that the trees come to, where these are left."""
        leaves = self._leaves()
        first = left & ~(left - leaves.ones)
        told = memoryview(first.to_bytes(leaves.bytes, sys.byteorder)).cast(leaves.unit)
        return sum(map(getitem, leaves.values, told), self.bias)

    def _leaves(self) -> _Leaves:
        if not self._read:
            self._read.append(_Leaves(self.trees))
        return self._read[0]


class Steps:
    """What a value leaves: with each bound that it is above, some leaves fewer."""

    def __init__(self, pairs: Sequence[tuple[float, int]], every: int) -> None:
        self.pairs = pairs  # rising bounds, each with the leaves that are left above it
        self._bounds = [bound for bound, _ in pairs]
        self._left = list(accumulate((left for _, left in pairs), and_, initial=every))

    def left(self, value: float) -> int:
        """Return the leaves that are left."""
        return self._left[bisect_left(self._bounds, value)]


class _Leaves:
    """The leaves of all trees, and which of them each node rules out where a value is above its bound."""

    def __init__(self, trees: Trees) -> None:
        most = max((sum(not node.feature for node in tree) for tree in trees), default=1)
        if most > UNITS[-1][0]:
            raise ValueError(f"a tree of {most} leaves, where at most {UNITS[-1][0]} can be")
        bits, self.unit = next(one for one in UNITS if one[0] >= most)
        self.bytes = (len(trees) + 1) // 2 * bits // 4
        self.ones = sum(1 << number * bits for number in range(len(trees)))
        self.all = (1 << len(trees) * bits) - 1
        values: list[dict[int, float]] = []
        ruled: dict[str, list[tuple[float, int]]] = {}
        for number, tree in enumerate(trees):
            before = [0, *accumulate(not node.feature for node in tree)]  # leaves before each node
            values.append({1 << before[at]: node.value for at, node in enumerate(tree) if not node.feature})
            for at, node in enumerate(tree):
                if node.feature:
                    low = (1 << before[node.above]) - (1 << before[at])
                    ruled.setdefault(node.feature, []).append((node.value, self.all ^ (low << number * bits)))
        pairs = zip_longest(values[::2], values[1::2], fillvalue={0: 0.0})
        self.values = [
            {one | other << bits: first + second for one, first in low.items() for other, second in high.items()}
            for low, high in pairs
        ]
        if sys.byteorder == "big":
            self.values.reverse()
        self.steps = {name: Steps(sorted(told, key=itemgetter(0)), self.all) for name, told in ruled.items()}
        self.signed = [name for name, told in ruled.items() if min(told)[0] < 0]


def as_features(phrases: Iterable[str], named: Mapping[str, float]) -> dict[str, float]:
    """Return phrases and named signs as one set of features; a sign's name is in brackets, which no phrase has."""
    features = dict.fromkeys(phrases, 1.0)
    features.update((f"[{name}]", amount) for name, amount in named.items())
    return features


def shown(name: str) -> str:
    """Return a feature's name for a person: a sign without its brackets, a phrase in quotes, Han without blanks."""
    if name.startswith("["):
        return name[1:-1]
    return "“" + _HAN_BLANK.sub("", name.replace("^ ", "").replace(" $", "")) + "”"


def _tells(name: str) -> bool:
    if name.startswith("["):
        return not name.startswith(_GENERAL)
    words = name.replace("^", "").replace("$", "").split()
    return any(word not in ENGLISH and (len(word) > 1 or len(words) > 1) for word in words)
