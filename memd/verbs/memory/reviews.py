"""The verb that lists what waits for a person, and those that decide it: two memories that conflict, a text that was held back.

Three kinds wait: texts that were held back as orders, texts near the gate's edge in the inbox, and memories that say
otherwise than others.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from msgspec import Meta, convert

from memd.engine.keep.succeed import also_taking, both_holding
from memd.errors import (
    BadMemoryError,
    BadParamsError,
    MemdError,
    ReviewUnknownError,
    RoleFullError,
    RoleMemoriesError,
    SupersedeCircleError,
    TrustStateError,
)
from memd.errors.remembering import LEAST_PREFIX
from memd.formats.entry import stamp
from memd.formats.strict_json import dumps
from memd.formats.times import to_iso, to_seconds
from memd.model.change import Change, Operation
from memd.model.memory import WAITING, Source
from memd.model.scan import APPROVED, DROPPED, digest_of_text
from memd.protocol.fields import MaybeRole, MemoryId, Paged, Request
from memd.protocol.keeping import DecidedReview, Remembered
from memd.protocol.memories import (
    ConflictSide,
    ConflictView,
    HeldText,
    Reviews,
    SettledConflict,
    WaitingText,
    WithheldMemory,
)
from memd.service.inbox import Conflict, conflicts_of
from memd.service.judging.offers import RememberRequest, look_at, read_offer
from memd.service.memory.records import find, raw_of, removals, with_id
from memd.service.memory.remember import remember
from memd.service.recent import REVIEW as REVIEWED
from memd.service.recent import outcome, tell_verdicts
from memd.service.screening import approve, make_ready, withheld_why
from memd.storage.layout import REVIEW
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.store.role.role import Role
    from memd.store.store import Store

AT_ONCE = 25  # memories that are looked at without giving others a turn


class ListReviews(Paged):
    """Of which role, and which part of each kind; with `memories`, also those in files that are withheld from prompts."""

    role: MaybeRole = ""
    memories: Annotated[
        bool,
        Meta(
            description="also memories in files that are withheld from prompts; all are looked through, which takes a while"
        ),
    ] = False


SHOWN = tuple(name for name in HeldText.__struct_fields__ if name != "chars")


@verb("review.list")
async def list_reviews(service: Service, asked: ListReviews) -> Reviews:
    """List what waits for a person."""
    store = service.store
    await make_ready(store)
    wanted = (await store.role(asked.role)).name if asked.role else ""
    held = store.keeping.quarantine.held.values()
    texts = [one for one in held if not wanted or one.get("role") == wanted]
    inbox = [one for one in store.keeping.inbox.waiting.values() if not wanted or one.get("role") == wanted]
    nearest = sorted(inbox, key=lambda one: -one["total"])
    await store.roles.look()
    names = [wanted] if wanted else sorted(store.roles)
    conflicts = [one for name in names for one in await conflicts_in(store, store.roles[name])]
    totals = {"held": len(texts), "waiting": len(inbox), "conflicts": len(conflicts)}
    reply = Reviews(
        total=0,
        totals=totals,
        held=[_view(one) for one in asked.part(texts)],
        waiting=[convert({**one, "what": None}, WaitingText) for one in asked.part(nearest)] or None,
        conflicts=asked.part(conflicts) or None,
    )
    if asked.memories:
        withheld = [one for name in names for one in await _withheld(store, store.roles[name])]
        totals["withheld"] = len(withheld)
        reply.withheld = asked.part(withheld)
    reply.total = sum(totals.values())
    return reply


async def _withheld(store: Store, role: Role) -> list[WithheldMemory]:
    async with role.turn:
        await store.look(role)
        memories = list(role.compiled.memories.values())
    found = []
    for number, memory in enumerate(memories):
        why = withheld_why(store, memory.text, memory.content)
        if why:
            found.append(WithheldMemory(memory.id, role.name, memory.content, why))
        if number % AT_ONCE == AT_ONCE - 1:
            await asyncio.sleep(0)
    return found


def _view(held: dict[str, Any]) -> HeldText:
    shown = {key: held[key] for key in SHOWN if held.get(key)}
    return HeldText(**shown, chars=len(dumps(held.get("content", ""))))


# The verb by which a person settles two memories that conflict: the newer holds, the older one, or both.

NEWER, OLDER, BOTH = "newer", "older", "both"
OLDER_HOLDS = "the older one holds"  # a reason in the archive


class SettleConflict(Request):
    """What a person says of two memories that conflict."""

    id: Annotated[str, Meta(min_length=1, max_length=200, description="the conflict's id, or one of either memory")]
    holds: Annotated[
        str,
        Meta(
            pattern="^(newer|older|both)$",
            description="newer takes the older one's place; older sends the newer to the archive; both are not asked again",
        ),
    ]
    role: MaybeRole = ""


async def conflicts_in(store: Store, role: Role) -> list[ConflictView]:
    """Return what conflicts in a role, the latest first."""
    async with role.turn:
        await store.look(role)
        return [
            ConflictView(
                id=one.id, role=role.name, newer=_side(one.newer), older=_side(one.older), why=one.why,
                sure=None if one.sure is None else one.sure,
            )
            for one in conflicts_of(store, role)
        ]  # fmt: skip


@verb(
    "review.settle",
    writes=True,
    errors=(
        ReviewUnknownError,
        SupersedeCircleError,
    ),
)
async def settle_conflict(service: Service, asked: SettleConflict) -> SettledConflict:
    """Say which of two memories that conflict holds, or that both do."""
    store = service.store
    role = await _role_of(store, asked.id, asked.role)
    async with role.turn:
        await store.refresh(role)
        one = _chosen(asked.id, [(role, known) for known in conflicts_of(store, role)])[1]
        now_s = store.ports.now()

        def build(n: int) -> list[Operation]:
            if asked.holds == OLDER:
                return removals(store, role, [one.newer], OLDER_HOLDS, n, now_s)
            return [_superseding(role, one) if asked.holds == NEWER else _beside(role, one, now_s)]

        done = store.commit(build, at_s=now_s)
    await done
    standing = {NEWER: [one.newer.id], OLDER: [one.older.id], BOTH: [one.newer.id, one.older.id]}
    told = outcome(
        "settled", one.newer.id, one.newer.content, f"a person said that {asked.holds} holds", conflict=one.id
    )
    tell_verdicts(store, REVIEWED, role.name, [told])
    hint = f"Take it back with `memd undo {role.name} {one.newer.id[:8]}`."
    return SettledConflict(id=one.id, role=role.name, standing=standing[asked.holds], hint=hint)


def _superseding(role: Role, one: Conflict) -> Change:
    """Return the change by which the newer takes the older's place. What it conflicted with stays: an undo asks again."""
    memories = role.compiled.memories
    if role.compiled.succession.names(one.older.id, one.newer.id, memories):
        raise SupersedeCircleError(one.older.id, one.newer.id, role.name)
    before = raw_of(role, one.newer)
    after = also_taking(one.newer, one.older, memories).put_into(with_id(before, one.newer.id))
    return Change(role.name, one.newer.kind, one.newer.id, before, after)


def _beside(role: Role, one: Conflict, now_s: float) -> Change:
    before = raw_of(role, one.newer)
    at = stamp(now_s, ms=role.file.document.style.ms)
    return Change(
        role.name, one.newer.kind, one.newer.id, before, both_holding(with_id(before, one.newer.id), one.older.id, at)
    )


async def _role_of(store: Store, conflict_id: str, role_name: str) -> Role:
    """Return the role in which something of this id conflicts."""
    await store.roles.look()
    roles = [await store.role(role_name)] if role_name else [store.roles[name] for name in sorted(store.roles)]
    known: list[tuple[Role, Conflict]] = []
    for role in roles:
        async with role.turn:
            await store.look(role)
            known += [(role, one) for one in conflicts_of(store, role)]
    return _chosen(conflict_id, known)[0]


def _chosen(conflict_id: str, known: list[tuple[Role, Conflict]]) -> tuple[Role, Conflict]:
    """Return the one conflict that an id means: its own, or that of either memory where it has no other."""
    fits = [one for one in known if one[1].id == conflict_id]
    if not fits and len(conflict_id) >= LEAST_PREFIX:
        fits = [one for one in known if any(name.startswith(conflict_id) for name in _names(one[1]))]
    if len(fits) != 1:
        raise ReviewUnknownError(conflict_id)
    return fits[0]


def _names(one: Conflict) -> tuple[str, ...]:
    return one.id, one.newer.id, one.older.id


def _side(memory: Memory) -> ConflictSide:
    at = to_iso(memory.when_s) if memory.when_s is not None else None
    return ConflictSide(memory.id, memory.content, at)


# The verb that decides what waits for a person: keep a text, keep an edited one, or drop it; approve a memory of a file.


class DecideReview(Request):
    """What becomes of what waits; with `role`, of a memory in that role's file."""

    id: MemoryId
    verdict: Annotated[
        str,
        Meta(pattern="^(approve|keep|drop)$", description="approve and keep are one: it is stored as a person says so"),
    ]
    content: Annotated[str, Meta(max_length=1_000_000, description="an edited text to keep instead")] = ""
    role: Annotated[str, Meta(max_length=200, description="the id is of a memory of this role")] = ""


@verb(
    "review.decide",
    writes=True,
    errors=(
        BadMemoryError,
        ReviewUnknownError,
        RoleFullError,
        RoleMemoriesError,
        TrustStateError,
    ),
)
async def decide_review(service: Service, asked: DecideReview) -> DecidedReview:
    """Keep, edit or drop a text that waits.

    With a role, one of its memories is approved as it is.
    """
    store = service.store
    await make_ready(store)
    word = cast("Literal['approve', 'keep', 'drop']", asked.verdict)
    if asked.role:
        return await _approve_memory(store, asked)
    value = _held(store, asked.id)
    if word != "drop":
        told = await _let_through(store, _offered(value, asked.content), value)
        return DecidedReview(id=value["id"], verdict=word, remember=convert(told, Remembered))
    if value["what"] == WAITING:
        now_s = store.ports.now()
        steps = store.keeping.inbox.steps(store.record, now_s)
        steps.close(value, DROPPED)
        await store.commit(steps.operations, at_s=now_s, roll_back=steps.roll_back)
    else:
        await _write(store, {"what": DROPPED, "id": value["id"]}, value)
    told = outcome("dropped", value["id"], str(value.get("content", "")), "a person dropped it")
    tell_verdicts(store, REVIEWED, str(value.get("role", "")), [told], session=str(value.get("session", "")))
    return DecidedReview(id=value["id"], verdict="drop")


def _offered(held: dict[str, Any], edited: str) -> RememberRequest:
    """Return what was held, or an edited text in its place, as it is offered by a person."""
    fields = held.get("fields")
    given = held.get("scores") or {}
    return RememberRequest(
        role=str(held.get("role", "")),
        content=edited or str(held.get("content", "")),
        kind=str(held.get("kind", "")),
        fields=fields if isinstance(fields, dict) else {},
        scores={name: (value, basis) for name, (value, basis) in given.items()},
        explicit=True,
        source=Source.USER if held.get("what") == WAITING else str(held.get("source", "")),  # the person says so now
        told_s=to_seconds(held.get("at")) or 0.0,  # and it was told then
        session=str(held.get("session", "")),
        run=str(held.get("run", "")),
    )


async def _let_through(store: Store, request: RememberRequest, held: dict[str, Any]) -> dict[str, Any]:
    """Remember a text that waited and that a person lets through; return the reply.

    The machine's file comes first: where it cannot be written nothing is stored, and after a kill the text still waits.
    """
    role = await store.role(request.role)
    offer = look_at(store, role, read_offer(request))
    if not offer.scanned.orders:
        return await remember(store, request, approved=held, act=REVIEWED)
    digest = digest_of_text(offer.text)
    known = store.keeping.quarantine.is_approved(offer.text)
    await approve(store, [digest])
    try:
        told = await remember(store, request, approved=held, act=REVIEWED)
    except MemdError:
        await _take_word_back(store, digest, known=known)
        raise
    stands = digest_of_text(told.get("content", offer.text))
    if stands != digest:  # it was joined with an older memory, and stands as one text with it
        await approve(store, [stands])
    return told


async def _take_word_back(store: Store, digest: str, *, known: bool) -> None:
    """Let a text not stand in prompts, where the approval of it was refused and it was not let through before."""
    if not known:
        await asyncio.to_thread(store.in_force.trust.disapprove, store.tree, [digest])
        store.keeping.quarantine.trust(store.in_force.trust.trusted.approved)


async def _approve_memory(store: Store, asked: DecideReview) -> DecidedReview:
    if asked.verdict == "drop":
        raise BadParamsError("a memory in a file is dropped with memory.forget")
    role = await store.role(asked.role)
    async with role.turn:
        await store.refresh(role)
        memory = find(role, asked.id)
    digest = digest_of_text(memory.content)
    known = store.keeping.quarantine.is_approved(memory.content)
    await approve(store, [digest])
    try:
        await _write(store, {"what": APPROVED, "id": memory.id, "role": role.name, "digest": digest}, {})
    except MemdError:
        await _take_word_back(store, digest, known=known)
        raise
    return DecidedReview(id=memory.id, role=role.name, verdict="approve", content=memory.content)


async def _write(store: Store, line: dict[str, Any], before: dict[str, Any]) -> None:
    quarantine = store.keeping.quarantine
    now_s = store.ports.now()

    def build(n: int) -> list[Operation]:
        quarantine.take(line)
        return [store.record(REVIEW, n, line, now_s)]

    def roll_back() -> None:
        quarantine.give_back(line, before)

    await store.commit(build, at_s=now_s, roll_back=roll_back)


def _held(store: Store, review_id: str) -> dict[str, Any]:
    held = {**store.keeping.inbox.waiting, **store.keeping.quarantine.held}
    if review_id in held:
        return held[review_id]
    fits = [one for one in held if len(review_id) >= LEAST_PREFIX and one.startswith(review_id)]
    if len(fits) != 1:
        raise ReviewUnknownError(review_id)
    return held[fits[0]]
