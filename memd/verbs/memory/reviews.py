"""The verbs of what waits for a person: list it; approve it, approve an edited text, or drop it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, convert

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
from memd.formats.strict_json import dumps
from memd.model.scan import APPROVED, DROPPED, digest_of_text
from memd.service.memory.offers import RememberRequest, look_at, read_offer
from memd.service.memory.records import find
from memd.service.memory.remember import remember
from memd.service.memory.screening import approve, make_ready, withheld_why
from memd.storage.layout import REVIEW
from memd.verbs.declared import Reply, Request, Service, verb
from memd.verbs.fields import MaybeRole, MemoryId
from memd.verbs.memory.remembering import Remembered

if TYPE_CHECKING:
    from memd.model.change import Operation
    from memd.store.role.role import Role
    from memd.store.store import Store

AT_ONCE = 25  # memories that are looked at without giving others a turn


class ListReviews(Request):
    """Of which role; with `memories`, also those in files that are withheld from prompts."""

    role: MaybeRole = ""
    memories: Annotated[
        bool,
        Meta(
            description="also memories in files that are withheld from prompts; all are looked through, which takes a while"
        ),
    ] = False


class DecideReview(Request):
    """What becomes of a held text; with `role`, of a memory in that role's file."""

    id: MemoryId
    verdict: Annotated[str, Meta(pattern="^(approve|drop)$")]
    content: Annotated[str, Meta(max_length=1_000_000, description="an edited text to approve instead")] = ""
    role: Annotated[str, Meta(max_length=200, description="the id is of a memory of this role")] = ""


class HeldText(Struct, kw_only=True):
    """A text that waits: what its file says of it, which may be a stranger's, so that any but the text may be lacking."""

    id: str | UnsetType = UNSET
    role: str | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    content: str
    fields: (
        Annotated[dict[str, str | int | bool | list[str]], Meta(description="what else would be stored")] | UnsetType
    ) = UNSET
    why: Annotated[str, Meta(description="what is found in it")]
    source: Annotated[str, Meta(description="who offered it")] | UnsetType = UNSET
    session: str | UnsetType = UNSET
    at: Annotated[str, Meta(description="since when it waits")] | UnsetType = UNSET
    chars: Annotated[int, Meta(description="of the text as JSON")]


SHOWN = tuple(name for name in HeldText.__struct_fields__ if name != "chars")


class WithheldMemory(Struct):
    """A memory in a role's file that does not stand in prompts."""

    id: str
    role: str
    content: str
    why: str


class Reviews(Reply):
    """What waits for a person."""

    held: Annotated[list[HeldText], Meta(description="oldest first")]
    withheld: Annotated[list[WithheldMemory], Meta(description="where `memories` was asked")] | UnsetType = UNSET


class DecidedReview(Reply, kw_only=True):
    """What became of it: of a held text, what `remember` answered; of a memory, its role and its text."""

    id: str
    role: str | UnsetType = UNSET
    verdict: Literal["approve", "drop"]
    remember: Remembered | UnsetType = UNSET
    content: str | UnsetType = UNSET


@verb("review.list")
async def list_reviews(service: Service, asked: ListReviews) -> Reviews:
    """List what waits for a person."""
    store = service.store
    await make_ready(store)
    wanted = (await store.role(asked.role)).name if asked.role else ""
    held = store.keeping.quarantine.held.values()
    reply = Reviews(held=[_view(one) for one in held if not wanted or one.get("role") == wanted])
    if asked.memories:
        await store.roles.look()
        names = [wanted] if wanted else sorted(store.roles)
        reply.withheld = [one for name in names for one in await _withheld(store, store.roles[name])]
    return reply


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
    """Approve, edit or drop what waits.

    With a role, one of its memories is approved as it is.
    """
    store = service.store
    await make_ready(store)
    if asked.role:
        return await _approve_memory(store, asked)
    value = _held(store, asked.id)
    if asked.verdict == "approve":
        told = await _let_through(store, _offered(value, asked.content), value)
        return DecidedReview(id=value["id"], verdict="approve", remember=convert(told, Remembered))
    if asked.verdict == "drop":
        await _write(store, {"what": DROPPED, "id": value["id"]}, value)
        return DecidedReview(id=value["id"], verdict="drop")
    raise BadParamsError(f"verdict: {asked.verdict!r} is neither approve nor drop")


def _offered(held: dict[str, Any], edited: str) -> RememberRequest:
    """Return what was held, or an edited text in its place, as it is offered by a person."""
    fields = held.get("fields")
    return RememberRequest(
        role=str(held.get("role", "")),
        content=edited or str(held.get("content", "")),
        kind=str(held.get("kind", "")),
        fields=fields if isinstance(fields, dict) else {},
        explicit=True,
        source=str(held.get("source", "")),
        session=str(held.get("session", "")),
        run=str(held.get("run", "")),
    )


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


async def _let_through(store: Store, request: RememberRequest, held: dict[str, Any]) -> dict[str, Any]:
    """Remember a text that waited and that a person lets through; return the reply.

    The machine's file comes first: where it cannot be written nothing is stored, and after a kill the text still waits.
    """
    role = await store.role(request.role)
    offer = look_at(store, role, read_offer(request))
    digest = digest_of_text(offer.text)
    known = store.keeping.quarantine.is_approved(offer.text)
    await approve(store, [digest])
    try:
        told = await remember(store, request, approved=held)
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
    if asked.verdict != "approve":
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
    held = store.keeping.quarantine.held
    if review_id in held:
        return held[review_id]
    fits = [one for one in held if len(review_id) >= LEAST_PREFIX and one.startswith(review_id)]
    if len(fits) != 1:
        raise ReviewUnknownError(review_id)
    return held[fits[0]]


def _view(held: dict[str, Any]) -> HeldText:
    shown = {key: held[key] for key in SHOWN if held.get(key)}
    return HeldText(**shown, chars=len(dumps(held.get("content", ""))))
