"""How far long work is: so much done of so much, and what is being done. Whoever works tells it, whoever waits may look."""

from __future__ import annotations

from collections.abc import Callable

Told = Callable[[int, int, str], None]  # done, of all, the step in one or two words; the unit is the work's own


def untold(done: int, of: int, step: str) -> None:
    """Tell nobody."""
