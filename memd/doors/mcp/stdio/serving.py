"""Serving a client on standard input and output: a thread reads, and others ask the daemon beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from memd.doors.mcp.answers import Answers
from memd.doors.mcp.asking import Caller, Desk, InProject
from memd.doors.mcp.stdio.lines import Wire
from memd.doors.mcp.stdio.session import Session

AT_ONCE = 16  # requests that are carried out beside each other; the next line is read when one of them has ended
LAST_S = 5.0  # so long what was asked before the client closed its end is still answered


class Blocking(Caller, Protocol):
    """Whoever answers the methods of docs/protocol.md, and blocks meanwhile: its coroutines wait for no loop."""

    def happenings(self) -> Iterator[dict[str, Any]]:
        """Yield what changes, for ever; `anew` where something may have been missed before it."""
        ...

    def start(self) -> None:
        """Have somebody there who answers, where that is wanted."""
        ...


def serve(asker: Blocking, own_role: str, place: Mapping[str, str], reach: Callable[[str], Caller]) -> None:
    """Serve the client until it closes its end. `place`: what its directory says of itself; `reach`: the way elsewhere."""
    wire, beside = Wire(), Beside()
    desk = Desk(InProject(asker, place, reach) if place else asker, own_role, place)
    session = Session(Answers(desk), wire, beside.spawn)
    background(lambda: session.follow(asker.happenings))
    begun = False
    for frame in wire.frames():
        session.take(frame)
        if not begun:  # who asks comes first: the answer to initialize waits for nobody
            begun = True
            background(asker.start)
    beside.wait(LAST_S)


class Beside:
    """Work that is done beside the reading, so many at once."""

    def __init__(self) -> None:
        self._room = threading.BoundedSemaphore(AT_ONCE)

    def spawn(self, work: Callable[[], None]) -> None:
        """Begin a piece of work; wait while there are too many."""
        self._room.acquire()
        background(lambda: self._done(work))

    def wait(self, seconds: float) -> None:
        """Wait so long at most until all is done."""
        until_s = time.monotonic() + seconds
        for _ in range(AT_ONCE):
            self._room.acquire(timeout=max(0.0, until_s - time.monotonic()))

    def _done(self, work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            self._room.release()


def background(work: Callable[[], object]) -> None:
    """Do something in a thread that ends with the process at the latest."""
    threading.Thread(target=work, daemon=True).start()
