"""Keys whose issuer's form gives them away, and what only shows such a form."""

from __future__ import annotations

import pytest

from memd.engine.keep.scan.numbers import find_issued


@pytest.mark.parametrize("key", ["AKIA" + "QWERTYUIOPASDFGH", "AKIA" + "Q3EGRN7XKJ2M5LPD", "npm_" + "aB3" * 10])
def test_a_key_is_found_of_whatever_characters_it_is(key: str) -> None:
    assert [one.start for one in find_issued(f"密钥 {key} here")] == [3]


@pytest.mark.parametrize("shown", ["AKIAIOSFODNN7EXAMPLE", "AKIAXXXXXXXXXXXXXXXX", "ghp_" + "x" * 36])
def test_what_shows_what_a_key_looks_like_is_none(shown: str) -> None:
    assert find_issued(f"It looks like {shown}.") == []
