"""Judge a pair of statements: duplicate, contradiction, refinement or unrelated.

A linear model over what compare.py names, over words that differ, and, where both have one, over their vectors: side by
side, apart and together, and whether they are of one matter: how near the old one is to the new one turned towards what the
like of it is about. Without vectors a second model goes by the rest. The likeliest relation holds, but a merge must
be sure: a contradiction that is not is a doubt, and where nothing is sure the statements stay apart. Texts that differ in
a figure or a name are never duplicates, whatever the model says, and of those that differ in a denial it must be surer.

Source
    Weights: memd/lexicons/relations.txt, relations_meaning.txt and relating.bin, made by `python -m tools.training judging`
    from tools/training/sets/{pairs,relation}_*.jsonl. Figures: tests/conformance/test_relation.py, test_relation_updates.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.relation.compare import compare
from memd.engine.keep.relation.units import Statement, likeness
from memd.model.change import SURE, SURE_BY_WORDS, Judged, Relation

if TYPE_CHECKING:
    from array import array

    Vector = Sequence[float] | None

LEAST_LIKE = (
    0.2  # of either statement that the other has, where there are no vectors: of related pairs, one in thirty has less
)
LEAST_OF_BOTH = 0.4  # of each statement that the other must have to be its duplicate, where there are no vectors
LEAST_COSINE = 0.1  # and the same of vectors
SHORT, SHORTER, MOSTLY = 6, 2.0, 0.8
WORD, PAIR = 0.4, 0.3
TOLD = 3
TOO_LITTLE = "too little in common"
SURE_ELSE = 0.85  # of a duplicate that denies, or is in the other language and has something else: of such pairs of left-out writers .9 were
OTHER_LANGUAGE = "in the other language"
NEVER_DUPLICATE = ("figures differ", "figures of other kinds", "names differ")
ABROAD = ("names gone", "names added")  # of two languages: what one alone names may be another thing (Linz, 厦门)
DENIES = ("denies, did not", "denied, does not")
TAKES_BACK = ("figures differ", "denies, did not", "denied, does not", "opposites", "corrects", "ends")
NEARER, NEAR = (0.45, 0.6, 0.75), 3.0
WITH_MEANING = (
    OTHER_LANGUAGE, "figures differ", "figures equal", "names differ", "names equal", "denies, did not", "denied, does not", "whose differ",
    "words of change", "ends", "past", "was past", "as well", "corrects", "longer", "shorter", "gained", "lost", "less of both", "more of both",
    "another of its kind, value", "opposites", "nothing shared", "another topic", "names no topic", "topic of new known",
)  # fmt: skip
WITH_MATTER = (
    "words of change", "ends", "as well", "past", "opposites", "figures differ", "names differ", "whose differ", "another of its kind, value",
    "another topic", "longer", OTHER_LANGUAGE,
)  # fmt: skip
SAME_MATTER = (0.3, 0.5)  # and the same of how far they are of one matter
AS_TOLD = {
    "of one matter": "it is about the same", "alike in meaning": "it means much the same", "figures differ": "another figure",
    "figures of other kinds": "figures of other kinds", "figures equal": "the same figures", "figures added": "a figure more",
    "figures gone": "a figure less", "names differ": "another name", "names equal": "the same names", "names added": "a name more",
    "words of change": "it tells of a change", "denies, did not": "it denies it", "denied, does not": "it was denied",
    "denies what stands": "it denies what is known", "ends": "it says that it ended", "corrects": "it corrects",
    "opposites": "one excludes the other", "another of its kind, value": "another of its kind", "another of its kind": "another of its kind",
    "all of old": "it says all of it", "old in new": "it says much of it", "new in old": "much of it is known", "gained": "it adds something",
    "in other words": "in other words", OTHER_LANGUAGE: "in the other language", "past": "it tells of the past", "as well": "it says that both hold",
    "whose differ": "of somebody else", "subject kept": "it is about the same", "topic of new known": "it is about the same", "topic kept": "it is about the same",
    "more of both": "much is the same", "less of both": "much is the same", "begins alike": "it begins alike",
}  # fmt: skip
GAINED, MUCH = 1 / 6, 0.3  # one word or name; of either statement, what the other has not
BLOCKS = ("apart", "together", "old", "new")  # what is made of two vectors: |old - new|, old * new, and each by itself
APART, TOGETHER, ALONE = 8.0, 16.0, 3.0  # what they are multiplied by, so that all are of one size


def relation_features(old: Statement, new: Statement) -> dict[str, float]:
    """Return what the model looks at: named amounts in brackets, `+word` for what came, `-word` for what went."""
    features = {f"[{name}]": amount for name, amount in compare(old, new).items()}
    if old.chinese != new.chinese:
        features[f"[{OTHER_LANGUAGE}]"] = 1.0
    was, now = set(old.words), set(new.words)
    features.update((f"+{word}", WORD) for word in now - was)
    features.update((f"-{word}", WORD) for word in was - now)
    features.update((f"+{a} {b}", PAIR) for a, b in new.pairs - old.pairs)
    features.update((f"-{a} {b}", PAIR) for a, b in old.pairs - new.pairs)
    return features


class Meant(NamedTuple):
    """The vectors of an old and a new statement, and that of the new one turned towards what is of one matter with it."""

    old: Vector = None
    new: Vector = None
    turned: Vector = None


NOT_MEANT = Meant()


def likeness_of(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the product of two vectors: of such of length 1 their cosine, and of one that was turned how far they are of one matter."""
    product: float = sum(map(mul, one, other))
    return product


def add_meaning(features: dict[str, float], cosine: float, matter: float) -> None:
    """Add to features how alike two statements are in meaning, how far they are of one matter, how far each is above some bounds, and
    the products with those of WITH_MEANING and WITH_MATTER."""
    for name, value, bounds in (("alike in meaning", cosine, NEARER), ("of one matter", matter, SAME_MATTER)):
        features[f"[{name}]"] = value
        features.update((f"[{name}, above {least}]", (value - least) * NEAR) for least in bounds if value > least)
    for names, of, value in ((WITH_MEANING, "meaning", cosine), (WITH_MATTER, "matter", matter)):
        features.update((f"[{one} × {of}]", features[f"[{one}]"] * value) for one in names if f"[{one}]" in features)


def blocks(old: Sequence[float], new: Sequence[float]) -> tuple[list[float], ...]:
    """Return what is made of two vectors, in the order of BLOCKS."""
    return (
        [APART * abs(a - b) for a, b in zip(old, new, strict=True)],
        [TOGETHER * a * b for a, b in zip(old, new, strict=True)],
        [ALONE * a for a in old],
        [ALONE * b for b in new],
    )


@dataclass(frozen=True, slots=True)
class Table:
    """Weights of a feature for each relation, in the order of Relation."""

    biases: tuple[float, ...] = (0.0,) * len(Relation)
    weights: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Relations:
    """What was learned. `planes`: of each relation, weights of the blocks of two vectors, one after the other."""

    words: Table = Table()
    meaning: Table = Table()
    planes: Mapping[str, array[float]] = field(default_factory=dict)

    def knows(self, meant: Meant) -> bool:
        """Tell whether vectors are of the model that something was learned of."""
        size = len(next(iter(self.planes.values()), ())) // len(BLOCKS)
        return bool(size) and all(one is not None and len(one) == size for one in meant)

    def values(self, features: Mapping[str, float], meant: Meant) -> dict[Relation, float]:
        """Return the sum for each relation."""
        known = self.knows(meant)
        table = self.meaning if known else self.words
        duplicate, contradiction, refinement, unrelated = table.biases
        get = table.weights.get
        for name, amount in features.items():
            row = get(name)
            if row is not None:  # written out: this is most of what a pair costs
                duplicate += row[0] * amount
                contradiction += row[1] * amount
                refinement += row[2] * amount
                unrelated += row[3] * amount
        sums = [duplicate, contradiction, refinement, unrelated]
        if known and meant.old is not None and meant.new is not None:
            flat = [number for block in blocks(meant.old, meant.new) for number in block]
            for place, relation in enumerate(Relation):
                sums[place] += sum(map(mul, self.planes[relation.value], flat))
        return dict(zip(Relation, sums, strict=True))

    def telling(self, relation: Relation, features: Mapping[str, float], *, meant: bool) -> list[str]:
        """Return what says most for a relation, as a person would name it, with what is made of it, the greatest first."""
        place, table = list(Relation).index(relation), self.meaning if meant else self.words
        said: dict[str, float] = {}
        for name, amount in features.items():
            if name[0] == "[" and name in table.weights:
                plain = AS_TOLD.get(name[1:-1].partition(" × ")[0].partition(", above ")[0], "")
                said[plain] = said.get(plain, 0.0) + table.weights[name][place] * amount
        said.pop("", None)  # what counts, and tells a reader nothing
        return [name for name, summand in nlargest(TOLD, said.items(), key=lambda one: one[1]) if summand > 0]


def compared(
    relations: Relations, old: Statement, new: Statement, vectors: Meant
) -> tuple[dict[str, float], dict[Relation, float]]:
    """Return what two statements share and part in, and how likely each relation is, of one, whatever is sure."""
    features = relation_features(old, new)
    if relations.knows(vectors) and vectors.old is not None and vectors.new is not None and vectors.turned is not None:
        add_meaning(features, likeness_of(vectors.old, vectors.new), likeness_of(vectors.old, vectors.turned))
    return features, _shares(relations.values(features, vectors))


def judge_relation(relations: Relations, old: Statement, new: Statement, vectors: Meant = NOT_MEANT) -> Judged:
    """Return how a new statement stands to an old one; `vectors` of both, where there are any."""
    if not relations.knows(vectors) and max(len(old.units), len(new.units)) > SHORT and likeness(old, new) < LEAST_LIKE:
        return Judged(Relation.UNRELATED, 1.0, TOO_LITTLE)  # as below, whatever else they share
    features, shares = compared(relations, old, new, vectors)
    meant = "[alike in meaning]" in features
    alike = features.get("[alike in meaning]", 0.0) >= LEAST_COSINE
    comparable = alike or features.get("[of one matter]", 0.0) >= SAME_MATTER[0] or _comparable(old, new, features)
    if not comparable:
        return Judged(Relation.UNRELATED, shares[Relation.UNRELATED], TOO_LITTLE)
    in_words = meant or features.get("[less of both]", 0.0) >= LEAST_OF_BOTH
    says_else = _says_else(features) and not (meant and shares[Relation.DUPLICATE] >= SURE_ELSE)
    never = (*NEVER_DUPLICATE, *(ABROAD if f"[{OTHER_LANGUAGE}]" in features else ()))
    if not in_words or says_else or any(f"[{name}]" in features for name in never):
        # That it is no duplicate makes it no change: what looked like one adds something, or stands beside it.
        rest = sum(share for one, share in shares.items() if one is not Relation.DUPLICATE)
        shares = {one: share if one is Relation.CONTRADICTION else share / rest for one, share in shares.items()}
        del shares[Relation.DUPLICATE]
    best = max(shares, key=shares.__getitem__)
    doubt = shares[Relation.CONTRADICTION]
    if shares[best] < (SURE if meant else SURE_BY_WORDS)[best]:
        best = Relation.UNRELATED
    elif best is not Relation.UNRELATED and not meant and _completes(features):
        best = Relation.REFINEMENT
    why = (
        "" if best is Relation.UNRELATED else ", ".join(relations.telling(best, features, meant=meant)) or "as a whole"
    )
    return Judged(best, round(shares[best], 3), why, features.get("[old in new]", 0.0), round(doubt, 3))


def _says_else(features: Mapping[str, float]) -> bool:
    """Tell whether a statement denies what the other does not, or each has much that the other has not; of two languages, anything.

    "Can't have milk" is "allergic to milk", or is not; a word of the other language may be another word, or another thing.
    What is lost for ever by a wrong duplicate outweighs a memory that stands twice: it must be surer.
    """
    apart = min(features.get("[lost]", 0.0), features.get("[gained]", 0.0))
    much = MUCH if "[alike in meaning]" in features else 1.0  # by words alone, LEAST_OF_BOTH says it
    return apart > (0.0 if f"[{OTHER_LANGUAGE}]" in features else much) or any(
        f"[{name}]" in features for name in DENIES
    )


def _completes(features: Mapping[str, float]) -> bool:
    """Tell whether the new statement says all of the old one, and more, and takes nothing back: where words alone judge, it adds to it."""
    more = features.get("[gained]", 0.0) >= GAINED and features.get("[all of old]", 0.0) > 0
    return more and not any(f"[{name}]" in features for name in TAKES_BACK)


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


def by_relation(bias: float, weights: Mapping[str, float], known: dict[str, str] | None = None) -> Table:
    """Return what was learned, from weights whose names begin with the relation: `duplicate: [figures equal]`.

    Of equal names and rows one is held; `known`: names that another table has.
    """
    known = {} if known is None else known
    order = [relation.value for relation in Relation]
    table: dict[str, list[float]] = {}
    for name, value in weights.items():
        relation, _, feature = name.partition(": ")
        feature = known.setdefault(feature, feature)
        table.setdefault(feature, [0.0] * len(order))[order.index(relation)] = value
    biases = table.pop("*", [0.0] * len(order))
    rows: dict[tuple[float, ...], tuple[float, ...]] = {}
    held = {name: rows.setdefault(row, row) for name, row in ((one, tuple(own)) for one, own in table.items())}
    return Table(tuple(bias + own for own in biases), held)
