"""The inbox: an offer near the gate's edge waits there, is told again, or leaves it; what words judged alone, as the model had no
time, is held to be judged again; and memories that may say otherwise than others are told to a person, who settles it.

An offer from `gate.warn_from` up to `gate.keep_from` waits. The same statement told again in another session on another
day (of the zone in `trigger.zone`) is kept; what names no session is known as another telling by its day alone.

That two conflict stands in the newer one's record (`conflictsWith`), and nowhere else: forgetting either, a git revert and
a merge of branches need no second write. Both are served meanwhile, the newest first and the older dated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from heapq import nlargest
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.keep.succeed import doubting
from memd.errors import LimitExceededError
from memd.formats.times import to_iso
from memd.model.change import Relation
from memd.model.memory import AGAIN, CROWDED, EXPIRED, KEPT, KNOWN, STANDS, WAITING, Band, doubts_of

if TYPE_CHECKING:
    from memd.model.memory import Memory, Verdict
    from memd.service.judging.offers import Offer
    from memd.store.keep.inbox import Steps
    from memd.store.keep.provisional import Noted
    from memd.store.role.role import Role
    from memd.store.store import Store

COMPARED, LIKE = 3, 0.3  # waiting texts that are compared closely, and how much of either must stand in the other
READ_CHARS = 2000  # of a text that is compared
MAKING = ("stored", "superseding", "redacted")  # verdicts by which a text becomes a memory of its own
MANY_BYTES = 600  # of audit and scores beside an entry
FOUND = {"isConstant": "constant", "emotionalContext": "emotions"}  # by what a record names as found out: the field


@dataclass(slots=True)
class Edge:
    """An offer beside the inbox: its verdict, the entry that says the same, and the id under which it waits or will wait."""

    steps: Steps
    verdict: Verdict
    entry: Mapping[str, Any] | None = None
    became: str = KEPT
    id: str = ""

    def tell(self, reply: dict[str, Any]) -> None:
        """Let a reply tell what becomes of the entry, and see to it."""
        if self.entry is not None and (reply["stored"] or reply["verdict"] == "duplicate"):
            known = reply["verdict"] == "duplicate" and self.became == KEPT
            became, made = KNOWN if known else self.became, reply["verdict"] in MAKING
            self.steps.close(self.entry, became, str(reply.get("id") or ""), made=made)
            if self.became == AGAIN and reply["stored"]:
                reply["told_again"] = {"inbox": self.entry["id"], "since": str(self.entry.get("at", ""))}
        elif self.id and reply["verdict"] == "refused":
            reply["inbox"] = self.id
            waits = f"It waits in the inbox: `memd review keep {self.id[:8]}` keeps it"
            reply["hint"] += f" {waits}, and so does telling it again in another session on another day."


def edge_of(store: Store, role: Role, offer: Offer, verdict: Verdict, *, duplicate: bool, now_s: float) -> Edge:
    """Return what an offer has to do with the inbox, the verdict raised where it is told again. `duplicate` of a memory."""
    inbox = store.keeping.inbox
    edge = Edge(inbox.steps(store.record, now_s), verdict)
    near = verdict.band is Band.BORDERLINE and not verdict.keep and not duplicate
    edge.entry = waiting_like(store, role, offer, closely=near)
    if verdict.keep or duplicate:
        return edge
    if edge.entry is not None:
        edge.id, zone = str(edge.entry["id"]), store.settings_of(role).trigger.zone
        if inbox.is_told_anew(edge.entry, offer.request.session, zone, now_s):
            since = str(edge.entry.get("at", ""))[:10]
            reason = f"total {verdict.total:g}, and it was told before, on {since}: what is told again is kept"
            edge.verdict, edge.became = replace(verdict, keep=True, reason=reason, hint=""), AGAIN
    elif near:
        edge.id = let_wait(edge.steps, store, role, offer, verdict)
    return edge


def let_out(store: Store, entry: Mapping[str, Any], verdict: Verdict, now_s: float) -> Edge:
    """Return the edge of an offer that a person keeps out of the inbox."""
    return Edge(store.keeping.inbox.steps(store.record, now_s), verdict, entry)


def let_wait(
    steps: Steps, store: Store, role: Role, offer: Offer, verdict: Verdict, *, said_s: float | None = None
) -> str:
    """Let an offer wait; return the id, its own where it has one, "" where it has no place. `said_s`: when it was said."""
    request, limits = offer.request, store.settings.limits
    value = {
        "what": WAITING,
        "at": to_iso(steps.now_s if said_s is None else said_s),
        "id": request.id or store.ports.new_id(),
        "role": role.name,
        "kind": offer.kind.value,
        "content": offer.text,
        "fields": {key: one for key, one in offer.fields.items() if one or one == 0},
        "source": request.source,
        "session": request.session,
        "run": request.run,
        "total": verdict.total,
        "why": verdict.reason,
        "scores": {one.value: [rating.value, rating.basis] for one, rating in offer.given.items()},
    }
    value = store.keeping.inbox.without_empty(value)
    leaving = store.keeping.inbox.in_the_way(value, limits)
    if leaving is None:
        return ""
    try:
        store.writer.make_room(store.keeping.inbox.size_of(value) + MANY_BYTES)
    except LimitExceededError:
        return ""
    for one in leaving:
        steps.close(one, CROWDED)
    steps.put(value)
    return str(value["id"])


def waiting_like(store: Store, role: Role, offer: Offer, *, closely: bool) -> dict[str, Any] | None:
    """Return what waits and says the same as an offer; `closely`: also in other words, by the judge of relations."""
    inbox, learned = store.keeping.inbox, store.keeping.learned
    same = inbox.same(role.name, offer.text)
    if same is not None or not closely or not store.settings_of(role).gate.relations:
        return same
    told = offer.text[:READ_CHARS]
    known = inbox.of(role.name)
    texts = [str(one["content"])[:READ_CHARS] for one in known]
    shares = [(learned.share(text, told), at) for at, text in enumerate(texts)]
    for share, at in nlargest(COMPARED, shares):
        if share >= LIKE and learned.relate(texts[at], told).relation is Relation.DUPLICATE:
            return known[at]
    return None


def named(store: Store, offer: Offer) -> Offer:
    """Return an offer with an id: of the memory, or of what waits, that it becomes."""
    if offer.request.id:
        return offer
    return replace(offer, request=replace(offer.request, id=store.ports.new_id()))


def held(store: Store, role: Role, offer: Offer, verdict: Verdict, reply: dict[str, Any], now_s: float) -> Noted | None:
    """Return what holds an offer, and let its reply tell by which id what becomes of it is asked; None where it has no place."""
    provisional, request = store.keeping.provisional, offer.request
    value = store.keeping.inbox.without_empty(_as_held(role, offer, verdict, reply, now_s))
    steps = provisional.steps(store.record, now_s)
    leaving = provisional.in_the_way(value)
    try:
        store.writer.make_room(store.keeping.inbox.size_of(value) + MANY_BYTES)
    except LimitExceededError:
        return None
    if leaving is None:
        return None
    for one in leaving:
        steps.settle(provisional.held[one], STANDS, "newer ones needed its place: what words said stands")
    steps.hold(value)
    reply["offer"] = request.id
    if reply["verdict"] == "refused":
        reply["id"] = request.id
    return steps


def _as_held(role: Role, offer: Offer, verdict: Verdict, reply: dict[str, Any], now_s: float) -> dict[str, Any]:
    """Return all of an offer that it is judged by again, and what it came to."""
    request = offer.request
    gone = {*("inferred",), *(FOUND[one] for one in offer.inferred)}  # it is found out anew
    return {
        "what": "provisional",
        "id": request.id,
        "at": to_iso(now_s),
        "role": role.name,
        "kind": offer.kind.value,
        "asked_kind": request.kind,
        "content": offer.text,
        "fields": {key: one for key, one in offer.fields.items() if key not in gone and (one or one == 0)},
        "source": request.source,
        "session": request.session,
        "run": request.run,
        "explicit": request.explicit,
        "overheard": request.overheard,
        "claimed": "" if offer.claimed is None else offer.claimed,
        "scores": {one.value: [rating.value, rating.basis] for one, rating in offer.given.items()},
        "total": verdict.total,
        "why": "",
        "verdict": reply["verdict"],
        "memory": "" if reply["verdict"] == "refused" else reply["id"] or "",
        "inbox": reply.get("inbox", ""),
        "digest": (reply["receipt"] or {}).get("digest", ""),
    }


def leaving(store: Store, entries: Iterable[Mapping[str, Any]], now_s: float) -> Steps:
    """Return what lets texts leave the inbox whose time is over."""
    steps = store.keeping.inbox.steps(store.record, now_s)
    for one in entries:
        steps.close(one, EXPIRED)
    return steps


def overdue(store: Store, role: str, now_s: float) -> list[dict[str, Any]]:
    """Return what has waited for as long as it may, of a role or of all."""
    over = store.keeping.inbox.over(store.settings.limits, now_s)
    return [one for one in over if not role or one.get("role") == role]


def erased(store: Store, role: str, text: str, memory_id: str, now_s: float) -> Steps:
    """Return what lets a text leave that says what an erased memory says."""
    steps = store.keeping.inbox.steps(store.record, now_s)
    same = store.keeping.inbox.same(role, text)
    if same is not None:
        steps.forget(same, memory_id)
    return steps


# Reasons in the archive that are no person's word on what is worth keeping.


WHY_CHARS = 500


class Conflict(NamedTuple):
    """Two memories of which both stand: why they may not both hold, and how sure that is, 0 to 1."""

    newer: Memory
    older: Memory
    why: str
    sure: float | None

    @property
    def id(self) -> str:
        """By what a person names it: always the same for the same two."""
        return conflict_id(self.newer.id, self.older.id)


def conflict_id(newer_id: str, older_id: str) -> str:
    """Return what a person names a conflict by."""
    return hashlib.sha256(f"{newer_id}\n{older_id}".encode()).hexdigest()[:16]


def with_conflict(record: Mapping[str, Any], older_id: str, why: str, sure: float) -> dict[str, Any]:
    """Return a record that is about to be stored, such that it conflicts with an older memory: one step with its store."""
    return doubting(record, older_id, why[:WHY_CHARS], sure)


def conflicts_of(store: Store, role: Role) -> list[Conflict]:
    """Return what conflicts in a role, the latest first; call in its turn."""
    memories, now_s = role.compiled.memories, store.ports.now()
    found = []
    for older in memories.values():
        for one in older.rivals if older.earlier else ():
            newer = memories.get(one)
            if newer is None or newer.is_expired(now_s) or older.is_expired(now_s) or not _comes_later(newer, older):
                continue
            told = doubts_of((role.raw(newer.kind, newer.id) or {}).get("conflictsWith")).get(older.id, {})
            sure: object = told.get("sure")
            why = str(told.get("why") or "")[:WHY_CHARS] if told else "both took the place of the same memory"
            found.append(Conflict(newer, older, why, float(sure) if isinstance(sure, (int, float)) else None))
    return sorted(found, key=lambda one: (-(one.newer.when_s or 0.0), one.id))


def _comes_later(newer: Memory, older: Memory) -> bool:
    """Tell of two rivals whether the first came later: who names the other did."""
    if older.id in newer.conflicts or newer.id in older.conflicts:
        return older.id in newer.conflicts
    return ((newer.when_s or 0.0), newer.id) > ((older.when_s or 0.0), older.id)
