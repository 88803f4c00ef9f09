"""What a person supposes and does not state, what says that something changed, and what is told in one breath."""

from __future__ import annotations

import pytest

from memd.engine.keep.talk.changes import Beside, bare, change_features, question_before, says_change, says_end
from memd.engine.keep.talk.supposed import is_supposed
from memd.engine.keep.talk.together import together
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


def test_only_a_question_right_before_is_one() -> None:
    assert question_before("Good. How's the Astra behaving?") == "How's the Astra behaving?"
    assert question_before("还是周三吗？ 不，") == "还是周三吗？"
    assert question_before("Is it? I sold the Astra to my nephew.") == ""
    assert bare("it is on Friday (2026-03-06) now (is it still on Monday)") == "it is on Friday now"


def _beside(share: float, cosine: float | None = None) -> Beside:
    return Beside({}, {}, share, 0.0, cosine, cosine)


def test_each_memory_is_looked_at_beside_the_others() -> None:
    rows = change_features("it is on Friday now", [_beside(0.5, 0.4), _beside(0.2, 0.6), _beside(0.0, 0.1)])
    assert [row["share, more than others"] for row in rows] == pytest.approx([0.3, -0.3, -0.5])
    assert [row["cosine, more than others"] for row in rows] == pytest.approx([-0.2, 0.2, -0.5])
    assert ["most alike" in row for row in rows] == [True, False, False]
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
    chances = learned.changes(text, [learned.beside(one, text, after, (None, None, None)) for one in KNOWN])
    assert [n for n, chance in enumerate(chances) if chance >= 0.5] == ([] if changed is None else [changed])
