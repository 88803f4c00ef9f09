"""Learn what a statement changes of all that is known: of conversations, of pairs laid into roles, and of roles that only grew.

What somebody tells mostly changes nothing, however much it is like something that is known. So beside conversations and pairs that
were written to tell changes stand the roles of `recall_*.jsonl`, told from the first memory to the last: nothing there ends anything.
A judge of relations knows the pairs that it was learned from too well, so what it says of a hand is said by one that saw nothing of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from memd.engine.keep.relation.judge import NOT_MEANT, Meant, Relations, likeness_of
from memd.engine.keep.relation.units import Thesaurus, likeness, read_statement
from memd.engine.keep.talk.changes import Beside, alike, beside, change_features, question_before
from memd.engine.keep.worth import plain_of, undated
from memd.engine.linear import Boosted, Linear
from memd.text.characters import is_cjk
from memd.text.clauses import clauses
from tools.training import boost, logistic
from tools.training.matters import turned
from tools.training.relations import in_one
from tools.training.talks import HELD, Talk, read_talks

Floats = npt.NDArray[np.float32]
FOLDS = 3
FILES = ("talks_*.jsonl", "changes_*.jsonl", "unscripted_*.jsonl")
PAIRS = ("pairs_*.jsonl", "states_*.jsonl")
PARTS, LIVED = "parts_*.jsonl", "recall_*.jsonl"
STRENGTH = 4.0
PLAN = boost.Plan(rounds=400, step=0.05, leaves=4, least=100, columns=0.5)
STRANGE, APART = (
    5,
    4,
)  # statements of other conversations beside what is known in one, and how far apart they stand there
EACH_PAIR, EACH_TOLD = 3, 4  # of the pairs, each third is laid into a role; of a role's memories, each fourth is told
OTHERS = (0, 0, 6, 20)  # memories of the same hand that a pair is laid among
WIDER, WIDE_CHARS, FIRST = 0.35, 90, 0.6  # how often its old side says something else as well, and then first
MOST_LIKE, SIDE_BY_SIDE = 0.5, 6


class Judge(NamedTuple):
    """What was learned of hands: how two statements stand to each other, and the turn of what is told."""

    relations: Relations
    turn: Floats


class Embedding(NamedTuple):
    """What gives the vectors of a text that is stored, and of one that is told."""

    of: Callable[[str], Floats]
    told: Callable[[str], Floats]


class Told(NamedTuple):
    """A statement, and what was said right before it."""

    text: str
    after: str = ""


class Said(NamedTuple):
    """A statement with the statements that were known when it was told, and the places there of what it changes.

    `unclear`: the places of what another statement of its turn changes, which is not learned from; `hand`: who wrote it.
    """

    told: Told
    known: list[str]
    changed: frozenset[int]
    unclear: frozenset[int] = frozenset()
    hand: str = ""


def hand_of(name: str) -> str:
    """Return who wrote a file, from its stem or what stands for it."""
    return (
        name.partition(":")[0].rpartition("_")[2]
        if name.startswith("unscripted")
        else name.partition(":")[0].partition("_")[2]
    )


def fold_of(hand: str) -> int:
    """Return which judge says something of what a hand wrote."""
    return crc32(hand.encode()) % FOLDS


def said_in(sets: Path) -> Iterator[Said]:
    """Yield all that is learned from: the statements of conversations, pairs laid into roles, and roles that only grew."""
    yield from talked_in(sets)
    yield from _laid(sets)
    yield from _lived(sets)


def talked_in(sets: Path) -> Iterator[Said]:
    """Yield the statements of users, of every conversation, in order; with each conversation STRANGE statements of others."""
    for path in sorted(path for name in FILES for path in sets.glob(name)):
        if HELD not in path.name:
            talks = [list(_of_talk(one, hand_of(path.stem))) for one in read_talks(path)]
            for n, talk in enumerate(talks):
                yield from talk
                yield from _strange(talk, [*talks[n + 1 :], *talks[:n]])


def _lived(sets: Path) -> Iterator[Said]:
    """Yield memories of roles beside all that was told before them: none changes anything."""
    for path in sorted(sets.glob(LIVED)):
        for line in path.read_text("utf-8").splitlines():
            texts = [one["text"] for one in json.loads(line)["memories"]]
            for at in range(1 + len(texts) % EACH_TOLD, len(texts), EACH_TOLD):
                known = [part for text in texts[:at] for part in _parts(text)]
                yield Said(Told(texts[at]), known, frozenset(), hand=hand_of(path.stem))


def _laid(sets: Path) -> Iterator[Said]:
    """Yield pairs whose old side stands among what the same hand wrote of other matters, and memories of which a part ends."""
    chance = np.random.default_rng(2)
    for path in sorted(path for name in (*PAIRS, PARTS) for path in sets.glob(name)):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        voices: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in rows:
            voices.setdefault((row.get("voice", ""), row["lang"]), []).append(row)
        for own in voices.values():
            olds = list(dict.fromkeys(row["old"] for row in own))
            step = 1 if path.match(PARTS) else EACH_PAIR
            yield from (_in_role(row, olds, chance, hand_of(path.stem)) for row in own[::step])


def _in_role(row: dict[str, Any], olds: Sequence[str], chance: np.random.Generator, hand: str) -> Said:
    old, beside_it = row["old"], [one for one in olds if one != row["old"] and not _alike(one, row["old"])]
    fits = [count for count in OTHERS if count <= len(beside_it)]
    count = fits[chance.integers(len(fits))]
    others = [beside_it[at] for at in chance.choice(len(beside_it), count, replace=False)] if count else []
    parts, ends = _parts(old), [one.strip() for one in row.get("closes", "").split("||") if one.strip()]
    ended = [not ends or any(_is_in(part, one) for one in ends) for part in parts]
    may_be_wide = "closes" not in row and row["relation"] != "refinement" and len(old) <= WIDE_CHARS and beside_it
    if may_be_wide and chance.random() < WIDER:
        extra = beside_it[chance.integers(len(beside_it))]
        first, second = (old, extra) if chance.random() < FIRST else (extra, old)
        parts = _parts(in_one(first, second, chance))
        ended = [_is_in(part, old) for part in parts]
    changed = frozenset(at for at, so in enumerate(ended) if so) if row["relation"] == "contradiction" else frozenset()
    return Said(Told(row["new"]), [*parts, *(part for one in others for part in _parts(one))], changed, hand=hand)


def _alike(one: str, other: str) -> bool:
    return len(_words(one) & _words(other)) > MOST_LIKE * min(len(_words(one)), len(_words(other)))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]{3,}|[\u4e00-\u9fff]", text.casefold()))


def _is_in(part: str, whole: str) -> bool:
    one, other = ("".join(re.findall(r"\w+", text.casefold())) for text in (part, whole))
    return one in other or other in one


def _parts(text: str) -> list[str]:
    found = clauses(text)
    return [one.said for one in found] if len(found) > 1 else [text]


def _strange(talk: Sequence[Said], others: Sequence[Sequence[Said]]) -> Iterator[Said]:
    known = talk[0].known if talk else []
    if known:
        han = _is_han(known[0])
        like = [one for other in others for one in other if _is_han(one.told.text) is han]
        hand = talk[0].hand
        yield from (Said(one.told, known, frozenset(), hand=hand) for one in like[: STRANGE * APART : APART])


def _is_han(text: str) -> bool:
    return any(map(is_cjk, text))


def _of_talk(one: Talk, hand: str) -> Iterator[Said]:
    talk = one.row
    parted = any("closes" in one for one in talk["keep"])  # who wrote it says which statements of a memory end
    known = [
        (one["id"], said)
        for one in talk["existing"]
        for said in ([part.said for part in clauses(one["content"])] if parted else [one["content"]])
    ]
    for told, facts in one.told:
        if told.source == "user":
            changed = _places(known, facts)
            of_turn = _places(known, [one for one in talk["keep"] if one["turn"] == told.turn])
            said = Told(told.text, told.after)
            yield Said(said, [text for _, text in known], changed, of_turn - changed, hand)
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


@dataclass(frozen=True)
class Learning:
    """What is needed to learn of statements: judges by fold, and vectors; by words alone where there are none."""

    judges: Sequence[Judge]
    thesaurus: Thesaurus
    embedded: Embedding | None

    def rows(self, one: Said) -> tuple[list[int], list[dict[str, float]]]:
        """Return the places of what is most like a statement, and the features of each."""
        judge, new = self.judges[fold_of(one.hand)], read_statement(undated(one.told.text), self.thesaurus)
        told = self.embedded.told(one.told.text) if self.embedded else None
        turn = turned(judge.turn, told) if told is not None else None
        meant = [
            Meant(self.embedded.of(text).tolist(), told.tolist(), turn.tolist())
            if self.embedded and told is not None and turn is not None
            else NOT_MEANT
            for text in one.known
        ]
        read = [read_statement(text, self.thesaurus) for text in one.known]
        likes = [
            alike(
                likeness(old, new),
                None if pair.old is None or pair.turned is None else likeness_of(pair.old, pair.turned),
            )
            for old, pair in zip(read, meant, strict=True)
        ]
        places = nlargest(SIDE_BY_SIDE, range(len(likes)), key=likes.__getitem__)
        asked = question_before(one.told.after)
        question = read_statement(asked, self.thesaurus) if asked else None
        behind = (
            self.embedded.of(plain_of(f"{one.told.after} {one.told.text}")).tolist()
            if self.embedded and one.told.after
            else None
        )
        seen: list[Beside] = [beside(judge.relations, read[at], new, question, meant[at], behind) for at in places]
        return places, change_features(one.told.text, seen, one.told.after)


def learn(said: Sequence[Said], learning: Learning) -> tuple[Linear, Boosted]:
    """Return the weights and the trees of which the mean tells a change.

    By hands that were left out both together find, at the precision of either alone, the most: of changes of pairs in roles .59 and of those of
    conversations .65, weights .56 and .64, trees .59 and .64.
    """
    rows: list[dict[str, float]] = []
    labels: list[float] = []
    counted: list[float] = []
    for one in said:
        places, features = learning.rows(one)
        rows += features
        labels += [float(at in one.changed) for at in places]
        counted += [float(at not in one.unclear) for at in places]
    names = sorted({name for row in rows for name in row})
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows], np.float32)
    truth, much = np.array(labels), np.array(counted)
    bias, weights = logistic.fit(table, truth, much, strength=np.full(len(names), STRENGTH))
    linear = Linear(bias, dict(zip(names, weights.tolist(), strict=True)))
    return linear, boost.fit(names, table, truth, much, PLAN)
