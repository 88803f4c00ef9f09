"""remember: judge a text by six dimensions, and keep it, join it with what is known, or say why not.

Everything is decided in the role's turn, made true in memory, and acknowledged by one line of the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memd.engine.keep.gate import CONSTANT, FEELINGS, MOST_STANDING, standing_among
from memd.errors import TrustStateError
from memd.model.change import Relation
from memd.model.memory import WAITING
from memd.model.scan import APPROVED, HELD, Danger, Scanned, digest_of_text
from memd.model.scene import Emotion
from memd.service.event_times import dated, of_another_day
from memd.service.inbox import Edge, edge_of, held, let_out, named
from memd.service.judging.offers import (
    Offer,
    RememberRequest,
    as_meant,
    check_length,
    check_size,
    look_ahead,
    look_at,
    must_wait,
    read_offer,
)
from memd.service.judging.relating import Standing
from memd.service.judging.vectors import Vectors, vectors_of
from memd.service.judging.weighing import Weighed, as_before, weigh
from memd.service.memory.records import statements_of
from memd.service.memory.storing import Built, add, duplicate, hold, refine, refuse
from memd.service.recent import outcome_of, tell_verdicts
from memd.service.screening import approve, beside, make_ready
from memd.storage.layout import REVIEW

if TYPE_CHECKING:
    from memd.model.change import Operation
    from memd.model.memory import Verdict
    from memd.service.judging.relating import Related
    from memd.store.keep.inbox import Steps
    from memd.store.keep.provisional import Noted
    from memd.store.role.role import Role
    from memd.store.store import Store

NEW = ("stored", "superseding", "redacted", "would store", "would supersede")  # verdicts of a memory of its own
FULL = f"{MOST_STANDING} such memories are constant already, so it is an ordinary trait"


async def remember(
    store: Store, request: RememberRequest, *, approved: Mapping[str, Any] | None = None, act: str = "remember"
) -> dict[str, Any]:
    """Keep a text or refuse it, with every dimension and its basis; the reply is sent once it is durable.

    `approved`: what waited for review, where a person has seen the text and lets it through; it waits no more from then on.
    `act`: how it came to be offered, as it is told.
    """
    looks = store.roles.seen.begun
    offer, role = await come_in(store, request, approved=approved is not None)
    vectors = await vectors_of(store, role, look_at(store, role, offer))
    async with store.keeping.judging:
        async with role.turn:
            await store.refresh(role, looks)
            if approved is None:
                store.room.scorings.check(store.settings.limits, store.ports.now())
                check_size(store, role, offer)
            offer = as_meant(role, look_at(store, role, offer))
            reply, done = _decide(store, role, offer if approved is None else _seen(offer), vectors, approved)
        await asyncio.sleep(0)  # in a burst, others have their turn between two offers
    await done
    reply["role"] = role.name
    await let_through(store, reply)
    turn = int(request.fields.get("turn") or 0)
    tell_verdicts(store, act, role.name, [outcome_of(reply, offer.text)], session=request.session, turn=turn)
    return reply


async def come_in(store: Store, request: RememberRequest, *, approved: bool = False) -> tuple[Offer, Role]:
    """Return a request as an offer that can be looked at without waiting, and its role.

    In a burst one after the other, so that others have their turn between two; a long text is read beside the loop anyway.
    """
    if request.role not in store.roles:
        await store.role(request.role)  # what is read from the disk first keeps nobody else waiting
    long = store.keeping.quarantine.looks.is_long(request.content)
    async with nullcontext() if long else store.keeping.looking:
        await make_ready(store)
        role = await store.role(request.role)
        offer = await _offer_of(store, request, role, approved=approved)
        if not approved:
            check_size(store, role, offer)
        await look_ahead(store, role, offer)
    return offer, role


async def _offer_of(store: Store, request: RememberRequest, role: Role, *, approved: bool) -> Offer:
    """Return a request as an offer; a text that is longer than any memory may be is refused before it is read."""
    if store.keeping.quarantine.looks.is_long(request.content) and not approved:
        check_length(store, role, len(request.content))
    return await beside(store, request.content, read_offer, request)


async def let_through(store: Store, reply: dict[str, Any]) -> None:
    """What the user said may stand in prompts on this machine, though it has the form of an order."""
    if not reply.pop("let_through", False):
        return
    try:
        await approve(store, [digest_of_text(reply["content"])])
    except TrustStateError as error:
        reply["remarks"] = [*reply.get("remarks", ()), f"it stays out of prompts until you approve it: {error}"]


def _seen(offer: Offer) -> Offer:
    """Return an offer that a person has seen: of what was found, only secrets count."""
    secrets = tuple(one for one in offer.scanned.found if one.danger is Danger.SECRET)
    return replace(offer, scanned=Scanned(secrets, offer.scanned.clean))


def _decide(
    store: Store, role: Role, offer: Offer, vectors: Vectors, approved: Mapping[str, Any] | None
) -> tuple[dict[str, Any], asyncio.Future[None]]:
    now_s = store.ports.now()
    weighed = judged(store, role, offer, vectors, now_s)
    return carry_out(store, role, weighed, vectors, now_s, approved)


def carry_out(
    store: Store,
    role: Role,
    weighed: Weighed,
    vectors: Vectors,
    now_s: float,
    approved: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], asyncio.Future[None]]:
    """Do what an offer was judged to come to; return the reply, and what ends when it is durable."""
    offer, verdict, (related, doubted) = weighed.offer, weighed.verdict, weighed.standing
    remarks = check_size(store, role, offer)
    by_words = vectors.late and approved is None and not offer.scanned.orders
    offer = named(store, offer) if by_words else offer
    if approved is not None:
        verdict = replace(verdict, keep=True)
    edge = None
    if must_wait(store, offer):
        reply, build = hold(store, role, offer, verdict, now_s)
    else:
        edge = _edge(store, role, offer, verdict, related, now_s, approved)
        reply, build = _kept(store, role, offer, edge, related, doubted, now_s)
        edge.tell(reply)
    reply = with_inferred(with_relation(with_parts(reply, weighed, vectors), related, offer), role, offer)
    if remarks or verdict.remarks:
        reply["remarks"] = [*remarks, *verdict.remarks, *reply.get("remarks", ())]

    later = held(store, role, offer, verdict, reply, now_s) if by_words and edge else None
    seen = approved if approved and approved.get("what") == HELD else None
    beside = [one for one in (edge.steps if edge else None, later) if one is not None]
    return reply, _committed(
        store, (reply, build), beside, (seen, _approval(seen, reply, offer) if seen else {}), now_s
    )


def _committed(
    store: Store, built: Built, beside: list[Steps | Noted], approval: tuple[Mapping[str, Any] | None, dict[str, Any]],
    now_s: float,
) -> asyncio.Future[None]:  # fmt: skip
    """Commit what an offer comes to in one step with what is `beside` it; `approval`: what a person has seen, and its line."""
    (reply, build), (seen, line) = built, approval

    def counted(n: int) -> list[Operation]:
        store.room.scorings.add(now_s)
        operations = [*build(n), *(one for some in beside for one in some.operations(n))]
        if not line:
            return operations
        store.keeping.quarantine.take(line)
        return [*operations, store.record(REVIEW, n, line, now_s)]

    def roll_back() -> None:
        store.room.scorings.drop()
        for steps in beside[::-1]:
            steps.roll_back()
        if line:
            store.keeping.quarantine.give_back(line, seen)
        if reply.get("review"):
            store.keeping.quarantine.give_back({"what": HELD, "id": reply["review"]}, None)

    return store.commit(counted, at_s=now_s, roll_back=roll_back)


def judged(store: Store, role: Role, offer: Offer, vectors: Vectors, now_s: float) -> Weighed:
    """Return an offer as it is judged: its times resolved, beside what is known of the same day."""
    weighed = weigh(store, role, dated(store, role, offer, offer.request.told_s or now_s), vectors)
    weighed = as_before(store, role, offer, weighed, late=vectors.late)
    related, doubted = weighed.standing
    if of_another_day(weighed.offer, related, now_s):
        related = None
    if related is not None and _told_before(offer, related):
        related, doubted = None, related
    if related is not None or of_another_day(weighed.offer, doubted, now_s):
        doubted = None
    offer = settled(store, role, weighed.offer, related)
    return weighed._replace(offer=offer, standing=Standing(related, doubted))


def _told_before(offer: Offer, related: Related) -> bool:
    """Tell whether a text that waited was told before what it would end: which of them holds, a person says."""
    told_s, ends = offer.request.told_s, related.judged.relation is Relation.CONTRADICTION
    return ends and told_s > 0 and (related.memory.when_s or 0.0) > told_s


def _approval(held: Mapping[str, Any], reply: Mapping[str, Any], offer: Offer) -> dict[str, Any]:
    """Return the line that ends the waiting of a text; it is durable with what comes of the text, or not at all."""
    digest = digest_of_text(str(reply.get("content", offer.text)))
    return {"what": APPROVED, "id": held["id"], "memory": reply.get("id"), "digest": digest}


def _edge(
    store: Store, role: Role, offer: Offer, verdict: Verdict, related: Related | None, now_s: float,
    approved: Mapping[str, Any] | None,
) -> Edge:  # fmt: skip
    if approved is not None and approved.get("what") == WAITING:
        return let_out(store, approved, verdict, now_s)
    duplicate = related is not None and related.judged.relation is Relation.DUPLICATE
    return edge_of(store, role, offer, verdict, duplicate=duplicate, now_s=now_s)


def _kept(
    store: Store, role: Role, offer: Offer, edge: Edge, related: Related | None, doubted: Related | None, now_s: float
) -> Built:
    relation, verdict = related.judged.relation if related else Relation.UNRELATED, edge.verdict
    if related is not None and relation is Relation.DUPLICATE:
        store.recalled.use(role.name, [related.memory.id], now_s)
        return duplicate(store, role, offer, verdict, now_s, related)
    if not verdict.keep:
        return refuse(store, role, offer, verdict, now_s, edge.id)
    if related is not None and relation is Relation.REFINEMENT:
        return refine(store, role, offer, verdict, now_s, related)
    return add(store, role, offer, verdict, now_s, related, doubted)


def with_parts(reply: Mapping[str, Any], weighed: Weighed, vectors: Vectors) -> dict[str, Any]:
    """Return a reply with the statements of the text, and that words alone judged it where the model had no time."""
    result = dict(reply)
    if weighed.parts:
        result["statements"] = [{"text": one.text, "total": one.total} for one in weighed.parts]
    if vectors.late:
        result["provisional"] = True
    return result


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


def settled(store: Store, role: Role, offer: Offer, related: Related | None) -> Offer:
    """Return an offer with what it is kept with: constant, where there is room for it, and the feeling it has."""
    fields, found = dict(offer.fields), list(offer.inferred)
    if offer.meant.standing is not None and _has_room(role, related):
        fields["constant"] = True
        found.append(CONSTANT)
    if not fields.get("emotions") and offer.meant.standing is None and store.settings_of(role).trigger.emotional:
        mood = store.lexicon.look(store.tree).read(offer.text)
        if mood.emotion is not Emotion.NEUTRAL:
            fields["emotions"] = [mood.emotion.value]
            found.append(FEELINGS)
    if found:
        fields["inferred"] = found
    return replace(offer, fields=fields, inferred=tuple(found))


def _has_room(role: Role, related: Related | None) -> bool:
    """Tell whether one more may be constant; what takes the place of one that is needs none."""
    memories = role.compiled.memories
    older = related.memory if related and related.judged.relation is Relation.CONTRADICTION else None
    if older is not None and older.constant and CONSTANT in older.inferred:
        return True
    return standing_among(memories[one] for one in role.compiled.constants) < MOST_STANDING


def with_inferred(reply: Mapping[str, Any], role: Role, offer: Offer) -> dict[str, Any]:
    """Return a reply with what memd found out of a text that becomes a memory of its own, and how that is taken back."""
    result = dict(reply)
    if offer.meant.mixed:
        remark = "a remark out of character stands in it: offer that by itself, or all of it with `split`, to have it kept as the user's"
        result["remarks"] = [*result.get("remarks", ()), remark]
    if result["verdict"] not in NEW:
        return result
    told: list[dict[str, str]] = []
    if offer.meant.standing is not None:
        what = offer.meant.standing.what.value
        constant = CONSTANT in offer.inferred
        told.append({"what": "constant", "value": "true" if constant else "false", "why": what if constant else FULL})
        result["reason"] += f"; {what}: kept as a constant trait" if constant else f"; {what}, but {FULL}"
        if constant and result["id"] and result["stored"]:
            back = f"`memd undo {role.name} {result['id'][:8]}` makes it an ordinary trait."
            result["hint"] = result["hint"] or back
    if offer.meant.world:
        told_of = "the role is a story" if role.own.profile.fiction else "its tag says so"
        why = "played, so it is no fact about the user" if offer.meant.played else told_of
        told.append({"what": "tags", "value": "world", "why": why})
        result["reason"] += "; kept as the world of a story, not as the user's"
    if FEELINGS in offer.inferred:
        told.append({"what": "emotions", "value": ", ".join(offer.fields["emotions"]), "why": "the text's own words"})
    if told:
        result["inferred"] = told
    return result
