"""A trigger's request made into a scene: its time and zone, the times it speaks of, the feeling, chance."""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from memd.engine.recall.emotions import Feelings
from memd.errors import BadParamsError
from memd.formats.times import to_seconds
from memd.model.emotion import CALM, Emotion, Mood, emotion_of
from memd.model.scene import Scene, TimeSpan
from memd.model.settings import TriggerSettings
from memd.text.times import read_times

_OFFSET = re.compile(r"([+-])([0-9]{1,2})(?::?([0-9]{2}))?")
SCANNED_CHARS = 200_000  # of one message; a longer one is read from its end
SCANNED_MESSAGES = 1000
READ_CHARS = 4000  # of the newest message, from its end, are read for times and feelings
MOOD_GIVEN = 0.8  # how strong a feeling is that the caller names


@dataclass(frozen=True, slots=True)
class TriggerRequest:
    """A trigger as it was asked for; None where the settings decide."""

    role: str
    messages: tuple[str, ...]
    topic: str = ""
    session: str = ""
    turn: int | None = None
    now: float | str | None = None
    zone: str = ""
    emotion: str = ""
    budget_chars: int | None = None
    budget_tokens: int | None = None
    repeat_after: int | None = None
    position: str | None = None
    occasion: str = "normal"
    explain: bool = False

    @property
    def said(self) -> str:
        """A digest of what was said, by which a question that is asked again is known."""
        return hashlib.blake2b("\0".join(self.messages).encode("utf-8", "replace"), digest_size=8).hexdigest()


def scene_of(
    request: TriggerRequest,
    settings: TriggerSettings,
    now: Callable[[], float],
    feelings: Callable[[], Feelings],
    turn: int,
) -> Scene:
    """Return the scene. BadParamsError names the parameter that cannot be."""
    moment = _moment(request, settings, now)
    messages = tuple(_scanned(text) for text in request.messages[-SCANNED_MESSAGES:])
    newest = messages[-1] if messages else ""
    return Scene(
        messages,
        moment.timestamp(),
        request.topic,
        _times(newest[-READ_CHARS:], moment) if settings.temporal else (),
        _mood(request.emotion, newest[-READ_CHARS:], feelings) if settings.emotional or request.emotion else CALM,
        turn,
        random.Random(f"{turn} {request.said}").random,  # noqa: S311 - the same scene rolls alike
        request.role,
        request.occasion,
        time.perf_counter,
    )


def _scanned(text: str) -> str:
    """Return what is read of a message; a lone surrogate, which a command line can hold, is no character."""
    return text[-SCANNED_CHARS:].encode("utf-8", "replace").decode("utf-8")


def _times(text: str, moment: datetime) -> tuple[TimeSpan, ...]:
    try:
        return tuple(
            TimeSpan(
                one.interval.start.timestamp(),
                one.interval.end.timestamp(),
                text[one.begin : one.stop],
                one.interval.loose,
            )
            for one in read_times(text, moment)
        )
    except (OverflowError, ValueError, OSError):
        return ()  # at the ends of the calendar


def _mood(given: str, text: str, feelings: Callable[[], Feelings]) -> Mood:
    if not given:
        return feelings().read(text)
    emotion = emotion_of(given)
    if emotion is None:
        raise BadParamsError(f"emotion: {given[:40]!r} is unknown; say one of {', '.join(Emotion)}")
    return Mood(emotion, 0.0 if emotion is Emotion.NEUTRAL else MOOD_GIVEN, (given,))


def _moment(request: TriggerRequest, settings: TriggerSettings, now: Callable[[], float]) -> datetime:
    """Return the scene's time in its zone: the one given, else that of a time with an offset, else the settings'."""
    zone = zone_of(request.zone or settings.zone)
    if request.now is None:
        return datetime.fromtimestamp(now(), zone or UTC).astimezone(zone)
    seconds = to_seconds(request.now)
    if seconds is None:
        raise BadParamsError(f"now: {str(request.now)[:40]!r} is neither seconds, milliseconds nor ISO 8601")
    try:
        if isinstance(request.now, str) and not request.zone:
            written = datetime.fromisoformat(request.now)
            if written.tzinfo is not None:
                return written
        return datetime.fromtimestamp(seconds, zone or UTC).astimezone(zone)
    except (ValueError, OverflowError):
        raise BadParamsError(f"now: {str(request.now)[:40]!r} is too far away") from None


def zone_of(name: str) -> tzinfo | None:
    """Return a zone by its name in the time zone database, or by its offset (+08:00); None for the system's own."""
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
        raise BadParamsError(
            f"zone: {name[:40]!r} is neither a time zone's name nor an offset such as +08:00"
        ) from None
