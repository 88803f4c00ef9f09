"""What characters are: in widths and cases made equal, of which script, and how many tokens they take."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from memd.text import expressions as re
from memd.text.simplified import simplified

# Make texts comparable: widths and case folded, Chinese in simplified characters, blanks collapsed.
#
# Source
#     Unicode NFKC and full case folding, NFKC once more because folding can undo it (UAX 15, UAX 31).

PIECE_CHARS = 2000
MARKS = 30  # more combining marks on one letter than any language has (UAX 15, stream-safe text)

_BLANKS = re.compile(r"\s+")
_HAN = re.compile("[\u4e00-\u9fff]")
_NOT_WORD = re.compile(r"[\W_]+")


def fold(text: str) -> str:
    """Return the text in NFKC, case folded, in simplified characters; 'ＡＰＩ' and 'api' become equal, and 貓 and 猫."""
    if text.isascii():
        return text.lower()
    folded = "".join(_folded(piece) for piece in _pieces(text))
    return simplified(folded) if _HAN.search(folded) else folded  # of a quotation mark alone nothing is simplified


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


CHINESE_SHARE = 0.3  # of its letters, from which a text is Chinese

# Han, Kana, Hangul and their extensions: scripts that put no spaces between words, or that bigrams serve better.
CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30ff\u3100-\u312f\u3131-\u318e"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_CJK_CHAR = re.compile(f"[{CJK}]")
_LATIN_LETTER = re.compile(f"[^\\W_{CJK}]")


def is_cjk(char: str) -> bool:
    """Tell whether this one character is Han, Kana or Hangul."""
    return char >= "\u2e80" and _CJK_CHAR.match(char) is not None


def is_spaced_letter(char: str) -> bool:
    """Tell whether this character is a letter or digit of a script that separates its words."""
    return _LATIN_LETTER.match(char) is not None


def cjk_share(text: str) -> float:
    """Return the share (0 to 1) of letters that are Han, Kana or Hangul."""
    if text.isascii():
        return 0.0
    cjk = len(_CJK_CHAR.findall(text))
    spaced = len(_LATIN_LETTER.findall(text))
    return cjk / (cjk + spaced) if cjk + spaced else 0.0


def is_chinese(text: str) -> bool:
    """Tell whether so much of a text is Han, Kana or Hangul that it is taken for Chinese."""
    return cjk_share(text) >= CHINESE_SHARE


# How many tokens a text takes, roughly, where no tokenizer is at hand.
#
# Source
#     Rule of thumb of the common tokenizers: four letters of a spaced script or one Han character make a token; what is
#     estimated is rounded up, so that a budget is rather kept than broken.

_CJK = re.compile(f"[{CJK}]")
LETTERS = 4


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text takes."""
    wide = len(_CJK.findall(text))
    return wide + -(-(len(text) - wide) // LETTERS)
