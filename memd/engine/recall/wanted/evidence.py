"""How likely it is that a message wants a memory: meaning and words as evidence of one probability.

Meaning is how much more alike two texts are than a question and unrelated statements, in standard deviations; words are
how much of what the message tells of, weighed by how rare its words are, the memory has. What a message is doing shifts
what either says, and so does whether another memory answers it better. All of it is one logistic model, so that a
feature's share of the log odds explains the result.

Units
    Levels are in standard deviations over four; gains of words in nats. A probability is 0 to 1.
Source
    Symmetric score normalisation (Auckenthaler, Carey and Lloyd-Thomas 2000): a score against what each side scores with
    strangers, so that a role of one memory is judged as one of a thousand. Learned by `python -m tools.training recall`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memd.text import expressions as re
from memd.text.characters import is_chinese

if TYPE_CHECKING:
    from memd.engine.linear import Boosted
    from memd.engine.recall.wanted.doing import Doing
    from memd.text.acts import Said

HINGES = (0.4, 0.7, 1.0, 1.4, 2.0, 3.0)  # levels from which more counts otherwise
SECOND = 0.25  # the level that a stranger reaches often: what is best of one stands out from it
LEVEL_LIMIT = 6.0  # what was learned of goes no further
HEAD_CHARS = 600  # of a memory, that say whether it is a rule
ACTS = ("asks", "orders", "pastes", "complains", "own", "reader", "courtesy")  # what a message does, as Said has it
_OF_EACH = {"words", "words size", *(f"words {name}" for name in ACTS), "covered", "most", "handed", "length"}
_OF_EACH |= {"here", "here asks", "here reader", "here most", "here covered", "here of all"}
# What a missed memory costs, in memories that come for nothing.
MISSED_OWN, MISSED_TOLD, MISSED_ANSWER, MISSED_OTHER, MISSED_NAMED, MISSED_RULE, MISSED_ORDER, MISSED_PASTE = (
    6.0,
    3.0,
    2.5,
    3.5,
    6.5,
    13.5,
    4.0,
    1.0,
)
BARE_UNITS = 5.0  # a message of a word or two is no question: it names what it wants to be told of
NEEDS_NOTHING = 0.35  # what is left of that where a message holds all that it needs

_RULE = re.compile(
    r"\b(?:always|never|must|mustn't|only|don't|do not|no longer than|prefer\w*|avoid|rather than|instead of|not in|every|each"
    r"|should|please|use|rule|convention|policy|format|style|keep|goes? through|has to|have to|needs? to|by hand|unless)\b"
    r"|必须|不要|不得|禁止|一律|统一|只能|只用|不准|不许|不能|别|总是|都要|以后|记得|要先|先.{1,12}再|规定|约定|规范|格式|用.{1,8}而不|严禁|一定要|得先",
    re.IGNORECASE,
)
_ANSWERING = re.compile(
    r"\b(?:answers?|repl(?:y|ies)|respon[ds]\w*|call (?:me|him|her|them)|address (?:me|him|her)|emoji|bullet|tone|sentences?|in (?:english|chinese|french"
    r"|german)|explanations?|short|brief|concise|jargon|metric|units)\b|回答|回复|称呼|叫我|语气|简短|简洁|要点|表情|啰嗦|废话|口语|长话短说|一句话",
    re.IGNORECASE,
)


class Words(NamedTuple):
    """What words say of one memory: their BM25 sum in nats, the share of the message's telling they cover, 0 to 1, the most
    that one of them says, in nats, how many there are, and the sum of those that were handed over; how much of what a task
    touches it rules, in nats, over how many groups, and the most of one.

    `here`: the sum with each word counting by how much it tells this memory from the others of its role, 0 where all have
    it; `here_covered`, `here_of_all`, `here_most`: what they cover of all that is telling, of what tells them apart, 0 to 1,
    and the most of one. Where two people's names stand in every memory, these say nothing of them.
    """

    total: float = 0.0
    covered: float = 0.0
    most: float = 0.0
    shared: int = 0
    handed: float = 0.0
    touched: float = 0.0
    touches: int = 0
    touched_most: float = 0.0
    here: float = 0.0
    here_covered: float = 0.0
    here_of_all: float = 0.0
    here_most: float = 0.0


class Bearing(NamedTuple):
    """What of a memory bears on whether an order or a request for text wants it."""

    rule: bool
    answering: bool
    chinese: bool
    length: float


@dataclass(frozen=True, slots=True)
class Standing:
    """How a memory stands among the others: the best level, the second best, how many are above it, and the fifth and tenth
    best: in a role of one matter all are near, and what is wanted is nearer than these."""

    best: float
    second: float
    above: int
    fifth: float = SECOND
    tenth: float = SECOND


STRANGER = Standing(SECOND, SECOND, 0)


def bearing_of(text: str, mark: int = 0) -> Bearing:
    """Return what of a memory's text bears on orders; `mark`: what `mark_of` said of it, where that is known."""
    return _bearing((mark or mark_of(text)) - 1, min(len(text), HEAD_CHARS))


@lru_cache(maxsize=2048)
def _bearing(mark: int, chars: int) -> Bearing:
    return Bearing(bool(mark & 1), bool(mark & 2), bool(mark & 4), math.log1p(chars) / 5)


def mark_of(text: str) -> int:
    """Return what of a text bears on orders but for its length, as a number from 1 to 8."""
    head = text[:HEAD_CHARS]
    rule = _RULE.search(head) is not None
    answering = rule and _ANSWERING.search(head) is not None
    return 1 + rule + 2 * answering + 4 * is_chinese(head)


def features(
    said: Said,
    doing: Doing,
    need: float,
    memory: Bearing,
    level: float | None,
    lean: float,
    standing: Standing,
    words: Words,
) -> dict[str, float]:
    """Return the evidence for one memory by name. `level` is None where nothing is known of meaning.

    `need`: log odds that a message like this wants any memory; `lean`: how far the two sides of `level` disagree.
    """
    found = {"need": need, "rule": float(memory.rule), "answering": float(memory.answering), "length": memory.length}
    total = words.total / 10
    found |= {
        "words": total / (total + 1), "covered": words.covered, "most": words.most / 10, "count": min(words.shared, 4) / 4,
        "silent": float(not words.shared), "handed": words.handed / (words.handed + 10),
    }  # fmt: skip
    found |= _here(said, words)
    acts = {name: float(getattr(said, name)) for name in ACTS} | {"size": min(math.log1p(said.size), 7.0) / 5}
    found |= acts
    found |= {f"words {name}": found["words"] * value for name, value in acts.items()}
    found |= {f"rule {name}": value for name, value in acts.items() if memory.rule}
    found |= {f"answering {name}": value for name, value in acts.items() if memory.answering}
    wants = _wants(doing)
    found |= wants | _touching(said, memory, words)
    found["rule doing task"] = float(memory.rule and doing.task)
    if level is not None:
        level = max(-1.0, min(LEVEL_LIMIT, level))
        found |= _meaning(level, lean, standing, same=memory.chinese == said.chinese)
        found |= {f"level {name}": level * value for name, value in (*acts.items(), *wants.items())}
        found |= {
            "level need": level * need, "level words": level * found["words"], "level covered": level * words.covered,
            "level handed": level * found["handed"], "level rule": level * memory.rule, "level length": level * memory.length,
            "level touched": level * found["touched"], "level here": level * found["here"],
        }  # fmt: skip
    return {name: value for name, value in found.items() if value}


def _here(said: Said, words: Words) -> dict[str, float]:
    here = words.here / 10
    here /= here + 1
    return {
        "here": here, "here covered": words.here_covered, "here of all": words.here_of_all, "here most": words.here_most / 10,
        "here asks": here * said.asks, "here reader": here * said.reader,
    }  # fmt: skip


class ByWords:
    """What a judge says of memories for one message, where nothing is known of meaning. What differs from one memory to the
    next is asked one by one; what is left of the judge by the rest, and by all of it, is kept.
    """

    def __init__(self, judge: Boosted, said: Said, doing: Doing, need: float) -> None:
        self._judge, self._asked = judge, (said, doing, need)
        self._size = min(math.log1p(said.size), 7.0) / 5
        self._words = judge.steps("words", *(f"words {name}" for name in ACTS if getattr(said, name)))
        self._sized, self._covered = judge.steps("words size"), judge.steps("covered")
        self._most, self._handed, self._length = judge.steps("most"), judge.steps("handed"), judge.steps("length")
        self._here = judge.steps("here", *(f"here {name}" for name in ("asks", "reader") if getattr(said, name)))
        self._here_most, self._here_of_all = judge.steps("here most"), judge.steps("here of all")
        self._here_covered = judge.steps("here covered")
        self._left: dict[tuple[float, ...], int] = {}
        self._values: dict[int, float] = {}

    def value(self, memory: Bearing, words: Words) -> float:
        """Return the log odds of a memory."""
        place = (memory.rule, memory.answering, min(words.shared, 4), *words[5:8])
        left = self._left.get(place)
        if left is None:
            found = features(*self._asked, memory, None, 0.0, STRANGER, words)
            known = {name: value for name, value in found.items() if name not in _OF_EACH}
            left = self._left[place] = self._judge.left(known)
        total = words.total / 10
        total = total / (total + 1)
        left &= self._words.left(total) & self._sized.left(total * self._size) & self._covered.left(words.covered)
        left &= self._most.left(words.most / 10) & self._length.left(memory.length)
        here = words.here / 10
        left &= self._here.left(here / (here + 1)) & self._here_most.left(words.here_most / 10)
        left &= self._here_of_all.left(words.here_of_all) & self._here_covered.left(words.here_covered)
        if words.handed:
            left &= self._handed.left(words.handed / (words.handed + 10))
        value = self._values.get(left)
        if value is None:
            value = self._values[left] = self._judge.sum(left)
        return value


@lru_cache(maxsize=64)
def _wants(doing: Doing) -> dict[str, float]:
    return {f"doing {name.replace('_', ' ')}": float(is_so) for name, is_so in doing._asdict().items()}


def _touching(said: Said, memory: Bearing, words: Words) -> dict[str, float]:
    touched = words.touched / 10
    return {
        "touched": touched, "touches": words.touches / 4, "touched most": words.touched_most / 5,
        "touched orders": touched * said.orders, "touched rule": touched * memory.rule,
    }  # fmt: skip


def _meaning(level: float, lean: float, standing: Standing, *, same: bool) -> dict[str, float]:
    leads = level >= standing.best
    gap = level - (max(standing.second, SECOND) if leads else standing.best)
    found = {
        "level": level, "lean": lean, "same": float(same), "level same": level * same, "gap": gap, "leads": float(leads),
        "gap ahead": gap if leads else 0.0, "place": math.exp(-standing.above / 1.5), "best": standing.best,
        "place late": math.exp(-standing.above / 4), "over fifth": level - standing.fifth, "over tenth": level - standing.tenth,
        "tenth": standing.tenth, "best over tenth": standing.best - standing.tenth,
    }  # fmt: skip
    return found | {f"over {hinge}": max(0.0, level - hinge) for hinge in HINGES}


def probability(odds: float) -> float:
    """Return a probability from its log odds."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def worth_telling(likely: float, cost: float) -> float:
    """Return a probability with what a miss costs against noise."""
    return likely * cost / (likely * cost + 1 - likely)


def cost_of(said: Said, doing: Doing, *, rule: bool) -> float:
    """Return what it costs that a memory does not come, in such that come for nothing; `rule`: it is one.

    A question about one's own left unanswered costs most. What is asked of the world is answered without a memory, as a rule; a
    task is done, but wrong where a rule is broken; what is handed over is about itself, and a lesson or a change of what is
    before both needs nothing else.
    """
    if said.pastes:
        cost = MISSED_PASTE
    elif rule and (doing.task or is_order(said)):
        cost = MISSED_RULE
    elif is_order(said):
        cost = MISSED_ORDER
    elif is_bare(said) and not said.courtesy:
        cost = MISSED_NAMED
    elif said.own:
        cost = MISSED_OWN if said.asks else MISSED_TOLD
    else:
        cost = MISSED_ANSWER if said.asks and not doing.task else MISSED_OTHER
    return cost * (NEEDS_NOTHING if doing.needs_nothing else 1.0)


def is_bare(said: Said) -> bool:
    """Tell whether a message is a word or two that ask, order and tell nothing."""
    return not (said.asks or said.orders or said.own) and said.size <= BARE_UNITS


def is_order(said: Said) -> bool:
    """Tell whether a message orders and asks nothing."""
    return said.orders and not said.asks


def standing_of(levels: Sequence[float]) -> list[Standing]:
    """Return how each of a role's memories stands among all that are known, in their order."""
    ordered = sorted(levels, reverse=True)
    best = ordered[0] if ordered else SECOND
    second = ordered[1] if len(ordered) > 1 else SECOND
    fifth = ordered[4] if len(ordered) > 4 else SECOND
    tenth = ordered[9] if len(ordered) > 9 else SECOND
    places: dict[float, int] = {}
    for place, level in enumerate(ordered):
        places.setdefault(level, place)
    return [Standing(best, second, places[level], fifth, tenth) for level in levels]
