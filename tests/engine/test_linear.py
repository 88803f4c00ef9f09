"""A sum of which every summand can be shown, in words."""

from __future__ import annotations

import pytest

from memd.engine.linear import Linear, as_features, shown

MODEL = Linear(1.5, {"rent": 2.0, "[a name]": -0.5, "[length 3]": 9.0, "the": 8.0, "never": -4.0})


def test_what_has_no_weight_says_nothing_and_the_bias_always_counts() -> None:
    assert MODEL.value({}) == 1.5
    assert MODEL.value({"rent": 1.0, "[a name]": 2.0, "unknown": 100.0}) == pytest.approx(2.5)


def test_what_tells_most_is_named_and_small_words_and_general_signs_are_not() -> None:
    features = as_features(["rent", "the", "never"], {"a name": 1.0, "length 3": 1.0})
    assert features == {"rent": 1.0, "the": 1.0, "never": 1.0, "[a name]": 1.0, "[length 3]": 1.0}
    assert MODEL.telling(features, 5) == [("rent", 2.0)]
    assert MODEL.telling(features, 5, against=True) == [("never", -4.0), ("[a name]", -0.5)]
    assert MODEL.telling(features, 1, against=True) == [("never", -4.0)]


def test_a_feature_is_shown_as_a_person_reads_it() -> None:
    assert [shown(name) for name in ("[a name]", "^ the rent $", "我 喜欢")] == ["a name", "“the rent”", "“我喜欢”"]
