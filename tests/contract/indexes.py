"""A full-text index in memory, slow and obvious: the twin of the one on disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from whoosh.util.numeric import byte_to_length, length_to_byte

from memd.model.search import Document
from memd.storage.index import B_CJK, B_SPACED, K1_CJK, K1_SPACED, Found
from memd.text.characters import is_cjk


@dataclass
class ListedIndex:
    """Every document with its fields, by number. What is dropped leaves its number unused."""

    held: dict[int, dict[str, Any]] = field(default_factory=dict)
    last: int = -1
    turn: AbstractContextManager[None] = field(default_factory=nullcontext)

    def put(self, fields: dict[str, Any]) -> None:
        self.last += 1
        self.held[self.last] = fields

    def drop(self, keys: Iterable[str]) -> None:
        wanted = set(keys)
        self.held = {n: one for n, one in self.held.items() if not wanted & set(one["key"])}

    @property
    def documents(self) -> int:
        return len(self.held)

    @property
    def average(self) -> float:
        return sum(map(_length, self.held.values())) / max(1, len(self.held))

    def holders(self, terms: Iterable[str]) -> dict[str, int]:
        return {term: len(self.having("terms", [term])) for term in terms}

    def having(self, field: str, values: Iterable[str]) -> set[int]:
        wanted = set(values)
        return {n for n, one in self.held.items() if wanted & set(one[field])}

    def having_all(self, terms: Collection[str], field: str = "terms") -> set[int]:
        return {n for n, one in self.held.items() if set(terms) <= set(one[field])}

    @property
    def everything(self) -> frozenset[int]:
        return frozenset(self.held)

    def values(self, field: str, prefix: str, fits: Callable[[str], bool]) -> list[str]:
        known = {value for one in self.held.values() for value in one[field]}
        return sorted((one for one in known if one.startswith(prefix) and fits(one)), key=lambda one: one.encode())

    def scores(self, gains: Mapping[str, float], within: Collection[int] | None = None) -> dict[int, float]:
        found: dict[int, float] = {}
        for number, one in self.held.items():
            for term in (term for term in gains if term in one["terms"] and (within is None or number in within)):
                k1, b = (K1_CJK, B_CJK) if is_cjk(term[0]) else (K1_SPACED, B_SPACED)
                weight, length = one["terms"][term], byte_to_length(length_to_byte(_length(one)))  # as it is kept
                part = gains[term] * (k1 + 1) * weight / (weight + k1 * (1 - b + b * length / self.average))
                found[number] = found.get(number, 0.0) + part
        return found

    def read(self, numbers: Iterable[int]) -> Iterator[Found]:
        for number in numbers:
            *shown, digest = self.held[number]["shown"]
            yield Found(number, Document(*shown), digest)

    def number_at(self, keys: Iterable[str]) -> set[int]:
        return self.having("key", keys)

    def days(self, after: str, before: str) -> list[str]:
        return [one for one in self.values("day", "", lambda _: True) if after <= one <= before]

    def newest(self) -> list[int]:
        return sorted(self.held, key=lambda n: (-self.held[n]["at"], self.held[n]["called"]))

    def close(self) -> None:
        """There is nothing to let go of."""


def _length(fields: dict[str, Any]) -> int:
    return sum(max(1, round(weight)) for weight in fields["terms"].values())
