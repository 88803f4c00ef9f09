"""What is known already: exact duplicates, and how near the nearest memory is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from heapq import nlargest
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from memd.text.analysis import query_tokens, tokens
from memd.text.characters import fingerprint

if TYPE_CHECKING:
    from memd.engine.recall.compiled import Compiled

LOOKED_AT = 8  # of the texts that share most
LEAST_SHARE = 0.3  # what shares less of the rarest terms is not near
RAREST_TERMS = 6  # a text is compared by its rarest terms, so that the cost does not grow with its length


@lru_cache(maxsize=4096)
def token_set(text: str) -> frozenset[str]:
    """Return the tokens of a text that is compared again and again."""
    return frozenset(tokens(text))


asked_terms = lru_cache(maxsize=64)(query_tokens)  # of what is offered: read, and left as it is


class Nearest(NamedTuple):
    """The memory that shares most with a text: its id ("" where there is none), and the share, 0 to 1.

    `ids` are all that share much; where a role has few memories, all of them.
    """

    id: str
    share: float
    ids: tuple[str, ...] = ()


class Fingerprints:
    """Which memory says exactly this, punctuation, case and width aside. Of each its letters and digits are known by their hash."""

    def __init__(self) -> None:
        self._ids: dict[int, str | tuple[str, ...]] = {}
        self._prints: dict[str, int] = {}

    def put(self, memory_id: str, text: str) -> None:
        """Hold a text."""
        self.drop(memory_id)
        mark = _mark(text)
        self._prints[memory_id] = mark
        ids = self._ids.setdefault(mark, memory_id)
        if ids is not memory_id:
            self._ids[mark] = (*_all(ids), memory_id)

    def drop(self, memory_id: str) -> None:
        """Forget a text."""
        mark = self._prints.pop(memory_id, None)
        if mark is None:
            return
        ids = tuple(one for one in _all(self._ids.pop(mark)) if one != memory_id)
        if ids:
            self._ids[mark] = ids

    def all(self, text: str) -> tuple[str, ...]:
        """Return the ids of the memories that say the same."""
        return _all(self._ids.get(_mark(text), ()))

    def find(self, text: str) -> str:
        """Return the id of the first memory that says the same, or ""."""
        return next(iter(self.all(text)), "")


def _mark(text: str) -> int:
    return hash(fingerprint(text) or text)


def _all(ids: str | tuple[str, ...]) -> tuple[str, ...]:
    return (ids,) if isinstance(ids, str) else ids


def nearest(role: Compiled, text: str, beside: Iterable[str] = ()) -> Nearest:
    """Return the memory whose words cover most of the text's, by their rarity; `beside` are other texts to compare."""
    terms = asked_terms(text)
    if not terms:
        return Nearest("", 0.0, tuple(role.memories) if len(role.memories) <= LOOKED_AT else ())
    rarity = {term: role.lexicon.rarity(term) for term in terms}
    whole = sum(rarity.values()) or 1.0
    known = nlargest(RAREST_TERMS, (term for term in terms if role.lexicon.holders(term)), key=rarity.__getitem__)
    best = Nearest("", 0.0)
    some: tuple[str, ...] = tuple(role.memories) if len(role.memories) <= LOOKED_AT else ()
    floor = LEAST_SHARE * sum(rarity[term] for term in known)
    best_of = LOOKED_AT + len(role.parts.memories)  # parts of memories have words, too, and are none
    scores = role.of_memories(role.lexicon.query(dict.fromkeys(known, 1.0), floor=floor, best=best_of))
    first = nlargest(LOOKED_AT, scores, key=scores.__getitem__)
    for key in first:
        shared = fsum(rarity[term] for term in set(role.lexicon.terms(key)) & terms.keys())  # in whatever order
        best = max(best, Nearest(key, shared / whole), key=lambda one: one.share)
    for other in beside:
        share = fsum(rarity[term] for term in token_set(other) & terms.keys()) / whole
        best = max(best, Nearest("", share), key=lambda one: one.share)
    return best._replace(ids=some or tuple(first))
