"""Follow the folder: hints say where to look, the files say what is so, and a scan from time to time proves both.

A change counts when the file was read and its digest is other than before. A file that is gone, empty or broken for a
moment is looked at again before it counts: editors pass through all three. While git holds its index lock nothing is
taken in, and afterwards everything is looked at.

Source
    facts on the substrate, section 5, what a daemon must add; on the ecosystem, section 5, how editors save.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from memd.errors import MemdError
from memd.formats.documents import is_searched
from memd.model.files import Purpose, purpose_of, role_of
from memd.service.care.absorb import files_beside
from memd.service.care.differing import differing_names
from memd.service.care.hints import Hints, Reconciled, Watch, git_was_at_work, untold
from memd.service.care.indexing import Indexing
from memd.service.care.own_lines import OwnLines
from memd.service.care.presence import Presence
from memd.service.library import READ_AT_ONCE, Held, Library, Reading, read_files
from memd.service.limits import limits_used
from memd.service.workspace import Workspace
from memd.storage.files import Identity
from memd.storage.layout import LOCK, ROLES, memory_file
from memd.storage.listing import Listing, nobody, walk

logger = logging.getLogger(__name__)

RECONCILE_S = 60.0  # between two scans where events are heard,
POLL_S = 2.0  # and where they are not;
SCAN_COST = 1000.0  # but a scan takes at most this part of the time, a tenth of that where events are not heard
SCAN_MOST_S = 900.0
PROBE_S = 5.0  # for an event to answer a touch
LOOK_S = 2.0  # between two looks at whether the workspace is there at all
CONFIRM_S = 0.25  # a file that is gone, empty or broken is looked at again after this long
GONE_STEP_S = 0.5
MANY = 1000  # more names than this at once: look at everything
MISSED_WAIT_S = 0.2  # hints under way are waited for before a difference counts as missed


@dataclass(slots=True)
class Following:
    """Owned by the event loop. `run` goes on until the workspace is gone for good, or it is cancelled."""

    workspace: Workspace
    library: Library
    indexing: Indexing
    watch: Watch | None = None
    remote: str = ""
    mode: str = "starting"
    restarts: int = 0
    heard_s: float | None = None
    reconciled: Reconciled = field(default_factory=Reconciled)
    presence: Presence = field(init=False)
    _hints: Hints = field(default_factory=Hints)
    _heard: asyncio.Event = field(default_factory=asyncio.Event)
    _again: dict[str, float] = field(default_factory=dict)
    _doubts: dict[str, tuple[Identity | None]] = field(default_factory=dict)
    _scan_due_s: float = 0.0
    _probe_s: float | None = None
    _told: set[str] = field(default_factory=set)
    _near: set[str] = field(default_factory=set)
    _stopped: bool = False
    _links: Mapping[str, str] = field(default_factory=dict)
    own: OwnLines = field(init=False)

    def __post_init__(self) -> None:
        self.presence = Presence(self.workspace.tree, self.workspace.ports.monotonic)
        self.own = OwnLines(self.library, self.indexing.note, lambda name: self.hear(Hints({name})), self.workspace)

    def hear(self, hints: Hints) -> None:
        """Take hints from the watcher."""
        self.heard_s = self._now()
        self._probe_s = None
        self._told |= hints.names | {f"{folder}/" for folder in hints.folders}
        self._hints.join(hints)
        self._heard.set()

    async def run(self) -> None:
        """Take in everything there is, then what changes."""
        begun = False
        while not self._stopped:
            try:
                if not begun:
                    self._listen()
                    await self._scan(first=True)
                    self.library.loaded.set()
                    await self.indexing.open()
                    begun = True
                await self._wait()
                if not self.presence.look():
                    if self.presence.is_gone_for(self.workspace.settings.daemon.gone_exit_s):
                        return
                    self._hints = Hints()
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
        self._heard.set()
        if self.watch:
            self.watch.stop()

    async def _begin_again(self) -> None:
        """Rest, and have everything looked at: what was heard meanwhile is in it."""
        self._hints = Hints(lost=True)
        if not self._stopped:
            await asyncio.sleep(POLL_S)

    def _now(self) -> float:
        return self.workspace.ports.monotonic()

    def _listen(self) -> None:
        """Start or restart the watcher; where it cannot listen, the scans come often instead."""
        if self.watch is None or self.remote:
            self.mode = "polling"
            return
        self.watch.stop()
        self.mode = "events" if self.watch.start() else "polling"

    async def _wait(self) -> None:
        now_s = self._now()
        due = [self._scan_due_s, now_s + LOOK_S, *self._again.values()]
        if self.presence.gone_since_s is not None:
            due = [self.presence.gone_since_s + self.workspace.settings.daemon.gone_exit_s, now_s + GONE_STEP_S]
        if self._probe_s is not None:
            due.append(self._probe_s + PROBE_S)
        if not self._hints and not self._stopped:
            self._heard.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, min(due) - now_s)):
                    await self._heard.wait()

    async def _turn(self) -> None:
        hints, self._hints = self._hints, Hints()
        self.workspace.look_at_settings()
        lies_elsewhere = self._links != self.workspace.tree.links
        hints.lost, self.presence.came_back = hints.lost or self.presence.came_back or lies_elsewhere, False
        self._links = self.workspace.tree.links
        now_s = self._now()
        due = {name for name, at_s in self._again.items() if at_s <= now_s}
        if (hints.names or hints.folders or hints.lost or due) and await git_was_at_work(
            self.workspace.tree, self._now
        ):
            hints.lost = True
        if self._probe_s is not None and now_s - self._probe_s >= PROBE_S:
            logger.warning("the watcher does not hear; it is started again")
            self.restarts += 1
            self._probe_s = None
            hints.lost = True
        if hints.lost:
            self._listen()  # watches may stand for directories that went elsewhere
        if hints.lost or len(hints.names) + len(hints.folders) > MANY or now_s >= self._scan_due_s:
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
            await self.workspace.find_roles()  # an empty directory is a role too
        listing = await asyncio.to_thread(walk, self.workspace.tree, folder, self._adding())
        held = (*self.library.held, *map(memory_file, self.workspace.roles))
        return {name for name in listing.files if purpose_of(name)} | {n for n in held if n.startswith(f"{folder}/")}

    def _adding(self) -> Callable[[str], None]:
        return self.watch.add if self.watch and self.mode == "events" else nobody

    async def _scan(self, *, first: bool = False, hinted: bool = False) -> None:
        """Compare everything that is there with what is known, and take in what differs."""
        if self.mode == "events" and self.watch and self.watch.fault and not first:
            self._listen()  # watches may be free again
        listing, cpu_s = await asyncio.to_thread(self._listed)
        differing = differing_names(listing, self.library, self.workspace.roles)
        proving = self.mode == "events" and not (first or hinted or (self.watch and self.watch.fault))
        if differing and proving:
            await asyncio.sleep(MISSED_WAIT_S)  # hints under way
        changed = await self._absorb(differing)
        if proving:
            self._count_missed(changed)
        await self.workspace.find_roles()
        self.reconciled.note(self.workspace.ports.now(), cpu_s, listing, len(differing))
        await self._warn()
        self._told.clear()
        self._plan_next(cpu_s)

    async def _warn(self) -> None:
        """Tell the diary of every limit that has come near."""
        near = {name: one for name, one in (await limits_used(self.workspace)).items() if one["warning"]}
        for name, one in near.items() if near.keys() != self._near else ():
            logger.warning("%s: %d of %d used; largest: %s", name, one["used"], one["limit"], one.get("largest", "-"))
        self._near = set(near)

    def _plan_next(self, cpu_s: float) -> None:
        heard = self.mode == "events" and not (self.watch and self.watch.fault)
        pause_s = max(RECONCILE_S, SCAN_COST * cpu_s) if heard else max(POLL_S, SCAN_COST / 10 * cpu_s)
        self._scan_due_s = self._now() + min(pause_s, SCAN_MOST_S)
        if heard and self.watch and not self.workspace.read_only:
            self.watch.watch_probe(LOCK)
            if self.workspace.lock:
                self.workspace.lock.touch()
            self._probe_s = self._now()

    def _listed(self) -> tuple[Listing, float]:
        begun_s = time.thread_time()
        listing = walk(self.workspace.tree, ".", self._adding())
        return listing, time.thread_time() - begun_s

    def _count_missed(self, changed: Iterable[str]) -> None:
        missed = untold(changed, self._told)
        if missed:
            self.reconciled.missed += len(missed)
            self.restarts += 1
            logger.warning("%d changes were not heard of, %s first; listening anew", len(missed), min(missed))
            self._hints.lost = True

    async def _absorb(self, names: Iterable[str]) -> set[str]:
        """Take in what these files hold now; return the pages and sessions that are other than they were."""
        files: list[str] = []
        roles: dict[str, bool] = {}
        for name in sorted(names):
            purpose = purpose_of(name)
            if purpose in (Purpose.MEMORY, Purpose.PROFILE, Purpose.BOOK) or (purpose is None and role_of(name)):
                roles[role_of(name)] = roles.get(role_of(name), False) or purpose is not Purpose.MEMORY
            elif purpose is Purpose.SETTINGS:
                self.workspace.look_at_settings()
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
        if any(name not in self.workspace.roles for name in names):
            await self.workspace.find_roles()
        for name in list(names):
            role = self.workspace.roles.get(name)
            if role is None:
                self._again.pop(memory_file(name), None)
                self.indexing.note([memory_file(name)])
                continue
            async with role.turn:
                await self.workspace.look(role)
                if names[name]:
                    role.beside = await asyncio.to_thread(files_beside, self.workspace.tree, name)
            if role.missing_since_s is not None:
                self._again[memory_file(name)] = self._now() + CONFIRM_S
            else:
                self._again.pop(memory_file(name), None)
            self.indexing.note([memory_file(name)])

    async def _absorb_files(self, names: list[str]) -> list[str]:
        foreign = [name for name in names if not self.own.explains(name)]
        known: list[tuple[str, Held | None]] = [(name, self.library.held.get(name)) for name in foreign]
        readings = await asyncio.to_thread(read_files, self.workspace.tree, known)
        certain = [one for one in readings if self._is_certain(one)]
        changed = await self.library.take(certain)
        self.workspace.happenings.files(changed)
        self.indexing.note(one.name for one in certain)
        return changed

    def _is_certain(self, reading: Reading) -> bool:
        """Tell whether a reading counts; one that takes something away is made twice."""
        held = self.library.held.get(reading.name)
        doubtful = reading.identity is None or reading.rejected is not None or reading.empty
        if doubtful and held is not None and held.digests:
            if self._doubts.get(reading.name) != (reading.identity,):  # another state is another doubt
                self._doubts[reading.name] = (reading.identity,)
                self._again[reading.name] = self._now() + CONFIRM_S
            if self._now() < self._again.get(reading.name, 0.0) - 0.01:
                return False
        self._doubts.pop(reading.name, None)
        self._again.pop(reading.name, None)
        return True
