"""Roles as they were at a time: what their records, the archive and declarative.md tell, compiled to be asked.

Read anew where it is asked for, and held only while the role does not change. A time is what `as_of` gives: seconds,
milliseconds, ISO 8601, or a day, month or year, of which the end is meant.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from memd.engine.as_of import Moved, Then, Told, as_of, told_in
from memd.engine.recall.compiled import Compiled
from memd.errors import BadParamsError
from memd.formats.records import read_lines
from memd.formats.times import last_moment, to_seconds, zone_of
from memd.model.memory import Kind
from memd.storage.layout import ARCHIVE, DECLARATIVE, DECLARED
from memd.storage.listing import folder_pieces, identify_side, list_side, read_side

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.storage.files import Tree
    from memd.store.role.role import Role
    from memd.store.writer import Writer

V = TypeVar("V")
HELD = 4  # roles at a time
SHOWN = 5  # ids that a note names


@dataclass(frozen=True, slots=True)
class Past:
    """A role at a time. `same`: the memories whose words are those of now; `archived`: the archive's lines of then."""

    at_s: float
    compiled: Compiled
    same: frozenset[str]
    archived: Mapping[str, Mapping[str, Any]]
    undated: tuple[str, ...]
    unclear: tuple[str, ...]

    def like(self, said: Mapping[str, V]) -> dict[str, V]:
        """Return of what is said of the texts of now that which holds for those of then."""
        parts = self.compiled.parts.memories  # their ids are digests of what they say
        return {one: value for one, value in said.items() if one in self.same or one in parts}

    def notes(self) -> list[str]:
        """Return what nobody can tell of this time."""
        told = []
        if self.undated:
            told.append(f"as of then: {_named(self.undated)}: no date says whether it was known")
        if self.unclear:
            told.append(f"as of then: {_named(self.unclear)}: changed at a time that nobody noted, told as it is now")
        return told


@dataclass(slots=True)
class Pasts:
    """The last that were asked for, each with the state of its role that it was made from."""

    tree: Tree
    writer: Writer
    held: OrderedDict[tuple[str, float], tuple[object, Past]] = field(default_factory=OrderedDict)

    async def then(self, role: Role, at_s: float | None) -> Past | None:
        """Return a role as it was, None where no time is asked about; call in its turn, after a look at its files."""
        return None if at_s is None else await self.of(role, at_s)

    async def of(self, role: Role, at_s: float) -> Past:
        """Return a role as it was; call in its turn, after a look at its files."""
        names = [DECLARATIVE, *(f"{ARCHIVE}/{one.name}" for one in list_side(self.tree, ARCHIVE) if one.is_file)]
        files = tuple((name, identify_side(self.tree, name)) for name in names)
        state = (id(role.indexes), role.marks.changes, role.marks.rebuilds, files)
        known = self.held.pop((role.name, at_s), None)
        if known is None or known[0] != state:
            logs = [name for name in names if name == DECLARATIVE or name.startswith(DECLARED)]
            known = (
                state,
                await asyncio.to_thread(self._made, role, at_s, sorted(logs, reverse=True), self._waiting()),
            )
        self.held[role.name, at_s] = known
        while len(self.held) > HELD:
            self.held.popitem(last=False)
        return known[1]

    def moment(self, given: float | str, zone: str = "") -> float:
        """Return the time that an `as_of` means, in seconds since the epoch. BadParamsError where it means none."""
        try:
            return last_moment(given, zone_of(zone))
        except ValueError as error:
            raise BadParamsError(f"as_of: {error}") from None

    def _waiting(self) -> tuple[list[str], list[str]]:
        return self.writer.waiting_lines(ARCHIVE), self.writer.waiting_lines(DECLARATIVE)

    def _made(self, role: Role, at_s: float, logs: list[str], waiting: tuple[list[str], list[str]]) -> Past:
        """Read what is told of a role, and compile it as it was. Blocks."""
        told: dict[str, list[Told]] = {}
        for data in (*((read_side(self.tree, name) or b"").decode("utf-8", "replace") for name in logs), *waiting[1]):
            told_in(data, told)
        memories = role.compiled.memories
        standing = {one: (memories[one].kind, record()) for one, record in role.standing().items()}
        then = as_of(at_s, standing, self._moved(role.name, waiting[0]), told)
        return _compiled(role, at_s, then)

    def _moved(self, role: str, waiting: list[str]) -> dict[str, list[Moved]]:
        """Return which memories of a role went to the archive and came back, by id, in its order."""
        found: dict[str, list[Moved]] = {}
        for data in chain(folder_pieces(self.tree, ARCHIVE), ["".join(waiting).encode()]):
            for line in read_lines(data):
                value = line.value or {}
                memory_id, at_s, entry = value.get("id"), to_seconds(value.get("at")), value.get("entry")
                restored, kind = value.get("what") == "restored", value.get("kind")
                if (
                    value.get("role") != role
                    or not isinstance(memory_id, str)
                    or at_s is None
                    or kind not in list(Kind)
                ):
                    continue
                if (restored or isinstance(entry, dict)) and not self.writer.is_being_erased(role, memory_id):
                    moved = Moved(at_s, Kind(kind), None if restored else entry, value)
                    found.setdefault(memory_id, []).append(moved)
        return found


def _compiled(role: Role, at_s: float, then: Then) -> Past:
    """Compile memories of then; the terms of those that are as they are now are taken over."""
    now, made, same = role.compiled, Compiled(), set[str]()
    made.pass_time(at_s)
    for memory in then.memories:
        known = now.memories.get(memory.id)
        is_same = known is not None and not known.holds and _words(known) == _words(memory)
        made.put(memory, now.lexicon.weights(memory.id) if is_same else None)
        if known is not None and is_same:
            same.add(memory.id)
            if memory.undated is not None:
                made.date(replace(made.memories[memory.id], event=known.event, held=known.held, planned=known.planned))
    return Past(at_s, made, frozenset(same), then.archived, tuple(then.undated), tuple(then.unclear))


def _words(memory: Memory) -> tuple[object, ...]:
    return memory.kind, memory.name, memory.content, memory.keys, memory.topics, memory.tags


def _named(ids: tuple[str, ...]) -> str:
    shown = ", ".join(one[:8] for one in ids[:SHOWN])
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return f"memory {shown}" if len(ids) == 1 else f"{len(ids)} memories ({shown}{more})"
