"""Times as memory files write them: milliseconds or ISO 8601, kept in the form they were found in."""

from __future__ import annotations

from datetime import UTC, datetime

# A number below this is taken for seconds: in milliseconds it would be 1973.
_LEAST_MS = 100_000_000_000
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
