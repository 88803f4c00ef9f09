"""How one memory is asked for, and how replies show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from memd.engine.keep.aging import DAY_S, falls_below, worth_now
from memd.formats.times import to_iso
from memd.service.memory.records import statements_of
from memd.verbs.declared import Reply, Request
from memd.verbs.fields import MemoryId, RoleName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memd.model.memory import Memory
    from memd.model.settings import Settings

COURSE = 24  # moments that are told of the past, and as many of what is to come
AHEAD_S = 365 * DAY_S
MOST_S = 2.5e11  # what lies later is told as never
MOST_RELATED = 500
V = TypeVar("V", bound="MemoryView")


class OfMemory(Request):
    """One memory of a role."""

    role: RoleName
    id: MemoryId


class MemoryView(Reply, kw_only=True):
    """A memory as replies show it: what is empty is not there."""

    id: str
    kind: Annotated[str, Meta(description="episodic, semantic, trait or goal")]
    name: Annotated[str, Meta(description="a trait's name")] | UnsetType = UNSET
    content: str
    keys: list[str] | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    topics: list[str] | UnsetType = UNSET
    emotions: list[str] | UnsetType = UNSET
    inferred: Annotated[list[str], Meta(description="keys of its record that memd found out")] | UnsetType = UNSET
    time: Annotated[str, Meta(description="since when it is remembered")] | UnsetType = UNSET
    priority: int
    constant: Annotated[bool, Meta(description="it is always in mind")]
    event: Annotated[str, Meta(description="when what it tells happened or will, for a reader")] | UnsetType = UNSET
    event_start: Annotated[str, Meta(description="ISO 8601 with an offset")] | UnsetType = UNSET
    event_end: Annotated[str, Meta(description="itself not in it")] | UnsetType = UNSET
    planned: Annotated[bool, Meta(description="that was to come when it was told")] | UnsetType = UNSET
    valid_from: Annotated[str, Meta(description="since when it holds")] | UnsetType = UNSET
    valid_until: Annotated[str, Meta(description="until when it holds")] | UnsetType = UNSET
    disabled: bool | UnsetType = UNSET
    validity: str | UnsetType = UNSET
    score: float | UnsetType = UNSET
    source: Annotated[str, Meta(description="who said so")] | UnsetType = UNSET
    session: str | UnsetType = UNSET
    speaker: Annotated[str, Meta(description="who says it there")] | UnsetType = UNSET
    turn: Annotated[int, Meta(description="the turn of the session")] | UnsetType = UNSET
    run: str | UnsetType = UNSET
    supersedes: Annotated[str, Meta(description="the first of those whose place it took")] | UnsetType = UNSET
    supersedes_all: Annotated[list[str], Meta(description="all whose place it took")] | UnsetType = UNSET
    superseded_by: Annotated[str, Meta(description="what took its place")] | UnsetType = UNSET
    covered: Annotated[list[str], Meta(description="its statements that others took the place of")] | UnsetType = UNSET
    covered_by: Annotated[list[str], Meta(description="what took the place of a part of it")] | UnsetType = UNSET
    holds: Annotated[str, Meta(description="the rest, where others took a part")] | UnsetType = UNSET
    conflicts_with: Annotated[list[str], Meta(description="what took the same place")] | UnsetType = UNSET


class Aging(Struct, kw_only=True):
    """What a memory is worth over time: its score, worn down by age and kept up by use."""

    now: Annotated[float, Meta(description="0 to 10")]
    floor: Annotated[float, Meta(description="`upkeep.floor`: what is worth less is proposed to be forgotten")]
    below: Annotated[str, Meta(description="when it is worth less than that, unless it is used")] | UnsetType = UNSET
    expires: Annotated[str, Meta(description="when its time is over")] | UnsetType = UNSET
    times: Annotated[list[str], Meta(description="from its beginning to a year from now")]
    course: Annotated[
        list[float],
        Meta(
            description="its worth at each of these: as if its uses had all been at the last of them, and without use from now on"
        ),
    ]


class ListedMemory(MemoryView, kw_only=True):
    """A memory among others."""

    expired: Annotated[bool, Meta(description="its time is over")] | UnsetType = UNSET
    forgotten_at: str | UnsetType | None = UNSET
    reason: Annotated[str, Meta(description="why it was forgotten")] | UnsetType = UNSET
    withheld: Annotated[str, Meta(description="why it stays out of prompts")] | UnsetType = UNSET
    worth: (
        Annotated[float, Meta(description="with `figures`: 0 to 10, by its score, its age and its use")] | UnsetType
    ) = UNSET
    uses: Annotated[int, Meta(description="with `figures`: how often it came to mind")] | UnsetType = UNSET
    last_use: str | UnsetType = UNSET
    expires: Annotated[str, Meta(description="with `figures`: when its time is over")] | UnsetType = UNSET
    related: Annotated[list[str], Meta(description="with `figures`: ids that it was linked to")] | UnsetType = UNSET


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
        below=to_iso(below_s) if below_s is not None and below_s < MOST_S else UNSET,
        expires=to_iso(memory.expires_s) if memory.expires_s is not None else UNSET,
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
    """Return a memory as a reply of this shape shows it, with what else it has."""
    return shape(
        id=memory.id,
        kind=memory.kind.value,
        name=memory.name or UNSET,
        content=memory.content,
        keys=list(memory.keys) or UNSET,
        tags=list(memory.tags) or UNSET,
        topics=list(memory.topics) or UNSET,
        emotions=list(memory.emotions) or UNSET,
        inferred=list(memory.inferred) or UNSET,
        time=to_iso(memory.when_s) if memory.when_s is not None else UNSET,
        priority=memory.priority,
        constant=memory.constant,
        event=(memory.event and memory.event.told) or UNSET,
        event_start=(memory.event and memory.event.start) or UNSET,
        event_end=(memory.event and memory.event.end) or UNSET,
        planned=memory.planned or UNSET,
        valid_from=(memory.held and memory.held.start) or UNSET,
        valid_until=(memory.held and memory.held.end) or UNSET,
        disabled=memory.disabled or UNSET,
        validity=memory.validity or UNSET,
        score=memory.score or UNSET,
        source=memory.source or UNSET,
        session=memory.session or UNSET,
        speaker=memory.speaker or UNSET,
        turn=UNSET if memory.turn is None else memory.turn,
        run=memory.run or UNSET,
        supersedes=next(iter(memory.supersedes), "") or UNSET,
        supersedes_all=list(memory.supersedes) or UNSET,
        superseded_by=memory.superseded_by or UNSET,
        covered=statements_of(memory, memory.covered) or UNSET,
        covered_by=list(memory.covered_by) or UNSET,
        holds=memory.holds or UNSET,
        conflicts_with=list(memory.rivals) or UNSET,
        **also,
    )
