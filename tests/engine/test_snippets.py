"""The words of a text that were meant, as they are written."""

from __future__ import annotations

import pytest

from memd.engine.recall.snippets import words_of


@pytest.mark.parametrize(
    ("text", "terms", "shown"),
    [
        ("She is allergic to Peanuts; peanuts again.", ("allerg", "peanut"), ["allergic", "Peanuts"]),
        ("豆包怕打雷，躲到床底下。", ("豆包", "怕打", "打雷", "床底"), ["豆包怕打雷", "床底"]),
        ("She found the red-green lamp; red it was.", ("red", "green"), ["red-green"]),
        ("His doctor moved.", ("doctor", "clinic"), ["doctor", "clinic"]),
        ("Nothing of it.", (), []),
    ],
)
def test_shared_terms_are_told_as_the_text_writes_them(text: str, terms: tuple[str, ...], shown: list[str]) -> None:
    assert words_of(text, terms) == shown
