"""Open a workspace: for writing, with its lock and its log; or for reading, with neither."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any

from memd.errors import StorageError, WorkspaceBusyError, WorkspaceMissingError
from memd.service.care.recover import clear_logs, erased_ids
from memd.service.ports import Ports
from memd.service.settings_file import SettingsFile, read_settings
from memd.service.takeover import begin_writing, overlay_log
from memd.service.trust import Trust
from memd.service.workspace import Workspace
from memd.storage.files import Tree
from memd.storage.layout import SETTINGS
from memd.storage.lock import Lock
from memd.storage.system import System

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
) -> Workspace:
    """Open the workspace at an absolute path: for writing where `holder` says who does, for reading where it is None.

    `state_dir` is where this machine keeps what it grants to the workspace; without one nothing is granted. A writer that
    finds a disk it cannot write goes on reading; `lock` is one that was taken before. Errors: WorkspaceMissingError,
    BadSettingsError, WorkspaceBusyError where another process writes.
    """
    tree = lock.tree if lock else Tree(path, system)
    lock = lock or Lock(tree)
    try:
        try:
            live = SettingsFile(read_settings(tree), identity=tree.identify(SETTINGS))
        except FileNotFoundError:
            raise WorkspaceMissingError(path) from None
        workspace = Workspace(tree, live, ports or Ports(), cache_dir, Trust(state_dir))
        workspace.look_at_settings()
        workspace.opened_s = workspace.ports.monotonic()
        await _begin(workspace, lock, holder)
    except BaseException:
        lock.release()
        tree.close()
        raise
    return workspace


async def _begin(workspace: Workspace, lock: Lock, holder: dict[str, Any] | None) -> None:
    if holder is not None:
        _take(workspace, lock, holder)
    await workspace.find_roles()
    if holder is not None and not workspace.read_only:
        try:
            await _begin_writing(workspace, lock)
        except StorageError as error:
            workspace.read_only = str(error)
        else:
            return
    overlay_log(workspace)


async def _begin_writing(workspace: Workspace, lock: Lock) -> None:
    await begin_writing(workspace, lock)
    copies = clear_logs(workspace.tree, erased_ids(workspace.records()))
    workspace.recovered["conflict_copies"] += copies
    for name in copies:
        workspace.audit({"what": "conflict", "file": name})


def _take(workspace: Workspace, lock: Lock, holder: dict[str, Any]) -> None:
    try:
        if lock.handle is None:
            lock.acquire(holder)
        lock.tell(holder)
        workspace.lock = lock
        workspace.read_only = ""
    except StorageError as error:
        workspace.read_only = str(error)


async def begin_late(workspace: Workspace, holder: dict[str, Any]) -> bool:
    """Write from now on, where the disk could not be written before and can be now; tell whether it can."""
    lock = workspace.lock or Lock(workspace.tree)
    try:
        _take(workspace, lock, holder)
        if not workspace.read_only:
            await _begin_writing(workspace, lock)
    except (StorageError, WorkspaceBusyError) as error:
        workspace.read_only = str(error)
    return not workspace.read_only


async def keep_trying(workspace: Workspace, holder: dict[str, Any], stop: asyncio.Event) -> None:
    """Look again and again whether a workspace that is only read can be written, until it is or it is time to stop."""
    while workspace.read_only and not stop.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TRY_S):
                await stop.wait()
        if not stop.is_set() and await begin_late(workspace, holder):
            logger.info("%s can be written now", workspace.path)
