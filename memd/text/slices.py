"""A pattern searched in a long text, some thousand characters at a time.

A call of `re` keeps the interpreter to itself until it ends, in whatever thread it runs. In slices, other threads have
their turn between two calls; what lies across a border is found whole, because every slice reaches over the next.

Units
    Characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

SLICE_CHARS = 4096
REACH_CHARS = 512  # over the border: longer than what a pattern needs to begin with, and to look at behind it
LONGEST = 32_768  # of one match


def matches_in(pattern: re.Pattern[str], text: str, reach: int = REACH_CHARS) -> Iterator[re.Match[str]]:
    """Yield what `pattern.finditer(text)` would, no call looking at more than a slice and its reach.

    A match that ends where its call had to stop is matched once more with room for LONGEST characters. The pattern may
    not match the empty text.
    """
    at, size = 0, len(text)
    while at < size:
        border = at + SLICE_CHARS
        stop = min(size, border + reach)
        for match in pattern.finditer(text, at, stop):
            if match.start() >= border:
                break
            whole = match if match.end() < stop or stop == size else pattern.match(text, match.start(), stop + LONGEST)
            if whole is not None:
                yield whole
                at = whole.end()
        at = max(at, border)


def is_in(pattern: re.Pattern[str], text: str, reach: int = REACH_CHARS) -> bool:
    """Tell whether a pattern is found anywhere in a text, in calls of at most a slice and its reach."""
    size = len(text)
    starts = range(0, max(size, 1), SLICE_CHARS)
    return any(pattern.search(text, at, min(size, at + SLICE_CHARS + reach)) for at in starts)


def without(pattern: re.Pattern[str], text: str, reach: int = REACH_CHARS) -> str:
    """Return a text without what a pattern matches in it, in calls of at most a slice and its reach."""
    parts, at = [], 0
    for match in matches_in(pattern, text, reach):
        parts.append(text[at : match.start()])
        at = match.end()
    return "".join([*parts, text[at:]]) if at else text
