"""A hook's side of the spool: leave one event, whole or not at all, so that it outlives a kill and a power cut.

The directory is `spool` beside what this machine grants to the workspace: outside of it, 0700, ours, no link on the way. A file
gets its name, a number one above the greatest, by a rename that takes nobody else's place: the order is that of arrival,
whatever the clock says.

Bounds
    SPOOL_EVENTS files and SPOOL_BYTES in all. What has no room is counted, one byte for each in LOST, and said.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from typing import NamedTuple

from memd.storage.system import System

SPOOL = "spool"
SPOOL_EVENTS = 2000
SPOOL_BYTES = 8_000_000
LOST, LOST_BYTES = "lost", 100_000
TOLD = "told.json"
ASIDE = "aside"
UNFINISHED = ".part"
END = ".json"
DIGITS = 12
SMALL_BYTES = 4_000_000
NONCE = ".memory/state/id"  # as storage.layout has it, which a hook has no time to import
NONCE_CHARS = 32


class SpoolError(Exception):
    """The spool cannot be used; the text says why."""


class SpoolFullError(SpoolError):
    """The spool has no room."""


class Filled(NamedTuple):
    """How much a spool has."""

    events: int
    bytes: int


def spool_of(state: str) -> str:
    """Return the spool's directory beside a workspace's file of grants."""
    return f"{state}/{SPOOL}"


def open_spool(state: str, workspace: str, *, makes: bool) -> int:
    """Return a handle of the spool's directory, looked at; FileNotFoundError where there is none, SpoolError."""
    above = os.path.dirname(state)
    base = os.path.realpath(os.path.dirname(above))
    if base == workspace or base.startswith(f"{workspace}/"):
        raise SpoolError(f"{base} lies in the workspace, which could read and write it")
    system = System()
    try:
        if makes:
            os.makedirs(base, mode=0o700, exist_ok=True)
        handle = system.open(base, os.O_RDONLY | os.O_DIRECTORY)
        for name in (os.path.basename(above), os.path.basename(state), SPOOL):
            try:
                if makes:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(name, 0o700, dir_fd=handle)
                below = system.open(name, os.O_RDONLY | os.O_DIRECTORY, at=handle)
            finally:
                system.close(handle)
            handle = below
            _check(handle, name, 0o077 if name == SPOOL else 0o022)
    except FileNotFoundError:
        if makes:
            raise SpoolError(f"{state} was removed meanwhile") from None
        raise
    except OSError as error:
        raise SpoolError(f"{state}: {error.strerror or error}") from None
    return handle


def _check(handle: int, name: str, others: int) -> None:
    found = os.fstat(handle)
    if found.st_uid != os.geteuid() or found.st_mode & others:
        os.close(handle)
        raise SpoolError(f"{name} belongs to another user, or others may use it")


def leave(state: str, workspace: str, data: bytes, events: int = SPOOL_EVENTS, most_bytes: int = SPOOL_BYTES) -> None:
    """Leave the bytes of one event, durably. SpoolFullError where there is no room for them, SpoolError."""
    handle = open_spool(state, workspace, makes=True)
    try:
        numbers, filled = _look(handle)
        if filled.events >= events or filled.bytes + len(data) > most_bytes:
            _count_lost(handle)
            raise SpoolFullError(f"waiting: {filled.events} events of {filled.bytes} bytes")
        put_whole(handle, data, lambda temporary: _into_place(handle, temporary, max(numbers, default=0) + 1))
        System().sync(handle)
    except OSError as error:
        raise SpoolError(f"{state}: {error.strerror or error}") from None
    finally:
        os.close(handle)


def put_whole(at: int, data: bytes, into_place: Callable[[str], None]) -> None:
    """Write a temporary file in a directory, synced, and have it put into place by its name; gone again where that fails."""
    system = System()
    temporary = f".{os.urandom(8).hex()}{UNFINISHED}"
    handle = system.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, at=at)
    try:
        try:
            left = memoryview(data)
            while left:
                left = left[system.write(handle, left) :]
            system.sync_data(handle)
        finally:
            system.close(handle)
        into_place(temporary)
    except BaseException:
        with contextlib.suppress(OSError):
            system.unlink(temporary, at=at)
        raise


def _into_place(at: int, temporary: str, number: int) -> None:
    while True:
        try:
            System().rename_new(temporary, f"{number:0{DIGITS}d}{END}", at=at)
        except FileExistsError:
            number += 1  # another hook was quicker
        else:
            return


def number_of(name: str) -> int:
    """Return the number in the name of an event's file, 0 where it is none."""
    stem = name.removesuffix(END)
    return int(stem) if name.endswith(END) and stem.isascii() and stem.isdigit() and len(stem) <= 18 else 0


def _look(handle: int) -> tuple[list[int], Filled]:
    numbers, size = [], 0
    for entry in System().list(handle):
        with contextlib.suppress(FileNotFoundError):  # it was taken in meanwhile
            if number_of(entry.name) or entry.name.endswith(UNFINISHED):
                size += entry.stat(follow_symlinks=False).st_size
        if number := number_of(entry.name):
            numbers.append(number)
    return numbers, Filled(len(numbers), size)


def _count_lost(at: int) -> None:
    system = System()
    handle = system.open(LOST, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600, at=at)
    try:
        if os.fstat(handle).st_size < LOST_BYTES:
            system.write(handle, b".")
            system.sync_data(handle)
    finally:
        system.close(handle)


def read_small(path: str) -> bytes:
    """Return the bytes of a small file by its path, b"" where there is none that can be read."""
    system = System()
    try:
        handle = system.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(system.fstat(handle).st_mode):
            return b""
        pieces: list[bytes] = []
        while sum(map(len, pieces)) < SMALL_BYTES and (piece := system.read(handle, SMALL_BYTES)):
            pieces.append(piece)
        return b"".join(pieces)
    except OSError:
        return b""
    finally:
        system.close(handle)


def marks_of(workspace: str) -> tuple[str, ...]:
    """Return what tells a workspace from another that was at its path, the best first: memd's nonce in it, then its place on the disk."""
    found = os.stat(workspace)
    nonce = read_small(f"{workspace}/{NONCE}").decode("ascii", "replace").strip()
    place = f"{found.st_dev}-{found.st_ino}"
    return (nonce, place) if len(nonce) == NONCE_CHARS else (place,)
