"""What memd itself appends to sessions, taken into the library as it is written: nobody need read the file for it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.formats.documents import session_documents
from memd.model.files import Purpose, purpose_of

if TYPE_CHECKING:
    from memd.store.reading.library import Library
    from memd.store.store import Store
    from memd.store.writing.lines import Appended


@dataclass(slots=True)
class OwnLines:
    """Owned by the event loop. `note` hears which files have changed, `look` which are to be read after all."""

    library: Library
    note: Callable[[Iterable[str]], None]
    look: Callable[[str], None]
    store: Store
    _queue: deque[tuple[str, Appended]] = field(default_factory=deque)
    _task: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        if self.store.writer.applier:
            self.store.writer.applier.on_lines.append(self.hear)

    def explains(self, name: str) -> bool:
        """Tell whether a session has changed by nothing but what memd appends."""
        if purpose_of(name) is not Purpose.SESSION:
            return False
        applier = self.store.writer.applier
        if any(one == name for one, _ in self._queue) or (applier and name in applier.being_appended):
            return True
        same = self.library.is_known(name, self.store.tree.identify(name))
        if same:
            self.library.unread.discard(name)
        return same

    def hear(self, name: str, appended: Appended) -> None:
        """Hear that lines were appended to a file."""
        if purpose_of(name) is Purpose.SESSION and appended.text:
            self._queue.append((name, appended))
            if self._task is None or self._task.done():
                self._task = asyncio.get_running_loop().create_task(self._take())

    async def _take(self) -> None:
        while self._queue:
            name, appended = self._queue[0]
            held = self.library.held.get(name)
            first = held.growth.lines if held and held.growth else 0
            data = appended.text.encode("utf-8", "surrogatepass")
            if (
                appended.is_whole
                and (held.identity if held else None) == appended.before
                and not (held and held.rejected)
            ):
                found = await asyncio.to_thread(session_documents, name, data, first + 1)
                now = self.library.held.get(name)
                if now is held and (held is None or held.identity == appended.before) and appended.after is not None:
                    self.library.grow(name, appended.after, data.count(b"\n"), found)
                    self.note([name])
                    self.store.happenings.files([name])
                    self._queue.popleft()
                    continue
            self._queue.popleft()
            self.look(name)
