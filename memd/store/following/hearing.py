"""What is heard of changes: the watcher, its hints until they are taken, and whether it hears at all."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from memd.model.files import role_of
from memd.storage.layout import LOCK, ROLES
from memd.storage.listing import nobody
from memd.store.following.hints import Hints, Watch

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
