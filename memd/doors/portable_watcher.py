"""Hear of changes through a library that knows every system's events: the default where there is no inotify.

A thread waits for each batch of directories; what it hears is handed to the event loop. Where the system's own events are
of one directory each (Linux), directories are watched as they are listed, links not followed, and looked at once more when
their watch stands: what changed in between was told to nobody. Elsewhere one watch hears of everything below.

Source
    watchfiles' own pages on RustNotify; docs/decisions/0041 says what it does not tell, and who makes up for it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from memd.model.files import is_entered, purpose_of, role_of
from memd.store.following.hearing import Hints

logger = logging.getLogger(__name__)

STEP_MS = 20  # no event for so long: the editor has done what it does
MOST_MS = 100  # a stream without a pause is handed on this often
WAKE_MS = 1000  # a thread looks this often whether it is to end
COLLECT_S = 0.02  # directories that are listed one after the other are watched together
LISTENERS = 8  # threads, before one takes over from all of them
DEEP = sys.platform != "linux"  # whether a watch is of everything below a directory


@dataclass(slots=True)
class PortableWatcher:
    """Threads that wait, and what the loop makes of what they hear. `add` may be called in any thread."""

    path: str
    take: Callable[[Hints], None]
    place: Callable[[str], str]  # the absolute path of a directory, where it really lies
    fault: str = ""
    _make: Any = None
    _loop: asyncio.AbstractEventLoop | None = None
    _names: dict[str, str] = field(default_factory=dict)  # of directories, by where they lie
    _new: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _ends: list[threading.Event] = field(default_factory=list)
    _probe: str = ""
    _opening: asyncio.TimerHandle | None = None

    def start(self) -> bool:
        """Begin to listen; tell whether this system can. Directories are added as they are listed."""
        try:
            from watchfiles._rust_notify import RustNotify  # noqa: PLC0415  most daemons never need it
        except ImportError as error:
            self.fault = f"watchfiles cannot be used here: {error}"
            return False
        self._make, self._loop, self.fault = RustNotify, asyncio.get_running_loop(), ""
        return True

    def stop(self) -> None:
        """Let go of every watch; the threads end by themselves."""
        with self._lock:
            for end in self._ends:
                end.set()
            self._ends.clear()
            self._names.clear()
            self._new.clear()
        if self._opening:
            self._opening.cancel()
        self._opening, self._loop, self._probe = None, None, ""

    @property
    def folders(self) -> int:
        """How many directories are watched."""
        return len(self._names)

    def add(self, folder: str) -> None:
        """Watch a directory by its name below the workspace. A fault is kept in `fault`: some changes go unheard."""
        at = self.place(folder)
        with self._lock:
            if self._loop is None or at in self._names or (DEEP and self._is_below(at)):
                return
            self._new.add(folder)
            self._loop.call_soon_threadsafe(self._open_soon)

    def watch_probe(self, name: str) -> None:
        """Hear of a touch of one file of memd's own: the proof that events come."""
        at = os.path.join(self.path, name)
        if self._probe != at:
            self._probe = at
            self._listen([at])

    def _is_below(self, at: str) -> bool:
        return any(at.startswith(f"{one}{os.sep}") for one in self._names)

    def _open_soon(self) -> None:
        if self._loop is not None and self._opening is None:
            self._opening = self._loop.call_later(COLLECT_S, self._open)

    def watching(self, folder: str) -> int:  # noqa: ARG002  it is the same for every directory
        """Return 0: another thread hears of changes, some time after they were made."""
        return 0

    def pending(self) -> Hints:
        """Return that nobody knows what was not handed on yet."""
        return Hints(lost=True)

    def _open(self) -> None:
        self._opening = None
        with self._lock:
            folders, self._new = self._new, set()
            places = {at: folder for folder in folders if os.path.isdir(at := self.place(folder))}
            self._names |= places
            old = list(self._ends) if len(self._ends) >= LISTENERS else []
            paths = [*self._names, *([self._probe] if self._probe else [])] if old else [*places]
        if not places or not self._listen(paths):
            return
        with self._lock:
            for end in old:  # whose directories are among those of the new one
                end.set()
                self._ends.remove(end)
            known = set(self._names.values()) if old else set()  # what an old one has heard it throws away as it ends
        self.take(Hints(folders=known | set(places.values())))

    def _listen(self, paths: Collection[str]) -> bool:
        """Begin to wait for events of these paths; those that are gone already are left out."""
        there = [one for one in paths if os.path.exists(one)]
        try:
            notify = self._make(there, False, False, 0, DEEP, True)
        except FileNotFoundError:
            return self._listen(there) if len(there) < len(paths) else False  # one more has gone meanwhile
        except OSError as error:
            self.fault = f"{len(there)} directories cannot be watched: {error}"
            return False
        end = threading.Event()
        with self._lock:
            self._ends.append(end)
        threading.Thread(target=self._wait, args=(notify, end), name="watch", daemon=True).start()
        return True

    def _wait(self, notify: Any, end: threading.Event) -> None:
        while not end.is_set():
            try:
                heard = notify.watch(MOST_MS, STEP_MS, WAKE_MS, end)
            except Exception:
                logger.exception("waiting for events failed")
                end.set()
                heard = None
            loop = self._loop
            if loop is None or loop.is_closed() or heard in ("stop", "signal"):
                return
            if heard != "timeout":
                loop.call_soon_threadsafe(self._hear, heard)

    def _hear(self, heard: Iterable[tuple[int, str]] | None) -> None:
        if self._loop is None:
            return  # it was stopped meanwhile
        hints = Hints(lost=heard is None)
        for _, at in heard or ():
            self._take(at, hints)
        if hints:
            self.take(hints)

    def _take(self, at: str, hints: Hints) -> None:
        if at == self._probe:
            hints.alive = True
            return
        if at in self._names and not os.path.isdir(at):
            with self._lock:  # who adds a directory goes through them, in another thread
                folder = self._names.pop(at)
            hints.gone = hints.gone or folder == "."
            hints.folders.add(folder)
            return
        whole = self._name_of(at)
        if whole is None:
            return
        if os.path.isdir(at) and not os.path.islink(at):
            if at not in self._names and is_entered([whole.rpartition("/")[2]]):
                hints.folders.add(whole)
        elif purpose_of(whole) is not None or (role_of(whole) and is_entered([whole.rpartition("/")[2]])):
            hints.names.add(whole)

    def _name_of(self, at: str) -> str | None:
        """Return the name below the workspace of what lies at an absolute path, None of what nobody asked about."""
        above, leaf = os.path.split(at)
        below = leaf
        while above not in self._names:
            above, part = os.path.split(above)
            if not DEEP or not part or not is_entered([part]):
                return None
            below = f"{part}/{below}"
        folder = self._names[above]
        return below if folder == "." else f"{folder}/{below}"
