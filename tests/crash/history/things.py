"""What a reply promises: each thing has an acknowledged state, and one more for every request whose reply did not come.

A request has happened wholly or not at all: of those that touch several things, all have their new state or none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

State = Any
STORY = 14  # what is told of a thing where something is wrong with it


@dataclass(eq=False)
class Thing:
    """A thing that requests change. `known` is what was learned of it: its role, its id."""

    kind: str
    key: str
    known: dict[str, Any] = field(default_factory=dict)
    acknowledged: State = None
    coming: list[tuple[Op, State]] = field(default_factory=list)
    broken: bool = False  # a promise about it was broken: what it is now says no more
    story: deque[str] = field(default_factory=lambda: deque(maxlen=STORY))

    @property
    def latest(self) -> State:
        """Its state when everything asked has happened."""
        return self.coming[-1][1] if self.coming else self.acknowledged

    def possible(self) -> list[State]:
        """Return the states it may be in: the acknowledged one, then one for each request on its way."""
        return [self.acknowledged, *(state for _, state in self.coming)]


@dataclass(eq=False)
class Op:
    """One request, the states it leads to, and what is learned from its reply."""

    method: str
    params: dict[str, Any]
    after: list[tuple[Thing, State]] = field(default_factory=list)
    learn: Callable[[dict[str, Any]], None] | None = None
    tolerated: tuple[str, ...] = ()  # errors that may come

    def said(self) -> str:
        """Return it in one line."""
        params = ", ".join(f"{key}={str(value)[:60]!r}" for key, value in self.params.items())
        return f"{self.method}({params})"

    def asked(self, when: str) -> None:
        """Note that it is on its way."""
        for thing, state in self.after:
            thing.coming.append((self, state))
            thing.story.append(f"{when} {self.said()}")

    def acknowledge(self, result: dict[str, Any]) -> None:
        """Take its reply."""
        if self.learn:
            self.learn(result)
        for thing, _ in self.after:
            place = next((n for n, (op, _) in enumerate(thing.coming) if op is self), None)
            if place is not None:  # a later one of the same connection may have been answered first
                thing.acknowledged = thing.coming[place][1]
                del thing.coming[: place + 1]
            thing.story.append("  acknowledged")

    def refuse(self, why: str) -> None:
        """Take an error: it has not happened. Where it may not come, what was asked next of the same thing says no more.

        Where the disk failed it is not served, and may yet be there when the disk is read again.
        """
        for thing, _ in self.after:
            if why.startswith("storage."):
                thing.story.append(f"  failed: {why}")
                continue
            thing.broken |= why not in self.tolerated
            thing.coming = [one for one in thing.coming if one[0] is not self]
            thing.story.append(f"  refused: {why}")


def judge(things: list[Thing], observe: Callable[[Thing], State]) -> list[str]:
    """Compare everything with what is observed; return what breaks a promise. What is observed is known from now on."""
    wrong: list[str] = []
    done: dict[Op, list[tuple[Thing, bool, bool]]] = {}
    for thing in (one for one in things if not one.broken):
        seen = observe(thing)
        possible = thing.possible()
        fits = [n for n, state in enumerate(possible) if state == seen]
        if not fits:
            wrong.append(told(thing, possible, seen))
            thing.broken = True
        for n, (op, _) in enumerate(thing.coming):
            done.setdefault(op, []).append((thing, any(m > n for m in fits), any(m <= n for m in fits)))
        thing.acknowledged = seen
        thing.coming = []
        thing.story.append(f"== seen: {str(seen)[:200]}")
    for op, parts in done.items():
        if not (all(may for _, may, _ in parts) or all(may_not for _, _, may_not in parts)):
            halves = [f"{thing.kind} {thing.key}: {'done' if may else 'not done'}" for thing, may, _ in parts]
            wrong.append(f"half of {op.said()} has happened: {halves}")
    return wrong


def told(thing: Thing, possible: list[State], seen: State) -> str:
    """Return a sentence on a thing that is in a state it cannot be in, and how it came there."""
    lines = "\n    ".join(thing.story)
    return f"{thing.kind} {thing.key} {thing.known}: may be {possible}, is {seen}\n    {lines}"
