"""Look after text files that were exchanged out: an editor that opened one before may still be writing to it.

One is removed when nobody has it open any more and it holds what was read of it; otherwise an editor wrote to it late,
and what it wrote is merged like any save. What is no text is kept aside.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from memd.errors import StorageError
from memd.storage.files import TEMPORARY_SUFFIX, Identity, Tree
from memd.storage.layout import conflict_copy
from memd.storage.replace import create, is_nobodys
from memd.store.writing.targets import HeldError

QUIET_S = 2.0  # what is written to a file that stays open is whole when nothing was written for this long
LEFT = "left-"  # in the name of what a process before us left
GRACE_S = 2.0  # where the system cannot tell who has a file open, one that was exchanged out is kept this long
RECENT_S = 10.0  # a save made from what stood in the file within this time does not take back what came after


@dataclass(slots=True)
class Parked:
    """A file that was exchanged out: its name now, the text we had read of it, None where that is not known.

    `seen` is the state it was last in, and `since_s` since when (monotonic). `merged_s`: when a late save in it was merged.
    Until an outdated save cannot take that out of the file any more, this is the only other place where it is on disk.
    """

    temporary: str
    text: str | None
    since_s: float
    seen: Identity | None = None
    merged_s: float | None = None


class Late(NamedTuple):
    """What an editor wrote to a parked file, whole; it may write more."""

    parked: Parked
    text: str


@dataclass(slots=True)
class Swept:
    """What looking after parked files came to: what was written late, and copies of what is no text."""

    late: list[Late] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)


def sweep(tree: Tree, name: str, parked: list[Parked], now_s: float) -> Swept:
    """Remove what nobody can write to any more from disk and from the list, and return what was written to the rest."""
    swept = Swept()
    for one in list(parked):
        try:
            if not _is_needed(tree, name, one, now_s, swept):
                tree.remove(one.temporary)
                parked.remove(one)
        except FileNotFoundError:
            parked.remove(one)  # somebody removed it: there is nothing left to look after
        except (OSError, StorageError):
            continue
    return swept


def _is_needed(tree: Tree, name: str, one: Parked, now_s: float, swept: Swept) -> bool:
    opened = tree.open_elsewhere(one.temporary)
    data, state = tree.read(one.temporary)
    if state != one.seen:
        one.seen, one.since_s = state, now_s
    for_s = now_s - one.since_s
    may_change = bool(opened) or (opened is None and for_s < GRACE_S)
    if one.text is not None and data == one.text.encode("utf-8"):
        return may_change or (one.merged_s is not None and now_s - one.merged_s < RECENT_S)
    if may_change and (for_s < QUIET_S or not data.strip()):
        return True
    if not data.strip():
        return False  # an editor emptied it and wrote nothing: that is no save
    try:
        swept.late.append(Late(one, data.decode("utf-8")))
    except UnicodeDecodeError:
        if not may_change:
            swept.copies.append(keep_aside(tree, name, one.temporary, data))
        return may_change
    return True


def let_go(late: list[Late], now_s: float) -> None:
    """Note that late writes are in the file now; what holds them goes on being looked after for a while."""
    for one in late:
        one.parked.text, one.parked.merged_s = one.text, now_s


def leave(tree: Tree, temporary: str) -> None:
    """Mark what a process before us exchanged out and an editor still has open, for who follows its file next."""
    folder, _, leaf = temporary.rpartition("/")
    head, _, mark = leaf.removesuffix(TEMPORARY_SUFFIX).rpartition(".")
    if not mark.startswith(LEFT):
        tree.rename(temporary, f"{folder}/{head}.{LEFT}{mark}{TEMPORARY_SUFFIX}".removeprefix("/"))


def found_again(tree: Tree, temporary: str, now_s: float) -> Parked:
    """Return what a process before us left, with the text it had read where that is still what the file holds. Blocks."""
    leaf, text = temporary.rpartition("/")[2], None
    with suppress(OSError, StorageError, UnicodeDecodeError):
        data, _ = tree.read(temporary)
        text = data.decode("utf-8") if is_nobodys(leaf.replace(f".{LEFT}", "."), data) else None
    return Parked(temporary, text, now_s)


def left_behind(tree: Tree, folder: str) -> dict[str, list[str]]:
    """Return what is so marked in a directory, by the file each was exchanged out of."""
    found: dict[str, list[str]] = {}
    for entry in tree.entries(folder or "."):
        head, _, mark = entry.name.removesuffix(TEMPORARY_SUFFIX).rpartition(".")
        if entry.is_file and mark.startswith(LEFT) and entry.name.endswith(TEMPORARY_SUFFIX):
            found.setdefault(f"{folder}/{head[1:]}".removeprefix("/"), []).append(
                f"{folder}/{entry.name}".removeprefix("/")
            )
    return found


def read_text(tree: Tree, name: str) -> str | None:
    """Return the text of a file, None where there is none; HeldError where it is not UTF-8."""
    try:
        return tree.read(name)[0].decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise HeldError(f"{name}: byte {error.start} is not UTF-8") from None


def keep_beside(tree: Tree, name: str, text: str) -> str:
    """Keep a text in a conflict copy beside its file, and return the copy's name."""
    data = text.encode("utf-8")
    copy = conflict_copy(name, data, time.time())
    with suppress(FileExistsError):  # the same text is kept there already
        create(tree, copy, data)
    return copy


def keep_aside(tree: Tree, name: str, temporary: str, data: bytes) -> str:
    """Turn a temporary into a conflict copy beside its file, and return the copy's name."""
    copy = conflict_copy(name, data, time.time())
    with suppress(FileExistsError):  # the same is kept there already
        tree.rename(temporary, copy)
    return copy
