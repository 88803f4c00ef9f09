"""What becomes of an offer, as operations: stored anew, joined with an older memory, held for review, or refused.

Each returns the reply, and what makes the operations of a batch from its number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memd.engine.keep.gate import CONSTANT, FEELINGS
from memd.engine.keep.leaves import trace
from memd.engine.keep.succeed import ended, taking
from memd.formats.entry import Provenance, changed_record, new_record, stamp
from memd.formats.role_memory import HEADER, dump_line
from memd.formats.strict_json import dumps
from memd.formats.times import period_of, to_iso
from memd.model.change import Change, Line, Operation
from memd.model.memory import Memory, Validity
from memd.model.scan import APPROVED, HELD, digest_of_text
from memd.service.event_times import added_times, moved
from memd.service.inbox import conflict_id, with_conflict
from memd.service.judging.offers import Offer, reply_of, score_line
from memd.service.memory.records import ENTRY_BYTES, digest_of, removals, room_in_role
from memd.storage.layout import AUDIT, DECLARATIVE, REVIEW, memory_file
from memd.text.clauses import clauses

if TYPE_CHECKING:
    from memd.model.memory import Verdict
    from memd.model.settings import GateSettings
    from memd.service.judging.relating import Related
    from memd.store.role.role import Role
    from memd.store.store import Store

EXCERPT_CHARS = 200
LASTS = {Validity.SHORT.value: 1, Validity.MEDIUM.value: 2, Validity.LONG.value: 3}
MOST_HISTORY = 50  # earlier texts of one memory
DAY_S = 86_400.0
SAID_AGAIN = 0.85  # how much of an older text a newer one says, for it to stand in its place alone
MANY_BYTES = 600  # of audit and scores that a store adds
Built = tuple[dict[str, Any], Callable[[int], list[Operation]]]


def add(
    store: Store, role: Role, offer: Offer, verdict: Verdict, now_s: float, older: Related | None,
    doubted: Related | None = None,
) -> Built:  # fmt: skip
    """Store a text as a new memory; where it contradicts an older one, it says so, and the older record stays as it is.

    Of one that it perhaps contradicts (`doubted`) it says that too; both stand until a person settles it.
    """
    memory_id = offer.request.id or store.ports.new_id()
    if older is not None:
        offer = moved(store, role, offer, older.memory, offer.request.told_s or now_s)
    record = _record(store, role, offer, verdict, memory_id, now_s)
    if older is not None:
        record = taking(older.memory, older.covers, role.compiled.memories).put_into(record)
    elif doubted is not None:
        record = with_conflict(record, doubted.memory.id, of_doubt(doubted), doubted.judged.doubt)
    line = _declared(offer, verdict, memory_id, now_s)
    gone = [one for one in _make_room(store, role, record, line, now_s) if not older or one.id != older.memory.id]
    word = "superseding" if older else "redacted" if offer.redacted else "stored"
    reply = _stored(role, reply_of(verdict, word, memory_id, stored=True), record, offer)
    if doubted is not None:
        reply |= _conflicting(memory_id, doubted)
    if older is not None:
        reply |= _superseding(role, memory_id, verdict, older)

    def build(n: int) -> list[Operation]:
        return [
            *removals(store, role, gone, "the role is at its limit", n, now_s),
            Change(role.name, offer.kind, memory_id, None, record),
            Line(DECLARATIVE, line, HEADER),
            score_line(store, role, n, offer, verdict, memory_id, now_s, digest_of(record)),
            *_remarks(store, role, n, verdict, offer, memory_id, now_s),
            *_let_through(store, offer, offer.text, n, now_s),
        ]

    return reply, build


def _superseding(role: Role, memory_id: str, verdict: Verdict, older: Related) -> dict[str, Any]:
    left = older.left()
    place = f"it takes the place of {'a part of ' if left else ''}memory {older.memory.id} ({older.judged.why})"
    return {
        "supersedes": older.memory.id,
        "hint": f"If both hold, take it back: `memd undo {role.name} {memory_id[:8]}`.",
        **({"holds": left} if left else {}),
        "reason": f"{verdict.reason}; {place}",
    }


def _conflicting(memory_id: str, doubted: Related) -> dict[str, Any]:
    told, known = doubted.memory, conflict_id(memory_id, doubted.memory.id)
    return {
        "conflict": {"id": known, "to": told.id, "sure": doubted.judged.doubt, "content": told.content},
        "hint": f"Both are told until it is settled: `memd review newer {known[:8]}`, or `older`, or `both`.",
    }


def of_doubt(doubted: Related) -> str:
    """Return why two memories conflict, as the newer says it."""
    return f"it may change it ({doubted.judged.doubt:.0%})"


def _record(store: Store, role: Role, offer: Offer, verdict: Verdict, memory_id: str, now_s: float) -> dict[str, Any]:
    """Return an offer as a record of its own."""
    fields = {"content": offer.text, **offer.fields, **_expiry(offer, store.settings_of(role).gate, role, now_s)}
    request = offer.request
    return new_record(
        offer.kind, memory_id, fields, Provenance(request.source, request.session, request.run),
        score=verdict.total, now_s=now_s, ms=role.file.document.style.ms,
    )  # fmt: skip


def refine(store: Store, role: Role, offer: Offer, verdict: Verdict, now_s: float, older: Related) -> Built:
    """Extend an older memory by what a text adds; what it said before stands in its history."""
    memory, before = older.memory, _raw(role, older.memory)
    # Where only a part of it holds, its words stay: who took the place of the others names them by their digests.
    says_all = older.judged.old_in_new >= SAID_AGAIN and not memory.holds
    content = offer.text if says_all else f"{ended(memory)} {offer.text}"
    limit = store.settings_of(role).limits.memory_chars
    # What has ended is known by the digests of its statements: it stays so only where they are still told apart.
    lost = memory.covered and not set(memory.covered) <= {one.digest for one in clauses(content)}
    if len(content) > limit or lost:
        return add(store, role, offer, verdict, now_s, None)
    added, ms = _added(store, role, offer, memory, now_s), role.file.document.style.ms
    after = changed_record({"id": memory.id, **before}, memory.kind, {"content": content, **added}, now_s=now_s, ms=ms)
    left = trace(before, after, without=("content", "value"))
    past = {"content": memory.content, "until": stamp(now_s, ms=ms), **left}
    told = before.get("history")
    after["history"] = [*(told if isinstance(told, list) else []), past][-MOST_HISTORY:]
    line = _declared(replace(offer, text=content), verdict, memory.id, now_s)
    added_bytes = len(dumps({"content": offer.text, **past}).encode())
    gone = [one for one in room_in_role(store, role, added_bytes, now_s, more=0) if one.id != memory.id]
    store.writer.make_room(len(line.encode()) + MANY_BYTES)
    reply = _stored(role, reply_of(verdict, "refined", memory.id, stored=True), after, offer)
    reply["kind"] = memory.kind.value
    reply["reason"] = f"{verdict.reason}; it adds to memory {memory.id} ({older.judged.why})"
    reply["content"] = content

    def build(n: int) -> list[Operation]:
        return [
            *removals(store, role, gone, "the role is at its limit", n, now_s),
            Change(role.name, memory.kind, memory.id, before, after),
            Line(DECLARATIVE, line, HEADER),
            score_line(store, role, n, offer, verdict, memory.id, now_s, digest_of(after)),
            *_remarks(store, role, n, verdict, offer, memory.id, now_s),
            *_let_through(store, offer, content, n, now_s),
        ]

    return reply, build


def duplicate(store: Store, role: Role, offer: Offer, verdict: Verdict, now_s: float, older: Related) -> Built:
    """The older memory stays and counts as used; keys and tags that it lacks are added to it."""
    memory, before = older.memory, role.raw(older.memory.kind, older.memory.id)
    added = _added(store, role, offer, memory, now_s)
    reply = reply_of(replace(verdict, keep=False), "duplicate", memory.id)
    got = f"; it got {', '.join(one for one in added if one != 'inferred')}" if added else ""
    reply["reason"] = f"memory {memory.id} says the same ({older.judged.why}){got}"
    reply["hint"] = "Change the older memory, with `memd edit` or memory.update, if it should say more."

    apart = _record(store, role, offer, verdict, offer.request.id or store.ports.new_id(), now_s)
    note: dict[str, Any] = {
        "what": "duplicate",
        "role": role.name,
        "id": memory.id,
        "kind": offer.kind.value,
        "entries": [apart],
    }

    def build(n: int) -> list[Operation]:
        operations: list[Operation] = []
        digest = ""
        if added and before is not None:
            after = changed_record(
                {"id": memory.id, **before}, memory.kind, added, now_s=now_s, ms=role.file.document.style.ms
            )
            operations.append(Change(role.name, memory.kind, memory.id, before, after))
            digest = digest_of(after)
            note["trace"] = trace(before, after)
        score = score_line(store, role, n, offer, verdict, memory.id, now_s, digest)
        return [*operations, store.record(AUDIT, n, note, now_s), score]

    return reply, build


def hold(store: Store, role: Role, offer: Offer, verdict: Verdict, now_s: float) -> Built:
    """Keep a text aside until a person has seen it: it may instruct its reader, or hides characters."""
    digest = digest_of_text(offer.text)
    known = store.keeping.quarantine.held_as(digest, role.name)
    held_id = known or store.ports.new_id()
    request = offer.request
    store.writer.make_room(len(offer.text.encode()) + MANY_BYTES)
    value = {
        "what": HELD,
        "at": to_iso(now_s),
        "id": held_id,
        "role": role.name,
        "kind": offer.kind.value,
        "content": offer.text if offer.redacted else request.content,
        "fields": {key: value for key, value in offer.fields.items() if value or value == 0},
        "source": request.source,
        "session": request.session,
        "run": request.run,
        "why": offer.scanned.why,
        "digest": digest,
    }
    reply = reply_of(replace(verdict, keep=False), "quarantined", "")
    reply["review"] = held_id
    reply["reason"] = f"{offer.scanned.why}; it waits until a person has seen it"
    reply["hint"] = f"Look at it with `memd review show {held_id[:8]}`, then approve, edit or drop it."

    def build(n: int) -> list[Operation]:
        if known:
            return [score_line(store, role, n, offer, verdict, "", now_s)]
        store.keeping.quarantine.take(value)
        note: dict[str, Any] = {"what": "quarantined", "role": role.name, "id": held_id, "why": offer.scanned.why}
        return [
            store.record(REVIEW, n, value, now_s),
            score_line(store, role, n, offer, verdict, "", now_s),
            store.record(AUDIT, n, note, now_s),
        ]

    return reply, build


def refuse(store: Store, role: Role, offer: Offer, verdict: Verdict, now_s: float, inbox: str = "") -> Built:
    """Store nothing, and say why. `inbox`: the id under which the text waits."""
    value = {
        "what": "refused",
        "role": role.name,
        "total": verdict.total,
        "reason": verdict.reason,
        "text": offer.text[:EXCERPT_CHARS],
        "remarks": list(verdict.remarks),
        **({"inbox": inbox} if inbox else {}),
    }

    def build(n: int) -> list[Operation]:
        return [
            score_line(store, role, n, offer, verdict, "", now_s),
            store.record(AUDIT, n, value, now_s),
        ]

    return reply_of(verdict, "refused", ""), build


def _stored(role: Role, reply: dict[str, Any], record: dict[str, Any], offer: Offer) -> dict[str, Any]:
    reply["kind"] = offer.kind.value
    reply["content"] = offer.text
    if event := period_of(record.get("eventStart"), record.get("eventEnd")):
        reply["event"] = event.told
    if offer.scanned.orders:
        reply["let_through"] = True
    reply["receipt"] = {"file": memory_file(role.name), "digest": digest_of(record)}
    if offer.redacted:
        reply["redacted"] = offer.scanned.why
    return reply


def _expiry(offer: Offer, gate: GateSettings, role: Role, now_s: float) -> dict[str, Any]:
    """Return when a memory of short or medium validity ends, where nobody said."""
    days = {Validity.SHORT: gate.short_days, Validity.MEDIUM: gate.medium_days}.get(offer.fields["validity"])
    if days is None or offer.fields.get("expires_at"):
        return {}
    return {"expires_at": stamp(now_s + days * DAY_S, ms=role.file.document.style.ms)}


def _declared(offer: Offer, verdict: Verdict, memory_id: str, now_s: float) -> str:
    return dump_line(
        offer.text, tags=tuple(offer.fields["tags"]), memory_id=memory_id, total=verdict.total,
        validity=str(offer.fields["validity"]), now_s=now_s,
    )  # fmt: skip


def _make_room(store: Store, role: Role, record: dict[str, Any], line: str, now_s: float) -> list[Memory]:
    """See that a record and its line have room; return what must go to the archive for it."""
    gone = room_in_role(store, role, len(dumps(record).encode()) + ENTRY_BYTES, now_s)
    store.writer.make_room(len(line.encode()) + MANY_BYTES)
    return gone


def _let_through(store: Store, offer: Offer, content: str, n: int, now_s: float) -> list[Operation]:
    """Return the line of what the user said in the form of an order; that it may stand in prompts, the machine keeps."""
    if not offer.scanned.orders:
        return []
    line = {"what": APPROVED, "id": "", "by": "the user said it", "digest": digest_of_text(content)}
    return [store.record(REVIEW, n, line, now_s)]


def _remarks(
    store: Store, role: Role, n: int, verdict: Verdict, offer: Offer, memory_id: str, now_s: float
) -> list[Operation]:
    notes: list[Operation] = []
    if verdict.remarks:
        value = {"what": "score_far_apart", "role": role.name, "id": memory_id, "remarks": list(verdict.remarks)}
        notes.append(store.record(AUDIT, n, value, now_s))
    if offer.redacted:
        value = {"what": "redacted", "role": role.name, "id": memory_id, "why": offer.scanned.why}
        notes.append(store.record(AUDIT, n, value, now_s))
    return notes


def _added(store: Store, role: Role, offer: Offer, memory: Memory, now_s: float) -> dict[str, Any]:
    """Return what an offer says beside its text that an older memory lacks: words, and a validity that is longer."""
    held = (("keys", memory.keys), ("tags", memory.tags), ("topics", memory.topics), ("emotions", memory.emotions))
    added: dict[str, Any] = {
        word: [*old, *new]
        for word, old in held
        if (new := [one for one in offer.fields.get(word) or () if one not in old])
    }
    if FEELINGS in offer.inferred and memory.emotions:
        added.pop("emotions", None)  # what the older one has was said, or is its own
    found = [one for one, key in ((FEELINGS, "emotions"),) if one in offer.inferred and key in added]
    if CONSTANT in offer.inferred and not (memory.constant or memory.ordinary):
        added["constant"] = True
        found.append(CONSTANT)
    if found:
        added["inferred"] = [*memory.inferred, *found]
    validity = offer.fields["validity"]
    if memory.validity in LASTS and LASTS.get(validity, 0) > LASTS[memory.validity]:
        expiry = _expiry(offer, store.settings_of(role).gate, role, now_s)
        added |= {"validity": validity, "expires_at": expiry.get("expires_at")}
    return added_times(store, role, offer, memory) | added


def _raw(role: Role, memory: Memory) -> dict[str, Any]:
    return role.raw(memory.kind, memory.id) or {}
