"""Acknowledge work: one synced line of the log for everything that was asked at about the same time.

`commit` returns when its line is durable. While one batch is being synced the next gathers, so a burst costs few syncs.
What could not be written is rolled back, newest first, before anybody hears of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.errors import InternalError, MemdError
from memd.formats.operations import dump_operation
from memd.storage.wal import Log, Record

if TYPE_CHECKING:
    from memd.model.change import Operation

logger = logging.getLogger(__name__)

BATCH_RECORDS = 64  # what one sync makes durable: those behind it wait no longer for it
ANSWERED = 8  # of those, what is answered at once: more would hold the event loop for too long


# Whether the request of this task has submitted work after which it answers: what it saw of others' is older.
submitted: ContextVar[bool] = ContextVar("submitted", default=False)


def nothing() -> None:
    """Roll back nothing."""


@dataclass(slots=True)
class _Waiting:
    record: Record
    operations: tuple[Operation, ...]
    roll_back: Callable[[], None]
    done: asyncio.Future[None]


@dataclass(slots=True)
class Journal:
    """The log and those who wait for it. `on_commit` hears of every acknowledged batch, in order."""

    log: Log
    on_commit: Callable[[int, tuple[Operation, ...]], None]
    _next: int = 0
    _queue: list[_Waiting] = field(default_factory=list)
    _task: asyncio.Task[None] | None = None
    _last: asyncio.Future[None] | None = None
    _reached: int = 0
    _outstanding: dict[int, set[str]] = field(default_factory=dict)
    _waiting: dict[str, deque[int]] = field(default_factory=dict)  # the same by place
    _parts: dict[str, int] = field(default_factory=dict)  # what the log has not been told yet
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _held: int = 0  # those who have more to submit before anything is written

    def __post_init__(self) -> None:
        self._next = self.log.last + 1

    @property
    def writer(self) -> str:
        """The name of this log's writer, for keys of records."""
        return self.log.writer

    @property
    def depth(self) -> int:
        """How many acknowledged batches are not in the files yet."""
        return len(self._outstanding)

    @property
    def log_bytes(self) -> int:
        """How long the log is."""
        return self.log.size()

    @property
    def newest(self) -> int:
        """The number of the newest batch that was submitted."""
        return self._next - 1

    def reserve(self) -> int:
        """Return the number that the next batch will have."""
        self._next += 1
        return self._next - 1

    def submit(
        self, n: int, at: str, operations: Sequence[Operation], roll_back: Callable[[], None] = nothing
    ) -> asyncio.Future[None]:
        """Queue a batch under a reserved number; the future ends when it is durable, or with the error."""
        done = asyncio.get_running_loop().create_future()
        record = Record(n, at, tuple(dump_operation(one) for one in operations))
        self._queue.append(_Waiting(record, tuple(operations), roll_back, done))
        self._last = done
        self._begin()
        return done

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write what is submitted meanwhile at once, when it ends: a crash keeps the first of it, in order, or all.

        Whoever holds it may let others have their turn, and must wait for nobody.
        """
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            self._begin()

    def expect(self, n: int, parts: Iterable[str]) -> None:
        """Note which places a batch has to reach."""
        missing = self._outstanding[n] = set(parts)
        for part in missing:
            self._waiting.setdefault(part, deque()).append(n)

    def part_done(self, part: str, n: int) -> None:
        """Note that a place has its part of a batch, and of every batch before it."""
        self._parts[part] = n
        waiting = self._waiting.get(part, deque())
        while waiting and waiting[0] <= n:
            self._outstanding[waiting.popleft()].discard(part)
        if not waiting:
            self._waiting.pop(part, None)

    def missing(self, until: int) -> set[str]:
        """Return the places that lack something of the batches up to a number."""
        return {part for part, waiting in self._waiting.items() if waiting[0] <= until}

    def has(self, part: str, n: int) -> bool:
        """Tell whether the log knows that a place has its part of a batch."""
        return n <= self.log.applied or n <= self.log.parts.get(part, 0)

    async def advance(self) -> None:
        """Tell the log what the files have, and shorten it when it is long."""
        while self._outstanding and not next(iter(self._outstanding.values())):
            self._reached = next(iter(self._outstanding))
            del self._outstanding[self._reached]
        reached = max(self._reached, self.log.applied)
        parts = {part: n for part, n in self._parts.items() if n > reached}
        if reached > self.log.applied or parts:
            self._parts = {}
            async with self._lock:
                try:
                    await asyncio.to_thread(self._mark, reached, parts)
                except (MemdError, OSError) as error:
                    # Nothing depends on it but the length of the log: what is done twice is done once.
                    logger.warning("the log could not be shortened yet: %s", error)

    async def scrub(self, role: str, memory_id: str, until: int) -> None:
        """Rewrite the log without what it has about one memory up to a number."""
        async with self._lock:
            await asyncio.to_thread(self.log.scrub, role, memory_id, until)

    async def edit(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Rewrite the log with every operation as it is after a change."""
        async with self._lock:
            await asyncio.to_thread(self.log.edit, change)

    async def settled(self) -> None:
        """Wait until all that was submitted so far is durable, or raise what kept the last of it from that."""
        if self._last is not None and not self._last.done():
            await asyncio.shield(self._last)

    async def drain(self) -> None:
        """Wait until everything submitted is durable or refused."""
        while self._task and not self._task.done():
            await asyncio.wait({self._task})

    def _mark(self, reached: int, parts: dict[str, int]) -> None:
        self.log.mark_applied(max(reached, self.log.applied), parts)
        self.log.checkpoint()

    def _begin(self) -> None:
        if self._queue and not self._held and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._drain())

    async def _drain(self) -> None:
        while self._queue and not self._held:
            batch, self._queue = self._queue[:BATCH_RECORDS], self._queue[BATCH_RECORDS:]
            try:
                async with self._lock:
                    await asyncio.to_thread(self.log.append, [one.record for one in batch])
            except Exception as error:
                # What waits was decided on what has just failed: it cannot be acknowledged either.
                batch += self._queue
                self._queue = []
                _fail(batch, error if isinstance(error, (MemdError, OSError)) else InternalError(str(error)))
                continue
            for at, one in enumerate(batch, 1):
                self.on_commit(one.record.n, one.operations)
                if not one.done.done():
                    one.done.set_result(None)
                if at % ANSWERED == 0:
                    await asyncio.sleep(0)


def _fail(batch: list[_Waiting], error: Exception) -> None:
    """Undo a batch, newest first, and tell everybody who waits for it."""
    for one in reversed(batch):
        try:
            one.roll_back()
        except Exception:
            logger.exception("rolling back %d failed", one.record.n)
    for one in batch:
        if not one.done.done():
            one.done.set_exception(error)
