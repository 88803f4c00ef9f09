"""The roles there are, as the directories are now: found by any of their addresses, and forgotten when they go.

Some are open, with what they serve in memory: all of them where there are no more than KEPT_OPEN, else those that
were asked for lately. The others are closed: known by the state of their file and by figures.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from memd.errors import Fault, RoleAmbiguousError, RoleUnknownError
from memd.formats.derived import FigureCache, Figures, KnownFile, figures_of
from memd.formats.role_memory import character_uuid, new_document
from memd.formats.role_reader import Parsed
from memd.formats.times import mark_of
from memd.model.projects import MARK, is_project
from memd.storage.layout import memory_file, role_dir
from memd.store.reading import absorb
from memd.store.reading.cache import (
    cache_made,
    cache_now,
    cache_with_times,
    keep_known,
    keep_roles,
    kept_lexicon,
    load_known,
    load_role,
    note_erasure,
    standing_in,
    stands_in,
)
from memd.store.reading.dating import take_times
from memd.store.reading.discovery import find_role, look_for_roles, own_role, role_of_project
from memd.store.reading.profile_file import refresh_profile
from memd.store.reading.seen import Seen
from memd.store.role.parts import MemoryFile
from memd.store.role.role import Indexes, Role
from memd.store.writing.role_files import Reading, read

if TYPE_CHECKING:
    from memd.formats.derived import RoleCache
    from memd.storage.files import Tree
    from memd.store.in_force import InForce
    from memd.store.ports import Ports

KEPT_OPEN = 32
IDLE_S = 600.0  # what more is open closes when nobody has asked for it for so long


@dataclass(slots=True)
class Roles(Mapping[str, Role]):
    """By the names of their directories. `bad` says what stands beside them that is none."""

    tree: Tree
    ports: Ports
    in_force: InForce
    cache_dir: str
    bad: list[Fault] = field(default_factory=list)
    note: Callable[[dict[str, Any]], None] = lambda _: None  # for the audit
    _held: dict[str, Role] = field(default_factory=dict)
    _uncached: dict[str, Callable[[], RoleCache | None]] = field(default_factory=dict)
    seen: Seen = field(init=False)
    _unknown: bool = False
    _marks: dict[str, str] = field(default_factory=dict)  # of the zones that were asked for

    def __post_init__(self) -> None:
        self.seen = Seen(self.tree)

    def __getitem__(self, name: str) -> Role:
        return self._held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    async def find(self, address: str) -> Role:
        """Return the role of this address as the directories are now, or raise RoleUnknownError, RoleAmbiguousError."""
        if address.startswith(MARK) and is_project(address.removeprefix(MARK)):
            return await self._in_project(address.removeprefix(MARK))
        with suppress(RoleAmbiguousError):  # perhaps not any more
            found = find_role(self.values(), address)
            if found is not None and not self._is_gone(found):
                return found
        await self.look()
        found = find_role((role for role in self.values() if not self._is_gone(role)), address)
        if found is None:
            raise RoleUnknownError(address, sorted(self))
        return found

    async def _in_project(self, project: str) -> Role:
        """Return the role of a project as the directories are now; where it has none yet, the person's own."""
        await self.look()
        settings = self.in_force.settings
        role = role_of_project(self.values(), project) if settings.scopes.projects else None
        return role or own_role(self, settings.hooks.role)

    def known(self, address: str) -> Role | None:
        """Return the role that an address means as far as is known, None where it means none; or RoleAmbiguousError."""
        return find_role(self.values(), address)

    def linked(self, address: str) -> str:
        """Return the name of the role that a link means, "" where it leads nowhere, or to nobody knows which."""
        with suppress(RoleAmbiguousError):
            found = self.known(address)
            return found.name if found else ""
        return ""

    def person_of(self, role: Role) -> Role | None:
        """Return the person's own role, of a project's: how they want to be answered holds in the project as well. None: it has none."""
        with suppress(RoleUnknownError):
            return own_role(self, self.in_force.settings.hooks.role) if role.own.profile.project else None
        return None

    def hidden_from(self, role: Role) -> tuple[str, ...]:
        """Return the roles that a role may not look into: all but itself and those its own file links to."""
        near = {role.name, *(self.linked(link.role) for link in role.own.profile.links)}
        return tuple(name for name in self if name not in near)

    def note_erasure(self, name: str) -> None:
        """Note that a memory of a role is being erased, so that the cache gives it up even after a kill. Blocks."""
        note_erasure(self.cache_dir, name)

    async def look(self, *, heard: bool = True) -> None:
        """Load the roles that appeared, read every profile that changed again, and forget roles whose directory is gone.

        `heard`: whether a change that was not heard of is none.
        """
        happenings = self.in_force.happenings
        present, self.bad = await asyncio.to_thread(look_for_roles, self.tree)
        new = [name for name in present if name not in self]
        if new:
            await self._take_in(new)
            for name in new:
                happenings.role(name, there=True)
        self.seen.hear()
        for role in self.values():
            self.seen.look_at_profile(role, heard=heard)
        for name, role in list(self.items()):
            if name not in present and not role.is_busy():
                del self._held[name]
                if role.is_open:  # of a closed one nobody knows any more what it had
                    absorb.note_removals(name, role.elements.items(), self.note)
                happenings.role(name, there=False)

    def or_new(self, name: str) -> Role:
        """Return a role, an empty one where its directory is gone and acknowledged work is still to come into it."""
        if name not in self._held:
            self._held[name] = Role(name, file=MemoryFile(loaded=True))
        return self._held[name]

    async def open(self, role: Role) -> None:
        """Have what a role serves in memory; who opens it at the same time does no harm."""
        role.used_s = self.ports.monotonic()
        if not role.is_open:
            whole = await asyncio.to_thread(self._read_whole, role)
            if take_whole(role, whole, role.used_s) and role.happenings:
                role.happenings.memories(role.name)

    async def glance(self, role: Role) -> None:
        """Know what the file of a closed role is now, without opening it; call in its turn."""
        refresh_profile(self.tree, role)
        if role.is_open or not absorb.is_changed(self.tree, role):
            return
        seen = await asyncio.to_thread(glance, self.tree, role, self.in_force.file_limit_bytes)
        if not role.is_open:
            take_glance(role, seen, self.ports.monotonic())
            if role.happenings:
                role.happenings.memories(role.name)

    def close_idle(self) -> list[str]:
        """Close the roles nobody asked for lately but for KEPT_OPEN; return their names. What is unsaved stays."""
        late_s = self.ports.monotonic() - IDLE_S
        opened = sorted((role for role in self.values() if role.is_open), key=lambda role: -role.used_s)
        idle = [role for role in opened[KEPT_OPEN:] if role.used_s <= late_s and role.can_close()]
        for role in idle:
            if role.marks.changes:
                self._uncached[role.name] = partial(cache_now, role.name, role.file.document, role.compiled)
            role.close()
            role.file.opener = partial(self._open_now, role)
        return [role.name for role in idle]

    def note_dated(self, role: Role) -> None:
        """Have the times that were found in the words of a role kept for the next start."""
        self._uncached.setdefault(role.name, partial(cache_with_times, self.cache_dir, role.name, role.compiled))

    async def standing(self) -> set[tuple[str, str]]:
        """Return role and id of every memory there is."""
        found: set[tuple[str, str]] = set()
        for role in list(self.values()):
            await self.open(role)
            found |= {(role.name, memory_id) for memory_id in role.compiled.memories}
        return found

    def save_cache(self, *, changed: bool = False) -> None:
        """Keep what was made of the files, and figures, for the next start: what the cache has not, or all that changed. Blocks."""
        made, self._uncached = self._uncached, {}  # a role may be opened meanwhile
        if changed:
            opened = [role for role in self.values() if role.is_open and role.marks.changes]
            made |= {one.name: partial(cache_now, one.name, one.file.document, one.compiled) for one in opened}
        if self.cache_dir:
            keep_roles(self.cache_dir, {name: cache for name, make in made.items() if (cache := make())})
        if len(self) > KEPT_OPEN and (changed or self._unknown):
            self._unknown = False
            keep_known(self.cache_dir, known_files(self.values()))

    def _is_gone(self, role: Role) -> bool:
        return self.tree.identify(role_dir(role.name)) is None and not role.unsaved.overlay

    async def _take_in(self, names: Sequence[str]) -> None:
        """Take in roles that appeared: open where there are few in all, else closed."""
        few = len(self) + len(names) <= KEPT_OPEN
        for role in await asyncio.to_thread(self._read_closed, names, few=few):
            held = self._held.setdefault(role.name, role)
            held.happenings = self.in_force.happenings
            if few:
                await self.open(held)

    def _read_closed(self, names: Iterable[str], *, few: bool) -> list[Role]:
        """Return roles as their files are now, closed; where there are `few` their files are read when they are opened."""
        files = {} if few else load_known(self.cache_dir).files
        found: list[Role] = []
        for name in names:
            known = files.get(name)
            role = closed_role(self.tree, name, known, None if few else self.in_force.file_limit_bytes)
            role.file.opener = partial(self._open_now, role)
            self._unknown = self._unknown or known is None or known.identity != role.file.identity
            found.append(role)
        return found

    def _read_whole(self, role: Role) -> Whole:
        cache = load_role(self.cache_dir, role.name)
        whole = read_whole(self.tree, role, cache, self.in_force.file_limit_bytes)
        zone = self.in_force.of(role).trigger.zone
        if cache.zone and not role.own.profile.fiction and cache.zone == self._mark_of(zone):
            read = (
                [one for one, _ in whole.reading.parsed.entries]
                if whole.reading.kept and whole.reading.parsed
                else None
            )
            take_times(whole.indexes.compiled, cache, zone, read)
        if whole.cache is not None:
            self._uncached[role.name] = whole.cache
        return whole

    def _mark_of(self, zone: str) -> str:
        if zone not in self._marks:
            self._marks[zone] = mark_of(zone)
        return self._marks[zone]

    def _open_now(self, role: Role) -> None:
        """Open a role for whoever asks for its memories and did not open it before. Blocks."""
        role.used_s = self.ports.monotonic()
        take_whole(role, self._read_whole(role), role.used_s)


# Roles that are closed: known by the state of their file and by figures, opened when somebody asks for more.
#
# What is read here is taken in by the loop in one step, so that two who open a role at once do no harm: the first counts.


@dataclass(frozen=True, slots=True)
class Whole:
    """A role as it was read to be opened; `cache` makes what is to be kept of it, None where that is kept."""

    reading: Reading
    beside: tuple[tuple[str, int], ...]
    indexes: Indexes
    cache: Callable[[], RoleCache] | None


@dataclass(frozen=True, slots=True)
class Glance:
    """A file that was looked at for its figures alone."""

    reading: Reading
    figures: Figures


def closed_role(tree: Tree, name: str, known: KnownFile | None, limit_bytes: int | None) -> Role:
    """Return a role as its files are now, closed; `known` saves reading a file that is as it was. Blocks.

    Without a limit its file is not looked at: for one that is opened at once.
    """
    role = Role(name, indexes=None)
    role.file.held = None
    refresh_profile(tree, role)
    if limit_bytes is None:
        return role
    identity = tree.identify(memory_file(name))
    if known is not None and identity is not None and identity == known.identity:
        role.file.identity, role.file.loaded, role.file.bytes = identity, True, identity.size
        role.file.figures = known.figures
    else:
        take_glance(role, glance(tree, role, limit_bytes), 0.0)
    role.file.beside = absorb.files_beside(tree, name)
    return role


def glance(tree: Tree, role: Role, limit_bytes: int) -> Glance:
    """Return the figures of a role's file. Blocks."""
    reading = read(tree, role.name, limit_bytes)
    if reading.parsed is not None:
        uuid = character_uuid(reading.parsed.document)
        return Glance(reading, figures_of((one.memory for one in reading.parsed.entries), uuid))
    uuid = role.own.profile.uuid or role.name  # of the file that is to be
    return Glance(reading, Figures(character_uuid="" if reading.rejected else uuid))


def take_glance(role: Role, seen: Glance, now_s: float) -> None:
    """Note what the file of a closed role held; one that is missing for a moment changes nothing yet."""
    file, reading = role.file, seen.reading
    file.identity, file.racy = reading.identity, reading.racy
    role.marks.touched, role.marks.rebuilds = None, role.marks.rebuilds + 1
    faults: tuple[Fault, ...] = ()
    if reading.parsed is not None:
        faults = reading.parsed.faults
    elif reading.rejected is None and file.loaded and file.missing_since_s is None:
        file.missing_since_s = now_s
        return
    elif reading.rejected is None and file.loaded and now_s - (file.missing_since_s or 0.0) < absorb.MISSING_S:
        return
    file.figures, file.faults, file.bytes = seen.figures, faults, reading.size if reading.parsed else 0
    file.rejected, file.missing_since_s, file.loaded = reading.rejected, None, reading.rejected is None


def read_whole(tree: Tree, role: Role, cache: RoleCache, limit_bytes: int) -> Whole:
    """Return a role as its files are now, compiled; what did not change comes from the cache. Blocks.

    Where there is no good file and a moment ago there was one, an editor may be at it: it is looked at once more.
    """
    reading = read(tree, role.name, limit_bytes, cache=cache)
    if reading.parsed is None and role.file.figures.memories:
        time.sleep(absorb.MISSING_S)
        reading = read(tree, role.name, limit_bytes, cache=cache)
        if reading.identity is None and tree.identify(role_dir(role.name)) is None:
            fault = Fault(memory_file(role.name), 1, 1, "its directory is gone", "file.unreadable")
            reading = Reading(rejected=fault)  # perhaps the whole workspace went: that empties no role
    parsed, beside = reading.parsed or Parsed(new_document(""), (), ()), absorb.files_beside(tree, role.name)
    lexicon, stands = kept_lexicon(parsed, cache, kept=reading.kept), stands_in(parsed, cache) if reading.kept else {}
    rows = lexicon.rows()
    indexes = absorb.compile_entries(parsed.entries, lexicon, stands)
    standing = standing_in(parsed, indexes.compiled)
    fresh = (
        None if reading.kept or not parsed.entries else partial(cache_made, parsed, rows, standing, indexes.compiled)
    )
    return Whole(reading, beside, indexes, fresh)


def take_whole(role: Role, whole: Whole, now_s: float) -> bool:
    """Open a role with what was read of it, where it is closed still; tell whether its file changed since it was seen last."""
    if role.is_open:
        return False
    file, seen = role.file, role.file.loaded
    changed = whole.reading.identity != file.identity or file.racy or file.missing_since_s is not None
    if changed:
        role.marks.touched, role.marks.rebuilds = None, role.marks.rebuilds + 1
    for one in whole.indexes.compiled.pass_time(role.passed_s):
        whole.indexes.prints.put(one, whole.indexes.compiled.memories[one].text)
    file.document, file.loaded, file.bytes, role.indexes = new_document(""), False, 0, whole.indexes
    absorb.take_reading(role, whole.reading, now_s)
    file.incoming, file.beside = None, whole.beside
    return changed and seen


def known_files(roles: Iterable[Role]) -> FigureCache:
    """Return the figures of the roles whose files were read well, and have all that the role has."""
    files: dict[str, KnownFile] = {}
    for role in roles:
        file = role.file
        clear = role.can_close() if role.is_open else file.loaded and not (file.racy or file.rejected)
        if clear and file.identity is not None and not file.faults:
            files[role.name] = KnownFile(file.identity, role.figures)
    return FigureCache(files=files)
