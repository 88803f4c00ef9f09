"""One record of memory.json: the raw object and its typed view.

The raw object stays what it is, unknown keys and order included; the view is checked field by field. A record that
does not fit is reported and left out, and the others serve.

Source
    docs/design/origins.md#the-role-memory: keys, bounds, and the stray `is_constant` of its trait and goal tool (kept, not
    believed: `isConstant` was what counted there).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from memd.errors import BadEntryError, BadMemoryError
from memd.formats.books import to_entry
from memd.formats.times import period_of, to_exact_iso, to_ms, to_seconds
from memd.model.memory import DEFAULTS, VALIDITY_WORDS, Kind, Memory, doubts_of

if TYPE_CHECKING:
    from memd.model.lore import Entry

Weight = Annotated[float, Meta(ge=0, le=1)]
Time = int | float | str
_TIME = "milliseconds since the epoch, or ISO 8601"


class Record(msgspec.Struct, rename="camel"):
    """What memd reads of a record, each key optional; other keys are carried along unread."""

    id: Annotated[
        str, Meta(description="unique in the file; one that is missing is derived from what the record says")
    ] = ""
    content: Annotated[str | None, Meta(description="what is remembered")] = None
    value: Annotated[str | None, Meta(description="what is remembered, in traits and goals")] = None
    name: Annotated[str, Meta(description="of a trait: what it is about")] = ""
    timestamp: Annotated[Time | None, Meta(description=_TIME)] = None
    created_at: Annotated[Time | None, Meta(description=_TIME)] = None
    updated_at: Annotated[Time | None, Meta(description=_TIME)] = None
    keywords: Annotated[list[str], Meta(description="keys: a scene that has one of them brings this to mind")] = []
    tags: Annotated[list[str], Meta(description="words to file it under")] = []
    related_topics: Annotated[list[str], Meta(description="what it is about")] = []
    emotional_context: Annotated[list[str], Meta(description="the feelings it belongs to")] = []
    priority: Annotated[
        Annotated[float, Meta(ge=0, le=100)] | None, Meta(description="0 to 100: who gets room first")
    ] = None
    is_constant: Annotated[bool | None, Meta(description="always in the prompt, within the budget")] = None
    disabled: Annotated[bool, Meta(description="kept, and never brought to mind")] = False
    relevance_weight: Annotated[Weight | None, Meta(description="0 to 1: how much its relevance counts")] = None
    emotional_weight: Annotated[Weight | None, Meta(description="0 to 1: how much the emotion of a scene counts")] = (
        None
    )
    time_decay_factor: Annotated[
        Weight | None, Meta(description="0 to 1 for each day: how fast it fades in the ranking")
    ] = None
    confidence: Annotated[float | None, Meta(description="how sure it is")] = None
    validity: Annotated[str, Meta(description="short, medium or long; 短期, 中期, 长期")] = ""
    expires_at: Annotated[Time | None, Meta(description=f"when it ends: {_TIME}")] = None
    score: Annotated[Annotated[float, Meta(ge=0, le=10)] | None, Meta(description="0 to 10: what the gate gave it")] = (
        None
    )
    source: Annotated[str, Meta(description="who said it: user, agent, tool, file-edit, import")] = ""
    speaker: Annotated[str, Meta(description="who was speaking")] = ""
    session: Annotated[str, Meta(description="the session it comes from")] = ""
    turn: Annotated[Time | None, Meta(description="the turn of that session, a whole number")] = (
        None  # of any form in files of others: what is no number of a turn says nothing
    )
    run: Annotated[str, Meta(description="the run it comes from")] = ""
    supersedes: Annotated[
        str | list[str],
        Meta(
            description="the ids of what it takes the place of, while it is here, holds and is not disabled; one id in older files"
        ),
    ] = []
    covers: Annotated[
        list[str],
        Meta(description="digests of the statements of those that it takes the place of; without any, all of them"),
    ] = []
    superseded_by: Annotated[
        str,
        Meta(description="a note for readers of what took its place; the other's `supersedes` is what counts"),
    ] = ""
    inferred: Annotated[
        list[str],
        Meta(description="keys of this record that memd found out rather than was told: isConstant, emotionalContext"),
    ] = []
    conflicts_with: Annotated[
        object,
        Meta(
            description="memories that it may say otherwise than: objects with `id`, `why` and `sure`; a person settles it"
        ),
    ] = None  # of any form in files of others: what is no id says nothing
    both_hold: Annotated[
        object,
        Meta(
            description="memories that hold beside it as a person said, by id, with when that was: they are not asked about again"
        ),
    ] = None
    trigger_type: Annotated[
        str,
        Meta(
            description="keyword, semantic, temporal or emotional: a temporal one comes while it is new, an emotional one weighs its feelings more"
        ),
    ] = ""
    event_start: Annotated[object, Meta(description=f"when what it tells happened or will: {_TIME}")] = (
        None  # what is no time says nothing, as is so of a turn
    )
    event_end: Annotated[object, Meta(description=f"the end of that, itself not in it: {_TIME}")] = None
    valid_from: Annotated[object, Meta(description=f"since when it holds: {_TIME}")] = None
    valid_until: Annotated[object, Meta(description=f"until when it holds: {_TIME}")] = None


# Members of World Info that a record may have, by the names of memory.json and of World Info.
LORE = {
    "secondaryKeys": "keysecondary", "keysecondary": "keysecondary", "selectiveLogic": "selectiveLogic",
    "order": "order", "probability": "probability", "useProbability": "useProbability", "group": "group",
    "groupOverride": "groupOverride", "groupWeight": "groupWeight", "useGroupScoring": "useGroupScoring",
    "scanDepth": "scanDepth", "caseSensitive": "caseSensitive", "matchWholeWords": "matchWholeWords",
    "excludeRecursion": "excludeRecursion", "preventRecursion": "preventRecursion",
    "delayUntilRecursion": "delayUntilRecursion", "sticky": "sticky", "cooldown": "cooldown", "delay": "delay",
}  # fmt: skip


def _lore(raw: dict[str, Any], keys: list[str], entry_id: str) -> Entry | None:
    given = {LORE[key]: value for key, value in raw.items() if key in LORE and value is not None}
    if not given:
        return None
    try:
        return to_entry({"excludeRecursion": True, "preventRecursion": True, **given, "key": keys}, entry_id, "")
    except BadEntryError as error:
        raise BadMemoryError(str(error)) from None


def to_memory(raw: dict[str, Any], kind: Kind, fallback_id: str) -> Memory:
    """Return the typed view of a raw record, or raise BadMemoryError saying which key is wrong and why."""
    given = {key: value for key, value in raw.items() if value is not None}
    if "supersedes" not in given:
        given.pop("covers", None)  # it says something of those that are named; of itself it is anybody's word
    try:
        record = msgspec.convert(given, Record)
    except msgspec.ValidationError as error:
        raise BadMemoryError(str(error).replace(" - at `$", " - at `")) from None
    content = _said(record.content, record.value)
    if not content.strip():
        raise BadMemoryError("it has no `content` (or `value`)")
    default = DEFAULTS[kind]
    return Memory(
        id=record.id or fallback_id,
        kind=kind,
        content=content,
        name=record.name,
        keys=_filled(record.keywords),
        topics=_filled(record.related_topics),
        tags=_filled(record.tags),
        emotions=_filled(record.emotional_context),
        when_s=_moment(record),
        priority=default.priority if record.priority is None else round(record.priority),
        constant=default.constant if record.is_constant is None else record.is_constant,
        ordinary=record.is_constant is False,
        disabled=record.disabled,
        relevance_weight=_given(record.relevance_weight, default.relevance_weight),
        emotional_weight=_given(record.emotional_weight, default.emotional_weight),
        decay_per_day=_given(record.time_decay_factor, default.decay_per_day),
        expires_s=_checked_time("expiresAt", record.expires_at),
        validity=VALIDITY_WORDS.get(record.validity, record.validity),
        score=record.score,
        **_come_from(record),
        **_of_others(record),
        inferred=_filled(record.inferred),
        trigger_type=record.trigger_type,
        **_periods(record),
        lore=_lore(raw, record.keywords, record.id or fallback_id),
    )


def _come_from(record: Record) -> dict[str, Any]:
    """Return whose words a record is, and where they were said."""
    turn = record.turn if isinstance(record.turn, int) and record.turn >= 0 else None
    said_in = {"session": record.session, "run": record.run, "turn": turn}
    return {"source": record.source, "speaker": record.speaker, **said_in}


def _of_others(record: Record) -> dict[str, Any]:
    """Return what a record says of others: whose place it takes, and who conflicts with it or holds beside it."""
    return {
        "supersedes": named_ids(record.supersedes),
        "covers": _filled(record.covers),
        "conflicts": tuple(doubts_of(record.conflicts_with)),
        "beside": tuple(record.both_hold) if isinstance(record.both_hold, dict) else (),
    }


def named_ids(supersedes: object) -> tuple[str, ...]:
    """Return the ids that a record's `supersedes` names, each once: a list, or in older files one id."""
    named = [supersedes] if isinstance(supersedes, str) else supersedes
    if not isinstance(named, list):
        return ()
    return tuple(dict.fromkeys(one for one in named if isinstance(one, str) and one.strip()))


def _said(content: str | None, value: str | None) -> str:
    """Return what a record says: a `content` that says nothing stands for none, and the `value` counts."""
    first = content or ""
    return first if first.strip() else value or first


def derived_id(role: str, kind: Kind, content: str, occurrence: int) -> str:
    """Return the uuid5 by which a record without an id is known until it is first changed.

    Source: RFC 9562, version 5 in the URL namespace, of `memd:<role>:<kind>:<occurrence>:<content>`.
    """
    namespace = bytes.fromhex("6ba7b8119dad11d180b400c04fd430c8")
    name = f"memd:{role}:{kind}:{occurrence}:{content}".encode("utf-8", "surrogatepass")
    digest = bytearray(hashlib.sha1(namespace + name, usedforsecurity=False).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    text = digest.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _filled(words: list[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word.strip())


def _given(value: float | None, default: float) -> float:
    return default if value is None else value


def _moment(record: Record) -> float | None:
    for name, value in (
        ("timestamp", record.timestamp),
        ("updatedAt", record.updated_at),
        ("createdAt", record.created_at),
    ):
        seconds = _checked_time(name, value)
        if seconds is not None:
            return seconds
    return None


def _periods(record: Record) -> dict[str, Any]:
    """Return a record's event, the time it holds, and whether the event lay in the future when the record was made."""
    event = period_of(record.event_start, record.event_end)
    held = period_of(record.valid_from, record.valid_until)
    made = next((one for one in (record.created_at, record.timestamp, record.updated_at) if one is not None), None)
    if event is None and held is None and record.score is None:
        return {"undated": made}
    if event is None or event.start_s is None:
        return {"event": event, "held": held}
    made_s = to_seconds(made)
    return {"event": event, "held": held, "planned": made_s is not None and event.start_s > made_s}


def _checked_time(name: str, value: Time | None) -> float | None:
    if value is None:
        return None
    seconds = to_seconds(value)
    if seconds is None:
        raise BadMemoryError(f"{str(value)[:40]!r} is not a time (milliseconds or ISO 8601) - at `.{name}`")
    return seconds


class Form(Enum):
    """What a caller's word of a memory is."""

    TEXT = "text"
    NAME = "name"  # a few words, which people read
    WORDS = "words"  # several of these
    KEYS = "keys"  # of the record
    TERM = "term"  # one of a list
    NUMBER = "number"
    FLAG = "flag"
    TIME = "time"


class Given(NamedTuple):
    """Under which key a record keeps what a caller may say of a memory, and what it is."""

    key: str
    form: Form


GIVEN = {
    "content": Given("content", Form.TEXT),
    "name": Given("name", Form.NAME),
    "keys": Given("keywords", Form.WORDS),
    "tags": Given("tags", Form.WORDS),
    "topics": Given("relatedTopics", Form.WORDS),
    "emotions": Given("emotionalContext", Form.WORDS),
    "priority": Given("priority", Form.NUMBER),
    "constant": Given("isConstant", Form.FLAG),
    "disabled": Given("disabled", Form.FLAG),
    "relevance_weight": Given("relevanceWeight", Form.NUMBER),
    "emotional_weight": Given("emotionalWeight", Form.NUMBER),
    "decay_per_day": Given("timeDecayFactor", Form.NUMBER),
    "confidence": Given("confidence", Form.NUMBER),
    "speaker": Given("speaker", Form.NAME),
    "turn": Given("turn", Form.NUMBER),
    "validity": Given("validity", Form.TERM),
    "expires_at": Given("expiresAt", Form.TIME),
    "inferred": Given("inferred", Form.KEYS),
    "event_start": Given("eventStart", Form.TIME),
    "event_end": Given("eventEnd", Form.TIME),
    "valid_from": Given("validFrom", Form.TIME),
    "valid_until": Given("validUntil", Form.TIME),
}
KEYS = {name: one.key for name, one in GIVEN.items()}


def given_as(form: Form) -> tuple[str, ...]:
    """Return what a caller may say in this form."""
    return tuple(name for name, one in GIVEN.items() if one.form is form)


SAID_NAMES, SAID_WORDS = given_as(Form.NAME), given_as(Form.WORDS)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memory came from; "" where it is not known."""

    source: str = ""
    session: str = ""
    run: str = ""


def new_record(
    kind: Kind,
    memory_id: str,
    fields: Mapping[str, Any],
    come_from: Provenance,
    *,
    score: float | None,
    now_s: float,
    ms: bool,
) -> dict[str, Any]:
    """Return a record. `fields` has the caller's words (KEYS); empty ones are left out. `ms`: times in milliseconds."""
    record: dict[str, Any] = {"id": memory_id}
    given = {KEYS[key]: value for key, value in fields.items() if value not in (None, "", [], ())}
    record["updatedAt" if kind is Kind.SEMANTIC else "timestamp"] = stamp(now_s, ms=ms)
    content = given.pop("content", "")
    if kind in (Kind.TRAIT, Kind.GOAL):
        if given.get("name"):
            record["name"] = given.pop("name")
        record["value"] = content
    else:
        record["content"] = content
    record.update(given)
    if score is not None:
        record["score"] = score
    record.update({key: value for key, value in vars_of(come_from).items() if value})
    return record


def changed_record(
    record: Mapping[str, Any], kind: Kind, fields: Mapping[str, Any], *, now_s: float, ms: bool
) -> dict[str, Any]:
    """Return the record with the caller's fields put into it; None takes a field out."""
    result = dict(record)
    if "content" in fields and not (result.keys() & {"createdAt", "timestamp"}) and "updatedAt" in result:
        result["createdAt"] = result["updatedAt"]  # else nobody could tell since when it was known
    for key, value in fields.items():
        own = KEYS[key]
        said = str(result.get("content") or "").strip()
        if key == "content" and not said and ("value" in result or kind in (Kind.TRAIT, Kind.GOAL)):
            own = "value"
        if value is None:
            result.pop(own, None)
        else:
            result[own] = value
    told = {KEYS[key] for key in fields}
    if (
        isinstance(found := result.get("inferred"), list)
        and "inferred" not in fields
        and told.intersection(map(str, found))
    ):
        result["inferred"] = [one for one in found if one not in told]  # said by somebody now
        if not result["inferred"]:
            del result["inferred"]
    if fields and (kind is Kind.SEMANTIC or "updatedAt" in result or "content" in fields):
        result["updatedAt"] = stamp(now_s, ms=ms)
    return result


def stamp(now_s: float, *, ms: bool) -> int | str:
    """Return a time in the form of the file."""
    return to_ms(now_s) if ms else to_exact_iso(now_s)


def vars_of(come_from: Provenance) -> dict[str, str]:
    """Return the provenance by its keys in a record."""
    return {"source": come_from.source, "session": come_from.session, "run": come_from.run}
