"""Long texts in slices: what a pattern finds in them is what it finds in the whole."""

from __future__ import annotations

import random
import re

import pytest

from memd.text.expressions import LONGEST, REACH_CHARS, SLICE_CHARS, is_in, matches_in

WORDS = ("key: ab12cd34", "aaaa", " ", "\n", "-----BEGIN x", "-----END", "日本", "ab" * 300, "\ud800", "é")
PATTERNS = (r"\bkey: \w+", r"-----BEGIN[\s\S]{0,900}?-----END", r"(?<=a)b+", r"^\S+$", r"[ab]{40,}", r"\b\w+\b(?= )")


def spans(found: object) -> list[tuple[int, int]]:
    return [match.span() for match in found]  # type: ignore[attr-defined]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_slices_find_what_the_whole_text_has(pattern: str) -> None:
    chance = random.Random(pattern)
    compiled = re.compile(pattern, re.MULTILINE)
    for _ in range(30):
        text = "".join(chance.choices(WORDS, k=chance.randrange(400)))
        assert spans(matches_in(compiled, text, 1024)) == spans(compiled.finditer(text))
        assert is_in(compiled, text, 1024) is (compiled.search(text) is not None)


@pytest.mark.parametrize("at", [*range(SLICE_CHARS - 12, SLICE_CHARS + 2), SLICE_CHARS + REACH_CHARS - 4])
def test_what_lies_across_a_border_is_found_whole(at: int) -> None:
    text = "." * at + "token_123456" + "." * 9000
    assert spans(matches_in(re.compile(r"token_\d+"), text)) == [(at, at + 12)]
    assert is_in(re.compile(r"token_\d{6}"), text)


def test_a_match_may_go_on_over_many_slices() -> None:
    text = "." * 4000 + "a" * (LONGEST - 5000) + "." * 9000 + "aa"
    assert spans(matches_in(re.compile("a+"), text)) == [(4000, LONGEST - 1000), (len(text) - 2, len(text))]
