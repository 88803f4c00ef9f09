"""Near-identical episodes of one time are one group; what is set apart stays apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memd.engine.keep.fold import DAY_S, foldable
from memd.engine.keep.relation.units import Thesaurus, read_statement
from memd.model.memory import Kind, Memory

SAID = "The nightly backup of the cellar server finished in the usual time."


def memory(memory_id: str, day: float, content: str = SAID, **fields: Any) -> Memory:
    return replace(Memory(memory_id, Kind.EPISODIC, content, when_s=1e9 + day * DAY_S), **fields)


def groups(*memories: Memory) -> list[list[str]]:
    found = foldable(memories, lambda text: read_statement(text, Thesaurus()), 7)
    return [[one.id for one in group] for group in found]


def test_a_group_is_as_long_as_its_days_and_does_not_drift() -> None:
    days = [memory(f"m{day}", day) for day in (0, 3, 7, 8, 12, 15)]
    assert groups(*reversed(days)) == [["m0", "m3", "m7"], ["m8", "m12", "m15"]]
    assert groups(days[0], days[-1]) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"constant": True},
        {"disabled": True},
        {"superseded_by": "b"},
        {"covered_by": ("b",)},
        {"supersedes": ("c",)},
        {"kind": Kind.SEMANTIC},
        {"when_s": None},
        {"content": "The backup of the attic broke."},
        {"content": SAID + " It took 12 minutes."},
        {"content": SAID.replace("finished", "was not finished")},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_is_set_apart_or_says_something_else_is_left_alone(fields: dict[str, Any]) -> None:
    assert groups(memory("a", 0), memory("b", 1)) == [["a", "b"]]
    assert groups(memory("a", 0), replace(memory("b", 1), **fields)) == []


@pytest.mark.parametrize(
    "other",
    [
        SAID.replace("finished", "finished, says Tomas, and was copied to the attic, where the disks were exchanged"),
        SAID.replace("server", "server Hades"),
    ],
    ids=["one says much more", "one names something"],
)
def test_episodes_of_which_one_says_more_are_two(other: str) -> None:
    assert groups(memory("a", 0), memory("b", 1, other)) == []
    assert groups(memory("a", 0, other), memory("b", 1)) == []


def test_a_name_that_differs_keeps_the_longest_episodes_apart() -> None:
    long = " ".join(
        f"{word} the {word}ing of the old harbour wall" for word in ("paint", "clean", "mend", "lift", "turn")
    )
    nora, tomas = (f"It was said by {name}: {long}." for name in ("Nora", "Tomas"))
    assert groups(memory("a", 0, nora), memory("b", 1, nora)) == [["a", "b"]]
    assert groups(memory("a", 0, nora), memory("b", 1, tomas)) == []
