"""The quoted strings of a piece of code, whatever its language: Python, JavaScript, Ruby, Perl, PHP, PowerShell, jq.

A quote that is opened and never closed is none. Cost is linear: where one quote of a kind finds no end, those of its
kind up to there need not look for theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_QUOTE = re.compile(r"\"\"\"|'''|[\"'`«]")
_BODY = {quote: re.compile(rf"(?:[^{quote}\\]++|\\.)*+") for quote in "\"'`"}


class Literal(NamedTuple):
    """A quoted string: where it stands with its quotes, and what is between them, as it is written."""

    start: int
    stop: int
    said: str


def literals_in(code: str, quotes: str = "\"'`") -> Iterator[Literal]:
    """Yield the strings of a piece of code in order; `quotes`: those it knows, three in a row included."""
    barred: dict[str, int] = {}  # up to where a quote of a kind has no end
    at = 0
    while match := _QUOTE.search(code, at):
        start, at, mark = match.start(), match.start() + 1, match[0]
        if mark[0] not in quotes:
            continue
        for quote in (mark, mark[0]) if len(mark) == 3 else (mark,):
            stop = -1 if start < barred.get(quote, 0) else _end(code, start, quote, barred)
            if stop >= 0:
                yield Literal(start, stop, code[start + len(quote) : stop - (len(quote))])
                at = stop
                break


def _end(code: str, start: int, quote: str, barred: dict[str, int]) -> int:
    """Return where a string ends, its quote included; -1 where it does not."""
    begin = start + len(quote)
    if len(quote) == 3 or quote == "«":
        found = code.find("»" if quote == "«" else quote, begin)
        if found < 0:
            barred[quote] = len(code)
        return found + len(quote) if found >= 0 else -1
    body = _BODY[quote].match(code, begin)
    stop = body.end() if body else begin
    if code.startswith(quote, stop):
        return stop + 1
    barred[quote] = max(stop, begin)
    return -1
