"""The verbs of traits and goals: put by name or by what is said; all are replaced only when that is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, convert, structs

from memd.engine.keep.gate import judge
from memd.errors import (
    BadMemoryError,
    BadParamsError,
    MemoryAmbiguousError,
    MemoryUnknownError,
    RoleFullError,
    RoleMemoriesError,
    TrustStateError,
)
from memd.formats.entry import Provenance, changed_record, new_record, to_memory
from memd.model.change import Change, Operation
from memd.model.memory import Kind, Memory
from memd.model.scan import HELD, digest_of_text
from memd.protocol.fields import Request, RoleName, Who
from memd.protocol.memories import Goal, RefusedPut, Trait, UpdatedCollection
from memd.protocol.views import JudgedDimension, JudgedTotal, MemoryView
from memd.service.event_times import times_told
from memd.service.judging.offers import Offer, RememberRequest, look_ahead, look_at, must_wait, score_line, weighted
from memd.service.judging.weighing import weigh
from memd.service.memory.records import find, removals, with_id
from memd.service.memory.storing import hold
from memd.service.screening import approve, make_ready
from memd.text.characters import fingerprint
from memd.verbs.declared import Service, verb
from memd.verbs.memory.memory_views import view_of

if TYPE_CHECKING:
    from memd.model.memory import Verdict
    from memd.store.role.role import Role
    from memd.store.store import Store


Explicit = Annotated[bool, Meta(description="the user asked for it: kept whatever its total, which is at least 8")]


class UpdateTraits(Request):
    """Traits to put, by name."""

    role: RoleName
    traits: Annotated[list[Trait], Meta(max_length=500)]
    replace_all: Annotated[bool, Meta(description="archive the traits that are not named")] = False
    explicit: Explicit = False
    source: Who = "agent"


class UpdateGoals(Request):
    """Goals to put."""

    role: RoleName
    goals: Annotated[list[Goal], Meta(max_length=500)]
    replace_all: Annotated[bool, Meta(description="archive the goals that are not named")] = False
    explicit: Explicit = False
    source: Who = "agent"


@dataclass(slots=True)
class _Puts:
    """What is to be put: a change for each item, and how each was judged."""

    changes: list[Change] = field(default_factory=list)
    judged: list[tuple[str, Offer, Verdict]] = field(default_factory=list)
    refused: list[RefusedPut] = field(default_factory=list)
    unput: set[str] = field(default_factory=set)  # ids of what stays as it is, as its new value was refused
    said: list[str] = field(default_factory=list)  # digests of what the user says in the form of a rule
    held: list[tuple[dict[str, Any], Callable[[int], list[Operation]]]] = field(default_factory=list)

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
            await _put(store, role, kind, item, puts, asked=asked, now_s=now_s)
            await asyncio.sleep(0)  # each is judged; others have their turn between two
        changes = puts.changes
        gone = _others(role, kind, puts.ids | puts.unput) if asked.replace_all else []

        def build(n: int) -> list[Operation]:
            removed = removals(store, role, gone, "replaced", n, now_s)
            lines = [score_line(store, role, n, offer, told, one, now_s) for one, offer, told in puts.judged]
            held = [operation for _, holding in puts.held for operation in holding(n)]
            return [*changes, *removed, *lines, *held]

        def roll_back() -> None:
            for reply, _ in puts.held:
                store.keeping.quarantine.give_back({"what": HELD, "id": reply["review"]}, None)

        done = store.commit(build, at_s=now_s, roll_back=roll_back)
        updated = _updated(role, kind, puts, gone)
    await done
    if puts.said:
        remarks = await _let_through(store, puts.said)
        updated.remarks = remarks or None
    return updated


def _updated(role: Role, kind: Kind, puts: _Puts, gone: Iterable[Memory]) -> UpdatedCollection:
    return UpdatedCollection(
        role=role.name,
        added=[change.id for change in puts.changes if change.before is None],
        updated=[change.id for change in puts.changes if change.before is not None],
        archived=[memory.id for memory in gone],
        scores={memory_id: _told(verdict) for memory_id, _, verdict in puts.judged},
        refused=puts.refused or None,
        memories=[view_of(one, MemoryView) for one in role.compiled.memories.values() if one.kind is kind],
    )


async def _let_through(store: Store, digests: Collection[str]) -> list[str]:
    """Let stand in prompts what the user said in the form of a rule; return what is to be told where that cannot be kept."""
    try:
        await approve(store, digests)
    except TrustStateError as error:
        return [f"it stays out of prompts until you approve it: {error}"]
    return []


async def _put(
    store: Store,
    role: Role,
    kind: Kind,
    item: Trait | Goal,
    puts: _Puts,
    *,
    asked: UpdateTraits | UpdateGoals,
    now_s: float,
) -> None:
    """Add what puts one item in its place, or why it is refused. Errors: BadMemoryError, BadParamsError."""
    ms = role.file.document.style.ms
    if not item.value.strip():
        raise BadMemoryError("a value is empty")
    older = _match(role, kind, item, puts.ids)
    if older is not None and older.id in puts.ids:
        raise BadParamsError(f"{older.id} is named twice")
    offer = _offered(role, kind, item, asked)
    await look_ahead(store, role, offer)
    offer = look_at(store, role, offer)
    verdict = _scored(store, role, offer, older)
    if _is_refused(store, role, item, offer, verdict, puts, now_s, older):
        return
    is_new = older is None or older.content != item.value
    fields = {**_fields(item), **(times_told(store, role, item.value, now_s) if is_new else {})}
    if older is None:
        memory_id = store.ports.new_id()
        before, come_from = None, Provenance(asked.source)
        after = new_record(kind, memory_id, fields, come_from, score=verdict.total, now_s=now_s, ms=ms)
    else:
        memory_id, before = older.id, role.raw(kind, older.id)
        if before is None:
            raise MemoryUnknownError(role.name, older.id)
        after = changed_record(with_id(before, older.id), kind, fields, now_s=now_s, ms=ms)
        after |= {"score": verdict.total, "source": asked.source}
    to_memory(after, kind, memory_id)  # or BadMemoryError
    if offer.scanned.orders:
        puts.said.append(digest_of_text(item.value))
    puts.changes.append(Change(role.name, kind, memory_id, before, after))
    puts.judged.append((memory_id, offer, verdict))


def _is_refused(
    store: Store, role: Role, item: Trait | Goal, offer: Offer, verdict: Verdict, puts: _Puts, now_s: float,
    older: Memory | None,
) -> bool:  # fmt: skip
    """Tell whether an item is not put, and note why: an order waits for a person; what is below the floor is refused."""
    waits = must_wait(store, offer)
    if not waits and (verdict.total >= store.settings_of(role).gate.warn_from or _says_the_same(item, older)):
        return False
    told: dict[str, Any] = {}
    if waits:
        told, build = hold(store, role, offer, verdict, now_s)
        puts.held.append((told, build))
    if older is not None:
        puts.unput.add(older.id)
    puts.refused.append(
        RefusedPut(
            name=offer.fields.get("name") or None, value=item.value, total=verdict.total,
            reason=told.get("reason", verdict.reason), hint=told.get("hint", verdict.hint), review=told.get("review", None),
        )
    )  # fmt: skip
    return True


def _says_the_same(item: Trait | Goal, older: Memory | None) -> bool:
    """Tell whether a value stands there already: then only what goes with it is put."""
    return older is not None and fingerprint(older.content) == fingerprint(item.value)


def _fields(item: Trait | Goal) -> Mapping[str, Any]:
    """Return what an item gives its record: what it does not say stays, and its value is the content."""
    given = {name: value for name, value in structs.asdict(item).items() if name != "id" and value is not None}
    return {"content" if name == "value" else name: value for name, value in given.items()}


def _offered(role: Role, kind: Kind, item: Trait | Goal, asked: UpdateTraits | UpdateGoals) -> Offer:
    """Return an item as an offer, as remember has it."""
    request = RememberRequest(role.name, item.value, kind.value, explicit=asked.explicit, source=asked.source, put=True)
    fields = {key: value for key, value in _fields(item).items() if key != "content"}
    return Offer(request, item.value, kind, {"validity": "", "tags": [], **fields}, {}, None)


def _scored(store: Store, role: Role, offer: Offer, older: Memory | None) -> Verdict:
    """Judge what is put, under its name; a new value of what is known matters as any change does."""
    name = str(offer.fields.get("name") or "")
    verdict = weigh(store, role, replace(offer, text=f"{name}: {offer.text}") if name else offer).verdict
    settings, raised = store.settings_of(role).gate, f"it changes memory {older.id[:8]}" if older else ""
    if older is None or verdict.keep or verdict.total < settings.warn_from:
        return verdict
    return judge(verdict.ratings, {}, explicit=offer.request.explicit, settings=settings, raised=raised)


def _told(verdict: Verdict) -> JudgedTotal:
    dimensions = convert(weighted(verdict), dict[str, JudgedDimension])
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
