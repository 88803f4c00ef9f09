"""One writer per workspace: an flock that dies with its process, so no stale lock can exist.

What the file says of its holder is for people; the lock itself is the truth.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from memd.errors import MemdError, StorageError, WorkspaceBusyError
from memd.storage.files import Tree, translated
from memd.storage.layout import LOCK, PRIVATE
from memd.storage.system import System


class Lock:
    """Held from `acquire` to `release`; use one for each process."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.holder: dict[str, Any] = {}
        self.handle: int | None = None

    def acquire(self, holder: dict[str, Any]) -> None:
        """Take the lock now or raise WorkspaceBusyError naming who holds it."""
        self.tree.make_dirs(PRIVATE)
        self.holder = holder
        with translated(LOCK), self.tree.directory(LOCK) as (at, leaf):
            system = self.tree.system
            for _ in range(10):
                handle = system.open(leaf, os.O_RDWR | os.O_CREAT, 0o600, at=at)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError as error:
                    said = os.pread(handle, 4096, 0)
                    system.close(handle)
                    if error.errno in (errno.EAGAIN, errno.EACCES):
                        raise WorkspaceBusyError(_describe(said)) from None
                    raise
                # Somebody may have removed the file between our open and our lock: then we hold nothing.
                if self.tree.identify(LOCK) and system.fstat(handle).st_ino == system.stat(leaf, at=at).st_ino:
                    break
                system.close(handle)
            self.handle = handle
        self.tell(holder)

    def tell(self, holder: dict[str, Any]) -> None:
        """Write down anew who holds the lock."""
        self.holder = holder
        if self.handle is not None:
            with translated(LOCK):
                self.tree.system.truncate(self.handle, 0)
                os.pwrite(self.handle, json.dumps(holder).encode(), 0)

    def ensure(self) -> None:
        """Take the lock again where its file was removed; WorkspaceBusyError where another was quicker."""
        state = self.tree.identify(LOCK)
        if self.handle is not None and state is not None:
            if state.inode == self.tree.system.fstat(self.handle).st_ino:
                return
            raise WorkspaceBusyError("a process that found no lock")
        old = self.handle
        self.acquire(self.holder)
        if old is not None:
            self.tree.system.close(old)

    def touch(self) -> None:
        """Give the lock's file the present time: memd's own, and seen by whoever watches it."""
        if self.handle is not None:
            os.utime(self.handle)

    def release(self) -> None:
        """Let go; nothing happens where it is not held."""
        handle, self.handle = self.handle, None
        if handle is not None:
            self.tree.system.close(handle)


def taken_first(workspace: str, holder: dict[str, Any]) -> Lock:
    """Take a workspace's lock before anything else is done; it is not held yet where the disk cannot be written.

    Of many that start at once all but one end here, before they have cost anything. WorkspaceBusyError.
    """
    lock = Lock(Tree(workspace))
    try:
        lock.acquire(holder)
    except WorkspaceBusyError:
        lock.tree.close()
        raise
    except StorageError:
        lock.release()
    return lock


def told_socket(workspace: str) -> str:
    """Return the socket that the holder of a workspace's lock names, "" where it names none that only we can have made.

    A process with another environment than the daemon's looks for it elsewhere. The lock's file may be a stranger's, so the
    socket must be ours, in a directory that nobody else may enter.
    """
    try:
        tree = Tree(workspace)
        try:
            path = str(json.loads(tree.read(LOCK, 4096)[0])["socket"])
        finally:
            tree.close()
        socket, folder = os.lstat(path), os.lstat(os.path.dirname(path))
    except (MemdError, OSError, ValueError, LookupError, TypeError):
        return ""
    ours = socket.st_uid == folder.st_uid == os.geteuid() and not folder.st_mode & 0o077
    return path if ours and stat.S_ISSOCK(socket.st_mode) and stat.S_ISDIR(folder.st_mode) else ""


class Holder(NamedTuple):
    """Who holds a workspace: its process, 0 where the lock does not say, what it is (daemon or command), and since when.

    `since_s` are seconds of the epoch, 0 where the lock does not say.
    """

    pid: int
    what: str
    since_s: float = 0.0


def holder_of(workspace: str) -> Holder | None:
    """Return who holds a workspace's lock now, None where nobody does. The lock itself is asked, not what its file says."""
    try:
        tree = Tree(workspace)
    except (OSError, MemdError):
        return None
    try:
        with tree.directory(LOCK) as (at, leaf):
            handle = tree.system.open(leaf, os.O_RDONLY, at=at)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _holder(tree.system.read(handle, 4096))
        finally:
            tree.system.close(handle)
    except (OSError, MemdError):
        return None  # no lock, no holder
    finally:
        tree.close()
    return None


def _holder(said: bytes) -> Holder:
    try:
        value = json.loads(said)
        return Holder(int(value["pid"]), str(value["what"]), float(value.get("since_s", 0)))
    except (ValueError, LookupError, TypeError, AttributeError):
        return Holder(0, "daemon")


@contextmanager
def alone(folder: str) -> Iterator[None]:
    """Be the only one at work in a directory of the cache; who comes second waits for the first."""
    handle = System().open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _describe(said: bytes) -> str:
    try:
        value = json.loads(said)
        return f"process {value['pid']} ({value['what']})"
    except (ValueError, KeyError, TypeError):
        return "another process"
