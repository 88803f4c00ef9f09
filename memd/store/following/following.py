"""Follow the folder: hints say where to look, the files say what is so, and a scan from time to time proves both.

A change counts when the file was read and its digest is other than before. A file that is gone, empty or broken for a
moment is looked at again before it counts: editors pass through all three. While git holds its index lock nothing is
taken in, and afterwards everything is looked at.

Source
    docs/design/substrate.md#watching-files, what a daemon must add, and #how-editors-save.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.errors import MemdError
from memd.formats.documents import is_searched
from memd.model.files import Purpose, purpose_of, role_of
from memd.model.names import is_name
from memd.storage.layout import ROLES, memory_file
from memd.storage.listing import Listing, walk
from memd.store.following.hearing import Hints, Reconciled, git_was_at_work, untold
from memd.store.reading.absorb import files_beside
from memd.store.reading.library import READ_AT_ONCE, Held, Library, OwnLines, read_files
from memd.store.room import limits_used

if TYPE_CHECKING:
    from memd.storage.files import Identity, Tree
    from memd.storage.listing import Listing
    from memd.store.following.hearing import Hearing
    from memd.store.following.indexing import Indexing
    from memd.store.reading.library import Held, Library, Reading
    from memd.store.role.role import Role
    from memd.store.store import Store

logger = logging.getLogger(__name__)

RECONCILE_S = 60.0  # between two scans where events are heard,
POLL_S = 2.0  # and where they are not;
SCAN_COST = 1000.0  # but a scan takes at most this part of the time, a tenth of that where events are not heard
SCAN_MOST_S = 900.0
LOOK_S = 2.0  # between two looks at whether the workspace is there at all
GONE_STEP_S = 0.5
MANY = 1000  # more names than this at once: look at everything
MISSED_WAIT_S = 0.2  # hints under way are waited for before a difference counts as missed


@dataclass(slots=True)
class Following:
    """Owned by the event loop. `run` goes on until the workspace is gone for good, or it is cancelled."""

    store: Store
    library: Library
    indexing: Indexing
    hearing: Hearing
    reconciled: Reconciled = field(default_factory=Reconciled)
    presence: Presence = field(init=False)
    own: OwnLines = field(init=False)
    _doubts: Doubts = field(init=False)
    _scan_due_s: float = 0.0
    _near: set[str] = field(default_factory=set)
    _stopped: bool = False
    _links: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        monotonic = self.store.ports.monotonic
        self.presence, self._doubts = Presence(self.store.tree, monotonic), Doubts(monotonic)
        self.store.roles.seen.ear = self.hearing
        self.own = OwnLines(self.library, self.indexing.note, lambda name: self.hearing.hear(Hints({name})), self.store)

    async def run(self) -> None:
        """Take in everything there is, then what changes."""
        begun = False
        while not self._stopped:
            try:
                if not begun:
                    self.hearing.listen()
                    await self._scan(first=True)
                    self.library.loaded.set()
                    await self.indexing.open()
                    begun = True
                await self._wait()
                if not self.presence.look():
                    if self.presence.is_gone_for(self.store.settings.daemon.gone_exit_s):
                        return
                    self.hearing.take()
                    continue
                await self._turn()
            except (MemdError, OSError) as error:
                logger.warning("following the files: %s", error)
                await self._begin_again()
            except Exception:
                logger.exception("following the files failed; everything is looked at again")
                await self._begin_again()

    def stop(self) -> None:
        """Follow no more."""
        self._stopped = True
        self.hearing.stop()

    async def _begin_again(self) -> None:
        """Rest, and have everything looked at: what was heard meanwhile is in it."""
        self.hearing.hints = Hints(lost=True)
        if not self._stopped:
            await asyncio.sleep(POLL_S)

    def _now(self) -> float:
        return self.store.ports.monotonic()

    async def _wait(self) -> None:
        now_s = self._now()
        until_s = min(self._scan_due_s, now_s + LOOK_S, *self._doubts.times())
        if self.presence.gone_since_s is not None:
            until_s = min(self.presence.gone_since_s + self.store.settings.daemon.gone_exit_s, now_s + GONE_STEP_S)
        if not self.hearing.hints and not self._stopped:
            await self.hearing.wait(until_s)

    async def _turn(self) -> None:
        hints = self.hearing.take()
        self.store.in_force.look()
        lies_elsewhere = self._links != self.store.tree.links
        hints.lost, self.presence.came_back = hints.lost or self.presence.came_back or lies_elsewhere, False
        self._links = self.store.tree.links
        due = self._doubts.due()
        if (hints.names or hints.folders or hints.lost or due) and await git_was_at_work(self.store.tree, self._now):
            hints.lost = True
        if self.hearing.is_deaf():
            logger.warning("the watcher does not hear; it is started again")
            hints.lost = True
        if hints.lost:
            self.hearing.listen()  # watches may stand for directories that went elsewhere
        if hints.lost or len(hints.names) + len(hints.folders) > MANY or self._now() >= self._scan_due_s:
            await self._scan(hinted=hints.lost or bool(hints.names))
            return
        names = hints.names | due
        for folder in hints.folders:
            names |= await self._below(folder)
        if names:
            await self._absorb(names)

    async def _below(self, folder: str) -> set[str]:
        """Return the names below a directory, those that are there and those that were."""
        if folder.startswith(f"{ROLES}/"):
            await self.store.roles.look()  # an empty directory is a role too
        listing = await asyncio.to_thread(walk, self.store.tree, folder, self.hearing.adding())
        held = (*self.library.held, *map(memory_file, self.store.roles))
        return {name for name in listing.files if purpose_of(name)} | {n for n in held if n.startswith(f"{folder}/")}

    async def _scan(self, *, first: bool = False, hinted: bool = False) -> None:
        """Compare everything that is there with what is known, and take in what differs."""
        if self.hearing.mode == "events" and not self.hearing.heard and not first:
            self.hearing.listen()  # watches may be free again
        listing, cpu_s = await asyncio.to_thread(self._listed)
        differing = differing_names(listing, self.library, self.store.roles)
        proving = self.hearing.heard and not (first or hinted)
        if differing and proving:
            await asyncio.sleep(MISSED_WAIT_S)  # hints under way
        changed = await self._absorb(differing)
        if proving:
            self._count_missed(changed)
        await self.store.roles.look(heard=False)
        self.reconciled.note(self.store.ports.now(), cpu_s, listing, len(differing))
        await self._warn()
        self.hearing.told.clear()
        self._plan_next(cpu_s)

    async def _warn(self) -> None:
        """Tell the diary of every limit that has come near."""
        near = {name: one for name, one in (await limits_used(self.store)).items() if one["warning"]}
        for name, one in near.items() if near.keys() != self._near else ():
            logger.warning("%s: %d of %d used; largest: %s", name, one["used"], one["limit"], one.get("largest", "-"))
        self._near = set(near)

    def _plan_next(self, cpu_s: float) -> None:
        heard = self.hearing.heard
        pause_s = max(RECONCILE_S, SCAN_COST * cpu_s) if heard else max(POLL_S, SCAN_COST / 10 * cpu_s)
        self._scan_due_s = self._now() + min(pause_s, SCAN_MOST_S)
        if heard and not self.store.writer.read_only:
            self.hearing.probe(self._touch)

    def _touch(self) -> None:
        if self.store.writer.lock:
            self.store.writer.lock.touch()

    def _listed(self) -> tuple[Listing, float]:
        begun_s = time.thread_time()
        listing = walk(self.store.tree, ".", self.hearing.adding())
        return listing, time.thread_time() - begun_s

    def _count_missed(self, changed: Iterable[str]) -> None:
        missed = untold(changed, self.hearing.told)
        if missed:
            self.reconciled.missed += len(missed)
            self.hearing.restarts += 1
            logger.warning("%d changes were not heard of, %s first; listening anew", len(missed), min(missed))
            self.hearing.hints.lost = True

    async def _absorb(self, names: Iterable[str]) -> set[str]:
        """Take in what these files hold now; return the pages and sessions that are other than they were."""
        files: list[str] = []
        roles: dict[str, bool] = {}
        for name in sorted(names):
            purpose = purpose_of(name)
            if purpose in (Purpose.MEMORY, Purpose.PROFILE, Purpose.BOOK) or (purpose is None and role_of(name)):
                roles[role_of(name)] = roles.get(role_of(name), False) or purpose is not Purpose.MEMORY
            elif purpose is Purpose.SETTINGS:
                self.store.in_force.look()
            elif is_searched(name):
                files.append(name)
        self.library.unread.update(files)
        await self._absorb_roles(roles)
        changed: set[str] = set()
        for at in range(0, len(files), READ_AT_ONCE):
            changed.update(await self._absorb_files(files[at : at + READ_AT_ONCE]))
        return changed

    async def _absorb_roles(self, names: dict[str, bool]) -> None:
        """Bring roles up to their files; True where something beside memory.json has changed."""
        if any(name not in self.store.roles for name in names):
            await self.store.roles.look()
        for name in list(names):
            role = self.store.roles.get(name)
            if role is None:
                self._doubts.settle(memory_file(name))
                self.indexing.note([memory_file(name)])
                continue
            async with role.turn:
                await self.store.follow(role)
                if names[name]:
                    role.file.beside = await asyncio.to_thread(files_beside, self.store.tree, name)
            if role.file.missing_since_s is not None:
                self._doubts.doubt(memory_file(name))
            else:
                self._doubts.settle(memory_file(name))
            self.indexing.note([memory_file(name)])

    async def _absorb_files(self, names: list[str]) -> list[str]:
        foreign = [name for name in names if not self.own.explains(name)]
        known: list[tuple[str, Held | None]] = [(name, self.library.held.get(name)) for name in foreign]
        readings = await asyncio.to_thread(read_files, self.store.tree, known)
        certain = [one for one in readings if self._doubts.is_certain(one, self.library.held.get(one.name))]
        changed = await self.library.take(certain)
        self.store.happenings.files(changed)
        self.indexing.note(one.name for one in certain)
        return changed


# What of a listing is other than what is known: the truth behind every hint.


def differing_names(listing: Listing, library: Library, roles: Mapping[str, Role]) -> set[str]:
    """Return the names whose state is not the one that was taken in, those that are gone included."""
    found = {name for name in library.held if name not in listing.files}
    present: set[str] = set()
    for name, identity in listing.files.items():
        if purpose_of(name) is Purpose.MEMORY:
            role = roles.get(role_of(name))
            present.add(role_of(name))
            if identity != role.file.identity if role else is_name(role_of(name)):
                found.add(name)
        elif is_searched(name) and not library.is_known(name, identity):
            found.add(name)
    found |= {
        memory_file(role.name) for role in roles.values() if role.file.identity is not None and role.name not in present
    }
    return found


# Readings that take something away are made twice: editors pass through missing, empty and broken files.

CONFIRM_S = 0.25  # a file that is gone, empty or broken is looked at again after this long


@dataclass(slots=True)
class Doubts:
    """Which files are to be looked at again, and when (monotonic seconds)."""

    monotonic: Callable[[], float]
    _again: dict[str, float] = field(default_factory=dict)
    _states: dict[str, tuple[Identity | None]] = field(default_factory=dict)

    def due(self) -> set[str]:
        """Return the files whose time has come."""
        now_s = self.monotonic()
        return {name for name, at_s in self._again.items() if at_s <= now_s}

    def times(self) -> Iterable[float]:
        """Return when files are to be looked at again."""
        return self._again.values()

    def doubt(self, name: str) -> None:
        """Have a file looked at again."""
        self._again[name] = self.monotonic() + CONFIRM_S

    def settle(self, name: str) -> None:
        """Doubt a file no more."""
        self._again.pop(name, None)
        self._states.pop(name, None)

    def is_certain(self, reading: Reading, held: Held | None) -> bool:
        """Tell whether a reading counts; one that takes something away counts when it is made again."""
        doubtful = reading.identity is None or reading.rejected is not None or reading.empty
        if doubtful and held is not None and held.digests:
            if self._states.get(reading.name) != (reading.identity,):  # another state is another doubt
                self._states[reading.name] = (reading.identity,)
                self.doubt(reading.name)
            if self.monotonic() < self._again.get(reading.name, 0.0) - 0.01:
                return False
        self.settle(reading.name)
        return True


# Whether the workspace is still where it was opened; a directory that took its place is another one.
@dataclass(slots=True)
class Presence:
    """`gone_since_s` is monotonic, None while the workspace is there; `came_back` until it is taken."""

    tree: Tree
    monotonic: Callable[[], float]
    gone_since_s: float | None = None
    came_back: bool = False

    def look(self) -> bool:
        """Tell whether the workspace is in its place."""
        there = self.tree.is_in_place()
        if there and self.gone_since_s is not None:
            self.gone_since_s, self.came_back = None, True
            logger.info("the workspace is back")
        elif not there and self.gone_since_s is None:
            self.gone_since_s = self.monotonic()
            logger.warning("the workspace is no longer at %s", self.tree.path)
        return there

    def is_gone_for(self, seconds: float) -> bool:
        """Tell whether the workspace has been gone for so long."""
        return self.gone_since_s is not None and self.monotonic() - self.gone_since_s >= seconds
