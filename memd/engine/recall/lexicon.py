"""The in-memory index: which memories share words with a text, by BM25; what of each is indexed, and how much a field weighs.

A term's postings are two arrays, slots and weights; a change appends to them and leaves the old slot dead, and a
rebuild drops the dead when they are a quarter of all. Scores depend on what is held, never on the order it came in.

Units
    weights: occurrences times the weight of their field. Scores: BM25, comparable within one lexicon.
Source
    Robertson and Sparck Jones idf with the +1 that keeps it positive; k1 and b by script were measured
    (docs/design/retrieval.md#what-was-measured and #chinese).
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nlargest

from memd.model.document import MEMORY_KINDS, Document
from memd.model.memory import Memory
from memd.text.analysis import tokens
from memd.text.scripts import is_cjk

K1_SPACED, B_SPACED = 0.9, 0.3
K1_CJK, B_CJK = 1.2, 0.75
FEWEST = 30  # texts that a collection is taken to have at least: of three, no word could be told to be rare
_DEAD = 1e30
CONTENT, KEYS, TOPICS, TAGS, TITLE = 1.0, 2.0, 1.5, 1.0, 2.0  # what a term weighs in each field


class Lexicon:
    """Keys are ids of the caller. One owner at a time."""

    def __init__(self) -> None:
        self._postings: dict[str, tuple[array[int], array[float]]] = {}
        self._alive: dict[str, int] = {}
        self._slots: dict[str, int] = {}
        self._keys: list[str] = []
        self._terms: list[tuple[str, ...]] = []
        self._lengths: array[float] = array("f")
        self._total = 0.0
        self._average = 0.0
        self._settled = False  # whether the norms are of the present average length
        self._marks = bytearray()
        self._spaced: array[float] = array("f")
        self._cjk: array[float] = array("f")

    def __len__(self) -> int:
        return len(self._slots)

    def put(self, key: str, weights: Mapping[str, float]) -> None:
        """Hold a text under this key, in place of what was there."""
        self.drop(key)
        slot = len(self._keys)
        length = sum(weights.values())
        self._slots[key] = slot
        self._keys.append(key)
        self._terms.append(tuple(weights))
        self._lengths.append(length)
        self._marks.append(0)
        self._settled = False
        self._total += length
        self._spaced.append(self._norm(length, K1_SPACED, B_SPACED))
        self._cjk.append(self._norm(length, K1_CJK, B_CJK))
        postings, alive = self._postings, self._alive
        for term, weight in weights.items():
            found = postings.get(term)
            if found is None:
                postings[term] = (array("I", (slot,)), array("f", (weight,)))
                alive[term] = 1
            else:
                found[0].append(slot)
                found[1].append(weight)
                alive[term] = alive.get(term, 0) + 1

    def drop(self, key: str) -> None:
        """Forget what is held under this key, if anything is."""
        slot = self._slots.pop(key, None)
        if slot is None:
            return
        for term in self._terms[slot]:
            left = self._alive[term] - 1
            if left:
                self._alive[term] = left
            else:
                del self._alive[term], self._postings[term]
        self._settled = False
        self._total -= self._lengths[slot]
        self._spaced[slot] = self._cjk[slot] = _DEAD
        self._lengths[slot] = 0.0
        self._terms[slot] = ()
        if len(self._keys) > 64 and len(self._slots) * 4 < len(self._keys) * 3:
            self._compact()

    def terms(self, key: str) -> tuple[str, ...]:
        """Return the terms held under this key; () where there are none."""
        slot = self._slots.get(key)
        return self._terms[slot] if slot is not None else ()

    def weights(self, key: str) -> dict[str, float]:
        """Return the terms held under this key with their weights."""
        slot = self._slots.get(key)
        if slot is None:
            return {}
        found = ((term, self._postings[term]) for term in self._terms[slot])
        return {term: weights[bisect_left(slots, slot)] for term, (slots, weights) in found}

    def holding(self, term: str) -> Iterator[tuple[str, float]]:
        """Yield the texts that have a term, each with its weight there."""
        if term in self._alive:
            for slot, weight in zip(*self._postings[term], strict=True):
                if self._lengths[slot]:
                    yield self._keys[slot], weight

    def length(self, key: str) -> float:
        """Return how long a text is, in weights; 0 where there is none."""
        slot = self._slots.get(key)
        return self._lengths[slot] if slot is not None else 0.0

    def marked(self, key: str, mark: Callable[[], int]) -> int:
        """Return a mark of a text, 1 to 255, which is made when it is first asked for."""
        slot = self._slots.get(key)
        if slot is None:
            return mark()
        if not self._marks[slot]:
            self._marks[slot] = mark()
        return self._marks[slot]

    def rarity(self, term: str) -> float:
        """Return the idf of a term; the highest possible for one that no text has."""
        holders = self._alive.get(term, 0)
        return math.log(1 + (max(len(self._slots), FEWEST) - holders + 0.5) / (holders + 0.5))

    def holders(self, term: str) -> int:
        """Return how many texts have a term."""
        return self._alive.get(term, 0)

    def top_rarity(self) -> float:
        """Return the idf of a term that one text has: the scale of a good score."""
        return math.log(1 + (max(len(self._slots), FEWEST) - 0.5) / 1.5)

    def query(self, terms: Mapping[str, float], *, floor: float = 0.0, always: Iterable[str] = ()) -> dict[str, float]:
        """Return the score of every text that shares a term. `terms` gives each term's weight in the question.

        Texts that cannot reach `floor` may be left out, except those in `always`; what is returned is exact. Rare terms
        are asked first, so that a common one is only looked up in the texts still in question (Turtle and Flood 1995).
        """
        gains = {term: self._gain(term, weight) for term, weight in terms.items() if term in self._postings}
        return self.scores(gains, floor=floor, always=always)

    def parts(self, key: str, gains: Mapping[str, float]) -> dict[str, float]:
        """Return what each term adds to the score of one text, those that it has."""
        slot = self._slots.get(key)
        if slot is None:
            return {}
        if not self._settled:
            self._settle()
        found: dict[str, float] = {}
        for term in self._terms[slot]:
            if term in gains:
                slots, weights = self._postings[term]
                times = weights[bisect_left(slots, slot)]
                norm = (self._cjk if is_cjk(term[0]) else self._spaced)[slot]
                found[term] = gains[term] * times / (times + norm)
        return found

    def scores(
        self, gains: Mapping[str, float], *, floor: float = 0.0, always: Iterable[str] = (), best: int = 0
    ) -> dict[str, float]:
        """Return what `query` does for gains the caller has: the most that each term may add to a score.

        `best`: so many are wanted, so that the floor rises to the least of them as far as it is known (Turtle and Flood 1995).
        """
        self._settle()
        asked = sorted(((gain, term) for term, gain in gains.items() if term in self._postings), reverse=True)
        left = sum(gain for gain, _ in asked)
        scores: dict[int, float] = {self._slots[key]: 0.0 for key in always if key in self._slots}
        get = scores.get
        for gain, term in asked:
            slots, weights = self._postings[term]
            norms = self._cjk if is_cjk(term[0]) else self._spaced
            if 0 < best < len(scores):
                floor = max(floor, nlargest(best, scores.values())[-1])
                if left < floor:
                    scores = {slot: score for slot, score in scores.items() if score + left >= floor}
                    get = scores.get
            if left >= floor:
                for slot, times in zip(slots, weights, strict=True):
                    scores[slot] = get(slot, 0.0) + gain * times / (times + norms[slot])
            elif len(scores) * 4 < len(slots):
                for slot in scores:
                    at = bisect_left(slots, slot)
                    if at < len(slots) and slots[at] == slot:
                        scores[slot] += gain * weights[at] / (weights[at] + norms[slot])
            else:
                for slot, times in zip(slots, weights, strict=True):
                    if slot in scores:
                        scores[slot] += gain * times / (times + norms[slot])
            left -= gain
        kept = {self._slots[key] for key in always if key in self._slots}
        keys, lengths = self._keys, self._lengths
        return {
            keys[slot]: score
            for slot, score in scores.items()
            if score and lengths[slot] and (score >= floor or slot in kept)
        }

    def _gain(self, term: str, weight: float) -> float:
        """Return the most that a term can add to a score."""
        return weight * self.rarity(term) * ((K1_CJK if is_cjk(term[0]) else K1_SPACED) + 1)

    def load(self, texts: Iterable[tuple[str, Mapping[str, float]]]) -> None:
        """Hold many texts at once."""
        for key, weights in texts:
            self.put(key, weights)

    def _norm(self, length: float, k1: float, b: float) -> float:
        return k1 * (1 - b + b * length / (self._average or 1.0))

    def _settle(self) -> None:
        """Bring the norms to the present average length, which is rounded so that they seldom change."""
        self._settled = True
        mean = self._total / len(self._slots) if self._slots else 0.0
        average = float(round(mean)) if mean >= 8 else round(mean, 1)
        if average != self._average:
            self._average = average
            for slot, length in enumerate(self._lengths):
                dead = not length
                self._spaced[slot] = _DEAD if dead else self._norm(length, K1_SPACED, B_SPACED)
                self._cjk[slot] = _DEAD if dead else self._norm(length, K1_CJK, B_CJK)

    def _compact(self) -> None:
        """Renumber the living slots and drop the dead ones from every posting."""
        keep = sorted(self._slots.values())
        number = dict(zip(keep, range(len(keep)), strict=True))
        for term, (slots, weights) in self._postings.items():
            pairs = [(number[slot], weight) for slot, weight in zip(slots, weights, strict=True) if slot in number]
            self._postings[term] = (array("I", [one for one, _ in pairs]), array("f", [two for _, two in pairs]))
        self._keys = [self._keys[slot] for slot in keep]
        self._terms = [self._terms[slot] for slot in keep]
        self._lengths = array("f", [self._lengths[slot] for slot in keep])
        self._marks = bytearray(self._marks[slot] for slot in keep)
        self._slots = {key: slot for slot, key in enumerate(self._keys)}
        self._spaced = array("f", [0.0] * len(keep))
        self._cjk = array("f", [0.0] * len(keep))
        self._average, self._settled = 0.0, False


def weights_of(memory: Memory) -> dict[str, float]:
    """Return the terms of a memory with their weights over all fields."""
    return _weighed(
        (((memory.text,), CONTENT), (memory.keys, KEYS), (memory.topics, TOPICS), (memory.tags, TAGS)), unigrams=True
    )


def document_weights(document: Document, *, unigrams: bool = True) -> dict[str, float]:
    """Return the terms of a document with their weights; those of a memory's document are the memory's own."""
    title = () if document.kind in MEMORY_KINDS else (document.title,)  # a memory's text has its name already
    fields = (
        ((document.text,), CONTENT), (document.keys, KEYS), (document.topics, TOPICS), (document.tags, TAGS),
        (title, TITLE),
    )  # fmt: skip
    return _weighed(fields, unigrams=unigrams)


def texts_of(document: Document) -> tuple[str, ...]:
    """Return every text of a document that is searched."""
    return (document.text, document.title, *document.keys, *document.topics, *document.tags)


def _weighed(fields: Iterable[tuple[Iterable[str], float]], *, unigrams: bool) -> dict[str, float]:
    weights: dict[str, float] = {}
    for texts, weight in fields:
        for text in texts:
            for term in tokens(text, unigrams=unigrams):
                weights[term] = weights.get(term, 0.0) + weight
    return weights
