"""Learn what a statement of a conversation changes, of conversations in which it is known: beside all that the person has told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from memd.engine.keep.relation.judge import NOT_MEANT, Meant, Relations
from memd.engine.keep.relation.units import Thesaurus, read_statement
from memd.engine.keep.talk.changes import Beside, beside, change_features, question_before
from memd.engine.keep.worth import plain_of, undated
from memd.engine.linear import Linear
from memd.text.characters import is_cjk
from memd.text.clauses import clauses
from tools.training import logistic
from tools.training.matters import turned
from tools.training.talks import HELD, told_of

if TYPE_CHECKING:
    from memd.model.sessions import Told

Floats = npt.NDArray[np.float32]


class Embedding(NamedTuple):
    """What gives the vector of a text, and the turn of what is told."""

    of: Callable[[str], Floats]
    turn: Floats

    def pair(self, known: str, told: str) -> Meant:
        """Return the vectors of a memory and of what is told."""
        old, new = self.of(known), self.of(told)
        return Meant(old.tolist(), new.tolist(), turned(self.turn, new).tolist())


FILES = ("talks_*.jsonl", "changes_*.jsonl", "unscripted_*.jsonl")
STRENGTH = 4.0
# Log odds, for the strange ones: .5 is about where what is found and what is found wrongly balance best (F1), of each set left out
# in turn: with vectors from 1 to 1.2; by words more would be found later, and more wrongly.
SHIFT = 1.15
STRANGE, APART = (
    5,
    4,
)  # statements of other conversations beside what is known in one, and how far apart they stand there


class Said(NamedTuple):
    """A statement with the statements that were known when it was told, and the places there of what it changes.

    `unclear`: the places of what another statement of its turn changes, which is not learned from.
    """

    told: Told
    known: list[str]
    changed: frozenset[int]
    unclear: frozenset[int] = frozenset()


def said_in(sets: Path) -> Iterator[Said]:
    """Yield the statements of users, of every conversation, in order; with each conversation STRANGE statements of others.

    What somebody tells mostly changes nothing that is known, and in a conversation written to tell changes it mostly does.
    """
    for path in sorted(path for name in FILES for path in sets.glob(name)):
        if HELD not in path.name:
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
    parted = any("closes" in one for one in talk["keep"])  # who wrote it says which statements of a memory end
    known = [
        (one["id"], said)
        for one in talk["existing"]
        for said in ([part.said for part in clauses(one["content"])] if parted else [one["content"]])
    ]
    for told, facts in told_of(talk):
        if told.source == "user":
            changed = _places(known, facts)
            of_turn = _places(known, [one for one in talk["keep"] if one["turn"] == told.turn])
            yield Said(told, [text for _, text in known], changed, of_turn - changed)
        if facts:
            known.append((f"turn {told.turn}", told.text))


def _places(known: Sequence[tuple[str, str]], facts: Sequence[dict[str, Any]]) -> frozenset[int]:
    """Return where the statements stand that facts change: of a memory those that a fact `closes`, all where it names none."""
    found: set[int] = set()
    for one in facts:
        mine = [n for n, (name, _) in enumerate(known) if name == one["supersedes"]]
        closed = one.get("closes", "")
        found.update([n for n in mine if closed in known[n][1] or known[n][1] in closed] or mine)
    return frozenset(found)


def texts_of(said: Sequence[Said]) -> list[str]:
    """Return the texts that are learned from."""
    return list(dict.fromkeys(text for one in said for text in (one.told.text, *one.known)))


def learn(said: Sequence[Said], relations: Relations, thesaurus: Thesaurus, embedded: Embedding | None) -> Linear:
    """Return the weights of what tells a change; by words alone where there are no vectors."""
    rows: list[dict[str, float]] = []
    labels: list[float] = []
    counted: list[float] = []
    for one in said:
        rows += change_features(one.told.text, _beside(one, relations, thesaurus, embedded), one.told.after)
        labels += [float(n in one.changed) for n in range(len(one.known))]
        counted += [float(n not in one.unclear) for n in range(len(one.known))]
    names = sorted({name for row in rows for name in row})
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows], np.float32)
    bias, weights = logistic.fit(table, np.array(labels), np.array(counted), strength=np.full(len(names), STRENGTH))
    return Linear(bias + SHIFT, dict(zip(names, weights.tolist(), strict=True)))


def _beside(one: Said, relations: Relations, thesaurus: Thesaurus, embedded: Embedding | None) -> list[Beside]:
    asked = question_before(one.told.after)
    new = read_statement(undated(one.told.text), thesaurus)
    question = read_statement(asked, thesaurus) if asked else None
    told = plain_of(one.told.text)
    behind = (
        embedded.of(plain_of(f"{one.told.after} {one.told.text}")).tolist() if embedded and one.told.after else None
    )
    return [
        beside(
            relations,
            read_statement(text, thesaurus),
            new,
            question,
            embedded.pair(text, told) if embedded else NOT_MEANT,
            behind,
        )
        for text in one.known
    ]
