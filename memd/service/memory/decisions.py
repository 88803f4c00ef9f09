"""Which decisions about a memory can be taken back, as files and logs tell them, and what each of them comes to.

Who took whose place stands in the successors; what a refinement was, in the record's history; what was folded or
forgotten, in the archive. What a duplicate was known from stands in the audit log alone, which is git-ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from memd.engine.keep.gate import CONSTANT
from memd.engine.keep.leaves import UNMARKED, edited_since, mark, taken_back
from memd.engine.keep.succeed import Taken, asked_again, digests_of, said_beside, taken_by, without
from memd.errors import EditedSinceError
from memd.formats.entry import Provenance, new_record, stamp, to_memory
from memd.formats.role_memory import HEADER, dump_line
from memd.formats.times import to_seconds
from memd.model.change import Change, Line, Operation
from memd.model.memory import Kind, Memory
from memd.service.memory.records import archive_line, raw_of, removals, text_before, with_id
from memd.storage.layout import DECLARATIVE, archive_file

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store

FOLDED, UNFOLDED, UNKEPT = "folded into ", "its fold was undone", "its keeping was undone"  # reasons in the archive
Build = Callable[[int], list[Operation]]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: when (seconds since the epoch), its word, and how it is taken back, asked when it is the last one.

    Of two of one moment the one with the greater `rank` came later.
    """

    at_s: float
    rank: int
    word: str
    plan: Callable[[], Plan]


@dataclass(frozen=True, slots=True)
class Plan:
    """What makes the operations of a batch, the ids that stand by it, and how it is done again.

    `by` is who had taken a place, `had` what it named; `stored` and `archived` are ids.
    """

    build: Build
    stands: tuple[str, ...]
    hint: str
    roll_back: Callable[[], None] = lambda: None
    by: str = ""
    had: Taken | None = None
    stored: str = ""
    archived: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """A role with what its archive says of what is in it, and its duplicates as the audit log has them."""

    store: Store
    role: Role
    archived: Mapping[str, Mapping[str, Any]]
    duplicates: tuple[Mapping[str, Any], ...]
    left: Mapping[str, Mapping[str, Any]]  # by its id there, what the audit log says last of a text that left the inbox
    now_s: float

    @property
    def memories(self) -> Mapping[str, Memory]:
        """The memories of the role as they stand."""
        return self.role.compiled.memories


def decisions_about(known: Known, memory_id: str) -> list[Decision]:
    """Return the decisions about a memory that can be taken back, the last one first."""
    memory = known.memories.get(memory_id)
    if memory is None and memory_id in known.left:
        return [_of_inbox(known, known.left[memory_id], None)]
    if memory is None:
        return [_of_archive(known, memory_id)] if memory_id in known.archived else []
    found = [
        *_of_successors(known, memory), *_of_record(known, memory), *_of_audit(known, memory), *_of_both(known, memory),
        *(_of_inbox(known, one, memory) for one in known.left.values() if one.get("memory") == memory.id and one.get("made")),
    ]  # fmt: skip
    return sorted(found, key=lambda one: (-one.at_s, -one.rank))


def _of_successors(known: Known, memory: Memory) -> list[Decision]:
    takers = _last_takers(known, memory)
    found: list[Decision] = []
    if takers:
        # Of what has lost its place as a whole, that was the last.
        at_s = float("inf") if memory.superseded_by else takers[-1].when_s or 0.0
        found.append(Decision(at_s, 1, "supersede", lambda: _give_back(known, takers, memory)))
    if memory.supersedes:
        found.append(Decision(memory.when_s or 0.0, 0, "supersede", lambda: _give_back(known, [memory], None)))
    return found


def _last_takers(known: Known, memory: Memory) -> list[Memory]:
    """Return those who took a memory's place last, the newest last: others who took other statements of it did that before."""
    own = set(digests_of(memory))
    after = known.role.compiled.succession.successors(memory.id, known.memories)
    took = {one.id: own.intersection(one.covers) if one.covers else own for one in after}
    place = {one: number for number, one in enumerate(known.memories)}  # of two of one second, the one that came later
    takers = sorted((one for one in after if took[one.id]), key=lambda one: (one.when_s or 0.0, place[one.id]))
    return [one for one in takers if took[one.id] & took[takers[-1].id]]


def _give_back(known: Known, takers: list[Memory], older: Memory | None) -> Plan:
    """Let a memory stand beside those who took its place, or one beside all whose place it took."""
    changes: list[Operation] = []
    stands: list[str] = []
    for taker in takers:
        given_back = {older.id} if older else set(taker.supersedes)
        before = raw_of(known.role, taker)
        after = without(taker, given_back, known.memories).put_into(with_id(before, taker.id))
        changes.append(Change(known.role.name, taker.kind, taker.id, before, after))
        stands += [one for one in taker.supersedes if one in given_back and one in known.memories]
    newest = takers[-1]
    taken = taken_by(newest)
    first = older or known.memories.get(taken.supersedes[0])
    covers = [one for one in taken.covers if first and one in digests_of(first)]
    words = [known.role.name, newest.id[:8], (first.id if first else taken.supersedes[0])[:8], "--supersedes"]
    hint = f"Put it back with `memd link {' '.join([*words, *(f'--cover {one}' for one in covers)])}`."
    ids = tuple(dict.fromkeys([*stands, *(one.id for one in takers)]))
    return Plan(lambda _: changes, ids, hint, by=newest.id, had=taken)


def _of_record(known: Known, memory: Memory) -> list[Decision]:
    record = raw_of(known.role, memory)
    found: list[Decision] = []
    if (past := text_before(record)) is not None:
        at_s = to_seconds(past.get("until", "")) or 0.0
        found.append(Decision(at_s, 3, "refine", lambda: _refined_back(known, memory, record, past)))
    if CONSTANT in memory.inferred and memory.constant:
        found.append(Decision(memory.when_s or 0.0, -1, "constant", lambda: _ordinary(known, memory, record)))
    sources = record.get("sources")
    lines = {
        one: known.archived[one]
        for one in (sources if isinstance(sources, list) else ())
        if isinstance(one, str) and known.archived.get(one, {}).get("reason") == FOLDED + memory.id
    }
    if lines:
        at_s = max(to_seconds(one.get("at", "")) or 0.0 for one in lines.values())
        found.append(Decision(at_s, 2, "fold", lambda: _unfolded(known, memory, record, lines)))
    return found


def _ordinary(known: Known, memory: Memory, record: dict[str, Any]) -> Plan:
    """Let a memory be an ordinary one that was constant because memd found it out."""
    after = {**with_id(record, memory.id), CONSTANT: False}
    after["inferred"] = [one for one in memory.inferred if one != CONSTANT]
    if not after["inferred"]:
        del after["inferred"]
    changes: list[Operation] = [Change(known.role.name, memory.kind, memory.id, record, after)]
    hint = f"Make it constant again with `memd edit {known.role.name} {memory.id[:8]} --constant`."
    return Plan(lambda _: changes, (memory.id,), hint)


def _of_inbox(known: Known, note: Mapping[str, Any], memory: Memory | None) -> Decision:
    """Return what became of a text that waited: it was let go, or became a memory; taken back, it waits again."""
    word = "keep" if memory else "drop"
    return Decision(to_seconds(note.get("at")) or 0.0, -1, word, lambda: _waiting_again(known, note, memory))


def _waiting_again(known: Known, note: Mapping[str, Any], memory: Memory | None) -> Plan:
    steps = known.store.keeping.inbox.steps(known.store.record, known.now_s)
    steps.again(note["entry"])

    def build(n: int) -> list[Operation]:
        gone = [] if memory is None else removals(known.store, known.role, [memory], UNKEPT, n, known.now_s)
        return [*gone, *steps.operations(n)]

    hint = f"It waits in the inbox: see `memd review show {str(note['entry']['id'])[:8]}`."
    return Plan(build, (), hint, steps.roll_back, archived=memory.id if memory else "")


def _of_both(known: Known, memory: Memory) -> list[Decision]:
    """Return what a person said of a memory and others: that both hold."""
    pairs = [(memory, one) for one in memory.beside]
    pairs += [(one, memory.id) for one in known.memories.values() if memory.id in one.beside]
    found: list[Decision] = []
    for newer, other in pairs:
        record = raw_of(known.role, newer)
        at_s = to_seconds(said_beside(record, other)) or 0.0
        found.append(Decision(at_s, 5, "both hold", partial(_conflicting_again, known, newer, record, other)))
    return found


def _conflicting_again(known: Known, newer: Memory, record: dict[str, Any], other: str) -> Plan:
    change = Change(known.role.name, newer.kind, newer.id, record, asked_again(with_id(record, newer.id), other))
    hint = "Settle it with `memd review`."
    return Plan(lambda _: [change], tuple(one for one in (newer.id, other) if one in known.memories), hint)


def _refined_back(known: Known, memory: Memory, record: dict[str, Any], past: Mapping[str, Any]) -> Plan:
    """Give a memory the text it had, and let what was added stand by itself."""
    key = "value" if "value" in record and "content" not in record else "content"
    begin = past["content"].rstrip()
    added = memory.content.removeprefix(begin).lstrip(" .。") if memory.content.startswith(begin) else memory.content
    made = past.get("made")
    if not isinstance(made, dict):  # of an older memd: known by its text alone
        made = {} if memory.content.startswith(begin) and added else {key: ""}
    if edited := edited_since(record, made):
        raise EditedSinceError(memory.id, f"its {', '.join(edited)}")
    after = {**taken_back(with_id(record, memory.id), _mapping(past.get("was"))), key: past["content"]}
    after["history"] = record["history"][:-1]
    if not after["history"]:
        del after["history"]
    ms = known.role.file.document.style.ms
    if "updatedAt" in after:
        after["updatedAt"] = stamp(known.now_s, ms=ms)
    fields = {
        "content": added or memory.content,
        "keys": list(memory.keys),
        "tags": list(memory.tags),
        "name": memory.name,
    }
    come_from = Provenance(memory.source, memory.session, memory.run)
    new_id = known.store.ports.new_id()
    record_of_new = new_record(memory.kind, new_id, fields, come_from, score=memory.score, now_s=known.now_s, ms=ms)
    change = Change(known.role.name, memory.kind, memory.id, record, after)
    return _with_new(known, memory.kind, record_of_new, [change], memory.id)


def _of_audit(known: Known, memory: Memory) -> list[Decision]:
    found: list[Decision] = []
    for line in known.duplicates:
        entry = next((one for one in line.get("entries", []) if isinstance(one, dict)), None)
        if line.get("id") != memory.id or entry is None or not isinstance(entry.get("id"), str):
            continue
        if entry["id"] in known.memories or entry["id"] in known.archived:
            continue  # taken back already
        at_s = to_seconds(line.get("at", "")) or 0.0
        found.append(Decision(at_s, 4, "duplicate", partial(_told_apart, known, memory, line, entry)))
    return found


def _told_apart(known: Known, memory: Memory, line: Mapping[str, Any], entry: dict[str, Any]) -> Plan:
    """Store by itself what was taken for a repetition, and take from the older memory what it got by that."""
    record = raw_of(known.role, memory)
    left = _mapping(line.get("trace"))
    if edited := edited_since(record, _mapping(left.get("made"))):
        raise EditedSinceError(memory.id, f"its {', '.join(edited)}")
    after = taken_back(with_id(record, memory.id), _mapping(left.get("was")))
    changes = [Change(known.role.name, memory.kind, memory.id, record, after)] if left else []
    kind = Kind(line["kind"]) if line.get("kind") in Kind.__members__.values() else memory.kind
    return _with_new(known, kind, entry, changes, memory.id)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _with_new(known: Known, kind: Kind, record: dict[str, Any], changes: list[Change], older: str) -> Plan:
    """Return the plan that stores a record beside an older one, told like every store."""
    line = dump_line(
        str(record.get("content", record.get("value", ""))), tags=tuple(record.get("tags", ())), memory_id=record["id"],
        total=float(record.get("score") or 0.0), validity=str(record.get("validity", "")), now_s=known.now_s,
    )  # fmt: skip
    operations: list[Operation] = [
        *changes,
        Change(known.role.name, kind, record["id"], None, record),
        Line(DECLARATIVE, line, HEADER),
    ]
    hint = f"Let the new one go with `memd forget {known.role.name} {record['id'][:8]}`."
    return Plan(lambda _: operations, (older, record["id"]), hint, stored=record["id"])


def _of_archive(known: Known, memory_id: str) -> Decision:
    value = known.archived[memory_id]
    reason = str(value.get("reason", ""))
    folded = known.memories.get(reason.removeprefix(FOLDED)) if reason.startswith(FOLDED) else None
    if folded is not None:
        fold = [one for one in _of_record(known, folded) if one.word == "fold"]
        if fold:
            return fold[0]
    at_s = to_seconds(value.get("at", "")) or 0.0
    word = "" if reason == UNFOLDED else "archive"
    return Decision(at_s, 0, word, lambda: _restored(known, {memory_id: value}))


def _restored(known: Known, lines: Mapping[str, Mapping[str, Any]]) -> Plan:
    def build(n: int) -> list[Operation]:
        return _back_from_archive(known, lines, n, 0)

    hint = f"Let it go again with `memd forget {known.role.name} {next(iter(lines))[:8]}`."
    return Plan(build, tuple(lines), hint)


def _back_from_archive(known: Known, lines: Mapping[str, Mapping[str, Any]], n: int, first: int) -> list[Operation]:
    operations: list[Operation] = []
    for place, (memory_id, value) in enumerate(lines.items(), first):
        kind = Kind(value["kind"])
        note = {"i": place, "what": "restored", "role": known.role.name, "kind": kind.value, "id": memory_id}
        entry = brought_back(value["entry"], kind, memory_id, known.now_s)
        operations.append(Change(known.role.name, kind, memory_id, None, entry))
        operations.append(known.store.record(archive_file(known.now_s), n, note, known.now_s))
    return operations


def _unfolded(known: Known, memory: Memory, record: dict[str, Any], lines: Mapping[str, Mapping[str, Any]]) -> Plan:
    """Bring the episodes back that one stands for, and put that one into the archive."""
    made = next((one["made"] for one in lines.values() if isinstance(one.get("made"), dict)), None)
    if made is None:  # of an older memd: known by its text alone
        told = [mark(one["entry"].get("content")) for one in lines.values()]
        made = {"content": next((one for one in told if one == mark(record.get("content"))), "")}
    else:
        made = {**dict.fromkeys((key for key in record if key not in UNMARKED), ""), **made}
    if edited := edited_since(record, made):
        raise EditedSinceError(memory.id, f"its {', '.join(edited)}")

    def build(n: int) -> list[Operation]:
        gone = archive_line(known.store, known.role, (memory.kind, memory.id, record), UNFOLDED, (n, 0), known.now_s)
        change = Change(known.role.name, memory.kind, memory.id, record, None)
        return [change, gone, *_back_from_archive(known, lines, n, 1)]

    return Plan(build, tuple(lines), "Upkeep folds them again where a role is full.", archived=memory.id)


def brought_back(entry: Mapping[str, Any], kind: Kind, memory_id: str, now_s: float) -> dict[str, Any]:
    """Return an archived record as it is when somebody wants it back: an end that is over would send it away again."""
    over = to_memory(dict(entry), kind, memory_id).is_expired(now_s)
    return {key: value for key, value in entry.items() if not (over and key == "expiresAt")}
