"""Targets that are written at a pace: each has at most one task, which goes on while there is work.

A burst is gathered into one write; what fails is tried again, ever more seldom, and told in `trouble`. Who cannot wait for
the pace has targets written now, by `flush`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field

from memd.errors import MemdError

logger = logging.getLogger(__name__)

GATHER_S = 0.02  # wait this long for company before the first write
PACE_S = 0.25  # and this long between two writes of one target,
PACE_COST = 8.0  # or this many times what the last one took, whichever is longer: large files are written less often,
PACE_MOST_S = 5.0  # but not more seldom than this
RETRY_S = 0.5
RETRY_MOST_S = 10.0
HUNG_S = 60.0  # how long a write that hangs is waited for at the end
ROUNDS = 3  # at the end: a write is noted in the audit log, and an erasure comes after the writes
LOOK_S = 0.25  # while a target waits for its time: that may come sooner than it seemed


class HeldError(Exception):
    """A file is not to be written now: a person broke it and it stays as it is, or git is at work."""

    def __init__(self, why: object) -> None:
        super().__init__(str(why))


def at_once(_: str) -> float:
    """Let no target wait for its time."""
    return 0.0


@dataclass(slots=True)
class Targets:
    """Owned by the event loop. `write` does the work of a target, `advance` hears after every try.

    `due_s` tells the monotonic time before which a target is not to be written: it gathers more meanwhile.
    """

    monotonic: Callable[[], float]
    has_work: Callable[[str], bool]
    write: Callable[[str], Awaitable[None]]
    advance: Callable[[], Awaitable[None]]
    due_s: Callable[[str], float] = at_once
    trouble: dict[str, str] = field(default_factory=dict)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    _finished: bool = False
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _next_s: dict[str, float] = field(default_factory=dict)
    _hurried: set[str] = field(default_factory=set)  # what is written now, whatever its pace
    _failed: Counter[str] = field(default_factory=Counter)  # how many tries of each target failed
    _called: asyncio.Event = field(default_factory=asyncio.Event)  # set for all who wait, and then another
    _tried: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self, target: str) -> None:
        """See to a target soon."""
        if not self._finished and target not in self._tasks:
            self._tasks[target] = asyncio.get_running_loop().create_task(self._run(target))

    def hurry(self, targets: Collection[str]) -> None:
        """Write these without waiting for their time or their pace; one that is in trouble is tried once more."""
        self._hurried.update(targets)
        for target in targets:
            self.wake(target)
        self._called = _signalled(self._called)

    def is_hurried(self, target: str) -> bool:
        """Tell whether a target is written now because somebody cannot wait."""
        return self.closing.is_set() or target in self._hurried

    async def flush(self, missing: Callable[[], Collection[str]], deadline_s: float) -> None:
        """Write now until nothing is `missing` but what was tried meanwhile and failed, or until the deadline."""
        until, failed = self.monotonic() + deadline_s, dict(self._failed)
        while left := [one for one in missing() if self._failed[one] == failed.get(one, 0) and self.has_work(one)]:
            tried = self._tried
            self.hurry(left)
            try:
                async with asyncio.timeout(max(0.0, until - self.monotonic())):
                    await tried.wait()
            except TimeoutError:
                return

    async def finish(self, deadline_s: float, again: Callable[[], Awaitable[str]]) -> None:
        """Do what is queued without pauses; `again` sees to what that gave rise to, and names a target that waited for it.

        Then wake no more.
        """
        self.closing.set()
        self._called = _signalled(self._called)
        until = self.monotonic() + deadline_s
        for _ in range(ROUNDS):
            if self._tasks:
                await asyncio.wait(set(self._tasks.values()), timeout=max(0.0, until - self.monotonic()))
            if target := await again():
                self.wake(target)
        for task in list(self._tasks.values()):
            logger.warning("still writing: %s", ", ".join(self._tasks))
            await asyncio.wait({task}, timeout=HUNG_S)
        self._finished = True  # what comes now is in the log, for the next start

    async def _run(self, target: str) -> None:
        tries = 0
        try:
            while self.has_work(target):
                await self._pause(target)
                tries = 0 if await self._try(target) else tries + 1
                if tries and self.closing.is_set():
                    return
                if tries and target not in self._hurried:
                    await self._called_within(min(RETRY_S * tries, RETRY_MOST_S))
        finally:
            self._tasks.pop(target, None)
            self._hurried.discard(target)
            self._tried = _signalled(self._tried)

    async def _try(self, target: str) -> bool:
        """Write a target once, and tell whether that went well."""
        begun_s = self.monotonic()
        try:
            await self.write(target)
            self.trouble.pop(target, None)
        except HeldError as error:
            self.trouble[target] = f"held: {error}"
        except (MemdError, OSError) as error:
            logger.warning("cannot write %s yet: %s", target, error)
            self.trouble[target] = str(error)
        except Exception as error:
            logger.exception("writing %s failed", target)
            self.trouble[target] = f"internal error: {type(error).__name__}"
        now_s = self.monotonic()
        self._next_s[target] = now_s + min(PACE_MOST_S, max(PACE_S, PACE_COST * (now_s - begun_s)))
        self._hurried.discard(target)
        self._failed[target] += target in self.trouble
        self._tried = _signalled(self._tried)
        await self.advance()
        return target not in self.trouble

    async def _pause(self, target: str) -> None:
        gathered_s = self.monotonic() + GATHER_S
        while not self.is_hurried(target):
            until_s = max(gathered_s, self.due_s(target), self._next_s.get(target, 0.0))
            wait_s = until_s - self.monotonic()
            if wait_s <= 0:
                return
            await self._called_within(min(wait_s, LOOK_S))

    async def _called_within(self, seconds: float) -> None:
        """Wait so long, or until somebody is in a hurry."""
        if not self.closing.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._called.wait()


def _signalled(event: asyncio.Event) -> asyncio.Event:
    """Wake all who wait for an event, and return another for those who will."""
    event.set()
    return asyncio.Event()
