"""Cut texts to what a model is given: the end of a question, a stored text in windows. Tokens are the model's own.

What something costs grows faster than its length (10 tokens 14 ms, 100 tokens 147 ms), so nothing longer is embedded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from memd.text.characters import CJK

QUESTION_TOKENS = 40
WINDOW_TOKENS = 64
MOST_PIECES = 256  # no window of WINDOW_TOKENS has more characters of Han, or words
_PIECE = re.compile(f"[{CJK}]|[^\\s{CJK}]{{1,16}}|\\s{{1,16}}")
_ENDS = re.compile(r"[.!?。！？;；\n]\s*$")

Count = Callable[[str], int]


def ending(text: str, count: Count, tokens: int = QUESTION_TOKENS) -> str:
    """Return the end of a text that has so many tokens at most."""
    pieces = _PIECE.findall(text)
    least, most = 0, min(len(pieces), MOST_PIECES)
    while least < most:
        middle = (least + most + 1) // 2
        if count("".join(pieces[-middle:])) <= tokens:
            least = middle
        else:
            most = middle - 1
    return "".join(pieces[-max(least, 1) :]).strip()


def windows(text: str, count: Count, most: int, tokens: int = WINDOW_TOKENS) -> list[str]:
    """Return the first windows of a text, each of so many tokens at most, at least one: none that says nothing."""
    return list(_windows(_PIECE.findall(text), count, most, tokens)) or [text.strip()]


def _windows(pieces: list[str], count: Count, most: int, tokens: int) -> Iterator[str]:
    begin = 0
    while begin < len(pieces) and most:
        end = _end(pieces, begin, count, tokens)
        window = "".join(pieces[begin:end]).strip()
        begin = end
        if window:
            most -= 1
            yield window


def _end(pieces: list[str], begin: int, count: Count, tokens: int) -> int:
    """Return where a window ends: with a sentence, where one ends in its second half."""
    least, most = begin + 1, min(len(pieces), begin + MOST_PIECES)
    while least < most:
        middle = (least + most + 1) // 2
        if count("".join(pieces[begin:middle])) <= tokens:
            least = middle
        else:
            most = middle - 1
    if least < len(pieces):
        for end in range(least, begin + (least - begin) // 2, -1):
            if _ENDS.search(pieces[end - 1]):
                return end
    return least
