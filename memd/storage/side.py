"""Read side files: one that cannot be read has nothing, and stops nobody. What is wrong with it, `check` and `status` tell.

Where the process has run out of handles nothing is known of the file: that is raised (StorageHandlesError), by all of these.

A log may be of any length: `pieces` reads it a part at a time.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from memd.errors import NotRegularError, StorageError, StorageHandlesError
from memd.storage.files import READ_BYTES, Identity, Listed, Tree, translated

PIECE_BYTES = 1024 * 1024
LINE_PIECES = 16  # a longer line is none of ours: it is given in parts, and damaged


def read_side(tree: Tree, name: str, limit_bytes: int = READ_BYTES) -> bytes | None:
    """Return a side file's bytes, None where there are none that can be read."""
    try:
        return tree.read(name, limit_bytes)[0]
    except StorageHandlesError:
        raise
    except (FileNotFoundError, StorageError):
        return None


def identify_side(tree: Tree, name: str) -> Identity | None:
    """Return the state of a file, None where there is none or it cannot be looked at."""
    try:
        return tree.identify(name)
    except StorageHandlesError:
        raise
    except StorageError:
        return None


def list_side(tree: Tree, name: str) -> list[Listed]:
    """Return what a directory has, nothing where it cannot be listed."""
    try:
        return tree.entries(name)
    except StorageHandlesError:
        raise
    except StorageError:
        return []


def is_unlistable(tree: Tree, folder: str) -> bool:
    """Tell whether a directory, or one below it, has something that cannot be listed."""
    try:
        below = tree.entries(folder)
    except StorageHandlesError:
        raise
    except StorageError:
        return True
    return any(not one.is_file and not (one.is_dir and _is_whole(tree, f"{folder}/{one.name}")) for one in below)


def _is_whole(tree: Tree, folder: str) -> bool:
    return not is_unlistable(tree, folder)


def is_unreadable(tree: Tree, name: str) -> bool:
    """Tell whether there is something of this name, or where its directory should be, that cannot be read."""
    try:
        with translated(name), tree.directory(name) as (at, leaf):
            mode = tree.system.stat(leaf, at=at).st_mode
            if stat.S_ISDIR(mode):
                return True
            tree.system.close(tree.system.open(leaf, os.O_RDONLY, at=at))
    except FileNotFoundError:
        return False
    except StorageHandlesError:
        raise
    except StorageError:
        return True
    return not stat.S_ISREG(mode)


def pieces(tree: Tree, name: str, piece_bytes: int = PIECE_BYTES) -> Iterator[bytes]:
    """Yield a log's whole lines, a part of the file at a time. FileNotFoundError, StorageError."""
    with translated(name), tree.directory(name) as (at, leaf):
        handle = tree.system.open(leaf, os.O_RDONLY, at=at)
        try:
            if not stat.S_ISREG(tree.system.fstat(handle).st_mode):
                raise NotRegularError(name, "it is not a regular file")
            rest: list[bytes] = []
            while read := tree.system.read(handle, piece_bytes):
                whole, newline, after = read.rpartition(b"\n")
                if newline or len(rest) >= LINE_PIECES:
                    yield b"".join((*rest, whole, newline))
                    rest = []
                rest.append(after)
            if last := b"".join(rest):
                yield last
        finally:
            tree.system.close(handle)


def folder_pieces(tree: Tree, folder: str) -> Iterator[bytes]:
    """Yield the whole lines of every log in a directory, in the order of their names, as far as they can be read."""
    for entry in list_side(tree, folder):
        if entry.is_file and entry.name.endswith(".jsonl"):
            yield from side_pieces(tree, f"{folder}/{entry.name}")


def side_pieces(tree: Tree, name: str, piece_bytes: int = PIECE_BYTES) -> Iterator[bytes]:
    """Yield a log's whole lines, as far as it can be read."""
    try:
        yield from pieces(tree, name, piece_bytes)
    except (FileNotFoundError, StorageError):
        return
