"""The verbs of what a memory has to do with others: what it is related to, what was decided about it, and what git has of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Meta, convert

from memd.engine.keep.leaves import edited_since, taken_back
from memd.engine.keep.succeed import also_taking, digests_of, taken_by
from memd.errors import (
    BadParamsError,
    EditedSinceError,
    MemoryAmbiguousError,
    MemoryUnknownError,
    NothingToUndoError,
    SupersedeCircleError,
)
from memd.formats.times import to_seconds
from memd.model.change import Change, Operation
from memd.model.memory import JUDGED, STANDS, UNDONE, Kind
from memd.protocol.fields import MemoryId
from memd.protocol.memories import Commits, CommittedChange, LinkedMemory, PlaceTaken, UndoneDecision
from memd.protocol.views import MemoryView
from memd.service.edge import left_inbox, noted_lines
from memd.service.memory.decisions import Decision, Known, Plan, brought_back, decisions_about
from memd.service.memory.egress import why_withheld
from memd.service.memory.history import committed, forgotten_of
from memd.service.memory.records import find, raw_of, removals, resolve, with_id
from memd.service.screening import make_ready
from memd.storage.layout import AUDIT, PRIVATE, archive_file, memory_file
from memd.verbs.declared import Service, verb
from memd.verbs.memory.memory_views import OfMemory, view_of

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.store.role.role import Role

DUPLICATE = "duplicate"  # what lines of the audit log say


class LinkMemory(OfMemory):
    """Relate two memories."""

    to: MemoryId
    relation: Annotated[str, Meta(pattern="^(related|supersedes)$")] = "related"
    covers: Annotated[
        list[str], Meta(max_length=100, description="digests of the statements it takes the place of")
    ] = []


@verb(
    "memory.link",
    writes=True,
    errors=(
        MemoryAmbiguousError,
        MemoryUnknownError,
        SupersedeCircleError,
    ),
)
async def link_memory(service: Service, asked: LinkMemory) -> LinkedMemory:
    """Relate two memories of a role.

    `related` goes both ways; or the first `supersedes` the other, or what it `covers` of it.
    """
    store = service.store
    role = await store.role(asked.role)
    async with role.turn:
        await store.refresh(role)
        one, other = find(role, asked.id), find(role, asked.to)
        if one.id == other.id:
            raise BadParamsError("a memory cannot be linked to itself")
        related = asked.relation == "related"
        made = _related(role, one, other) if related else _superseding(role, one, other, asked.covers)
        changes = [change for change in made if change.before != change.after]
        done = store.commit(lambda _: changes, at_s=store.ports.now()) if changes else None
    if done:
        await done
    return LinkedMemory(role=role.name, id=one.id, to=other.id, relation=asked.relation)


@verb(
    "memory.undo",
    writes=True,
    errors=(
        EditedSinceError,
        MemoryAmbiguousError,
        MemoryUnknownError,
        NothingToUndoError,
    ),
)
async def undo_decision(service: Service, asked: OfMemory) -> UndoneDecision:
    """Take back the last decision about a memory.

    It is done in one acknowledged step. The id may be of either side. Errors: NothingToUndoError where no decision is
    known, EditedSinceError where it would overwrite what somebody wrote since.
    """
    store = service.store
    role = await store.role(asked.role)
    await make_ready(store)
    async with role.turn:
        await store.refresh(role)
        archived = await forgotten_of(store, role.name)
        waiting = store.writer.waiting_lines(PRIVATE)
        noted = await asyncio.to_thread(noted_lines, store, {role.name}, waiting)
        duplicates = tuple(
            one for one in noted if one.get("what") == DUPLICATE and isinstance(one.get("entries"), list)
        )
        left = left_inbox(store, noted)
        again = _judged_again(noted)
        chosen = resolve(role.name, asked.id, tuple(dict.fromkeys([*role.compiled.memories, *archived, *left, *again])))
        now_s = store.ports.now()
        known = Known(store, role, archived, duplicates, left, now_s)
        found = [*decisions_about(known, chosen), *_decisions_of(known, again, chosen)]
        last = max(found, key=lambda one: (one.at_s, one.rank), default=None)
        if last is None or not last.word:
            raise NothingToUndoError(chosen, _why_not(last is not None))
        plan = last.plan()
        done = store.commit(plan.build, at_s=now_s, roll_back=plan.roll_back)
        undone = _undone(role, chosen, last.word, plan)
    await done
    return undone


def _undone(role: Role, chosen: str, word: str, plan: Plan) -> UndoneDecision:
    now = role.compiled.memories
    return UndoneDecision(
        id=chosen,
        role=role.name,
        took_back=word,
        standing=[view_of(now[one], MemoryView) for one in plan.stands if one in now],
        by=plan.by or None,
        had=PlaceTaken(list(plan.had.supersedes), list(plan.had.covers)) if plan.had else None,
        stored=plan.stored or None,
        archived=plan.archived or None,
        hint=plan.hint,
    )


def _related(role: Role, one: Memory, other: Memory) -> list[Change]:
    changes: list[Change] = []
    for memory, peer in ((one, other), (other, one)):
        before = raw_of(role, memory)
        after = with_id(before, memory.id)
        after["related"] = list(dict.fromkeys([*after.get("related", []), peer.id]))
        changes.append(Change(role.name, memory.kind, memory.id, before, after))
    return changes


def _superseding(role: Role, one: Memory, other: Memory, covers: Sequence[str]) -> list[Change]:
    """Return the change of the successor, which alone says so; none where it says so already."""
    memories = role.compiled.memories
    if role.compiled.succession.names(other.id, one.id, memories):
        raise SupersedeCircleError(other.id, one.id, role.name)
    if strange := set(covers) - set(digests_of(other)):
        raise BadParamsError(f"covers: {min(strange)[:40]!r} is the digest of no statement of {other.id}")
    taken = also_taking(one, other, memories, covers)
    if taken == taken_by(one):
        return []
    before = raw_of(role, one)
    return [Change(role.name, one.kind, one.id, before, taken.put_into(with_id(before, one.id)))]


def _why_not(unfolded: bool) -> str:
    if unfolded:
        return "it stood for several until its fold was taken back"
    return "it took no place, lost none, nothing was added to it, and it is not constant by inference; repetitions are known from .memory/audit.jsonl only"


class GetCommits(OfMemory):
    """Which memory, and how many changes at most."""

    limit: Annotated[int, Meta(ge=1, le=200, description="how many changes, the newest first")] = 20


@verb("git.commits", errors=(MemoryAmbiguousError, MemoryUnknownError))
async def tell_commits(service: Service, asked: GetCommits) -> Commits:
    """Tell which commits of git changed a memory, with its text before and after.

    Nothing is told of what is forgotten or erased, nor of what had its id before it came: git keeps that, and memd does not show it.
    """
    store = service.store
    role = await store.role(asked.role)
    async with role.turn:
        await store.refresh(role)
        memory = find(role, asked.id)
        record = raw_of(role, memory)
    file = memory_file(role.name)
    found = await asyncio.to_thread(committed, store.path, file, memory.id, record, asked.limit)
    changes = [convert(asdict(one), CommittedChange) for one in found.changes]
    for one in changes:
        one.withheld = await why_withheld(store, role.name, (one.before, one.after)) or None
    return Commits(
        role=role.name, id=memory.id, file=file, changes=changes, looked=found.looked, whole=found.whole, why=found.why,
        detail=found.detail,
    )  # fmt: skip


# What takes back that a verdict was judged again: all is as words had judged it, and it is not judged once more.


UNJUDGED = "its judging again was undone"  # a reason in the archive
LAST = 9  # of one moment: it came after all that it did


def _judged_again(noted: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return what notes of the audit say of verdicts that were judged again and stand so, by the offer's id."""
    found: dict[str, Mapping[str, Any]] = {}
    for value in noted:
        if value.get("what") == JUDGED and isinstance(value.get("id"), str):
            found.pop(value["id"], None)
            if isinstance(value.get("entries"), list) and not value.get("undone"):
                found[value["id"]] = value
    return found


def _decisions_of(known: Known, notes: Mapping[str, Mapping[str, Any]], memory_id: str) -> list[Decision]:
    """Return the judgings that concern an id: of the offer, of a memory that it made, changed or took away."""
    return [
        Decision(to_seconds(one.get("at")) or 0.0, LAST, "judge again", partial(_as_words_said, known, one))
        for offer_id, one in notes.items()
        if memory_id in (offer_id, *(each.get("id") for each in _entries(one)))
    ]


def _entries(note: Mapping[str, Any]) -> list[dict[str, Any]]:
    whole = (one for one in note["entries"] if isinstance(one, dict) and isinstance(one.get("id"), str))
    return [one for one in whole if one.get("kind") in Kind.__members__.values()]


class _Backward(NamedTuple):
    """What takes the changes of a judging back: changes of what stands, what comes back from the archive, and what goes there."""

    changes: list[Change]
    back: list[tuple[Kind, str]]
    made: list[str]


def _backward(known: Known, note: Mapping[str, Any]) -> _Backward:
    found = _Backward([], [], [])
    for one in _entries(note)[::-1]:
        kind, memory_id = Kind(one["kind"]), one["id"]
        if one.get("archived"):
            if memory_id in known.archived and memory_id not in known.memories:
                found.back.append((kind, memory_id))
        elif memory_id not in known.memories:
            continue  # somebody let it go since
        elif one.get("made"):
            found.made.append(memory_id)
        else:
            found.changes.append(_changed_back(known, one))
    return found


def _as_words_said(known: Known, note: Mapping[str, Any]) -> Plan:
    store, role = known.store, known.role
    changes, back, made = _backward(known, note)
    steps = store.keeping.inbox.steps(store.record, known.now_s)
    waits = store.keeping.inbox.waiting.get(str(note.get("waits")))
    if waits is not None:
        steps.close(waits, UNDONE)
    waited = note.get("waited")
    entry = store.keeping.inbox.sound(waited, store.keeping.learned.orders) if isinstance(waited, dict) else None
    if entry is not None:
        steps.again(entry)
    told = store.keeping.provisional.steps(store.record, known.now_s)
    offer = {"id": note["id"], "role": role.name, "was": str(note.get("was", ""))}
    told.settle(
        offer,
        STANDS,
        "that it was judged again was undone: it is as words judged it",
        memory=back[0][1] if back else "",
    )

    def build(n: int) -> list[Operation]:
        operations: list[Operation] = list(changes)
        operations += removals(store, role, [known.memories[one] for one in made], UNJUDGED, n, known.now_s)
        for place, (kind, one) in enumerate(back, len(made)):
            line = {"i": place, "what": "restored", "role": role.name, "kind": kind.value, "id": one}
            after = brought_back(known.archived[one]["entry"], kind, one, known.now_s)
            operations.append(Change(role.name, kind, one, None, after))
            operations.append(store.record(archive_file(known.now_s), n, line, known.now_s))
        line = {"what": JUDGED, "role": role.name, "id": note["id"], "undone": True}
        operations.append(store.record(AUDIT, n, line, known.now_s))
        return [*operations, *steps.operations(n), *told.operations(n)]

    def roll_back() -> None:
        steps.roll_back()
        told.roll_back()

    stands = tuple(dict.fromkeys([*(one for _, one in back), *(one.id for one in changes)]))
    hint = "It is as words judged it, and is not judged again; offer it anew to have the model judge it."
    return Plan(build, stands, hint, roll_back, archived=made[0] if made else "")


def _changed_back(known: Known, one: Mapping[str, Any]) -> Change:
    """Return what gives a memory its record back; EditedSinceError where somebody edited what was changed."""
    memory = known.memories[one["id"]]
    record, left = with_id(raw_of(known.role, memory), memory.id), one.get("trace")
    left = left if isinstance(left, dict) else {}
    if edited := edited_since(record, left.get("made", {})):
        raise EditedSinceError(memory.id, f"its {', '.join(edited)}")
    after = taken_back(record, left.get("was", {}))
    history = [*after.get("history", ())]
    history = history[:-1] if one.get("added") else [*history, one["past"]] if "past" in one else history
    after = {**after, "history": history} if history else {key: each for key, each in after.items() if key != "history"}
    return Change(known.role.name, memory.kind, memory.id, record, after)
