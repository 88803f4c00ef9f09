"""Add bytes at the end of a file, durably or not at all.

Source
    docs/design/reliability.md#appending: one write for what belongs together, then sync; cut back on failure.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from memd.errors import NotRegularError
from memd.storage.files import Tree, translated, write_all


def append(tree: Tree, name: str, data: bytes) -> bool:
    """Add bytes at the end durably, or leave the file as it was. A missing last newline is written first; tell whether."""
    with translated(name), tree.directory(name) as (at, leaf):
        handle = open_append(tree, leaf, at)
        try:
            size = tree.system.fstat(handle).st_size
            torn = bool(size) and _last_byte(handle, size) != b"\n"
            append_to(tree, handle, size, (b"\n" if torn else b"") + data)
            if not size:
                tree.system.sync(at)
            return torn
        finally:
            tree.system.close(handle)


def cut_torn(tree: Tree, name: str, wanted: Sequence[bytes]) -> None:
    """Take off an end without a line break that is the beginning of one of these lines: a kill tore the write of it.

    What anybody else left without a line break stays.
    """
    with translated(name), tree.directory(name) as (at, leaf):
        handle = open_append(tree, leaf, at)
        try:
            size = tree.system.fstat(handle).st_size
            back = min(size, max(map(len, wanted), default=0))
            tail = os.pread(handle, back, size - back).rpartition(b"\n")[2]
            if tail and any(line.startswith(tail) for line in wanted):
                tree.system.truncate(handle, size - len(tail))
                tree.system.sync_data(handle)
        finally:
            tree.system.close(handle)


def open_append(tree: Tree, leaf: str, at: int) -> int:
    """Open a file for appending and reading, made where it is missing; only a regular file."""
    handle = tree.system.open(leaf, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600, at=at)
    if not stat.S_ISREG(tree.system.fstat(handle).st_mode):
        tree.system.close(handle)
        raise NotRegularError(leaf, "it is not a regular file")
    return handle


def append_to(tree: Tree, handle: int, size: int, data: bytes) -> None:
    """Append to an open file of this size and sync it; on failure cut it back to what it was."""
    try:
        write_all(tree, handle, data)
        tree.system.sync_data(handle)
    except OSError:
        tree.system.truncate(handle, size)
        raise


def _last_byte(handle: int, size: int) -> bytes:
    return os.pread(handle, 1, size - 1)
