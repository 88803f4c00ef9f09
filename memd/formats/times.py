"""Times as memory files write them, kept in the form they were found in: moments, and stretches such as an event's; and time zones.

Of a stretch, what stands in a file and is no time says nothing; what a caller gives and is no time is refused.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from memd.model.memory import Period
from memd.text import expressions as re

# A number below this is taken for seconds: in milliseconds it would be 1973.
_LEAST_MS = 100_000_000_000
_DAY = re.compile(r"(\d{4})(?:[-/年](\d{1,2})(?:[-/月](\d{1,2}))?)?[日月年]?")
# A date in brackets behind a word of time, as memd writes it where a conversation becomes memories: 周五（2026-11-20）.
WRITTEN = re.compile(
    r"(?<=[^\s(（])\s?[(（](?P<about>around |约)?(?P<date>(?:1[89]|20)\d\d(?:-\d\d(?:-\d\d(?: \d\d:\d\d)?)?)?)(?P<to> (?:to|至) [\d: -]{4,16})?[)）]"
)
BRIEF = timedelta(hours=2)  # what takes no longer is told with its time of day
PART = timedelta(hours=12)  # what takes no longer is a part of the day it begins on
FIRST_S = -62_135_596_800.0  # the beginning of the year 1
LAST_S = 253_402_300_799.0  # the end of the year 9999


def to_seconds(value: object) -> float | None:
    """Return seconds since the epoch for milliseconds, seconds or ISO 8601; None where it is none of them."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        if not abs(value) <= LAST_S * 1000:
            return None
        return _bounded(float(value) / 1000 if abs(value) >= _LEAST_MS else float(value))
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            return _bounded((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
        except (ValueError, OverflowError):
            return None
    return None


def _bounded(seconds: float) -> float | None:
    return seconds if FIRST_S <= seconds <= LAST_S else None


def to_iso(seconds: float) -> str:
    """Return ISO 8601 in UTC with seconds, as memd writes it."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def to_exact_iso(seconds: float) -> str:
    """Return ISO 8601 in UTC with milliseconds where there are any: what follows within a second keeps its order."""
    if round(seconds * 1000) % 1000 == 0:
        return to_iso(round(seconds))
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def to_ms(seconds: float) -> int:
    """Return whole milliseconds, as the role memory's files have them."""
    return round(seconds * 1000)


def to_day(seconds: float) -> str:
    """Return the UTC day as YYYY-MM-DD."""
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def to_stamp(seconds: float) -> str:
    """Return a UTC stamp that file names can carry."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y%m%dT%H%M%SZ")


def period_of(start: Any, end: Any) -> Period | None:
    """Return the stretch that two members of a record tell; None where neither is a time. An end before the start is none."""
    first, last = _moment(start), _moment(end)
    if first is not None and last is not None and last <= first:
        last = None
    if first is None and last is None:
        return None
    return Period(
        first.timestamp() if first else None,
        last.timestamp() if last else None,
        first.isoformat(timespec="seconds") if first else "",
        last.isoformat(timespec="seconds") if last else "",
        told_of(first, last),
        told_of(first, None, short=True) if first else "",
        _last_told(last) if last else "",
    )


def moment_in(value: object, zone: tzinfo | None) -> datetime | None:
    """Return a time that a record has, in a zone (None: the system's own), of which it is where no offset is written."""
    if isinstance(value, str):
        try:
            written = datetime.fromisoformat(value)
            return written.astimezone(zone) if written.tzinfo else _in(written, zone)
        except (ValueError, OverflowError, OSError):
            return None
    seconds = to_seconds(value)
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).astimezone(zone)


def _moment(value: Any) -> datetime | None:
    """Return a time with the offset it is written with, UTC where it has none."""
    if isinstance(value, str):
        try:
            written = datetime.fromisoformat(value)
            moment = written if written.tzinfo else written.replace(tzinfo=UTC)
            moment.timestamp()
        except (ValueError, OverflowError):
            return None
        return moment
    seconds = to_seconds(value)
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def told_of(first: datetime | None, last: datetime | None, *, short: bool = False) -> str:
    """Return a stretch for a reader: 2026, 2026-05, 2026-05-08, 2026-05-08 15:00, or days with `to`. `short`: 2026 of its first moment."""
    if first is None or last is None:
        one = first or last
        return "" if one is None else _first_told(one) if short else _day_told(one)
    if last - first <= BRIEF:
        return first.strftime("%Y-%m-%d %H:%M")
    if last - first <= PART:
        return _day(first)
    if _is_midnight(first) and _is_midnight(last):
        if first.day == last.day == 1:
            months = (last.year - first.year) * 12 + last.month - first.month
            if months == 1:
                return first.strftime("%Y-%m")
            if months == 12 and first.month == 1:
                return f"{first.year:04}"
        last -= timedelta(days=1)
    return _day(first) if first.date() == last.date() else f"{_day(first)} to {_day(last)}"


def _last_told(end: datetime) -> str:
    """Return an end for a reader: of one at midnight the day before it, which is the last that is meant."""
    return _day(end - timedelta(days=1)) if _is_midnight(end) else _day_told(end)


def _first_told(one: datetime) -> str:
    if _is_midnight(one) and one.day == 1:
        return f"{one.year:04}" if one.month == 1 else one.strftime("%Y-%m")
    return _day_told(one)


def _day_told(one: datetime) -> str:
    return _day(one) if _is_midnight(one) else one.strftime("%Y-%m-%d %H:%M")


def _day(one: datetime) -> str:
    return one.date().isoformat()


def _is_midnight(one: datetime) -> bool:
    return (one.hour, one.minute, one.second) == (0, 0, 0)


def given_bounds(start: float | str | None, end: float | str | None, zone: tzinfo | None) -> tuple[str, str]:
    """Return an event that a caller gives as it is written, "" where a bound is unknown; ValueError says what is wrong.

    A day, a month or a year is meant whole; a time without an offset is one of the zone (None: the system's own).
    """
    first = _whole(start, zone) if start not in (None, "") else None
    last = _whole(end, zone) if end not in (None, "") else None
    begins = first[0] if first else None
    ends = last[1] if last else first[1] if first and first[1] != first[0] else None
    if begins is None:
        raise ValueError("an event that has an end has a start: give event_start")
    if ends is not None and ends <= begins:
        raise ValueError("the event ends before it starts")
    return begins.isoformat(timespec="seconds"), ends.isoformat(timespec="seconds") if ends else ""


def _whole(given: float | str | None, zone: tzinfo | None) -> tuple[datetime, datetime | None]:
    """Return the first moment of what is given, and its end: of a time of day, the same for an end and unknown for a start."""
    text = str(given).strip()
    if isinstance(given, str) and (found := _DAY.fullmatch(text)):
        year, month, day = (int(one or 0) for one in found.groups())
        first = datetime(year, month or 1, day or 1)  # noqa: DTZ001 - it gets its zone below
        beyond = datetime(year + (month or 12) // 12, (month or 12) % 12 + 1, 1)  # noqa: DTZ001 - likewise
        last = first + timedelta(days=1) if day else beyond
        return _in(first, zone), _in(last, zone)
    moment = None
    if isinstance(given, str):
        try:
            written = datetime.fromisoformat(text)
            moment = written if written.tzinfo else _in(written, zone)
        except ValueError:
            moment = None
    elif (seconds := to_seconds(given)) is not None:
        moment = datetime.fromtimestamp(seconds, zone or UTC).astimezone(zone)
    if moment is None:
        raise ValueError(f"{text[:40]!r} is no time; write 2026-05-08, 2026-05, 2026, or ISO 8601")
    moment.timestamp()
    return moment, moment


def _in(naive: datetime, zone: tzinfo | None) -> datetime:
    return naive.replace(tzinfo=zone) if zone else naive.astimezone()


# Time zones, and times in them, as people and settings write them.

LEAST_S = 10_000  # a smaller number is a year that was meant, not seconds

_OFFSET = re.compile(r"([+-])([0-9]{1,2})(?::?([0-9]{2}))?")
_ASKED_DAY = re.compile(r"([0-9]{4})(?:[-/年]([0-9]{1,2})(?:[-/月]([0-9]{1,2}))?)?[日月年]?")
_COMPACT_DAY = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_STEP_S = 52 * 86_400
_NUMBER = re.compile(r"-?[0-9]{9,}(?:\.[0-9]+)?")


def zone_of(name: str) -> tzinfo | None:
    """Return a zone by its name in the time zone database or its offset (+08:00); None for "", the system's own.

    ValueError where it is neither.
    """
    if not name:
        return None
    offset = _OFFSET.fullmatch(name)
    if offset:
        hours, minutes = int(offset[2]), int(offset[3] or 0)
        if hours < 15 and minutes < 60:
            return timezone((1 if offset[1] == "+" else -1) * timedelta(hours=hours, minutes=minutes))
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise ValueError(f"{name[:40]!r} is neither a time zone's name nor an offset such as +08:00") from None


def mark_of(name: str) -> str:
    """Return what stands for a zone as it is now: its name; of the system's own its offsets, seven times a year."""
    if name:
        return name
    offsets = (datetime.fromtimestamp(at_s, UTC).astimezone().utcoffset() for at_s in range(0, 2**31, _STEP_S))
    return "own " + hashlib.blake2b(",".join(map(str, offsets)).encode(), digest_size=8).hexdigest()


def last_moment(given: float | str, zone: tzinfo | None) -> float:
    """Return a time in seconds since the epoch: of a day, month or year its last moment in a zone (None: the system's own).

    `given` is seconds, milliseconds, ISO 8601, or 2026, 2026-05, 2026-05-08. ValueError where it is none of them.
    """
    try:
        at_s = _asked_moment(given, zone)
    except (ValueError, OverflowError, OSError):
        at_s = None
    if at_s is None:
        why = "is no time; write 2026, 2026-05, 2026-05-08, ISO 8601, or seconds or milliseconds since 1970"
        raise ValueError(f"{str(given)[:40]!r} {why}")
    return at_s


def _asked_moment(given: float | str, zone: tzinfo | None) -> float | None:
    if isinstance(given, bool):
        return None
    if not isinstance(given, str):
        return None if abs(given) < LEAST_S else to_seconds(given)
    text = given.strip()
    if _NUMBER.fullmatch(text):
        return to_seconds(float(text))
    if found := _ASKED_DAY.fullmatch(text) or _COMPACT_DAY.fullmatch(text):
        return _end(*(int(one or 0) for one in found.groups()), zone=zone)
    written = datetime.fromisoformat(text)
    return to_seconds((written if written.tzinfo else _in(written, zone)).astimezone(UTC).isoformat())


def _end(year: int, month: int, day: int, *, zone: tzinfo | None) -> float:
    """Return the last moment of a year, a month or a day, to the millisecond."""
    if day:
        after = datetime(year, month, day) + timedelta(days=1)  # noqa: DTZ001 - it gets its zone below
    else:
        after = datetime(year + (month or 12) // 12, (month or 12) % 12 + 1, 1)  # noqa: DTZ001 - likewise
    return _in(after, zone).timestamp() - 0.001
