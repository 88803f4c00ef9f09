"""The roles there are, as the directories are now: found by any of their addresses, loaded, and forgotten when they go."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.errors import Fault, RoleAmbiguousError, RoleUnknownError
from memd.storage.layout import role_dir
from memd.store.reading import absorb
from memd.store.reading.cache import keep_tokens, load_tokens, terms_of
from memd.store.reading.discovery import find_role, look_for_roles
from memd.store.reading.profile_file import refresh_profile
from memd.store.role.parts import MemoryFile
from memd.store.role.role import Role

if TYPE_CHECKING:
    from memd.formats.token_cache import TokenCache
    from memd.storage.files import Tree
    from memd.store.in_force import InForce
    from memd.store.ports import Ports


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

    def __getitem__(self, name: str) -> Role:
        return self._held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    async def find(self, address: str) -> Role:
        """Return the role of this address as the directories are now, or raise RoleUnknownError, RoleAmbiguousError."""
        with suppress(RoleAmbiguousError):  # perhaps not any more
            found = find_role(self.values(), address)
            if found is not None and not self._is_gone(found):
                return found
        await self.look()
        found = find_role((role for role in self.values() if not self._is_gone(role)), address)
        if found is None:
            raise RoleUnknownError(address, sorted(self))
        return found

    async def look(self) -> None:
        """Load the roles that appeared, read every profile again, and forget roles whose directory is gone."""
        happenings = self.in_force.happenings
        present, self.bad = await asyncio.to_thread(look_for_roles, self.tree)
        for name in (one for one in present if one not in self):
            self._held.setdefault(name, await asyncio.to_thread(self._load, name)).happenings = happenings
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

    def standing(self) -> Iterator[tuple[str, str]]:
        """Yield role and id of every memory there is."""
        for role in self.values():
            for memory_id in role.compiled.memories:
                yield role.name, memory_id

    def save_cache(self, *, changed: bool = False) -> None:
        """Keep analysed terms for the next start: of roles the cache did not know, or of all that changed. Blocks."""
        caches, self._uncached = self._uncached, {}
        if changed:
            caches = {name: terms_of(role.compiled) for name, role in self.items() if role.marks.changes}
        keep_tokens(self.cache_dir, caches)

    def _is_gone(self, role: Role) -> bool:
        return self.tree.identify(role_dir(role.name)) is None and not role.unsaved.overlay

    def _load(self, name: str) -> Role:
        cache = load_tokens(self.cache_dir, name)
        known = len(cache.terms)
        limit_bytes = self.in_force.file_limit_bytes
        role = absorb.load_role(self.tree, name, cache, limit_bytes=limit_bytes, now_s=self.ports.monotonic())
        if len(cache.terms) > known:
            self._uncached[name] = cache
        return role
