"""List the files of a workspace: names with their states, walked by directory handles, no link followed that is not granted.

What cannot be listed is told and costs nothing else: a directory without permission, one that vanishes, one too deep.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field

from memd.errors import StorageError
from memd.model.files import NEVER_ENTERED, TEMPORARY, is_utf8
from memd.storage.files import Identity, Tree, identity_of

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
