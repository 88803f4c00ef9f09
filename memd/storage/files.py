"""Read and list files below one directory, never outside it. `replace` beside it writes.

Every name is a POSIX path relative to the root, walked one directory at a time without following links, so nothing in
a workspace can lead outside it. The one exception are directories right below the root for which this machine has granted
where they lie (`links`): resolved at the first step, and no link is followed inside.

Errors
    StorageError and its kin, named by the relative path; FileNotFoundError where there is nothing.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import accumulate
from typing import NamedTuple

from memd.errors import (
    NotRegularError,
    StorageError,
    StorageFullError,
    StorageHandlesError,
    StorageReadOnlyError,
    TooLargeError,
)
from memd.model.files import ARCHIVE, RUNS, SESSIONS
from memd.storage.system import System

LINKABLE = (RUNS, SESSIONS, ARCHIVE)


class Target(NamedTuple):
    """Where a link leads: the directory's path without any link in it, "" where it cannot be used, and then why."""

    path: str
    device: int = 0
    inode: int = 0
    why: str = ""


def target_of(workspace: str, name: str) -> Target:
    """Return where a link of this name leads: to a directory of ours, outside the workspace, in no repository's own files."""
    path, root = os.path.realpath(os.path.join(workspace, name)), os.path.realpath(workspace)
    try:
        found = os.lstat(path)
    except OSError as error:
        return Target("", why=f"it leads nowhere: {error.strerror}")
    if not stat.S_ISDIR(found.st_mode):
        return Target("", why="it leads to something that is no directory")
    if found.st_uid != os.geteuid():
        return Target("", why="it leads to a directory of another user")
    if found.st_mode & stat.S_IWOTH:
        return Target("", why="it leads to a directory that everybody may write")
    if _is_within(path, root) or _is_within(root, path):
        return Target("", why="it leads into the workspace, or to what holds it")
    if any(part.casefold() == ".git" for part in path.split("/")):
        return Target("", why="it leads into a repository's own files")
    return Target(path, found.st_dev, found.st_ino)


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


# Hidden and suffixed, so that git, the loader and every watcher can ignore it.
TEMPORARY_SUFFIX = ".memd-tmp"
UNFINISHED_SUFFIX = "-new"  # behind the other, until the file is whole
READ_BYTES = 64 * 1024 * 1024
_NO_PARTS = frozenset(("", ".", ".."))
RACY_NS = 20_000_000  # a file changed this recently may change again without a new time stamp (git's "racy")


class Identity(NamedTuple):
    """What tells one state of a file from another; `settled` says that the times can be trusted."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int


class Listed(NamedTuple):
    """One entry of a directory."""

    name: str
    is_dir: bool
    is_file: bool


def identity_of(found: os.stat_result) -> Identity:
    """Return what identifies the state of a file."""
    return Identity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Turn the system's errors into ours; a missing file stays FileNotFoundError, a taken name FileExistsError."""
    try:
        yield
    except (FileNotFoundError, FileExistsError):
        raise
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise StorageFullError(name, why) from error
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise StorageReadOnlyError(name, why) from error
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise StorageHandlesError(name, why) from error
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
            raise NotRegularError(name, "it is a symbolic link or not a regular file") from error
        raise StorageError(name, why) from error


class Tree:
    """A directory and all below it. Thread-safe: it holds one handle, knows which directories' names are synced, and
    names what may lie elsewhere.
    """

    def __init__(self, path: str, system: System | None = None) -> None:
        self.path = path
        self.system = system or System()
        self._durable: set[int] = set()  # inodes
        self.links: Mapping[str, str] = {}  # directories below the root that may be links, and where they may lead
        with translated(path):
            self.root = self.system.open(path, os.O_RDONLY | os.O_DIRECTORY)

    def close(self) -> None:
        """Let go of the directory."""
        self.system.close(self.root)

    def is_in_place(self) -> bool:
        """Tell whether the path still leads to the directory that was opened."""
        try:
            now = os.stat(self.path)
        except OSError:
            return False
        here = self.system.fstat(self.root)
        return (now.st_dev, now.st_ino) == (here.st_dev, here.st_ino)

    def follows(self, name: str) -> bool:
        """Tell whether a name below the root is a link to where it may lead."""
        return name in self.links and os.path.islink(f"{self.path}/{name}") and self._target(name) is not None

    def place(self, folder: str) -> str:
        """Return the absolute path of a directory, where it really lies."""
        first, _, rest = folder.partition("/")
        above = self.links[first] if self.follows(first) else os.path.join(self.path, first)
        return self.path if folder == "." else os.path.join(above, rest) if rest else above

    def open_linked(self, name: str) -> int:
        """Return a handle on a directory below the root that lies elsewhere; NotRegularError where it may not."""
        target = self._target(name)
        if target is None:
            raise NotRegularError(name, "it is a symbolic link or not a regular file")
        handle = self.system.open(target.path, os.O_RDONLY | os.O_DIRECTORY)
        found = self.system.fstat(handle)
        if (found.st_dev, found.st_ino) != (target.device, target.inode):
            self.system.close(handle)
            raise NotRegularError(name, "it leads elsewhere than a moment ago")
        return handle

    def _target(self, name: str) -> Target | None:
        found = target_of(self.path, name)
        return found if found.path and found.path == self.links.get(name) else None

    def identify(self, name: str) -> Identity | None:
        """Return the state of a file, or None where there is none; links count as themselves."""
        try:
            if found := self._by_path(name):
                return identity_of(found)
            with translated(name), self.directory(name) as (at, leaf):
                return identity_of(self.system.stat(leaf, at=at))
        except FileNotFoundError:
            return None
        except NotRegularError as error:
            if error.__cause__ is None:
                raise  # no name at all
            return None  # a link or a file stands where its directory was

    def _by_path(self, name: str) -> os.stat_result | None:
        """Return what a name is without opening the directories above it, None where one of them must be looked at closely."""
        parts = name.split("/")
        if not _NO_PARTS.isdisjoint(parts):
            return None
        try:
            for above in accumulate(parts[:-1], "{}/{}".format):
                if not stat.S_ISDIR(self.system.stat(above, at=self.root).st_mode):
                    return None
            return self.system.stat(name, at=self.root)
        except FileNotFoundError:
            raise
        except OSError:
            return None

    def read(self, name: str, limit_bytes: int = READ_BYTES) -> tuple[bytes, Identity]:
        """Return a regular file's bytes and the state they belong to."""
        with translated(name), self.directory(name) as (at, leaf):
            for _ in range(5):
                handle = self.system.open(leaf, os.O_RDONLY, at=at)
                try:
                    before = self.system.fstat(handle)
                    if not stat.S_ISREG(before.st_mode):
                        raise NotRegularError(name, "it is not a regular file")
                    if before.st_size > limit_bytes:
                        raise TooLargeError(
                            name,
                            f"{before.st_size} bytes, at most {limit_bytes} are read",
                        )
                    data = self._read_all(handle, before.st_size, limit_bytes)
                    after = identity_of(self.system.fstat(handle))
                finally:
                    self.system.close(handle)
                if after == identity_of(before):
                    break
            return data, identity_of(before)

    def entries(self, name: str) -> list[Listed]:
        """Return what a directory has, sorted by name; [] where there is none."""
        try:
            with translated(name), self.opened(name) as handle:
                found = [
                    Listed(
                        entry.name,
                        entry.is_dir(follow_symlinks=False) or (name == "." and self.follows(entry.name)),
                        entry.is_file(follow_symlinks=False),
                    )
                    for entry in self.system.list(handle)
                ]
        except FileNotFoundError:
            return []
        return sorted(found)

    def sizes(self, name: str) -> list[tuple[str, int]]:
        """Return every regular file below a directory with its size in bytes, as far as it can be listed.

        Temporaries are left out.
        """
        found: list[tuple[str, int]] = []
        with suppress(StorageError):
            for entry in self.entries(name):
                below = entry.name if name == "." else f"{name}/{entry.name}"
                if entry.is_dir:
                    found.extend(self.sizes(below))
                elif entry.is_file and TEMPORARY_SUFFIX not in entry.name and (state := self.identify(below)):
                    found.append((below, state.size))
        return found

    def make_dirs(self, name: str) -> None:
        """Make a directory and those above it, durably."""
        done: list[str] = []
        for part in name.split("/"):
            done.append(part)
            path = "/".join(done)
            with translated(path), self.directory(path) as (at, leaf):
                try:
                    self.system.make_dir(leaf, at=at)
                except FileExistsError:
                    # Whoever made it may not have synced its name yet: another thread, or a process that died.
                    if self.system.stat(leaf, at=at).st_ino in self._durable:
                        continue
                self.system.sync(at)
                self._durable.add(self.system.stat(leaf, at=at).st_ino)

    def sync_dir(self, name: str) -> None:
        """Make a directory's names durable."""
        with translated(name), self.opened(name) as handle:
            self.system.sync(handle)

    def remove(self, name: str) -> None:
        """Remove a file; nothing happens where there is none."""
        with translated(name), self.directory(name) as (at, leaf):
            try:
                self.system.unlink(leaf, at=at)
            except FileNotFoundError:
                return

    def remove_dir(self, name: str) -> None:
        """Remove a directory of memd's own with the files in it; nothing happens where there is none."""
        for entry in self.entries(name):
            self.remove(f"{name}/{entry.name}")
        with translated(name), self.directory(name) as (at, leaf):
            try:
                self.system.remove_dir(leaf, at=at)
            except FileNotFoundError:
                return

    def rename(self, name: str, new: str) -> None:
        """Rename within one directory; FileExistsError where the new name is taken."""
        with translated(name), self.directory(name) as (at, leaf):
            self.system.rename_new(leaf, new.rpartition("/")[2], at=at)
            self.system.sync(at)

    def open_elsewhere(self, name: str) -> bool | None:
        """Tell whether another process has this file open; None where the system cannot say."""
        with translated(name), self.directory(name) as (at, leaf):
            handle = self.system.open(leaf, os.O_RDONLY, at=at)
            try:
                return self.system.is_open_elsewhere(handle)
            finally:
                self.system.close(handle)

    @contextmanager
    def directory(self, name: str) -> Iterator[tuple[int, str]]:
        """Open the directory of a name, and yield it with the last part."""
        folder, _, leaf = name.rpartition("/")
        if leaf in ("", ".", ".."):
            raise NotRegularError(name, "this is no name below the workspace")
        if not folder:
            yield self.root, leaf
            return
        with self.opened(folder) as handle:
            yield handle, leaf

    @contextmanager
    def opened(self, folder: str) -> Iterator[int]:
        """Yield a handle on a directory, walked to without following links; "." is the root."""
        at = self.root
        try:
            for part in folder.split("/") if folder != "." else ["."]:
                if part in ("", "..") or (part == "." and folder != "."):
                    raise NotRegularError(folder, "this is no name below the workspace")
                above, at = at, self._step(part, at)
                if above != self.root:
                    self.system.close(above)
            yield at
        finally:
            if at != self.root:
                self.system.close(at)

    def _step(self, part: str, at: int) -> int:
        """Return a handle on the next directory of a walk; only the first step may lead elsewhere, where it is granted."""
        try:
            return self.system.open(part, os.O_RDONLY | os.O_DIRECTORY, at=at)
        except OSError as error:
            if at != self.root or part not in self.links or error.errno not in (errno.ELOOP, errno.ENOTDIR):
                raise
        return self.open_linked(part)

    def _read_all(self, handle: int, size: int, limit_bytes: int) -> bytes:
        pieces: list[bytes] = []
        left = min(size + 1, limit_bytes + 1)
        while left > 0 and (piece := self.system.read(handle, left)):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)


def write_all(tree: Tree, handle: int, data: bytes) -> None:
    """Write all bytes to an open file, however many calls it takes."""
    left = memoryview(data)
    while left:
        written = tree.system.write(handle, left)
        left = left[written:]


def is_racy(state: Identity, now_ns: int) -> bool:
    """Tell whether a file changed so recently that another change could leave the same time stamps."""
    return now_ns - max(state.modified_ns, state.changed_ns) < RACY_NS
