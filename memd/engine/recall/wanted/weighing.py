"""Weigh what meaning and words say of a role's memories: the models that were learned, and the walk over the candidates."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from math import fsum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memd.engine.recall.wanted.evidence import (
    LEVEL_LIMIT,
    SECOND,
    Standing,
    bearing_of,
    features,
    probability,
    standing_of,
)
from memd.engine.recall.wanted.wording import NOTHING, Asked, Frequencies, asked_of, shared_words, words_of
from memd.text.acts import Said, read_message

if TYPE_CHECKING:
    from memd.engine.linear import Boosted
    from memd.engine.recall.lexicon import Lexicon
    from memd.model.scene import Near

BEST_BY_MEANING, BEST_BY_WORDS = 24, 16  # memories that are weighed: what is below them comes to nothing
BESIDE_BEST = 0.35  # of the best probability: what is less likely than that was only near what was wanted
# A message of a word or two is no question: it brings what has them all, the more of them the sooner.
BARE_UNITS, WHOLLY, BARE_WORD, BARE_TOTAL = 5.0, 0.99, 0.4, 20.0
ONLY_NEAR = 0.04  # the most that such a one is held for
STRANGER = Standing(SECOND, SECOND, 0)
LEVEL_SPAN = 4.0  # the two sides of a likeness, in standard deviations, are one level


class Worded(Protocol):
    """What has a text."""

    @property
    def text(self) -> str:
        """The text."""


class Holding(Protocol):
    """What is weighed: texts by their ids, and the words of them."""

    @property
    def memories(self) -> Mapping[str, Worded]:
        """The texts."""

    @property
    def lexicon(self) -> Lexicon:
        """Their words."""


class Weighed(NamedTuple):
    """How likely a memory is wanted, beside the others and by itself, and what says so: its level of meaning, None where unknown."""

    probability: float
    alone: float
    level: float | None


@dataclass(frozen=True, slots=True)
class Weighing:
    """`meaning` judges with a model's likeness, `words` without; `need`: weights by which a question's vector says that a
    message like it wants any memory, and the bias."""

    meaning: Boosted | None = None
    words: Boosted | None = None
    need: tuple[float, array[float]] = (0.0, array("f"))
    known: Frequencies = field(default_factory=Frequencies)

    def needed(self, vector: Sequence[float]) -> float:
        """Return the log odds that a question of this vector wants a memory; 0 of a vector of another length."""
        bias, weights = self.need
        if not weights or len(weights) != len(vector):
            return 0.0
        return max(-4.0, min(4.0, bias + fsum(map(float.__mul__, weights, vector))))


@dataclass(frozen=True, slots=True)
class Question:
    """A scene as it is asked of every role: what is said, its words, and its vector where there is one."""

    said: Said
    asked: Asked
    need: float = 0.0


def question_of(messages: Sequence[str], topic: str, weighing: Weighing, vector: Sequence[float] = ()) -> Question:
    """Return what messages, oldest first, ask."""
    said = read_message(messages[-1]) if messages else read_message("")
    older = [read_message(one).question for one in reversed(messages[:-1])]
    asked = asked_of(said.question, older, topic, said.handed, weighing.known)
    return Question(said, asked, weighing.needed(vector) if vector else 0.0)


class Scales:
    """One question put to one role's memories: each is weighed at most once, when it is asked for."""

    def __init__(self, role: Holding, question: Question, near: Mapping[str, Near], weighing: Weighing) -> None:
        self._role, self._question, self._near, self._weighing = role, question, near, weighing
        self._levels = {
            key: min(LEVEL_LIMIT, (one.asked_z + one.text_z) / LEVEL_SPAN)
            for key, one in near.items()
            if key in role.memories
        }
        self._standings = dict(zip(self._levels, standing_of(list(self._levels.values())), strict=True))
        self._words = words_of(question.asked, role.lexicon, weighing.known)
        self._weighed: dict[str, Weighed | None] = {}

    def of(self, key: str) -> Weighed | None:
        """Return how likely a memory is wanted by itself; None where nothing was learned that tells."""
        if key not in self._weighed:
            self._weighed[key] = self._weigh(key)
        return self._weighed[key]

    def all(self, always: Collection[str] = ()) -> dict[str, Weighed]:
        """Return how likely each memory is wanted; those that cannot be are left out, but for `always`."""
        levels, words = self._levels, self._words
        chosen = set(nlargest(BEST_BY_MEANING, levels, key=lambda key: (levels[key], key))) | set(always)
        chosen |= set(nlargest(BEST_BY_WORDS, words, key=lambda key: (words[key].total + words[key].handed, key)))
        found = {key: one for key in sorted(chosen & self._role.memories.keys()) if (one := self.of(key))}
        best = max((one.alone for one in found.values()), default=0.0)
        return {
            key: one if one.alone >= BESIDE_BEST * best else one._replace(probability=min(one.alone, ONLY_NEAR))
            for key, one in found.items()
        }

    def _weigh(self, key: str) -> Weighed | None:
        level, side, said = self._levels.get(key), self._near.get(key), self._words.get(key, NOTHING)
        judge = self._weighing.words if level is None else self._weighing.meaning
        if judge is None:
            return None
        lean = (side.asked_z - side.text_z) / LEVEL_SPAN if side else 0.0
        evidence = features(
            self._question.said, self._question.need, bearing_of(self._role.memories[key].text), level, lean,
            self._standings.get(key, STRANGER), said,
        )  # fmt: skip
        chance = probability(judge.value(evidence))
        if _is_bare(self._question) and said.covered > WHOLLY:
            chance = max(chance, BARE_WORD + (1 - BARE_WORD) * said.total / (said.total + BARE_TOTAL))
        return Weighed(chance, chance, level)


def _is_bare(question: Question) -> bool:
    said = question.said
    return not (said.asks or said.orders or said.own) and said.size <= BARE_UNITS


def reason(role: Holding, question: Question, weighing: Weighing, key: str, level: float | None) -> str:
    """Return what speaks for a memory, as a sentence."""
    words = shared_words(question.asked, role.lexicon, weighing.known, key)
    said = [f"shares {words}"] if words else []
    if level is not None and level > SECOND:
        said.append(f"means something alike ({level:.1f})")
    return " and ".join(reversed(said))[:160] or "stands out among little"
