"""The process that embeds, seen from memd's own: started when it is needed, asked with a deadline, killed when it hangs.

Whatever becomes of it (killed, an instruction the processor does not know, other weights, no answer), what was asked ends
with EmbeddingsError and `why` says it; after a pause that doubles it is started again by whoever asks next.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar

from memd.errors import EmbeddingsError
from memd.storage.embedding.wire import (
    LATE,
    LENGTH_BYTES,
    Begin,
    Failed,
    Heard,
    Message,
    Ready,
    Refused,
    frame,
    heard_of,
    length_of,
)
from memd.storage.itself import own_modules

logger = logging.getLogger(__name__)

CHILD = "memd.storage.embedding.child"
PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
WELL_S = 60.0  # after so long in good health the pause is the first again
HANG_S = 10.0  # whoever says nothing for so long to what was asked is not there any more
LOADING_S = 60.0
END_S = 3.0  # to put its vectors on the disk
UNSENT_BYTES = 32 * 1024 * 1024
# One thread each: two processors belong to whoever works at this machine. The arenas of malloc would only grow.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MALLOC_ARENA_MAX"), "1")

Reply = TypeVar("Reply", bound=Message)


@dataclass(slots=True)
class Lives:
    """How often it lived, how often again after a failure, and when it may live again."""

    starts: int = 0
    restarts: int = 0
    pause_s: float = PAUSE_S
    again_s: float = float("-inf")
    _failed: bool = False
    _since_s: float = 0.0

    def begin(self, now_s: float) -> None:
        """Count a start."""
        self.starts += 1
        self.restarts += self._failed
        self._since_s = now_s

    def end(self, now_s: float, *, failed: bool) -> None:
        """Set the pause before the next start, where it did not end as it was asked to."""
        self._failed = failed
        if not failed or now_s - self._since_s > WELL_S:
            self.pause_s = PAUSE_S
        self.again_s = now_s + self.pause_s if failed else now_s
        self.pause_s = min(LONGEST_PAUSE_S, self.pause_s * 2) if failed else PAUSE_S


@dataclass(slots=True)
class Child:
    """At most one process at a time. Owned by one event loop; `heard` gets what nobody asked for, None at its end."""

    begin: Begin
    heard: Callable[[Heard | None], None] = lambda _: None
    hang_s: float = HANG_S
    why: str = ""
    lives: Lives = field(default_factory=Lives)
    ready: Ready | None = None
    _process: Process | None = None
    _living: asyncio.Task[None] | None = None
    _waiting: dict[int, asyncio.Future[Heard]] = field(default_factory=dict)
    _owed: dict[int, float] = field(
        default_factory=dict
    )  # since when an answer is owed, also where nobody waits any more
    _heard_s: float = 0.0
    _let_go: bool = False
    _numbers: count[int] = field(default_factory=lambda: count(1))

    @property
    def state(self) -> str:
        """One of: off, starting, ready, failed."""
        if self.ready is not None:
            return "ready"
        if self._living is not None:
            return "starting"
        return "failed" if self.why else "off"

    @property
    def pid(self) -> int | None:
        """The process's number, None where there is none."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start it where it does not live and its pause is over; does not wait."""
        if self._living is None and time.monotonic() >= self.lives.again_s:
            self.lives.begin(time.monotonic())
            self._waiting[0] = asyncio.get_running_loop().create_future()
            self._living = asyncio.create_task(self._live())

    async def until_ready(self, wait_s: float) -> Ready:
        """Return what is loaded, or raise EmbeddingsError; starts it where it must."""
        self.start()
        if self.ready is not None:
            return self.ready
        if self._living is None:
            raise EmbeddingsError(self.why)
        return await self._within(self._waiting[0], wait_s, Ready, "the model is being loaded")

    async def ask(self, make: Callable[[int], Message], kind: type[Reply], wait_s: float) -> Reply:
        """Return the answer to what `make` says with a number, or raise EmbeddingsError."""
        if self.ready is None:
            raise EmbeddingsError(self.why or "the model is not loaded")
        n = next(self._numbers)
        self.tell(make(n))
        self._owed[n] = time.monotonic()
        self._waiting[n] = asyncio.get_running_loop().create_future()
        try:
            return await self._within(self._waiting[n], wait_s, kind, LATE)
        finally:
            self._waiting.pop(n, None)

    def tell(self, message: Message) -> None:
        """Say something; EmbeddingsError where nobody can hear it."""
        if self._process is None or self._process.stdin is None or self._process.stdin.is_closing():
            raise EmbeddingsError(self.why or "the model is not loaded")
        if self._process.stdin.transport.get_write_buffer_size() > UNSENT_BYTES:
            raise EmbeddingsError("the model does not listen")
        self._process.stdin.write(frame(message))

    async def stop(self) -> None:
        """Let it put its vectors on the disk and end; it may be started again at once."""
        living = self._living
        if living is None:
            return
        self._let_go = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            await asyncio.wait([living], timeout=END_S)
        if not living.done():
            living.cancel()
            await asyncio.wait([living])

    async def _within(self, future: asyncio.Future[Heard], wait_s: float, kind: type[Reply], late: str) -> Reply:
        try:
            async with asyncio.timeout(wait_s):
                answer = await asyncio.shield(future)
        except TimeoutError:
            raise EmbeddingsError(late) from None
        if isinstance(answer, Refused | Failed):
            raise EmbeddingsError(answer.why)
        if not isinstance(answer, kind):
            raise EmbeddingsError("the model answered something else")
        return answer

    async def _live(self) -> None:
        self._let_go, self._heard_s, self._owed = False, time.monotonic(), {0: time.monotonic()}
        why = ""
        watching: asyncio.Task[None] | None = None
        try:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", CHILD,
                stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd="/",
                env={**os.environ, **ONE_THREAD, "PYTHONPATH": own_modules(os.environ.get("PYTHONPATH", ""))},
            )  # fmt: skip
            self.tell(self.begin)
            watching = asyncio.create_task(self._watch(self._process))
            await self._listen(self._process)
        except (EmbeddingsError, OSError) as error:
            why = str(error)
        finally:
            if watching is not None:
                watching.cancel()
            await asyncio.shield(self._bury(why))

    async def _listen(self, process: Process) -> None:
        """Hear until the pipe ends; EmbeddingsError where what comes is no answer."""
        assert process.stdout is not None  # noqa: S101  it was asked for
        while True:
            try:
                body = await process.stdout.readexactly(length_of(await process.stdout.readexactly(LENGTH_BYTES)))
            except asyncio.IncompleteReadError:
                return
            self._heard_s = time.monotonic()
            self._take(heard_of(body))

    def _take(self, message: Heard) -> None:
        if isinstance(message, Failed):
            raise EmbeddingsError(message.why)
        if isinstance(message, Ready):
            self.ready, self.why = message, ""
        n = 0 if isinstance(message, Ready) else getattr(message, "n", None)
        if n is None:
            self.heard(message)
            return
        self._owed.pop(n, None)
        future = self._waiting.get(n)
        if future is not None and not future.done():
            future.set_result(message)
        if n == 0:
            self._waiting.pop(0, None)
            self.heard(message)

    async def _watch(self, process: Process) -> None:
        """Kill it when it owes an answer and says nothing for too long."""
        while True:
            await asyncio.sleep(self.hang_s / 4)
            longest_s = LOADING_S if self.ready is None else self.hang_s
            since_s = max(self._heard_s, min(self._owed.values(), default=float("inf")))
            if time.monotonic() - since_s > longest_s:
                self.why = f"it said nothing for {longest_s:g} s"
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                return

    async def _bury(self, why: str) -> None:
        """Wait for its end, tell whoever waits, and let nothing of it stay."""
        process, self._process = self._process, None
        if process is not None:
            status = await _ended(process, 0.0 if why else END_S)
            why = why or self.why or ("" if self._let_go else _told(status))
        self.ready, self._living, self.why = None, None, why
        self.lives.end(time.monotonic(), failed=bool(why))
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_result(Failed(why or "the model was let go"))
        if why:
            logger.warning("embeddings: %s", why)
        self.heard(None)


async def _ended(process: Process, wait_s: float) -> int:
    """Return the status of a process that ends, or is killed when it does not."""
    try:
        async with asyncio.timeout(wait_s):
            return await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        return await process.wait()


def _told(status: int) -> str:
    """Say how a process ended that nobody asked to."""
    if status >= 0:
        return f"the process that embeds ended with status {status}"
    try:
        return f"the process that embeds was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"the process that embeds was ended by signal {-status}"
