"""Whom a she or a 他 is taken for, and whom it is not."""

from __future__ import annotations

import pytest

from memd.engine.keep.talk.persons import is_unnamed, named_for, persons_of


def said(*turns: str) -> str:
    known = [one for number, turn in enumerate(turns[:-1], 1) for one in persons_of(turn, number)]
    return named_for(turns[-1], known)[0]


@pytest.mark.parametrize(
    ("turns", "meant"),
    [
        (("My colleague Sue is off sick.", "She has flu."), "Sue has flu."),
        (("I sent the draft to Martina Keane in Ludlow.", "She wants a shorter one."), "Martina Keane wants a shorter one."),
        (("My brother called from Leeds on Tuesday.", "He got the job."), "My brother got the job."),
        (("Help me write to Mateo's teacher, Mateo is upset.", "It is Ms. Fontaine.", "He's dyslexic."), "Mateo's dyslexic."),
        (("My mum lends me her Polo.", "She needs it on Wednesdays."), "My mum needs it on Wednesdays."),
        (("我妈住在厦门。", "但是她想搬回来。"), "但是我妈想搬回来。"),
        (("小王升经理了。", "他下个月搬去深圳。"), "小王下个月搬去深圳。"),
    ],
)  # fmt: skip
def test_who_is_proved_is_named(turns: tuple[str, ...], meant: str) -> None:
    assert said(*turns) == meant


@pytest.mark.parametrize(
    "turns",
    [
        (
            "My colleague Sue's husband is in hospital.",
            "The doctor's put Graham's tablets up because his pulse was racing.",
        ),
        (
            "My colleague Sue's husband is in hospital.",
            "The doctor's put Graham's tablets up.",
            "And he's started on others.",
        ),
        ("Mrs Pritchard says we start at nine.", "Kirsty's mother is moving to Spain and she can't even drive."),
        ("Thanks! Tell Bob that Ann called.", "He owes me."),
        ("公司团建，在罍街吃小龙虾。", "方琪不来了，她周六加班。"),
        ("公司团建，在罍街吃小龙虾。", "方琪说她周六加班。"),
        ("老板今天又骂人了。", "小满最近迷上恐龙。", "他怕黑，晚上睡觉得开小夜灯。"),
        ("老师说要交钱。", "我表姐离婚了，孩子判给她前夫。"),
    ],
)
def test_where_another_may_be_meant_the_word_stays(turns: tuple[str, ...]) -> None:
    assert said(*turns) == turns[-1]


@pytest.mark.parametrize(
    "text", ["She's due on the 9th of March.", "And it goes in for its service.", "他怕黑。", "所以它今年三岁。"]
)
def test_what_begins_with_a_word_for_somebody_else_names_nobody(text: str) -> None:
    assert is_unnamed(text)


@pytest.mark.parametrize("text", ["It's raining again.", "Ines works at the harbour.", "他们搬家了。", "我怕黑。"])
def test_the_weather_and_those_who_are_named_are_told_of_as_they_are(text: str) -> None:
    assert not is_unnamed(text)
