"""Time zones as people and settings write them."""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

_OFFSET = re.compile(r"([+-])([0-9]{1,2})(?::?([0-9]{2}))?")


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
