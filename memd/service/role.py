"""A role in memory: what its file holds, what was acknowledged since, and the indexes over both.

Owned by the event loop. `turn` orders the requests to a role; `file_lock` guards its file, and is taken inside a turn
or without one, never the other way round.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from memd.engine.keep.conflict import Fingerprints
from memd.engine.merge import equal
from memd.engine.recall.compiled import Compiled
from memd.errors import Fault
from memd.formats.entry import to_memory
from memd.formats.role_memory import Document, Element, character_uuid, new_document
from memd.formats.role_reader import Parsed
from memd.formats.strict_json import dumps
from memd.model.change import Change
from memd.model.memory import Kind, Memory
from memd.model.role import Profile
from memd.model.settings import Settings
from memd.service.happenings import Happenings
from memd.service.memory.shelf import Shelf
from memd.storage.files import Identity


@dataclass(frozen=True, slots=True)
class Parked:
    """A file that was exchanged out: its temporary name, what it held, and since when (monotonic seconds)."""

    temporary: str
    document: Document
    since_s: float


@dataclass(slots=True)
class Role:
    """One role. `document` is what we last knew the file to hold.

    `beside` are the other files of its directory with their bytes, the largest first. `touched` are the ids of memories that the full-text index may not have as they are, None where that is not known;
    `fresh` are those touched while it is being found out.
    """

    name: str
    profile: Profile = field(default_factory=Profile)
    profile_faults: tuple[Fault, ...] = ()
    profile_identity: Identity | None = None
    document: Document = field(default_factory=lambda: new_document(""))
    identity: Identity | None = None
    racy: bool = False
    loaded: bool = False
    rejected: Fault | None = None
    faults: tuple[Fault, ...] = ()
    incoming: Parsed | None = None
    missing_since_s: float | None = None
    effective: tuple[Settings, Profile, Settings] | None = None
    compiled: Compiled = field(default_factory=Compiled)
    prints: Fingerprints = field(default_factory=Fingerprints)
    elements: dict[str, Element] = field(default_factory=dict)
    overlay: dict[tuple[Kind, str], tuple[int, dict[str, Any] | None]] = field(default_factory=dict)
    pending: list[tuple[int, Change]] = field(default_factory=list)
    recent: deque[tuple[float, Change]] = field(default_factory=deque)
    parked: list[Parked] = field(default_factory=list)
    stale: bool = False
    changes: int = 0
    touched: set[str] | None = None
    fresh: set[str] = field(default_factory=set)
    rebuilds: int = 0
    shelf: Shelf = field(default_factory=Shelf)
    happenings: Happenings | None = None
    bytes: int = 0
    beside: tuple[tuple[str, int], ...] = ()
    waiting_bytes: int = 0
    known_uuid: tuple[object, str] | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    file_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def extra_bytes(self) -> int:
        """How many bytes its directory has beside memory.json."""
        return sum(size for _, size in self.beside)

    @property
    def character_uuid(self) -> str:
        """The characterUuid that its memory.json has, "" where it has none."""
        literals = self.document.literals
        if self.known_uuid is None or self.known_uuid[0] is not literals:
            self.known_uuid = literals, character_uuid(self.document)
        return self.known_uuid[1]

    def is_busy(self) -> bool:
        """Tell whether a request is at it, or something is still to be done to its file."""
        return self.turn.locked() or bool(self.overlay or self.pending or self.recent or self.parked)

    def raw(self, kind: Kind, memory_id: str) -> dict[str, Any] | None:
        """Return a record as it is now, acknowledged changes included."""
        if (kind, memory_id) in self.overlay:
            return self.overlay[kind, memory_id][1]
        element = self.document.find(frozenset({(kind, memory_id)})).get((kind, memory_id))
        return element.value() if element else None

    def standing(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """Return every record as it is now, by id, each to be read when it is wanted: for many at once, in a thread."""
        found: dict[str, Callable[[], dict[str, Any]]] = {}
        for memory in self.compiled.memories.values():
            _, waiting = self.overlay.get((memory.kind, memory.id), (0, None))
            element = self.elements.get(memory.id)
            if waiting is not None:
                found[memory.id] = partial(dict, waiting)
            elif element is not None:
                found[memory.id] = element.value
        return found

    def put_memory(self, memory: Memory, weights: dict[str, float] | None = None) -> None:
        """Hold a memory in every index."""
        self.touch(memory.id)
        others = self.compiled.put(memory, weights)
        self._stand_otherwise([memory.id, *others])

    def drop_memory(self, memory_id: str) -> None:
        """Drop a memory from every index."""
        self.touch(memory_id)
        others = self.compiled.drop(memory_id)
        self.prints.drop(memory_id)
        self._stand_otherwise(others)

    def pass_time(self, now_s: float) -> None:
        """Let what took the place of others until a time end with it."""
        self._stand_otherwise(self.compiled.pass_time(now_s))

    def _stand_otherwise(self, ids: Iterable[str]) -> None:
        """Note that memories stand otherwise: what the full-text index has of them is what is written, and stays so."""
        for one in ids:
            self.changes += 1
            self.prints.put(one, self.compiled.memories[one].text)
            if self.happenings:
                self.happenings.memory(self.name, one)

    def touch(self, memory_id: str) -> None:
        """Note that a memory is other than it was."""
        self.changes += 1
        self.fresh.add(memory_id)
        if self.touched is not None:
            self.touched.add(memory_id)
        if self.happenings:
            self.happenings.memory(self.name, memory_id)

    def take(self, change: Change, n: int) -> None:
        """Make a change true in memory; `n` is its number in the log."""
        memory = None if change.after is None else to_memory(change.after, change.kind, change.id)
        self.overlay[change.kind, change.id] = (n, change.after)
        self.waiting_bytes += len(dumps(change.after)) if change.after else 0
        if memory is None:
            self.drop_memory(change.id)
        else:
            self.put_memory(memory)

    def give_back(self, change: Change) -> None:
        """Undo a change that could not be acknowledged."""
        self.waiting_bytes -= len(dumps(change.after)) if change.after else 0
        self.take(change.reversed(), 0)
        if not any(one.id == change.id for _, one in self.pending):
            self.overlay.pop((change.kind, change.id), None)

    def settle(self, last: int) -> None:
        """Forget what the file has now: every change up to a number of the log."""
        done = {(one.kind, one.id) for n, one in self.pending if n <= last}
        self.pending = [(n, one) for n, one in self.pending if n > last]
        if not self.pending:
            self.waiting_bytes = 0
        standing = self.document.find(frozenset(done))
        for key in done:
            if key not in self.overlay or self.overlay[key][0] > last:
                continue
            _, wanted = self.overlay.pop(key)
            element = standing.get(key)
            if element is not None and equal(element.value(), wanted):
                self.elements[key[1]] = element
            elif element is None and wanted is None:
                self.elements.pop(key[1], None)
            # Otherwise a person had a part in it: the indexes learn of it when the file is adopted.

    def recent_changes(self) -> list[Change]:
        """Return the changes that went into the file a short while ago, oldest first."""
        return [change for _, change in self.recent]

    def forget_recent_of(self, change: Change) -> None:
        """Let go of what was lately done to one record."""
        key = (change.kind, change.id)
        self.recent = deque((at, one) for at, one in self.recent if (one.kind, one.id) != key)

    def let_go(self) -> None:
        """Guard nothing any more: the directory is gone."""
        self.recent.clear()
        self.parked.clear()
        self.stale = False

    def forget_recent(self, before_s: float) -> None:
        """Let go of changes that went in before a monotonic time; call when the file has just been looked at."""
        while self.recent and self.recent[0][0] < before_s:
            self.recent.popleft()
