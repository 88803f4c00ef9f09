"""Time zones, and times in them, as people and settings write them."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from memd.formats.times import to_seconds
from memd.text import expressions as re

LEAST_S = 10_000  # a smaller number is a year that was meant, not seconds

_OFFSET = re.compile(r"([+-])([0-9]{1,2})(?::?([0-9]{2}))?")
_DAY = re.compile(r"([0-9]{4})(?:[-/年]([0-9]{1,2})(?:[-/月]([0-9]{1,2}))?)?[日月年]?")
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
        at_s = _moment(given, zone)
    except (ValueError, OverflowError, OSError):
        at_s = None
    if at_s is None:
        why = "is no time; write 2026, 2026-05, 2026-05-08, ISO 8601, or seconds or milliseconds since 1970"
        raise ValueError(f"{str(given)[:40]!r} {why}")
    return at_s


def _moment(given: float | str, zone: tzinfo | None) -> float | None:
    if isinstance(given, bool):
        return None
    if not isinstance(given, str):
        return None if abs(given) < LEAST_S else to_seconds(given)
    text = given.strip()
    if _NUMBER.fullmatch(text):
        return to_seconds(float(text))
    if found := _DAY.fullmatch(text) or _COMPACT_DAY.fullmatch(text):
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


def _in(naive: datetime, zone: tzinfo | None) -> datetime:
    return naive.replace(tzinfo=zone) if zone else naive.astimezone()
