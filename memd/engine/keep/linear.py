"""A linear model over named features: what it says is a sum, and every summand can be shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from math import fsum

from memd.text.stopwords import ENGLISH

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
