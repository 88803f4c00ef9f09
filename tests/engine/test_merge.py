"""Merging records: what only one side touched takes that side's form, a person's edit stands, nothing vanishes."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from memd.engine.merge import diff, equal, merge_changes, merge_record, undone
from memd.formats.role_memory import Document
from memd.formats.role_reader import load
from memd.model.change import Change
from memd.model.memory import Kind

E = Kind.EPISODIC
STATES: list[dict[str, Any] | None] = [
    None,
    {"id": "x", "content": "a"},
    {"id": "x", "content": "b"},
    {"id": "x", "content": "a", "k": 1},
    {"id": "x", "content": "a", "k": None},
]


def document(*records: dict[str, Any] | None) -> Document:
    return load(json.dumps({"episodic": [one for one in records if one]}).encode(), "f", "r").document


def change(before: dict[str, Any] | None, after: dict[str, Any] | None) -> Change:
    return Change("r", E, "x", before, after)


def standing(merged: Document) -> dict[str, Any] | None:
    return next((element.value() for _, element in merged.elements()), None)


def test_every_change_on_what_it_was_made_for_gives_what_was_wanted() -> None:
    for before, after in itertools.permutations(STATES, 2):
        merged = merge_changes(document(before), [change(before, after)])
        assert equal(standing(merged.document), after), (before, after)
        assert not merged.conflicts


def test_merging_twice_is_merging_once_for_every_chain_of_three() -> None:
    for chain in itertools.product(STATES, repeat=4):
        changes = [change(one, two) for one, two in itertools.pairwise(chain)]
        for reached in range(4):
            # A crash came after any of them was in the file: redo brings the last, without a conflict.
            merged = merge_changes(document(chain[reached]), changes)
            if reached == 0 or chain[reached] is not None:
                assert equal(standing(merged.document), chain[3]) or merged.conflicts == ()
            again = merge_changes(merged.document, changes)
            assert again.document.dump() == merged.document.dump()


def test_what_was_done_on_top_of_an_edit_and_stands_is_not_set_against_what_was_done_before_it() -> None:
    """A kill came after both were in the file; a person had edited in between."""
    ours = [change({"id": "x", "content": "a"}, {"id": "x", "content": "b"})]
    ours += [change({"id": "x", "content": "c", "k": 1}, {"id": "x", "content": "d", "k": 1})]
    merged = merge_changes(document({"id": "x", "content": "d", "k": 1}), ours)
    assert equal(standing(merged.document), {"id": "x", "content": "d", "k": 1})
    assert not merged.conflicts


def test_a_state_that_was_made_a_second_time_on_top_of_an_edit_is_not_taken_on_to_what_followed_the_first() -> None:
    """A kill came after all were in the file; a person had edited before the last."""
    a, b, c, d = ({"id": "x", "content": text} for text in "abcd")
    merged = merge_changes(document(b), [change(a, b), change(b, c), change(d, b)])
    assert equal(standing(merged.document), b)
    assert not merged.conflicts


@pytest.mark.parametrize(
    ("before", "after", "now", "expected", "conflict"),
    [
        ({"c": 1, "d": 1}, {"c": 2, "d": 1}, {"c": 1, "d": 9}, {"c": 2, "d": 9}, ""),
        ({"c": 1}, {"c": 2}, {"c": 3}, {"c": 3}, "c changed on both sides"),
        ({"c": 1}, {"c": 2}, {"c": 2}, {"c": 2}, ""),
        ({"c": 1, "d": 1}, {"c": 1}, {"c": 1, "d": 1, "e": 1}, {"c": 1, "e": 1}, ""),
        ({"c": 1}, {"c": 2}, None, None, "it was removed meanwhile"),
        ({"c": 1}, None, {"c": 2}, {"c": 2}, "it was edited meanwhile, so it stays"),
        ({"c": 1}, None, {"c": 1}, None, ""),
        ({"c": 1, "d": 2}, None, {"d": 2, "c": 1}, None, ""),
        (None, {"c": 1}, {"c": 5}, {"c": 5}, ""),
        ({"c": True}, {"c": 1}, {"c": True}, {"c": 1}, ""),
    ],
)
def test_a_record_is_merged_key_by_key(before: Any, after: Any, now: Any, expected: Any, conflict: str) -> None:
    assert merge_record(before, after, now) == (expected, conflict)


def test_the_difference_of_two_documents_leads_from_one_to_the_other() -> None:
    for one, other in itertools.product(STATES, repeat=2):
        merged = merge_changes(document(one), diff(document(one), document(other), "r"))
        assert equal(standing(merged.document), other)


def test_an_outdated_save_is_known_by_what_it_takes_back() -> None:
    new, old = {"id": "x", "content": "new"}, {"id": "x", "content": "old"}
    assert undone(document(), [change(None, new)]) == [change(None, new)]
    assert undone(document(old), [change(old, new)]) == [change(old, new)]
    assert undone(document(old), [change(old, None)]) == [change(old, None)]
    assert undone(document(new), [change(old, new)]) == []
    assert undone(document({"id": "x", "content": "edited"}), [change(old, new)]) == [], "an edit is no outdated save"
    chain = [change(None, old), change(old, new)]
    assert undone(document(), chain) == chain
    assert undone(document(), [change(None, old), change(old, None)]) == []


def test_an_erasure_removes_whatever_was_edited_meanwhile() -> None:
    firm = Change("r", E, "x", None, None, firm=True)
    merged = merge_changes(document({"id": "x", "content": "edited"}), [firm])
    assert standing(merged.document) is None
    assert not merged.conflicts


@pytest.mark.parametrize("standing_before", [None, {"id": "x", "content": "told"}, {"id": "x", "content": "edited"}])
def test_what_is_made_anew_after_an_erasure_stands_in_the_place_of_what_was_erased(standing_before: Any) -> None:
    firm, anew = Change("r", E, "x", None, None, firm=True), change(None, {"id": "x", "content": "anew"})
    extended = change(anew.after, {"id": "x", "content": "anew", "tags": ["tea"]})
    for chain, wanted in (([firm, anew], anew.after), ([firm, anew, extended], extended.after)):
        merged = merge_changes(document(standing_before), chain)
        assert standing(merged.document) == wanted
        assert not merged.conflicts
        assert standing(merge_changes(merged.document, chain).document) == wanted


def test_a_person_who_writes_true_for_one_has_changed_a_record() -> None:
    one, true, other = ({"id": "x", "content": "a", "k": value} for value in (1, True, 2))
    assert not equal(one, true)
    assert [found.after for found in diff(document(one), document(true), "r")] == [true]
    merged = merge_changes(document(true), [change(one, other)])
    assert equal(standing(merged.document), true), "a person's edit stands"
    assert [conflict.change.after for conflict in merged.conflicts] == [other]
