"""Make texts comparable: widths and case folded, blanks collapsed.

Source
    Unicode NFKC and full case folding, NFKC once more because folding can undo it (UAX 15, UAX 31).
"""

from __future__ import annotations

import re
import unicodedata

_BLANKS = re.compile(r"\s+")
_NOT_WORD = re.compile(r"[\W_]+")


def fold(text: str) -> str:
    """Return the text in NFKC, case folded; 'ＡＰＩ' and 'api' become equal."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def squeeze(text: str) -> str:
    """Return the folded text with every run of blanks as one space: what keys are matched in."""
    return _BLANKS.sub(" ", fold(text)).strip()


def fingerprint(text: str) -> str:
    """Return the letters and digits alone: equal for texts that differ only in punctuation and case."""
    return _NOT_WORD.sub("", fold(text))
