"""What is heard of changes: hints, who gives them, and what the scans found that nobody had told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from memd.formats.times import to_iso
from memd.storage.history import git_work

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.storage.listing import Listing

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
