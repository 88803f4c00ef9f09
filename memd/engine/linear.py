"""Models over named features: a linear one, of which every summand can be shown, and a sum of small decision trees.

Source
    Gradient boosting of the logistic loss (Friedman 2001), fitted by tools/training/boost.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING, Any

from memd.text.analysis import ENGLISH

if TYPE_CHECKING:
    from memd.formats.lexicons import Trees

_GENERAL = ("[length", "[source", "[a sign")  # signs that count, and of which a reader learns nothing
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
        summands = ((name, self.weights.get(name, 0.0) * amount) for name, amount in features.items() if _tells(name))
        return nlargest(count, (one for one in summands if one[1] * sign > 0), key=lambda one: (one[1] * sign, one[0]))


@dataclass(frozen=True, slots=True)
class Boosted:
    """Trees as rows of nodes, as formats/lexicons.py reads them, and what stands where there are none. A feature that is not named is 0."""

    bias: float = 0.0
    trees: Trees = ()
    _bounds: dict[tuple[str, ...], list[float]] = field(default_factory=dict, init=False, compare=False, repr=False)
    _whole: list[Given] = field(default_factory=list, init=False, compare=False, repr=False)

    def bounds(self, *names: str) -> list[float]:
        """Return the values that the trees ask of some features, rising: what lies between the same two comes to the same leaves."""
        if names not in self._bounds:
            asked = {value for feature, value, _ in chain.from_iterable(self.trees) if feature in names}
            self._bounds[names] = sorted(asked)
        return self._bounds[names]

    def value(self, features: Mapping[str, float]) -> float:
        """Return the sum of the leaves that features by name come to."""
        total, get = self.bias, features.get
        for tree in self.trees:
            at = 0
            feature, value, above = tree[0]
            while feature:
                at = above if get(feature, 0.0) > value else at + 1
                feature, value, above = tree[at]
            total += value
        return total

    def given(self, known: Mapping[str, float]) -> Given:
        """Return what is left to be asked of all that has these features."""
        if not self._whole:
            self._whole.append(Given(self.bias, [_nested(tree, 0) for tree in self.trees]))
        return self._whole[0].given(known)


class Given:
    """Boosted trees of which some features are known. A tree is a leaf's value or (feature, bound, up to it, above it)."""

    def __init__(self, bias: float, trees: Iterable[Any]) -> None:
        self._trees = [tree for tree in trees if tree.__class__ is tuple]
        self._bias = bias + fsum(tree for tree in trees if tree.__class__ is not tuple)

    def given(self, known: Mapping[str, float]) -> Given:
        """Return what is left where these are known too."""
        return Given(self._bias, [_cut(tree, known) for tree in self._trees])

    def value(self, features: Mapping[str, float]) -> float:
        """Return the sum of the leaves that the rest of the features comes to."""
        total, get = self._bias, features.get
        for tree in self._trees:
            node: Any = tree
            while node.__class__ is tuple:
                feature, bound, low, high = node
                node = high if get(feature, 0.0) > bound else low
            total += node
        return total


def _nested(tree: Sequence[Any], at: int) -> Any:
    feature, value, above = tree[at]
    return (feature, value, _nested(tree, at + 1), _nested(tree, above)) if feature else value


def _cut(node: Any, known: Mapping[str, float]) -> Any:
    while node.__class__ is tuple:
        feature, bound, low, high = node
        if feature not in known:
            return feature, bound, _cut(low, known), _cut(high, known)
        node = high if known[feature] > bound else low
    return node


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
