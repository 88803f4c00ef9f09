"""Where this machine keeps what it grants to a workspace: one file in a directory of our own, and a nonce in the workspace.

The directory lies outside the workspace, 0700 below the user's state directory; a link in the way, another owner, or leave
for others to write means that nothing in it counts. The nonce alone grants nothing, and neither does the path.

Errors
    TrustStateError where the directory or the file cannot be believed or written.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from memd.errors import MemdError, StorageError, TrustStateError
from memd.formats.settings import NONCE
from memd.storage.files import TEMPORARY_SUFFIX, Tree
from memd.storage.layout import NONCE_FILE, STATE
from memd.storage.lock import alone
from memd.storage.replace import replace
from memd.storage.system import System

FILE = "trust.json"
MOST_BYTES = 16_000_000
NONCE_BYTES = 200
OTHERS = 0o022  # may write


class TrustState:
    """The file of one workspace. `folder` is absolute, below a state directory and `memd/`; "" where nothing is kept."""

    def __init__(self, folder: str, workspace: str, system: System | None = None) -> None:
        self.folder, self.workspace, self.system = folder, workspace, system or System()
        above, self.leaf = os.path.split(folder)
        self.base, self.own = os.path.split(above)

    def marks(self, tree: Tree) -> tuple[object, ...]:
        """Return what differs as soon as something may have changed; cheap, and proves nothing."""
        if not self.folder:
            return ()
        above = os.path.dirname(self.folder)
        nonce = os.path.join(tree.path, NONCE_FILE)
        return tuple(map(self._mark, (above, self.folder, f"{self.folder}/{FILE}", nonce)))

    def read(self) -> bytes | None:
        """Return the file's bytes, None where there is none."""
        if not self.folder or not os.path.isdir(self.base):
            return None
        try:
            with self._opened(makes=False) as tree:
                name = f"{self.own}/{self.leaf}/{FILE}"
                data, _ = tree.read(name, MOST_BYTES)
                with tree.directory(name) as (at, leaf):
                    self._check(tree.system.stat(leaf, at=at), FILE)
                return data
        except FileNotFoundError:
            return None

    @contextmanager
    def writing(self) -> Iterator[Tree]:
        """Be the only one who changes the file; `write` it with what is yielded. Makes the directory where it is missing."""
        with self._opened(makes=True) as tree, alone(self.folder):
            for entry in tree.entries(f"{self.own}/{self.leaf}"):
                if entry.is_file and TEMPORARY_SUFFIX in entry.name:
                    tree.remove(
                        f"{self.own}/{self.leaf}/{entry.name}"
                    )  # a kill left it; what it was to say was not granted
            yield tree

    def write(self, tree: Tree, data: bytes) -> None:
        """Put the file's bytes in place, whole or not at all, durably."""
        replace(tree, f"{self.own}/{self.leaf}/{FILE}", data)

    @contextmanager
    def _opened(self, *, makes: bool) -> Iterator[Tree]:
        """Yield the state directory, memd's own below it looked at."""
        if not self.folder:
            raise TrustStateError("a state directory", "this user has none: neither HOME nor XDG_STATE_HOME is set")
        base, workspace = os.path.realpath(self.base), os.path.realpath(self.workspace)
        if base == workspace or base.startswith(f"{workspace}/"):
            raise TrustStateError(self.base, "it lies in the workspace, which would then speak for itself")
        try:
            if makes:
                os.makedirs(base, mode=0o700, exist_ok=True)
            tree = Tree(base, self.system)
            try:
                for name in (self.own, f"{self.own}/{self.leaf}"):
                    if makes:
                        self._make(tree, name)
                    with tree.opened(name) as handle:
                        self._check(tree.system.fstat(handle), name)
                yield tree
            finally:
                tree.close()
        except TrustStateError:
            raise
        except StorageError as error:
            raise TrustStateError(self.folder, str(error)) from error
        except FileNotFoundError:
            if makes:
                raise TrustStateError(self.folder, "it was removed meanwhile") from None
            raise
        except OSError as error:
            raise TrustStateError(self.folder, error.strerror or str(error)) from error

    def _make(self, tree: Tree, name: str) -> None:
        tree.make_dirs(name)
        with tree.opened(name) as handle:
            if tree.system.fstat(handle).st_mode & 0o077 and not os.listdir(handle):
                tree.system.set_mode(handle, 0o700)  # it was made just now, with this process's mask

    def _check(self, found: os.stat_result, name: str) -> None:
        if found.st_uid != os.geteuid():
            raise TrustStateError(self.folder, f"{name} belongs to another user")
        if found.st_mode & OTHERS:
            raise TrustStateError(self.folder, f"others may write {name}")
        if not (stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)):
            raise TrustStateError(self.folder, f"{name} is neither a file nor a directory")

    def _mark(self, path: str) -> tuple[int, ...] | None:
        try:
            found = os.lstat(path)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size


def read_nonce(tree: Tree) -> str:
    """Return the nonce of a workspace, "" where it has none that memd made."""
    try:
        text = tree.read(NONCE_FILE, NONCE_BYTES)[0].decode("ascii").strip()
    except (MemdError, FileNotFoundError, UnicodeDecodeError):
        return ""
    return text if NONCE.fullmatch(text) else ""


def new_nonce(tree: Tree) -> str:
    """Give a workspace a nonce that no clone can have brought, durably, and return it."""
    nonce = secrets.token_hex(16)
    tree.make_dirs(STATE)
    replace(tree, NONCE_FILE, f"{nonce}\n".encode())
    return nonce
