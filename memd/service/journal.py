"""Acknowledge work: one synced line of the log for everything that was asked at about the same time.

`commit` returns when its line is durable. While one batch is being synced the next gathers, so a burst costs few syncs.
What could not be written is rolled back, newest first, before anybody hears of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memd.errors import MemdError
from memd.formats.operations import dump_operation
from memd.model.change import Operation
from memd.storage.wal import Log, Record

logger = logging.getLogger(__name__)

BATCH_RECORDS = 512


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
    _reached: int = 0
    _outstanding: dict[int, int] = field(default_factory=dict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

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
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())
        return done

    def expect(self, n: int, parts: int) -> None:
        """Note that a batch has this many parts to bring into files."""
        self._outstanding[n] = parts

    def part_done(self, n: int) -> None:
        """Note that one part of a batch is in its file."""
        if n in self._outstanding:
            self._outstanding[n] -= 1

    async def advance(self) -> None:
        """Tell the log how far the files have come, and shorten it when it is long."""
        while self._outstanding and next(iter(self._outstanding.values())) <= 0:
            self._reached = next(iter(self._outstanding))
            del self._outstanding[self._reached]
        if self._reached > self.log.applied:
            async with self._lock:
                try:
                    await asyncio.to_thread(self._mark, self._reached)
                except (MemdError, OSError) as error:
                    # Nothing depends on it but the length of the log: what is done twice is done once.
                    logger.warning("the log could not be shortened yet: %s", error)

    async def scrub(self, memory_id: str) -> None:
        """Rewrite the log without the records of one memory."""
        async with self._lock:
            await asyncio.to_thread(self.log.checkpoint, force=True, without=memory_id)

    async def drain(self) -> None:
        """Wait until everything submitted is durable or refused."""
        while self._task and not self._task.done():
            await asyncio.wait({self._task})

    def _mark(self, last: int) -> None:
        self.log.mark_applied(last)
        self.log.checkpoint()

    async def _drain(self) -> None:
        while self._queue:
            batch, self._queue = self._queue[:BATCH_RECORDS], self._queue[BATCH_RECORDS:]
            try:
                async with self._lock:
                    await asyncio.to_thread(self.log.append, [one.record for one in batch])
            except (MemdError, OSError) as error:
                for one in reversed(batch):
                    one.roll_back()
                for one in batch:
                    if not one.done.cancelled():
                        one.done.set_exception(error)
                continue
            for one in batch:
                self.on_commit(one.record.n, one.operations)
                if not one.done.cancelled():
                    one.done.set_result(None)
