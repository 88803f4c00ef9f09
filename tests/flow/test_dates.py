"""Dates in digits, through a real daemon: a day brings that day, in either language, and not what shares a digit with it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import Daemon

FACTS = (
    "牙医预约在11月21日",
    "城里的11号线要停运",
    "宿舍在11栋21层",
    "The dentist sees her on the 14th",
    "Rent is due on September 26th",
    "The bus stops at gate 26",
)  # fmt: skip


@pytest.fixture
def asked(daemon: Daemon) -> Daemon:
    daemon.folder.write("main", *FACTS)
    return daemon


def texts(reply: dict[str, Any], key: str = "activated") -> set[str]:
    return {one["text"] for one in reply[key]}


def test_a_chinese_day_does_not_bring_what_shares_a_number_with_it(asked: Daemon) -> None:
    reply = asked.call("trigger", role="main", message="11月21日有什么安排？", explain=True)
    assert FACTS[0] in texts(reply)
    assert not {FACTS[1], FACTS[2]} & (texts(reply) | texts(reply, "refused"))


def test_an_english_day_does_not_bring_another_day_by_its_ending(asked: Daemon) -> None:
    reply = asked.call("trigger", role="main", message="What is due on the 26th?", explain=True)
    assert FACTS[4] in texts(reply)
    assert not {FACTS[3], FACTS[5]} & (texts(reply) | texts(reply, "refused"))


@pytest.mark.parametrize(
    ("query", "found", "marked"),
    [
        ("November 21", FACTS[0], "**11月21日**"),
        ("11月", FACTS[0], "**11月21日**"),
        ('"11月21日"', FACTS[0], "**11月21日**"),
        ('"月21"', FACTS[0], "**月21**"),
        ("the 26th", FACTS[4], "**September 26th**"),
        ("9月26日", FACTS[4], "**September 26th**"),
        ('"26th"', FACTS[4], "26th**"),
        ('"26"', FACTS[5], "**26**"),
    ],
)
def test_search_finds_a_day_in_any_form_and_marks_it(asked: Daemon, query: str, found: str, marked: str) -> None:
    reply = asked.call("search", query=query, role="main")
    assert [hit["snippet"].replace("**", "") for hit in reply["hits"]] == [found]
    assert marked in reply["hits"][0]["snippet"]
