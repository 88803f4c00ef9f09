"""How a text is cut: a date in digits is one token, and its digits are no words."""

from __future__ import annotations

import pytest

from memd.text.analysis import PIECE, query_tokens, tokens, words


@pytest.mark.parametrize(
    "text",
    [
        "11月21日", "2026年11月21日", "１１月２１号", "2026 年 11 月 21 日", "2026-11-21", "2026/11/21", "Nov 21", "nov. 21st",
        "November 21, 2026", "21 November", "the 21st of November 2026", "2026-11-21T10:00:00Z",
    ],
)  # fmt: skip
def test_a_day_is_one_token_in_whatever_form_it_stands(text: str) -> None:
    assert "11-21" in tokens(text)
    assert "11-21" in query_tokens(text)
    assert not {"11", "21", "st", "月", "日"} & {*tokens(text), *query_tokens(text)}


def test_a_year_makes_a_day_a_day_of_that_year() -> None:
    assert "2026-11-21" in tokens("2026年11月21日")
    assert "2026-11-21" in query_tokens("November 21st, 2026")
    assert not any(one.startswith("2026") for one in tokens("November 21st"))


@pytest.mark.parametrize(("text", "wider"), [("11月21日", "11月"), ("Nov 21", "November"), ("2026-11-21", "2026")])
def test_a_text_is_found_by_a_wider_time_but_does_not_ask_by_it(text: str, wider: str) -> None:
    assert set(query_tokens(wider)) <= set(tokens(text))
    assert not set(query_tokens(wider)) & set(query_tokens(text))


def test_an_ordinal_is_one_word() -> None:
    assert tokens("the 26th") == ["26th"]
    assert tokens("26日") == ["26th"]
    assert tokens("the 101st visitor") == ["101st", "visitor"]


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("11号线", "11"), ("13月45日", "13"), ("chapter 2 may help", "2"), ("March 5pm", "5"), ("3个月", "3"), ("v1.2.3", "2"),
        ("10.5月", "10.5"),
    ],
)  # fmt: skip
def test_what_is_no_date_keeps_its_digits(text: str, held: str) -> None:
    assert held in tokens(text)


def test_the_words_around_a_date_are_as_they_were() -> None:
    assert tokens("看牙 11月21日 dentist", unigrams=False) == ["看牙", "11-21", "11月", "21st", "dentist"]


@pytest.mark.parametrize("mark", ["\n", "。", ". ", " "])
def test_a_long_text_is_cut_where_no_word_is_cut(mark: str) -> None:
    lines = [f"kiln {n}x 陶艺工作室" for n in range(3 * PIECE // 20)]
    text = mark.join(lines)
    assert len(text) > 2 * PIECE
    assert tokens(text) == [token for line in lines for token in tokens(line)]
    assert words(text) == [word for line in lines for word in words(line)]


def test_a_long_text_without_a_place_to_cut_is_read_to_its_end() -> None:
    text = "'" * (3 * PIECE) + "kiln"
    assert tokens(text) == words(text) == ["kiln"]
