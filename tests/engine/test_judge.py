"""A merge must be sure, and what differs in a figure, a name or a denial is no duplicate whatever a model says."""

from __future__ import annotations

from array import array

import pytest

from memd.engine.keep.relation.judge import Relations, by_relation, judge_relation
from memd.engine.keep.relation.units import Statement, read_statement
from memd.engine.keep.relation.words import Thesaurus
from memd.model.change import DOUBTED, SURE, Relation

OLD = "The meeting in the large hall begins at nine."


def said(text: str) -> Statement:
    return read_statement(text, Thesaurus())


def leaning(**biases: float) -> Relations:
    return Relations(by_relation(0.0, {f"{name}: *": value for name, value in biases.items()}))


@pytest.mark.parametrize(
    ("new", "relation"),
    [
        ("The meeting in the large hall begins at nine!", Relation.DUPLICATE),
        ("The meeting in the large hall begins at ten.", Relation.REFINEMENT),
        ("The meeting in the large hall does not begin at nine.", Relation.REFINEMENT),
        ("A cello is larger than a violin, says Nora.", Relation.UNRELATED),
    ],
)
def test_a_model_that_calls_everything_a_duplicate_is_heard_only_where_it_may_be_one(
    new: str, relation: Relation
) -> None:
    assert judge_relation(leaning(duplicate=9.0, refinement=3.0), said(OLD), said(new)).relation is relation


def test_what_is_not_sure_enough_stays_apart() -> None:
    same = said(OLD)
    assert judge_relation(leaning(duplicate=2.5), same, same).relation is Relation.DUPLICATE
    assert judge_relation(leaning(duplicate=1.0), same, same).relation is not Relation.DUPLICATE
    assert judge_relation(leaning(contradiction=2.2), same, same).relation is Relation.CONTRADICTION
    assert judge_relation(leaning(contradiction=1.2, unrelated=0.3), same, same).relation is Relation.UNRELATED


def test_a_contradiction_that_is_not_sure_is_a_doubt() -> None:
    same = said(OLD)
    judged = judge_relation(leaning(contradiction=1.0), same, same)
    assert judged.relation is Relation.UNRELATED
    assert DOUBTED < judged.doubt < SURE[Relation.CONTRADICTION]


def test_vectors_count_where_both_are_of_the_model_that_was_learned_of() -> None:
    plane = array("f", [0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0])  # what both have counts for a duplicate
    none = array("f", [0.0] * 8)
    relations = Relations(planes={one.value: plane if one is Relation.DUPLICATE else none for one in Relation})
    old, new = said("Nora keeps bees."), said("There are hives behind Nora's house.")
    near, far = array("f", [1.0, 0.0]), array("f", [0.0, 1.0])
    assert judge_relation(relations, old, new, (near, near)).relation is Relation.DUPLICATE
    assert judge_relation(relations, old, new, (near, far)).relation is Relation.UNRELATED
    assert judge_relation(relations, old, new, (near, None)).relation is Relation.UNRELATED
    assert judge_relation(relations, old, new, (array("f", [1.0]), array("f", [1.0]))).relation is Relation.UNRELATED


def test_equal_rows_of_what_was_learned_are_held_once_and_so_are_names_of_two_tables() -> None:
    known: dict[str, str] = {}
    words, meaning = (by_relation(0.0, {"duplicate: today": 1.5, "duplicate: now": 1.5}, known) for _ in range(2))
    assert words.weights == {"today": (1.5, 0.0, 0.0, 0.0), "now": (1.5, 0.0, 0.0, 0.0)}
    assert words.weights["today"] is words.weights["now"]
    assert {id(one) for one in words.weights} == {id(one) for one in meaning.weights}
