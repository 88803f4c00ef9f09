"""What takes a pass back as a whole: what it kept goes, what it added or let wait too; what somebody changed since is left."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.fate import Fate
from memd.errors import ConsolidationUnknownError
from memd.formats.entry import stamp
from memd.formats.times import to_iso
from memd.model.change import Change, Operation, Put
from memd.model.memory import UNDONE
from memd.service.memory.records import archive_line, digest_of, raw_of, with_id
from memd.service.screening import make_ready
from memd.store.capture import Became, Report, dump_report, read_report, report_file, report_ids
from memd.store.capture import taken_back as as_taken_back

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store

REASON = "its consolidation was undone"


class TakenBack(NamedTuple):
    """Ids of memories that went to the archive, that stand as before, and of texts that left the inbox; and what was left, with the reason."""

    report: Report
    archived: list[str]
    changed: list[str]
    unstaged: list[str]
    left: dict[str, str]


async def find_report(store: Store, wanted: str) -> Report:
    """Return the report of a pass by its id or its first characters. ConsolidationUnknownError where none or several fit."""
    ids = [one for one in await asyncio.to_thread(report_ids, store.tree, store.texts) if one.startswith(wanted)]
    found = await asyncio.to_thread(read_report, store.tree, store.texts, ids[0]) if len(ids) == 1 else None
    if found is None:
        raise ConsolidationUnknownError(wanted)
    return found


async def undo_pass(store: Store, wanted: str) -> TakenBack:
    """Take a pass back in one acknowledged step; taking it back twice does nothing the second time."""
    await make_ready(store)
    async with store.captured.turn:
        report = await find_report(store, wanted)
        done = TakenBack(report, [], [], [], {})
        if report.undone:
            return done
        role = await store.role(report.role)
        async with role.turn:
            await store.refresh(role)
            written = _submit(store, role, report, done)
        await written
    return done


def _submit(store: Store, role: Role, report: Report, done: TakenBack) -> asyncio.Future[None]:
    now_s = store.ports.now()
    changes = [made for one in report.became if (made := _change(store, role, one, done)) is not None]
    steps = store.keeping.inbox.steps(store.record, now_s)
    for one in report.became:
        if one.inbox and one.fate == Fate.STAGED:
            entry = store.keeping.inbox.waiting.get(one.inbox)
            if entry is None:
                done.left[one.id] = "it does not wait in the inbox any more"
            else:
                steps.close(entry, UNDONE)
                done.unstaged.append(one.inbox)
    after = as_taken_back(report, to_iso(now_s), done.left)

    def build(n: int) -> list[Operation]:
        gone = [one for one in changes if one.after is None]
        lines = [
            archive_line(store, role, (one.kind, one.id, one.before or {}), REASON, (n, place), now_s)
            for place, one in enumerate(gone)
        ]
        report_put = Put(report_file(report.id), dump_report(report), dump_report(after))
        return [*changes, *lines, *steps.operations(n), report_put]

    return store.commit(build, at_s=now_s, roll_back=steps.roll_back)


def _change(store: Store, role: Role, one: Became, done: TakenBack) -> Change | None:
    """Return what takes back one statement that was kept; None, and why, where somebody changed the memory since."""
    if one.fate != Fate.KEPT or not one.memory:
        return None
    memory = role.compiled.memories.get(one.memory)
    if memory is None:
        done.left[one.memory] = "it is not there any more"
        return None
    record = with_id(raw_of(role, memory), memory.id)
    if digest_of(record) != one.digest:
        done.left[one.memory] = "it was changed since"
        return None
    if one.how != "refined":
        done.archived.append(memory.id)
        return Change(role.name, memory.kind, memory.id, record, None)
    from memd.service.judging_again import without_last  # noqa: PLC0415  most passes have added to nothing

    before = without_last(record)
    if before is None:
        done.left[one.memory] = "its history does not say how it was before"
        return None
    if "updatedAt" in before:
        before["updatedAt"] = stamp(store.ports.now(), ms=role.file.document.style.ms)
    done.changed.append(memory.id)
    return Change(role.name, memory.kind, memory.id, record, before)
