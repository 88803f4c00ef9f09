"""The words of one session, event by event: found while it grows, without reading it again.

Every term has the places of the events that have it, in order; an event is added once and never changes. What a term is
worth in an event is told by how rare it is in the session and how long the event is.

Source
    BM25 with each term counted once (an event is short), coverage as in engine/recall/matching.py.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from heapq import nlargest

from memd.engine.recall.matching import final, gains_of
from memd.text.analysis import tokens

K1, B = 0.9, 0.3
RERANKED = 200  # of what the sums put first, so many are weighed by how much of the question they cover
READ = (
    20_000  # places that are read of the postings, the rarest terms first; commoner ones then only order what was found
)


class Spoken:
    """Not for two threads at once. Places count from 1."""

    def __init__(self) -> None:
        self.postings: dict[str, array[int]] = {}
        self.norms: array[float] = array("f", (0.0,))
        self._total = 0

    @property
    def upto(self) -> int:
        """The place of the last event that was added."""
        return len(self.norms) - 1

    def add(self, text: str) -> None:
        """Add the next event."""
        place = len(self.norms)
        found = tokens(text, unigrams=False)
        self._total += len(found)
        average = self._total / place or 1.0
        self.norms.append(1 / (1 + K1 * (1 - B + B * len(found) / average)))
        postings = self.postings
        for term in set(found):
            known = postings.get(term)
            if known is None:
                postings[term] = array("I", (place,))
            else:
                known.append(place)

    def gains(self, terms: Mapping[str, float]) -> dict[str, float]:
        """Return the most that each term may add to the score of an event."""
        holders = {term: len(self.postings.get(term, ())) for term in terms}
        return gains_of(terms, holders, max(1, self.upto))

    def find(self, gains: Mapping[str, float], count: int) -> tuple[list[tuple[float, int]], int]:
        """Return the best events with their scores, 0 to 1, and how many have any of the terms, at least."""
        sums: dict[int, float] = {}
        norms, get = self.norms, sums.get
        read = 0
        for term in sorted(gains, key=lambda one: len(self.postings[one])):
            read += len(self.postings[term])
            if sums and read > READ:
                break  # what has only commoner words than these does not come before what has these
            gain = gains[term]
            for place in self.postings[term]:
                sums[place] = get(place, 0.0) + gain * norms[place]
        best = nlargest(max(RERANKED, count), sums, key=sums.__getitem__)
        told = []
        for place in best:
            held = self._held(place, gains)
            score = sum(gains[term] for term in held) * norms[place]
            told.append((final(score, gains, held, self.upto), place))
        told.sort(key=lambda one: (-one[0], -one[1]))
        return told[:count], len(sums)

    def having_all(self, terms: Iterable[str]) -> set[int] | None:
        """Return the events that have every term; None where no term was given."""
        found: set[int] | None = None
        for term in sorted(terms, key=lambda one: len(self.postings.get(one, ()))):
            here = set(self.postings.get(term, ()))
            found = here if found is None else found & here
        return found

    def _held(self, place: int, gains: Mapping[str, float]) -> set[str]:
        held = set()
        for term in gains:
            places = self.postings[term]
            at = bisect_left(places, place)
            if at < len(places) and places[at] == place:
                held.add(term)
        return held
