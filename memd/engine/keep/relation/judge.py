"""Judge a pair of statements: duplicate, contradiction, refinement or unrelated.

A linear model over what compare.py names and over the words that differ; the likeliest relation holds, but a merge
must be sure: where it is not, the statements stay apart. Texts that differ in a figure, a name or a denial, or say
opposite things, are never duplicates, whatever the model says.

Source
    Weights: memd/lexicons/relations.txt, made by `python -m tools.training` from tools/training/sets/relation_*.jsonl.
    Figures: tests/conformance/test_relation.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nlargest
from itertools import pairwise

from memd.engine.keep.relation.compare import compare
from memd.engine.keep.relation.units import Statement, likeness
from memd.model.relation import Judged, Relation

# How sure a judgement must be; a false merge is the worst error.
SURE = {Relation.DUPLICATE: 0.7, Relation.CONTRADICTION: 0.6, Relation.REFINEMENT: 0.0, Relation.UNRELATED: 0.0}
LEAST_LIKE = 0.2  # of either statement that the other has: of related pairs, one in thirty has less
SHORT, SHORTER, MOSTLY = 6, 2.0, 0.8
PRIOR, MOST_PRIOR = 0.4, 2.0  # log odds
WORD, PAIR = 0.4, 0.3
TOLD = 3
NEVER_DUPLICATE = ("figures differ", "names differ", "denies, did not", "denied, does not")


def relation_features(old: Statement, new: Statement) -> dict[str, float]:
    """Return what the model looks at: named amounts in brackets, `+word` for what came, `-word` for what went."""
    features = {f"[{name}]": amount for name, amount in compare(old, new).items()}
    was, now = set(old.words), set(new.words)
    features.update((f"+{word}", WORD) for word in now - was)
    features.update((f"-{word}", WORD) for word in was - now)
    pairs_was, pairs_now = set(pairwise(old.words)), set(pairwise(new.words))
    features.update((f"+{a} {b}", PAIR) for a, b in pairs_now - pairs_was)
    features.update((f"-{a} {b}", PAIR) for a, b in pairs_was - pairs_now)
    return features


@dataclass(frozen=True, slots=True)
class Relations:
    """What was learned: the weights of a feature for each relation, in the order of Relation."""

    biases: tuple[float, ...]
    weights: Mapping[str, tuple[float, ...]]

    def values(self, features: Mapping[str, float]) -> dict[Relation, float]:
        """Return the sum for each relation."""
        sums = list(self.biases)
        for name, amount in features.items():
            row = self.weights.get(name)
            if row is not None:
                for place, weight in enumerate(row):
                    sums[place] += weight * amount
        return dict(zip(Relation, sums, strict=True))

    def telling(self, relation: Relation, features: Mapping[str, float]) -> list[str]:
        """Return the named amounts that say most for a relation, the greatest first."""
        place = list(Relation).index(relation)
        said = (
            (self.weights.get(name, self.biases)[place] * amount, name)
            for name, amount in features.items()
            if name[0] == "[" and name in self.weights
        )
        return [name[1:-1] for summand, name in nlargest(TOLD, said) if summand > 0]


def judge_relation(relations: Relations, old: Statement, new: Statement, among: int = 1) -> Judged:
    """Return how a new statement stands to an old one, that was found among so many.

    The more there are to choose from, the more likely is one that is alike in words alone.
    """
    features = relation_features(old, new)
    values = relations.values(features)
    values[Relation.UNRELATED] += min(MOST_PRIOR, PRIOR * math.log(max(1, among)))
    shares = _shares(values)
    if not _comparable(old, new, features):
        return Judged(Relation.UNRELATED, shares[Relation.UNRELATED], "too little in common")
    if any(f"[{name}]" in features for name in NEVER_DUPLICATE):
        shares[Relation.DUPLICATE] = 0.0
    best = max(shares, key=shares.__getitem__)
    if shares[best] < SURE[best]:
        best = max((Relation.REFINEMENT, Relation.UNRELATED), key=shares.__getitem__)
    why = "" if best is Relation.UNRELATED else ", ".join(relations.telling(best, features))
    return Judged(best, round(shares[best], 3), why, features.get("[old in new]", 0.0))


def _comparable(old: Statement, new: Statement, features: Mapping[str, float]) -> bool:
    """Tell whether statements have enough in common, and are long enough for each other, to be judged at all.

    A remark beside a long memory is only comparable where the memory holds most of it.
    """
    if likeness(old, new) < LEAST_LIKE:
        # Two short statements of which one value stands in the place of another: 我住在厦门, 我搬到福州了.
        swapped = "[another of its kind, value]" in features or "[opposites]" in features
        return swapped and max(len(old.units), len(new.units)) <= SHORT
    return len(old.units) <= SHORTER * max(1, len(new.units)) or features.get("[new in old]", 0.0) >= MOSTLY


def _shares(values: Mapping[Relation, float]) -> dict[Relation, float]:
    """Return values as shares of one (softmax)."""
    most = max(values.values())
    powers = {relation: math.exp(value - most) for relation, value in values.items()}
    whole = sum(powers.values())
    return {relation: power / whole for relation, power in powers.items()}


def by_relation(bias: float, weights: Mapping[str, float]) -> Relations:
    """Return what was learned, from weights whose names begin with the relation: `duplicate: [figures equal]`."""
    order = [relation.value for relation in Relation]
    table: dict[str, list[float]] = {}
    for name, value in weights.items():
        relation, _, feature = name.partition(": ")
        table.setdefault(feature, [0.0] * len(order))[order.index(relation)] = value
    biases = table.pop("*", [0.0] * len(order))
    return Relations(tuple(bias + own for own in biases), {name: tuple(row) for name, row in table.items()})
