"""remember: judge a text by six dimensions, and keep it, join it with what is known, or say why not.

Everything is decided in the role's turn, made true in memory, and acknowledged by one line of the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memd.errors import TrustStateError
from memd.model.relation import Relation
from memd.model.scan import APPROVED, HELD, Danger, Scanned, digest_of_text
from memd.service.memory.offers import (
    Offer,
    RememberRequest,
    check_length,
    check_size,
    look_ahead,
    look_at,
    must_wait,
    read_offer,
    weigh,
)
from memd.service.memory.records import statements_of
from memd.service.memory.screening import approve, beside, make_ready
from memd.service.memory.storing import Built, add, duplicate, hold, refine, refuse
from memd.storage.layout import REVIEW

if TYPE_CHECKING:
    from memd.model.change import Operation
    from memd.model.scores import Verdict
    from memd.service.memory.relating import Related
    from memd.store.role.role import Role
    from memd.store.store import Store


async def remember(
    store: Store, request: RememberRequest, *, approved: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Keep a text or refuse it, with every dimension and its basis; the reply is sent once it is durable.

    `approved`: what waited for review, where a person has seen the text and lets it through; it waits no more from then on.
    """
    offer = await offer_of(store, request, approved=approved is not None)
    role = await store.role(request.role)
    await make_ready(store)
    if approved is None:
        check_size(store, role, offer)
    await look_ahead(store, role, offer)
    async with store.keeping.judging:
        async with role.turn:
            await store.refresh(role)
            if approved is None:
                store.room.scorings.check(store.settings.limits, store.ports.now())
                check_size(store, role, offer)
            offer = look_at(store, role, offer)
            reply, done = _decide(store, role, offer if approved is None else _seen(offer), approved)
        await asyncio.sleep(0)  # in a burst, others have their turn between two offers
    await done
    reply["role"] = role.name
    if reply.pop("let_through", False):
        await _let_through(store, reply)
    return reply


async def offer_of(store: Store, request: RememberRequest, *, approved: bool = False) -> Offer:
    """Return a request as an offer; a text that is longer than any memory may be is refused before it is read."""
    if store.keeping.quarantine.looks.is_long(request.content) and not approved:
        check_length(store, await store.role(request.role), len(request.content))
    return await beside(store, request.content, read_offer, request)


async def _let_through(store: Store, reply: dict[str, Any]) -> None:
    """What the user said may stand in prompts on this machine, though it has the form of an order."""
    try:
        await approve(store, [digest_of_text(reply["content"])])
    except TrustStateError as error:
        reply["remarks"] = [*reply.get("remarks", ()), f"it stays out of prompts until you approve it: {error}"]


def _seen(offer: Offer) -> Offer:
    """Return an offer that a person has seen: of what was found, only secrets count."""
    secrets = tuple(one for one in offer.scanned.found if one.danger is Danger.SECRET)
    return replace(offer, scanned=Scanned(secrets, offer.scanned.clean))


def _decide(
    store: Store, role: Role, offer: Offer, approved: Mapping[str, Any] | None
) -> tuple[dict[str, Any], asyncio.Future[None]]:
    now_s = store.ports.now()
    remarks = check_size(store, role, offer)
    verdict, related = weigh(store, role, offer)
    if approved is not None:
        verdict = replace(verdict, keep=True)
    if must_wait(store, offer):
        reply, build = hold(store, role, offer, verdict, now_s)
    else:
        reply, build = _kept(store, role, offer, verdict, related, now_s)
    reply = with_relation(reply, related, offer)
    if remarks or verdict.remarks:
        reply["remarks"] = [*remarks, *verdict.remarks]

    line = {} if approved is None else _approval(approved, reply, offer)

    def counted(n: int) -> list[Operation]:
        store.room.scorings.add(now_s)
        if not line:
            return build(n)
        store.keeping.quarantine.take(line)
        return [*build(n), store.record(REVIEW, n, line, now_s)]

    def roll_back() -> None:
        store.room.scorings.drop()
        if line:
            store.keeping.quarantine.give_back(line, approved)
        if reply.get("review"):
            store.keeping.quarantine.give_back({"what": HELD, "id": reply["review"]}, None)

    return reply, store.commit(counted, at_s=now_s, roll_back=roll_back)


def _approval(held: Mapping[str, Any], reply: Mapping[str, Any], offer: Offer) -> dict[str, Any]:
    """Return the line that ends the waiting of a text; it is durable with what comes of the text, or not at all."""
    digest = digest_of_text(str(reply.get("content", offer.text)))
    return {"what": APPROVED, "id": held["id"], "memory": reply.get("id"), "digest": digest}


def _kept(store: Store, role: Role, offer: Offer, verdict: Verdict, related: Related | None, now_s: float) -> Built:
    relation = related.judged.relation if related else Relation.UNRELATED
    if related is not None and relation is Relation.DUPLICATE:
        store.recalled.use(role.name, [related.memory.id], now_s)
        return duplicate(store, role, offer, verdict, now_s, related)
    if not verdict.keep:
        return refuse(store, role, offer, verdict, now_s)
    if related is not None and relation is Relation.REFINEMENT:
        return refine(store, role, offer, verdict, now_s, related)
    return add(store, role, offer, verdict, now_s, related)


def with_relation(reply: Mapping[str, Any], related: Related | None, offer: Offer) -> dict[str, Any]:
    """Return a reply with the memory that a text concerns, and what a look at the text found."""
    result = dict(reply)
    if related is not None:
        judged = related.judged
        result["relation"] = {
            "to": related.memory.id,
            "is": judged.relation.value,
            "sure": judged.sure,
            "why": judged.why,
            "content": related.memory.content,
        }
        if related.covers:
            result["relation"]["covers"] = statements_of(related.memory, related.covers)
    if offer.scanned.found:
        result["found"] = [{"danger": one.danger.value, "why": one.why} for one in offer.scanned.found]
    return result
