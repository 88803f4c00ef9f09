"""Targets that are written at a pace: each has at most one task, which goes on while there is work.

A burst is gathered into one write; what fails is tried again, ever more seldom, and told in `trouble`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
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


class HeldError(Exception):
    """A file is not to be written now: a person broke it and it stays as it is, or git is at work."""

    def __init__(self, why: object) -> None:
        super().__init__(str(why))


@dataclass(slots=True)
class Targets:
    """Owned by the event loop. `write` does the work of a target, `advance` hears after every try."""

    monotonic: Callable[[], float]
    has_work: Callable[[str], bool]
    write: Callable[[str], Awaitable[None]]
    advance: Callable[[], Awaitable[None]]
    trouble: dict[str, str] = field(default_factory=dict)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    _finished: bool = False
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _next_s: dict[str, float] = field(default_factory=dict)

    def wake(self, target: str) -> None:
        """See to a target soon."""
        if not self._finished and target not in self._tasks:
            self._tasks[target] = asyncio.get_running_loop().create_task(self._run(target))

    async def finish(self, deadline_s: float, again: Callable[[], str]) -> None:
        """Do what is queued without pauses; `again` names a target that waited for the others. Then wake no more."""
        self.closing.set()
        until = self.monotonic() + deadline_s
        for _ in range(2):
            if self._tasks:
                await asyncio.wait(set(self._tasks.values()), timeout=max(0.0, until - self.monotonic()))
            if target := again():
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
                begun_s = self.monotonic()
                try:
                    await self.write(target)
                    self.trouble.pop(target, None)
                    tries = 0
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
                await self.advance()
                if target in self.trouble:
                    tries += 1
                    if self.closing.is_set():
                        return
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(min(RETRY_S * tries, RETRY_MOST_S)):
                            await self.closing.wait()
        finally:
            self._tasks.pop(target, None)

    async def _pause(self, target: str) -> None:
        wait_s = max(GATHER_S, self._next_s.get(target, 0.0) - self.monotonic())
        if not self.closing.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self.closing.wait()
