"""Open a workspace: for writing, with its lock and its log; or for reading, with neither."""

from __future__ import annotations

from typing import Any

from memd.errors import StorageError, WorkspaceMissingError
from memd.service.ports import Ports
from memd.service.settings_file import SettingsFile, read_settings
from memd.service.takeover import begin_writing, overlay_log
from memd.service.trust import Trust
from memd.service.workspace import Workspace
from memd.storage.files import Tree
from memd.storage.layout import SETTINGS
from memd.storage.lock import Lock
from memd.storage.system import System


async def open_workspace(
    path: str,
    *,
    holder: dict[str, Any] | None,
    ports: Ports | None = None,
    cache_dir: str = "",
    state_dir: str = "",
    system: System | None = None,
) -> Workspace:
    """Open the workspace at an absolute path: for writing where `holder` says who does, for reading where it is None.

    `state_dir` is where this machine keeps what it grants to the workspace; without one nothing is granted. A writer that
    finds a disk it cannot write goes on reading. Errors: WorkspaceMissingError, BadSettingsError, WorkspaceBusyError where
    another process writes.
    """
    tree = Tree(path, system)
    lock = Lock(tree)
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
        try:
            lock.acquire(holder)
        except StorageError as error:
            workspace.read_only = str(error)
    await workspace.find_roles()
    if holder is not None and not workspace.read_only:
        try:
            await begin_writing(workspace, lock)
        except StorageError as error:
            workspace.read_only = str(error)
        else:
            return
    overlay_log(workspace)
