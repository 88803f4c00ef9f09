"""The roles there are, as the directories are now: found by any of their addresses, and forgotten when they go.

Some are open, with what they serve in memory: all of them where there are no more than KEPT_OPEN, else those that
were asked for lately. The others are closed: known by the state of their file and by figures.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from memd.errors import Fault, RoleAmbiguousError, RoleUnknownError
from memd.model.projects import MARK, is_project
from memd.storage.layout import role_dir
from memd.store.reading import absorb, closed
from memd.store.reading.cache import keep_known, keep_tokens, load_known, load_tokens, note_erasure, terms_of
from memd.store.reading.discovery import find_role, look_for_roles, own_role, role_of_project
from memd.store.reading.profile_file import refresh_profile
from memd.store.role.parts import MemoryFile
from memd.store.role.role import Role

if TYPE_CHECKING:
    from memd.formats.derived import TokenCache
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
    _held: dict[str, Role] = field(default_factory=dict)
    _uncached: dict[str, TokenCache] = field(default_factory=dict)
    _unknown: bool = False

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

    def hidden_from(self, role: Role) -> tuple[str, ...]:
        """Return the roles that a role may not look into: all but itself and those its own file links to."""
        near = {role.name, *(self.linked(link.role) for link in role.own.profile.links)}
        return tuple(name for name in self if name not in near)

    def note_erasure(self, name: str) -> None:
        """Note that a memory of a role is being erased, so that the cache gives it up even after a kill. Blocks."""
        note_erasure(self.cache_dir, name)

    async def look(self) -> None:
        """Load the roles that appeared, read every profile again, and forget roles whose directory is gone."""
        happenings = self.in_force.happenings
        present, self.bad = await asyncio.to_thread(look_for_roles, self.tree)
        new = [name for name in present if name not in self]
        if new:
            await self._take_in(new)
            for name in new:
                happenings.role(name, there=True)
        for role in self.values():
            refresh_profile(self.tree, role)
        for name, role in list(self.items()):
            if name not in present and not role.is_busy():
                del self._held[name]
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
            if closed.take_whole(role, whole, role.used_s) and role.happenings:
                role.happenings.memories(role.name)

    async def glance(self, role: Role) -> None:
        """Know what the file of a closed role is now, without opening it; call in its turn."""
        refresh_profile(self.tree, role)
        if role.is_open or not absorb.is_changed(self.tree, role):
            return
        seen = await asyncio.to_thread(closed.glance, self.tree, role, self.in_force.file_limit_bytes)
        if not role.is_open:
            closed.take_glance(role, seen, self.ports.monotonic())
            if role.happenings:
                role.happenings.memories(role.name)

    def close_idle(self) -> list[str]:
        """Close the roles nobody asked for lately but for KEPT_OPEN; return their names. What is unsaved stays."""
        late_s = self.ports.monotonic() - IDLE_S
        opened = sorted((role for role in self.values() if role.is_open), key=lambda role: -role.used_s)
        idle = [role for role in opened[KEPT_OPEN:] if role.used_s <= late_s and role.can_close()]
        for role in idle:
            if role.marks.changes:
                self._uncached[role.name] = terms_of(role.compiled)
            role.close()
            role.file.opener = partial(self._open_now, role)
        return [role.name for role in idle]

    async def standing(self) -> set[tuple[str, str]]:
        """Return role and id of every memory there is."""
        found: set[tuple[str, str]] = set()
        for role in list(self.values()):
            await self.open(role)
            found |= {(role.name, memory_id) for memory_id in role.compiled.memories}
        return found

    def save_cache(self, *, changed: bool = False) -> None:
        """Keep analysed terms and figures for the next start: what the cache did not know, or all that changed. Blocks."""
        held, self._uncached = self._uncached, {}
        caches = dict(held)  # a role may be opened meanwhile
        if changed:
            opened = (role for role in self.values() if role.is_open and role.marks.changes)
            caches |= {role.name: terms_of(role.compiled) for role in opened}
        keep_tokens(self.cache_dir, caches)
        if len(self) > KEPT_OPEN and (changed or self._unknown):
            self._unknown = False
            keep_known(self.cache_dir, closed.known_files(self.values()))

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
            role = closed.closed_role(self.tree, name, known, None if few else self.in_force.file_limit_bytes)
            role.file.opener = partial(self._open_now, role)
            self._unknown = self._unknown or known is None or known.identity != role.file.identity
            found.append(role)
        return found

    def _read_whole(self, role: Role) -> closed.Whole:
        cache = load_tokens(self.cache_dir, role.name)
        known = len(cache.terms)
        whole = closed.read_whole(self.tree, role, cache, self.in_force.file_limit_bytes)
        if len(cache.terms) > known:
            self._uncached[role.name] = cache
        return whole

    def _open_now(self, role: Role) -> None:
        """Open a role for whoever asks for its memories and did not open it before. Blocks."""
        role.used_s = self.ports.monotonic()
        closed.take_whole(role, self._read_whole(role), role.used_s)
