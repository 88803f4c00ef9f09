"""Learn what a statement of a conversation changes, of conversations in which it is known: beside all that the person has told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from memd.engine.keep.relation.judge import Relations
from memd.engine.keep.relation.units import read_statement
from memd.engine.keep.relation.words import Thesaurus
from memd.engine.keep.talk.changes import Beside, beside, change_features, question_before
from memd.engine.keep.talk.together import together
from memd.engine.keep.talk.told import told_in
from memd.engine.keep.worth import plain_of
from memd.engine.linear import Linear
from memd.model.sessions import Told, Turn
from tools.training import logistic

Floats = npt.NDArray[np.float32]
VectorOf = Callable[[str], Sequence[float]]
HELD = "changes_held.jsonl"  # measures, and is not learned from
STRENGTH = 1.0


class Said(NamedTuple):
    """A statement with what was known when it was told, and the places there of what it changes."""

    told: Told
    known: list[str]
    changed: frozenset[int]


def said_in(sets: Path) -> Iterator[Said]:
    """Yield the statements of users, of every conversation, in order."""
    for path in sorted([*sets.glob("talks_*.jsonl"), *sets.glob("changes_*.jsonl")]):
        if path.name != HELD:
            for line in path.read_text("utf-8").splitlines():
                yield from _of_talk(json.loads(line))


def _of_talk(talk: dict[str, Any]) -> Iterator[Said]:
    zone = datetime.fromisoformat(talk["now"]).strftime("%z")
    known = {one["id"]: one["content"] for one in talk["existing"]}
    turns = list(enumerate(talk["turns"], 1))
    for session in sorted({one.get("session", 1) for _, one in turns}):
        said = [
            Turn(n, one["who"], one["text"], datetime.fromisoformat(one["at"]).timestamp())
            for n, one in turns
            if one.get("session", 1) == session
        ]
        for told in together(told_in(said, f"{zone[:3]}:{zone[3:]}")):
            facts = [one for one in talk["keep"] if _says(told, one)]
            if told.source == "user":
                changed = {one["supersedes"] for one in facts}
                yield Said(told, [*known.values()], frozenset(n for n, one in enumerate(known) if one in changed))
            if facts:
                known[f"turn {told.turn}"] = told.text


def _says(told: Told, fact: dict[str, Any]) -> bool:
    if fact["turn"] != told.turn and fact["turn"] not in told.proof:
        return False
    return all(re.search(one, told.text, re.IGNORECASE) for one in fact["must"])


def texts_of(said: Sequence[Said]) -> list[str]:
    """Return the texts that are learned from."""
    return list(dict.fromkeys(text for one in said for text in (one.told.text, *one.known)))


def learn(said: Sequence[Said], relations: Relations, thesaurus: Thesaurus, vector_of: VectorOf | None) -> Linear:
    """Return the weights of what tells a change; by words alone where there are no vectors."""
    rows: list[dict[str, float]] = []
    labels: list[float] = []
    for one in said:
        rows += change_features(one.told.text, _beside(one, relations, thesaurus, vector_of))
        labels += [float(n in one.changed) for n in range(len(one.known))]
    names = sorted({name for row in rows for name in row})
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows], np.float32)
    bias, weights = logistic.fit(table, np.array(labels), np.ones(len(rows)), strength=np.full(len(names), STRENGTH))
    return Linear(bias, dict(zip(names, weights.tolist(), strict=True)))


def _beside(one: Said, relations: Relations, thesaurus: Thesaurus, vector_of: VectorOf | None) -> list[Beside]:
    asked = question_before(one.told.after)
    new, question = read_statement(one.told.text, thesaurus), read_statement(asked, thesaurus) if asked else None
    told = vector_of(plain_of(one.told.text)) if vector_of else None
    behind = vector_of(plain_of(f"{one.told.after} {one.told.text}")) if vector_of and one.told.after else None
    return [
        beside(
            relations,
            read_statement(text, thesaurus),
            new,
            question,
            (vector_of(text) if vector_of else None, told, behind),
        )
        for text in one.known
    ]
