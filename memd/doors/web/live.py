"""What windows of the page are told while they are open: a line for each change, an empty one where nothing changes for a while."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memd.doors.web.rendering import Asker

TOPICS = ("memory", "curated", "file", "role", "settings", "recalls", "verdicts")
LIVE = 16  # windows that may be told of changes at a time
REST_S = 15.0  # so long after the last change a line says that the server is still there
MOST_HEARD = 500  # changes that wait for a window to take them


class Live:
    """The windows that are told of changes: what each has still to hear, None where nothing more comes."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self._windows: set[asyncio.Queue[object]] = set()

    @property
    def is_full(self) -> bool:
        """Tell whether no other window can be told."""
        return len(self._windows) >= LIVE

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield the lines of one window."""
        heard: asyncio.Queue[object] = asyncio.Queue(MOST_HEARD)
        self._windows.add(heard)
        task = asyncio.create_task(_hear(self.asker, heard))
        try:
            while True:
                try:
                    async with asyncio.timeout(REST_S):
                        if (told := await heard.get()) is None:
                            return
                    yield json.dumps(told, ensure_ascii=False).encode() + b"\n"
                except TimeoutError:
                    yield b"\n"
        finally:
            self._windows.discard(heard)
            task.cancel()

    def let_go(self) -> None:
        """Tell every window that nothing more comes."""
        for heard in self._windows:
            while heard.full():
                heard.get_nowait()
            heard.put_nowait(None)


async def _hear(asker: Asker, heard: asyncio.Queue[object]) -> None:
    async for happening in asker.events(TOPICS):
        if heard.full():  # a window that is asleep: when it wakes it takes everything as changed
            while not heard.empty():
                heard.get_nowait()
            heard.put_nowait({"topic": "subscribed", "anew": True})
        heard.put_nowait(happening)
