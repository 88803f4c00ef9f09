"""The verb that decides what waits for a person: keep a text, keep an edited one, or drop it; approve a memory of a file."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from msgspec import Meta, convert

from memd.errors import (
    BadMemoryError,
    BadParamsError,
    MemdError,
    ReviewUnknownError,
    RoleFullError,
    RoleMemoriesError,
    TrustStateError,
)
from memd.errors.remembering import LEAST_PREFIX
from memd.model.memory import WAITING, Source
from memd.model.scan import APPROVED, DROPPED, digest_of_text
from memd.protocol.fields import MemoryId, Request
from memd.protocol.keeping import DecidedReview, Remembered
from memd.service.judging.offers import RememberRequest, look_at, read_offer
from memd.service.memory.records import find
from memd.service.memory.remember import remember
from memd.service.recent import REVIEW as REVIEWED
from memd.service.recent import outcome, tell_verdicts
from memd.service.screening import approve, make_ready
from memd.storage.layout import REVIEW
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.model.change import Operation
    from memd.store.store import Store


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
