"""A merge must be sure, and what differs in a figure, a name or a denial is no duplicate whatever a model says."""

from __future__ import annotations

import pytest

from memd.engine.keep.relation.judge import Relations, by_relation, judge_relation
from memd.engine.keep.relation.units import Statement, read_statement
from memd.engine.keep.relation.words import Thesaurus
from memd.model.relation import Relation

OLD = "The meeting in the large hall begins at nine."


def said(text: str) -> Statement:
    return read_statement(text, Thesaurus())


def leaning(**biases: float) -> Relations:
    return by_relation(0.0, {f"{name}: *": value for name, value in biases.items()})


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
    assert judge_relation(leaning(contradiction=1.6), same, same).relation is Relation.CONTRADICTION
    assert judge_relation(leaning(contradiction=1.4, unrelated=0.1), same, same).relation is Relation.UNRELATED


def test_among_many_one_that_is_alike_in_words_alone_is_likelier() -> None:
    same = said(OLD)
    among = [judge_relation(leaning(unrelated=0.5), same, same, among=n).sure for n in (1, 2, 20, 10**6, 10**9)]
    assert among[:4] == sorted(set(among[:4]))
    assert among[3] == among[4], "up to a bound"
