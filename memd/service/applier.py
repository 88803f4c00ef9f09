"""Bring acknowledged work into the files, in batches, off the event loop.

Each target (a role's memory.json, a log, an erasure) has a queue and a pace: a burst is one rewrite, not many. What
fails stays in its queue and in the log, is told in status, and is tried again; nothing acknowledged is given up.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field

from memd.errors import MemdError
from memd.formats.json_style import same
from memd.model.change import Change, Erasure, Line, Operation
from memd.model.settings import LimitSettings
from memd.service.erasing import erase_from_logs
from memd.service.journal import Journal
from memd.service.lines import append_lines, prune_scores, rotate_audit
from memd.service.parked import sweep, write_conflicts
from memd.service.ports import Ports
from memd.service.role import Parked, Role
from memd.service.role_files import HeldError, Known, Written, write
from memd.storage.files import Tree
from memd.storage.history import git_work
from memd.storage.layout import AUDIT, SCORES, role_dir

logger = logging.getLogger(__name__)

GATHER_S = 0.02  # wait this long for company before the first write
PACE_S = 0.25  # and this long between two writes of one target,
PACE_COST = 8.0  # or this many times what the last one took, whichever is longer: large files are written less often
RETRY_S = 0.5
STALE_SAVE_S = 10.0  # an editor's save within this time of our write does not take it back
ERASE = "erase"


@dataclass(slots=True)
class Applier:
    """Owned by the event loop; the blocking work runs in threads. `audit` takes a record for the audit log."""

    tree: Tree
    ports: Ports
    role_of: Callable[[str], Role]
    limits: Callable[[], LimitSettings]
    adopt: Callable[[Role], Awaitable[None]]
    audit: Callable[[dict[str, object]], None]
    trouble: dict[str, str] = field(default_factory=dict)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    _journal: Journal | None = None
    _lines: dict[str, list[tuple[int, Line]]] = field(default_factory=dict)
    _erasures: list[tuple[int, Erasure]] = field(default_factory=list)
    _unsure: set[str] = field(default_factory=set)
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _next_s: dict[str, float] = field(default_factory=dict)

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
        self.journal.expect(n, sum(2 if isinstance(one, Erasure) else 1 for one in operations))
        for operation in operations:
            if isinstance(operation, Change):
                self._queue_change(n, operation)
            elif isinstance(operation, Line):
                self._lines.setdefault(operation.name, []).append((n, operation))
                if redo:
                    self._unsure.add(operation.name)
                self._wake(operation.name)
            else:
                role = self.role_of(operation.role)
                now = role.document.find(frozenset({(operation.kind, operation.id)}))
                before = next((element.value() for element in now.values()), None)
                self._queue_change(n, Change(operation.role, operation.kind, operation.id, before, None))
                self._erasures.append((n, operation))
                self._wake(ERASE)

    def wake_role(self, role: Role) -> None:
        """See to a role's file: something is to be written, or an editor's save to be answered."""
        self._wake(f"role:{role.name}")

    async def finish(self, deadline_s: float) -> None:
        """Write what is queued without pauses, for at most this long."""
        self.closing.set()
        until = self.ports.monotonic() + deadline_s
        while self._tasks and self.ports.monotonic() < until:
            await asyncio.wait(set(self._tasks.values()), timeout=until - self.ports.monotonic())
        for task in list(self._tasks.values()):
            task.cancel()
        await self.journal.advance()

    def _queue_change(self, n: int, change: Change) -> None:
        role = self.role_of(change.role)
        role.pending.append((n, change))
        role.overlay.setdefault((change.kind, change.id), (n, change.after))
        self.wake_role(role)

    def _wake(self, target: str) -> None:
        if target not in self._tasks:
            task = asyncio.get_running_loop().create_task(self._run(target))
            self._tasks[target] = task

    async def _run(self, target: str) -> None:
        tries = 0
        try:
            while self._has_work(target):
                await self._pause(target)
                begun_s = self.ports.monotonic()
                try:
                    await self._flush(target)
                    self.trouble.pop(target, None)
                    tries = 0
                except HeldError as error:
                    self.trouble[target] = f"held: {error}"
                except (MemdError, OSError) as error:
                    logger.warning("cannot write %s yet: %s", target, error)
                    self.trouble[target] = str(error)
                now_s = self.ports.monotonic()
                self._next_s[target] = now_s + max(PACE_S, PACE_COST * (now_s - begun_s))
                if target in self.trouble:
                    tries += 1
                    if self.closing.is_set():
                        return
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self.closing.wait(), min(RETRY_S * tries, 30.0))
                else:
                    await self.journal.advance()
        finally:
            self._tasks.pop(target, None)

    async def _pause(self, target: str) -> None:
        wait_s = max(GATHER_S, self._next_s.get(target, 0.0) - self.ports.monotonic())
        if not self.closing.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.closing.wait(), wait_s)

    def _has_work(self, target: str) -> bool:
        if target == ERASE:
            return bool(self._erasures)
        if target.startswith("role:"):
            role = self.role_of(target[5:])
            return bool(role.pending or role.parked or role.stale)
        return bool(self._lines.get(target))

    async def _flush(self, target: str) -> None:
        if target == ERASE:
            await self._flush_erasures()
            return
        work = git_work(self.tree, self.tree.system)
        if work:
            raise HeldError(f"git is at work ({work})")
        if target.startswith("role:"):
            await self._flush_role(self.role_of(target[5:]))
        else:
            await self._flush_lines(target)

    async def _flush_lines(self, name: str) -> None:
        batch = self._lines[name]
        lines, count = [line for _, line in batch], len(batch)
        unsure = name in self._unsure
        self._unsure.add(name)  # until we know otherwise: a failure may come after the bytes
        await asyncio.to_thread(append_lines, self.tree, name, lines, maybe_there=unsure)
        self._unsure.discard(name)
        self._lines[name] = self._lines[name][count:]
        self._parts_done(n for n, _ in batch)
        if name == AUDIT:
            await asyncio.to_thread(rotate_audit, self.tree, self.limits(), self.ports.now())
        elif name.startswith(SCORES):
            await asyncio.to_thread(prune_scores, self.tree, self.limits())

    async def _flush_role(self, role: Role) -> None:
        async with role.file_lock:
            if role.pending and self.tree.identify(role_dir(role.name)) is None:
                await asyncio.to_thread(self.tree.make_dirs, role_dir(role.name))
            batch = list(role.pending)
            last = batch[-1][0] if batch else 0
            recent = role.recent_changes(self.ports.monotonic(), STALE_SAVE_S)
            known = _known(role, stale=role.stale)
            role.stale = False
            if batch or recent:
                changes = [change for _, change in batch]
                written = await self._write(role, known, changes, recent)
                await self._after(role, written, last, batch)
            await self._sweep(role)
        if role.incoming is not None:
            await self.adopt(role)

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
            role.parked.extend(unmerged)

    async def _after(self, role: Role, written: Written, last: int, batch: list[tuple[int, Change]]) -> None:
        role.document, role.identity, role.racy = written.document, written.identity, written.racy
        role.bytes = written.size
        role.parked.extend(written.parked)
        if written.incoming is not None:
            role.incoming = written.incoming
            role.rejected = None
        if written.durable:
            now_s = self.ports.monotonic()
            role.settle(last)
            role.recent.extend((now_s, change) for change in [*written.theirs, *(change for _, change in batch)])
            self._parts_done(n for n, _ in batch)
        for change in written.again:
            self.audit({"what": "reapplied_after_external_save", "role": role.name, "id": change.id})
        conflicts = [one for one in written.conflicts if not same(one.change.after, one.standing)]
        if conflicts:
            name = await asyncio.to_thread(write_conflicts, self.tree, role.name, conflicts)
            self.audit(
                {"what": "conflict", "role": role.name, "file": name, "ids": [one.change.id for one in conflicts]}
            )
        if not written.durable:
            raise HeldError("the directory would not sync; the change is visible, its durability unknown")

    async def _sweep(self, role: Role) -> None:
        if not role.parked:
            return
        swept = await asyncio.to_thread(sweep, self.tree, role.name, role.parked, self.ports.monotonic())
        role.parked = swept.left
        for name in swept.kept:
            self.audit({"what": "conflict", "role": role.name, "file": name, "ids": []})
        for parked, changes in swept.late:
            recent = role.recent_changes(self.ports.monotonic(), STALE_SAVE_S)
            known = _known(role, stale=True)
            written = await self._write(role, known, (), recent, late=changes)
            await self._after(role, written, 0, [])
            await asyncio.to_thread(self.tree.remove, parked.temporary)

    async def _flush_erasures(self) -> None:
        batch = list(self._erasures)
        for n, erasure in batch:
            role = self.role_of(erasure.role)
            if any(change.id == erasure.id for _, change in role.pending):
                raise HeldError("the memory is still in its file")
            role.recent = type(role.recent)((at, one) for at, one in role.recent if one.id != erasure.id)
            await asyncio.to_thread(erase_from_logs, self.tree, erasure.id)
            self._erasures.remove((n, erasure))
            self._parts_done([n])
            await self.journal.advance()
            await self.journal.scrub(erasure.id)

    def _parts_done(self, numbers: Iterable[int]) -> None:
        for n in numbers:
            self.journal.part_done(n)


def _known(role: Role, *, stale: bool) -> Known:
    identity = None if role.racy else role.identity
    return Known(role.document, identity, role.profile.uuid or role.name, stale)
