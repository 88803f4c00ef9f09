"""What a message is doing, and the words of it that are asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.text.acts import MOST_UNITS, askings, read_message, units_of

TRACE = """since the deploy every export dies, any idea?
Traceback (most recent call last):
  File "/srv/app/export.py", line 41, in run
    rows = source.fetch(batch)
sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached"""
LETTER = """Dear all, the lift in the north wing is out of order until Friday. Please use the stairs by the canteen. The post
room closes at noon. Parcels for the second floor are kept at the porter's desk, where you can also borrow the trolley. The
summer party is moved to the courtyard; bring your own glass. Parking in row C is reserved for the caterers until the evening.
Could you put this into two friendly sentences for me?"""


@pytest.mark.parametrize(
    ("message", "acts"),
    [
        ("Where did I leave the spare key?", {"asks", "own"}),
        ("我把备用钥匙放哪儿了", {"asks", "own"}),
        ("rename the variable to total", {"orders"}),
        ("帮我把这个变量改个名", {"orders", "own"}),
        ("Thanks, that was quick!", {"courtesy"}),
        ("谢谢，辛苦了", {"courtesy"}),
        ("My sister is coming on Sunday.", {"own"}),
        ("do you remember which paint we used", {"asks", "own", "reader"}),
        (TRACE, {"asks", "pastes", "complains"}),
    ],
)
def test_acts_are_told_apart(message: str, acts: set[str]) -> None:
    said = read_message(message)
    names = ("asks", "orders", "pastes", "complains", "own", "reader", "courtesy")
    assert {name for name in names if getattr(said, name)} == acts


def test_of_a_trace_the_speaker_s_words_and_the_complaint_are_asked() -> None:
    said = read_message(TRACE)
    assert said.question.startswith("since the deploy every export dies, any idea?")
    assert "QueuePool limit" in said.question
    assert "export.py" not in said.question
    assert "export.py" in said.handed


def test_of_a_letter_only_the_request_at_its_end_is_asked() -> None:
    said = read_message(LETTER.replace("\n", " "))
    assert said.question == "Could you put this into two friendly sentences for me?"
    assert said.pastes
    assert "trolley" in said.handed


def test_what_stands_before_a_rule_of_dashes_is_handed_over() -> None:
    letter = "各位业主：因管网检修，本周四早上九点到下午四点三号楼到七号楼停水，请提前储水，关好水龙头，养鱼的住户请自备增氧泵，谢谢配合。"
    said = read_message(f"{letter} —— 这个跟我有关系吗")
    assert said.question == "这个跟我有关系吗"
    assert "增氧泵" in said.handed


def test_code_in_fences_and_long_quotes_are_not_the_speaker_s() -> None:
    said = read_message("why does this print nothing?\n```python\nfor dog in kennel:\n    feed(dog)\n```")
    assert said.question == "why does this print nothing?"
    assert "feed(dog)" in said.handed


def test_of_much_talk_the_last_question_is_asked() -> None:
    talk = "So I went to the market this morning. " * 3 + "Which bus goes to Anna's again? Anyway, it was lovely."
    assert "Which bus goes to Anna's again?" in read_message(talk).question


@pytest.mark.parametrize("message", ["", " \n ", "?", "```", "```\n```", "—— ——", "𠮷" * 9000, "a" * 30_000, "{" * 500])
def test_any_message_has_a_short_question(message: str) -> None:
    assert units_of(read_message(message).question) <= MOST_UNITS + 1


@given(st.text(max_size=400))
def test_every_text_is_read(message: str) -> None:
    assert units_of(read_message(message).question) <= MOST_UNITS + 1


@pytest.mark.parametrize(
    ("message", "apart"),
    [
        ("What is my boat called? And which nuts am I allergic to?", 2),
        ("我的船叫什么名字？我对什么过敏？", 2),
        ("Hi Sam! Where do I park at work? What time does the canteen close?", 2),
        ("What is my boat called? And how old is it?", 1),  # the second is understood with the first alone
        ("我姐姐叫什么？她住哪儿？", 1),
        ("What is my boat called?", 0),
        ("I sold my boat. What was it called?", 0),
        ("Fix the test. Why does it fail? And what does the log say?", 0),
        (TRACE + "\nwhere do we set the pool size? and who owns the export?", 0),
        ("Who? What? Where? When? Why?", 0),
        ("what is my boat called\nwhich nuts am I allergic to", 2),
        ("Hello there\nWhat is my boat called? Where do I park?", 2),
        ("I moved to Ghent in May\nWhere do I park? And when is my bin day?", 2),
        ("我的船叫什么\n我对什么过敏", 2),
        ("What is my boat called? And where is that moored?", 1),
        ("What is my brother called? What about my sister's?", 1),
        ("那艘船是什么颜色的？我的车停在哪里？", 1),
        ("我妈妈什么时候做她的手术？我的车停哪儿？", 2),
        ("When does my sister have her surgery? Where's my car?", 2),
        ("Have you had lunch? What is my boat called?", 1),
        ("Had a great weekend with Omar in Ghent. What is my boat called?", 0),
        ("没什么大不了的事。我的车停在哪里？", 0),
        ("给我妈买的药叫什么名字？我的车停在哪里？", 2),
        ("Where do I live? Where do I work? What do I drive? What do I drink? Whom do I call?", 4),
    ],
)
def test_questions_of_one_message_are_asked_apart_where_they_stand_by_themselves(message: str, apart: int) -> None:
    found = askings(message)
    assert len(found) == apart, found
    assert all(one in message for one in found)
