"""What a person supposes and does not state, what says that something changed, and what is told in one breath."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from memd.engine.keep.relation.judge import NOT_MEANT
from memd.engine.keep.talk.amendments import amended, correction_of
from memd.engine.keep.talk.changes import (
    Beside,
    bare,
    change_features,
    question_before,
    says_change,
    says_end,
    says_unchanged,
)
from memd.engine.keep.talk.dates import with_dates
from memd.engine.keep.talk.passing import is_passing
from memd.engine.keep.talk.supposed import is_supposed
from memd.engine.keep.talk.together import together
from memd.model.sessions import Told
from memd.store.keep.learned import Learned
from tests.engine.test_talk import texts, told


@pytest.mark.parametrize(
    "text",
    [
        "rumour has it the canteen closes", "Bea is pregnant, or so Carl says", "my aunt thinks I should sell the car",
        "if I had a garden I'd grow leeks", "I might take up judo one day", "just what we needed", "听说三楼要装修",
        "我同学觉得我该换工作", "要是中了奖我就去环游世界", "想学吉他，又怕坚持不下来", "聽說公司要搬家",
    ],
)  # fmt: skip
def test_what_is_supposed_is_not_stated(text: str) -> None:
    assert is_supposed(text)
    assert texts(f"u: {text}") == []


@pytest.mark.parametrize(
    "text",
    ["my doctor says I should not eat grapefruit", "I play the oboe in Leeds", "医生说我不能吃海鲜", "我在学吉他"],
)
def test_what_somebody_states_is_not_supposed(text: str) -> None:
    assert not is_supposed(text)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("we moved the choir to Mondays", True), ("Kim no longer runs the shop", True), ("电话改成晚上打", True),
        ("我不喝牛奶了", True), ("there are five of us now", False), ("现在每周两次", False),
    ],
)  # fmt: skip
def test_words_of_change_are_known(text: str, ends: bool) -> None:
    assert says_change(text)
    assert says_end(text) is ends


def test_what_only_tells_says_no_change() -> None:
    assert not any(map(says_change, ("My brother plays chess.", "我哥会下象棋。")))


def test_what_is_told_in_one_breath_is_one_statement() -> None:
    said = told("u: so the Polo is gone, I bought a Zoe in Graz")
    assert len(said) == 2
    assert [one.text for one in together(said)] == ["so the Polo is gone, I bought a Zoe in Graz"]
    apart = told("u: The Polo is gone. I bought a Zoe in Graz.")
    assert len(together(apart)) == 2


def test_a_reply_that_needs_its_question_has_it_beside_it() -> None:
    assert texts("a: Still five players?", "u: six, Omar joined") == ["six, Omar joined (still five players)"]
    assert texts("a: Shall I add Omar to the list?", "u: six, Omar joined") == ["six, Omar joined"]


def test_a_statement_knows_what_was_said_right_before_it() -> None:
    said = told(
        "u: The choir is on Mondays.",
        "a: Good. How's the Astra behaving?",
        "u: Sold it in May. I drive a Skoda from Leeds now.",
    )
    assert [(one.text[:9], one.after) for one in said] == [
        ("The choir", ""),
        ("How the A", "Good. How's the Astra behaving?"),
        ("I drive a", "Good. How's the Astra behaving? Sold it in May."),
    ]


def test_nothing_off_the_record_is_said_before_a_statement() -> None:
    said = told("u: off the record: I hate my boss Kim", "u: I play the oboe in Leeds.")
    assert [(one.text, one.after) for one in said] == [("I play the oboe in Leeds.", "")]


def test_a_question_is_right_before_or_a_short_sentence_before() -> None:
    assert question_before("Good. How's the Astra behaving?") == "How's the Astra behaving?"
    assert question_before("还是周三吗？ 不，") == "还是周三吗？"
    assert question_before("Still at Siemens? no, left in May.") == "Still at Siemens?"
    assert question_before("Is it? I sold the Astra to my nephew, who lives in Leeds and needed a car.") == ""
    assert bare("it is on Friday (2026-03-06) now (is it still on Monday)") == "it is on Friday now"


def _beside(share: float, cosine: float | None = None) -> Beside:
    return Beside({}, {}, share, 0.0, cosine, cosine, cosine)


def test_each_memory_is_looked_at_beside_the_others() -> None:
    rows = change_features("it is on Friday now", [_beside(0.5, 0.4), _beside(0.2, 0.6), _beside(0.0, 0.1)])
    assert [row["share, more than others"] for row in rows] == pytest.approx([0.3, -0.3, -0.5])
    assert [row["cosine, more than others"] for row in rows] == pytest.approx([-0.2, 0.2, -0.5])
    assert ["most alike" in row for row in rows] == [False, True, False]
    assert all(row["changes"] for row in rows)
    assert change_features("it is on Friday now", [_beside(0.5)])[0]["share, more than others"] == 0.5


KNOWN = (
    "User's shift starts at 5:10 in the morning.",
    "User drives a grey Opel.",
    "用户每周三去游泳。",
    "用户的领导是老吴。",
)


@pytest.mark.parametrize(
    ("text", "after", "changed"),
    [
        ("my shift starts at 6:20 now", "", 0), ("游泳改成周五了", "", 2), ("不是了，换成韩洁了", "领导还是老吴吗？", 3),
        ("my shift still starts at 5:10", "", None), ("my brother drives a Skoda", "", None), ("这周三没去游泳", "", None),
    ],
)  # fmt: skip
def test_by_words_alone_one_memory_of_several_is_changed_or_none(text: str, after: str, changed: int | None) -> None:
    learned = Learned()
    chances = learned.changes(text, [learned.beside(one, text, after, NOT_MEANT) for one in KNOWN], after)
    assert [n for n, chance in enumerate(chances) if chance >= 0.5] == ([] if changed is None else [changed])


@pytest.mark.parametrize(
    ("turns", "stated"),
    [
        (("a: Still at Siemens?", "u: no, left in May. I'm at Bosch now"), ["left in May (2025-05), I'm at Bosch now"]),
        (("u: Okafor sold the house. We pay Peartree Homes now.",), ["Okafor sold the house, We pay Peartree Homes now."]),
        (("u: Dale left the shop. Also my sister Ana has a cat.",), ["Dale left the shop.", "my sister Ana has a cat."]),
        (("u: I live in Leeds. I work for the city now.",), ["I live in Leeds.", "I work for the city now."]),
    ],
)  # fmt: skip
def test_what_is_so_instead_stands_with_what_ended(turns: tuple[str, ...], stated: list[str]) -> None:
    said = [re.sub(r"20\d\d-05", "2025-05", one.text) for one in together(told(*turns))]
    assert said == stated


@pytest.mark.parametrize("text", ["Priya is still maid of honour", "同样还在网易上班", "same depot as before"])
def test_what_is_still_so_changes_nothing(text: str) -> None:
    assert says_unchanged(text)


@pytest.mark.parametrize(
    "text", ["still at Siemens, but I moved to Munich", "还在网易，转到游戏部了", "we meet on Friday"]
)
def test_what_has_changed_or_is_told_is_not_still_so(text: str) -> None:
    assert not says_unchanged(text)


def test_a_question_tells_which_memory_is_asked_about_and_whether_the_answer_denies_it() -> None:
    asked = [one._replace(asked=share) for one, share in zip([_beside(0.1), _beside(0.1)], (0.6, 0.0), strict=True)]
    rows = change_features("it is the train every day", asked, "Do you still go by bike? no,")
    names = ("asked about", "asked whether still", "asked and denied")
    assert [[name in row for name in names] for row in rows] == [[True] * 3, [False] * 3]


def test_a_value_that_one_memory_alone_has_of_its_kind_is_told() -> None:
    rows = change_features(
        "29 May is what we told them", [_beside(0.0)._replace(kinds=frozenset({"date"})), _beside(0.0)]
    )
    assert ["the only other value of its kind" in row for row in rows] == [True, False]


@pytest.mark.parametrize("text", ["改成瓷砖了", "换成每周三开了"])
def test_a_change_is_not_a_wish_about_a_text(text: str) -> None:
    assert not is_passing(text)
    assert is_passing(text.removesuffix("了")[:2] + "口语一点")


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("the review moved to the 10th", "2026-04-10"), ("release slipped to June", "2026-06"), ("要到8月了", "2026-08"),
        ("评审会挪了，客户说10号上午", "2026-04-10"), ("the lease was extended, till January", "2027-01"),
    ],
)  # fmt: skip
def test_what_was_moved_is_dated_ahead(text: str, date: str) -> None:
    assert date in with_dates(text, datetime(2026, 3, 18, 21, tzinfo=UTC))


@pytest.mark.parametrize("delicate", [("", "health"), ("health", ""), ("health", "money")])
def test_what_is_told_in_one_breath_is_as_delicate_as_either_part(delicate: tuple[str, str]) -> None:
    first = Told("I left the choir", "user", 1, 0.0, (1,), delicate=delicate[0])
    second = Told("now I see a therapist", "user", 1, 0.0, (1,), delicate=delicate[1], follows=True)
    (one,) = together([first, second])
    assert one.delicate == (delicate[0] or delicate[1])


def test_of_two_statements_that_have_such_a_value_the_newer_is_corrected() -> None:
    older = ["The plumber comes on Tuesday.", "The dentist is on Monday.", "I like tea."]
    correction = correction_of("no wait, it's Thursday")
    assert correction is not None
    assert amended(correction, older) == (1, "The dentist is on Thursday.")


@pytest.mark.parametrize("text", ["ok, dinner", "ok the invoice.", "right, holidays", "好，下一题"])
def test_a_word_that_goes_on_to_the_next_thing_is_passing(text: str) -> None:
    assert is_passing(text)


@pytest.mark.parametrize(
    "text",
    [
        "ok I moved to Leeds",
        "right handed",
        "ok vegan since May",
        "好，我搬家了",
        "okay, 17 Elm Road",
        "alright left-handed",
    ],
)
def test_a_fact_behind_such_a_word_is_none(text: str) -> None:
    assert not is_passing(text)
