"""How wide a text is in a terminal, and where it may be broken: between words, in Chinese and Japanese between characters.

Units
    columns of a terminal: two for a wide character (East Asian Width W or F), none for what stands on the one before it.
Source
    Unicode: East Asian Width (UAX 11), line breaking (UAX 14), of which the classes OP and CL as far as people use them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

ELLIPSIS = "…"
OPENING = frozenset("([{（［｛【〔《〈「『“‘")
CLOSING = frozenset(")]}）］｝】〕》〉」』”’,.;:!?，。、；：？！．…%％")
LOOSE = ",;:，；：、—–-("  # what no cut text ends in
HANGUL = (("\u1100", "\u11ff"), ("\u3130", "\u318f"), ("\ua960", "\ua97f"), ("\uac00", "\ud7ff"))
JOINED = ("\u1160", "\u11ff")  # vowels and finals that stand on the consonant before them


class Unit(NamedTuple):
    """A piece of a text that is not broken, from a place in it to another."""

    start: int
    end: int


def width(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) if text.isascii() else sum(map(columns_of, text))


def columns_of(char: str) -> int:
    """Return how many columns a character takes: 0, 1 or 2."""
    if char < "\u0300":
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf") or JOINED[0] <= char <= JOINED[1]:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def units_of(text: str) -> Iterator[Unit]:
    """Yield what a text may be broken into; white space lies between them."""
    start = -1  # of the unit under way
    for at, char in enumerate(text):
        if char.isspace():
            if start >= 0:
                yield Unit(start, at)
            start = -1
        elif start < 0:
            start = at
        elif _may_break(text[at - 1], char):
            yield Unit(start, at)
            start = at
    if start >= 0:
        yield Unit(start, len(text))


def _may_break(before: str, char: str) -> bool:
    """Tell whether a line may end between two characters that no space parts."""
    if not columns_of(char) or char in CLOSING or before in OPENING:
        return False
    return _stands_alone(char) or _stands_alone(before)


def _stands_alone(char: str) -> bool:
    """Tell whether a character is a word's worth by itself: all wide ones but Hangul, which has spaces."""
    return columns_of(char) == 2 and not any(first <= char <= last for first, last in HANGUL)


def short(text: str, columns: int) -> str:
    """Return a text on one line, cut to so many columns behind a word; within it only where no word fits.

    It is indented as it was, and has single spaces otherwise.
    """
    text = text[: len(text) - len(text.lstrip(" "))] + " ".join(text.split())
    if width(text) <= columns:
        return text
    kept = 0
    for one in units_of(text):
        if width(text[: one.end]) > columns - 1:
            break
        kept = one.end
    found = text[:kept].rstrip(LOOSE) if kept else ""
    return (found or _within(text, columns - 1).rstrip()) + ELLIPSIS


def _within(text: str, columns: int) -> str:
    """Return as many characters as fit, each with what stands on it."""
    used = 0
    for at, char in enumerate(text):
        used += columns_of(char)
        if used > columns:
            return text[:at]
    return text


def pieces(text: str, columns: int) -> list[str]:
    """Return a text in pieces of so many columns at most, wherever that breaks it; a path behind a slash."""
    found = []
    while width(text) > columns:
        first = _within(text, columns) or text[:1]
        first = first[: first.rfind("/") + 1] or first  # a path is broken where one of its names ends
        found.append(first)
        text = text[len(first) :]
    return [*found, text]


def broken(text: str, columns: int, hang: int = 0) -> list[Unit]:
    """Return the lines one line of text is broken into, as places; all but the first have `hang` columns less.

    What is longer than a line and has no place to break, an address or a path, stays whole: it can still be copied.
    """
    lines: list[Unit] = []
    start = end = 0
    room = columns
    for one in units_of(text):
        if end > start and width(text[start : one.end]) > room and text[start:end].strip():
            lines.append(Unit(start, end))
            start, room = one.start, columns - hang
        end = one.end
    return [*lines, Unit(start, end)]
