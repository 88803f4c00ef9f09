"""Learn how a new statement stands to an old one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from memd.engine.keep.relation.judge import relation_features
from memd.engine.keep.relation.units import likeness, plain_figures, read_statement
from memd.engine.keep.relation.words import Thesaurus, row
from memd.formats.thesaurus import KIND
from memd.model.relation import Relation
from tools.training.fit import Table, fit_kinds

LEAST = 4  # pairs that must have a feature
STRENGTH = 0.4
STRANGE = 0.1  # how much a pair of strangers counts
STEP, TRIED = 37, 60  # where strangers are looked for: not among the neighbours, which may speak of the same
MOST_ALIKE = 0.67


def learn(
    samples: list[dict[str, Any]], importance: list[float], thesaurus: Thesaurus
) -> tuple[float, dict[str, float]]:
    """Return weights by relation and feature, as one table: `contradiction: [figures differ]`."""
    strangers = list(strangers_of(samples, thesaurus))
    samples = [*samples, *strangers]
    importance = [*importance, *[STRANGE] * len(strangers)]
    features = [features_of(one, thesaurus) for one in samples]
    real = len(samples) - len(strangers)
    counts = Counter(name for one in features[:real] for name in one)
    features = [{name: much for name, much in one.items() if counts[name] >= LEAST} for one in features]
    order = list(Relation)
    kinds = np.array([order.index(Relation(one["relation"])) for one in samples])
    biases, rows = fit_kinds(Table.of(features, LEAST), kinds, len(order), np.array(importance), strength=STRENGTH)
    weights: dict[str, float] = {}
    for relation, bias, learned in zip(order, biases, rows, strict=True):
        weights[f"{relation}: *"] = float(bias)
        weights.update((f"{relation}: {name}", value) for name, value in learned.items())
    return 0.0, weights


def strangers_of(samples: list[dict[str, Any]], thesaurus: Thesaurus) -> Iterator[dict[str, Any]]:
    """Yield pairs of statements that have nothing to do with each other, of those that are most alike in words.

    What a role holds is mostly of this kind: the same person, another matter.
    """
    olds = [read_statement(one["old"], thesaurus) for one in samples]
    for number, one in enumerate(samples):
        new = read_statement(one["new"], thesaurus)
        others = [(number + step * STEP) % len(samples) for step in range(1, TRIED)]
        fits = [(likeness(olds[at], new), at) for at in others if samples[at]["lang"] == one["lang"]]
        chosen = max((fit for fit in fits if fit[0] <= MOST_ALIKE), default=None)
        if chosen is not None:
            yield {"old": samples[chosen[1]]["old"], "new": one["new"], "relation": "unrelated", "lang": one["lang"]}
        two = [samples[(number + step * STEP) % len(samples)]["old"] for step in (TRIED, TRIED + 1)]
        yield {"old": " ".join(two), "new": one["new"], "relation": "unrelated", "lang": one["lang"]}


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
