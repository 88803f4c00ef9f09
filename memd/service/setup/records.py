"""Where the record of a setup lies: below this machine's state of the workspace, readable by its user alone.

Errors
    SetupBlockedError where it cannot be kept or believed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from memd.errors import SetupBlockedError, StorageError
from memd.formats.setup.record import Record, dump_setup, load_setup
from memd.storage.files import Tree
from memd.storage.lock import alone
from memd.storage.replace import replace

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
