"""What a conversation adds to words in common: who spoke, what stands beside it, which session it is of, and when.

Memories that carry a session and a speaker are turns of it; so are those that carry none and were told one after the other,
where many of them ask: what is stored as a fact asks nothing. A turn is helped by its neighbours and by its session; a person
named in the question by their own turns; a question about time by turns that name one. Where memories carry none of this, the
sums stay as they are.

Source
    docs/design/retrieval.md#conversations: the recipe, its weights and what each part is worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.recall.lexicon import B_SPACED, K1_SPACED, Lexicon
from memd.model.memory import Kind, Memory
from memd.text import expressions as re
from memd.text.analysis import tokens, words
from memd.text.characters import is_chinese

if TYPE_CHECKING:
    from memd.model.scene import Near


class Weights(NamedTuple):
    """How much of a score flows where."""

    speaker: float = 0.5
    before: float = 0.5
    after: float = 0.4
    two_before: float = 0.3
    two_after: float = 0.2
    asked_before: float = 0.4
    session_best: float = 0.7
    session_whole: float = 0.4
    timed: float = 0.6
    dated: float = 2.5
    question: float = 0.2


BY_WORDS = Weights()
WITH_MODEL = Weights(0.5, 0.15, 0.3, 0.3, 0.15, 0.4, 0.3, 0.15, 0.6, 2.0, 0.3)
WORDS_SHARE, MODEL_SHARE = 0.25, 0.65  # of a score, where a model has a say
STRONGER = 1.5  # power of either: what one of them is sure of counts for more than what both only think likely
SPREADING = 300  # turns whose score flows to others, the best
STRETCH_S = 1800.0  # memories without a session that were told further apart are of two conversations
LEAST_TURNS, ASKING = 12, 0.12  # of such a conversation, and the share of them that ask at least

_WHEN = re.compile(
    r"\bwhen\b|\bwhat (?:date|day|year|month|time)\b|\bhow long\b|什么时候|何时|哪天|哪一天|哪年|多久|几月|几号",
    re.IGNORECASE,
)
_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|last|next|this (?:week|month|year|morning|weekend)|weekend|monday|tuesday|"
    r"wednesday|thursday|friday|saturday|sunday|" + "|".join(_MONTHS) + r"|(?:19|20)\d\d|years?|months?|weeks?|days?)\b"
    r"|[昨今明前后]天|上周|下周|上个月|去年|明年|\d+[年月日号天]|星期|周末",
    re.IGNORECASE,
)
IMPLIED = "~"  # before the id of the first of a conversation that carries no session
VERY_NEAR = 1.2  # standard deviations above unrelated texts, from which what shares no word is found
_ASKS = re.compile(r"[?？]\s*\Z")
_SPOKEN_TO = re.compile(
    r"(?:^|[,.!?]\s+|\b(?:hey|hi|hello|thanks|thank you|bye|wow|oh|yeah|yes|no|ok|okay|well|sure|congrats|congratulations|sorry|morning|night|dear)\s+)"
    r"(?P<name>[a-z]+)(?=\s*[,.!?])",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"(?<=[\w,] )[A-Z][a-z]+")
_ABOUT = re.compile(
    r"\b(?:did|does|do|is|are|was|were|has|have|had|will|would|can|could|should) ([A-Z][a-z]+)\b|\b([A-Z][a-z]+)['’]s?(?!\w)"
)


@dataclass(slots=True)
class Turns:
    """The turns of every session in order, and who spoke them. Made anew where a memory changed.

    `asking`: among the memories that say nothing of a conversation is one that asks, so that such may be one.
    """

    sessions: dict[str, list[str]] = field(default_factory=dict)
    place: dict[str, tuple[str, int]] = field(default_factory=dict)
    speakers: dict[str, str] = field(default_factory=dict)
    asks: set[str] = field(default_factory=set)
    asking: bool = False

    @classmethod
    def of(cls, memories: Iterable[Memory]) -> Turns:
        """Return the turns among memories: those that carry a session and a speaker, in the order of their numbers, else of time, then of the file."""
        turns, bare = cls(), []
        for memory in memories:
            if not _is_spoken(memory):
                if _may_be_said(memory):
                    bare.append(memory)
                continue
            turns.sessions.setdefault(memory.session, []).append(memory.id)
            turns.speakers[memory.id] = " ".join(words(memory.speaker))
            if _ASKS.search(memory.content):
                turns.asks.add(memory.id)
        turns.asking = any(map(_asks_something, bare))
        for stretch in _stretches(bare) if turns.asking else ():
            turns.sessions[f"{IMPLIED}{stretch[0].id}"] = [one.id for one in stretch]
            turns.asks.update(one.id for one in stretch if _ASKS.search(one.content))
        return turns

    def concerns(self, memory: Memory) -> bool:
        """Tell whether the turns may be others where a memory comes, changes or goes."""
        return _is_spoken(memory) or (_may_be_said(memory) and (self.asking or _asks_something(memory)))

    def settle(self, memories: Mapping[str, Memory]) -> None:
        """Put every session in order."""
        for session, ids in self.sessions.items():
            numbers = {one: turn for one in ids if (turn := memories[one].turn) is not None}
            ids.sort(key=numbers.__getitem__ if len(numbers) == len(ids) else lambda one: memories[one].when_s or 0.0)
            self.place.update((one, (session, number)) for number, one in enumerate(ids))


def _stretches(memories: list[Memory]) -> list[list[Memory]]:
    """Return memories that were told one after the other, many at a time, each such stretch in order; none where few of them ask."""
    memories = sorted(memories, key=_told_s)
    ends = [at for at, (one, other) in enumerate(pairwise(memories), 1) if _told_s(other) - _told_s(one) > STRETCH_S]
    bounds = pairwise([0, *ends, len(memories)])
    long = [memories[begin:end] for begin, end in bounds if end - begin >= LEAST_TURNS]
    asking = sum(_asks_something(one) for stretch in long for one in stretch)
    return long if asking >= ASKING * sum(map(len, long)) else []


def _is_spoken(memory: Memory) -> bool:
    return bool(memory.session and memory.speaker)


def _may_be_said(memory: Memory) -> bool:
    return memory.kind is Kind.EPISODIC and memory.when_s is not None and not _is_spoken(memory)


def _told_s(memory: Memory) -> float:
    return memory.when_s or 0.0


def _asks_something(memory: Memory) -> bool:
    return "?" in memory.content or "？" in memory.content


def turns_of(memories: Mapping[str, Memory]) -> Turns:
    """Return the turns among a role's memories, in order."""
    turns = Turns.of(memories.values())
    turns.settle(memories)
    return turns


def unnamed(turns: Turns, lexicon: Lexicon, memories: Mapping[str, Memory], question: str) -> str:
    """Return a question without the names of those who speak: a model clings to names.

    Where it is not told who speaks, that is whoever is asked about, and whom the memories name only to speak to, or not at all.
    """
    if not turns.sessions:
        return question
    names = {word for one in turns.speakers.values() for word in one.split()}
    if not names:
        about = {one for found in _ABOUT.findall(question) for one in found if one}
        names = {
            one.casefold()
            for one in about.union(_CAPITAL.findall(question))
            if _is_spoken_to(one, lexicon, memories, unnamed=one in about)
        }
    plain = " ".join(word for word in question.split() if not names & _forms(word))
    for one in {one.replace(" ", "") for one in turns.speakers.values() if is_chinese(one)}:
        plain = plain.replace(one, "")
    return plain.strip() or question


def _forms(word: str) -> set[str]:
    """Return the names that a word of a question may be: Ana's, Anas, Ana?"""
    bare = word.casefold().strip('.,;:!?"()“”')
    return {bare, bare.removesuffix("s").rstrip("'’")}


def _is_spoken_to(name: str, lexicon: Lexicon, memories: Mapping[str, Memory], *, unnamed: bool) -> bool:
    """Tell whether most of the memories that have a name have it where somebody is spoken to ("Thanks, Ana!"); `unnamed`: what
    is said of one that none has."""
    keys = [key for term in tokens(name)[:1] for key, _ in lexicon.holding(term) if key in memories]
    found = sum(name.casefold() in _spoken_to(memories[key].content) for key in keys)
    return 2 * found >= len(keys) if keys else unnamed


def _spoken_to(content: str) -> set[str]:
    return {one["name"].casefold() for one in _SPOKEN_TO.finditer(content)}


def names_in(turns: Turns, question: str) -> tuple[str, frozenset[str]]:
    """Return the one speaker a question names ("" where none or several), and the terms that are speakers' names."""
    asked = set(words(question))
    known = set(turns.speakers.values())
    named = [one for one in known if one and all(word in asked for word in one.split())]
    terms = frozenset(term for one in named for word in (*one.split(), one.replace(" ", "")) for term in tokens(word))
    return (named[0] if len(named) == 1 else ""), terms


def told(
    scores: Mapping[str, float],
    question: str,
    terms: Mapping[str, float],
    lexicon: Lexicon,
    turns: Turns,
    memories: Mapping[str, Memory],
    weights: Weights = BY_WORDS,
) -> dict[str, float]:
    """Return the sums with what the conversation adds. `terms` are the question's, without names."""
    if not turns.sessions:
        return dict(scores)
    found = _beside(scores, turns, weights)
    best: dict[str, float] = {}
    for key, score in scores.items():
        if key in turns.place:
            session = turns.place[key][0]
            best[session] = max(best.get(session, 0.0), score)
    whole = _sessions(terms, lexicon, turns)
    for session in best.keys() | whole.keys():
        add = weights.session_best * best.get(session, 0.0) + weights.session_whole * whole.get(session, 0.0)
        for key in turns.sessions[session]:
            if key in found:
                found[key] += add
    named, _ = names_in(turns, question)
    when, dates = _WHEN.search(question) is not None, _dates(question)
    return {
        key: score * _factor(memories[key], turns, weights, named=named, when=when, dates=dates)
        for key, score in found.items()
    }


def fused(scores: Mapping[str, float], near: Mapping[str, Near], count: int) -> tuple[dict[str, float], float]:
    """Return sums with a model's say, each in standard deviations to the power of STRONGER, what is above the mean alone; and one
    deviation of the sums.

    `count`: of all memories, those without a sum among them. What shares no word comes where it is very near; what has no
    vector yet counts as near as its words say, the best by words as near as the nearest.

    Source: docs/design/retrieval.md#with-a-model.
    """
    mean = math.fsum(scores.values()) / max(count, 1)
    spread = math.sqrt(max(0.0, math.fsum(one * one for one in scores.values()) / max(count, 1) - mean * mean)) or 1.0
    likely = {key: (one.asked_z + one.text_z) / 2 for key, one in near.items()}
    keys = scores.keys() | {key for key, one in likely.items() if one > VERY_NEAR}
    doubt = max(0.0, max(likely.values(), default=0.0)) / (max(scores.values(), default=0.0) or 1.0)
    found = {}
    for key in keys:
        words = scores.get(key, 0.0)
        by_words, by_model = WORDS_SHARE * words / spread, MODEL_SHARE * max(0.0, likely.get(key, doubt * words))
        found[key] = by_words**STRONGER + by_model**STRONGER
    return found, spread


def _beside(scores: Mapping[str, float], turns: Turns, weights: Weights) -> dict[str, float]:
    """Return the sums with what flows to neighbours of the same session."""
    found = dict(scores)
    for key in sorted(scores, key=lambda one: (-scores[one], one))[:SPREADING]:
        if key not in turns.place:
            continue
        session, at = turns.place[key]
        ids, score = turns.sessions[session], scores[key]
        for shift, share in (
            (1, weights.before),
            (-1, weights.after),
            (2, weights.two_before),
            (-2, weights.two_after),
        ):
            if 0 <= at + shift < len(ids):
                other = ids[at + shift]
                asked = weights.asked_before if shift == 1 and key in turns.asks else 0.0
                found[other] = found.get(other, 0.0) + (share + asked) * score
    return found


def _sessions(terms: Mapping[str, float], lexicon: Lexicon, turns: Turns) -> dict[str, float]:
    """Return the BM25 sum of each session as one text."""
    lengths = {session: sum(map(lexicon.length, ids)) for session, ids in turns.sessions.items()}
    mean = sum(lengths.values()) / len(lengths) or 1.0
    scores: dict[str, float] = {}
    for term, weight in terms.items():
        times: dict[str, float] = {}
        for key, count in lexicon.holding(term):
            if key in turns.place:
                session = turns.place[key][0]
                times[session] = times.get(session, 0.0) + count
        rarity = math.log(1 + (len(lengths) - len(times) + 0.5) / (len(times) + 0.5)) if times else 0.0
        for session, count in times.items():
            norm = K1_SPACED * (1 - B_SPACED + B_SPACED * lengths[session] / mean)
            scores[session] = scores.get(session, 0.0) + weight * rarity * (K1_SPACED + 1) * count / (count + norm)
    return scores


def _dates(question: str) -> frozenset[tuple[str, int]]:
    """Return the months and years that a question names."""
    found = {("month", _MONTHS.index(word) + 1) for word in words(question) if word in _MONTHS and word != "may"}
    if re.search(r"\bMay\b", question):
        found.add(("month", 5))
    found |= {("month", int(one)) for one in re.findall(r"(\d{1,2})月", question) if 1 <= int(one) <= 12}
    found |= {("year", int(one)) for one in re.findall(r"(?<!\d)((?:19|20)\d\d)(?!\d)", question)}
    return frozenset(found)


def _factor(
    memory: Memory, turns: Turns, weights: Weights, *, named: str, when: bool, dates: frozenset[tuple[str, int]]
) -> float:
    factor = 1.0
    if named and turns.speakers.get(memory.id) == named:
        factor *= 1 + weights.speaker
    if when and _TIME.search(memory.content):
        factor *= 1 + weights.timed
    if dates and memory.when_s is not None:
        moment = datetime.fromtimestamp(memory.when_s, UTC)
        match = sum(moment.month == value if part == "month" else moment.year == value for part, value in dates)
        factor *= 1 + weights.dated * match / len(dates)
    if memory.id in turns.asks:
        factor *= 1 - weights.question
    return factor
