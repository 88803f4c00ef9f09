"""What a word is to another: the same in other words, its opposite, or another of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from memd.text.analysis import stem, words
from memd.text.characters import is_cjk


@dataclass(frozen=True, slots=True)
class Sense:
    """What is known of a word or phrase, as names of groups."""

    same: frozenset[str] = frozenset()
    opposed: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()


NOTHING = Sense()


@dataclass(slots=True)
class Thesaurus:
    """Groups by phrase, as formats/lexicons.py reads them; `longest` is how long phrases with a first word get."""

    groups: Mapping[str, str] = field(default_factory=dict)
    longest: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for phrase in self.groups:
            size = phrase.count(" ") + 1
            if size > 1:
                first = phrase[: phrase.index(" ")]
                self.longest[first] = max(size, self.longest.get(first, 1))

    def sense(self, phrase: str) -> Sense:
        """Return what is known of a phrase of stems."""
        groups = self.groups.get(phrase)
        return NOTHING if groups is None else _sense(groups)


@lru_cache(maxsize=2048)
def _sense(groups: str) -> Sense:
    marked = groups.split()
    return Sense(*(frozenset(one for one in marked if one[0] == mark) for mark in "=!~"))


def row(text: str) -> list[str]:
    """Return the words of a text as the thesaurus knows them: stems, and single characters of Han and its like."""
    return [word if is_cjk(word[0]) else stem(word) for word in words(text)]
