"""A trigger's request, and the scene made of it: its time and zone, the times it speaks of, the feeling, chance.

What a trigger may be asked is declared here, for its verb and for those who ask of their own accord.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, structs

from memd.errors import BadParamsError
from memd.formats.requests import Message, Request, RoleName
from memd.formats.times import to_seconds
from memd.formats.zones import zone_of
from memd.model.emotion import CALM, Emotion, Mood, emotion_of
from memd.model.scene import Scene, TimeSpan
from memd.text.times import read_times

if TYPE_CHECKING:
    from memd.engine.recall.emotions import Feelings
    from memd.model.settings import TriggerSettings

SCANNED_CHARS = 20_000  # of one message; a longer one is read from its end
SCANNED_MESSAGES = 1000
READ_CHARS = 2000  # of the newest message, from its end, are read for times and feelings
KEPT_CHARS = 20_000  # of messages; the answer to a longer scene is not kept
MOOD_GIVEN = 0.8  # how strong a feeling is that the caller names


class TriggerRequest(Request):
    """Give `message`, or `messages` oldest first. Where a parameter is missing, the settings decide."""

    role: RoleName
    message: Annotated[Message, Meta(description="the newest message")] | None = None
    messages: Annotated[list[Message], Meta(max_length=10_000, description="messages, oldest first")] = []
    topic: Annotated[str, Meta(max_length=500, description="what the conversation is about")] = ""
    now: Annotated[float | str, Meta(description="the scene's time: seconds, milliseconds or ISO 8601")] | None = None
    budget: Annotated[int, Meta(ge=100, le=1_000_000, description="characters of the whole block")] | None = None
    budget_tokens: (
        Annotated[int, Meta(ge=0, le=1_000_000, description="tokens of the block, estimated; 0 is no limit")] | None
    ) = None
    position: (
        Annotated[str, Meta(pattern="^(system|user|assistant)$", description="where the block is to stand")] | None
    ) = None
    session: Annotated[
        str, Meta(max_length=200, description="what this session's window has is not injected again")
    ] = ""
    turn: Annotated[int, Meta(ge=0, le=10_000_000, description="messages in the chat so far; else counted")] | None = (
        None
    )
    repeat_after: (
        Annotated[int, Meta(ge=0, le=1000, description="turns after which a memory may come again")] | None
    ) = None
    emotion: Annotated[str, Meta(max_length=40, description="the speaker's feeling; else read from the message")] = ""
    zone: Annotated[str, Meta(max_length=60, description="time zone: a name, or an offset such as +08:00")] = ""
    occasion: Annotated[
        str,
        Meta(
            pattern="^(normal|continue|impersonate|swipe|regenerate|quiet)$",
            description="what the next answer is for; entries of books may want some alone",
        ),
    ] = "normal"
    explain: Annotated[bool, Meta(description="also list what was refused, and why")] = False

    @property
    def said(self) -> str:
        """A digest of what was said, by which a question that is asked again is known."""
        return hashlib.blake2b("\0".join(self.messages).encode("utf-8", "replace"), digest_size=8).hexdigest()

    @property
    def injecting(self) -> dict[str, Any]:
        """What is said of the block, by the names that the settings have for it."""
        given = {
            "budget_chars": self.budget, "budget_tokens": self.budget_tokens,
            "position": self.position, "repeat_after": self.repeat_after,
        }  # fmt: skip
        return {name: value for name, value in given.items() if value is not None}

    def of(self, role: str) -> TriggerRequest:
        """Return it as of a role by its name, the newest message among the others."""
        newest = [] if self.message is None else [self.message]
        return structs.replace(self, role=role, messages=[*self.messages, *newest], message=None)

    def known_by(self, now_s: float) -> tuple[object, ...] | None:
        """Return what tells it from other scenes, its time to the minute and not who reads; None where it tells too much."""
        if self.session or self.explain or sum(map(len, self.messages)) > KEPT_CHARS:
            return None
        now = now_s // 60 if self.now is None else self.now
        differs = {**structs.asdict(self), "messages": tuple(self.messages), "now": now, "reader": ""}
        return tuple(differs.values())


def scene_of(
    request: TriggerRequest, settings: TriggerSettings, now: Callable[[], float], feelings: Callable[[], Feelings]
) -> Scene:
    """Return the scene, its turn still unknown. BadParamsError names the parameter that cannot be."""
    moment = _moment(request, settings, now)
    messages = tuple(_scanned(text) for text in request.messages[-SCANNED_MESSAGES:])
    newest = messages[-1][-READ_CHARS:] if messages else ""
    return Scene(
        messages,
        moment.timestamp(),
        request.topic,
        _times(newest, moment) if settings.temporal else (),
        _mood(request.emotion, newest, feelings) if settings.emotional or request.emotion else CALM,
        role=request.role,
        occasion=request.occasion,
        clock=time.perf_counter,
    )


def at_turn(scene: Scene, request: TriggerRequest, turn: int) -> Scene:
    """Return a scene at a turn of its session; the same scene rolls alike."""
    return replace(scene, length=turn, roll=random.Random(f"{turn} {request.said}").random)  # noqa: S311 - no secret


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
    try:
        zone = zone_of(request.zone or settings.zone)
    except ValueError as error:
        raise BadParamsError(f"zone: {error}") from None
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
