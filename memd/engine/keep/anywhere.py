"""Whether any of many alternatives stands anywhere in a text: the answer of one expression, found sooner.

`re` tries every alternative at every character. Those that begin at a word's border are tried at borders only, and those
of Han alone not at all where a text is ASCII. Which of them stands there, and where, is not told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memd.text import expressions as re

_BORDER = r"\b"
_OPENS, _CLOSES = "(", ")"


class Anywhere(NamedTuple):
    """Alternatives in up to three expressions; None stands for one that has no alternative."""

    at_border: re.Pattern[str] | None
    rest: re.Pattern[str] | None
    beyond_ascii: re.Pattern[str] | None

    def search(self, text: str) -> bool:
        """Tell whether any alternative stands in a text."""
        return bool(
            (self.at_border is not None and self.at_border.search(text))
            or (self.rest is not None and self.rest.search(text))
            or (self.beyond_ascii is not None and not text.isascii() and self.beyond_ascii.search(text))
        )


def anywhere(*patterns: str, flags: int = 0) -> Anywhere:
    """Return what searches for any of some expressions, which have no groups that are referred to."""
    at_border: list[str] = []
    rest: list[str] = []
    beyond: list[str] = []
    for one in (part for pattern in patterns for part in alternatives(pattern)):
        if one.startswith(_BORDER):
            at_border.append(one.removeprefix(_BORDER))
        else:
            (beyond if one and all(char.isalpha() and not char.isascii() for char in one) else rest).append(one)
    return Anywhere(
        re.compile(rf"\b(?:{'|'.join(at_border)})", flags) if at_border else None,
        re.compile("|".join(rest), flags) if rest else None,
        re.compile("|".join(beyond), flags) if beyond else None,
    )


def alternatives(pattern: str) -> Iterator[str]:
    """Yield what stands between the bars of an expression that are in no group and in no set of characters."""
    depth, begin, at, in_set = 0, 0, 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif in_set:
            in_set = char != "]"
        elif char == "[":
            in_set = True
            at += pattern[at + 1 : at + 2] in ("]", "^")
            at += pattern[at : at + 2] == "^]"
        elif char in (_OPENS, _CLOSES):
            depth += 1 if char == _OPENS else -1
        elif char == "|" and not depth:
            yield pattern[begin:at]
            begin = at + 1
        at += 1
    yield pattern[begin:]
