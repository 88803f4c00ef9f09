"""A role in memory: what its file holds, what was acknowledged since, and the indexes over both.

While nobody asks for it a role may be closed: what its file holds and the indexes are not in memory then, only figures. Its
name, profile and marks stay, and whoever asks for the rest gets it: a closed role opens, it never answers as an empty one.

Owned by the event loop. `turn` orders the requests to a role; `file_lock` guards its file, and is taken inside a turn
or without one, never the other way round.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from memd.engine.keep.conflict import Fingerprints
from memd.engine.merge import equal
from memd.engine.recall.activate import Gathered, gather
from memd.engine.recall.compiled import Compiled
from memd.formats.derived import Figures, figures_of
from memd.formats.entry import to_memory
from memd.store.role.parts import Marks, MemoryFile, OwnProfile, Saves, Unsaved
from memd.store.role.shelf import Shelf

if TYPE_CHECKING:
    from memd.formats.role_memory import Element
    from memd.model.change import Change
    from memd.model.memory import Kind, Memory
    from memd.model.scene import Scene
    from memd.model.settings import TriggerSettings
    from memd.store.role.happenings import Happenings


@dataclass(slots=True)
class Indexes:
    """What a role serves: its memories compiled, their prints, and the pieces of the file they were read from."""

    compiled: Compiled = field(default_factory=Compiled)
    prints: Fingerprints = field(default_factory=Fingerprints)
    elements: dict[str, Element] = field(default_factory=dict)


@dataclass(slots=True)
class Role:
    """One role: `own` is its role.toml, `file` its memory.json as it was last read or written, the indexes what it serves.

    `used_s` is when it was last asked for, monotonic; `passed_s` the time that was when it was closed; `counted` its figures
    when they were last asked for, and of what state they are.
    """

    name: str
    own: OwnProfile = field(default_factory=OwnProfile)
    file: MemoryFile = field(default_factory=MemoryFile)
    indexes: Indexes | None = field(default_factory=Indexes)
    unsaved: Unsaved = field(default_factory=Unsaved)
    saves: Saves = field(default_factory=Saves)
    marks: Marks = field(default_factory=Marks)
    shelf: Shelf = field(default_factory=Shelf)
    happenings: Happenings | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    file_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    used_s: float = 0.0
    passed_s: float = -inf
    counted: tuple[tuple[int, int, int, str], Figures] | None = None

    @property
    def compiled(self) -> Compiled:
        """The memories and their indexes; opens a closed role, which blocks."""
        return self._opened().compiled

    @property
    def prints(self) -> Fingerprints:
        """By which a text is known again; opens a closed role, which blocks."""
        return self._opened().prints

    @property
    def elements(self) -> dict[str, Element]:
        """The pieces of the file by id; opens a closed role, which blocks."""
        return self._opened().elements

    @property
    def is_open(self) -> bool:
        """Whether what it serves is in memory."""
        return self.indexes is not None

    @property
    def figures(self) -> Figures:
        """How much it holds, and its characterUuid; of a closed one as its file was at the last look."""
        if self.indexes is None:
            return self.file.figures
        state = id(self.indexes), self.marks.changes, self.marks.rebuilds, self.file.character_uuid
        if self.counted is None or self.counted[0] != state:
            self.counted = state, figures_of(self.indexes.compiled.memories.values(), self.file.character_uuid)
        return self.counted[1]

    @property
    def count(self) -> int:
        """How many memories it holds."""
        return self.file.figures.memories if self.indexes is None else len(self.indexes.compiled.memories)

    def close(self) -> None:
        """Let go of all that its files can give again; only where nobody is at it and the file has all of it."""
        self.file.figures, self.passed_s = self.figures, self.compiled.succession.now_s
        self.indexes, self.file.held, self.counted = None, None, None
        self.shelf = Shelf(changes=self.shelf.changes + 1)

    def can_close(self) -> bool:
        """Tell whether its files have all that it serves: not where a last good state serves for a broken file."""
        unclear = self.file.rejected or self.file.incoming or self.file.missing_since_s is not None or self.file.racy
        busy = self.is_busy() or self.file_lock.locked() or self.saves.stale
        return self.is_open and not busy and not unclear and self.file.loaded and not self.shelf.faults()

    def is_busy(self) -> bool:
        """Tell whether a request is at it, or something is still to be done to its file."""
        return self.turn.locked() or bool(
            self.unsaved.overlay or self.unsaved.pending or self.saves.recent or self.saves.parked
        )

    def gathered(
        self, scene: Scene, settings: TriggerSettings, compiled: Compiled | None = None, **known: Any
    ) -> Gathered:
        """Return what speaks for its memories, or for those of then, in a scene; `known` is what the caller knows of both, as `gather` has it."""
        return gather(compiled or self.compiled, self.name, scene, settings, **known)

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

    @contextmanager
    def as_if(self, others: Mapping[str, Memory | None]) -> Iterator[None]:
        """Let memories be others, or None not there, meanwhile: nobody is told, nothing may be taken, and nothing may wait."""
        compiled = self.compiled
        order = list(compiled.memories)
        before = {one: compiled.memories[one] for one in others if one in compiled.memories}
        try:
            for one, memory in others.items():
                self._lay(one, memory)
            yield
        finally:
            for one in others:
                self._lay(one, before.get(one))
            memories = dict(compiled.memories)
            compiled.memories.clear()
            compiled.memories.update((one, memories[one]) for one in order)

    def _lay(self, memory_id: str, memory: Memory | None) -> None:
        if memory is None:
            changed = self.compiled.drop(memory_id)
            self.prints.drop(memory_id)
        else:
            changed = [memory_id, *self.compiled.put(memory.as_written())]
        for one in changed:
            self.prints.put(one, self.compiled.memories[one].text)

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

    def _opened(self) -> Indexes:
        if self.indexes is None:
            self.file.open()
        if self.indexes is None:
            raise RuntimeError(f"role {self.name!r} is closed, and cannot be opened")
        return self.indexes

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
