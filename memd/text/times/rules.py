"""What a rule of a language is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.times.calendar import Interval
from memd.text.times.needed import Needs

HALF = "half"  # what an hour turns by that may be one before noon or after it: dinner at eight


class Kind(Enum):
    """How what a rule finds may join what stands beside it."""

    DAY = "a day, which parts and clock times may narrow"
    SPAN = "complete"
    PART = "a part of a day, nothing alone"
    CLOCK = "a time of day, nothing alone"


Build = Callable[[re.Match[str], datetime], Interval | None]


class Phrase(NamedTuple):
    """A rule as it is written: the pattern in words."""

    kind: Kind
    pattern: str
    build: Build


class Rule(NamedTuple):
    """A pattern and what it means at a moment; a meaning of None is none. `needs`: what a text must have for it."""

    kind: Kind
    pattern: re.Pattern[str]
    build: Build
    needs: Needs = ()


class Atom(NamedTuple):
    """What one rule found, from one character of the text up to another."""

    kind: Kind
    interval: Interval
    begin: int
    stop: int
