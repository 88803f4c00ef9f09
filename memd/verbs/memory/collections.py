"""The verbs of traits and goals: put by name or by what is said; all are replaced only when that is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct, structs

from memd.errors import (
    BadMemoryError,
    BadParamsError,
    MemoryAmbiguousError,
    MemoryUnknownError,
    RoleFullError,
    RoleMemoriesError,
)
from memd.formats.entry import to_memory
from memd.formats.entry_writer import Provenance, changed_record, new_record
from memd.model.change import Change, Operation
from memd.model.memory import Kind, Memory
from memd.service.event_times import times_told
from memd.service.judging.weighing import weigh
from memd.service.memory.archiving import removals
from memd.service.memory.offers import Offer, RememberRequest, score_line
from memd.service.memory.records import find, with_id
from memd.service.memory.screening import make_ready
from memd.text.fold import fingerprint
from memd.verbs.declared import Reply, Request, Service, verb
from memd.verbs.fields import RoleName, Share, Who, Words
from memd.verbs.memory.judged import JudgedDimension, JudgedTotal
from memd.verbs.memory.memory_views import MemoryView, view_of

if TYPE_CHECKING:
    from memd.model.scores import Verdict
    from memd.store.role.role import Role
    from memd.store.store import Store


class Trait(Struct, forbid_unknown_fields=True):
    """A trait by its name."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    value: Annotated[str, Meta(min_length=1, max_length=100_000)]
    keys: Words | None = None
    priority: Annotated[int, Meta(ge=0, le=100)] | None = None
    confidence: Share | None = None
    constant: bool | None = None


class Goal(Struct, forbid_unknown_fields=True):
    """A goal, by its id or by what it says."""

    value: Annotated[str, Meta(min_length=1, max_length=100_000)]
    id: str | None = None
    keys: Words | None = None
    priority: Annotated[int, Meta(ge=0, le=100)] | None = None
    constant: bool | None = None


class UpdateTraits(Request):
    """Traits to put, by name."""

    role: RoleName
    traits: Annotated[list[Trait], Meta(max_length=500)]
    replace_all: Annotated[bool, Meta(description="archive the traits that are not named")] = False
    source: Who = "agent"


class UpdateGoals(Request):
    """Goals to put."""

    role: RoleName
    goals: Annotated[list[Goal], Meta(max_length=500)]
    replace_all: Annotated[bool, Meta(description="archive the goals that are not named")] = False
    source: Who = "agent"


class UpdatedCollection(Reply):
    """All traits, or all goals, of a role, and what became of them; by ids."""

    role: str
    added: list[str]
    updated: list[str]
    archived: list[str]
    scores: Annotated[dict[str, JudgedTotal], Meta(description="by id")]
    memories: Annotated[list[MemoryView], Meta(description="all of the kind, as they are now")]


@dataclass(slots=True)
class _Puts:
    """What is to be put: a change for each item, and how each was judged."""

    changes: list[Change] = field(default_factory=list)
    judged: list[tuple[str, Offer, Verdict]] = field(default_factory=list)

    @property
    def ids(self) -> set[str]:
        """The ids of what is put."""
        return {change.id for change in self.changes}


@verb(
    "traits.update",
    writes=True,
    errors=(
        BadMemoryError,
        MemoryAmbiguousError,
        MemoryUnknownError,
        RoleFullError,
        RoleMemoriesError,
    ),
)
async def update_traits(service: Service, asked: UpdateTraits) -> UpdatedCollection:
    """Put traits by name."""
    names = [fingerprint(trait.name) for trait in asked.traits]
    if twice := next((trait.name for trait in asked.traits if names.count(fingerprint(trait.name)) > 1), ""):
        raise BadParamsError(f"{twice!r:.82} is named twice")
    return await _update_all(service.store, Kind.TRAIT, asked, asked.traits)


@verb(
    "goals.update",
    writes=True,
    errors=(
        BadMemoryError,
        MemoryAmbiguousError,
        MemoryUnknownError,
        RoleFullError,
        RoleMemoriesError,
    ),
)
async def update_goals(service: Service, asked: UpdateGoals) -> UpdatedCollection:
    """Put goals by id or by what they say."""
    return await _update_all(service.store, Kind.GOAL, asked, asked.goals)


async def _update_all(
    store: Store, kind: Kind, asked: UpdateTraits | UpdateGoals, items: Sequence[Trait | Goal]
) -> UpdatedCollection:
    """Put each item over the one it names, or as a new one."""
    role = await store.role(asked.role)
    await make_ready(store)
    async with role.turn:
        await store.refresh(role)
        now_s = store.ports.now()
        if not items and not asked.replace_all:
            raise BadParamsError("nothing to update was given")
        puts = _Puts()
        for item in items:
            _put(store, role, kind, item, puts, source=asked.source, now_s=now_s)
            await asyncio.sleep(0)  # each is judged; others have their turn between two
        changes = puts.changes
        gone = _others(role, kind, puts.ids) if asked.replace_all else []

        def build(n: int) -> list[Operation]:
            removed = removals(store, role, gone, "replaced", n, now_s)
            lines = [score_line(store, role, n, offer, told, one, now_s) for one, offer, told in puts.judged]
            return [*changes, *removed, *lines]

        done = store.commit(build, at_s=now_s)
        updated = UpdatedCollection(
            role=role.name,
            added=[change.id for change in changes if change.before is None],
            updated=[change.id for change in changes if change.before is not None],
            archived=[memory.id for memory in gone],
            scores={memory_id: _told(verdict) for memory_id, _, verdict in puts.judged},
            memories=[view_of(one, MemoryView) for one in role.compiled.memories.values() if one.kind is kind],
        )
    await done
    return updated


def _put(store: Store, role: Role, kind: Kind, item: Trait | Goal, puts: _Puts, *, source: str, now_s: float) -> None:
    """Add what puts one item in its place, or raise BadMemoryError or BadParamsError."""
    ms = role.file.document.style.ms
    if not item.value.strip():
        raise BadMemoryError("a value is empty")
    fields = _fields(item)
    older = _match(role, kind, item, puts.ids)
    if older is None or older.content != item.value:
        fields = {**fields, **times_told(store, role, item.value, now_s)}
    if older is not None and older.id in puts.ids:
        raise BadParamsError(f"{older.id} is named twice")
    offer, verdict = _scored(store, role, kind, item.value)
    if older is None:
        memory_id = store.ports.new_id()
        before = None
        after = new_record(kind, memory_id, fields, Provenance(source), score=verdict.total, now_s=now_s, ms=ms)
    else:
        memory_id = older.id
        before = role.raw(kind, older.id)
        if before is None:
            raise MemoryUnknownError(role.name, older.id)
        base = with_id(before, older.id)
        after = changed_record(base, kind, fields, now_s=now_s, ms=ms) | {"score": verdict.total, "source": source}
    to_memory(after, kind, memory_id)
    puts.changes.append(Change(role.name, kind, memory_id, before, after))
    puts.judged.append((memory_id, offer, verdict))


def _fields(item: Trait | Goal) -> Mapping[str, Any]:
    """Return what an item gives its record: what it does not say stays, and its value is the content."""
    given = {name: value for name, value in structs.asdict(item).items() if name != "id" and value is not None}
    return {"content" if name == "value" else name: value for name, value in given.items()}


def _scored(store: Store, role: Role, kind: Kind, content: str) -> tuple[Offer, Verdict]:
    """Judge what is put as remember judges what it is told explicitly: it is kept, and its score is told and kept with it."""
    request = RememberRequest(role.name, content, kind.value, explicit=True, put=True)
    offer = Offer(request, content, kind, {"validity": "", "tags": []}, {}, None)
    return offer, weigh(store, role, offer).verdict


def _told(verdict: Verdict) -> JudgedTotal:
    dimensions = {
        one.value: JudgedDimension(rating.value, rating.given, rating.basis) for one, rating in verdict.ratings.items()
    }
    return JudgedTotal(verdict.total, verdict.computed_total, verdict.band.value, dimensions)


def _match(role: Role, kind: Kind, item: Trait | Goal, used: Collection[str]) -> Memory | None:
    """Return the memory an item is a new state of: by id, by name, or by saying the same."""
    if isinstance(item, Goal) and item.id:
        named = find(role, item.id)
        if named.kind is not kind:
            raise BadParamsError(f"{named.id} is of kind {named.kind.value}, not {kind.value}")
        return named
    mine = [one for one in role.compiled.memories.values() if one.kind is kind and one.id not in used]
    name = fingerprint(item.name) if isinstance(item, Trait) else ""
    if name:
        return next((one for one in mine if fingerprint(one.name) == name), None)
    said = fingerprint(item.value)
    return next((one for one in mine if fingerprint(one.content) == said), None)


def _others(role: Role, kind: Kind, kept: Collection[str]) -> list[Memory]:
    return [one for one in role.compiled.memories.values() if one.kind is kind and one.id not in kept]
