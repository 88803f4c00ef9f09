"""What is run of combinations: every value, in few of them."""

from __future__ import annotations

from itertools import product

from tests.covering import covering


def test_every_value_is_there_in_as_few_as_the_longest_parameter_has() -> None:
    ways = list(product("abc", (1, 2), ("x", "y")))
    found = covering(ways, lambda way: frozenset(enumerate(way)))
    assert {value for way in found for value in enumerate(way)} == {value for way in ways for value in enumerate(way)}
    assert len(found) == 3


def test_what_has_one_parameter_is_run_with_each_of_its_values() -> None:
    assert covering(["a", "b"], lambda way: frozenset([way])) == ["a", "b"]


def test_of_nothing_nothing_is_run() -> None:
    assert covering([], lambda way: frozenset([way])) == []
