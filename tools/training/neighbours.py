"""Pairs of statements of one person that only stand near each other, as most of what a role holds does.

Writers who are asked for unrelated pairs write such as look alike. What memd compares in earnest is another thing: the
statements of one role that are nearest to a new one, by words and by meaning, which are of the same days and matters and
have nothing to do with each other. They are taken from roles and conversations that were written as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memd.engine.keep.relation.units import Thesaurus, likeness, read_statement

Floats = npt.NDArray[np.float32]
BY_WORDS, BY_MEANING = 1, 2  # neighbours of each statement
BESIDE = 4  # of what one person told of other matters, the nearest to each change
MOST_COSINE, MOST_LIKE = 0.7, 0.6  # what is nearer than that may be related after all
LATEST = 40  # statements of a person before a new one that are looked at
EACH = 3  # of the statements that were written one by one, each third
LOOKED_FROM = 4  # each fourth statement of a role or a person is put beside those before it
SHORTEST = 6  # letters of a statement


def told_by_one(sets: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield who wrote and what one role holds, or one person told, in order."""
    for path in sorted(sets.glob("recall_*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            role = json.loads(line)
            if "memories" in role:
                yield f"{path.stem}:{role.get('role', '')}", [one["text"] for one in role["memories"]]
    for stem in ("turns", "statements"):
        for path in sorted(sets.glob(f"{stem}_*.jsonl")):
            told: dict[str, list[str]] = {}
            for row in map(json.loads, path.read_text("utf-8").splitlines()):
                told.setdefault(f"{path.stem}:{row.get('persona', '')}:{row['lang']}", []).append(row["text"])
            yield from told.items()


def neighbours_of(
    sets: Path, thesaurus: Thesaurus, vectors_of: Callable[[list[str]], Floats], cases: Floats, nearly_equal: float
) -> list[dict[str, Any]]:
    """Return pairs with their writer: each statement with those told before it that are nearest to it.

    What is nearly equal to a case (its cosine with one of `cases`) is left out: what measures is not learned from.
    """
    of_roles: list[dict[str, Any]] = []
    of_statements: list[dict[str, Any]] = []
    for writer, told in told_by_one(sets):
        vectors = vectors_of(told)
        free = (vectors @ cases.T).max(axis=1) < nearly_equal
        texts, vectors = [text for text, may in zip(told, free, strict=True) if may], vectors[free]
        found = of_statements if writer.startswith("statements") else of_roles
        found += ({"writer": writer.partition(":")[0], **pair} for pair in _neighbours(texts, vectors, thesaurus))
    return [*of_roles, *islice(of_statements, 0, None, EACH)]


def beside_of(
    rows: Sequence[dict[str, Any]], writers: Sequence[str], vectors_of: Callable[[list[str]], Floats]
) -> Iterator[dict[str, Any]]:
    """Yield what is told later beside what the same hand wrote of other matters, the nearest: each pair is of a matter of its own.

    A text that reads like a change is one of what it is about, and of nothing else that a role holds.
    """
    for writer in dict.fromkeys(writers):
        own = [row for row, one in zip(rows, writers, strict=True) if one == writer]
        old, new = (vectors_of([row[side] for row in own]) for side in ("old", "new"))
        for row, cosines in zip(own, new @ old.T, strict=True):
            others = (own[at] for at in np.argsort(-cosines))
            for other in islice((one for one in others if one is not row and one["old"] != row["old"]), BESIDE):
                yield {"old": other["old"], "new": row["new"], "relation": "unrelated", "strange": True, "beside": True}


def _neighbours(texts: Sequence[str], vectors: Floats, thesaurus: Thesaurus) -> Iterator[dict[str, Any]]:
    read = [read_statement(text, thesaurus) for text in texts]
    for at in range(0, len(texts), LOOKED_FROM):
        text = texts[at]
        before = range(max(0, at - LATEST), at)
        cosines = {one: float(vectors[one] @ vectors[at]) for one in before}
        likes = {one: likeness(read[one], read[at]) for one in before}
        fit = [
            one
            for one in before
            if cosines[one] < MOST_COSINE and likes[one] < MOST_LIKE and len(texts[one]) >= SHORTEST
        ]
        nearest = sorted(fit, key=cosines.__getitem__)[-BY_MEANING:] + sorted(fit, key=likes.__getitem__)[-BY_WORDS:]
        for one in dict.fromkeys(nearest):
            yield {"old": texts[one], "new": text, "relation": "unrelated", "strange": True, "near": True}
