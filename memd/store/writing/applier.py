"""Bring acknowledged work into the files, in batches, off the event loop.

Each target (a role's memory.json, a log, an erasure) has a queue and a pace: a burst is one rewrite, not many, and a large
memory.json follows the log when it is quiet. What fails stays in its queue and in the log, is told in status, and is tried
again; nothing acknowledged is given up. Why so: docs/decisions/0072-files-follow-the-log.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.engine.merge import equal
from memd.errors import StorageError
from memd.formats.operations import parts_of
from memd.formats.role_reader import load
from memd.model.change import Change, Erasure, Line, Operation, Put
from memd.storage.history import git_work
from memd.storage.layout import AUDIT, INBOX, OFFERED, PROVISIONAL, RUNNING, SCORES, memory_file, role_dir
from memd.store.writing.erasing import erase_from_logs
from memd.store.writing.erasing_texts import Told, erase_from_texts, without_text
from memd.store.writing.lines import (
    Appended,
    append_lines,
    prune_scores,
    rotate_audit,
    tidy_inbox,
    tidy_offered,
    tidy_provisional,
    tidy_runs,
)
from memd.store.writing.parked import sweep, write_conflicts
from memd.store.writing.role_files import Known, Written, known_of, write
from memd.store.writing.targets import HeldError, Targets
from memd.store.writing.text_files import TextFiles, Texts

if TYPE_CHECKING:
    from memd.model.settings import LimitSettings
    from memd.storage.files import Tree
    from memd.store.ports import Ports
    from memd.store.role.parts import Parked
    from memd.store.role.role import Role
    from memd.store.writing.journal import Journal

STALE_SAVE_S = 10.0  # an editor's save within this time of our write does not take it back
LOG_BYTES = (
    1_000_000  # of a log: from then on no file waits for quiet, and so a start has no more than this to do again
)
NOT_YET = "it is still being written"
ERASE = "erase"
ROLE = "role:"
TEXT = "text:"
Wrote = Callable[[str, Appended], None]


@dataclass(slots=True)
class Applier:
    """Owned by the event loop; the blocking work runs in threads. `audit` takes a record for the audit log."""

    tree: Tree
    ports: Ports
    role_of: Callable[[str], Role]
    limits: Callable[[], LimitSettings]
    adopt: Callable[[Role], Awaitable[None]]
    audit: Callable[[dict[str, object]], None]
    known_texts: Texts = field(default_factory=Texts)
    on_lines: list[Wrote] = field(default_factory=list)
    being_appended: set[str] = field(default_factory=set)
    targets: Targets = field(init=False)
    texts: TextFiles = field(init=False)
    _journal: Journal | None = None
    _lines: dict[str, list[tuple[int, Line]]] = field(default_factory=dict)
    _lines_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _erasures: list[tuple[int, Erasure]] = field(default_factory=list)
    _unsure: set[str] = field(default_factory=set)
    _roles: dict[str, Role] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.targets = Targets(self.ports.monotonic, self._has_work, self._write_target, self._advance, self._due_s)
        self.texts = TextFiles(self.tree, self.ports.monotonic, self._text_done, self.audit, self.known_texts)

    @property
    def trouble(self) -> dict[str, str]:
        """What cannot be written at the moment, and why."""
        return self.targets.trouble

    @property
    def journal(self) -> Journal:
        """The log that hears of finished work; set once, right after both are made."""
        if self._journal is None:
            raise RuntimeError("the applier has no journal yet")
        return self._journal

    @journal.setter
    def journal(self, journal: Journal) -> None:
        self._journal = journal

    def take(self, n: int, operations: tuple[Operation, ...], *, redo: bool = False) -> None:
        """Queue what an acknowledged batch does to files. `redo`: a process before us may have done a part of it."""
        missing = {part for one in operations for part in parts_of(one) if not self.journal.has(part, n)}
        self.journal.expect(n, missing)
        for operation in operations:
            if isinstance(operation, Change):
                self._queue_change(n, operation)
            elif isinstance(operation, Put):
                self.texts.take(n, operation)
                self.targets.wake(f"{TEXT}{operation.name}")
            elif isinstance(operation, Line):
                self._lines.setdefault(operation.name, []).append((n, operation))
                if redo:
                    self._unsure.add(operation.name)
                self.targets.wake(operation.name)
            else:
                if any(part.startswith(ROLE) for part in missing):
                    firm = Change(operation.role, operation.kind, operation.id, None, None, firm=True)
                    self._queue_change(n, firm)
                    self.role_of(operation.role).saves.forget_of(firm)
                self._erasures.append((n, operation))
                self.targets.wake(ERASE)
                self.targets.hurry([f"{ROLE}{operation.role}"] if operation.role in self._roles else [])

    def take_over(self, written: Sequence[Put], known: Iterable[str]) -> None:
        """Follow the files of texts that a process before us wrote, for as long as an outdated save may come."""
        for name in self.texts.take_over(written, known):
            self.targets.wake(f"{TEXT}{name}")

    def waiting_lines(self, folder: str) -> list[str]:
        """Return the lines that are acknowledged and not in the files of a folder yet."""
        return [line.text for name, lines in self._lines.items() if name.startswith(folder) for _, line in lines]

    @property
    def erasing(self) -> set[tuple[str, str]]:
        """Role and id of the memories whose text is still to be taken out of the files."""
        return {(one.role, one.id) for _, one in self._erasures}

    def waiting_names(self, folder: str) -> list[str]:
        """Return the files of a folder that acknowledged lines wait for."""
        return [name for name, lines in self._lines.items() if lines and name.startswith(f"{folder}/")]

    def wake_role(self, role: Role) -> None:
        """See to a role's file: something is to be written, or an editor's save to be answered."""
        self._roles[role.name] = role
        self.targets.wake(f"{ROLE}{role.name}")

    async def finish(self, deadline_s: float) -> None:
        """Write what is queued without pauses. Writes that have begun are waited for, whatever the deadline."""
        for role in self._roles.values():
            if role.saves.parked or self._is_changed(role):
                role.saves.stale = True  # one last look
                self.wake_role(role)
        await self.targets.finish(deadline_s, again=self._noted)
        await self.journal.advance()

    async def _noted(self) -> str:
        """Wait until what writing gave rise to, as a line of the audit log, is queued; return a target that waited."""
        await self.journal.drain()
        return ERASE if self._erasures else ""

    def _queue_change(self, n: int, change: Change) -> None:
        role = self.role_of(change.role)
        role.unsaved.queue(change, n, self.ports.monotonic())
        self.wake_role(role)

    async def flush(self, until: int, deadline_s: float) -> dict[str, str]:
        """Bring the batches up to a number into the files now; return each place that lacks something of them, and why."""
        end_s = self.ports.monotonic() + deadline_s

        def missing() -> set[str]:
            places = {_target_of(part) for part in self.journal.missing(until)}
            return places - {ERASE} or places  # a memory leaves its file before it leaves the logs

        await self.targets.flush(missing, deadline_s)
        if ERASE in missing():
            await self.targets.flush(missing, max(0.0, end_s - self.ports.monotonic()))
        return {one: self.trouble.get(_target_of(one), NOT_YET) for one in sorted(self.journal.missing(until))}

    def _due_s(self, target: str) -> float:
        if not target.startswith(ROLE):
            return 0.0
        role = self._roles[target[len(ROLE) :]]
        is_guarded = role.saves.stale or role.saves.recent or role.saves.parked
        return self._follows_s(role) if role.unsaved.pending and not is_guarded else 0.0

    def _follows_s(self, role: Role) -> float:
        """Return when a role's file is to have what waits for it, monotonic; an erasure waits for nothing."""
        is_erased = any(one.role == role.name for _, one in self._erasures)
        return 0.0 if is_erased or self.journal.log_bytes >= LOG_BYTES else role.unsaved.due_s(role.file.bytes)

    def _has_work(self, target: str) -> bool:
        if target == ERASE:
            return bool(self._erasures)
        if target.startswith(ROLE):
            role = self._roles[target[len(ROLE) :]]
            if role.unsaved.pending or role.saves.stale:
                return True
            # An outdated save may still come for a while after our own write, and a parked file may still be written.
            return not self.targets.closing.is_set() and bool(role.saves.parked or role.saves.recent)
        if target.startswith(TEXT):
            return self.texts.has_work(target[len(TEXT) :], closing=self.targets.closing.is_set())
        return bool(self._lines.get(target))

    async def _advance(self) -> None:
        await self.journal.advance()

    async def _write_target(self, target: str) -> None:
        work = git_work(self.tree, self.tree.system)
        if work:
            raise HeldError(f"git is at work ({work})")
        if target == ERASE:
            await self._flush_erasures()
        elif target.startswith(ROLE):
            await self._flush_role(self._roles[target[len(ROLE) :]])
        elif target.startswith(TEXT):
            await self.texts.write(target[len(TEXT) :])
        else:
            async with self._lines_lock:
                await self._flush_lines(target)

    async def _flush_lines(self, name: str) -> None:
        batch = list(self._lines[name])  # more may come while these are written
        lines, count = [line for _, line in batch], len(batch)
        unsure = name in self._unsure
        self._unsure.add(name)  # until we know otherwise: a failure may come after the bytes
        self.being_appended.add(name)
        try:
            appended = await asyncio.to_thread(append_lines, self.tree, name, lines, maybe_there=unsure)
            for hear in self.on_lines:
                hear(name, appended)
        finally:
            self.being_appended.discard(name)
        self._unsure.discard(name)
        self._lines[name] = self._lines[name][count:]
        self.journal.part_done(name, batch[-1][0])
        if name == AUDIT:
            await asyncio.to_thread(rotate_audit, self.tree, self.limits(), self.ports.now())
        elif name.startswith(SCORES):
            await asyncio.to_thread(prune_scores, self.tree, self.limits())
        elif name == RUNNING:
            await asyncio.to_thread(tidy_runs, self.tree)
        elif name == INBOX:
            await asyncio.to_thread(tidy_inbox, self.tree, lines)
        elif name == PROVISIONAL:
            await asyncio.to_thread(tidy_provisional, self.tree)
        elif name == OFFERED:
            await asyncio.to_thread(tidy_offered, self.tree, self.limits())

    async def _flush_role(self, role: Role) -> None:
        async with role.file_lock:
            if self.tree.identify(role_dir(role.name)) is None:
                if not role.unsaved.pending:
                    role.saves.let_go()  # somebody removed the role: there is nothing to guard any more
                    return
                await asyncio.to_thread(self.tree.make_dirs, role_dir(role.name))
            if self._is_changed(role):
                role.saves.stale = True
            is_due = self.ports.monotonic() >= self._follows_s(role)
            is_due = is_due or role.saves.stale or self.targets.is_hurried(f"{ROLE}{role.name}")
            batch = list(role.unsaved.pending) if is_due else []
            if batch or role.saves.stale:
                recent = role.saves.changes()
                stale, role.saves.stale = role.saves.stale, False
                try:
                    written = await self._write(role, known_of(role, stale=stale), [one for _, one in batch], recent)
                    await self._after(role, written, batch[-1][0] if batch else 0, batch)
                except BaseException as error:
                    role.saves.stale = stale
                    if isinstance(error, HeldError):
                        await self._sweep(role)
                    raise
            role.saves.forget_before(self.ports.monotonic() - STALE_SAVE_S)
            await self._sweep(role)
        if role.file.incoming is not None:
            await self.adopt(role)

    def _is_changed(self, role: Role) -> bool:
        try:
            return bool(role.saves.recent) and self.tree.identify(memory_file(role.name)) != role.file.identity
        except StorageError:
            return False  # whoever writes there next is told

    async def _write(
        self,
        role: Role,
        known: Known,
        changes: Sequence[Change],
        recent: Sequence[Change],
        late: Sequence[Change] = (),
    ) -> Written:
        unmerged: list[Parked] = []
        try:
            return await asyncio.to_thread(
                write, self.tree, role.name, known, changes, recent, late=late, unmerged=unmerged
            )
        finally:
            role.saves.parked.extend(unmerged)

    async def _after(self, role: Role, written: Written, last: int, batch: list[tuple[int, Change]]) -> None:
        role.file.document, role.file.identity, role.file.racy = written.document, written.identity, written.racy
        role.file.bytes = written.size
        role.saves.parked.extend(written.parked)
        if written.incoming is not None:
            role.file.incoming = written.incoming
            role.file.rejected = None
        elif role.file.incoming is not None:  # an older state that was not adopted yet must not come after this one
            role.file.incoming = await asyncio.to_thread(
                load, role.file.document.dump(), memory_file(role.name), role.name
            )
        conflicts = [one for one in written.conflicts if not equal(one.change.after, one.standing)]
        if conflicts:
            name = await asyncio.to_thread(write_conflicts, self.tree, role.name, conflicts)
            self.audit(_conflict(role, name, [one.change.id for one in conflicts]))
        for change in written.again:
            self.audit({"what": "reapplied_after_external_save", "role": role.name, "id": change.id})
        if not written.durable:
            raise HeldError("the directory would not sync; the change is visible, its durability unknown")
        now_s = self.ports.monotonic()
        role.settle(last)
        for change in [*written.theirs, *(change for _, change in batch)]:
            if change.firm:
                role.saves.forget_of(change)
            role.saves.recent.append((now_s, change))
        if batch:
            self.journal.part_done(f"{ROLE}{role.name}", last)

    async def _sweep(self, role: Role) -> None:
        if not role.saves.parked:
            return
        swept = await asyncio.to_thread(sweep, self.tree, role.name, role.saves.parked, self.ports.monotonic())
        role.saves.parked = [*swept.left, *(parked for parked, _ in swept.late)]
        for name in swept.kept:
            self.audit(_conflict(role, name, []))
        for parked, changes in swept.late:
            written = await self._write(role, known_of(role, stale=True), (), role.saves.changes(), late=changes)
            await self._after(role, written, 0, [])
            role.saves.parked.remove(parked)
            await asyncio.to_thread(self.tree.remove, parked.temporary)

    async def erase_texts(self, told: Told) -> list[str]:
        """Take what a memory said out of the records of what was said and done, and out of the log; return the files that changed."""
        async with self._lines_lock:
            done = await asyncio.to_thread(erase_from_texts, self.tree, told)
        if done.files:
            await self.journal.edit(lambda operation: without_text(operation, told, done.lines))
        return done.files

    async def _flush_erasures(self) -> None:
        held = ""
        for n, erasure in list(self._erasures):
            role = self.role_of(erasure.role)
            if any(change.id == erasure.id for m, change in role.unsaved.pending if m <= n):
                held = "the memory is still in its file"
                continue
            if any(m <= n and erasure.id in line.text for lines in self._lines.values() for m, line in lines):
                held = "older lines about it are still to be written"
                continue
            async with self._lines_lock:
                await asyncio.to_thread(erase_from_logs, self.tree, erasure.role, erasure.id)
            await self.journal.scrub(erasure.role, erasure.id, n)
            self._erasures.remove((n, erasure))
            self.journal.part_done(parts_of(erasure)[1], n)
        if held:
            raise HeldError(held)

    def _text_done(self, name: str, n: int) -> None:
        self.journal.part_done(f"{TEXT}{name}", n)


def _target_of(part: str) -> str:
    return ERASE if part.startswith(f"{ERASE}:") else part


def _conflict(role: Role, name: str, ids: list[str]) -> dict[str, object]:
    return {"what": "conflict", "role": role.name, "file": name, "ids": ids}
