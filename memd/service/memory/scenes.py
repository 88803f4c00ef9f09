"""The scene made of a trigger's request: its time and zone, the times it speaks of, the feeling, chance; what it asks of each role; and
whether it wants quotes."""

from __future__ import annotations

import asyncio
import random
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.recall.wanted.weighing import question_of
from memd.errors import BadParamsError
from memd.formats.times import last_moment, to_seconds, zone_of
from memd.model.scene import (
    CALM,
    BookFound,
    BookRefused,
    Candidate,
    Emotion,
    Measured,
    Mood,
    Quotes,
    Refused,
    Scene,
    TimeSpan,
    emotion_of,
)
from memd.service.profile import asked_about
from memd.text.acts import askings, read_message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memd.engine.recall.emotions import Feelings
    from memd.engine.recall.profile.subjects import Subject
    from memd.engine.recall.wanted.weighing import Question, Weighing
    from memd.model.scene import Near
    from memd.model.settings import Settings, TriggerSettings
    from memd.service.walks import TriggerRequest
    from memd.store.recall.meaning import Question as Asked
    from memd.store.recall.pasts import Past
    from memd.store.recall.recalled import Talk
    from memd.store.role.role import Role
    from memd.store.store import Store

LEVELS = ("inbox", "auto")  # of capture, at which the setting `auto` is on


class Asking(NamedTuple):
    """A scene as it is asked of every role: its words, the question as a model has it, and what weighs the answers."""

    question: Question
    model: Asked | None
    weighing: Weighing
    apart: Sequence[tuple[Question, Asked | None]] = ()  # its questions, each by itself, where there are several
    near: Mapping[str, Near] = {}  # of the memories of the role that is asked
    near_apart: Sequence[Mapping[str, Near]] = ()
    then: Past | None = None  # how that role was, where the past is asked
    subject: Subject | None = None  # of whom all that is known is asked for
    used_s: Callable[[str], float | None] = lambda _: None  # when a memory of that role last came

    @property
    def apart_near(self) -> list[tuple[Question, Mapping[str, Near]]]:
        """The questions by themselves, each with the memories near it."""
        return [(one, near) for (one, _), near in zip(self.apart, self.near_apart, strict=True)]


def is_on(store: Store, settings: Settings) -> bool:
    """Tell whether quotes are wanted at all."""
    wanted = settings.trigger.sessions
    return wanted == "on" or (wanted == "auto" and store.settings.capture.level in LEVELS)


def begin(store: Store, role: Role, settings: Settings) -> None:
    """Read what is new of sessions, in the background."""
    if is_on(store, settings):
        store.sayings.begin(store, role.name)


async def said_for(
    store: Store, role: Role, request: TriggerRequest, asked: Asking, talk: Talk, as_of_s: float | None
) -> Quotes:
    """Return what was said that fits a message that asks; nothing where it does not ask, or quotes are not wanted."""
    settings = store.settings_of(role)
    if not (is_on(store, settings) and asked.question.said.asks and settings.trigger.semantic):
        return Quotes()
    from memd.service.said import quotes_for  # noqa: PLC0415 - most triggers need none of it

    return await quotes_for(store, role, request, asked, talk, as_of_s)


SCANNED_CHARS = 20_000  # of one message; a longer one is read from its end
SCANNED_MESSAGES = 1000
READ_CHARS = 2000  # of the newest message, from its end, are read for times and feelings
MOOD_GIVEN = 0.8  # how strong a feeling is that the caller names


def scene_of(
    request: TriggerRequest, settings: TriggerSettings, now: Callable[[], float], feelings: Callable[[], Feelings]
) -> Scene:
    """Return the scene, its turn still unknown. BadParamsError names the parameter that cannot be."""
    moment, as_of_s = _moment(request, settings, now), _as_of(request, settings)
    messages = tuple(_scanned(text) for text in request.messages[-SCANNED_MESSAGES:])
    newest = messages[-1][-READ_CHARS:] if messages else ""
    return Scene(
        messages,
        moment.timestamp() if as_of_s is None else as_of_s,
        request.topic,
        _times(newest, moment) if settings.temporal else (),
        _mood(request.emotion, newest, feelings) if settings.emotional or request.emotion else CALM,
        role=request.role,
        occasion=request.occasion,
        clock=time.perf_counter,
        as_of_s=as_of_s,
    )


def at_turn(scene: Scene, request: TriggerRequest, turn: int) -> Scene:
    """Return a scene at a turn of its session; the same scene rolls alike."""
    return replace(scene, length=turn, roll=random.Random(f"{turn} {request.said}").random)  # noqa: S311 - no secret


def _scanned(text: str) -> str:
    """Return what is read of a message; a lone surrogate, which a command line can hold, is no character."""
    return text[-SCANNED_CHARS:].encode("utf-8", "replace").decode("utf-8")


def _times(text: str, moment: datetime) -> tuple[TimeSpan, ...]:
    from memd.engine.keep.event.written import asked_times  # noqa: PLC0415  the rules of two languages

    return asked_times(text, moment)


def _mood(given: str, text: str, feelings: Callable[[], Feelings]) -> Mood:
    if not given:
        return feelings().read(text)
    emotion = emotion_of(given)
    if emotion is None:
        raise BadParamsError(f"emotion: {given[:40]!r} is unknown; say one of {', '.join(Emotion)}")
    return Mood(emotion, 0.0 if emotion is Emotion.NEUTRAL else MOOD_GIVEN, (given,))


def _as_of(request: TriggerRequest, settings: TriggerSettings) -> float | None:
    """Return the time of which it is asked what was known; a day is one of the scene's zone."""
    if request.as_of is None:
        return None
    try:
        return last_moment(request.as_of, zone_of(request.zone or settings.zone))
    except ValueError as error:
        raise BadParamsError(f"as_of: {error}") from None


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


# What a session's window has already: that does not come again within so many turns.


def unrepeated(ranked: Iterable[Candidate], talk: Talk, window: int) -> tuple[list[Candidate], list[Refused]]:
    """Return the memories that the window has not, and those that it has."""
    fresh: list[Candidate] = []
    repeated: list[Refused] = []
    for one in ranked:
        since = talk.since(told_as(one), window)
        if since is None:
            fresh.append(one)
        else:
            repeated.append(Refused(one, *since_turn(since, talk, window)))
    return fresh, repeated


def is_fresh(one: Candidate, talk: Talk, window: int) -> bool:
    """Tell whether the window has not a memory."""
    return talk.since(told_as(one), window) is None


def untold(pages: Iterable[BookFound], talk: Talk, window: int) -> tuple[list[BookFound], list[BookRefused]]:
    """Return the pages that the window has not, and those that it has."""
    fresh: list[BookFound] = []
    told: list[BookRefused] = []
    for one in pages:
        since = talk.since(one.activation.entry.id, window)
        if since is None:
            fresh.append(one)
        else:
            told.append(BookRefused(one.role, one.activation.entry, *since_turn(since, talk, window)))
    return fresh, told


def since_turn(since: int, talk: Talk, window: int) -> tuple[str, str, Measured]:
    """Return why what came in a turn does not come again yet."""
    measured = Measured("turns", talk.turn - since, window)
    return "recently injected", f"in the window since turn {since}, now {talk.turn}", measured


def told_as(one: Candidate) -> str:
    """Return what a memory is known by in a window."""
    return f"{one.role}/{one.memory.id}"


async def beside(store: Store, role: Role, scene: Scene, asked: Asking, own: TriggerSettings | None = None) -> Asking:
    """Return what is known of a role beside its indexes with what is asked of it; call in its turn. `own`: its settings."""
    models = [asked.model, *(model for _, model in asked.apart)]
    near = [await store.meaning.memories(role, one, used_s=store.recalled.used_s) for one in models]
    then = await store.pasts.then(role, scene.as_of_s)
    near = [then.like(one) for one in near] if then else near
    subject = asked_about(role, then, scene) if own and own.semantic else asked.subject
    used_s = partial(last_use_s, store, scene, role.name)
    return asked._replace(near=near[0], near_apart=near[1:], then=then, subject=subject, used_s=used_s)


async def ask(store: Store, role: Role, request: TriggerRequest) -> Asking:
    """Return what the scene asks, with the newest message as a model has it, where one is wanted and can be had."""
    wanted, learned = store.settings_of(role).trigger, store.keeping.learned
    weighing = learned.weighing
    messages = [one[-SCANNED_CHARS:] for one in request.messages[-wanted.scan_messages :]]

    async def put(words: str, said: Sequence[str], topic: str = "") -> tuple[Question, Asked | None]:
        model = await store.meaning.question(words) if wanted.embeddings and wanted.semantic and words else None
        known = model is not None and store.meaning.key == learned.judged_by  # of other vectors nothing was learned
        vector = array("f", model.vector) if model and known else ()
        return question_of(said, topic, weighing, vector), model

    said = read_message(messages[-1]).question if messages else ""
    each = askings(messages[-1]) if messages and wanted.semantic else ()
    (question, model), *apart = await asyncio.gather(
        put(said, messages, request.topic), *(put(one, [one]) for one in each)
    )
    # Words alone judge otherwise: what has no vector in time is not asked beside what has.
    return Asking(question, model, weighing, [one for one in apart if one[1] or not model])


def last_use_s(store: Store, scene: Scene, role: str, memory_id: str) -> float | None:
    """Return when a memory last came, as far as that is known: of uses the last alone is kept, and it may be a later one."""
    used_s = store.recalled.used_s(role, memory_id)
    return None if used_s is None or (scene.as_of_s is not None and used_s > scene.as_of_s) else used_s
