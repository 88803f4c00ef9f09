"""A sum of which every summand can be shown, in words."""

from __future__ import annotations

import random

import pytest

from memd.engine.linear import Boosted, Linear, as_features, shown
from memd.formats.lexicons import Node

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


def tree_of(chance: random.Random, leaves: int) -> list[Node]:
    if leaves == 1:
        return [Node("", chance.uniform(-1, 1))]
    low = chance.randint(1, leaves - 1)
    first, second = tree_of(chance, low), tree_of(chance, leaves - low)
    moved = [one._replace(above=one.above + 1) if one.feature else one for one in first]
    behind = 1 + len(first)
    return [
        Node(chance.choice("abcd"), chance.choice((-0.5, 0.0, 0.3, 1.0)), behind), *moved,
        *(one._replace(above=one.above + behind) if one.feature else one for one in second),
    ]  # fmt: skip


def walked(judge: Boosted, features: dict[str, float]) -> float:
    total = judge.bias
    for tree in judge.trees:
        at = 0
        while tree[at].feature:
            at = tree[at].above if features.get(tree[at].feature, 0.0) > tree[at].value else at + 1
        total += tree[at].value
    return total


@pytest.mark.parametrize("most", [1, 2, 12, 17, 32])
def test_trees_come_to_the_leaves_that_a_walk_through_each_comes_to(most: int) -> None:
    chance = random.Random(most)
    for count in (0, 1, 2, 7):
        judge = Boosted(0.5, tuple(tuple(tree_of(chance, chance.randint(1, most))) for _ in range(count)))
        for _ in range(30):
            named = chance.sample("abcde", chance.randint(0, 5))
            features = {one: chance.choice((-1.0, -0.5, 0.0, 0.3, 0.31, 1.0, 2.0)) for one in named}
            assert judge.value(features) == pytest.approx(walked(judge, features))


def test_what_several_features_with_one_value_leave_is_what_each_leaves() -> None:
    chance = random.Random(1)
    judge = Boosted(0.0, tuple(tuple(tree_of(chance, 12)) for _ in range(9)))
    for value in (-0.5, 0.0, 0.3, 0.4, 1.0, 2.0):
        assert judge.steps("a", "b", "none").left(value) & judge.left({}) == judge.left(
            {"a": value, "b": value}
        ) & judge.left({})


def test_a_tree_of_more_leaves_than_can_be_told_is_refused() -> None:
    with pytest.raises(ValueError, match="a tree of 33 leaves"):
        Boosted(0.0, (tuple(tree_of(random.Random(1), 33)),)).value({})
