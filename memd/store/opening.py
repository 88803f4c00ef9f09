"""Open a workspace: for writing, with its lock, its log and what a process before us left; or for reading, with neither."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from memd.errors import BadMemoryError, StorageError, WorkspaceBusyError, WorkspaceMissingError
from memd.formats.operations import load_operation, parts_of
from memd.formats.times import to_seconds, to_stamp
from memd.model.change import Change, Erasure, Line, Put
from memd.storage.files import Tree
from memd.storage.layout import CURATED, PRIVATE, SCORES, SETTINGS, STATE
from memd.storage.lock import Lock
from memd.storage.wal import Log
from memd.store import recover
from memd.store.in_force import SettingsFile, read_settings
from memd.store.keep.ignored import keep_ignored
from memd.store.ports import Ports
from memd.store.recover import clear_logs, erased_ids, log_of
from memd.store.room import Scorings
from memd.store.store import Store, store_of
from memd.store.writing.applier import STALE_SAVE_S
from memd.store.writing.text_files import clear_text_leftovers
from memd.store.writing.text_parked import RECENT_S

if TYPE_CHECKING:
    from memd.model.memory import Kind
    from memd.storage.system import System
    from memd.store.recall.meaning import Meaning
    from memd.store.role.role import Role

logger = logging.getLogger(__name__)

TRY_S = 2.0


async def open_workspace(
    path: str,
    *,
    holder: dict[str, Any] | None,
    ports: Ports | None = None,
    cache_dir: str = "",
    state_dir: str = "",
    system: System | None = None,
    lock: Lock | None = None,
    meaning: Meaning | None = None,
) -> Store:
    """Open the workspace at an absolute path: for writing where `holder` says who does, for reading where it is None.

    `state_dir` is where this machine keeps what it grants to the workspace; without one nothing is granted. A writer that
    finds a disk it cannot write goes on reading; `lock` is one that was taken before. Errors: WorkspaceMissingError,
    BadSettingsError, WorkspaceBusyError where another process writes.
    """
    tree = lock.tree if lock else Tree(path, system)
    lock = lock or Lock(tree)
    try:
        try:
            file = SettingsFile(read_settings(tree), identity=tree.identify(SETTINGS))
        except FileNotFoundError:
            raise WorkspaceMissingError(path) from None
        store = store_of(tree, file, ports or Ports(), cache_dir=cache_dir, state_dir=state_dir, meaning=meaning)
        await _begin(store, lock, holder)
    except BaseException:
        lock.release()
        tree.close()
        raise
    return store


async def _begin(store: Store, lock: Lock, holder: dict[str, Any] | None) -> None:
    if holder is not None:
        _take(store, lock, holder)
    await store.roles.look()
    if holder is not None and not store.writer.read_only:
        try:
            await _begin_writing(store, lock)
        except StorageError as error:
            store.writer.read_only = str(error)
        else:
            return
    overlay_log(store)


async def _begin_writing(store: Store, lock: Lock) -> None:
    await begin_writing(store, lock)
    await asyncio.to_thread(keep_ignored, store.tree, version=store.settings.sessions.version)
    copies = clear_logs(store.tree, erased_ids(store.writer.records()))
    store.writer.recovered["conflict_copies"] += copies
    for name in copies:
        store.audit({"what": "conflict", "file": name})


def _take(store: Store, lock: Lock, holder: dict[str, Any]) -> None:
    try:
        if lock.handle is None:
            lock.acquire(holder)
        lock.tell(holder)
        store.writer.lock = lock
        store.writer.read_only = ""
    except StorageError as error:
        store.writer.read_only = str(error)


async def begin_late(store: Store, holder: dict[str, Any]) -> bool:
    """Write from now on, where the disk could not be written before and can be now; tell whether it can."""
    lock = store.writer.lock or Lock(store.tree)
    try:
        _take(store, lock, holder)
        if not store.writer.read_only:
            await _begin_writing(store, lock)
    except (StorageError, WorkspaceBusyError) as error:
        store.writer.read_only = str(error)
    return not store.writer.read_only


async def keep_trying(store: Store, holder: dict[str, Any], stop: asyncio.Event) -> None:
    """Look again and again whether a workspace that is only read can be written, until it is or it is time to stop."""
    while store.writer.read_only and not stop.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TRY_S):
                await stop.wait()
        if not stop.is_set() and await begin_late(store, holder):
            logger.info("%s can be written now", store.path)


# Take over what a process before us left: temporaries, acknowledged work that is only in the log, the day's count.


async def begin_writing(store: Store, lock: Lock) -> None:
    """Take over what a process before us left: temporaries, work in the log, the day's count."""
    store.writer.lock = lock
    now_s = store.ports.now()
    log = await asyncio.to_thread(Log, store.tree, to_stamp(now_s), lock)
    recover.clear_known(store.tree)
    known, erased = recover.known_versions(log.records), recover.erased_ids(log.records)
    kept = {name: recover.clear_leftovers(store.tree, name, known, erased) for name in store.roles}
    recover.clear_private(store.tree, (PRIVATE, SCORES, STATE))
    texts = {
        op.get(side) for one in log.records for op in one.ops if op.get("do") == "put" for side in ("before", "after")
    }
    copies = clear_text_leftovers(store.tree, {one for one in texts if isinstance(one, str)})
    store.room.scorings = Scorings.read(store.tree, now_s, _score_lines(log))
    applier = store.writer.begin(log)
    applier.on_lines.append(store.working.wrote)
    applier.take_over(_recent_entries(log, now_s), (one for one in texts if isinstance(one, str)))
    redone = _redo(store, log)
    guarded = _guard(store, log, now_s)
    await recover.note_missing(store, [one for one in log.records if not log.pending(one)], guarded)
    store.writer.recovered = {
        "redone": redone,
        "quarantined": log.quarantined,
        "conflict_copies": [*(name for names in kept.values() for name in names), *copies],
    }
    for role, names in kept.items():
        for name in names:
            store.audit({"what": "conflict", "role": role, "file": name, "ids": []})
    for name in copies:
        store.audit({"what": "conflict", "file": name})


def overlay_log(store: Store) -> None:
    """For a reader: take acknowledged work that is not in the files yet from the log, in memory only."""
    held = log_of(store.tree)
    if held is None:
        return
    for record in held.records:
        operations = held.pending(record)
        store.texts.hold(record.n, operations)
        for one in operations:
            if isinstance(one, Line):
                store.texts.lines.setdefault(one.name, []).append(one.text)
            if isinstance(one, Erasure):
                store.texts.erasing.add((one.role, one.id))
            if isinstance(one, Change | Erasure) and one.role in store.roles:
                take_back(store.roles[one.role], one, record.n, held.parts)


def _redo(store: Store, log: Log) -> int:
    """Queue what the files may lack, and know it meanwhile; what a later record has overtaken is not among it."""
    count = 0
    for record in log.records:
        operations = log.pending(record)
        if not operations or store.writer.applier is None:
            continue
        for one in operations:
            if not isinstance(one, Line | Put):
                take_back(store.roles.or_new(one.role), one, record.n, log.parts)
        store.texts.hold(record.n, operations)
        store.writer.applier.take(record.n, operations, redo=True)
        count += 1
    return count


def _guard(store: Store, log: Log, now_s: float) -> set[tuple[str, str]]:
    """Guard what a process before us wrote into roles lately: an editor's outdated save may have come since, or still come.

    Returns role and id of what is guarded.
    """
    lately: dict[str, dict[tuple[Kind, str], tuple[float, Change]]] = {}
    for record in log.records:
        age_s = abs(now_s - (to_seconds(record.at) or 0.0))  # a clock may have been set back
        if age_s > STALE_SAVE_S:
            continue
        for one in filter(None, map(load_operation, record.ops)):
            if isinstance(one, Erasure) or (isinstance(one, Change) and one.firm):
                lately.get(one.role, {}).pop((one.kind, one.id), None)
            elif isinstance(one, Change):
                lately.setdefault(one.role, {})[one.kind, one.id] = (age_s, one)
    for name, changes in lately.items():
        role = store.roles.get(name)
        if role is None or not changes:
            continue
        begun_s = store.ports.monotonic()
        role.saves.recent.extend(sorted(((begun_s - age_s, one) for age_s, one in changes.values()), key=itemgetter(0)))
        role.saves.stale = True
        store.writer.wake(role)
    return {(name, memory_id) for name, changes in lately.items() for _, memory_id in changes}


def _recent_entries(log: Log, now_s: float) -> list[Put]:
    """Return the changes of curated files that came within the last seconds, or may not be in their files yet."""
    recent = (one for one in log.records if log.pending(one) or abs(now_s - (to_seconds(one.at) or 0.0)) <= RECENT_S)
    changes = (load_operation(raw) for one in recent for raw in one.ops)
    return [put for put in changes if isinstance(put, Put) and put.name in CURATED]


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
        role.unsaved.overlay[change.kind, change.id] = (n, change.after)
