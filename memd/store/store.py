"""A workspace in use: its files, its settings, its roles, its log. Holds the one write lock, or only reads.

What changes is in its parts, each the owner of its own few fields; the store itself is what they are together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.errors import RoleRejectedError
from memd.storage.gathering import Spooling
from memd.store.capture import Captured, Unheard
from memd.store.in_force import InForce
from memd.store.keep.keeping import Keeping
from memd.store.reading import absorb
from memd.store.reading.dating import read_times
from memd.store.reading.library import Library
from memd.store.reading.roles import Roles
from memd.store.recall.answers import Answers
from memd.store.recall.curated import Curated
from memd.store.recall.emotion_file import EmotionFile
from memd.store.recall.meaning import Meaning
from memd.store.recall.pasts import Pasts
from memd.store.recall.recalled import Recalled
from memd.store.role.happenings import Happenings
from memd.store.room import Room
from memd.store.sayings import Sayings
from memd.store.side_files import SideFiles
from memd.store.trust import Trust
from memd.store.working import Working
from memd.store.writer import Writer
from memd.store.writing.journal import nothing
from memd.store.writing.text_files import Texts

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from memd.model.change import Line, Operation
    from memd.model.settings import Settings
    from memd.storage.files import Tree
    from memd.store.in_force import SettingsFile
    from memd.store.ports import Ports
    from memd.store.role.role import Role


MANY_DATED = 100  # memories whose words were read for times: what was found is kept for the next start


@dataclass(slots=True)
class Transfers:
    """What is sent in several frames and not whole yet: books that come, exports that go."""

    book_parts: dict[str, str] = field(default_factory=dict)
    exports: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(slots=True)
class Store:
    """Use `open_workspace`. Owned by one event loop."""

    tree: Tree
    ports: Ports
    cache_dir: str
    opened_s: float
    in_force: InForce
    roles: Roles
    writer: Writer
    room: Room
    texts: Texts
    keeping: Keeping
    happenings: Happenings
    meaning: Meaning
    pasts: Pasts
    unheard: Unheard
    curated: Curated = field(default_factory=Curated)
    library: Library = field(default_factory=Library)
    recalled: Recalled = field(default_factory=Recalled)
    answers: Answers = field(default_factory=Answers)
    lexicon: EmotionFile = field(default_factory=EmotionFile)
    side_files: SideFiles = field(default_factory=SideFiles)
    working: Working = field(default_factory=Working)
    captured: Captured = field(default_factory=Captured)
    sayings: Sayings = field(default_factory=Sayings)
    transfers: Transfers = field(default_factory=Transfers)

    @property
    def path(self) -> str:
        """The workspace's absolute path."""
        return self.tree.path

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.in_force.settings

    def settings_of(self, role: Role) -> Settings:
        """Return the settings in force for a role, its own on top."""
        return self.in_force.of(role)

    async def role(self, address: str) -> Role:
        """Return the role of this address as the directories are now, or raise RoleUnknownError, RoleAmbiguousError."""
        return await self.roles.find(address)

    async def refresh(self, role: Role, since: int | None = None) -> None:
        """Bring a role up to its files; call in its turn. RoleRejectedError where there is no good state to serve.

        `since`: how many looks had begun when it was asked for. Of those who wait for one another, one looks for all.
        """
        if since is not None and role.is_open and self.roles.seen.was_looked_at(role, since):
            await self._pass_time(role)
        else:
            await self.look(role)
        if role.file.rejected is not None and not role.file.loaded:
            raise RoleRejectedError(role.name, role.file.rejected)

    async def look(self, role: Role, *, of_many: bool = False) -> None:
        """Bring a role up to its files, whatever they are; call in its turn.

        `of_many`: the settings were looked at for all, and the files only where a change may have been heard of (Seen.hear).
        """
        if not of_many:
            self.in_force.look()
        await self.roles.open(role)
        if not (of_many and self.roles.seen.has(role)):
            with self.roles.seen.looking(role):
                limit_bytes, now_s = self.in_force.file_limit_bytes, self.ports.monotonic()
                changed = await absorb.refresh(self.tree, role, limit_bytes, now_s, self.audit)
            if changed and role.saves.recent:
                role.saves.stale = True  # a change from outside may have taken back what was just written
                self.writer.wake(role)
        await self._pass_time(role)

    async def _pass_time(self, role: Role) -> None:
        role.pass_time(self.ports.now())
        if await read_times(role, self.settings_of(role).trigger.zone) >= MANY_DATED:
            self.roles.note_dated(role)

    async def follow(self, role: Role, *, of_many: bool = False) -> None:
        """Know what a role's files are now, without opening it where it is closed; call in its turn. `of_many` as in `look`."""
        if role.is_open:
            await self.look(role, of_many=of_many)
        elif not (of_many and self.roles.seen.has(role)):
            with self.roles.seen.looking(role):
                await self.roles.glance(role)

    def commit(
        self, build: Callable[[int], Sequence[Operation]], *, at_s: float, roll_back: Callable[[], None] = nothing
    ) -> asyncio.Future[None]:
        """Make changes true in memory and queue them for the log; the future ends when they are durable.

        `build` gets the batch's number; what it returns is looked at once more. Where the log refuses, the changes are
        undone, then `roll_back` is called.
        """
        return self.writer.commit(build, at_s, roll_back)

    def together(self) -> AbstractContextManager[None]:
        """Have what is committed meanwhile written to the log at once; whoever holds it waits for nobody."""
        return self.writer.journal.together()

    def record(self, name: str, n: int, value: dict[str, Any], at_s: float) -> Line:
        """Return a line for one of memd's own logs, keyed by writer and number."""
        return self.writer.record(name, n, value, at_s)

    def audit(self, value: dict[str, Any]) -> None:
        """Note something in the audit log; where that cannot be written, it is in the daemon's own diary."""
        self.writer.audit(value)

    async def close(self, *, deadline_s: float = 5.0) -> None:
        """Bring everything into the files within the deadline, and let go."""
        await self.sayings.close()
        await self.meaning.close()
        await self.writer.close(deadline_s)


def store_of(
    tree: Tree, file: SettingsFile, ports: Ports, *, cache_dir: str, state_dir: str, meaning: Meaning | None = None
) -> Store:
    """Return the store of a workspace whose settings were read, its parts put together; no role is loaded yet."""
    happenings, keeping, texts = Happenings(), Keeping(), Texts()
    in_force = InForce(tree, file, Trust(state_dir), keeping.quarantine, happenings)
    in_force.look()
    roles = Roles(tree, ports, in_force, cache_dir)
    room = Room(tree, ports, in_force)
    writer = Writer(tree, ports, roles, keeping, texts, room)
    roles.note = writer.audit
    return Store(
        tree=tree,
        ports=ports,
        cache_dir=cache_dir,
        opened_s=ports.monotonic(),
        in_force=in_force,
        roles=roles,
        writer=writer,
        room=room,
        texts=texts,
        keeping=keeping,
        happenings=happenings,
        meaning=meaning or Meaning(),
        pasts=Pasts(tree, writer),
        unheard=Unheard(Spooling(state_dir, tree.path)),
    )
