"""Make a raw record of memory.json, in the role memory's keys and order, with only what is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memd.formats.times import to_exact_iso, to_ms
from memd.model.memory import Kind

# What a caller may set, and under which key it is kept.
KEYS = {
    "content": "content",
    "name": "name",
    "keys": "keywords",
    "tags": "tags",
    "topics": "relatedTopics",
    "emotions": "emotionalContext",
    "priority": "priority",
    "constant": "isConstant",
    "disabled": "disabled",
    "relevance_weight": "relevanceWeight",
    "emotional_weight": "emotionalWeight",
    "decay_per_day": "timeDecayFactor",
    "confidence": "confidence",
    "speaker": "speaker",
    "turn": "turn",
    "validity": "validity",
    "expires_at": "expiresAt",
    "inferred": "inferred",
    "event_start": "eventStart",
    "event_end": "eventEnd",
    "valid_from": "validFrom",
    "valid_until": "validUntil",
}


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
