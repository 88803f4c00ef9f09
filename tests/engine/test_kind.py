"""What happened is an episode, what holds is a fact; what is a story's is not the user's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memd.engine.keep.gate import (
    CONSTANT,
    PLAYED,
    STANDS,
    as_meant_for,
    infer_kind,
    kind_of,
    meaning_of,
    of_one_world,
    standing_among,
)
from memd.model.memory import WORLD, Kind, Memory, Rating


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Yesterday the heating failed.", Kind.EPISODIC),
        ("We met Nora at the station.", Kind.EPISODIC),
        ("THE PIPE BROKE in the cellar.", Kind.EPISODIC),
        ("昨天暖气坏了。", Kind.EPISODIC),
        ("The heating is a Vaillant.", Kind.SEMANTIC),
        ("用户养了一只猫。", Kind.SEMANTIC),
    ],
)
def test_a_text_without_a_kind_gets_the_one_it_reads_like(text: str, kind: Kind) -> None:
    assert infer_kind(text) is kind


@pytest.mark.parametrize(
    ("text", "fiction", "world", "kind"),
    [
        ("My name is Orsolo.", False, False, Kind.TRAIT),
        ("My name is Orsolo.", True, True, Kind.SEMANTIC),
        ("OOC: my name is Ben.", True, False, Kind.TRAIT),
        ("The ford is guarded by ravens.", True, True, Kind.SEMANTIC),
        ("The ford is guarded by ravens.", False, False, Kind.SEMANTIC),
        ("*draws his bow* I am lord of the ford.", False, True, Kind.EPISODIC),
        ("以后都叫我大人", False, False, Kind.TRAIT),
        ("以后都叫我大人", True, True, Kind.SEMANTIC),
        ("【场外】以后都用中文回答", True, False, Kind.TRAIT),
        ("（拔出短剑）我是雪原的守夜人。", False, True, Kind.EPISODIC),
    ],
)
def test_what_is_said_in_a_story_is_its_worlds(text: str, fiction: bool, world: bool, kind: Kind) -> None:
    meant = meaning_of(text, "user", "", fiction=fiction)
    assert (meant.world, kind_of(meant, text)) == (world, kind)


def test_a_remark_beside_a_story_makes_it_mixed() -> None:
    assert meaning_of("*he waits by the well* (ooc: my name is Ben)", "user", "", fiction=True).mixed
    assert not meaning_of("(ooc: my name is Ben)", "user", "", fiction=True).mixed


@pytest.mark.parametrize(
    ("source", "validity", "stands"),
    [("user", "", True), ("tool", "", False), ("import", "", False), ("", "short", False)],
)
def test_neither_a_tools_word_nor_what_holds_for_a_while_stands(source: str, validity: str, stands: bool) -> None:
    for text in ("From now on answer in short.", "从现在起回答要简短"):
        assert (meaning_of(text, source, validity, fiction=False).standing is not None) is stands


def test_what_stands_is_worth_keeping_and_what_is_played_is_not() -> None:
    for value, text, then in (
        (5.0, "叫我小禾", STANDS),
        (9.0, "叫我小禾", 9.0),
        (9.0, "*draws his bow* Call me lord.", PLAYED),
    ):
        assert as_meant_for(meaning_of(text, "", "", fiction=False), Rating(value, False, "x")).value == then


def test_only_memories_of_one_world_concern_each_other() -> None:
    own, tale = Memory("own", Kind.SEMANTIC, "a"), Memory("tale", Kind.SEMANTIC, "b", tags=(WORLD,))
    known = {one.id: one for one in (own, tale)}
    assert of_one_world(["own", "tale", "gone"], known, world=False) == ("own",)
    assert of_one_world(["own", "tale"], known, world=True) == ("tale",)


def test_only_constants_that_memd_made_and_that_hold_are_counted() -> None:
    made = Memory("a", Kind.TRAIT, "x", constant=True, inferred=(CONSTANT,))
    memories = [
        made,
        replace(made, inferred=()),
        replace(made, superseded_by="b"),
        replace(made, disabled=True),
        replace(made, constant=False),
    ]
    assert standing_among(memories) == 1
