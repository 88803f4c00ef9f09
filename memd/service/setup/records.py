"""Where the record of a setup lies: below this machine's state of the workspace, readable by its user alone.

Beside these of all workspaces lies what agents' plugins run: a line for a shell that knows the program and the workspace.

Errors
    SetupBlockedError where it cannot be kept or believed.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from memd.errors import SetupBlockedError, StorageError
from memd.formats.setup_files import Record, dump_setup, load_setup
from memd.storage.files import Tree
from memd.storage.itself import own_command, own_line
from memd.storage.lock import alone
from memd.storage.machine import START, started_by_plugins
from memd.storage.replace import replace
from memd.storage.spool.leaving import read_small
from memd.whereabouts import SETTINGS, is_workspace

FOLDER, FILE = "setup", "record.json"
MOST_BYTES = 200_000_000
OTHERS = 0o022  # may write


class Records:
    """The record of one workspace; `state` is the directory of what this machine says of it."""

    def __init__(self, state: str) -> None:
        self.folder = os.path.join(state, FOLDER) if state else ""

    def read(self) -> Record | None:
        """Return the record, None where nothing was set up."""
        path = os.path.join(self.folder, FILE)
        if not self.folder or not os.path.lexists(path):
            return None
        try:
            for one in (self.folder, path):
                found = os.lstat(one)
                if found.st_uid != os.geteuid() or found.st_mode & OTHERS:
                    raise SetupBlockedError(one, "it belongs to another user, or others may write it")
            tree = Tree(self.folder)
            try:
                return load_setup(tree.read(FILE, MOST_BYTES)[0])
            finally:
                tree.close()
        except (OSError, StorageError, ValueError) as error:
            raise SetupBlockedError(path, str(error)) from None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the only one who sets this workspace up, or takes that back. Makes the directory where it is missing."""
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        except OSError as error:
            raise SetupBlockedError(self.folder, error.strerror or str(error)) from None
        with alone(self.folder):
            yield

    def write(self, record: Record) -> None:
        """Keep the record, durably."""
        tree = Tree(self.folder)
        try:
            replace(tree, FILE, dump_setup(record))
        except (StorageError, OSError) as error:
            raise SetupBlockedError(self.folder, str(error)) from None
        finally:
            tree.close()

    def remove(self) -> None:
        """Forget the record."""
        tree = Tree(self.folder)
        try:
            tree.remove(FILE)
        finally:
            tree.close()
        os.rmdir(self.folder)


def served_by_plugins(state: str) -> str:
    """Return the workspace that agents' plugins serve, "" where there is none, or its program is gone. `state`: of any workspace."""
    program, workspace = started_by_plugins(os.path.dirname(state))
    return workspace if os.access(program, os.X_OK) and is_workspace(workspace) else ""


def lacks_start(state: str, workspace: str) -> bool:
    """Tell whether plugins do not find a workspace, and serve no other."""
    is_there = read_small(_start_file(state)) == start_text(workspace)
    return not is_there and served_by_plugins(state) in ("", workspace)


def write_start(state: str, workspace: str) -> None:
    """Let plugins serve a workspace. StorageError or OSError where that cannot be kept."""
    tree = Tree(os.path.dirname(state))
    try:
        replace(tree, START, start_text(workspace))
    finally:
        tree.close()


def remove_start(state: str, workspace: str) -> None:
    """Let plugins serve nothing, where it is this workspace that they serve."""
    if started_by_plugins(os.path.dirname(state))[1] == workspace:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(_start_file(state))


def _start_file(state: str) -> str:
    return os.path.join(os.path.dirname(state), START)


def start_text(workspace: str) -> bytes:
    """Return what a plugin's shell reads: where the program or the workspace is gone, it goes on behind it."""
    needed = f"[ -x {shlex.quote(own_command()[0])} ] && [ -f {shlex.quote(os.path.join(workspace, SETTINGS))} ]"
    line = f'{needed} && exec {own_line()} "$@" --workspace {shlex.quote(workspace)}'
    told = "# By this agents' plugins start memd: memd setup wrote it, and memd setup --undo takes it away."
    return f"{told}\n{line}\n".encode("utf-8", "surrogateescape")


def workspaces_set_up(above: str) -> list[str]:
    """Return the workspaces that were set up, as the records below the state directory of memd say."""
    try:
        keys = sorted(os.listdir(above))
    except OSError:
        return []
    found = []
    for key in keys:
        try:
            record = Records(os.path.join(above, key)).read()
        except SetupBlockedError:
            continue
        found += [record.workspace] if record else []
    return found
