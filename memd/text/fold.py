"""Make texts comparable: widths and case folded, blanks collapsed.

Source
    Unicode NFKC and full case folding, NFKC once more because folding can undo it (UAX 15, UAX 31).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

PIECE_CHARS = 2000
MARKS = 30  # more combining marks on one letter than any language has (UAX 15, stream-safe text)

_BLANKS = re.compile(r"\s+")
_NOT_WORD = re.compile(r"[\W_]+")


def fold(text: str) -> str:
    """Return the text in NFKC, case folded; 'ＡＰＩ' and 'api' become equal."""
    if text.isascii():
        return text.lower()
    return "".join(_folded(piece) for piece in _pieces(text))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _pieces(text: str) -> Iterator[str]:
    """Yield the text in pieces: normalizing one long run of combining marks costs the square of its length."""
    at = 0
    while len(text) - at > PIECE_CHARS:
        end = at + PIECE_CHARS
        while end > at + PIECE_CHARS - MARKS and unicodedata.combining(text[end]):
            end -= 1
        yield text[at:end]
        at = end
    yield text[at:]


def squeeze(text: str) -> str:
    """Return the folded text with every run of blanks as one space: what keys are matched in."""
    return _BLANKS.sub(" ", fold(text)).strip()


def one_width(text: str) -> str:
    """Return the text in NFKC with every run of blanks as one space, its case as it is."""
    if not text.isascii():
        text = "".join(unicodedata.normalize("NFKC", piece) for piece in _pieces(text))
    return _BLANKS.sub(" ", text).strip()


def fingerprint(text: str) -> str:
    """Return the letters and digits alone: equal for texts that differ only in punctuation and case."""
    return _NOT_WORD.sub("", fold(text))
