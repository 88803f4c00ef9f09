"""Days, weeks, months, seasons and holidays as half-open intervals around a moment.

Units
    aware datetimes in, half-open intervals in the same zone out. `loose` marks what a word leaves vague.
Source
    Weeks begin on Monday; an N weeks, months or years ago is an interval around the day; parts of the day, seasons and
    holidays as the README of the cases says. Easter by the anonymous Gregorian rule. The dates of spring festival,
    dragon boat and mid-autumn are a table: the lunar calendar has no short rule.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

PARTS = {
    "morning": (5, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (18, 24),
    "night": (18, 30),
    "small": (0, 6),
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
FIXED = {
    "christmas eve": (12, 24), "christmas": (12, 25), "new year's eve": (12, 31), "new year": (1, 1),
    "halloween": (10, 31), "valentine": (2, 14), "independence": (7, 4), "labour": (5, 1), "women": (3, 8),
    "children": (6, 1), "singles": (11, 11), "tomb": (4, 5), "boxing": (12, 26), "april fools": (4, 1), "teachers": (9, 10),
    "epiphany": (1, 6), "patrick": (3, 17), "bonfire": (11, 5), "burns": (1, 25), "all saints": (11, 1),
}  # fmt: skip
_LUNAR = {
    "spring festival": "2015-02-19 2016-02-08 2017-01-28 2018-02-16 2019-02-05 2020-01-25 2021-02-12 2022-02-01 "
    "2023-01-22 2024-02-10 2025-01-29 2026-02-17 2027-02-06 2028-01-26 2029-02-13 2030-02-03",
    "dragon boat": "2015-06-20 2016-06-09 2017-05-30 2018-06-18 2019-06-07 2020-06-25 2021-06-14 2022-06-03 "
    "2023-06-22 2024-06-10 2025-05-31 2026-06-19 2027-06-09 2028-05-28",
    "mid-autumn": "2015-09-27 2016-09-15 2017-10-04 2018-09-24 2019-09-13 2020-10-01 2021-09-21 2022-09-10 "
    "2023-09-29 2024-09-17 2025-10-06 2026-09-25 2027-09-15 2028-10-03",
}
MOVING = ("national", "thanksgiving", "easter")
LUNAR = {name: {day.year: day for day in map(date.fromisoformat, days.split())} for name, days in _LUNAR.items()}


class Interval(NamedTuple):
    """From `start` up to, not including, `end`.

    `turns`: of what comes again every week, month or year, or of a holiday by its name, this is the last; `ahead` gives the next.
    """

    start: datetime
    end: datetime
    loose: bool = False
    turns: str = ""

    def vague(self) -> Interval:
        """Return it as loose."""
        return self._replace(loose=True)

    def open(self, turns: str = "year") -> Interval:
        """Return it as the last of those that come again."""
        return self._replace(turns=turns)


def midnight(now: datetime) -> datetime:
    """Return the beginning of a day."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def days(now: datetime, shift: int, count: int = 1) -> Interval:
    """Return `count` days, the first of them `shift` days from today."""
    start = midnight(now) + timedelta(days=shift)
    return Interval(start, start + timedelta(days=count))


def on(now: datetime, year: int, month: int, day: int, count: int = 1) -> Interval | None:
    """Return days from a date on; None where there is no such date."""
    try:
        start = midnight(now).replace(year=year, month=month, day=day)
        return Interval(start, start + timedelta(days=count))
    except (ValueError, OverflowError):
        return None


def dated_weekday(now: datetime, day: int, number: int) -> Interval | None:
    """Return the nearest day of that number in a month which is that day of the week; None where there is none within a year."""
    months = [divmod(now.year * 12 + now.month - 1 + shift, 12) for shift in range(-12, 13)]
    found = [one for year, month in months if (one := on(now, year, month + 1, day)) and one.start.weekday() == number]
    return min(found, key=lambda one: abs(one.start - now), default=None)


def past_date(now: datetime, month: int, day: int) -> Interval | None:
    """Return the last such day of the year that is not in the future."""
    for year in range(now.year, now.year - 9, -1):
        found = on(now, year, month, day)
        if found and found.start <= now:
            return found.open()
    return None


def past_day_of_month(now: datetime, day: int) -> Interval | None:
    """Return the last day of that number that is not in the future."""
    for back in range(14):
        month = months(now, now.year, now.month - back)
        found = month and on(now, month.start.year, month.start.month, day)
        if found and found.start <= now:
            return found.open("month")
    return None


def days_of_month(now: datetime, first: int, last: int) -> Interval | None:
    """Return the last such days of one month of which the first is not in the future."""
    begin = past_day_of_month(now, first)
    end = begin and on(now, begin.start.year, begin.start.month, last)
    return begin._replace(end=end.end) if begin and end and end.start > begin.start else None


def days_from_to(now: datetime, year: int | None, month: int, first: int, last: int) -> Interval | None:
    """Return days of a month, both in it; without a year the last time that has begun. None where there are no such days."""
    begin = on(now, year, month, first) if year else past_date(now, month, first)
    end = begin and on(now, begin.start.year, month, last)
    return begin._replace(end=end.end) if begin and end and end.end > begin.start else None


def shift(one: Interval, days: int = 0, minutes: int = 0) -> Interval:
    """Return it so much later by the calendar, or before where negative."""
    by = timedelta(days=days, minutes=minutes)
    return one._replace(start=one.start + by, end=one.end + by)


def edge_of(one: Interval, place: int) -> Interval:
    """Return the beginning (0), the middle or the end (2) of a month or of a year: ten days, or three months (of the middle four)."""
    if one.end - one.start > timedelta(days=100):
        first, count = ((1, 3), (5, 4), (10, 3))[place]
        part = months(one.start, one.start.year, first, count) or one
        return one._replace(start=part.start, end=part.end, loose=True)
    ten = timedelta(days=10)
    if place == 2:
        return one._replace(start=one.end - ten, loose=True)
    return one._replace(start=one.start + place * ten, end=one.start + (place + 1) * ten, loose=True)


def week(now: datetime, shift: int) -> Interval:
    """Return the week, Monday to Sunday, `shift` weeks from this one."""
    return days(now, shift * 7 - now.weekday(), 7)


def weekday(now: datetime, shift: int, number: int) -> Interval:
    """Return a day (Monday 0) of the week `shift` weeks from this one."""
    return days(now, shift * 7 - now.weekday() + number)


def last_weekday(now: datetime, number: int, *, today: bool) -> Interval:
    """Return the last such day; `today` tells whether today may be it."""
    back = (now.weekday() - number) % 7
    return days(now, -(back or (0 if today else 7)))


def next_weekday(now: datetime, number: int) -> Interval:
    """Return the next such day, today not counted."""
    return days(now, (number - now.weekday()) % 7 or 7)


def weekend(now: datetime, shift: int) -> Interval:
    """Return Saturday and Sunday of a week."""
    return days(now, shift * 7 - now.weekday() + 5, 2)


def months(now: datetime, year: int, month: int, count: int = 1) -> Interval | None:
    """Return `count` whole months from one on; `month` may be outside 1 to 12 and is carried."""
    first, last = year * 12 + month - 1, year * 12 + month - 1 + count
    try:
        start = midnight(now).replace(year=first // 12, month=first % 12 + 1, day=1)
        return Interval(start, midnight(now).replace(year=last // 12, month=last % 12 + 1, day=1))
    except ValueError:
        return None


def past_month(now: datetime, month: int) -> Interval | None:
    """Return the last such month that has begun."""
    found = months(now, now.year if month <= now.month else now.year - 1, month)
    return found and found.open()


def years(now: datetime, year: int, count: int = 1) -> Interval | None:
    """Return `count` whole years."""
    return months(now, year, 1, count * 12)


def quarter(now: datetime, year: int, number: int) -> Interval | None:
    """Return a quarter, 1 to 4; others are carried into the years beside."""
    return months(now, year, number * 3 - 2, 3)


def season(now: datetime, year: int, name: str) -> Interval | None:
    """Return a season of the year it begins in."""
    found = months(now, year, SEASONS[name], 3)
    return found and found.vague()


def past_season(now: datetime, name: str) -> Interval | None:
    """Return the last season of that name that has begun."""
    found = season(now, now.year if SEASONS[name] <= now.month else now.year - 1, name)
    return found and found.open()


def last_season(now: datetime, name: str) -> Interval | None:
    """Return the last season of that name that is over."""
    this = season(now, now.year, name)
    return this if this and this.end <= now else season(now, now.year - 1, name)


def part_of(day: Interval, name: str) -> Interval:
    """Return a part of a day, loosely."""
    first, last = PARTS[name]
    return Interval(day.start + timedelta(hours=first), day.start + timedelta(hours=last), loose=True)


def hour_of(day: Interval, hour: int, minute: int = 0) -> Interval:
    """Return the hour from a time of a day on, loosely."""
    start = day.start + timedelta(hours=hour, minutes=minute)
    return Interval(start, start + timedelta(hours=1), loose=True)


def shifted(now: datetime, months_back: int) -> datetime:
    """Return the same day some months before, or the last of that month."""
    first = now.year * 12 + now.month - 1 - months_back
    year, month = first // 12, first % 12 + 1
    return midnight(now).replace(year=year, month=month, day=min(now.day, monthrange(year, month)[1]))


def around(at: datetime, spread_days: int) -> Interval:
    """Return the days around a day, loosely."""
    return Interval(at - timedelta(days=spread_days), at + timedelta(days=spread_days + 1), loose=True)


def later(now: datetime, minutes: float) -> datetime:
    """Return the moment so many minutes later, by the clock of the universe: zones set theirs back and forth."""
    return (now.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(now.tzinfo)


def ago(now: datetime, count: float, unit: str, *, sign: int = -1) -> Interval | None:
    """Return what N units ago means; `sign` 1 for N units from now. Units: minute hour day week month year."""
    try:
        if unit in ("minute", "hour"):
            minutes = count if unit == "minute" else count * 60
            spread = max(count, 5) if unit == "minute" else 30
            last = min(sign * minutes + spread, 0.0) if sign < 0 else minutes + spread
            return Interval(later(now, sign * minutes - spread), later(now, last), loose=True)
        if unit == "day":
            found = days(now, sign * int(count))
            return found if count == int(count) else found.vague()
        if unit == "week":
            return around(midnight(now) + sign * timedelta(days=round(count * 7)), 3)
        if unit == "month":
            at = shifted(now, -sign * int(count)) + sign * timedelta(days=round(30 * (count % 1)))
            return around(at, 30 if count >= 6 else 15 if count >= 1 else 5)
        at = shifted(now, -sign * round(count * 12))
        return around(at, 183 if count > 1 else 45 if count == 1 else 30)
    except (ValueError, OverflowError):
        return None


def few(now: datetime, unit: str) -> Interval | None:
    """Return what a few units ago means, loosely."""
    if unit == "month":
        found = months(now, now.year, now.month - 7, 7)
        return found and found.vague()
    if unit == "year":
        found = years(now, now.year - 7, 7)
        return found and found.vague()
    if unit in ("minute", "hour"):
        first, last = (30, 0) if unit == "minute" else (480, 30)
        return Interval(later(now, -first), later(now, -last), loose=True)
    first, last = (7, 0) if unit == "day" else (56, 7)
    return Interval(midnight(now) - timedelta(days=first), midnight(now) - timedelta(days=last), loose=True)


def lately(now: datetime, count: float, unit: str) -> Interval | None:
    """Return the last N units up to now, loosely."""
    if unit in ("minute", "hour"):
        return Interval(later(now, -count * (60 if unit == "hour" else 1)), now, loose=True)
    if unit in ("month", "year"):
        whole = count * (12 if unit == "year" else 1)
        start = shifted(now, int(whole)) - timedelta(days=round(30 * (whole % 1)))
    else:
        start = now - timedelta(days=count * (7 if unit == "week" else 1))
    return Interval(midnight(start), now, loose=True)


def easter(year: int) -> date:
    """Return Easter Sunday of a year."""
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return date(year, f // 31, f % 31 + 1)


def holiday(now: datetime, year: int, name: str) -> Interval | None:
    """Return a holiday of a year; those of several days are loose."""
    if name in FIXED:
        return on(now, year, *FIXED[name])
    if name == "national":
        found = on(now, year, 10, 1, 7)
    elif name == "thanksgiving":
        first = date(year, 11, 1).weekday()
        return on(now, year, 11, 22 + (3 - first) % 7)
    elif name == "easter":
        sunday = easter(year)
        found = on(now, year, sunday.month, sunday.day)
    else:
        day = LUNAR[name].get(year)
        if day is None:
            return None
        found = on(now, year, day.month, day.day, 7 if name == "spring festival" else 3)
    return found and found.vague()


def past_holiday(now: datetime, name: str) -> Interval | None:
    """Return the last such holiday that has begun."""
    for year in (now.year, now.year - 1):
        found = holiday(now, year, name)
        if found and found.start <= now:
            return found.open(name)
    return None


def ahead(last: Interval, now: datetime) -> Interval:
    """Return the next of what comes again, where that is not under way: a weekday is never today's, a date may be."""
    if last.turns == "week":
        length = last.end - last.start
        is_weekend = length == timedelta(days=2) and last.start.weekday() == 5
        least = midnight(now) + timedelta(days=1 if length <= timedelta(days=1) else 0)
        while last.end <= now or (last.start < least and not is_weekend):
            last = last._replace(start=last.start + timedelta(days=7), end=last.end + timedelta(days=7))
        return last
    if not last.turns or last.end > now:
        return last
    found = (occurrence(last, steps) for steps in range(1, 14))
    return next((one for one in found if one and one.end > now), last)


def next_after(one: Interval, at: datetime) -> Interval:
    """Return the first of what comes again that starts after a moment."""
    steps = _steps_to(one, at)
    found = (occurrence(one, step) for step in range(steps - 9, steps + 14))
    return next((other for other in found if other and other.start > at), one)


def last_before(one: Interval, at: datetime) -> Interval:
    """Return the last of what comes again that starts before a moment."""
    steps = _steps_to(one, at)
    found = (occurrence(one, step) for step in range(steps + 2, steps - 14, -1))
    return next((other for other in found if other and other.start < at), one)


def in_year(one: Interval, year: int) -> Interval | None:
    """Return what comes again every year as it was or will be in a year; None where it was not."""
    steps = year - one.start.year
    return one if not steps else occurrence(one, steps)


def _steps_to(one: Interval, at: datetime) -> int:
    """Return about how many times it comes again up to a moment."""
    if one.turns == "week":
        return (at - one.start) // timedelta(days=7)
    years = at.year - one.start.year
    return years * 12 + at.month - one.start.month if one.turns == "month" else years


def occurrence(one: Interval, steps: int) -> Interval | None:
    """Return what comes again so many times later, or before where negative; None where there is no such day then."""
    try:
        if one.turns == "week":
            return one._replace(start=one.start + timedelta(days=7 * steps), end=one.end + timedelta(days=7 * steps))
        if one.turns in ("month", "year"):
            start = _stepped(one.start, steps, one.turns)
            by_year = one.turns == "year"
            end = _stepped(one.end, steps, one.turns) if by_year else start + (one.end - one.start)
            return one._replace(start=start, end=end)
    except (ValueError, OverflowError):
        return None
    year = one.start.year + steps
    this, then = holiday(one.start, one.start.year, one.turns), holiday(one.start, year, one.turns)
    if not (this and then):
        return None
    moved = then.start - this.start
    return one._replace(start=one.start + moved, end=one.end + moved)


def _stepped(at: datetime, step: int, turns: str) -> datetime:
    if turns == "year":
        return at.replace(year=at.year + step)
    number = at.year * 12 + at.month - 1 + step
    return at.replace(year=number // 12, month=number % 12 + 1)
