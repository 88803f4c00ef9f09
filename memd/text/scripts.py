"""Which script a character belongs to, as far as cutting words needs to know."""

from __future__ import annotations

import re

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
    cjk = len(_CJK_CHAR.findall(text))
    spaced = len(_LATIN_LETTER.findall(text))
    return cjk / (cjk + spaced) if cjk + spaced else 0.0


def is_chinese(text: str) -> bool:
    """Tell whether so much of a text is Han, Kana or Hangul that it is taken for Chinese."""
    return cjk_share(text) >= CHINESE_SHARE
