"""The one writer: it makes changes true in memory, has them durable in the log, and sees them into the files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from memd.errors import MemdError, RoleUnknownError, StorageReadOnlyError, WorkspaceGoneError
from memd.formats.records import dump_record
from memd.formats.times import to_iso
from memd.model.change import Change, Erasure, Line, Operation, Put
from memd.storage.layout import AUDIT, LOG
from memd.storage.listing import read_side
from memd.storage.wal import read_log
from memd.store.reading import absorb
from memd.store.recover import without_erased
from memd.store.writing.applier import Applier
from memd.store.writing.journal import Journal, nothing, submitted

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.storage.lock import Lock
    from memd.storage.wal import Log, Record
    from memd.store.keep.keeping import Keeping
    from memd.store.ports import Ports
    from memd.store.reading.roles import Roles
    from memd.store.role.role import Role
    from memd.store.room import Room
    from memd.store.writing.text_files import Texts

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Writer:
    """Owned by the event loop. `read_only` says why nothing is written; `recovered` what was left and taken over."""

    tree: Tree
    ports: Ports
    roles: Roles
    keeping: Keeping
    texts: Texts
    room: Room
    read_only: str = ""
    recovered: dict[str, Any] = field(default_factory=dict)
    lock: Lock | None = None
    log: Log | None = None
    running: Journal | None = None
    applier: Applier | None = None

    @property
    def journal(self) -> Journal:
        """The log, or StorageReadOnlyError where this workspace is only read."""
        if self.running is None:
            raise StorageReadOnlyError(self.tree.path, self.read_only or "opened for reading")
        return self.running

    @property
    def depth(self) -> int:
        """How many acknowledged batches are not in the files yet."""
        return self.running.depth if self.running else 0

    @property
    def trouble(self) -> dict[str, str]:
        """What cannot be written at the moment, and why."""
        return dict(self.applier.trouble) if self.applier else {}

    def begin(self, log: Log) -> Applier:
        """Write from now on, into this log, and from it into the files."""
        limits = lambda: self.roles.in_force.settings.limits  # noqa: E731  as they are then
        self.log = log
        applier = Applier(self.tree, self.ports, self.roles.or_new, limits, self._adopt, self.audit, self.texts)
        self.running = Journal(log, applier.take)
        self.applier, applier.journal = applier, self.running
        return applier

    def commit(
        self, build: Callable[[int], Sequence[Operation]], at_s: float, roll_back: Callable[[], None] = nothing
    ) -> asyncio.Future[None]:
        """Make changes true in memory and queue them for the log, as Store.commit says."""
        submitted.set(True)
        return self._commit(build, at_s, roll_back)

    @property
    def name(self) -> str:
        """Who writes this workspace's log on this machine; also where it is only read, "" where there is no log."""
        return self.running.writer if self.running else _held_by(self.tree)

    def record(self, name: str, n: int, value: dict[str, Any], at_s: float) -> Line:
        """Return a line for one of memd's own logs, keyed by writer and number."""
        body = {"w": self.journal.writer, "n": n, "at": to_iso(at_s), **value}
        return Line(name, dump_record(body).decode(), value=body)

    def audit(self, value: dict[str, Any]) -> None:
        """Note something in the audit log; where that cannot be written, it is in the daemon's own diary."""
        now_s = self.ports.now()
        if self.running is None:
            return
        logger.info("%s in role %s", value.get("what"), value.get("role"))
        value = without_erased(value, self.records())
        try:
            done = self._commit(lambda n: [self.record(AUDIT, n, value, now_s)], now_s)  # nobody waits for it
        except MemdError as error:
            logger.warning("the audit log could not be written: %s", error)
        else:
            done.add_done_callback(_log_failure)

    def make_room(self, added_bytes: int) -> None:
        """See that `.memory/` has room for so many bytes more, as Room.make does; who only reads deletes nothing."""
        _ = self.journal
        self.room.make(added_bytes)

    def wake(self, role: Role) -> None:
        """See to a role's file soon."""
        if self.applier:
            self.applier.wake_role(role)

    async def settled(self) -> None:
        """Wait until what others have submitted so far is durable: who answers by it promises it, too."""
        if self.running is not None and not submitted.get():
            await self.running.settled()

    async def flush(self, deadline_s: float) -> dict[str, str]:
        """Bring all that is acknowledged by now into the files; return each place that lacks some of it, and why."""
        journal = self.journal
        with suppress(MemdError, OSError):  # what was refused is nobody's to bring anywhere
            await journal.settled()
        return await self.applier.flush(journal.newest, deadline_s) if self.applier else {}

    def waiting_lines(self, folder: str) -> list[str]:
        """Return the acknowledged lines that are not in the files of a folder yet."""
        if self.applier:
            return self.applier.waiting_lines(folder)
        return [text for name, lines in self.texts.lines.items() if name.startswith(folder) for text in lines]

    def is_being_erased(self, role: str, memory_id: str) -> bool:
        """Tell whether a memory's text is on its way out of the files: nobody is shown it any more."""
        return (role, memory_id) in (self.applier.erasing if self.applier else self.texts.erasing)

    def records(self) -> list[Record]:
        """Return what the log holds of recent work."""
        return list(self.log.records) if self.log else []

    async def close(self, deadline_s: float) -> None:
        """Bring everything into the files within the deadline, and let go."""
        with ExitStack() as let_go:
            let_go.callback(self.tree.close)
            if self.lock:
                let_go.callback(self.lock.release)
            if self.log:
                let_go.callback(self.log.close)
            if self.running and self.applier:
                await self.running.drain()
                await self.applier.finish(deadline_s)
                await self.running.drain()

    def _commit(
        self, build: Callable[[int], Sequence[Operation]], at_s: float, roll_back: Callable[[], None] = nothing
    ) -> asyncio.Future[None]:
        if not self.tree.is_in_place():
            raise WorkspaceGoneError(self.tree.path)
        journal = self.journal
        n = journal.reserve()
        operations = self._looked_at(list(build(n)), roll_back)
        roles = dict(self.roles)  # one that vanishes meanwhile still gets back what could not be written
        firm = (one for one in operations if not isinstance(one, Line | Put))
        changes = [one if isinstance(one, Change) else self._removal(one) for one in firm]
        let_go = self.texts.hold(n, operations)
        taken: list[Change] = []

        def undo() -> None:
            for change in reversed(taken):
                roles[change.role].give_back(change)
            let_go()
            roll_back()

        try:
            for change in changes:
                if change.role not in roles:
                    raise RoleUnknownError(change.role, sorted(roles))
                roles[change.role].take(change, n)
                taken.append(change)
        except BaseException:
            undo()
            raise
        return journal.submit(n, to_iso(at_s), operations, undo)

    def _looked_at(self, built: list[Operation], roll_back: Callable[[], None]) -> list[Operation]:
        """Return what is to be committed: without secrets, and so far as there is room for it."""
        looked = self.keeping.looked_at(built, partial(self.roles.in_force.of_name, self.roles), roll_back)
        try:
            return self.room.fitting(looked, self.log.size() if self.log else 0, self.trouble)
        except BaseException:
            roll_back()
            raise

    def _removal(self, one: Erasure) -> Change:
        return Change(one.role, one.kind, one.id, self.roles[one.role].raw(one.kind, one.id), None)

    async def _adopt(self, role: Role) -> None:
        """Take in what a write found in a role's file; waits for the role's turn."""
        async with role.turn:
            await absorb.adopt(role, self.audit)


def _log_failure(done: asyncio.Future[None]) -> None:
    error = None if done.cancelled() else done.exception()
    if error:
        logger.warning("the audit log could not be written: %s", error)


def _held_by(tree: Tree) -> str:
    """Return the writer that a log names. Blocks."""
    return read_log(read_side(tree, LOG) or b"").writer
