"""Looking at texts beside the event loop: what is longer than LOOP_CHARS is looked at in a thread of its own.

One thread is enough, and the loop has only one to share the interpreter with. What works there never holds it for
long: patterns go through a text in slices (text/slices.py), and between two slices the loop has its turn.

Units
    *_CHARS are characters.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from memd.engine.keep.scan.scan import scan

if TYPE_CHECKING:
    from memd.engine.linear import Linear
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

    async def look_at(self, texts: Iterable[str], orders: Linear) -> dict[str, Scanned]:
        """Return what each of some texts holds; beside the loop where what is not known yet is long."""
        seen: dict[str, Scanned] = {}
        unknown: list[str] = []
        for text in dict.fromkeys(texts):
            known = self._known.get(text)
            if known is None:
                unknown.append(text)
            else:
                seen[text] = known
        found = await self.beside(unknown, _all, unknown, orders)
        for text in unknown:
            seen[text] = found[text]
            self._keep(text, found[text])
        return seen

    async def beside(self, measured: Any, work: Callable[..., Result], *given: Any) -> Result:
        """Return `work(*given)`, done beside the loop where the texts in `measured` are long.

        The work may not touch what the loop changes.
        """
        if not self.is_long(measured):
            return work(*given)
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "look")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *given)

    @staticmethod
    def is_long(value: Any) -> bool:
        """Tell whether the texts in a value come to more than LOOP_CHARS characters; no more is counted than that."""
        room, waiting = LOOP_CHARS, [value]
        while waiting and room >= 0:
            one = waiting.pop()
            if isinstance(one, str):
                room -= len(one)
            elif isinstance(one, Mapping):
                room -= len(one)
                waiting += [*one, *one.values()] if room >= 0 else ()
            elif isinstance(one, (list, tuple)):
                room -= len(one)
                waiting += one if room >= 0 else ()
        return room < 0

    def _keep(self, text: str, seen: Scanned) -> None:
        if text in self._known:
            return
        self._known[text] = seen
        self._chars += len(text)
        while len(self._known) > KEPT or (self._chars > KEPT_CHARS and len(self._known) > 1):
            gone, _ = self._known.popitem(last=False)
            self._chars -= len(gone)


def _all(texts: list[str], orders: Linear) -> dict[str, Scanned]:
    return {text: scan(text, orders) for text in texts}
