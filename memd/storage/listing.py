"""List the files of a workspace, walked by directory handles with no link followed that is not granted; and read side files, whole or in pieces.

What cannot be listed is told and costs nothing else: a directory without permission, one that vanishes, one too deep.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from memd.errors import NotRegularError, StorageError, StorageHandlesError
from memd.model.files import NEVER_ENTERED, TEMPORARY, is_utf8
from memd.storage.files import READ_BYTES, Identity, Listed, Tree, identity_of, translated

DEEPEST = 32  # directories below one another


@dataclass(slots=True)
class Listing:
    """`files` by name with their states; `odd` are names with the reason why they are left out."""

    files: dict[str, Identity] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    odd: dict[str, str] = field(default_factory=dict)
    linked: list[str] = field(default_factory=list)


def nobody(_: str) -> None:
    """Hear of a directory before it is listed, and do nothing."""


def walk(tree: Tree, folder: str = ".", before: Callable[[str], None] = nobody) -> Listing:
    """Return what lies below a directory. `before` hears of each directory first, so that a watch misses nothing."""
    found = Listing()
    try:
        with tree.opened(folder) as handle:
            _list(tree, handle, "" if folder == "." else folder, found, before)
    except FileNotFoundError:
        return found
    except (OSError, StorageError) as error:
        found.odd[folder] = str(error)
    return found


def _list(tree: Tree, handle: int, folder: str, found: Listing, before: Callable[[str], None]) -> None:
    found.folders.append(folder or ".")
    before(folder or ".")
    below: list[tuple[str, str]] = []
    for entry in tree.system.list(handle):
        if entry.name.startswith(".") or TEMPORARY in entry.name or entry.name in NEVER_ENTERED:
            continue
        name = f"{folder}/{entry.name}" if folder else entry.name
        if not is_utf8(entry.name):
            found.odd[name] = "its name is not UTF-8"
        elif entry.is_symlink() and (folder or not tree.follows(entry.name)):
            found.linked.append(name)
        elif entry.is_dir(follow_symlinks=False) or entry.is_symlink():
            below.append((entry.name, name))
        else:
            _look_at(entry, name, found)
    for leaf, name in sorted(below):
        if name.count("/") >= DEEPEST:
            found.odd[name] = f"it lies deeper than {DEEPEST} directories"
            continue
        inner = _opened(tree, handle, leaf, name, found)
        if inner is None:
            continue
        try:
            _list(tree, inner, name, found, before)
        except OSError as error:
            found.odd[name] = os.strerror(error.errno or 0)
        finally:
            tree.system.close(inner)


def _opened(tree: Tree, handle: int, leaf: str, name: str, found: Listing) -> int | None:
    """Return a handle on a directory below another; None where it went away, or where it is told why it cannot be had."""
    try:
        if leaf == name and tree.follows(name):
            return tree.open_linked(name)
        return tree.system.open(leaf, os.O_RDONLY | os.O_DIRECTORY, at=handle)
    except FileNotFoundError:
        return None
    except OSError as error:
        found.odd[name] = os.strerror(error.errno or 0)
    except StorageError as error:
        found.odd[name] = str(error).removeprefix(f"{name}: ")
    return None


def _look_at(entry: os.DirEntry[str], name: str, found: Listing) -> None:
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError:
        return  # it went away between two looks
    if stat.S_ISREG(state.st_mode):
        found.files[name] = identity_of(state)
    else:
        found.odd[name] = "it is not a regular file"


# Read side files: one that cannot be read has nothing, and stops nobody. What is wrong with it, `check` and `status` tell.
#
# Where the process has run out of handles nothing is known of the file: that is raised (StorageHandlesError), by all of these.
#
# A log may be of any length: `pieces` reads it a part at a time.

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
