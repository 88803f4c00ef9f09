"""The gate: the formula, the bands, the explicit rule, and what a refusal says."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import replace

import pytest

from memd.engine.keep.assess import assess
from memd.engine.keep.gate import check_name, check_value, judge, total_of
from memd.engine.keep.worth import Read, Worth, names_in
from memd.engine.recall.compiled import Compiled
from memd.errors import BadScoreError
from memd.model.memory import Band, Dimension, Kind, Memory, Offered, Rating, Source
from memd.model.settings import GateSettings
from memd.store.keep.learned import Learned

MIDDLE = {one: Rating(5.0, False, "assessed") for one in Dimension}


def given(*values: float) -> dict[Dimension, Rating]:
    return {one: Rating(value, True, "said") for one, value in zip(Dimension, values, strict=True)}


@pytest.mark.parametrize(
    ("values", "total", "band"),
    [
        ((9, 7, 9, 8, 8, 9), 8.5, Band.KEEP),
        ((3, 5, 4, 7, 6, 2), 4.4, Band.DISCARD),
        ((7, 7, 7, 7, 7, 7), 7.0, Band.KEEP),
        ((7, 7, 7, 7, 7, 6), 6.9, Band.BORDERLINE),
        ((7, 7, 7, 7, 6.5, 7), 7.0, Band.KEEP),
        ((5, 5, 5, 5, 5, 5), 5.0, Band.BORDERLINE),
        ((5, 5, 5, 5, 5, 4), 4.9, Band.DISCARD),
        ((0, 0, 0, 0, 0, 0), 0.0, Band.DISCARD),
        ((10, 10, 10, 10, 10, 10), 10.0, Band.KEEP),
    ],
)
def test_the_total_is_weighted_rounded_half_up_and_falls_in_its_band(
    values: tuple[float, ...], total: float, band: Band
) -> None:
    verdict = judge(MIDDLE, given(*values), explicit=False, settings=GateSettings())
    assert (verdict.total, verdict.computed_total, verdict.band) == (total, total, band)
    assert verdict.keep is (band is Band.KEEP)


def test_half_a_tenth_is_rounded_up_and_never_to_even() -> None:
    # 0.1 * 0.5 = 0.05 and 0.1 * 2.5 = 0.25: half up gives 0.1 and 0.3, the binary sum would not.
    assert total_of({**dict.fromkeys(Dimension, 0.0), Dimension.NOVELTY: 0.5}) == 0.1
    assert total_of({**dict.fromkeys(Dimension, 0.0), Dimension.NOVELTY: 2.5}) == 0.3


def test_an_explicit_instruction_raises_to_eight_and_keeps_the_computed_total_beside() -> None:
    verdict = judge(MIDDLE, given(3, 5, 4, 7, 6, 2), explicit=True, settings=GateSettings())
    assert (verdict.total, verdict.computed_total, verdict.keep) == (8.0, 4.4, True)
    high = judge(MIDDLE, given(9, 9, 9, 9, 9, 9), explicit=True, settings=GateSettings())
    assert (high.total, high.computed_total) == (9.0, 9.0)


def test_a_refusal_names_the_weakest_dimensions_and_what_would_change_it() -> None:
    verdict = judge(MIDDLE, given(7, 7, 7, 7, 7, 6), explicit=False, settings=GateSettings())
    assert "total 6.9 is below 7" in verdict.reason
    assert "importance 7 (said)" in verdict.reason
    assert "With importance at 7.3 it would be kept" in verdict.hint
    assert "explicit" in verdict.hint


def test_a_given_value_far_from_the_assessed_one_is_remarked() -> None:
    verdict = judge(MIDDLE, {Dimension.IMPORTANCE: Rating(9.5, True, "said")}, explicit=False, settings=GateSettings())
    assert len(verdict.remarks) == 1
    assert "importance was given as 9.5 and assessed as 5" in verdict.remarks[0]
    near = judge(MIDDLE, {Dimension.IMPORTANCE: Rating(9, True, "said")}, explicit=False, settings=GateSettings())
    assert near.remarks == ()


def test_thresholds_are_settings() -> None:
    strict = replace(GateSettings(), keep_from=9.0)
    assert not judge(MIDDLE, given(9, 7, 9, 8, 8, 9), explicit=False, settings=strict).keep


@pytest.mark.parametrize(("name", "value"), [("weight", 5), ("importance", -0.1), ("importance", 10.1)])
def test_a_score_outside_the_six_or_the_range_is_refused(name: str, value: float) -> None:
    with pytest.raises(BadScoreError):
        check_value(check_name(name), value)


@pytest.mark.parametrize("value", [0, 0.1, 9.9, 10])
def test_both_ends_of_the_range_may_be_given(value: float) -> None:
    assert check_value(check_name("importance"), value) == value


def total(text: str, source: Source, *known: str) -> float:
    role = Compiled()
    for number, one in enumerate(known):
        role.put(Memory(str(number), Kind.SEMANTIC, one))
    return judge(
        assess(Offered(text, source, "", ()), role, Learned().worth), {}, explicit=False, settings=GateSettings()
    ).total


@pytest.mark.parametrize(
    ("text", "source", "keep"),
    [
        ("I'm allergic to sesame and carry an injector.", Source.USER, True),
        ("我对芝麻过敏，出门总带着针剂。", Source.USER, True),
        ("From now on, show me the plan before you touch any file.", Source.USER, True),
        ("以后改动之前先把计划给我看。", Source.USER, True),
        ("We decided to host the forum ourselves because the provider raised its price.", Source.USER, True),
        ("How do I rotate a PDF by ninety degrees?", Source.USER, False),
        ("怎么把文件旋转九十度？", Source.USER, False),
        ("Thanks a lot, that helped!", Source.USER, False),
        ("谢谢，帮大忙了！", Source.USER, False),
        ("The user might be a teacher, judging by the vocabulary.", Source.AGENT, False),
        ("用户可能是老师，纯属猜测。", Source.AGENT, False),
        ('Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nKeyError: 1', Source.TOOL, False),
        ("Suppose we had a thousand users, would this hold?", Source.USER, False),
    ],
)
def test_the_assessor_tells_what_is_worth_keeping(text: str, source: Source, keep: bool) -> None:
    assert (total(text, source) >= 7) is keep


@pytest.mark.parametrize(
    "alike",
    [
        ("I'm vegetarian.", "I am vegetarian.", "User is vegetarian.", "The user is vegetarian."),
        ("I've got two kids.", "I have got two kids.", "I have got 2 kids."),
        ("My brother's a plumber and lives in Cork.", "User's brother's a plumber and lives in Cork."),
        ("I don't drink coffee.", "I do not drink coffee.", "User does not drink coffee.", "I dont drink coffee."),
        ("我不喝咖啡。", "用户不喝咖啡。", "本人不喝咖啡。"),
        ("我的猫今年三岁。", "用户的猫今年3岁。"),
        ("I moved to Graz in 2021.", "User moved to Graz in 2021.", "I moved to Graz in 2019."),
    ],
)
def test_who_says_the_same_in_which_manner_hardly_counts(alike: tuple[str, ...]) -> None:
    totals = [total(one, Source.USER) for one in alike]
    assert max(totals) - min(totals) < 0.5, dict(zip(alike, totals, strict=True))


NOTHING = Read("", "", "", [], [], {})


def test_the_explanation_names_what_a_person_would() -> None:
    learned = Learned()
    told = learned.assess(Offered("I am allergic to sesame.", Source.USER, "", ()), Compiled())
    assert "a health matter" in told[Dimension.IMPORTANCE].basis
    told = learned.assess(Offered("Perhaps the demo is at ten.", Source.USER, "", ()), Compiled())
    assert "“perhaps”" in told[Dimension.IMPORTANCE].basis, "the word that stands there, not its stem"
    plane = array("f", [9.0, 0.0])
    worth = Worth(plane=plane, kinds={"a preference": array("f", [1.0, 0.0]), "thanks": array("f", [0.0, 1.0])})
    assert worth.rated(NOTHING, array("f", [1.0, 0.0])) == (9.0, "for it: reads like a preference +9.0")
    assert worth.rated(NOTHING, array("f", [1.0]))[1] == "little tells whether it matters", "a vector of another model"


def test_what_speaks_against_a_text_is_named_by_a_kind_that_is_not_kept() -> None:
    kinds = {"a matter of health": array("f", [0.8, 0.6]), "a passing state": array("f", [0.0, -1.0])}
    worth = Worth(plane=array("f", [1.0, 4.0]), kinds=kinds)
    against = array("f", [1.0, -0.4])  # likest health, and yet it is not kept
    assert worth.rated(NOTHING, against)[1] == "against it: reads like a passing state -0.6"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("My sister Anna works at NASA.", 2), ("我在Bosch工作", 1), ("下周二要去做MRI检查", 1), ("NHS", 1), ("B型血", 0),
        ("MY SISTER LIVES IN LEEDS", 0), ("we use XMLParser", 0), ("The film is called “Heat”.", 1),
    ],
)  # fmt: skip
def test_names_are_words_with_a_capital_beside_han_as_well_and_not_all_of_a_text_in_capitals(
    text: str, count: int
) -> None:
    assert names_in(text) == count


@pytest.mark.parametrize("text", ["left-handed", "鞋码42"])
def test_a_few_words_that_are_offered_are_judged_more_kindly_than_such_that_are_overheard(text: str) -> None:
    values = {}
    for overheard in (False, True):
        offered = Offered(text, Source.USER, "", (), overheard=overheard)
        values[overheard] = Learned().assess(offered, Compiled())[Dimension.IMPORTANCE].value
    assert values[False] > values[True]


def test_what_is_known_already_is_less_new() -> None:
    text = "The greenhouse thermostat is set to eighteen degrees at night."
    assert total(text, Source.USER, text) < total(text, Source.USER)


@pytest.mark.parametrize(("said", "remarked"), [(9.1, True), (9.0, False), (1.0, False), (0.9, True)])
def test_a_value_is_far_from_the_assessed_one_on_either_side(said: float, remarked: bool) -> None:
    verdict = judge(MIDDLE, {Dimension.NOVELTY: Rating(said, True, "said")}, explicit=False, settings=GateSettings())
    assert bool(verdict.remarks) is remarked


def test_what_a_vector_says_is_reckoned_once() -> None:
    class Counted(list[float]):
        """A plane that counts how often it is gone through."""

        times = 0

        def __iter__(self) -> Iterator[float]:
            self.times += 1
            return super().__iter__()

    plane = Counted([0.5, -2.0])
    worth = Worth(plane=plane, kinds={"a preference": array("f", [1.0, 0.0])})
    assert worth.rated(NOTHING, array("f", [1.0, 0.25])) == (0.0, "little tells whether it matters")
    assert plane.times == 1
