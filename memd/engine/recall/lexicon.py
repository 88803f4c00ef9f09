"""The in-memory index: which memories share words with a text, by BM25; what of each is indexed, and how much a field weighs.

Terms are numbered. The numbers of each text's terms lie in one row, text after text, and the postings of each term, slots and
weights, in another, term after term: of a term that changed since that row was made they are two arrays of its own. A change
leaves the old slot dead, and a rebuild drops the dead when they are a quarter of all. Scores depend on what is held, never on
the order it came in.

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
from itertools import accumulate

from memd.model.memory import Memory
from memd.model.search import MEMORY_KINDS, Document, Rows
from memd.text.analysis import tokens
from memd.text.characters import is_cjk

K1_SPACED, B_SPACED = 0.9, 0.3
K1_CJK, B_CJK = 1.2, 0.75
FEWEST = 30  # texts that a collection is taken to have at least: of three, no word could be told to be rare
_DEAD = 1e30
CONTENT, KEYS, TOPICS, TAGS, TITLE = 1.0, 2.0, 1.5, 1.0, 2.0  # what a term weighs in each field


class Lexicon:
    """Keys are ids of the caller. One owner at a time."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._numbers: dict[str, int] = {}
        self._alive: array[int] = array("I")  # living texts by number of term
        self._begins: array[int] = array("I", (0,))  # where the row of each slot begins, and where the last one ends
        self._row: array[int] = array("I")
        self._times: array[float] = array("f")
        self._starts: array[int] = array("I", (0,))  # where the postings of each term begin, of those that are in a row
        self._posted: array[int] = array("I")
        self._weighed: array[float] = array("f")
        self._own: dict[int, tuple[array[int], array[float]]] = {}  # postings by number of term, in place of those
        self._slots: dict[str, int] = {}
        self._keys: list[str] = []
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
        slot, alive = len(self._keys), self._alive
        for number, weight in zip(self._hold(key, weights), weights.values(), strict=True):
            found = self._own.get(number)
            if found is None:
                found = self._own[number] = self._postings(number)
            found[0].append(slot)
            found[1].append(weight)
            alive[number] += 1

    def _hold(self, key: str, weights: Mapping[str, float]) -> list[int]:
        """Hold a text behind all others, but in no postings yet; return the numbers of its terms."""
        numbers, words = self._numbers, self._words
        found: list[int] = []
        for term in weights:
            number = numbers.get(term)
            if number is None:
                number = numbers[term] = len(words)
                words.append(term)
                self._alive.append(0)
            found.append(number)
        self._row.extend(found)
        self._times.extend(weights.values())
        self._begins.append(len(self._row))
        length = sum(weights.values())
        self._slots[key] = len(self._keys)
        self._keys.append(key)
        self._lengths.append(length)
        self._marks.append(0)
        self._settled = False
        self._total += length
        self._spaced.append(self._norm(length, K1_SPACED, B_SPACED))
        self._cjk.append(self._norm(length, K1_CJK, B_CJK))
        return found

    def drop(self, key: str) -> None:
        """Forget what is held under this key, if anything is."""
        slot = self._slots.pop(key, None)
        if slot is None:
            return
        for number in self._row[self._begins[slot] : self._begins[slot + 1]]:
            self._alive[number] -= 1
            if not self._alive[number]:
                self._own[number] = array("I"), array("f")
        self._settled = False
        self._total -= self._lengths[slot]
        self._spaced[slot] = self._cjk[slot] = _DEAD
        self._lengths[slot] = 0.0
        if len(self._keys) > 64 and len(self._slots) * 4 < len(self._keys) * 3:
            self._compact()

    def terms(self, key: str) -> tuple[str, ...]:
        """Return the terms held under this key; () where there are none."""
        slot = self._slots.get(key)
        if slot is None:
            return ()
        return tuple(map(self._words.__getitem__, self._row[self._begins[slot] : self._begins[slot + 1]]))

    def weights(self, key: str) -> dict[str, float]:
        """Return the terms held under this key with their weights."""
        slot = self._slots.get(key)
        if slot is None:
            return {}
        begin, end = self._begins[slot], self._begins[slot + 1]
        terms = map(self._words.__getitem__, self._row[begin:end])
        return dict(zip(terms, self._times[begin:end], strict=True))

    def holding(self, term: str) -> Iterator[tuple[str, float]]:
        """Yield the texts that have a term, each with its weight there."""
        if self.holders(term):
            for slot, weight in zip(*self._postings(self._numbers[term]), strict=True):
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
        number = self._numbers.get(term)
        holders = self._alive[number] if number is not None else 0
        return math.log(1 + (max(len(self._slots), FEWEST) - holders + 0.5) / (holders + 0.5))

    def holders(self, term: str) -> int:
        """Return how many texts have a term."""
        number = self._numbers.get(term)
        return self._alive[number] if number is not None else 0

    def top_rarity(self) -> float:
        """Return the idf of a term that one text has: the scale of a good score."""
        return math.log(1 + (max(len(self._slots), FEWEST) - 0.5) / 1.5)

    def query(
        self, terms: Mapping[str, float], *, floor: float = 0.0, always: Iterable[str] = (), best: int = 0
    ) -> dict[str, float]:
        """Return the score of every text that shares a term. `terms` gives each term's weight in the question.

        Texts that cannot reach `floor` may be left out, except those in `always`; what is returned is exact. Rare terms
        are asked first, so that a common one is only looked up in the texts still in question (Turtle and Flood 1995).
        `best` as in `scores`.
        """
        gains = {term: self._gain(term, weight) for term, weight in terms.items() if self.holders(term)}
        return self.scores(gains, floor=floor, always=always, best=best)

    def parts(self, gains: Mapping[str, float]) -> Callable[[str], dict[str, float]]:
        """Return what tells what each term adds to the score of one text, of those that it has; until something changes."""
        if not self._settled:
            self._settle()
        asked = {
            self._numbers[term]: (term, gain, self._cjk if is_cjk(term[0]) else self._spaced)
            for term, gain in gains.items()
            if self.holders(term)
        }

        def of(key: str) -> dict[str, float]:
            slot = self._slots.get(key)
            if slot is None:
                return {}
            begin = self._begins[slot]
            found: dict[str, float] = {}
            for at, number in enumerate(self._row[begin : self._begins[slot + 1]], begin):
                if number in asked:
                    term, gain, norms = asked[number]
                    times = self._times[at]
                    found[term] = gain * times / (times + norms[slot])
            return found

        return of

    def scores(
        self, gains: Mapping[str, float], *, floor: float = 0.0, always: Iterable[str] = (), best: int = 0
    ) -> dict[str, float]:
        """Return what `query` does for gains the caller has: the most that each term may add to a score.

        `best`: so many are wanted, so that the floor rises to the least of them as far as it is known (Turtle and Flood 1995).
        """
        self._settle()
        asked = sorted(((gain, term) for term, gain in gains.items() if self.holders(term)), reverse=True)
        left = sum(gain for gain, _ in asked)
        scores: dict[int, float] = {self._slots[key]: 0.0 for key in always if key in self._slots}
        get = scores.get
        for gain, term in asked:
            slots, weights = self._postings(self._numbers[term])
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
        """Hold many texts at once, each under a key of its own, where none are held."""
        for key, weights in texts:
            for number in self._hold(key, weights):
                self._alive[number] += 1
        self._invert()

    def rows(self) -> Rows:
        """Return all that is held of the texts, in the order of their keys; only right after a load."""
        arrays = self._begins, self._row, self._times, self._lengths, self._starts, self._posted, self._weighed
        return Rows([*self._words], *(one.tobytes() for one in arrays))

    @classmethod
    def of(cls, rows: Rows, keys: Iterable[str]) -> Lexicon:
        """Return a lexicon of rows, with a key for each text."""
        made = cls()
        made._words, made._keys = [*rows.words], list(keys)
        made._numbers = {term: number for number, term in enumerate(rows.words)}
        made._begins, made._row, made._starts, made._posted = (
            array("I", one) for one in (rows.begins, rows.row, rows.starts, rows.posted)
        )
        made._times, made._lengths, made._weighed = (
            array("f", one) for one in (rows.times, rows.lengths, rows.weighed)
        )
        made._alive = array("I", map(int.__sub__, made._starts[1:], made._starts))
        made._slots = {key: slot for slot, key in enumerate(made._keys)}
        made._total = math.fsum(made._lengths)
        made._marks = bytearray(len(made._keys))
        made._spaced, made._cjk = (array("f", bytes(4 * len(made._keys))) for _ in range(2))
        return made

    def _postings(self, number: int) -> tuple[array[int], array[float]]:
        """Return the slots that have a term, in order, and its weight in each."""
        own = self._own.get(number)
        if own is not None or number + 1 >= len(self._starts):
            return own or (array("I"), array("f"))
        start, end = self._starts[number], self._starts[number + 1]
        return self._posted[start:end], self._weighed[start:end]

    def _invert(self) -> None:
        """Make all postings of the texts, where none of them is dead."""
        slots = array(
            "I", (slot for slot, _ in enumerate(self._keys) for _ in range(self._begins[slot + 1] - self._begins[slot]))
        )
        order = sorted(range(len(self._row)), key=self._row.__getitem__)
        self._posted = array("I", map(slots.__getitem__, order))
        self._weighed = array("f", map(self._times.__getitem__, order))
        self._starts = array("I", accumulate(self._alive, initial=0))
        self._own.clear()

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
        """Number the living texts and their terms anew."""
        held = [(key, self.weights(key), self._marks[slot]) for key, slot in self._slots.items()]
        made = Lexicon()
        made.load((key, weights) for key, weights, _ in held)
        made._marks = bytearray(mark for *_, mark in held)
        vars(self).update(vars(made))


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
