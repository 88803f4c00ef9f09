"""Which roles nobody need look at again, because the system would have told of a change, and which close, as nobody asks for them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from memd.storage.layout import role_dir
from memd.storage.system import release_heap
from memd.store.reading.profile_file import refresh_profile

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.store.role.role import Role
    from memd.store.store import Store


class Ear(Protocol):
    """What hears of changes, and can say which of them the system has told by now."""

    def roles_told(self) -> set[str] | None:
        """Return the roles with a change since this was last asked; None: it may have been any."""

    def watching(self, folder: str) -> int:
        """Return the number of the watch on a directory, 0 where its changes may be heard of late, or not at all."""


@dataclass(slots=True)
class Seen:
    """By role the number of the watch under which its memory.json and role.toml, or the latter alone, were looked at.

    Without an ear nothing is known, and everybody looks. `begun` counts the looks at any role's files.
    """

    tree: Tree
    ear: Ear | None = None
    begun: int = 0
    _ended: dict[str, int] = field(default_factory=dict)  # by role the number of the last look that came to its end
    _files: dict[str, int] = field(default_factory=dict)
    _profiles: dict[str, int] = field(default_factory=dict)
    _under_way: set[str] = field(default_factory=set)

    def hear(self) -> None:
        """Take in what the system has told by now: those files are to be looked at again."""
        told = self.ear.roles_told() if self.ear else None
        for held in (self._files, self._profiles):
            if told is None:
                held.clear()
            else:
                for name in told & held.keys():
                    del held[name]

    def has(self, role: Role) -> bool:
        """Tell whether both files of a role are as they were looked at."""
        number = self._files.get(role.name)
        return bool(number) and number == self._watching(role)

    @contextmanager
    def looking(self, role: Role) -> Iterator[None]:
        """Note that both files of a role are looked at, where that leaves nothing open; call in its turn.

        What is heard of meanwhile takes the note away.
        """
        self._files[role.name] = self._profiles[role.name] = self._watching(role)
        settled, self.begun = False, self.begun + 1
        number = self.begun
        self._under_way.add(role.name)
        try:
            yield
            self._ended[role.name] = number
            settled = role.file.is_settled() and not role.own.faults and not role.file_lock.locked()
        finally:
            self._under_way.discard(role.name)
            if not (settled and self._files.get(role.name)):
                self._files.pop(role.name, None)
                self._profiles.pop(role.name, None)

    def is_looking(self, role: Role) -> bool:
        """Tell whether somebody looks at a role's files in this moment: its turn ends when they are read."""
        return role.name in self._under_way

    def was_looked_at(self, role: Role, since: int) -> bool:
        """Tell whether a role's files were looked at, all through, after so many looks had begun."""
        return self._ended.get(role.name, 0) > since

    def look_at_profile(self, role: Role, *, heard: bool) -> None:
        """Read a role's role.toml again where it may have changed; `heard`: whether a change that was not heard of is none."""
        number = self._watching(role)
        if not (heard and number and self._profiles.get(role.name) == number):
            refresh_profile(self.tree, role)
            if number and not role.own.faults:
                self._profiles[role.name] = number
            else:
                self._profiles.pop(role.name, None)

    def _watching(self, role: Role) -> int:
        return self.ear.watching(role_dir(role.name)) if self.ear and not self.tree.links else 0


# Close the roles that nobody asks for, so that what was once searched does not stay in memory for good.

LOOK_S = 60.0


async def keep_closing(store: Store, stop: asyncio.Event) -> None:
    """Look again and again for roles that are idle, until it is time to stop."""
    while not stop.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_S):
                await stop.wait()
        if not stop.is_set():
            await close_idle(store)
            await asyncio.to_thread(release_heap)
            if store.meaning.rest(in_use=_in_session(store), now_s=store.ports.monotonic()):
                await store.meaning.close()


def _in_session(store: Store) -> bool:
    """Tell whether a session is open."""
    return any(not log.totals.closed for log in store.working.sessions.values())


async def close_idle(store: Store) -> list[str]:
    """Close the roles that are idle and return their names; what was analysed of them is kept in the cache."""
    names = store.roles.close_idle()
    for name in names:
        store.meaning.forget(name)
    await asyncio.to_thread(store.roles.save_cache)
    return names
