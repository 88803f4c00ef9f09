"""What keys in a scene say of the memories that have them. Of each key it is asked once, not once for each that has it.

A key that many memories share says little of each. So does one that stands only in what was handed over, and an everyday word,
least of all where a model finds that the message does not mean the memory; but not for memories with rules of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple

from memd.text.characters import is_cjk
from memd.text.commonness import telling_words

if TYPE_CHECKING:
    from memd.engine.recall.wanted.weighing import Question, Scales, Weighing
    from memd.model.lore import Evaluated, Hit

KEY_SCORE = 0.75  # what one key says that one memory has
OLDER_MESSAGE = 0.8  # what a key counts in the message before the newest, and again for each further back
FEW_SHARE = 0.2  # of all memories; a key that more of them have says less
KEY_AGREED = 0.15  # how likely a memory is wanted for its key to say all
KEY_AGAINST_SENSE = 0.25  # what is left of it else
EVERYDAY_KEY = 0.5  # what a key counts that everybody uses
HANDED_KEY = 0.3  # what a key counts that stands only in a log, a mail or code


class Said(NamedTuple):
    """One key: where it was found, what it says by itself and where it stands, by how common it is, and who has it."""

    hit: Hit
    worth: float
    place: float
    rare: float
    owners: AbstractSet[str]


class Alike(NamedTuple):
    """Memories of which the keys of the scene say the same."""

    score: float
    owners: AbstractSet[str]


class Keyed:
    """The keys of one scene, and the memories of one role that have them. `asks_model`: it knows better what is meant."""

    def __init__(
        self, found: Evaluated, count: int, question: Question, weighing: Weighing, scales: Scales, *, asks_model: bool
    ) -> None:
        self._many, self._question, self._weighing = max(count * FEW_SHARE, 4.0), question, weighing
        self._scales, self._asks_model = scales, asks_model
        self._said = [self._of(hit, owners) for hit, owners in found.plain]
        self.owners: set[str] = set()
        self._several: set[str] = set()  # of which more than one key was found, or of which a model knows what is meant
        for one in self._said:
            self._several |= self.owners & one.owners
            self.owners |= one.owners
        if asks_model:
            self._several |= scales.known & self.owners

    def worth(self, hit: Hit) -> float:
        """Return what a key says of each memory that has it, by how many have it, its words, and how long ago it was said."""
        telling = max(0.4, 1.0 - 0.6 * (hit.owners - 1) / self._many) * telling_words(hit.key)
        return KEY_SCORE * OLDER_MESSAGE**hit.newest * telling

    def ruled(self, hit: Hit, memory_id: str) -> float:
        """Return what a key says of a memory whose rules it passed, and which has no rules of World Info."""
        return self._meant(self._of(hit, frozenset()), memory_id)

    def of(self, memory_id: str) -> tuple[float, tuple[Hit, ...]]:
        """Return what the keys of one memory say together, and which they are."""
        doubt, hits = 1.0, list["Hit"]()
        for one in self._said:
            if memory_id in one.owners:
                doubt *= 1.0 - self._meant(one, memory_id)
                hits.append(one.hit)
        return 1.0 - doubt, tuple(hits)

    def alike(self, apart: AbstractSet[str]) -> Iterator[Alike]:
        """Yield all others by what their keys say of them."""
        several = self._several - apart
        for key in several:
            yield Alike(self.of(key)[0], {key})
        for one in self._said:
            if owners := one.owners - apart - several:
                yield Alike(1.0 - (1.0 - one.worth * (one.place * one.rare)), owners)

    def _of(self, hit: Hit, owners: AbstractSet[str]) -> Said:
        rare = max(EVERYDAY_KEY, self._weighing.known.telling(hit.key))
        return Said(hit, self.worth(hit), _place(self._question, hit), rare, owners)

    def _meant(self, one: Said, memory_id: str) -> float:
        """Return what a key says of a memory, where a model knows, by whether the memory is meant."""
        share = 1.0
        if one.rare < 1.0 and self._asks_model and memory_id in self._scales.known:
            weighed = self._scales.of(memory_id)
            share = 1.0 if weighed is None else max(KEY_AGAINST_SENSE, min(1.0, weighed.alone / KEY_AGREED))
        return one.worth * (one.place * (one.rare * share))


def _place(question: Question, hit: Hit) -> float:
    """Return how much a key counts by where it stands: in the speaker's own words, or in what they handed over."""
    if hit.newest or not question.said.pastes:
        return 1.0
    own = question.said.question.casefold()
    return 1.0 if hit.key.casefold() in own else HANDED_KEY


def is_name(key: str, content: str) -> bool:
    """Tell whether a text names something by a key: a word of Han that not everybody uses, or one with a capital."""
    if is_cjk(key[0]):
        return len(key) > 1 and telling_words(key) == 1.0
    at = content.casefold().find(key)
    return at > 0 and content[at : at + 1].isupper()
