"""What words judged alone is judged again as soon as the model has time: once each, and what changes is one record that can be undone.

Rules
    Only what is as it was left is touched: what was edited, replaced, forgotten, kept or dropped since stands as it is.
    An offer is judged beside what there was before it: what came later was judged beside it, or will be.
    With the model's verdict the offer becomes what it would have been at once, but that nothing is taken away for its total:
    a memory that would be refused stays, and that is told. One that says what another says joins it, and is in the archive.
    After a day the words' verdict stands. So it does after an error.
Units
    *_S are seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.keep.leaves import trace
from memd.engine.keep.succeed import taking
from memd.errors import LimitExceededError, MemdError
from memd.formats.entry import to_memory
from memd.formats.times import to_seconds
from memd.model.change import Change, Operation, Relation
from memd.model.memory import JUDGED, KEPT, READ_CHARS, STANDS, Dimension, Kind, Rating
from memd.service.inbox import Edge, edge_of, with_conflict
from memd.service.judging.offers import Offer, RememberRequest, as_meant, look_at
from memd.service.judging.vectors import vectors_of
from memd.service.memory.records import digest_of, removals, with_id
from memd.service.memory.remember import judged
from memd.service.memory.storing import add, duplicate, of_doubt, refine
from memd.service.recent import outcome, tell_verdicts
from memd.service.screening import make_ready
from memd.storage.layout import AUDIT

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.service.judging.vectors import Vectors
    from memd.service.judging.weighing import Weighed
    from memd.store.role.role import Role
    from memd.store.store import Store

logger = logging.getLogger(__name__)

SETTLES_S = 1.0  # after an offer, before it is judged again: a burst is over by then
PAUSE_S, LONGEST_PAUSE_S = 1.0, 15.0  # where the model has no time yet
DAY_S = 86_400.0
PARTLY_S = 40.0  # for so long the memories are waited for as well that it is compared with
OWN = ("stored", "superseding", "redacted")  # verdicts by which an offer is a memory of its own
GONE = "it was changed since: what words said stands"
REFUSED = "it would be refused now, and stays until a person lets it go"
REASON = "judged again: "  # begins the reason in the archive


class Unmade(NamedTuple):
    """What words made of an offer: its own memory, or the one it was added to with the record that had before, where there is one."""

    own: Memory | None = None
    older: Memory | None = None
    record: dict[str, Any] = {}  # noqa: RUF012  never changed
    before: dict[str, Any] = {}  # noqa: RUF012  likewise


@dataclass(slots=True)
class Again:
    """What an offer becomes: a word, why, the memory that has it, what makes the operations, and what it does to the inbox."""

    became: str
    why: str
    memory: str = ""
    inbox: str = ""
    edge: Edge | None = None
    builds: list[Callable[[int], list[Operation]]] = field(default_factory=list)


async def keep_judging(store: Store, stop: asyncio.Event) -> None:
    """Judge again what words judged alone, until it is time to stop."""
    provisional, pause_s, tried = store.keeping.provisional, PAUSE_S, set[str]()
    await make_ready(store)
    while not stop.is_set():
        if not provisional.held:
            provisional.news.clear()
            await _first_of(stop, provisional.news)
        await _waited(stop, pause_s)
        if stop.is_set() or store.writer.running is None:
            continue
        pause_s = PAUSE_S if await judge_all(store, tried, stop) else min(LONGEST_PAUSE_S, pause_s * 2)


async def judge_all(store: Store, tried: set[str], stop: asyncio.Event) -> bool:
    """Judge again what is held, the oldest first, as far as the model has time; tell whether it had.

    `tried`: those for which it had none; others come before them, so that what no model reads keeps nobody waiting.
    """
    held = store.keeping.provisional.held
    for entry_id in sorted(held, key=tried.__contains__):
        if entry_id not in held or stop.is_set():
            continue
        since_s = store.ports.now() - (to_seconds(held[entry_id].get("at")) or 0.0)
        if 0 <= since_s < SETTLES_S:
            await _waited(stop, SETTLES_S - since_s)
        try:
            if not await judge_again(store, entry_id):
                tried.add(entry_id)
                if tried >= set(held):
                    tried.clear()
                return False
        except MemdError as error:
            await _leave(store, entry_id, f"{error.code}: what words said stands")
        except Exception:
            logger.exception("what words judged alone could not be judged again")
            await _leave(store, entry_id, "it could not be judged again: what words said stands")
    tried.clear()
    return True


async def judge_again(store: Store, entry_id: str) -> bool:
    """Judge one offer again; False where the model has no time."""
    entry = store.keeping.provisional.held.get(entry_id)
    if entry is None:
        return True
    role = await store.role(str(entry["role"]))
    offer = look_at(store, role, offer_of(entry))
    vectors = await vectors_of(store, role, offer)
    since_s = store.ports.now() - (to_seconds(entry.get("at")) or 0.0)
    if vectors.late or not vectors.vectors:
        if since_s < DAY_S:
            return False
        await _leave(store, entry_id, "no model had time for it: what words said stands")
        return True
    if not vectors.whole and since_s < PARTLY_S:
        return False
    async with store.keeping.judging:
        async with role.turn:
            await store.refresh(role)
            if entry_id not in store.keeping.provisional.held:
                return True
            made = _again(store, role, entry, offer, vectors)
            done = _submit(store, role, entry, made)
        await asyncio.sleep(0)
    await done
    if made.became != STANDS:
        told = outcome(made.became, made.memory, offer.text, made.why, inbox=made.inbox)
        tell_verdicts(store, "judge again", role.name, [told], session=offer.request.session)
    return True


def _again(store: Store, role: Role, entry: dict[str, Any], offer: Offer, vectors: Vectors) -> Again:
    """Return what becomes of an offer by the model's verdict."""
    unmade = _unmade(store, role, entry)
    if unmade is None:
        return Again(STANDS, GONE, str(entry.get("memory", "")), str(entry.get("inbox", "")))
    view: dict[str, Memory | None] = dict.fromkeys(_later(store, role, entry, offer, vectors))
    if unmade.own is not None:
        view[unmade.own.id] = None
    if unmade.older is not None:
        view[unmade.older.id] = to_memory(unmade.before, unmade.older.kind, unmade.older.id)
    now_s = store.ports.now()
    with role.as_if(view):
        weighed = judged(store, role, as_meant(role, offer), vectors, to_seconds(entry.get("at")) or now_s)
        made = _same(entry, weighed) or _within(role, unmade, weighed) or _else(store, role, entry, weighed, now_s)
    if unmade.own is not None and made.memory == unmade.own.id:
        return made
    if unmade.own is not None:
        own, why = unmade.own, f"{REASON}{made.became}"
        made.builds.insert(0, lambda n: removals(store, role, [own], why, n, now_s))
    elif unmade.older is not None and made.became not in (STANDS, KEPT):
        older = unmade.older
        change = Change(role.name, older.kind, older.id, unmade.record, unmade.before)
        made.builds.insert(0, lambda _: [change])
    return made


def _unmade(store: Store, role: Role, entry: dict[str, Any]) -> Unmade | None:
    """Return what words made of an offer, None where that is not as it was left."""
    word, memory = entry.get("verdict"), role.compiled.memories.get(str(entry.get("memory", "")))
    if word == "refused":
        waits = str(entry.get("inbox", ""))
        return None if waits and waits not in store.keeping.inbox.waiting else Unmade()
    if memory is None or memory.superseded_by or memory.covered_by:
        return None
    if word == "duplicate":
        return Unmade()
    record = with_id(role.raw(memory.kind, memory.id) or {}, memory.id)
    if digest_of(record) != entry.get("digest"):
        return None
    if word in OWN:
        return Unmade(own=memory)
    before = without_last(record)
    return None if before is None else Unmade(older=memory, record=record, before=before)


def without_last(record: dict[str, Any]) -> dict[str, Any] | None:
    """Return a record as it was before the last text was added to it; None where its history does not say."""
    history = record.get("history")
    if not isinstance(history, list) or not history:
        return None
    past = history[-1]
    if not isinstance(past, dict) or not isinstance(past.get("content"), str):
        return None
    was = past.get("was")
    key = "value" if "value" in record and "content" not in record else "content"
    before = {**record, **(was if isinstance(was, dict) else {}), key: past["content"], "history": history[:-1]}
    return {one: value for one, value in before.items() if value is not None and (one != "history" or value)}


def _later(store: Store, role: Role, entry: dict[str, Any], offer: Offer, vectors: Vectors) -> list[str]:
    """Return which of the memories that an offer may concern came after it."""
    at_s, held = to_seconds(entry.get("at")) or 0.0, list(store.keeping.provisional.held)
    after = set(held[held.index(entry["id"]) + 1 :])
    near = store.keeping.learned.nearest(role.compiled, offer.text[:READ_CHARS])
    known = (role.compiled.memories.get(one) for one in dict.fromkeys((*near.ids, *vectors.alike)))
    return [one.id for one in known if one and (one.id in after or (one.when_s or 0.0) > at_s + 1)]


def _same(entry: dict[str, Any], weighed: Weighed) -> Again | None:
    """Return that the verdict stands, where the model's is the same."""
    word, related = entry.get("verdict"), weighed.related
    relation = related.judged.relation if related else Relation.UNRELATED
    memory, inbox = str(entry.get("memory", "")), str(entry.get("inbox", ""))
    if related is not None and related.memory.id == memory:
        same = (word, relation) in (("duplicate", Relation.DUPLICATE), ("refined", Relation.REFINEMENT))
        return Again(STANDS, f"total {weighed.verdict.total:g}: the same verdict", memory) if same else None
    near = weighed.verdict.band.value == "borderline"
    if word == "refused" and not weighed.verdict.keep and relation is not Relation.DUPLICATE and near == bool(inbox):
        return Again(STANDS, weighed.verdict.reason, inbox=inbox)
    return None


def _within(role: Role, unmade: Unmade, weighed: Weighed) -> Again | None:
    """Return what becomes of a memory that stays: of one of its own, only whose place it takes may be otherwise."""
    verdict, (related, doubted) = weighed.verdict, weighed.standing
    relation = related.judged.relation if related else Relation.UNRELATED
    kept, joins = unmade.own or unmade.older, verdict.keep and relation is Relation.REFINEMENT
    if kept is None or relation is Relation.DUPLICATE or joins or (unmade.own is None and verdict.keep):
        return None
    became, why = ("stored", verdict.reason) if verdict.keep else (KEPT, f"{REFUSED}: {verdict.reason}")
    if unmade.own is None:
        return Again(became, why, kept.id)
    before = with_id(role.raw(kept.kind, kept.id) or {}, kept.id)
    after = {key: one for key, one in before.items() if key not in ("supersedes", "covers", "conflictsWith")}
    if related is not None and relation is Relation.CONTRADICTION:
        after = taking(related.memory, related.covers, role.compiled.memories).put_into(after)
        told = f"it takes the place of memory {related.memory.id} ({related.judged.why})"
        became = "superseding" if verdict.keep else became
    elif doubted is not None:
        after = with_conflict(after, doubted.memory.id, of_doubt(doubted), doubted.judged.doubt)
        told = f"it conflicts with memory {doubted.memory.id}"
    else:
        told = "it takes the place of none"
    if after == before:
        return Again(became if became == KEPT else STANDS, why, kept.id)
    change = Change(role.name, kept.kind, kept.id, before, after)
    return Again(became, f"{why}; {told}", kept.id, builds=[lambda _: [change]])


def _else(store: Store, role: Role, entry: dict[str, Any], weighed: Weighed, now_s: float) -> Again:
    """Return what becomes of an offer that becomes something else: as if it were offered now."""
    offer, verdict, (related, doubted) = weighed.offer, weighed.verdict, weighed.standing
    relation = related.judged.relation if related else Relation.UNRELATED
    waits = store.keeping.inbox.waiting.get(str(entry.get("inbox", "")))
    if waits is not None:
        edge = Edge(store.keeping.inbox.steps(store.record, now_s), verdict, waits, JUDGED)
    else:
        edge = edge_of(store, role, offer, verdict, duplicate=relation is Relation.DUPLICATE, now_s=now_s)
    verdict = edge.verdict
    if related is not None and relation is Relation.DUPLICATE and related.memory.id == entry.get("memory"):
        return Again("duplicate", f"memory {related.memory.id} says the same ({related.judged.why})", related.memory.id)
    if related is not None and relation is Relation.DUPLICATE:
        reply, build = duplicate(store, role, offer, verdict, now_s, related)
    elif not verdict.keep:
        if waits is not None:
            edge.steps.close(waits, JUDGED)
        return Again("waiting" if edge.id else "dropped", verdict.reason, inbox=edge.id, edge=edge)
    elif related is not None and relation is Relation.REFINEMENT:
        reply, build = refine(store, role, offer, verdict, now_s, related)
    else:
        reply, build = add(store, role, offer, verdict, now_s, related, doubted)
    if reply["id"] == entry.get("memory") and reply["id"] == entry["id"]:
        return Again(STANDS, verdict.reason, reply["id"])
    edge.tell(reply)
    return Again(reply["verdict"], reply["reason"], str(reply["id"]), edge=edge, builds=[build])


def _submit(store: Store, role: Role, entry: dict[str, Any], made: Again) -> asyncio.Future[None]:
    """Make it true: what changes, what the audit says of it, and that it is not judged once more."""
    now_s = store.ports.now()
    told = store.keeping.provisional.steps(store.record, now_s)
    told.settle(entry, made.became, made.why, memory=made.memory, inbox=made.inbox)

    def build(n: int) -> list[Operation]:
        if made.became == STANDS:
            return told.operations(n)
        operations = [one for some in made.builds for one in some(n)]
        only_told = made.became == KEPT and not operations
        waited = store.keeping.inbox.waiting.get(str(entry.get("inbox", "")))
        note: dict[str, Any] = {
            "what": JUDGED,
            "role": role.name,
            "id": entry["id"],
            "was": entry.get("verdict"),
            "became": made.became,
            "why": made.why,
            **({} if only_told else {"entries": [left_by(one) for one in operations if isinstance(one, Change)]}),
            **({"waited": dict(waited)} if waited else {}),
            **({"waits": made.inbox} if made.inbox else {}),
        }
        operations += made.edge.steps.operations(n) if made.edge else []
        return [*operations, store.record(AUDIT, n, note, now_s), *told.operations(n)]

    def roll_back() -> None:
        told.roll_back()
        if made.edge:
            made.edge.steps.roll_back()

    return store.commit(build, at_s=now_s, roll_back=roll_back)


def left_by(change: Change) -> dict[str, Any]:
    """Return what a change leaves to be taken back by: what it made, moved to the archive, or what it changed and how."""
    about = {"id": change.id, "kind": change.kind.value}
    if change.before is None:
        return {**about, "made": True}
    if change.after is None:
        return {**about, "archived": True}
    was, now = (list(one.get("history") or ()) for one in (change.before, change.after))
    past = {"added": True} if len(now) > len(was) else {"past": was[-1]} if len(was) > len(now) else {}
    return {**about, "trace": trace(change.before, change.after), **past}


async def _leave(store: Store, entry_id: str, why: str) -> None:
    """Let what words said stand."""
    entry = store.keeping.provisional.held.get(entry_id)
    if entry is None:
        return
    now_s = store.ports.now()
    told = store.keeping.provisional.steps(store.record, now_s)
    told.settle(entry, STANDS, why, memory=str(entry.get("memory", "")), inbox=str(entry.get("inbox", "")))
    with contextlib.suppress(LimitExceededError):
        await store.commit(told.operations, at_s=now_s, roll_back=told.roll_back)
    store.keeping.provisional.let_go(entry_id)  # also where that cannot be written: it is not tried again and again


async def _waited(stop: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()


async def _first_of(stop: asyncio.Event, news: asyncio.Event) -> None:
    waiting = [asyncio.ensure_future(one.wait()) for one in (stop, news)]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waiting:
            one.cancel()


# Offers that words judged alone, as they are offered again.


def offer_of(entry: Mapping[str, Any]) -> Offer:
    """Return a held offer as it is offered again; it is none of the day's scorings."""
    kind = entry.get("kind")
    fields = {"validity": "", "tags": [], **entry.get("fields", {})}
    request = RememberRequest(
        role=str(entry["role"]),
        content=str(entry["content"]),
        kind=str(entry.get("asked_kind", "")),
        fields=fields,
        scores={name: (value, basis) for name, (value, basis) in entry.get("scores", {}).items()},
        explicit=bool(entry.get("explicit")),
        source=str(entry.get("source", "")),
        session=str(entry.get("session", "")),
        run=str(entry.get("run", "")),
        id=str(entry["id"]),
        put=True,
        overheard=bool(entry.get("overheard")),
    )
    given = {Dimension(name): Rating(value, True, basis) for name, (value, basis) in request.scores.items()}
    known = Kind(str(kind)) if kind in Kind.__members__.values() else Kind.SEMANTIC
    return Offer(request, request.content, known, fields, given, entry.get("claimed"))
