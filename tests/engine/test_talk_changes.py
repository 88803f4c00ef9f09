"""What a person supposes and does not state, what says that something changed, and what is told in one breath."""

from __future__ import annotations

import pytest

from memd.engine.keep.talk.changes import says_change, says_end
from memd.engine.keep.talk.supposed import is_supposed
from memd.engine.keep.talk.together import together
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
