"""A role in memory: what its file holds, what was acknowledged since, and the indexes over both.

Owned by the event loop. `turn` orders the requests to a role; `file_lock` guards its file, and is taken inside a turn
or without one, never the other way round.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from memd.engine.keep.conflict import Fingerprints
from memd.engine.merge import equal
from memd.engine.recall.compiled import Compiled
from memd.formats.entry import to_memory
from memd.store.role.parts import Marks, MemoryFile, OwnProfile, Saves, Unsaved
from memd.store.role.shelf import Shelf

if TYPE_CHECKING:
    from memd.formats.role_memory import Element
    from memd.model.change import Change
    from memd.model.memory import Kind, Memory
    from memd.store.role.happenings import Happenings


@dataclass(slots=True)
class Role:
    """One role: `own` is its role.toml, `file` its memory.json as it was last read or written, the indexes what it serves."""

    name: str
    own: OwnProfile = field(default_factory=OwnProfile)
    file: MemoryFile = field(default_factory=MemoryFile)
    compiled: Compiled = field(default_factory=Compiled)
    prints: Fingerprints = field(default_factory=Fingerprints)
    elements: dict[str, Element] = field(default_factory=dict)
    unsaved: Unsaved = field(default_factory=Unsaved)
    saves: Saves = field(default_factory=Saves)
    marks: Marks = field(default_factory=Marks)
    shelf: Shelf = field(default_factory=Shelf)
    happenings: Happenings | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    file_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def is_busy(self) -> bool:
        """Tell whether a request is at it, or something is still to be done to its file."""
        return self.turn.locked() or bool(
            self.unsaved.overlay or self.unsaved.pending or self.saves.recent or self.saves.parked
        )

    def raw(self, kind: Kind, memory_id: str) -> dict[str, Any] | None:
        """Return a record as it is now, acknowledged changes included."""
        if (kind, memory_id) in self.unsaved.overlay:
            return self.unsaved.overlay[kind, memory_id][1]
        element = self.file.document.find(frozenset({(kind, memory_id)})).get((kind, memory_id))
        return element.value() if element else None

    def standing(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """Return every record as it is now, by id, each to be read when it is wanted: for many at once, in a thread."""
        found: dict[str, Callable[[], dict[str, Any]]] = {}
        for memory in self.compiled.memories.values():
            _, waiting = self.unsaved.overlay.get((memory.kind, memory.id), (0, None))
            element = self.elements.get(memory.id)
            if waiting is not None:
                found[memory.id] = partial(dict, waiting)
            elif element is not None:
                found[memory.id] = element.value
        return found

    def put_memory(self, memory: Memory, weights: dict[str, float] | None = None) -> None:
        """Hold a memory in every index."""
        self._touch(memory.id)
        others = self.compiled.put(memory, weights)
        self._stand_otherwise([memory.id, *others])

    def drop_memory(self, memory_id: str) -> None:
        """Drop a memory from every index."""
        self._touch(memory_id)
        others = self.compiled.drop(memory_id)
        self.prints.drop(memory_id)
        self._stand_otherwise(others)

    def pass_time(self, now_s: float) -> None:
        """Let what took the place of others until a time end with it."""
        self._stand_otherwise(self.compiled.pass_time(now_s))

    def take(self, change: Change, n: int) -> None:
        """Make a change true in memory; `n` is its number in the log."""
        memory = None if change.after is None else to_memory(change.after, change.kind, change.id)
        self.unsaved.lay(change, n)
        if memory is None:
            self.drop_memory(change.id)
        else:
            self.put_memory(memory)

    def give_back(self, change: Change) -> None:
        """Undo a change that could not be acknowledged."""
        self.unsaved.count(change, -1)
        self.take(change.reversed(), 0)
        self.unsaved.lift(change)

    def settle(self, last: int) -> None:
        """Forget what the file has now: every change up to a number of the log."""
        laid = self.unsaved.settle(last)
        standing = self.file.document.find(frozenset(laid))
        for key, wanted in laid.items():
            element = standing.get(key)
            if element is not None and equal(element.value(), wanted):
                self.elements[key[1]] = element
            elif element is None and wanted is None:
                self.elements.pop(key[1], None)
            # Otherwise a person had a part in it: the indexes learn of it when the file is adopted.

    def _touch(self, memory_id: str) -> None:
        """Note that a memory is other than it was."""
        self.marks.touch(memory_id)
        if self.happenings:
            self.happenings.memory(self.name, memory_id)

    def _stand_otherwise(self, ids: Iterable[str]) -> None:
        """Note that memories stand otherwise: what the full-text index has of them is what is written, and stays so."""
        for one in ids:
            self.marks.changes += 1
            self.prints.put(one, self.compiled.memories[one].text)
            if self.happenings:
                self.happenings.memory(self.name, one)
