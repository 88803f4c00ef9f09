"""Whose things are whose: a client changes only its own, so that each thing's requests have an order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.crash.history.things import Op, State, Thing

SHARED = ("main", "阿远")


@dataclass
class Owner:
    """A client over all rounds: what it has, and its chance."""

    name: str
    number: int
    chance: random.Random = field(default_factory=random.Random)
    chains: bool = True  # asks on of what it has no reply about yet, where the protocol promises the order
    things: list[Thing] = field(default_factory=list)

    @property
    def role(self) -> str:
        """A role that nobody else changes."""
        return f"own-{self.name}"

    def mark(self) -> str:
        """Return a word that is nowhere else."""
        return f"u{self.chance.getrandbits(48):012x}"

    def add(self, kind: str, key: str = "", **known: Any) -> Thing:
        """Return a new thing."""
        thing = Thing(kind, key or self.mark(), known)
        self.things.append(thing)
        return thing

    def one(self, kind: str, **known: Any) -> Thing:
        """Return the only thing of a kind, made where there is none."""
        return next((one for one in self.things if one.kind == kind and not one.broken), None) or self.add(
            kind, **known
        )

    def of(self, kind: str, wanted: Callable[[State], bool] = bool) -> list[Thing]:
        """Return the things whose latest state is as wanted."""
        known = [one for one in self.things if one.kind == kind and not one.broken]
        return [one for one in known if (self.chains or not one.coming) and wanted(one.latest)]

    def pick(self, kind: str, wanted: Callable[[State], bool] = bool) -> Thing | None:
        """Return one of them by chance."""
        found = self.of(kind, wanted)
        return self.chance.choice(found) if found else None


Verb = Callable[[Owner], Op | None]
VERBS: dict[str, list[tuple[Verb, float]]] = {}


def verb(method: str, weight: float) -> Callable[[Verb], Verb]:
    """Declare a way to ask a method; of weights, how often."""

    def declare(ask: Verb) -> Verb:
        VERBS.setdefault(method, []).append((ask, weight))
        return ask

    return declare


def covered() -> set[str]:
    """Return the methods that clients ask."""
    return set(VERBS)


def asks(owner: Owner) -> Iterator[Op]:
    """Yield what a client asks, for ever."""
    ways = [way for of_method in VERBS.values() for way in of_method]
    verbs, weights = [one for one, _ in ways], [weight for _, weight in ways]
    while True:
        op = owner.chance.choices(verbs, weights)[0](owner)
        if op is not None:
            yield op
