"""The times of a statement, with their dates behind them in brackets: "approved on Tuesday (2026-11-17)", 周一早上八点（2026-11-23 08:00）.

The words stay; what is read is event/resolve.py's. A habit and a taste have no date, nor what names its year itself.

Units
    Dates are of the zone of `now`: a day, a month, a year, an hour, or from one to another. What is loose is `around`, 约.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memd.engine.keep.event.resolve import dating
from memd.text import expressions as re
from memd.text.characters import is_cjk

if TYPE_CHECKING:
    from memd.text.times import Interval, Mention

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
LONGEST = timedelta(days=800)
WEEKS, MONTHS, YEARS = timedelta(days=10), timedelta(days=62), timedelta(days=400)  # how wide what is loose may be

_PARTS = {(5, 7), (11, 3), (12, 6), (18, 6), (18, 12), (0, 6)}  # of a day: from which hour, for how many
_KNOWN = re.compile(r"(?:1[89]|20)\d\d\D{0,3}(?:\d|年|\Z)|(?:1[89]|20)\d\d\Z")
_DATED = re.compile(r"\s*[(（\[]\s*(?:around |约)?(?:1[89]|20)\d\d")
_NOW = re.compile(r"just now\Z|a (?:moment|minute|second) ago|刚|方才|适才", re.IGNORECASE)
_LOOSE = re.compile(r"\bago\b|\bin (?:a|an|about|two|three|four|five|six|\d+)\b|\bfrom now\b|前|后", re.IGNORECASE)
_OF_YEARS = re.compile(r"year|年", re.IGNORECASE)


def with_dates(text: str, now: datetime) -> str:
    """Return a text with the dates of its times; `now` is when it was said, aware, in the scene's zone."""
    try:
        found = dating(text, now)
    except (OverflowError, ValueError, OSError):
        return text  # at the ends of the calendar
    for one in reversed(found):
        written = _written(text, one)
        if written:
            text = text[: one.stop] + written + text[one.stop :]
    return text


def _written(text: str, one: Mention) -> str:
    said = text[one.begin : one.stop]
    if _KNOWN.search(said) or _NOW.match(said) or _DATED.match(text, one.stop):
        return ""
    han = is_cjk(said[-1]) or is_cjk(said[0])
    about = one.interval.loose and _LOOSE.search(said) is not None
    if about and one.interval.end - one.interval.start > MONTHS and not _OF_YEARS.search(said):
        return ""  # a few months ago
    date = date_of(one.interval, han=han, about=about)
    if not date:
        return ""
    return f"（{date}）" if han else f" ({date})"


def date_of(one: Interval, *, han: bool, about: bool) -> str:
    """Return an interval in digits, "" where it is too wide to be worth it; `about`: around its middle."""
    length = one.end - one.start
    to, around = (" 至 ", "约") if han else (" to ", "around ")
    if about and length > DAY:
        middle = one.start + length / 2
        for width, form in ((WEEKS, "%Y-%m-%d"), (MONTHS, "%Y-%m"), (YEARS, "%Y")):
            if length <= width:
                return around + _in(form, middle)
        return ""
    if length > LONGEST:
        return ""
    if length < DAY:
        return _within_a_day(one, to)
    last = one.end - timedelta(seconds=1)
    form = _form(one)
    first_words, last_words = _in(form, one.start), _in(form, last)
    return first_words if first_words == last_words else f"{first_words}{to}{last_words}"


def _within_a_day(one: Interval, to: str) -> str:
    length = one.end - one.start
    day = _in("%Y-%m-%d", one.start)
    if length > HOUR and one.start.minute == 0 and (one.start.hour, length // HOUR) in _PARTS:
        return day
    begins = f"{day} {one.start:%H:%M}"
    return begins if length <= HOUR else f"{begins}{to}{one.end:%H:%M}"


def _form(one: Interval) -> str:
    """Return how exactly an interval is written: by years, by months, or by days."""
    if (one.start.day, one.start.hour, one.end.day, one.end.hour) != (1, 0, 1, 0):
        return "%Y-%m-%d"
    return "%Y" if one.start.month == one.end.month == 1 else "%Y-%m"


def _in(form: str, at: datetime) -> str:
    # Before the year 1000 strftime leaves the zeros out.
    return at.strftime(form.replace("%Y", f"{at.year:04d}"))
