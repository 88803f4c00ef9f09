"""How one memory is asked for, and how replies show it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from msgspec import UNSET, Meta, UnsetType, structs

from memd.engine.keep.aging import DAY_S, falls_below, worth_now
from memd.formats.times import to_iso
from memd.model.memory import Memory
from memd.protocol.fields import MemoryId, Request, RoleName, Words
from memd.protocol.views import Aging, MemoryView
from memd.service.memory.records import statements_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memd.model.settings import Settings

COURSE = 24  # moments that are told of the past, and as many of what is to come
AHEAD_S = 365 * DAY_S
MOST_S = 2.5e11  # what lies later is told as never
MOST_RELATED = 500
V = TypeVar("V", bound="MemoryView")


class Said(Request, kw_only=True):
    """What is said of a memory beside its text. Of a change: what is not given stays, and null takes it out."""

    name: Annotated[str, Meta(max_length=200, description="a trait's name")] | UnsetType | None = UNSET
    keys: Annotated[Words, Meta(description="words that bring it to mind, all of them")] | UnsetType | None = UNSET
    tags: Annotated[Words, Meta(description="words it is filed under, all of them")] | UnsetType | None = UNSET
    topics: Annotated[Words, Meta(description="what it is about, all of it")] | UnsetType | None = UNSET
    emotions: (
        Annotated[Words, Meta(description="feelings that go with it; of a new one they are else read from the text")]
        | UnsetType
        | None
    ) = UNSET
    priority: (
        Annotated[int, Meta(ge=0, le=100, description="its priority in recall; else that of its kind")]
        | UnsetType
        | None
    ) = UNSET
    constant: Annotated[bool, Meta(description="it always comes to mind")] | UnsetType | None = UNSET
    validity: (
        Annotated[str, Meta(description="how long it holds: short, medium, long; 短期, 中期, 长期")] | UnsetType | None
    ) = UNSET
    event_start: (
        Annotated[
            str,
            Meta(max_length=40, description="when what it tells happened or will: a day, a month, a year, or ISO 8601"),
        ]
        | UnsetType
        | None
    ) = UNSET
    event_end: (
        Annotated[str, Meta(max_length=40, description="the end of that; a day is meant whole")] | UnsetType | None
    ) = UNSET

    def said(self) -> dict[str, Any]:
        """Return what is given, with what takes something out."""
        return {name: one for name in _left_out(type(self)) if (one := getattr(self, name)) is not UNSET}


@cache
def _left_out(kind: type[Said]) -> tuple[str, ...]:
    """Return what need not be given, and is then not there."""
    return tuple(one.name for one in structs.fields(kind) if one.default is UNSET)


class OfMemory(Request):
    """One memory of a role."""

    role: RoleName
    id: MemoryId


def aging_of(memory: Memory, uses: int, used_s: float | None, now_s: float, settings: Settings) -> Aging:
    """Return what a memory was, is and will be worth. `used_s`: when it last came to mind, None where it never did."""
    floor = settings.upkeep.floor
    below_s = falls_below(memory, uses, used_s, floor)
    begun_s = now_s if memory.when_s is None else min(memory.when_s, now_s)
    told = {begun_s + (now_s - begun_s) * step / COURSE for step in range(COURSE)}
    told |= {now_s + AHEAD_S * step / COURSE for step in range(COURSE + 1)}
    told |= {used_s - 1, used_s} if used_s is not None and begun_s < used_s < now_s else set()
    return Aging(
        now=round(worth_now(memory, uses, used_s, now_s), 2),
        floor=floor,
        below=to_iso(below_s) if below_s is not None and below_s < MOST_S else None,
        expires=to_iso(memory.expires_s) if memory.expires_s is not None else None,
        times=[to_iso(at_s) for at_s in sorted(told)],
        course=[round(worth_now(memory, *_used_by(uses, used_s, at_s), at_s), 2) for at_s in sorted(told)],
    )


def _used_by(uses: int, used_s: float | None, at_s: float) -> tuple[int, float | None]:
    return (0, None) if used_s is None or used_s > at_s else (uses, used_s)


def related_of(record: Mapping[str, Any] | None) -> list[str]:
    """Return the ids that a record says its memory is related to."""
    told = (record or {}).get("related")
    return [one for one in told if isinstance(one, str)][:MOST_RELATED] if isinstance(told, list) else []


def view_of(memory: Memory, shape: type[V], **also: Any) -> V:
    """Return a memory as a reply of this shape shows it, with what else it has; what both have by one name needs no word here."""
    event, held = memory.event, memory.held
    told = {
        **_alike(memory, shape),
        "kind": memory.kind.value,
        "time": to_iso(memory.when_s) if memory.when_s is not None else None,
        "event": (event and event.told) or None,
        "event_start": (event and event.start) or None,
        "event_end": (event and event.end) or None,
        "valid_from": (held and held.start) or None,
        "valid_until": (held and held.end) or None,
        "score": memory.score or None,
        "supersedes": next(iter(memory.supersedes), "") or None,
        "supersedes_all": list(memory.supersedes) or None,
        "covered": statements_of(memory, memory.covered) or None,
        "conflicts_with": list(memory.rivals) or None,
    }
    return shape(**told, **also)


def _alike(memory: Memory, shape: type[V]) -> dict[str, Any]:
    """Return what a shape and a memory have by the same name; what is empty is not there, unless the shape cannot do without."""
    found: dict[str, Any] = {}
    for name, needed in _names(shape):
        value = getattr(memory, name)
        if needed or not (value is False or value in ("", (), None)):
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


@cache
def _names(shape: type[MemoryView]) -> list[tuple[str, bool]]:
    known = Memory.__dataclass_fields__
    return [(one.name, one.required) for one in structs.fields(shape) if one.name in known]
