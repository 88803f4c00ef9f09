"""What is heard of changes: hints, who gives them, whether the watcher hears at all, and what the scans found that nobody had told."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from memd.formats.times import to_iso
from memd.model.files import role_of
from memd.storage.history import git_work
from memd.storage.layout import LOCK, ROLES
from memd.storage.listing import nobody

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.storage.listing import Listing


# What is heard of changes: hints, who gives them, and what the scans found that nobody had told.

GIT_STEP_S = 0.05
GIT_MOST_S = 30.0  # git is waited for this long, then its files are looked at whatever it does


@dataclass(slots=True)
class Hints:
    """What was heard: names, directories, and whether events were lost or the root moved; `alive` answers a probe."""

    names: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    lost: bool = False
    gone: bool = False
    alive: bool = False

    def __bool__(self) -> bool:
        return bool(self.names or self.folders or self.lost or self.gone or self.alive)

    def join(self, other: Hints) -> None:
        """Add what was heard later."""
        self.names |= other.names
        self.folders |= other.folders
        self.lost, self.gone, self.alive = self.lost or other.lost, self.gone or other.gone, self.alive or other.alive


class Watch(Protocol):
    """What hears of changes: the door of the system's events."""

    fault: str

    @property
    def folders(self) -> int:
        """How many directories are watched."""

    def start(self) -> bool:
        """Begin to listen; tell whether that is possible."""

    def stop(self) -> None:
        """Listen no more."""

    def add(self, folder: str) -> None:
        """Watch a directory."""

    def watching(self, folder: str) -> int:
        """Return the number of the watch on a directory, another one each time it is watched anew; 0 where what it tells may come late, or not at all."""

    def pending(self) -> Hints:
        """Return what the system has told by now and was not handed on yet; it will be all the same."""

    def watch_probe(self, name: str) -> None:
        """Watch a file of memd's own for a touch."""


@dataclass(slots=True)
class Reconciled:
    """The last scan: when, what it took, and what it found that no event had told."""

    at_s: float = 0.0
    took_s: float = 0.0
    files: int = 0
    found: int = 0
    scans: int = 0
    missed: int = 0
    odd: dict[str, str] = field(default_factory=dict)
    linked: list[str] = field(default_factory=list)

    def note(self, now_s: float, took_s: float, listing: Listing, found: int) -> None:
        """Note a scan."""
        self.at_s, self.took_s, self.files = now_s, took_s, len(listing.files)
        self.found, self.odd, self.linked = found, listing.odd, listing.linked[:100]
        self.scans += 1

    def view(self) -> dict[str, Any]:
        """Return it for a reply; `took_ms` is processor time."""
        return {
            "at": to_iso(self.at_s) if self.at_s else "",
            "files": self.files,
            "found": self.found,
            "took_ms": round(self.took_s * 1000, 1),
            "scans": self.scans,
        }


def untold(changed: Iterable[str], told: Collection[str]) -> set[str]:
    """Return the changes that no hint had told: neither their names nor a directory (with a slash) above them."""
    folders = tuple(one for one in told if one.endswith("/"))
    return {name for name in changed if name not in told and not name.startswith(folders)}


async def git_was_at_work(tree: Tree, now_s: Callable[[], float]) -> bool:
    """Wait while git changes files; tell whether it did."""
    until_s, waited = now_s() + GIT_MOST_S, False
    while git_work(tree, tree.system) == "index.lock" and now_s() < until_s:
        waited = True
        await asyncio.sleep(GIT_STEP_S)
    return waited


PROBE_S = 5.0  # for an event to answer a touch


@dataclass(slots=True)
class Hearing:
    """Owned by the event loop. `told` are the names, and directories with a slash, that hints had since the last scan."""

    monotonic: Callable[[], float]
    remote: str = ""
    watch: Watch | None = None
    mode: str = "starting"
    restarts: int = 0
    heard_s: float | None = None
    told: set[str] = field(default_factory=set)
    hints: Hints = field(default_factory=Hints)
    _probe_s: float | None = None
    _of_roles: set[str] = field(default_factory=set)  # of which something was heard since somebody asked
    _of_any: bool = True
    _heard: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def heard(self) -> bool:
        """Whether events are heard, and of every directory."""
        return self.mode == "events" and not (self.watch and self.watch.fault)

    @property
    def why(self) -> str:
        """Why events are not heard, or not of everything."""
        return (self.watch.fault if self.watch else "") or self.remote

    def hear(self, hints: Hints) -> None:
        """Take hints from the watcher."""
        self.heard_s = self.monotonic()
        self._probe_s = None
        self.told |= hints.names | {f"{folder}/" for folder in hints.folders}
        self.hints.join(hints)
        self._note_roles(hints)
        self._heard.set()

    def roles_told(self) -> set[str] | None:
        """Return the roles of which the system has told a change since this was last asked, up to now; None: it may have been any."""
        if self.heard and self.watch:
            self._note_roles(self.watch.pending())
        told = None if self._of_any or not self.heard else self._of_roles
        self._of_roles, self._of_any = set(), False
        return told

    def watching(self, folder: str) -> int:
        """Return the number of the watch on a directory, 0 where its changes may be heard of late, or not at all."""
        return self.watch.watching(folder) if self.watch and self.heard else 0

    def _note_roles(self, hints: Hints) -> None:
        self._of_roles |= {role_of(name) for name in hints.names} | {role_of(f"{one}/") for one in hints.folders}
        self._of_any = self._of_any or hints.lost or hints.gone or ROLES in hints.folders

    def take(self) -> Hints:
        """Return what was heard so far, and begin anew."""
        taken, self.hints = self.hints, Hints()
        return taken

    def listen(self) -> None:
        """Start or restart the watcher; where it cannot listen, the scans come often instead."""
        self._of_any = True
        if self.watch is None or self.remote:
            self.mode = "polling"
            return
        self.watch.stop()
        self.mode = "events" if self.watch.start() else "polling"

    def stop(self) -> None:
        """Listen no more."""
        self._heard.set()
        if self.watch:
            self.watch.stop()

    def adding(self) -> Callable[[str], None]:
        """Return what watches one more directory."""
        return self.watch.add if self.watch and self.mode == "events" else nobody

    def probe(self, touch: Callable[[], None]) -> None:
        """See whether a touch of memd's own file is heard of."""
        if self.watch:
            self.watch.watch_probe(LOCK)
            touch()
            self._probe_s = self.monotonic()

    def is_deaf(self) -> bool:
        """Tell, once, whether a touch was not heard of in time."""
        deaf = self._probe_s is not None and self.monotonic() - self._probe_s >= PROBE_S
        if deaf:
            self.restarts += 1
            self._probe_s = None
        return deaf

    async def wait(self, until_s: float) -> None:
        """Wait until something is heard, a probe is due, or a monotonic time."""
        if self._probe_s is not None:
            until_s = min(until_s, self._probe_s + PROBE_S)
        self._heard.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, until_s - self.monotonic())):
                await self._heard.wait()
