"""Learn how a new statement stands to an old one: over signs and vectors, and over signs alone."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memd.engine.keep.relation.figures import plain_figures
from memd.engine.keep.relation.judge import Relations, Table, add_meaning, blocks, relation_features
from memd.engine.keep.relation.units import Thesaurus, likeness, read_statement, row
from memd.formats.lexicons import KIND
from memd.model.change import Relation
from memd.text.characters import is_chinese
from tools.training import logistic

Floats = npt.NDArray[np.float32]
LEAST_WRITERS = 8  # that have a word in a pair, for it to be a sign
STRENGTH = 33.0  # of signs, each measured by its own deviation
BLOCKS_STRENGTH, WORDS_STRENGTH = 20.0, 3.0
# How much a pair of strangers counts, one of what stands side by side in a role, and a change beside what one person told else.
STRANGE, NEAR, BESIDE = 0.15, 0.4, 0.2
LEAST_BESIDE, FIRST_LAST = 5, 0.4  # statements of a hand to widen by, and how often what is added stands first
STEP, TRIED = 37, 60  # where strangers are looked for: not among the neighbours, which may speak of the same
WIDE, WIDER, WIDE_CHARS, BESIDE_CHARS = (
    0.5,
    0.3,
    90,
    70,
)  # how much a widened pair counts, what share is widened, and of what length
EACH = 3  # of the pairs, each third is put beside strangers
MOST_ALIKE = 0.67


@dataclass
class Pairs:
    """Labelled pairs with their writers; `strange` ones were put together of others' statements."""

    rows: list[dict[str, Any]]
    writers: list[str]
    features: list[dict[str, float]]

    @property
    def kinds(self) -> npt.NDArray[np.int64]:
        """The relation of each, in the order of Relation."""
        order = list(Relation)
        return np.array([order.index(Relation(one["relation"])) for one in self.rows])

    @property
    def importance(self) -> npt.NDArray[np.float64]:
        """How much each counts."""
        shares = {"near": NEAR, "beside": BESIDE, "strange": STRANGE}
        return np.array(
            [
                next((share for name, share in shares.items() if one.get(name)), one.get("counts", 1.0))
                for one in self.rows
            ]
        )


def read_pairs(
    rows: list[dict[str, Any]], writers: list[str], near: Sequence[dict[str, Any]], thesaurus: Thesaurus
) -> Pairs:
    """Return pairs, strangers, neighbours and pairs that were widened, with their signs."""
    strangers, wide = [*strangers_of(rows, thesaurus), *near], list(widened(rows, writers))
    every = [*rows, *strangers, *(one for one, _ in wide)]
    of = [*writers, *["strangers"] * len(strangers), *(writer for _, writer in wide)]
    return Pairs(every, of, [features_of(one, thesaurus) for one in every])


def widened(rows: Sequence[dict[str, Any]], writers: Sequence[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield pairs of which one side says something else as well, that the same hand wrote, with their writers: a memory often does.

    What then stands to each other as before is widened: not what completes the other, nor what says the same and now more.
    """
    chance = np.random.default_rng(1)
    own = defaultdict[tuple[str, str], list[str]](list)
    for row_, writer in zip(rows, writers, strict=True):
        if len(row_["old"]) < BESIDE_CHARS:
            own[writer, row_["lang"]].append(row_["old"])
    for row_, writer in zip(rows, writers, strict=True):
        relation = Relation(row_["relation"])
        for side in ("old", "new") if relation is not Relation.REFINEMENT else ():
            others = [one for one in own[writer, row_["lang"]] if one not in (row_["old"], row_["new"])]
            apart = (
                (side == "new" and relation is Relation.DUPLICATE)
                or len(row_[side]) > WIDE_CHARS
                or len(others) < LEAST_BESIDE
            )
            if apart or chance.random() > WIDER:
                continue
            first, second = row_[side], others[chance.integers(len(others))]
            if chance.random() < FIRST_LAST:
                first, second = second, first
            yield {**row_, side: in_one(first, second, chance), "counts": WIDE, "wide": True}, writer


def in_one(first: str, second: str, chance: np.random.Generator) -> str:
    """Return two statements as one text."""
    first, second = first.rstrip(" .。!！;；"), second.strip().rstrip("。")
    if is_chinese(first):
        return first + "，，；。"[chance.integers(4)] + second
    joint = (", and ", "; ", ". ", ", ")[chance.integers(4)]
    word = second.split(maxsplit=1)[0]
    small = joint != ". " and not (word.isupper() or word.startswith("I'"))
    return first + joint + (second[0].lower() + second[1:] if small else second)


def general(pairs: Pairs) -> list[str]:
    """Return the signs by name: those in brackets, and words that LEAST_WRITERS use."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    for writer, features in zip(pairs.writers, pairs.features, strict=True):
        for name in features:
            used[name].add(writer)
    return sorted(
        name for name, writers in used.items() if name[0] == "[" or len(writers - {"strangers"}) >= LEAST_WRITERS
    )


def with_meaning(pairs: Pairs, old: Floats, new: Floats, matters: Floats) -> tuple[list[dict[str, float]], Floats]:
    """Return the signs with what vectors add to them, and the blocks of each pair; `matters`: how far its sides are of one matter."""
    cosines = (old * new).sum(axis=1)
    features = [dict(one) for one in pairs.features]
    for one, cosine, matter in zip(features, cosines, matters, strict=True):
        add_meaning(one, float(cosine), float(matter))
    flat = [np.concatenate(blocks(a, b)) for a, b in zip(old.tolist(), new.tolist(), strict=True)]
    return features, np.array(flat, np.float32)


def learn(
    pairs: Pairs,
    features: Sequence[dict[str, float]],
    names: Sequence[str],
    beside: Floats | None,
    taught: npt.NDArray[np.bool_],
) -> tuple[Table, npt.NDArray[np.float64]]:
    """Return the weights of signs by relation, and rows of weights of what stands beside them."""
    place = {name: at for at, name in enumerate(names)}
    table = np.zeros((len(features), len(names)), np.float32)
    for at, one in enumerate(features):
        for name, amount in one.items():
            if name in place:
                table[at, place[name]] = amount
    deviation = np.maximum(table.std(axis=0).astype(float), 1e-3)
    strength = np.array(
        [STRENGTH * s * s if name[0] == "[" else WORDS_STRENGTH for name, s in zip(names, deviation, strict=True)]
    )
    if beside is not None:
        table = np.hstack([table, beside])
        strength = np.append(strength, np.full(beside.shape[1], BLOCKS_STRENGTH))
    biases, rows = logistic.fit_kinds(
        table[taught], pairs.kinds[taught], len(Relation), pairs.importance[taught], strength=strength
    )
    signs = {name: tuple(rows[:, at].tolist()) for at, name in enumerate(names)}
    return Table(tuple(biases.tolist()), signs), rows[:, len(names) :]


def relations_of(
    pairs: Pairs, old: Floats, new: Floats, matters: Floats, taught: npt.NDArray[np.bool_] | None = None
) -> Relations:
    """Return what is learned of pairs with the vectors of both sides, and how far these are of one matter."""
    taught = np.ones(len(pairs.rows), bool) if taught is None else taught
    names = general(pairs)
    words, _ = learn(pairs, pairs.features, names, None, taught)
    features, beside = with_meaning(pairs, old, new, matters)
    signs = sorted({name for one in features for name in one if name[0] == "["} - set(names))
    meaning, rows = learn(pairs, features, [*names, *signs], beside, taught)
    planes = {relation.value: array("f", row.tolist()) for relation, row in zip(Relation, rows, strict=True)}
    return Relations(words, meaning, planes)


def flat(table: Table) -> dict[str, float]:
    """Return weights as one table: `contradiction: [figures differ]`."""
    found = {f"{relation.value}: *": bias for relation, bias in zip(Relation, table.biases, strict=True)}
    for name, row_ in table.weights.items():
        found.update((f"{relation.value}: {name}", value) for relation, value in zip(Relation, row_, strict=True))
    return found


def strangers_of(samples: list[dict[str, Any]], thesaurus: Thesaurus) -> Iterator[dict[str, Any]]:
    """Yield pairs of statements that have nothing to do with each other, of those that are most alike in words.

    What a role holds is mostly of this kind: the same person, another matter.
    """
    olds = [read_statement(one["old"], thesaurus) for one in samples]
    for number in range(0, len(samples), EACH):
        one = samples[number]
        new = read_statement(one["new"], thesaurus)
        others = [(number + step * STEP) % len(samples) for step in range(1, TRIED)]
        fits = [(likeness(olds[at], new), at) for at in others if samples[at]["lang"] == one["lang"]]
        chosen = max((fit for fit in fits if fit[0] <= MOST_ALIKE), default=None)
        if chosen is not None:
            yield {"old": samples[chosen[1]]["old"], "new": one["new"], "relation": "unrelated", "strange": True}
        two = [samples[(number + step * STEP) % len(samples)]["old"] for step in (TRIED, TRIED + 1)]
        yield {"old": " ".join(two), "new": one["new"], "relation": "unrelated", "strange": True}


def compile_thesaurus(folder: Path) -> dict[str, str]:
    """Return the groups of every phrase of stems, from lines `= a | b`, `! a | b` and `~ kind: a | b`."""
    found: dict[str, list[str]] = {}
    lines = [line for path in sorted(folder.glob("*.txt")) for line in path.read_text("utf-8").splitlines()]
    for number, line in enumerate(line for line in lines if line and not line.startswith("#")):
        mark, rest = line[0], line[2:]
        members = rest.partition(": ")[2] if mark == KIND else rest
        for member in members.split(" | "):
            phrase = " ".join(row(plain_figures(member)))
            if phrase:
                found.setdefault(phrase, []).append(f"{mark}{number}")
    return {phrase: " ".join(dict.fromkeys(groups)) for phrase, groups in found.items()}


def features_of(sample: dict[str, Any], thesaurus: Thesaurus) -> dict[str, float]:
    """Return a pair's features."""
    return relation_features(read_statement(sample["old"], thesaurus), read_statement(sample["new"], thesaurus))
