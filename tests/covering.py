"""Which combinations of parameters are run of tests that are slow because a program of others runs in each: an agent, a browser.

A test of three agents, two languages and two levels has twelve. `make check` runs as few as have each agent, each language
and each level once; `make torture` runs all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

ALL_WAYS = "--all-ways"

One = TypeVar("One")


def covering(ways: Sequence[One], values_of: Callable[[One], frozenset[Hashable]]) -> list[One]:
    """Return as few of the ways as have every value, in their order: again and again the first that has most of what is lacking."""
    lacking = frozenset[Hashable]().union(*map(values_of, ways))
    taken: set[int] = set()
    while lacking:
        best = max(range(len(ways)), key=lambda at: len(values_of(ways[at]) & lacking))
        taken.add(best)
        lacking -= values_of(ways[best])
    return [way for at, way in enumerate(ways) if at in taken]


def thin(config: pytest.Config, items: list[pytest.Item], under: Path) -> None:
    """Of the tests below a directory, leave those that cover the values of their parameters."""
    if config.getoption(ALL_WAYS):
        return
    crossed: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.path.is_relative_to(under) and len(_values(item)) > 1:
            crossed.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left = {id(item) for ways in crossed.values() for item in ways}
    left -= {id(item) for ways in crossed.values() for item in covering(ways, _values)}
    config.hook.pytest_deselected(items=[item for item in items if id(item) in left])
    items[:] = [item for item in items if id(item) not in left]


def _values(item: pytest.Item) -> frozenset[Hashable]:
    """Return which value of each parameter a test is run with."""
    spec = getattr(item, "callspec", None)
    return frozenset((name, repr(value)) for name, value in spec.params.items()) if spec is not None else frozenset()
