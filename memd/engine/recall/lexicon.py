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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from heapq import nlargest
from itertools import accumulate

from memd.model.memory import Memory
from memd.model.search import MEMORY_KINDS, Document, Rows
from memd.text.analysis import tokens
from memd.text.characters import is_cjk

K1_SPACED, B_SPACED, K1_CJK, B_CJK = 0.9, 0.3, 1.2, 0.75
FEWEST = 30  # texts that a collection is taken to have at least: of three, no word could be told to be rare
_DEAD = 1e30
CONTENT, KEYS, TOPICS, TAGS, TITLE = 1.0, 2.0, 1.5, 1.0, 2.0  # what a term weighs in each field


class _Texts:
    """Texts by slot: the numbers of their terms in one row, with their weights, and how long each is; a dead one has no length."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.slots: dict[str, int] = {}  # of the living
        self.begins: array[int] = array("I", (0,))  # where the row of each slot begins, and where the last one ends
        self.row: array[int] = array("I")
        self.times: array[float] = array("f")
        self.lengths: array[float] = array("f")
        self.total = 0.0
        self.marks = bytearray()

    def add(self, key: str, numbers: Iterable[int], weights: Collection[float]) -> float:
        """Hold a text behind all others; return its length."""
        self.row.extend(numbers)
        self.times.extend(weights)
        self.begins.append(len(self.row))
        length = sum(weights)
        self.slots[key] = len(self.keys)
        self.keys.append(key)
        self.lengths.append(length)
        self.marks.append(0)
        self.total += length
        return length

    def let_go(self, key: str) -> int | None:
        """Leave a text's slot dead, and return it; None where there is none."""
        slot = self.slots.pop(key, None)
        if slot is not None:
            self.total -= self.lengths[slot]
            self.lengths[slot] = 0.0
        return slot

    def terms(self, slot: int) -> array[int]:
        """Return the numbers of a text's terms."""
        return self.row[self.begins[slot] : self.begins[slot + 1]]


class _Terms:
    """Terms by number, and who has each: postings in one row, or of its own where they changed since that was made."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.words: list[str] = list(words)
        self.numbers: dict[str, int] = {term: number for number, term in enumerate(self.words)}
        self.alive: array[int] = array("I")  # living texts by number of term
        self.starts: array[int] = array("I", (0,))  # where the postings of each term start, of those that are in a row
        self.posted: array[int] = array("I")
        self.weighed: array[float] = array("f")
        self.own: dict[int, tuple[array[int], array[float]]] = {}  # in place of those

    def numbered(self, terms: Iterable[str]) -> list[int]:
        """Return the numbers of terms, new ones of those that have none."""
        numbers, words, found = self.numbers, self.words, []
        for term in terms:
            number = numbers.get(term)
            if number is None:
                number = numbers[term] = len(words)
                words.append(term)
                self.alive.append(0)
            found.append(number)
        return found

    def holders(self, term: str) -> int:
        """Return how many texts have a term."""
        number = self.numbers.get(term)
        return self.alive[number] if number is not None else 0

    def post(self, slot: int, weights: Iterable[tuple[int, float]]) -> None:
        """Note that the last text has terms."""
        for number, weight in weights:
            found = self.own.get(number)
            if found is None:
                found = self.own[number] = self.postings(number)
            found[0].append(slot)
            found[1].append(weight)
            self.alive[number] += 1

    def let_go(self, number: int) -> None:
        """Note that a text that had a term is gone."""
        self.alive[number] -= 1
        if not self.alive[number]:
            self.own[number] = array("I"), array("f")

    def postings(self, number: int) -> tuple[array[int], array[float]]:
        """Return the slots that have a term, in order, and its weight in each."""
        own = self.own.get(number)
        if own is not None or number + 1 >= len(self.starts):
            return own or (array("I"), array("f"))
        start, end = self.starts[number], self.starts[number + 1]
        return self.posted[start:end], self.weighed[start:end]

    def invert(self, texts: _Texts) -> None:
        """Make all postings of the texts, where none of them is dead."""
        begins = texts.begins
        slots = array("I", (slot for slot, _ in enumerate(texts.keys) for _ in range(begins[slot + 1] - begins[slot])))
        order = sorted(range(len(texts.row)), key=texts.row.__getitem__)
        self.posted = array("I", map(slots.__getitem__, order))
        self.weighed = array("f", map(texts.times.__getitem__, order))
        self.starts = array("I", accumulate(self.alive, initial=0))
        self.own.clear()


class _Norms:
    """What the length of each text does to the weight of its terms, by script."""

    def __init__(self, texts: int = 0) -> None:
        self.spaced: array[float] = array("f", bytes(4 * texts))
        self.cjk: array[float] = array("f", bytes(4 * texts))
        self.average = 0.0
        self.settled = False  # whether they are of the present average length

    def of(self, term: str) -> array[float]:
        """Return the norms that a term is weighed by."""
        return self.cjk if is_cjk(term[0]) else self.spaced

    def add(self, length: float) -> None:
        """Note a text behind all others."""
        self.spaced.append(self._norm(length, K1_SPACED, B_SPACED))
        self.cjk.append(self._norm(length, K1_CJK, B_CJK))
        self.settled = False

    def let_go(self, slot: int) -> None:
        """Let a slot score nothing."""
        self.spaced[slot] = self.cjk[slot] = _DEAD
        self.settled = False

    def settle(self, texts: _Texts) -> None:
        """Bring them to the present average length, which is rounded so that they seldom change."""
        self.settled = True
        mean = texts.total / len(texts.slots) if texts.slots else 0.0
        average = float(round(mean)) if mean >= 8 else round(mean, 1)
        if average != self.average:
            self.average = average
            for slot, length in enumerate(texts.lengths):
                self.spaced[slot] = self._norm(length, K1_SPACED, B_SPACED) if length else _DEAD
                self.cjk[slot] = self._norm(length, K1_CJK, B_CJK) if length else _DEAD

    def _norm(self, length: float, k1: float, b: float) -> float:
        return k1 * (1 - b + b * length / (self.average or 1.0))


class Lexicon:
    """Keys are ids of the caller. One owner at a time."""

    def __init__(self) -> None:
        self._texts, self._terms, self._norms = _Texts(), _Terms(), _Norms()

    def __len__(self) -> int:
        return len(self._texts.slots)

    def put(self, key: str, weights: Mapping[str, float]) -> None:
        """Hold a text under this key, in place of what was there."""
        self.drop(key)
        slot = len(self._texts.keys)
        self._terms.post(slot, zip(self._hold(key, weights), weights.values(), strict=True))

    def _hold(self, key: str, weights: Mapping[str, float]) -> list[int]:
        """Hold a text behind all others, but in no postings yet; return the numbers of its terms."""
        found = self._terms.numbered(weights)
        self._norms.add(self._texts.add(key, found, weights.values()))
        return found

    def drop(self, key: str) -> None:
        """Forget what is held under this key, if anything is."""
        texts = self._texts
        if (slot := texts.let_go(key)) is None:
            return
        for number in texts.terms(slot):
            self._terms.let_go(number)
        self._norms.let_go(slot)
        if len(texts.keys) > 64 and len(texts.slots) * 4 < len(texts.keys) * 3:
            self._compact()

    def terms(self, key: str) -> tuple[str, ...]:
        """Return the terms held under this key; () where there are none."""
        slot = self._texts.slots.get(key)
        return () if slot is None else tuple(map(self._terms.words.__getitem__, self._texts.terms(slot)))

    def weights(self, key: str) -> dict[str, float]:
        """Return the terms held under this key with their weights."""
        texts = self._texts
        slot = texts.slots.get(key)
        if slot is None:
            return {}
        return dict(zip(self.terms(key), texts.times[texts.begins[slot] : texts.begins[slot + 1]], strict=True))

    def holding(self, term: str) -> Iterator[tuple[str, float]]:
        """Yield the texts that have a term, each with its weight there."""
        number = self._terms.numbers.get(term)
        for slot, weight in zip(*self._terms.postings(number), strict=True) if number is not None else ():
            if self._texts.lengths[slot]:
                yield self._texts.keys[slot], weight

    def length(self, key: str) -> float:
        """Return how long a text is, in weights; 0 where there is none."""
        slot = self._texts.slots.get(key)
        return self._texts.lengths[slot] if slot is not None else 0.0

    def marked(self, key: str, mark: Callable[[], int]) -> int:
        """Return a mark of a text, 1 to 255, which is made when it is first asked for."""
        slot, marks = self._texts.slots.get(key), self._texts.marks
        if slot is not None and not marks[slot]:
            marks[slot] = mark()
        return mark() if slot is None else marks[slot]

    def rarity(self, term: str) -> float:
        """Return the idf of a term; the highest possible for one that no text has."""
        holders = self._terms.holders(term)
        return math.log(1 + (max(len(self), FEWEST) - holders + 0.5) / (holders + 0.5))

    def holders(self, term: str) -> int:
        """Return how many texts have a term."""
        return self._terms.holders(term)

    def top_rarity(self) -> float:
        """Return the idf of a term that one text has: the scale of a good score."""
        return math.log(1 + (max(len(self), FEWEST) - 0.5) / 1.5)

    def query(
        self, terms: Mapping[str, float], *, floor: float = 0.0, always: Iterable[str] = (), best: int = 0
    ) -> dict[str, float]:
        """Return the score of every text that shares a term. `terms` gives each term's weight in the question.

        Texts that cannot reach `floor` may be left out, except those in `always`; what is returned is exact. Rare terms
        are asked first, so that a common one is only looked up in the texts still in question (Turtle and Flood 1995).
        `best` as in `scores`.
        """
        most = {True: K1_CJK + 1, False: K1_SPACED + 1}
        gains = {
            term: weight * self.rarity(term) * most[is_cjk(term[0])]
            for term, weight in terms.items()
            if self.holders(term)
        }
        return self.scores(gains, floor=floor, always=always, best=best)

    def parts(self, gains: Mapping[str, float]) -> Callable[[str], dict[str, float]]:
        """Return what tells what each term adds to the score of one text, of those that it has; until something changes."""
        texts = self._texts
        if not self._norms.settled:
            self._norms.settle(texts)
        held = [term for term in gains if self.holders(term)]
        asked = {self._terms.numbers[term]: (term, gains[term], self._norms.of(term)) for term in held}

        def of(key: str) -> dict[str, float]:
            slot = texts.slots.get(key)
            if slot is None:
                return {}
            found: dict[str, float] = {}
            for at, number in enumerate(texts.terms(slot), texts.begins[slot]):
                if number in asked:
                    term, gain, norms = asked[number]
                    times = texts.times[at]
                    found[term] = gain * times / (times + norms[slot])
            return found

        return of

    def scores(
        self, gains: Mapping[str, float], *, floor: float = 0.0, always: Iterable[str] = (), best: int = 0
    ) -> dict[str, float]:
        """Return what `query` does for gains the caller has: the most that each term may add to a score.

        `best`: so many are wanted, so that the floor rises to the least of them as far as it is known (Turtle and Flood 1995).
        """
        texts = self._texts
        self._norms.settle(texts)
        asked = sorted(((gain, term) for term, gain in gains.items() if self.holders(term)), reverse=True)
        left = sum(gain for gain, _ in asked)
        scores: dict[int, float] = {texts.slots[key]: 0.0 for key in always if key in texts.slots}
        kept, get = frozenset(scores), scores.get
        for gain, term in asked:
            slots, weights = self._terms.postings(self._terms.numbers[term])
            norms = self._norms.of(term)
            if 0 < best < len(scores):
                floor = max(floor, nlargest(best, scores.values())[-1])
                if left < floor:
                    scores = {slot: one for slot, one in scores.items() if one + left >= floor or slot in kept}
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
        keys, lengths = texts.keys, texts.lengths
        return {
            keys[slot]: score
            for slot, score in scores.items()
            if score and lengths[slot] and (score >= floor or slot in kept)
        }

    def load(self, texts: Iterable[tuple[str, Mapping[str, float]]]) -> None:
        """Hold many texts at once, each under a key of its own, where none are held."""
        alive = self._terms.alive
        for key, weights in texts:
            for number in self._hold(key, weights):
                alive[number] += 1
        self._terms.invert(self._texts)

    def rows(self) -> Rows:
        """Return all that is held of the texts, in the order of their keys; only right after a load."""
        texts, terms = self._texts, self._terms
        arrays = texts.begins, texts.row, texts.times, texts.lengths, terms.starts, terms.posted, terms.weighed
        return Rows([*terms.words], *(one.tobytes() for one in arrays))

    @classmethod
    def of(cls, rows: Rows, keys: Iterable[str]) -> Lexicon:
        """Return a lexicon of rows, with a key for each text."""
        made = cls()
        texts, terms = made._texts, _Terms(rows.words)
        texts.keys = list(keys)
        texts.slots = {key: slot for slot, key in enumerate(texts.keys)}
        texts.begins, texts.row, terms.starts, terms.posted = (
            array("I", one) for one in (rows.begins, rows.row, rows.starts, rows.posted)
        )
        texts.times, texts.lengths, terms.weighed = (
            array("f", one) for one in (rows.times, rows.lengths, rows.weighed)
        )
        texts.total, texts.marks = math.fsum(texts.lengths), bytearray(len(texts.keys))
        terms.alive = array("I", map(int.__sub__, terms.starts[1:], terms.starts))
        made._terms, made._norms = terms, _Norms(len(texts.keys))
        return made

    def _compact(self) -> None:
        """Number the living texts and their terms anew."""
        held = [(key, self.weights(key), self._texts.marks[slot]) for key, slot in self._texts.slots.items()]
        made = Lexicon()
        made.load((key, weights) for key, weights, _ in held)
        made._texts.marks = bytearray(mark for *_, mark in held)
        self._texts, self._terms, self._norms = made._texts, made._terms, made._norms


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


def _weighed(fields: Iterable[tuple[Iterable[str], float]], *, unigrams: bool) -> dict[str, float]:
    weights: dict[str, float] = {}
    for texts, weight in fields:
        for text in texts:
            for term in tokens(text, unigrams=unigrams):
                weights[term] = weights.get(term, 0.0) + weight
    return weights
