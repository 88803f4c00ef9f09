"""Looking at texts beside the event loop: what is longer than LOOP_CHARS is looked at in a thread of its own.

One thread is enough, and the loop has only one to share the interpreter with. What works there never holds it for
long: patterns go through a text in slices (text/slices.py), and between two slices the loop has its turn.

Units
    *_CHARS are characters.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from memd.engine.keep.linear import Linear
from memd.engine.keep.scan.scan import scan
from memd.model.scan import Scanned

LOOP_CHARS = 4096  # a text of this length takes some 5 ms
KEPT, KEPT_CHARS = 10_000, 2_000_000  # texts of which it is known what they hold: how many, and how long in all

Result = TypeVar("Result")


@dataclass(slots=True)
class Looks:
    """What was seen in the texts looked at lately, and the thread in which long ones are looked at."""

    _known: OrderedDict[str, Scanned] = field(default_factory=OrderedDict)
    _chars: int = 0
    _thread: ThreadPoolExecutor | None = None

    def look(self, text: str, orders: Linear) -> Scanned:
        """Return what a text holds, at once; a text seen lately is not looked at again."""
        known = self._known.get(text)
        if known is None:
            known = scan(text, orders)
            self._keep(text, known)
        return known

    def known(self, text: str) -> Scanned | None:
        """Return what a text looked at lately holds, None for another."""
        return self._known.get(text)

    async def look_at_all(self, texts: Iterable[str], orders: Linear) -> None:
        """Look at texts, beside the loop where they are long together; `look` then knows what they hold."""
        wanted = [one for one in dict.fromkeys(texts) if one not in self._known]
        seen = await self.beside(sum(map(len, wanted)), _scan_all, wanted, orders)
        for text, found in zip(wanted, seen, strict=True):
            self._keep(text, found)

    async def look_ahead(self, texts: Iterable[str], orders: Linear) -> None:
        """Look, beside the loop, at those texts that are long; `look` then knows what they hold."""
        for text in dict.fromkeys(texts):
            if len(text) > LOOP_CHARS and text not in self._known:
                self._keep(text, await self.beside(len(text), scan, text, orders))

    async def beside(self, chars: int, work: Callable[..., Result], *given: object) -> Result:
        """Return `work(*given)`, done beside the loop where it goes through more than LOOP_CHARS characters.

        The work may not touch what the loop changes.
        """
        if chars <= LOOP_CHARS:
            return work(*given)
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "look")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *given)

    def _keep(self, text: str, seen: Scanned) -> None:
        if text in self._known:
            return
        self._known[text] = seen
        self._chars += len(text)
        while len(self._known) > KEPT or (self._chars > KEPT_CHARS and len(self._known) > 1):
            gone, _ = self._known.popitem(last=False)
            self._chars -= len(gone)


def _scan_all(texts: list[str], orders: Linear) -> list[Scanned]:
    return [scan(one, orders) for one in texts]
