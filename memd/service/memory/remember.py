"""remember: judge a text by six dimensions, and keep it, join it with what is known, or say why not.

Everything is decided in the role's turn, made true in memory, and acknowledged by one line of the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memd.errors import TrustStateError
from memd.model.change import Operation
from memd.model.relation import Relation
from memd.model.scan import Danger, Scanned
from memd.model.scores import Verdict
from memd.service.looks import is_long
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
from memd.service.memory.quarantine import APPROVED, HELD, digest_of_text
from memd.service.memory.records import statements_of
from memd.service.memory.relating import Related
from memd.service.memory.screening import approve, beside, make_ready
from memd.service.memory.storing import Built, duplicate, hold, refine, refuse, store
from memd.service.role import Role
from memd.service.workspace import Workspace
from memd.storage.layout import REVIEW


async def remember(
    workspace: Workspace, request: RememberRequest, *, approved: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Keep a text or refuse it, with every dimension and its basis; the reply is sent once it is durable.

    `approved`: what waited for review, where a person has seen the text and lets it through; it waits no more from then on.
    """
    offer = await offer_of(workspace, request, approved=approved is not None)
    role = await workspace.role(request.role)
    await make_ready(workspace)
    if approved is None:
        check_size(workspace, role, offer)
    await look_ahead(workspace, role, offer)
    async with workspace.keeping.judging:
        async with role.turn:
            await workspace.refresh(role)
            if approved is None:
                workspace.scorings.check(workspace.settings.limits, workspace.ports.now())
                check_size(workspace, role, offer)
            offer = look_at(workspace, role, offer)
            reply, done = _decide(workspace, role, offer if approved is None else _seen(offer), approved)
        await asyncio.sleep(0)  # in a burst, others have their turn between two offers
    await done
    reply["role"] = role.name
    if reply.pop("let_through", False):
        await _let_through(workspace, reply)
    return reply


async def offer_of(workspace: Workspace, request: RememberRequest, *, approved: bool = False) -> Offer:
    """Return a request as an offer; a text that is longer than any memory may be is refused before it is read."""
    if is_long(request.content) and not approved:
        check_length(workspace, await workspace.role(request.role), len(request.content))
    return await beside(workspace, request.content, read_offer, request)


async def _let_through(workspace: Workspace, reply: dict[str, Any]) -> None:
    """What the user said may stand in prompts on this machine, though it has the form of an order."""
    try:
        await approve(workspace, [digest_of_text(reply["content"])])
    except TrustStateError as error:
        reply["remarks"] = [*reply.get("remarks", ()), f"it stays out of prompts until you approve it: {error}"]


def _seen(offer: Offer) -> Offer:
    """Return an offer that a person has seen: of what was found, only secrets count."""
    secrets = tuple(one for one in offer.scanned.found if one.danger is Danger.SECRET)
    return replace(offer, scanned=Scanned(secrets, offer.scanned.clean))


def _decide(
    workspace: Workspace, role: Role, offer: Offer, approved: Mapping[str, Any] | None
) -> tuple[dict[str, Any], asyncio.Future[None]]:
    now_s = workspace.ports.now()
    remarks = check_size(workspace, role, offer)
    verdict, related = weigh(workspace, role, offer)
    if approved is not None:
        verdict = replace(verdict, keep=True)
    if must_wait(workspace, offer):
        reply, build = hold(workspace, role, offer, verdict, now_s)
    else:
        reply, build = _kept(workspace, role, offer, verdict, related, now_s)
    reply = with_relation(reply, related, offer)
    if remarks or verdict.remarks:
        reply["remarks"] = [*remarks, *verdict.remarks]

    line = {} if approved is None else _approval(approved, reply, offer)

    def counted(n: int) -> list[Operation]:
        workspace.scorings.add(now_s)
        if not line:
            return build(n)
        workspace.keeping.quarantine.take(line)
        return [*build(n), workspace.record(REVIEW, n, line, now_s)]

    def roll_back() -> None:
        workspace.scorings.drop()
        if line:
            workspace.keeping.quarantine.give_back(line, approved)
        if reply.get("review"):
            workspace.keeping.quarantine.give_back({"what": HELD, "id": reply["review"]}, None)

    return reply, workspace.commit(counted, at_s=now_s, roll_back=roll_back)


def _approval(held: Mapping[str, Any], reply: Mapping[str, Any], offer: Offer) -> dict[str, Any]:
    """Return the line that ends the waiting of a text; it is durable with what comes of the text, or not at all."""
    digest = digest_of_text(str(reply.get("content", offer.text)))
    return {"what": APPROVED, "id": held["id"], "memory": reply.get("id"), "digest": digest}


def _kept(
    workspace: Workspace, role: Role, offer: Offer, verdict: Verdict, related: Related | None, now_s: float
) -> Built:
    relation = related.judged.relation if related else Relation.UNRELATED
    if related is not None and relation is Relation.DUPLICATE:
        workspace.recalled.use(role.name, [related.memory.id], now_s)
        return duplicate(workspace, role, offer, verdict, now_s, related)
    if not verdict.keep:
        return refuse(workspace, role, offer, verdict, now_s)
    if related is not None and relation is Relation.REFINEMENT:
        return refine(workspace, role, offer, verdict, now_s, related)
    return store(workspace, role, offer, verdict, now_s, related)


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
