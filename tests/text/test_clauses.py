"""The statements of a text: which can stand by themselves, what is left without some, and nothing is lost."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.text import run_on
from memd.text.clauses import clauses, rest_of

TEXTS = st.text(st.sampled_from("ab Ic 我在北,，.。;；!\n'-*and but which 3"), max_size=80)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I live in Hamburg, allergic to peanuts.", ["I live in Hamburg", "allergic to peanuts"]),
        ("I live in Hamburg and I am allergic to nuts.", ["I live in Hamburg", "I am allergic to nuts"]),
        ("User lives in Rome and works at Siemens.", ["User lives in Rome", "works at Siemens"]),
        ("I live in Berlin, Germany.", ["I live in Berlin, Germany"]),
        ("I live in Berlin, near the zoo, and I have a cat.", ["I live in Berlin, near the zoo", "I have a cat"]),
        ("In 2021, I moved to Rome.", ["In 2021, I moved to Rome"]),
        ("Paris, London and Rome are cities.", ["Paris, London and Rome are cities"]),
        ("I use vim. It is fast. She uses emacs.", ["I use vim. It is fast", "She uses emacs"]),
        ("Nora has a dog, a lurcher from the shelter.", ["Nora has a dog, a lurcher from the shelter"]),
        ("- likes tea\n- lives in Rome", ["- likes tea", "- lives in Rome"]),
        ("The build needs e.g. Node 20.", ["The build needs e.g. Node 20"]),
        ("我住在北京，对花生过敏。", ["我住在北京", "对花生过敏"]),
        ("我住在北京，在朝阳区，而且对花生过敏。", ["我住在北京，在朝阳区", "对花生过敏"]),
        ("我叫小王，今年三十岁，在上海工作。", ["我叫小王", "今年三十岁", "在上海工作"]),
        ("用户住在厦门。它靠海。", ["用户住在厦门。它靠海"]),
        ("我在西湖区的书店上班每天骑车过去大概四十分钟", ["我在西湖区的书店上班", "每天骑车过去大概四十分钟"]),
        ("我外婆对头孢过敏住院的时候要跟医生说", ["我外婆对头孢过敏", "住院的时候要跟医生说"]),
        ("用户喜欢在周末的早上去公园跑步", ["用户喜欢在周末的早上去公园跑步"]),
        ("我们周三晚上七点在体育馆打羽毛球", ["我们周三晚上七点在体育馆打羽毛球"]),
        (
            "the bakery is in Leith and the van goes out on Fridays",
            ["the bakery is in Leith", "the van goes out on Fridays"],
        ),
        ("I like fish and the sea", ["I like fish and the sea"]),
        ("我老公姓蒋 还有个小工叫小蒲 德阳来的", ["我老公姓蒋", "个小工叫小蒲 德阳来的"]),
        ("我女儿在重庆读大四 学会计的 她说想考研", ["我女儿在重庆读大四 学会计的", "她说想考研"]),
        ("I live in Berlin and I work at Siemens", ["I live in Berlin", "I work at Siemens"]),
        ("我喜欢 小米手机", ["我喜欢 小米手机"]),
        ("医生给我换了药 缬沙坦不吃了", ["医生给我换了药 缬沙坦不吃了"]),
        ("`x`\n```\na. b\n```\nIt is code.", ["`x`\n```\na. b\n```\nIt is code"]),
    ],
)
def test_a_statement_is_what_can_cease_to_hold_by_itself(text: str, said: list[str]) -> None:
    assert [one.said for one in clauses(text)] == said
    assert [one.digest for one in clauses(text)] == [hashlib.sha256(one.encode()).hexdigest()[:16] for one in said]


@pytest.mark.parametrize(
    ("text", "without", "left"),
    [
        ("I live in Hamburg, allergic to peanuts.", 0, "allergic to peanuts."),
        ("I live in Hamburg, allergic to peanuts.", 1, "I live in Hamburg"),
        ("I live in Hamburg and I am allergic to nuts.", 0, "I am allergic to nuts."),
        ("User lives in Rome and works at Siemens.", 0, "User works at Siemens."),
        ("I'm 40, live in Graz and have two cats.", 0, "I have two cats."),
        (
            "My sister Anna lives in Rome and works at Siemens. She likes tea.",
            0,
            "My sister Anna works at Siemens. She likes tea.",
        ),
        ("I live in Rome, and my sister works at Siemens.", 0, "my sister works at Siemens."),
        ("我住在北京，而且对花生过敏。我有猫。", 0, "我对花生过敏。我有猫。"),
        ("用户住在成都，养了两只猫，平时爱打羽毛球。", 0, "用户养了两只猫，平时爱打羽毛球。"),
        ("我妈住在厦门，喜欢喝茶。", 0, "喜欢喝茶。"),
        ("我住在北京，对花生过敏，喜欢打篮球。", 1, "我住在北京；喜欢打篮球。"),
        ("One is here. Two is here. Three is here.", 1, "One is here. Three is here."),
    ],
)
def test_what_is_left_reads_as_it_was_written_and_says_of_whom(text: str, without: int, left: str) -> None:
    assert rest_of(text, {clauses(text)[without].digest}) == left


@given(TEXTS)
def test_joined_the_statements_are_the_text(text: str) -> None:
    parts = clauses(text)
    assert "".join(one.whole for one in parts) == text
    assert rest_of(text, ()) == text
    assert rest_of(text, {one.digest for one in parts}) == ""


def test_what_cuts_run_on_chinese_is_as_it_was() -> None:
    """Digests of what it cuts stand in people's files."""
    table = hashlib.sha256(Path(run_on.__file__).read_bytes()).hexdigest()
    assert table == "7c32dc1fd35623949c2df7308ab8724ba02d25edd151f98b08f5a6dc5d947cc0", (
        "cut as ever, or what was covered comes back: leave the table, the signs and the bounds alone"
    )


def test_a_part_of_run_on_chinese_ends_alone() -> None:
    whole = "我外婆对头孢过敏住院的时候要跟医生说"
    first, second = clauses(whole)
    assert rest_of(whole, {first.digest}) == second.said
    assert rest_of(whole, {second.digest}) == first.said
