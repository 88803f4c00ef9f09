"""A merge must be sure; what differs in a figure or a name is no duplicate whatever a model says, and of a denial it must be surer."""

from __future__ import annotations

from array import array

import pytest

from memd.engine.keep.relation.compare import compare
from memd.engine.keep.relation.judge import Meant, Relations, by_relation, judge_relation, relation_features
from memd.engine.keep.relation.units import Statement, Thesaurus, read_statement
from memd.model.change import SURE, Relation

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


@pytest.mark.parametrize(
    ("old", "new", "relation"),
    [
        ("I live in Graz.", "我住在厦门。", Relation.UNRELATED),
        ("我住在厦门。", "I live in Graz.", Relation.UNRELATED),
        ("I am allergic to peanuts.", "我对花生过敏。", Relation.DUPLICATE),
        ("我用Postgres存订单。", "I keep the orders in Postgres.", Relation.DUPLICATE),
    ],
)
def test_a_name_that_stands_in_one_language_alone_may_be_of_another_thing(
    old: str, new: str, relation: Relation
) -> None:
    alike = array("f", [1.0, 0.0])
    none = array("f", [0.0] * 8)
    certain = by_relation(0.0, {"duplicate: *": 9.0})
    relations = Relations(meaning=certain, planes={one.value: none for one in Relation})
    assert judge_relation(relations, said(old), said(new), Meant(alike, alike, alike)).relation is relation


def test_what_is_not_sure_enough_stays_apart() -> None:
    same = said(OLD)
    assert judge_relation(leaning(duplicate=2.5), same, same).relation is Relation.DUPLICATE
    assert judge_relation(leaning(duplicate=1.0), same, same).relation is not Relation.DUPLICATE
    assert judge_relation(leaning(contradiction=2.2), same, same).relation is Relation.CONTRADICTION
    assert judge_relation(leaning(contradiction=1.2, unrelated=0.3), same, same).relation is Relation.UNRELATED


def test_a_contradiction_that_is_not_sure_is_a_doubt() -> None:
    same = said(OLD)
    judged = judge_relation(leaning(contradiction=1.2), same, same)
    assert judged.relation is Relation.UNRELATED
    assert 0.5 < judged.doubt < SURE[Relation.CONTRADICTION]


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("The rent is 900 euros.", "My gym fee went up to 45 euros.", {"another topic"}),
        ("12月4号飞里斯本。", "演唱会改到12月9号了。", {"another topic"}),
        ("The exam is on 5 December.", "The exam got moved to December 12.", {"topic kept", "topic of new known"}),
        ("The exam is on 5 December.", "Moved to December 12.", {"names no topic"}),
        ("User lives in Rome.", "User moved to Milan.", set()),
    ],
)
def test_what_statements_are_about_is_asked_beside_days_and_sums_alone(old: str, new: str, names: set[str]) -> None:
    found = {name for name in compare(said(old), said(new)) if "topic" in name and "×" not in name}
    assert found == names


def test_vectors_count_where_both_are_of_the_model_that_was_learned_of() -> None:
    plane = array("f", [0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0])  # what both have counts for a duplicate
    none = array("f", [0.0] * 8)
    relations = Relations(planes={one.value: plane if one is Relation.DUPLICATE else none for one in Relation})
    old, new = said("Nora keeps bees."), said("There are hives behind Nora's house.")
    near, far = array("f", [1.0, 0.0]), array("f", [0.0, 1.0])
    short = array("f", [1.0])
    assert judge_relation(relations, old, new, Meant(near, near, near)).relation is Relation.DUPLICATE
    for others in (Meant(near, far, near), Meant(near, None, near), Meant(near, near), Meant(short, short, short)):
        assert judge_relation(relations, old, new, others).relation is Relation.UNRELATED


def test_how_far_statements_are_of_one_matter_is_a_sign_of_its_own() -> None:
    none = array("f", [0.0] * 8)
    meaning = by_relation(
        0.0, {"contradiction: [of one matter]": 4.0, "contradiction: [of one matter, above 0.5]": 4.0}
    )
    relations = Relations(meaning=meaning, planes={one.value: none for one in Relation})
    old, new = said("Nora lives on Marlow Street."), said("Nora moved to Ludlow.")
    east, north = array("f", [1.0, 0.0]), array("f", [0.0, 1.0])
    assert judge_relation(relations, old, new, Meant(east, east, east)).relation is Relation.CONTRADICTION
    assert judge_relation(relations, old, new, Meant(east, east, north)).relation is Relation.UNRELATED
    assert "it is about the same" in judge_relation(relations, old, new, Meant(east, east, east)).why


def test_equal_rows_of_what_was_learned_are_held_once_and_so_are_names_of_two_tables() -> None:
    known: dict[str, str] = {}
    words, meaning = (by_relation(0.0, {"duplicate: today": 1.5, "duplicate: now": 1.5}, known) for _ in range(2))
    assert words.weights == {"today": (1.5, 0.0, 0.0, 0.0), "now": (1.5, 0.0, 0.0, 0.0)}
    assert words.weights["today"] is words.weights["now"]
    assert {id(one) for one in words.weights} == {id(one) for one in meaning.weights}


@pytest.mark.parametrize(
    ("old", "new"),
    [("Nora keeps bees.", "诺拉养蜜蜂。"), ("Nora is allergic to milk.", "Nora can't have milk, she gets ill.")],
)
@pytest.mark.parametrize(("odds", "relation"), [(3.0, Relation.DUPLICATE), (2.3, Relation.UNRELATED)])
def test_a_duplicate_that_denies_or_is_in_the_other_language_must_be_surer(
    old: str, new: str, odds: float, relation: Relation
) -> None:
    none = array("f", [0.0] * 8)
    near = array("f", [1.0, 0.0])
    meaning = by_relation(0.0, {"duplicate: *": odds, "unrelated: *": 0.1})
    relations = Relations(meaning=meaning, planes=dict.fromkeys(Relation, none))
    assert judge_relation(relations, said(old), said(old), Meant(near, near, near)).relation is Relation.DUPLICATE
    assert judge_relation(relations, said(old), said(new), Meant(near, near, near)).relation is relation


@pytest.mark.parametrize(
    ("old", "new", "sign"),
    [
        ("My mum is 86.", "User's mother is eighty-six.", "whose equal"),
        ("我妈住绵阳", "User's mother lives in Mianyang.", "whose equal"),
        ("My partner is a nurse.", "My wife works as a nurse.", "whose equal"),
        ("My mother is a nurse.", "My father is a nurse.", "whose differ"),
        ("I have a piano.", "My neighbour has a piano.", "whose added"),
        ("My neighbour has a piano.", "I have a piano.", "whose gone"),
    ],
)
def test_a_person_is_one_person_in_whatever_words(old: str, new: str, sign: str) -> None:
    found = {one for one in relation_features(said(old), said(new)) if one.startswith("[whose") and "×" not in one}
    assert found - {"[whose in part]"} == {f"[{sign}]"}


@pytest.mark.parametrize(
    ("old", "new", "sign"),
    [
        ("I eat fish.", "I don't eat fish.", "denies what stands"),
        ("I eat fish.", "I don't own a car.", "denies what is not told"),
        ("I don't eat fish.", "I eat fish.", "denied what stands"),
        ("I never eat fish.", "I do not eat fish.", "denies what is denied"),
        ("我吃虾", "虾我吃不得", "denies what stands"),
    ],
)
def test_what_is_denied_stands_in_the_other_statement_or_does_not(old: str, new: str, sign: str) -> None:
    assert relation_features(said(old), said(new)).get(f"[{sign}]") == 1.0


def test_by_words_alone_nothing_that_says_else_is_a_duplicate_in_the_other_language() -> None:
    across = judge_relation(leaning(duplicate=9.0), said("Nora keeps bees."), said("Nora 养蜜蜂。"))
    assert across.relation is not Relation.DUPLICATE
