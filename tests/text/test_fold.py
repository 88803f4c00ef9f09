"""Texts are comparable once they are folded, however they were typed."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from memd.text.characters import MARKS, PIECE_CHARS, fingerprint, fold, squeeze


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("ＡＰＩ", "api"),
        ("㎑", "khz"),  # its letters come to light only in NFKC
        ("Straße", "strasse"),
        ("\u0390", "\u0390"),  # folding takes it apart, NFKC joins it again
        ("\u1fb7", unicodedata.normalize("NFKC", "\u1fb7".casefold())),
        ("カﾞ", "ガ"),
    ],
)
def test_what_looks_alike_is_folded_alike(typed: str, folded: str) -> None:
    assert fold(typed) == folded


def test_every_folded_letter_is_composed_and_stays_as_it_is() -> None:
    letters = [chr(point) for point in range(sys.maxunicode + 1) if chr(point).isalpha()]
    once = [fold(letter) for letter in letters]
    assert [one for one in once if not unicodedata.is_normalized("NFKC", one)] == []
    assert [letter for letter, one in zip(letters, once, strict=True) if fold(one) != one] == []


def test_a_long_text_is_folded_as_a_short_one_is_wherever_it_is_cut() -> None:
    for ahead in range(PIECE_CHARS - MARKS, PIECE_CHARS + 3):
        text = "x" * ahead + "E\u0301" + "é" * 5
        assert fold(text) == "x" * ahead + "é" * 6


def test_blanks_are_one_and_marks_do_not_count() -> None:
    assert squeeze(" Zwei\t\n Wörter\u3000") == "zwei wörter"
    assert fingerprint("It's  OK!") == fingerprint("its ok")
