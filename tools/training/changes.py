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
from memd.engine.keep.relation.units import Thesaurus, read_statement
from memd.engine.keep.talk.changes import Beside, beside, change_features, question_before
from memd.engine.keep.talk.together import together
from memd.engine.keep.talk.told import told_in
from memd.engine.keep.worth import plain_of
from memd.engine.linear import Linear
from memd.model.sessions import Told, Turn
from memd.text.characters import is_cjk
from tools.training import logistic

Floats = npt.NDArray[np.float32]
VectorOf = Callable[[str], Sequence[float]]
HELD = ("changes_held.jsonl", "changes_held_later.jsonl")  # measure, and are not learned from
STRENGTH = 1.0
STRANGE, APART = (
    5,
    4,
)  # statements of other conversations beside what is known in one, and how far they are from each other there
SHIFT = 1.0  # log odds, for the strange ones: .5 is where right and wrong balance, of each set left out in turn


class Said(NamedTuple):
    """A statement with what was known when it was told, and the places there of what it changes."""

    told: Told
    known: list[str]
    changed: frozenset[int]


def said_in(sets: Path) -> Iterator[Said]:
    """Yield the statements of users, of every conversation, in order; with each conversation STRANGE statements of others.

    What somebody tells mostly changes nothing that is known, and in a conversation written to tell changes it mostly does.
    """
    for path in sorted([*sets.glob("talks_*.jsonl"), *sets.glob("changes_*.jsonl")]):
        if path.name not in HELD:
            talks = [list(_of_talk(json.loads(line))) for line in path.read_text("utf-8").splitlines()]
            for n, talk in enumerate(talks):
                yield from talk
                yield from _strange(talk, [*talks[n + 1 :], *talks[:n]])


def _strange(talk: Sequence[Said], others: Sequence[Sequence[Said]]) -> Iterator[Said]:
    known = talk[0].known if talk else []
    if known:
        han = _is_han(known[0])
        like = [one for other in others for one in other if _is_han(one.told.text) is han]
        yield from (Said(one.told, known, frozenset()) for one in like[: STRANGE * APART : APART])


def _is_han(text: str) -> bool:
    return any(map(is_cjk, text))


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
        rows += change_features(one.told.text, _beside(one, relations, thesaurus, vector_of), one.told.after)
        labels += [float(n in one.changed) for n in range(len(one.known))]
    names = sorted({name for row in rows for name in row})
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows], np.float32)
    bias, weights = logistic.fit(table, np.array(labels), np.ones(len(rows)), strength=np.full(len(names), STRENGTH))
    return Linear(bias + SHIFT, dict(zip(names, weights.tolist(), strict=True)))


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
