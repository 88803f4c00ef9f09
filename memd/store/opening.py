"""Open a workspace: for writing, with its lock and its log; or for reading, with neither."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Any

from memd.errors import StorageError, WorkspaceBusyError, WorkspaceMissingError
from memd.storage.files import Tree
from memd.storage.layout import SETTINGS
from memd.storage.lock import Lock
from memd.store.keep.ignored import keep_ignored
from memd.store.ports import Ports
from memd.store.recover import clear_logs, erased_ids
from memd.store.settings_file import SettingsFile, read_settings
from memd.store.store import Store, store_of
from memd.store.takeover import begin_writing, overlay_log

if TYPE_CHECKING:
    from memd.storage.system import System
    from memd.store.recall.meaning import Meaning

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
