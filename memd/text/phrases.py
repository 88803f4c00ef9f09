"""A text as the phrases it has: words, pairs of words, and runs of up to three characters of Han and its like.

Unlike tokens, nothing is left out: "I", "not" and 了 tell what kind of statement a text is. Figures are one word, so
that what is learned of a date holds for every date.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from memd.text.analysis import stem, words
from memd.text.characters import is_cjk

PHRASES = 1  # raise it when a change alters any phrase: what was learned must be learned anew
READ_CHARS = 2000  # what kind of statement a text is, its beginning tells
BEGIN, END = "^", "$"
_FIGURES = re.compile(r"\d+")


@lru_cache(maxsize=64)
def phrases(text: str) -> frozenset[str]:
    """Return the phrases of a text; `^` and `$` stand for its ends."""
    row = [BEGIN, *map(_word, words(text[:READ_CHARS])), END]
    found = set(row)
    for first, second in pairwise(row):
        found.add(f"{first} {second}")
    for first, second, third in zip(row, row[1:], row[2:], strict=False):
        if is_cjk(second[0]):
            found.add(f"{first} {second} {third}")
    return frozenset(found - {BEGIN, END})


def as_said(phrase: str, text: str) -> str:
    """Return a phrase in the words that stand in a text, not as stems and 0; as it is where it is none of the text."""
    wanted, row = phrase.split(), [BEGIN, *words(text[:READ_CHARS]), END]
    stems = [BEGIN, *map(_word, row[1:-1]), END]
    at = next((at for at in range(len(stems)) if stems[at : at + len(wanted)] == wanted), None)
    return phrase if at is None else " ".join(row[at : at + len(wanted)])


def _word(word: str) -> str:
    return word if is_cjk(word[0]) else stem(_FIGURES.sub("0", word)[:40])
