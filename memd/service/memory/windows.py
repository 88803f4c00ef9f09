"""What a session's window has already: that does not come again within so many turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memd.model.scene import BookFound, BookRefused, Candidate, Measured, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memd.store.recall.recalled import Talk


def unrepeated(ranked: Iterable[Candidate], talk: Talk, window: int) -> tuple[list[Candidate], list[Refused]]:
    """Return the memories that the window has not, and those that it has."""
    fresh: list[Candidate] = []
    repeated: list[Refused] = []
    for one in ranked:
        since = talk.since(told_as(one), window)
        if since is None:
            fresh.append(one)
        else:
            repeated.append(Refused(one, *since_turn(since, talk, window)))
    return fresh, repeated


def is_fresh(one: Candidate, talk: Talk, window: int) -> bool:
    """Tell whether the window has not a memory."""
    return talk.since(told_as(one), window) is None


def untold(pages: Iterable[BookFound], talk: Talk, window: int) -> tuple[list[BookFound], list[BookRefused]]:
    """Return the pages that the window has not, and those that it has."""
    fresh: list[BookFound] = []
    told: list[BookRefused] = []
    for one in pages:
        since = talk.since(one.activation.entry.id, window)
        if since is None:
            fresh.append(one)
        else:
            told.append(BookRefused(one.role, one.activation.entry, *since_turn(since, talk, window)))
    return fresh, told


def since_turn(since: int, talk: Talk, window: int) -> tuple[str, str, Measured]:
    """Return why what came in a turn does not come again yet."""
    measured = Measured("turns", talk.turn - since, window)
    return "recently injected", f"in the window since turn {since}, now {talk.turn}", measured


def told_as(one: Candidate) -> str:
    """Return what a memory is known by in a window."""
    return f"{one.role}/{one.memory.id}"
