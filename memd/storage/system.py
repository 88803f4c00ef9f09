"""The calls to the operating system that storage makes, in one object, so that a test can make any of them fail.

macOS: `exchange` uses renameatx_np and `sync` F_FULLFSYNC. Both are written from the manual pages and untested.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import stat
import sys
from collections.abc import Iterator

_DONT_NEED = 4
_RENAME_EXCHANGE = 2
_RENAME_NOREPLACE = 1
_RENAME_SWAP_MACOS = 2
_RENAME_EXCL_MACOS = 4
SETTING_BYTES = 65_536  # of a small file of the system's
NO_EXCHANGE = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


class System:
    """Thin and stateless. Every method is one step that can fail with OSError."""

    def open(self, name: str, flags: int, mode: int = 0o600, *, at: int | None = None) -> int:
        """Open below the directory `at`; never follows a link, never blocks, never leaks to a child."""
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, mode, dir_fd=at)

    def close(self, handle: int) -> None:
        """Close a handle."""
        os.close(handle)

    def read(self, handle: int, size: int) -> bytes:
        """Read up to `size` bytes."""
        return os.read(handle, size)

    def write(self, handle: int, data: bytes | memoryview) -> int:
        """Write, perhaps not all."""
        return os.write(handle, data)

    def sync(self, handle: int) -> None:
        """Make a file durable."""
        if sys.platform == "darwin":
            try:
                fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
                return
            except OSError as error:
                if error.errno not in NO_EXCHANGE:
                    raise
        os.fsync(handle)

    def sync_data(self, handle: int) -> None:
        """Make a file's bytes and length durable."""
        if sys.platform == "darwin":
            self.sync(handle)
        else:
            os.fdatasync(handle)

    def truncate(self, handle: int, size: int) -> None:
        """Cut a file."""
        os.ftruncate(handle, size)

    def set_mode(self, handle: int, mode: int) -> None:
        """Set permissions."""
        os.fchmod(handle, mode)

    def fstat(self, handle: int) -> os.stat_result:
        """Return what an open file is."""
        return os.fstat(handle)

    def stat(self, name: str, *, at: int | None) -> os.stat_result:
        """Return what a name is, links not followed."""
        return os.stat(name, dir_fd=at, follow_symlinks=False)

    def exchange(self, one: str, other: str, *, at: int) -> None:
        """Swap two names in one step."""
        self._rename(one, other, at, _RENAME_EXCHANGE, _RENAME_SWAP_MACOS)

    def rename_new(self, one: str, other: str, *, at: int) -> None:
        """Rename; fails with EEXIST where the new name is taken."""
        try:
            self._rename(one, other, at, _RENAME_NOREPLACE, _RENAME_EXCL_MACOS)
        except OSError as error:
            if error.errno not in NO_EXCHANGE:
                raise
            if stat.S_ISDIR(os.stat(one, dir_fd=at, follow_symlinks=False).st_mode):
                os.mkdir(other, dir_fd=at)
                os.rename(one, other, src_dir_fd=at, dst_dir_fd=at)  # over the empty one that only we can have made
            else:
                os.link(one, other, src_dir_fd=at, dst_dir_fd=at, follow_symlinks=False)
                os.unlink(one, dir_fd=at)

    def rename(self, one: str, other: str, *, at: int) -> None:
        """Rename over whatever is there."""
        os.rename(one, other, src_dir_fd=at, dst_dir_fd=at)

    def unlink(self, name: str, *, at: int) -> None:
        """Remove a name."""
        os.unlink(name, dir_fd=at)

    def remove_dir(self, name: str, *, at: int) -> None:
        """Remove an empty directory."""
        os.rmdir(name, dir_fd=at)

    def make_dir(self, name: str, *, at: int) -> None:
        """Make a directory."""
        os.mkdir(name, 0o777, dir_fd=at)

    def list(self, handle: int) -> Iterator[os.DirEntry[str]]:
        """Yield what an open directory has."""
        with os.scandir(handle) as entries:
            yield from entries

    def is_open_elsewhere(self, handle: int) -> bool | None:
        """Tell whether another open file refers to this one; None where the system cannot say.

        A write lease is granted only to the single holder of a file (fcntl(2), F_SETLEASE). Who opens the file in that
        moment makes the system signal us: by SIGURG, of which no process dies, in place of SIGIO, of which any does.
        """
        if not hasattr(fcntl, "F_SETLEASE"):
            return None
        fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGURG)
        try:
            fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError as error:
            return True if error.errno in (errno.EAGAIN, errno.EBUSY) else None
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        return False

    def process_mark(self, pid: int) -> str:
        """Return what tells a process from a later one of the same number, or "" where it lives no more.

        Linux: its start in clock ticks and the boot it is of (proc(5)). Elsewhere: only whether it lives; untested.
        """
        try:
            with contextlib.suppress(PermissionError):  # it lives, and is somebody else's
                os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return ""
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                said = file.read(4096).rpartition(b")")[2].split()
            if said[0] in (b"Z", b"X"):
                return ""  # it has ended, and nobody has asked how
            ticks = said[19].decode()
            with open("/proc/sys/kernel/random/boot_id", "rb") as file:
                return f"{file.read(64).decode().strip()} {ticks}"
        except (OSError, IndexError):
            return "lives"

    def _rename(self, one: str, other: str, at: int, linux: int, macos: int) -> None:
        call = _rename_call()
        if call is None:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        flags = macos if sys.platform == "darwin" else linux
        if call(at, os.fsencode(one), at, os.fsencode(other), flags):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), other)


# mallopt(3). What is large is asked of the system and given back to it, instead of leaving holes in a heap for each thread:
# by itself glibc raises the bound to the largest block it has seen, and a memory.json is read as one block.
_HEAP = ((-8, 2), (-3, 128 * 1024), (-1, 128 * 1024))  # M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD


def bound_heap() -> bool:
    """Keep what the process has freed from staying with it; tell whether this system can (glibc). Once, at the start."""
    tune = getattr(ctypes.CDLL(None), "mallopt", None)
    return tune is not None and min(tune(what, value) for what, value in _HEAP) == 1


def release_heap() -> bool:
    """Give back to the system what was freed between what is in use, some 8 MB after a start; tell whether this system can (glibc). Blocks for some ms."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim is not None and trim(ctypes.c_size_t(0)) == 1


def release_mapped(path: str) -> int:
    """Give back the pages of a file that is mapped to be read, and return how many bytes of it are mapped.

    They are read again when they are needed (madvise(2), MADV_DONTNEED). Linux alone shows where a file is mapped.
    """
    try:
        handle = os.open("/proc/self/maps", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    with os.fdopen(handle) as maps:
        lines = [line.split(maxsplit=5) for line in maps]
    released = 0
    for line in lines:
        if len(line) == 6 and line[5].rstrip("\n") == path and line[1] == "r--p":
            begin, end = (int(one, 16) for one in line[0].split("-"))
            if ctypes.CDLL(None).madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _DONT_NEED) == 0:
                released += end - begin
    return released


_call: ctypes._NamedFuncPointer | None = None
_looked = False


def _rename_call() -> ctypes._NamedFuncPointer | None:
    global _call, _looked  # noqa: PLW0603  looked up once: the library handle is the process's
    if not _looked:
        _looked = True
        name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
        _call = getattr(ctypes.CDLL(None, use_errno=True), name, None)
        if _call is not None:
            _call.argtypes = [
                ctypes.c_int,
                ctypes.c_char_p,
                ctypes.c_int,
                ctypes.c_char_p,
                ctypes.c_uint,
            ]
    return _call


def read_setting(path: str) -> str:
    """Return the text of a small file of the system's by its absolute path, "" where it cannot be read."""
    system = System()
    try:
        handle = system.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return system.read(handle, SETTING_BYTES).decode("utf-8", "replace").strip()
    except OSError:
        return ""
    finally:
        system.close(handle)
