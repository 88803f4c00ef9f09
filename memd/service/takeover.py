"""Take over what a process before us left: temporaries, acknowledged work that is only in the log, the day's count."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial

from memd.errors import BadMemoryError, MemdError
from memd.formats.operations import load_operation, parts_of
from memd.formats.times import to_seconds, to_stamp
from memd.model.change import Change, Erasure, Line, Put
from memd.service.care import recover
from memd.service.limits import Scorings
from memd.service.role import Role
from memd.service.workspace import Workspace
from memd.service.writing.applier import Applier
from memd.service.writing.journal import Journal
from memd.service.writing.text_files import clear_text_leftovers
from memd.service.writing.text_parked import RECENT_S
from memd.storage.files import Tree
from memd.storage.layout import CURATED, LOG, PRIVATE, SCORES, STATE
from memd.storage.lock import Lock
from memd.storage.wal import Held, Log, read_log


async def begin_writing(workspace: Workspace, lock: Lock) -> None:
    """Take over what a process before us left: temporaries, work in the log, the day's count."""
    workspace.lock = lock
    now_s = workspace.ports.now()
    log = await asyncio.to_thread(Log, workspace.tree, to_stamp(now_s), lock)
    workspace.log = log
    recover.clear_known(workspace.tree)
    known, erased = recover.known_versions(log.records), recover.erased_ids(log.records)
    kept = {name: recover.clear_leftovers(workspace.tree, name, known, erased) for name in workspace.roles}
    recover.clear_private(workspace.tree, (PRIVATE, SCORES, STATE))
    texts = {
        op.get(side) for one in log.records for op in one.ops if op.get("do") == "put" for side in ("before", "after")
    }
    copies = clear_text_leftovers(workspace.tree, {one for one in texts if isinstance(one, str)})
    workspace.scorings = Scorings.read(workspace.tree, now_s, _score_lines(log))
    workspace.applier = Applier(
        workspace.tree,
        workspace.ports,
        partial(_role_or_new, workspace),
        lambda: workspace.settings.limits,
        workspace.adopt,
        workspace.audit,
        workspace.texts,
    )
    workspace.applier.on_lines.append(workspace.working.wrote)
    workspace.writing = Journal(log, workspace.applier.take)
    workspace.applier.journal = workspace.writing
    workspace.applier.take_over(_recent_entries(log, now_s), (one for one in texts if isinstance(one, str)))
    redone = _redo(workspace, log)
    workspace.recovered = {
        "redone": redone,
        "quarantined": log.quarantined,
        "conflict_copies": [*(name for names in kept.values() for name in names), *copies],
    }
    for role, names in kept.items():
        for name in names:
            workspace.audit({"what": "conflict", "role": role, "file": name, "ids": []})
    for name in copies:
        workspace.audit({"what": "conflict", "file": name})


def overlay_log(workspace: Workspace) -> None:
    """For a reader: take acknowledged work that is not in the files yet from the log, in memory only."""
    held = _pending_log(workspace.tree)
    if held is None:
        return
    for record in held.records:
        operations = held.pending(record)
        workspace.texts.hold(record.n, operations)
        for one in operations:
            if isinstance(one, Line):
                workspace.texts.lines.setdefault(one.name, []).append(one.text)
            if isinstance(one, Erasure):
                workspace.texts.erasing.add((one.role, one.id))
            if isinstance(one, Change | Erasure) and one.role in workspace.roles:
                take_back(workspace.roles[one.role], one, record.n, held.parts)


def _redo(workspace: Workspace, log: Log) -> int:
    """Queue what the files may lack, and know it meanwhile; what a later record has overtaken is not among it."""
    count = 0
    for record in log.records:
        operations = log.pending(record)
        if not operations or workspace.applier is None:
            continue
        for one in operations:
            if not isinstance(one, Line | Put):
                take_back(_role_or_new(workspace, one.role), one, record.n, log.parts)
        workspace.texts.hold(record.n, operations)
        workspace.applier.take(record.n, operations, redo=True)
        count += 1
    return count


def _recent_entries(log: Log, now_s: float) -> list[Put]:
    """Return the changes of curated files that came within the last seconds, or may not be in their files yet."""
    recent = (one for one in log.records if log.pending(one) or abs(now_s - (to_seconds(one.at) or 0.0)) <= RECENT_S)
    changes = (load_operation(raw) for one in recent for raw in one.ops)
    return [put for put in changes if isinstance(put, Put) and put.name in CURATED]


def _role_or_new(workspace: Workspace, name: str) -> Role:
    if name not in workspace.roles:
        workspace.roles[name] = Role(name, loaded=True)
    return workspace.roles[name]


def _pending_log(tree: Tree) -> Held | None:
    try:
        return read_log(tree.read(LOG)[0])
    except (FileNotFoundError, MemdError):
        return None


def _score_lines(log: Log) -> dict[str, int]:
    """Return how many scorings of each day wait in the log for their file."""
    waiting: dict[str, int] = {}
    for record in log.records:
        for one in log.pending(record):
            if isinstance(one, Line) and one.name.startswith(SCORES):
                waiting[one.name] = waiting.get(one.name, 0) + 1
    return waiting


def take_back(role: Role, operation: Change | Erasure, n: int, parts: Mapping[str, int]) -> None:
    """Take an acknowledged change into memory; one whose record cannot serve waits for its file like any other.

    `parts`: how far each place is. A memory that is erased from its file already may be there anew.
    """
    if parts.get(parts_of(operation)[0], 0) >= n:
        return
    change = operation
    if isinstance(change, Erasure):
        change = Change(change.role, change.kind, change.id, role.raw(change.kind, change.id), None)
    try:
        role.take(change, n)
    except BadMemoryError:
        role.overlay[change.kind, change.id] = (n, change.after)
