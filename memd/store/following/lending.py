"""Lend the index out for reading: opened when somebody asks, kept while anybody reads, let go when nobody asks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.errors import BadIndexError
from memd.storage.files import Tree
from memd.storage.index import Reader, open_reader

if TYPE_CHECKING:
    from memd.formats.derived import Manifest

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
