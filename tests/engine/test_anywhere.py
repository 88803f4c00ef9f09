"""Searching for any of many alternatives finds what one expression of them all finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.engine.keep.anywhere import alternatives, anywhere

PATTERNS = (r"\bcat|\bdogs?\b|^no\b|a{2,3}b|[|)\]x]y|猫|小狗|喜欢.{1,3}茶|(?:q|\bw)z", r"\|end|[]^|]k|[^]|]{0}jj")


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        pytest.param("a|b", ["a", "b"], id="bars part"),
        pytest.param("(?:a|b)|c", ["(?:a|b)", "c"], id="not in groups"),
        pytest.param("[|(]|[]|]|[^]|]", ["[|(]", "[]|]", "[^]|]"], id="not in sets"),
        pytest.param(r"\||\[a|b", [r"\|", r"\[a", "b"], id="not where escaped"),
        pytest.param("猫|a|", ["猫", "a", ""], id="an empty one counts"),
    ],
)
def test_alternatives_are_what_stands_between_bars(pattern: str, parts: list[str]) -> None:
    assert list(alternatives(pattern)) == parts


def test_each_kind_of_alternative_has_its_own_expression() -> None:
    found = anywhere(r"\bcat|猫|[a-c]x")
    assert found.at_border is not None
    assert found.beyond_ascii is not None
    assert (found.at_border.pattern, found.beyond_ascii.pattern) == (r"\b(?:cat)", "猫")
    assert anywhere("猫").search("小猫")
    assert not anywhere("猫").search("a cat")
    assert not anywhere(r"\bcat").search("a bobcat")


@given(
    st.lists(st.sampled_from([*"acdogsnoxykzwqjb|)]^ \n猫狗小喜欢茶", "cat", "dog", "end"]), max_size=24).map("".join)
)
def test_it_finds_what_one_expression_finds(text: str) -> None:
    for flags in (0, re.MULTILINE):
        whole = re.compile("|".join(PATTERNS), flags)
        assert anywhere(*PATTERNS, flags=flags).search(text) == bool(whole.search(text)), text
