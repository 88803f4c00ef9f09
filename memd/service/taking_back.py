"""What takes back that a verdict was judged again: all is as words had judged it, and it is not judged once more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from memd.engine.keep.leaves import edited_since, taken_back
from memd.errors import EditedSinceError
from memd.formats.times import to_seconds
from memd.model.change import Change, Operation
from memd.model.memory import JUDGED, STANDS, UNDONE, Kind
from memd.service.memory.decisions import Decision, Known, Plan, brought_back
from memd.service.memory.records import raw_of, removals, with_id
from memd.storage.layout import AUDIT, archive_file

UNJUDGED = "its judging again was undone"  # a reason in the archive
LAST = 9  # of one moment: it came after all that it did


def judged_again(noted: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return what notes of the audit say of verdicts that were judged again and stand so, by the offer's id."""
    found: dict[str, Mapping[str, Any]] = {}
    for value in noted:
        if value.get("what") == JUDGED and isinstance(value.get("id"), str):
            found.pop(value["id"], None)
            if isinstance(value.get("entries"), list) and not value.get("undone"):
                found[value["id"]] = value
    return found


def decisions_of(known: Known, notes: Mapping[str, Mapping[str, Any]], memory_id: str) -> list[Decision]:
    """Return the judgings that concern an id: of the offer, of a memory that it made, changed or took away."""
    return [
        Decision(to_seconds(one.get("at")) or 0.0, LAST, "judge again", partial(_as_words_said, known, one))
        for offer_id, one in notes.items()
        if memory_id in (offer_id, *(each.get("id") for each in _entries(one)))
    ]


def _entries(note: Mapping[str, Any]) -> list[dict[str, Any]]:
    whole = (one for one in note["entries"] if isinstance(one, dict) and isinstance(one.get("id"), str))
    return [one for one in whole if one.get("kind") in Kind.__members__.values()]


class Backward(NamedTuple):
    """What takes the changes of a judging back: changes of what stands, what comes back from the archive, and what goes there."""

    changes: list[Change]
    back: list[tuple[Kind, str]]
    made: list[str]


def _backward(known: Known, note: Mapping[str, Any]) -> Backward:
    found = Backward([], [], [])
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
