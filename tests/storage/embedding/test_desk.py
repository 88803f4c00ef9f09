"""What of a text is embedded: the end of a question, the first windows of a stored text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from memd.storage.embedding.desk import TOLD_TOKENS, WINDOW_TOKENS, Desk, ending, windows
from memd.storage.embedding.wire import Embed


def words(text: str) -> int:
    """A token a word, or a character of Han."""
    return sum(1 if one.isascii() else len(one) for one in text.split())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("who is it?", "who is it?", id="a short question stays whole"),
        pytest.param("one two three four five six", "three four five six", id="of a long one the end counts"),
        pytest.param("一二三四五六", "三四五六", id="of Han each character counts"),
        pytest.param("x" * 80, "x" * 80, id="a word cannot be cut by words"),
        pytest.param("", "", id="nothing is nothing"),
    ],
)
def test_a_question_keeps_its_end(text: str, found: str) -> None:
    assert ending(text, words, 4) == found


@pytest.mark.parametrize(
    ("text", "most", "found"),
    [
        pytest.param("a b c", 4, ["a b c"], id="a short text is one window"),
        pytest.param("a b c d e f g h i", 4, ["a b c d", "e f g h", "i"], id="a longer one several"),
        pytest.param("a b c d e f g h i", 2, ["a b c d", "e f g h"], id="at most so many"),
        pytest.param(
            "a b c. d e f g", 4, ["a b c.", "d e f g"], id="a window ends with a sentence that ends late in it"
        ),
        pytest.param("a. b c d e f", 4, ["a. b c d", "e f"], id="not with one that ends early"),
        pytest.param("一二三。四五六七", 4, ["一二三。", "四五六七"], id="a sentence of Han as well"),
        pytest.param("", 4, [""], id="nothing is one window of nothing"),
        pytest.param("  \n ", 4, [""], id="blanks are nothing"),
    ],
)
def test_a_stored_text_is_cut_into_windows(text: str, most: int, found: list[str]) -> None:
    assert windows(text, words, most, 4) == found


def test_no_window_is_longer_than_it_may_be_and_none_loses_a_word() -> None:
    text = " ".join(f"w{n}" + ("." if n % 7 == 0 else "") for n in range(500))
    cut = windows(text, words, 1000, 13)
    assert max(map(words, cut)) <= 13
    assert " ".join(cut) == text


class Lengths:
    """A model that knows of a text how many words it has, and what it was given."""

    key = name = "lengths"
    chinese, batch = True, 1

    def __init__(self) -> None:
        self.given: list[str] = []

    def tokens(self, text: str) -> int:
        return words(text)

    def passages(self, texts: Sequence[str]) -> Any:
        self.given += texts
        return np.array([[words(one), 1.0] for one in texts], dtype=np.float32)

    questions = passages

    def release(self) -> None:
        pass


def test_of_statements_the_first_windows_are_embedded_as_many_as_there_is_time_for() -> None:
    desk, long = Desk(model := Lengths(), None, None), "one two three. " * 60
    asked = [long, "a b", "c", "d"]
    none_left, _ = desk.statements(Embed(1, asked, 0))
    assert set(none_left) == {0, 1}, "two are embedded side by side, whatever the time is"
    assert sorted(model.given) == sorted([windows(long, words, 1)[0], "a b"]), "nothing is embedded that nobody reads"
    found, turned = desk.statements(Embed(2, asked, 60_000, 0))
    assert set(found) == {0, 1, 2, 3}
    assert len(model.given) == len(asked), "each of them once"
    assert {at: found[at] for at in none_left} == none_left
    assert turned == {}, "there is no turn for this model"


def test_of_what_is_told_less_is_embedded_than_of_what_it_is_compared_with() -> None:
    desk, long = Desk(model := Lengths(), None, None), "one two three. " * 60
    desk.statements(Embed(1, [long, "a b", long], 60_000, 2))
    assert sorted(map(words, model.given)) == sorted(
        [*(words(windows(long, words, 1, n)[0]) for n in (TOLD_TOKENS, WINDOW_TOKENS)), 2]
    )
    desk.statements(Embed(2, [long], 60_000, 1))
    assert len(model.given) == 3, "what was told before is known"


def test_what_is_told_is_turned_towards_what_is_of_one_matter_with_it() -> None:
    turn = np.array([[0.0, 2.0], [0.0, 0.0]], dtype=np.float32)
    found, turned = Desk(Lengths(), None, None, turn).statements(Embed(1, ["a b", "c"], 60_000, 1))
    assert [np.frombuffer(one, dtype=np.float32).round(1).tolist() for one in found.values()] == [[2, 1], [1, 1]]
    assert {at: np.frombuffer(one, dtype=np.float32).round(1).tolist() for at, one in turned.items()} == {0: [2, 5]}
