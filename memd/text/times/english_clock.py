"""What an English time of day means: an hour from it on, or a range; by twelve hours where nothing says which half is meant."""

from __future__ import annotations

import re
from datetime import datetime

from memd.text.times import calendar as cal
from memd.text.times.calendar import Interval
from memd.text.times.english_meaning import number_word
from memd.text.times.rules import HALF


def clock(found: re.Match[str], now: datetime) -> Interval | None:
    """Return a time of day in digits."""
    groups = found.groupdict()
    at = _hour(now, int(groups["hour"]), int(groups.get("minute") or 0), _half(groups.get("half")))
    return at and (at.open("") if groups.get("minute") else at)  # 9:30 is written so by the clock of 24 hours


def clock_word(found: re.Match[str], now: datetime) -> Interval | None:
    """Return an hour, as a word or in digits: at eight."""
    return _hour(now, int(number_word(found["hour"])), 0, "")


def clock_beside(found: re.Match[str], now: datetime) -> Interval | None:
    """Return a time said by the hour it is near: half past seven, a quarter to nine."""
    word = found["by"].lower().removeprefix("a ").split()[0]
    minutes = {"half": 30, "quarter": 15}.get(word) or int(number_word(word))
    at = _hour(now, int(number_word(found["hour"])), 0, _half(found["half"]))
    sign = 1 if found["side"].lower() == "past" else -1
    return at and cal.shift(at, minutes=sign * minutes)


def clock_range(found: re.Match[str], now: datetime) -> Interval | None:
    """Return from one time of day to another; the half of the day that stands behind the second is that of both."""
    groups = found.groupdict()
    own, half = _half(groups.get("half")), _half(groups.get("half2"))
    last = _hour(now, int(groups["hour2"]), int(groups.get("minute2") or 0), half)
    for one in (own or half, own or ("am" if half else "")):
        first = _hour(now, int(groups["hour"]), int(groups.get("minute") or 0), one)
        if first and last and first.start < last.start:
            turns = "" if groups.get("minute2") else last.turns
            return Interval(first.start, last.start, loose=True, turns=turns)
    return None


def _half(word: str | None) -> str:
    return (word or "").lower().replace(".", "")


def _hour(now: datetime, hour: int, minute: int, half: str) -> Interval | None:
    doubtful = not half and 0 < hour <= 12
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    if hour >= 24 or minute >= 60:
        return None
    found = cal.hour_of(cal.days(now, 0), hour, minute)
    return found.open(HALF) if doubtful else found
