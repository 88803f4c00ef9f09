"""What of a text is embedded: the end of a question, the first windows of a stored text."""

from __future__ import annotations

import pytest

from memd.storage.embedding.desk import ending, windows


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
