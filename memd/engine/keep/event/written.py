"""The times of a text in which dates were written behind them, as talk/dates.py does: 周五（2026-11-20）, on Friday (2026-11-20).

A date in brackets parts a sentence, and the words that say whether it is past stand behind it. So a text is read without them; then
the date that is written holds: it was found when the text was said, and may be read much later.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta, tzinfo

from memd.engine.keep.event.resolve import COMPARED_CHARS, Told, resolve
from memd.text.times import Interval

_DATE = r"(?:1[89]|20)\d\d(?:-\d\d(?:-\d\d(?: \d\d:\d\d)?)?)?"
_WRITTEN = re.compile(rf"(?<=\w) ?[(（](?P<about>around |约)?(?P<date>{_DATE})(?P<to> (?:to|至) [\d: -]{{4,16}})?[)）]")
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def resolve_written(text: str, now: datetime) -> Told:
    """Return what a text's times mean: as resolve does, where dates are written behind them by those."""
    begin = text[:COMPARED_CHARS]
    dates = list(_WRITTEN.finditer(begin))
    if not dates:
        return resolve(text, now)
    told = resolve(_WRITTEN.sub("", begin) + text[COMPARED_CHARS:], now)
    if told == Told():
        return resolve(text, now)  # the date is all that names a time
    first = dates[0]
    if len(dates) > 1 or first["about"] or first["to"]:
        return told
    return _held_to(told, first["date"], now.tzinfo)


def _held_to(told: Told, written: str, zone: tzinfo | None) -> Told:
    """Return a text's only time as the date says that is written behind it, where the two are apart."""
    found = None
    with suppress(ValueError, OverflowError):  # no date of the calendar
        found = _interval(written, zone)
    if found is None:
        return told
    if told.event is not None:
        apart = told.event.end <= found.start or found.end <= told.event.start
        return told._replace(event=found) if apart else told
    if told.since is not None and told.until is None and not found.start <= told.since < found.end:
        return told._replace(since=found.start)
    return told


def _interval(written: str, zone: tzinfo | None) -> Interval:
    numbers = [int(one) for one in re.findall(r"\d+", written)]
    year, month, day, hour, minute = [*numbers, *(0, 1, 1, 0, 0)[len(numbers) :]]
    start = datetime(year, month, day, hour, minute, tzinfo=zone)
    if len(numbers) == 1:
        return Interval(start, start.replace(year=start.year + 1))
    if len(numbers) == 2:
        return Interval(start, (start + timedelta(days=31)).replace(day=1))
    return Interval(start, start + (DAY if len(numbers) == 3 else HOUR))
