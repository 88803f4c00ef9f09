"""Read and write a role's memory.json against people who edit it at the same time.

These functions block and run in a worker thread; they touch the disk and the values they are given, nothing else.

How a write goes: look at what is there; merge into that; exchange; look at what came out. If it is not what was
merged into, somebody saved in between: merge again into theirs. What came out stays on disk for a while, because an
editor that opened it before may still be writing to it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.engine.merge import diff, merge_changes, undone
from memd.errors import Fault, RejectedFileError, StorageError, TooLargeError
from memd.formats.derived import parsed_of
from memd.formats.role_memory import Document, new_document
from memd.formats.role_reader import Parsed, load
from memd.storage.files import Identity, Tree, is_racy
from memd.storage.layout import memory_file, role_dir
from memd.storage.replace import Displaced, exchange, swap_back
from memd.store.role.parts import Parked
from memd.store.writing.parked import keep_aside
from memd.store.writing.targets import HeldError

if TYPE_CHECKING:
    from memd.formats.derived import RoleCache
    from memd.model.change import Change, Conflict
    from memd.store.role.role import Role

TRIES = 12
SETTLE_S = 0.5  # an editor may leave a file missing, empty or half written for this long
STEP_S = 0.01


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file held: the `same` as before, `parsed` or `rejected`, or none of them where there is no file.

    `kept`: it was parsed before, and what came of that was kept.
    """

    identity: Identity | None = None
    racy: bool = False
    size: int = 0
    parsed: Parsed | None = None
    rejected: Fault | None = None
    same: bool = False
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """The file as we last saw it; `uuid` is for one that must be made.

    `stale`: others changed it since our last write, so that write may have been taken back.
    """

    document: Document
    identity: Identity | None
    uuid: str = ""
    stale: bool = False


@dataclass(slots=True)
class Written:
    """What a write came to. `incoming` is what the file holds where others had a part in it.

    `again` was taken back by an outdated save and is in the file again; `theirs` came in by our hand.
    """

    document: Document
    identity: Identity | None
    racy: bool = False
    size: int = 0
    incoming: Parsed | None = None
    conflicts: list[Conflict] = field(default_factory=list)
    again: list[Change] = field(default_factory=list)
    theirs: list[Change] = field(default_factory=list)
    parked: list[Parked] = field(default_factory=list)
    durable: bool = True


def known_of(role: Role, *, stale: bool) -> Known:
    """Return what a role knows of its file."""
    identity = None if role.file.racy or role.file.rejected else role.file.identity
    return Known(role.file.document, identity, role.own.profile.uuid or role.name, stale)


def read(
    tree: Tree, role: str, limit_bytes: int, known: Document | None = None, cache: RoleCache | None = None
) -> Reading:
    """Return what the role's memory.json holds now; `known` is what it held, `cache` what is kept of it."""
    name = memory_file(role)
    try:
        data, identity = tree.read(name, limit_bytes)
    except FileNotFoundError:
        return Reading()
    except TooLargeError as error:
        return _unreadable(tree, name, error, "file.too_large")
    except StorageError as error:
        return _unreadable(tree, name, error, "file.unreadable")
    racy = is_racy(identity, time.time_ns())
    if known is not None and data == known.dump():
        return Reading(identity, racy, len(data), same=True)
    if cache is not None and (parsed := parsed_of(cache, data)):
        return Reading(identity, racy, len(data), parsed, kept=True)
    try:
        return Reading(identity, racy, len(data), load(data, name, role))
    except RejectedFileError as error:
        return Reading(identity, racy, len(data), None, error.fault)


def _unreadable(tree: Tree, name: str, error: StorageError, code: str) -> Reading:
    why = str(error).removeprefix(f"{name}: ")
    return Reading(tree.identify(name), rejected=Fault(name, 1, 1, why, code))


def write(
    tree: Tree,
    role: str,
    known: Known,
    changes: Sequence[Change],
    recent: Sequence[Change] = (),
    *,
    late: Sequence[Change] = (),
    unmerged: list[Parked] | None = None,
) -> Written:
    """Put changes into the role's file, whatever others do to it meanwhile.

    `recent` are changes that an outdated save must not take back; `late` what an editor wrote to a file exchanged out.
    HeldError: the file is broken and was left alone. Where this raises, `unmerged` has the saves that were exchanged out
    and are not in the file yet, each with the document it was a change of.
    """
    return _Writer(tree, role, known, list(recent), [] if unmerged is None else unmerged).write(
        list(changes), list(late)
    )


class _Writer:
    def __init__(self, tree: Tree, role: str, known: Known, recent: list[Change], unmerged: list[Parked]) -> None:
        self.tree, self.role, self.known, self.recent, self.unmerged = tree, role, known, recent, unmerged
        self.name = memory_file(role)
        self.result = Written(known.document, None)
        self.external = known.stale

    def write(self, changes: list[Change], late: list[Change]) -> Written:
        current = self._current(self.known.identity)
        ours = self._merge(self._with(current, late), changes)
        if ours is current:
            if self.result.identity:
                self.tree.sync_dir(role_dir(self.role))
            return self._done(current)
        for _ in range(TRIES):
            stood = current.dump()
            try:
                displaced = exchange(self.tree, self.name, ours.dump(), stood)
            except (FileExistsError, FileNotFoundError):
                # It came or went between two looks: an editor is saving.
                current, ours = self._look_again(current, ours)
                continue
            self.result.identity = displaced.identity
            if not displaced.temporary:
                return self._done(ours)
            if displaced.data == stood:
                self.result.parked.append(Parked(displaced.temporary, current, time.monotonic()))
                return self._done(ours, durable=displaced.durable)
            saved = Parked(displaced.temporary, current, time.monotonic())
            self.unmerged.append(saved)
            if displaced.data is None:
                raise StorageError(displaced.temporary, "what was exchanged out cannot be read yet")
            theirs = self._theirs(displaced, displaced.data, ours)
            if theirs is None:
                self.unmerged.remove(saved)
                current, ours = self._look_again(current, ours)
                continue
            wanted = diff(current, ours, self.role)
            self._guard(diff(current, theirs, self.role), undone(theirs, self.recent))
            current, ours = ours, self._merge(theirs, wanted)
            self.recent.extend(changes)  # they were in the file: the next outdated save must not take them back
            changes = []
            self.result.parked.append(Parked(displaced.temporary, theirs, time.monotonic()))
        raise StorageError(self.name, f"it changed {TRIES} times while it was written")

    def _with(self, current: Document, late: list[Change]) -> Document:
        """Return what stands in the file with changes of others that came before ours."""
        if not late:
            return current
        self.external = True
        merged = merge_changes(current, late)
        self._guard(late, undone(merged.document, self.recent))
        self.result.conflicts.extend(merged.conflicts)
        return merged.document

    def _look_again(self, current: Document, ours: Document) -> tuple[Document, Document]:
        """Return what stands in the file now, and that with everything we wanted of the last one."""
        wanted = diff(current, ours, self.role)
        now = self._current(None)
        return now, self._merge(now, wanted)

    def _current(self, identity: Identity | None) -> Document:
        """Return what is in the file now, waiting out an editor that is in the middle of saving."""
        known = self.known.document
        state = self.tree.identify(self.name)
        if state is not None and state == identity:
            self.result.identity = identity
            return known
        until = time.monotonic() + SETTLE_S
        fault: Fault | None = None
        while True:
            try:
                data, self.result.identity = self.tree.read(self.name)
                if data == known.dump():
                    return known
                self.external = True
                return load(data, self.name, self.role).document
            except FileNotFoundError:
                fault = None
                if identity is None and not known.has_records():
                    break
            except RejectedFileError as error:
                fault = error.fault
            if time.monotonic() > until:
                break
            time.sleep(STEP_S)
        if fault:
            raise HeldError(fault)
        self.external, self.result.identity = True, None
        return new_document(self.known.uuid)

    def _merge(self, document: Document, changes: list[Change]) -> Document:
        """Merge our changes into a document, and what an outdated save has taken back."""
        lost = undone(document, self.recent) if self.external else []
        self.result.again.extend(lost)
        merged = merge_changes(document, [*lost, *changes])
        self.result.conflicts.extend(merged.conflicts)
        return merged.document

    def _guard(self, changes: Sequence[Change], outdated: Sequence[Change]) -> None:
        """Guard an editor's changes like our own: it may read the file before they are back in it, and save that.

        What only takes back a recent change is the mark of an outdated save, and a removal needs no guard.
        """
        back = {(change.kind, change.id) for change in outdated}
        wanted = [one for one in changes if one.after is not None and (one.kind, one.id) not in back]
        self.recent.extend(wanted)
        self.result.theirs.extend(wanted)

    def _theirs(self, displaced: Displaced, data: bytes, ours: Document) -> Document | None:
        """Return the document that an editor saved, waiting until it is whole.

        A broken one goes back in its place; None where something newer stands there by then.
        """
        self.external = True
        until = time.monotonic() + SETTLE_S
        while True:
            try:
                return load(data, self.name, self.role).document
            except RejectedFileError as error:
                fault = error.fault
            if time.monotonic() > until:
                break
            time.sleep(STEP_S)
            data = self.tree.read(displaced.temporary)[0]
        if swap_back(self.tree, self.name, displaced.temporary) == ours.dump():
            # Ours is parked, not removed: an editor may have opened it while it stood in place.
            self.unmerged[-1] = Parked(displaced.temporary, ours, time.monotonic())
            raise HeldError(fault)
        broken = swap_back(self.tree, self.name, displaced.temporary)
        keep_aside(self.tree, self.role, displaced.temporary, broken)
        return None

    def _done(self, document: Document, *, durable: bool = True) -> Written:
        result = self.result
        result.document, result.durable = document, durable
        self.unmerged.clear()
        identity = result.identity
        result.size = identity.size if identity else 0
        result.racy = bool(identity and is_racy(identity, time.time_ns()))
        if self.external:
            result.incoming = load(document.dump(), self.name, self.role)
            result.document = result.incoming.document
        return result
