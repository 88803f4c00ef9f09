"""The texts that memd writes as a whole, as they are known: what was said last, even before it is in its file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.errors import MemdError, StorageError
from memd.formats.documents import PAGE_BYTES
from memd.formats.texts import decoded
from memd.model.change import Operation, Put
from memd.store.writing.text_writer import SETTLE_S, STEP_S

if TYPE_CHECKING:
    from memd.storage.files import Tree


@dataclass(slots=True)
class Texts:
    """Owned by the event loop. What is held here is acknowledged or about to be, and not in its file yet."""

    held: dict[str, tuple[int, str | None]] = field(default_factory=dict)
    lines: dict[str, list[str]] = field(default_factory=dict)  # for who only reads: what the log has for each file
    erasing: set[tuple[str, str]] = field(default_factory=set)  # the same: role and id of what is to be erased
    _had_text: set[str] = field(default_factory=set)

    def read(self, tree: Tree, name: str) -> str | None:
        """Return a text, None where there is none. RejectedFileError where the file cannot be read as a text."""
        if name in self.held:
            return self.held[name][1]
        try:
            return decoded(name, tree.read(name, PAGE_BYTES)[0])
        except FileNotFoundError:
            return None
        except StorageError:
            if tree.identify(name) is None:
                return None
            raise

    async def settled(self, tree: Tree, name: str) -> str | None:
        """Return a text to make a change of, as `read` does: an editor in the middle of saving is waited for a moment."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + SETTLE_S
        while name not in self.held and not self._is_whole(tree, name) and loop.time() < until_s:  # noqa: ASYNC110
            await asyncio.sleep(STEP_S)  # nobody tells us when an editor is done
        return self.read(tree, name)

    def _is_whole(self, tree: Tree, name: str) -> bool:
        """Tell whether a file is not missing, empty or open just now, as one is that is being saved."""
        try:
            before, text = tree.identify(name), self.read(tree, name)
            if not (text or "").strip():
                return name not in self._had_text
            self._had_text.add(name)
            return not tree.open_elsewhere(name) and tree.identify(name) == before
        except (FileNotFoundError, MemdError):
            return False

    def hold(self, n: int, operations: Iterable[Operation]) -> Callable[[], None]:
        """Know the texts of a batch from now on; return what undoes it."""
        before: list[tuple[str, tuple[int, str | None] | None]] = []
        for one in operations:
            if isinstance(one, Put):
                before.append((one.name, self.held.get(one.name)))
                self.held[one.name] = (n, one.after)

        def undo() -> None:
            for name, known in reversed(before):
                if known is None:
                    self.held.pop(name, None)
                else:
                    self.held[name] = known

        return undo

    def settle(self, name: str, n: int) -> None:
        """Hear that a file has what was said of it up to a number."""
        if name in self.held and self.held[name][0] <= n:
            del self.held[name]

    def names(self, folder: str) -> list[str]:
        """Return the names below a folder that are held as texts that shall be there."""
        return [name for name, (_, text) in self.held.items() if name.startswith(f"{folder}/") and text is not None]
