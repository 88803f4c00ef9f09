"""Which statements stand for every conversation, and which questions are about all that is known."""

from __future__ import annotations

import pytest

from memd.text.standing import asks_about_all, is_standing


@pytest.mark.parametrize(
    "text",
    [
        "From now on keep answers under ten lines", "Call me Sam", "please always answer in French", "Keep your replies short.",
        "The user wants to be called Doc.", "以后都用中文回答", "叫我老韩就行", "回答尽量简短", "用户希望被称为小满", "从现在起别用表情",
    ],
)  # fmt: skip
def test_an_instruction_for_every_conversation_stands(text: str) -> None:
    assert is_standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "User prefers short answers without bullet points.", "My boss calls me at night.", "She never answers the phone.",
        "Use pnpm, never npm.", "我以后想学画画", "客户回复得很慢", "She asked me to call her Ann.", "用户住在宁波",
    ],
)  # fmt: skip
def test_a_preference_or_a_fact_does_not_stand_for_every_conversation(text: str) -> None:
    assert not is_standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "What do you know about me?",
        "tell me everything you remember about me",
        "你知道我什么",
        "你都记得我哪些事？",
        "我是谁",
        "who am I?",
    ],
)
def test_a_question_about_all_is_known(text: str) -> None:
    assert asks_about_all(text)


@pytest.mark.parametrize(
    "text",
    [
        "What do you know about the mekong?",
        "do you know what time it is",
        "你知道我家猫叫什么吗",
        "who am I meeting today?",
    ],
)
def test_other_questions_are_not_about_all(text: str) -> None:
    assert not asks_about_all(text)
