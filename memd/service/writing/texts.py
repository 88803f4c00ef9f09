"""The texts that memd writes as a whole, as they are known: what was said last, even before it is in its file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from memd.errors import StorageError
from memd.formats.documents import PAGE_BYTES, decoded
from memd.model.change import Operation, Put
from memd.storage.files import Tree


@dataclass(slots=True)
class Texts:
    """Owned by the event loop. What is held here is acknowledged or about to be, and not in its file yet."""

    held: dict[str, tuple[int, str | None]] = field(default_factory=dict)
    lines: dict[str, list[str]] = field(default_factory=dict)  # for who only reads: what the log has for each file
    erasing: set[tuple[str, str]] = field(default_factory=set)  # the same: role and id of what is to be erased

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
