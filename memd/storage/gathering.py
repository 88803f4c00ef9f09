"""The daemon's side of the spool: what waits, read one by one in the order in which it came; what cannot be used, set aside."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memd.formats.spooled import SPOOLED_BYTES, Spooled, is_of, load_spooled
from memd.storage.leaving import (
    ASIDE,
    LOST,
    TOLD,
    UNFINISHED,
    Filled,
    SpoolError,
    marks_of,
    number_of,
    open_spool,
    put_whole,
    spool_of,
)
from memd.storage.system import System

ASIDE_FILES = 200  # more of them stay where they are, and are told all the same
UNFINISHED_S = 600.0  # what a hook left unfinished for so long it will not finish


class FaultyError(Exception):
    """A file of the spool cannot be used; the text says why."""


class Standing(NamedTuple):
    """What a spool has: events that wait, those that were set aside, and how many found no room. `fault`: why it cannot be used."""

    waiting: Filled = Filled(0, 0)
    aside: int = 0
    lost: int = 0
    fault: str = ""


class Spooling:
    """The spool of one workspace. `state` is absolute, "" where this machine keeps nothing."""

    def __init__(self, state: str, workspace: str) -> None:
        self.state, self.workspace = state, workspace

    @property
    def folder(self) -> str:
        """The directory, "" where this machine keeps nothing."""
        return spool_of(self.state) if self.state else ""

    def is_there(self) -> bool:
        """Tell whether this machine has a spool for the workspace. Cheap."""
        return bool(self.state) and os.path.lexists(self.folder)

    def news(self) -> set[str]:
        """Return the names of what waits, and LOST where something found no room; a directory's time may not tell. SpoolError."""
        with self._opened() as at:
            return {one for one in _listed(at) if number_of(one) or one == LOST} if at >= 0 else set()

    def make(self) -> None:
        """Make the spool's directory where it is missing: by it a hook knows that a daemon of this machine served the workspace."""
        with self._opened(makes=True):
            return

    def names(self) -> list[str]:
        """Return the names of what waits, oldest first. Blocks. SpoolError."""
        with self._opened() as at:
            return sorted((one for one in _listed(at) if number_of(one)), key=number_of) if at >= 0 else []

    def read(self, name: str) -> Spooled | None:
        """Return one that waits, None where it is gone; FaultyError where it is not a hook's own file, whole, of this workspace."""
        with self._opened() as at:
            try:
                one = load_spooled(_bytes_of(name, at))
            except FileNotFoundError:
                return None
            except ValueError as error:
                raise FaultyError(str(error)) from None
            except OSError as error:
                raise FaultyError(error.strerror or str(error)) from None
        if not is_of(one, self.workspace, marks_of(self.workspace)):
            raise FaultyError("it is of another workspace, which was at this path before")
        return one

    def done(self, name: str) -> None:
        """Take away one that was taken in, durably."""
        with self._opened() as at:
            with contextlib.suppress(FileNotFoundError):
                System().unlink(name, at=at)
            System().sync(at)

    def edit(self, edit: Callable[[bytes], bytes]) -> None:
        """Put the edited bytes in the place of all that hooks have left, also of what was set aside; no bytes: it goes.

        Durable, each file whole or not at all. What is none of this user's files, or longer than any of ours, is left alone. Blocks. SpoolError.
        """
        system = System()
        with self._opened() as at:
            if at < 0:
                return
            for name in _listed(at):
                if number_of(name) or name.endswith(UNFINISHED):
                    _edit(name, at, edit)
            system.sync(at)
            try:
                folder = system.open(ASIDE, os.O_RDONLY | os.O_DIRECTORY, at=at)
            except FileNotFoundError:
                return
            try:
                for name in _listed(folder):
                    _edit(name, folder, edit)
                system.sync(folder)
            finally:
                system.close(folder)

    def set_aside(self, name: str) -> bool:
        """Put one where nobody takes it in; tell whether there was room for it there."""
        system = System()
        with self._opened() as at:
            with contextlib.suppress(FileExistsError):
                os.mkdir(ASIDE, 0o700, dir_fd=at)
            if self.aside(at) >= ASIDE_FILES:
                return False
            new = f"{ASIDE}/{os.urandom(4).hex()}-{name}"
            try:
                os.rename(name, new, src_dir_fd=at, dst_dir_fd=at)
                system.sync(at)
            except OSError:
                return False
            return True

    def aside(self, at: int) -> int:
        """Return how many were set aside."""
        try:
            folder = System().open(ASIDE, os.O_RDONLY | os.O_DIRECTORY, at=at)
        except OSError:
            return 0
        try:
            return len(os.listdir(folder))
        finally:
            os.close(folder)

    def standing(self) -> Standing:
        """Return how the spool stands. Blocks."""
        try:
            with self._opened() as at:
                if at < 0:
                    return Standing()
                sizes = [size for name in _listed(at) if number_of(name) and (size := _size(name, at)) is not None]
                return Standing(Filled(len(sizes), sum(sizes)), self.aside(at), _size(LOST, at) or 0)
        except SpoolError as error:
            return Standing(fault=str(error))

    def tidy(self, now_s: float) -> int:
        """Take away what hooks left unfinished, and return how many events found no room since this was asked last."""
        system = System()
        with self._opened() as at:
            if at < 0:
                return 0
            for name in _listed(at):
                if name.endswith(UNFINISHED):
                    with contextlib.suppress(OSError):
                        # A hook may have begun since `now_s`, so that its file is of a moment later.
                        if abs(now_s - system.stat(name, at=at).st_mtime) >= UNFINISHED_S:
                            system.unlink(name, at=at)
            lost = _size(LOST, at) or 0
            if lost:
                system.unlink(LOST, at=at)
            return lost

    def read_told(self) -> bytes:
        """Return what waits to be told, b"" where nothing does."""
        with self._opened() as at:
            try:
                return _bytes_of(TOLD, at) if at >= 0 else b""
            except OSError:
                return b""

    def write_told(self, data: bytes) -> None:
        """Put down what waits to be told, whole or not at all, durably; nothing where there is nothing."""
        system = System()
        with self._opened(makes=bool(data)) as at:
            if not data:
                if at >= 0:
                    with contextlib.suppress(FileNotFoundError):
                        system.unlink(TOLD, at=at)
                return
            _put(TOLD, data, at)
            system.sync(at)

    @contextlib.contextmanager
    def _opened(self, *, makes: bool = False) -> Iterator[int]:
        """Yield a handle of the directory, -1 where there is none."""
        try:
            handle = open_spool(self.state, self.workspace, makes=makes) if self.state else -1
        except FileNotFoundError:
            handle = -1
        try:
            yield handle
        except OSError as error:
            raise SpoolError(f"{self.state}: {error.strerror or error}") from None
        finally:
            if handle >= 0:
                os.close(handle)


def _listed(at: int) -> list[str]:
    return [entry.name for entry in System().list(at)]


def _size(name: str, at: int) -> int | None:
    try:
        return System().stat(name, at=at).st_size
    except FileNotFoundError:
        return None


def _put(name: str, data: bytes, at: int) -> None:
    put_whole(at, data, lambda temporary: System().rename(temporary, name, at=at))


def _edit(name: str, at: int, edit: Callable[[bytes], bytes]) -> None:
    with contextlib.suppress(FileNotFoundError):  # it was taken in, or its hook has finished it, meanwhile
        try:
            data = _bytes_of(name, at, others=0o777)
        except ValueError:
            return
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EACCES, errno.ENXIO):
                return
            raise
        new = edit(data)
        if new and new != data:
            _put(name, new, at)
        elif data and not new:
            System().unlink(name, at=at)


def _bytes_of(name: str, at: int, others: int = 0) -> bytes:
    """Return the bytes of one of our own files. ValueError where it is none, too large, or others have more than these rights."""
    system = System()
    handle = system.open(name, os.O_RDONLY, at=at)
    try:
        found = system.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077 & ~others:
            raise ValueError("it is no regular file of yours alone")
        if found.st_size > SPOOLED_BYTES:
            raise ValueError(f"it is longer than {SPOOLED_BYTES} bytes")
        pieces = []
        while piece := system.read(handle, SPOOLED_BYTES):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        system.close(handle)
