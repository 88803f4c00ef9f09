"""Builds of the full-text index, each in a child process; when one is due, and the index lent out for reading."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.errors import BadIndexError, InternalError, MemdError
from memd.storage.files import Tree
from memd.storage.index import Reader, open_reader
from memd.storage.processes import Child

if TYPE_CHECKING:
    from memd.formats.derived import Manifest

BUILT = "built"  # begins a line in which a build tells how far it is: done, of all, step


@dataclass(slots=True)
class Builds:
    """Of one workspace. `last` is what the last build came to, `under_way` how far the present one is."""

    path: str
    cache_dir: str
    last: dict[str, Any] = field(default_factory=dict)
    under_way: dict[str, Any] = field(default_factory=dict)
    _child: Child = field(default_factory=Child)
    _waiting: list[asyncio.Future[dict[str, Any]]] = field(default_factory=list)

    async def build(self, names: list[str] | None, *, fresh: bool) -> None:
        """Have these files brought up, all of them where None; `fresh`: from nothing."""
        self.last = json.loads(await asyncio.to_thread(self._run, names, fresh))

    def wait(self) -> asyncio.Future[dict[str, Any]]:
        """Return what ends with the result of the next build to begin."""
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        return waiting

    def take_waiting(self) -> list[asyncio.Future[dict[str, Any]]]:
        """Return who waits for the build that begins now."""
        taken, self._waiting = self._waiting, []
        return taken

    def tell(self, waiting: list[asyncio.Future[dict[str, Any]]], error: Exception | None) -> None:
        """Tell those who wait what became of their build."""
        for one in waiting:
            if one.done():
                continue
            if error is None:
                one.set_result(dict(self.last))
            else:
                one.set_exception(error if isinstance(error, MemdError) else InternalError(str(error)))

    def stop(self) -> None:
        """Build no more."""
        self.tell(self.take_waiting(), InternalError("the daemon is stopping"))
        self._child.stop()

    def _run(self, names: list[str] | None, fresh: bool) -> bytes:
        arguments = ["rebuild", "--here", "--json", "--workspace", self.path, "--cache", self.cache_dir]
        arguments += ["--fresh"] if fresh else [] if names is None else ["--changed"]
        try:
            return self._child.run([*arguments, "--tell"], json.dumps(names or []).encode(), self._hear)
        finally:
            self.under_way = {}

    def _hear(self, line: bytes) -> bool:
        """Take in how far a build is, and tell whether the line said so."""
        words = line.decode("utf-8", "replace").split()
        if len(words) != 4 or words[0] != BUILT or not (words[1].isdigit() and words[2].isdigit()):
            return False
        self.under_way = {"done": int(words[1]), "of": int(words[2]), "step": words[3]}
        return True


# When the index is brought up: when a batch of changes is whole, and not so often that building is all it does.

QUIET_S = 2.0  # no change for so long: the batch is whole,
BATCH_NAMES = 200  # or so many files have changed,
LONGEST_S = 15.0  # or the first of them so long ago
COST = 10.0  # and no build before this many times what the last one took
MOST_S = 60.0
RETRY_S = 30.0
NEVER_S = 3600.0


@dataclass(slots=True)
class Pace:
    """Times in monotonic seconds."""

    first_s: float = 0.0
    latest_s: float = 0.0
    not_before_s: float = 0.0

    def note(self, now_s: float, *, first: bool) -> None:
        """Hear of a change; `first` of a batch."""
        self.first_s = now_s if first else self.first_s
        self.latest_s = now_s

    def due_s(self, now_s: float, changed: int, *, at_once: bool) -> float:
        """Return how long to wait still; 0 or less where it is time."""
        if at_once:
            return self.not_before_s - now_s
        if not changed:
            return NEVER_S
        whole_s = now_s if changed >= BATCH_NAMES else self.latest_s + QUIET_S
        return max(min(whole_s, self.first_s + LONGEST_S), self.not_before_s) - now_s

    def missed(self, now_s: float) -> None:
        """There is no index that serves: build one once who waits for the start has been answered."""
        self.not_before_s = max(self.not_before_s, now_s + QUIET_S)

    def done(self, begun_s: float, now_s: float) -> None:
        """Rest after a build as its cost demands."""
        self.not_before_s = now_s + min(MOST_S, COST * (now_s - begun_s))

    def failed(self, now_s: float) -> None:
        """Try again later."""
        self.not_before_s = now_s + RETRY_S


# Lend the index out for reading: opened when somebody asks, kept while anybody reads, let go when nobody asks.

IDLE_S = 60.0  # the index stays open this long after the last question


@dataclass(slots=True)
class Lending:
    """Owned by the event loop."""

    cache_dir: str
    _reader: Reader | None = None
    _readers: dict[Reader, int] = field(default_factory=dict)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _idle: asyncio.TimerHandle | None = None

    async def reader(self, manifest: Manifest) -> Reader:
        """Return a reader of the index of this manifest, or raise BadIndexError."""
        async with self._opening:
            if self._idle:
                self._idle.cancel()
            if self._reader is None:
                self._reader = await asyncio.to_thread(_opened, self.cache_dir, manifest)
            self._idle = asyncio.get_running_loop().call_later(IDLE_S, self.forget)
            return self._reader

    def is_current(self, reader: Reader) -> bool:
        """Tell whether this is the reader that is lent now."""
        return reader is self._reader

    @contextmanager
    def lent(self, reader: Reader) -> Iterator[None]:
        """Keep a reader open while a thread reads from it, whatever takes its place meanwhile."""
        self._readers[reader] = self._readers.get(reader, 0) + 1
        try:
            yield
        finally:
            self._readers[reader] -= 1
            if not self._readers[reader]:
                del self._readers[reader]
                if reader is not self._reader:
                    reader.close()

    def forget(self) -> None:
        """Let go of the reader; who reads from it still does so to the end."""
        if self._idle:
            self._idle.cancel()
            self._idle = None
        reader, self._reader = self._reader, None
        if reader is not None and reader not in self._readers:
            reader.close()


def _opened(cache_dir: str, wanted: Manifest) -> Reader:
    cache = Tree(cache_dir)
    try:
        manifest, reader = open_reader(cache)
    finally:
        cache.close()
    if manifest.sums != wanted.sums:
        reader.close()
        raise BadIndexError("another index has taken its place")
    return reader
