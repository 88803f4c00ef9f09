"""Bring acknowledged texts into their files: curated memory, tasks, receipts, skills. People edit the same files.

What an editor saved meanwhile is merged; what cannot be merged is kept beside the file as a conflict copy. A save that takes
back what was written within the last seconds is answered by writing it again.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from memd.engine.merge_text import MergedText, is_taken_back, merge_text
from memd.errors import StorageError
from memd.formats.texts import is_good
from memd.model.change import Put
from memd.service.writing.texts import Texts
from memd.storage.files import TEMPORARY_SUFFIX, UNFINISHED_SUFFIX, Identity, Tree
from memd.storage.layout import CURATED, LEARNING, RUNS, SKILLS, TASKS, conflict_copy
from memd.storage.replace import EDITOR_S, create, exchange

TRIES = 20
RECENT_S = 10.0  # a save within this time of our write does not take it back
KINDS = 1000  # directories that are looked through for what a kill left


class Stood(NamedTuple):
    """How a file stands after a write: its state, its text, and the name of a conflict copy, "" where all found its place."""

    identity: Identity | None
    text: str | None
    conflict: str = ""


class _Edit(NamedTuple):
    at_s: float
    base: str
    ours: str


@dataclass(slots=True)
class _Recent:
    """The edits of the last seconds, oldest first, and the state our last write left the file in."""

    edits: list[_Edit] = field(default_factory=list)
    identity: Identity | None = None


@dataclass(slots=True)
class TextFiles:
    """Owned by the event loop. `written` hears up to which batch a file is, `audit` of conflicts."""

    tree: Tree
    monotonic: Callable[[], float]
    written: Callable[[str, int], None]
    audit: Callable[[dict[str, object]], None]
    texts: Texts = field(default_factory=Texts)
    queues: dict[str, list[tuple[int, Put]]] = field(default_factory=dict)
    _recent: dict[str, _Recent] = field(default_factory=dict)

    def take(self, n: int, put: Put) -> None:
        """Queue a text for its file."""
        self.queues.setdefault(put.name, []).append((n, put))

    def has_work(self, name: str, *, closing: bool) -> bool:
        """Tell whether a file is to be written, or watched for an outdated save."""
        return bool(self.queues.get(name)) or (not closing and name in self._recent)

    async def write(self, name: str) -> None:
        """Bring what is queued for a file into it, or answer an outdated save."""
        batch = list(self.queues.get(name, ()))
        if not batch:
            await self._look_again(name)
            return
        puts = [put for _, put in batch]
        stood = await asyncio.to_thread(put_text, self.tree, name, puts)
        left = self.queues[name][len(batch) :]
        if left:
            self.queues[name] = left
        else:
            del self.queues[name]
        self.texts.settle(name, batch[-1][0])
        recent = self._recent.setdefault(name, _Recent())
        recent.edits.append(_Edit(self.monotonic(), puts[0].before or "", puts[-1].after or ""))
        recent.identity = stood.identity
        self._told(name, stood)
        self.written(name, batch[-1][0])

    async def _look_again(self, name: str) -> None:
        recent = self._recent.get(name)
        if recent is None:
            return
        recent.edits = [one for one in recent.edits if self.monotonic() - one.at_s <= RECENT_S]
        if not recent.edits:
            del self._recent[name]
            return
        stood = await asyncio.to_thread(_again, self.tree, name, recent)
        if stood is not None:
            recent.identity = stood.identity
            self._told(name, stood)
            self.audit({"what": "reapplied_after_external_save", "file": name})

    def _told(self, name: str, stood: Stood) -> None:
        if stood.conflict:
            self.audit({"what": "conflict", "file": stood.conflict, "of": name})


def read_text(tree: Tree, name: str) -> str | None:
    """Return the text of a file, None where there is none. UnicodeDecodeError is a StorageError: it is left as it is."""
    try:
        return tree.read(name)[0].decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise StorageError(name, f"byte {error.start} is not UTF-8") from None


def put_text(tree: Tree, name: str, puts: list[Put]) -> Stood:
    """Bring a chain of changes into a file, whatever others save meanwhile. Blocks."""
    base, ours = puts[0].before, puts[-1].after
    known = {put.after for put in puts}
    current = read_text(tree, name)
    for _ in range(TRIES):
        if current == ours:
            return Stood(tree.identify(name), current)
        if current == base or current in known:
            merged = MergedText(ours or "", whole=True)
        else:
            merged = _merged(name, base, ours, current)
        gone = ours is None if merged.whole else current is None  # what a person removed stays removed
        wanted = None if gone else merged.text
        conflict = "" if merged.whole or ours is None else _keep(tree, name, ours)
        came_out, identity = (
            (current, tree.identify(name)) if wanted == current else _place(tree, name, wanted, current)
        )
        if came_out == current:
            return Stood(identity, wanted, conflict)
        # Somebody saved between our look and our write: what came out is theirs, made from what we had read.
        base, ours, known = current, wanted, set()
        current = came_out
        if read_text(tree, name) == wanted:
            current = _give_back(tree, name, current, wanted)
    raise StorageError(name, "it changes again and again")


def _give_back(tree: Tree, name: str, theirs: str | None, ours: str | None) -> str | None:
    """Put what came out back in place of ours, and return what stands then: theirs, or what was saved over ours."""
    for _ in range(TRIES):
        out = _place(tree, name, theirs, ours)[0]
        if out == ours:
            break
        theirs, ours = out, theirs
    return theirs


def _merged(name: str, base: str | None, ours: str | None, theirs: str | None) -> MergedText:
    """Return what a file becomes that is neither as we knew it nor as we want it."""
    if ours is None:
        return MergedText(theirs or "", whole=False)  # somebody changed what was to go: it stays
    if theirs is None:
        return MergedText(ours, whole=True) if base is None else MergedText("", whole=False)
    if base is None and name not in CURATED:
        return MergedText(theirs, whole=False)
    merged = merge_text(base or "", ours, theirs, entries=name in CURATED)
    return merged if is_good(name, merged.text) or not is_good(name, theirs) else MergedText(theirs, whole=False)


def _place(tree: Tree, name: str, wanted: str | None, expected: str | None) -> tuple[str | None, Identity | None]:
    """Put a text in the place of another; return what was really there, and the state of ours, None where it changed since.

    Where what was there is as expected, all went as thought.
    """
    if wanted is None:
        return _take_away(tree, name, expected), None
    data = wanted.encode("utf-8")
    if expected is None:
        folder = name.rpartition("/")[0]
        if folder:
            tree.make_dirs(folder)
        try:
            create(tree, name, data, 0o644)
        except FileExistsError:
            return read_text(tree, name), None
        return None, tree.identify(name)
    try:
        displaced = exchange(tree, name, data)
    except (FileExistsError, FileNotFoundError):
        return read_text(tree, name), None
    if not displaced.temporary:
        return None, displaced.identity
    until = time.monotonic() + EDITOR_S
    while tree.open_elsewhere(displaced.temporary) and time.monotonic() < until:
        time.sleep(0.01)
    came_out = read_text(tree, displaced.temporary)
    tree.remove(displaced.temporary)
    return came_out, displaced.identity


def _take_away(tree: Tree, name: str, expected: str | None) -> str | None:
    """Remove a file that still is as expected, and return what it was."""
    if expected is None:
        return None
    folder, _, leaf = name.rpartition("/")
    aside = f"{folder}/.{leaf}.{hashlib.sha256(expected.encode()).hexdigest()[:12]}{TEMPORARY_SUFFIX}"
    tree.rename(name, aside)
    found = read_text(tree, aside)
    if found == expected:
        tree.remove(aside)
    else:
        tree.rename(aside, name)
    return found


def _again(tree: Tree, name: str, recent: _Recent) -> Stood | None:
    """Make the edits again that an outdated save has taken back; None where it took back none.

    What a later edit of ours took back itself stays so. What finds no place any more is kept in a conflict copy.
    """
    identity = tree.identify(name)
    if identity == recent.identity or not recent.edits:
        return None
    now = read_text(tree, name)
    wanted, last, whole = now or "", recent.edits[-1].ours, True
    for edit in recent.edits if now else ():
        undone = is_taken_back(edit.base, edit.ours, last)
        if edit.ours and not undone and is_taken_back(edit.base, edit.ours, wanted):
            merged = merge_text(edit.base, edit.ours, wanted, entries=name in CURATED)
            if merged.whole and is_good(name, merged.text):
                wanted = merged.text
            else:
                whole = False
    conflict = "" if whole else _keep(tree, name, last)
    if not whole:
        recent.edits.clear()
    if wanted == (now or ""):
        recent.identity = identity
        return Stood(identity, now, conflict) if conflict else None
    return put_text(tree, name, [Put(name, now, wanted)])._replace(conflict=conflict)


def _keep(tree: Tree, name: str, text: str) -> str:
    """Keep a text beside its file, and return the copy's name."""
    data = text.encode("utf-8")
    copy = conflict_copy(name, data, time.time())
    with suppress(FileExistsError):  # the same text is kept there already
        create(tree, copy, data)
    return copy


def clear_text_leftovers(tree: Tree, known: set[str]) -> list[str]:
    """Remove temporaries of texts that hold nothing of anybody's; return the conflict copies made of the others.

    `known`: texts that the log has, before and after.
    """
    kept: list[str] = []
    folders = ["."]
    for top in (TASKS, RUNS, SKILLS, LEARNING):
        folders += [top, *(f"{top}/{one.name}" for one in tree.entries(top) if one.is_dir)]
    folders += [
        f"{one}/{two.name}" for one in folders if one.startswith(LEARNING) for two in tree.entries(one) if two.is_dir
    ]
    for folder in folders[:KINDS]:
        for entry in tree.entries(folder):
            if entry.is_file and entry.name.startswith(".") and TEMPORARY_SUFFIX in entry.name:
                name = entry.name if folder == "." else f"{folder}/{entry.name}"
                copy = _cleared(tree, name, known)
                kept += [copy] if copy else []
    return kept


def _cleared(tree: Tree, temporary: str, known: set[str]) -> str:
    folder, _, leaf = temporary.rpartition("/")
    name = leaf[1:].rpartition(TEMPORARY_SUFFIX)[0].rpartition(".")[0]
    whole = f"{folder}/{name}" if folder else name
    try:
        text = read_text(tree, temporary)
        if temporary.endswith(UNFINISHED_SUFFIX) or text in known or text == read_text(tree, whole):
            tree.remove(temporary)
            return ""
    except StorageError:
        return ""  # whoever wrote it did not write text: it stays where it is
    copy = _keep(tree, whole, text) if text else ""
    tree.remove(temporary)
    return copy
