"""Weigh what meaning and words say of a role's memories: the models that were learned, and the walk over the candidates."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from heapq import nlargest
from math import exp, fsum, inf, log, nextafter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memd.engine.recall.snippets import words_of
from memd.engine.recall.wanted.doing import Doing, doing_of
from memd.engine.recall.wanted.evidence import (
    LEVEL_LIMIT,
    SECOND,
    Bearing,
    ByWords,
    Standing,
    Words,
    bearing_of,
    cost_of,
    features,
    is_bare,
    is_order,
    mark_of,
    probability,
    standing_of,
    worth_telling,
)
from memd.engine.recall.wanted.wording import Asked, Frequencies, Sharing, asked_of, shared_terms
from memd.text.acts import Said, read_message

if TYPE_CHECKING:
    from memd.engine.linear import Boosted
    from memd.engine.recall.lexicon import Lexicon
    from memd.model.scene import Near

BEST_BY_MEANING, BEST_BY_WORDS = 24, 16  # memories that are weighed: what is below them comes to nothing
BEST_HEARD = 48  # of those that something else speaks for, as hundreds have one key: those that share most
# Of the best probability: what is less likely than that was only near what was wanted; by words alone.
BESIDE_BEST, BESIDE_SAID = 0.45, 0.35
# The same where something is to be done: what it touches has several rules. By words alone; and where both judges are asked.
BESIDE_RULE, BESIDE_POOLED = 0.2, 0.1
# A message of a word or two is no question: it brings what has them all, the more of them the sooner.
WHOLLY, BARE_WORD, BARE_TOTAL = 0.99, 0.4, 20.0
ONLY_NEAR = 0.04  # the most that such a one is held for
CROWD, CROWD_FROM = 0.35, 40  # log odds that the best loses with each e-fold of memories, from so many on
# Of what is to be done both judges are asked: log odds by meaning and by words are pooled (Genest and Zidek 1986), and what a
# pool of two loses in sureness is given back.
POOLED, POOLED_MORE = 0.7, 0.2
JUST_BEYOND = nextafter(LEVEL_LIMIT, inf)  # what does not lead is behind the best, however high both are
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
    """How likely a memory is wanted, beside the others and by itself, and what says so: its level of meaning, None where
    unknown. `rule`: it is one."""

    probability: float
    alone: float
    level: float | None
    rule: bool


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
    """A scene as it is asked of every role: what is said, its words, what is to be done, and its need where there is a vector."""

    said: Said
    asked: Asked
    doing: Doing
    need: float = 0.0

    @property
    def to_do(self) -> bool:
        """Something is to be done: several rules may bear on it."""
        return self.doing.task or is_order(self.said)


def question_of(messages: Sequence[str], topic: str, weighing: Weighing, vector: Sequence[float] = ()) -> Question:
    """Return what messages, oldest first, ask."""
    said = read_message(messages[-1]) if messages else read_message("")
    older = [read_message(one).question for one in reversed(messages[:-1])]
    doing = doing_of(said)
    asked = asked_of(said.question, older, topic, said.handed, weighing.known, is_task=doing.task)
    return Question(said, asked, doing, weighing.needed(vector) if vector else 0.0)


class Scales:
    """One question put to one role's memories: each is weighed at most once, when it is asked for. `texts`: they and the
    parts of them that others took the place of, where there are such; `mute`: those that may not come, beside which no other
    is less likely."""

    def __init__(
        self,
        role: Holding,
        question: Question,
        near: Mapping[str, Near],
        weighing: Weighing,
        texts: Mapping[str, Worded] | None = None,
        mute: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._role, self._question, self._near, self._weighing, self._mute = role, question, near, weighing, mute
        self._texts = role.memories if texts is None else texts
        self._levels = {key: (one.asked_z + one.text_z) / LEVEL_SPAN for key, one in near.items() if key in self._texts}
        speaking = {key: level for key, level in self._levels.items() if not mute(key)}
        self._standings = _standings(self._levels) if len(speaking) < len(self._levels) else {}
        self._standings |= _standings(speaking)
        self._sharing = Sharing(question.asked, role.lexicon, weighing.known)
        self._by_words: ByWords | None = None
        self._weighed: dict[str, Weighed | None] = {}

    @property
    def known(self) -> AbstractSet[str]:
        """The memories of which meaning says anything."""
        return self._levels.keys()

    def of(self, key: str) -> Weighed | None:
        """Return how likely a memory is wanted by itself; None where nothing was learned that tells."""
        if key not in self._weighed:
            self._weighed[key] = self._weigh(key)
        return self._weighed[key]

    def all(self, heard: AbstractSet[str] = frozenset()) -> dict[str, Weighed]:
        """Return how likely each memory is wanted; those that cannot be are left out, but for those `heard`."""
        levels = self._levels
        chosen = {*nlargest(BEST_BY_MEANING, levels, key=lambda key: (levels[key], key))}
        chosen.update(self._sharing.best(BEST_BY_WORDS, heard, BEST_HEARD))
        found = {key: one for key in sorted(chosen & self._texts.keys()) if (one := self.of(key))}
        best, rule = (BESIDE_BEST, BESIDE_POOLED) if levels else (BESIDE_SAID, BESIDE_RULE)
        share = rule if self._question.to_do else best
        least = share * max((one.alone for key, one in found.items() if not self._mute(key)), default=0.0)
        return {
            key: one if one.alone >= least else Weighed(min(one.alone, ONLY_NEAR), *one[1:])
            for key, one in found.items()
        }

    def worth(self, heard: AbstractSet[str], threshold: float) -> dict[str, tuple[float, float | None]]:
        """Return what each memory is worth telling, 0 to 1, and its level of meaning; those that cannot be wanted are left out.

        Of many strangers the best is near by chance: where even that one would not come by what it has in a crowd, none does.
        """
        asked, weighed = self._question, self.all(heard)
        cost = {rule: cost_of(asked.said, asked.doing, rule=rule) for rule in (False, True)}
        worth = {key: worth_telling(one.probability, cost[one.rule]) for key, one in weighed.items()}
        if self.known:
            crowd = {key: worth_telling(self.in_crowd(one.probability), cost[one.rule]) for key, one in weighed.items()}
            if max((one for key, one in crowd.items() if not self._mute(key)), default=1.0) < threshold:
                worth = crowd
        return {key: (likely, weighed[key].level) for key, likely in worth.items()}

    def in_crowd(self, chance: float) -> float:
        """Return a probability less what one of so many has by chance."""
        if not self._levels or len(self._role.memories) <= CROWD_FROM:
            return chance
        share = exp(-CROWD * log(len(self._role.memories) / CROWD_FROM))
        return chance * share / (chance * share + 1 - chance)

    def _weigh(self, key: str) -> Weighed | None:
        said, text = self._sharing.of(key), self._texts[key].text
        bearing = bearing_of(text, self._role.lexicon.marked(key, partial(mark_of, text)))
        odds = self._odds(key, bearing, said)
        if odds is None:
            return None
        chance = probability(odds)
        if is_bare(self._question.said) and said.covered > WHOLLY:
            chance = max(chance, BARE_WORD + (1 - BARE_WORD) * said.total / (said.total + BARE_TOTAL))
        return Weighed(chance, chance, self._levels.get(key), bearing.rule)

    def _odds(self, key: str, bearing: Bearing, said: Words) -> float | None:
        """Return the log odds that a memory is wanted; None where nothing was learned that tells."""
        asked, level, side = self._question, self._levels.get(key), self._near.get(key)
        by_words = None
        if self._weighing.words is not None and (level is None or asked.to_do):
            self._by_words = self._by_words or ByWords(self._weighing.words, asked.said, asked.doing, asked.need)
            by_words = self._by_words.value(bearing, said)
        if level is None or self._weighing.meaning is None:
            return by_words if level is None else None
        lean, standing = (side.asked_z - side.text_z) / LEVEL_SPAN if side else 0.0, _within(self._standings[key])
        evidence = features(asked.said, asked.doing, asked.need, bearing, level, lean, standing, said)
        odds = self._weighing.meaning.value(evidence)
        return odds if by_words is None else POOLED * odds + (1 - POOLED) * by_words + POOLED_MORE


def _standings(levels: Mapping[str, float]) -> dict[str, Standing]:
    return dict(zip(levels, standing_of(list(levels.values())), strict=True))


def _within(standing: Standing) -> Standing:
    """Return how a memory stands with levels that go no further than LEVEL_LIMIT; the nearest alone leads also above it."""
    leads = standing.above == 0
    return Standing(
        min(standing.best, LEVEL_LIMIT if leads else JUST_BEYOND),
        min(standing.second, LEVEL_LIMIT),
        standing.above,
        min(standing.fifth, LEVEL_LIMIT),
        min(standing.tenth, LEVEL_LIMIT),
    )


def reason(
    held: Worded, lexicon: Lexicon, question: Question, weighing: Weighing, key: str, level: float | None
) -> str:
    """Return what speaks for what is held under a key, as a sentence."""
    terms = shared_terms(question.asked, lexicon, weighing.known, key)
    said = [f"shares {', '.join(words_of(held.text, terms))}"] if terms else []
    if level is not None and level > SECOND:
        said.append(f"means something alike ({level:.1f})")
    return " and ".join(reversed(said))[:160] or "fits better than the rest"
