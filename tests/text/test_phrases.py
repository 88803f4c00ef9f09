"""Phrases of a text, and the words that they stand for."""

from __future__ import annotations

import pytest

from memd.text.analysis import as_said, phrases


@pytest.mark.parametrize(
    ("text", "phrase", "said"),
    [
        ("We were happily testing at 10", "happili", "happily"),
        ("We were happily testing at 10", "test at", "testing at"),
        ("We were happily testing at 10", "at 0 $", "at 10 $"),
        ("我周三要带 2 只猫去医院", "0 只 猫", "2 只 猫"),
    ],
)
def test_a_phrase_is_told_in_the_words_that_stand_there(text: str, phrase: str, said: str) -> None:
    assert phrase in phrases(text) or phrase.endswith("$")
    assert as_said(phrase, text) == said


def test_a_phrase_of_another_text_is_told_as_it_is() -> None:
    assert as_said("happili", "nothing of the kind") == "happili"
