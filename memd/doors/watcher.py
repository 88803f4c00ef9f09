"""Hear from the system which names changed below a workspace. What it says is a hint: the files are the truth.

Every directory is watched by itself, as it is listed; links are not followed, and what is hidden is not watched. Lost
events, a full table of watches and a root that moved are told, never passed over.

Source
    inotify(7). A library that watches a tree by itself was tried: it followed two links out of the workspace to 37,143
    watches and then failed (docs/decisions/0009).
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from memd.model.files import is_entered, purpose_of, role_of
from memd.store.following.hearing import Hints

logger = logging.getLogger(__name__)

QUIET_S = 0.01  # no event for so long: the editor has done what it does
EVENT_BYTES = 16_384  # taken in one step of the loop: some hundred events
PENDING_STEPS = 8  # of that are taken for one question; who asks while more come looks at the files
MOST_S = 0.05  # a stream without a pause is handed on this often


@dataclass(slots=True)
class Watcher:
    """One inotify handle, read by the event loop. `add` may be called in any thread."""

    path: str
    take: Callable[[Hints], None]
    place: Callable[[str], str]  # the absolute path of a directory, where it really lies
    fault: str = ""
    _inotify: Any = None
    _folders: dict[int, str] = field(default_factory=dict)
    _watches: dict[str, int] = field(default_factory=dict)
    _hints: Hints = field(default_factory=Hints)
    _timer: asyncio.TimerHandle | None = None
    _first_s: float = 0.0
    _probe: int = -1

    def start(self) -> bool:
        """Begin to listen; tell whether this system can. Directories are added as they are listed."""
        try:
            from inotify_simple import INotify  # noqa: PLC0415  there is no inotify on other systems than Linux

            self._inotify = INotify(nonblocking=True)
        except (ImportError, OSError, AttributeError) as error:
            self.fault = f"this system has no inotify for us: {error}"
            return False
        self.fault = ""
        asyncio.get_running_loop().add_reader(self._inotify.fileno(), self._read)
        return True

    def stop(self) -> None:
        """Let go of every watch."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._inotify is not None:
            asyncio.get_running_loop().remove_reader(self._inotify.fileno())
            self._inotify.close()
            self._inotify = None
        self._folders.clear()
        self._watches.clear()
        self._hints, self._probe = Hints(), -1

    @property
    def folders(self) -> int:
        """How many directories are watched."""
        return len(self._watches)

    def add(self, folder: str) -> None:
        """Watch a directory by its name below the workspace. A fault is kept in `fault`: some changes go unheard."""
        from inotify_simple import flags  # noqa: PLC0415

        listening = self._inotify
        if listening is None:
            return
        mask = (
            flags.CREATE | flags.MODIFY | flags.CLOSE_WRITE | flags.MOVED_FROM | flags.MOVED_TO | flags.DELETE
            | flags.DELETE_SELF | flags.MOVE_SELF | flags.ONLYDIR | flags.DONT_FOLLOW | flags.EXCL_UNLINK
        )  # fmt: skip
        try:
            watch = listening.add_watch(self.place(folder), mask)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                self.fault = f"the system's limit of watches is reached at {len(self._watches)} directories"
            elif error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ENAMETOOLONG):
                self.fault = f"{folder}: {error.strerror}"
            return
        except ValueError:
            return  # it was stopped meanwhile
        self._folders[watch] = folder
        self._watches[folder] = watch

    def watching(self, folder: str) -> int:
        """Return the number of the watch on a directory, 0 where there is none: the system queues an event before the change that it tells of is done."""
        return self._watches.get(folder, 0)

    def pending(self) -> Hints:
        """Return what the system has told by now and was not handed on yet."""
        for _ in range(PENDING_STEPS):
            if self._inotify is None or not self._read():
                return self._hints
        return Hints(lost=True)

    def watch_probe(self, name: str) -> None:
        """Hear of a touch of one file of memd's own: the proof that events come."""
        from inotify_simple import flags  # noqa: PLC0415

        if self._inotify is not None:
            try:
                self._probe = self._inotify.add_watch(os.path.join(self.path, name), flags.ATTRIB | flags.DONT_FOLLOW)
            except OSError:
                self._probe = -1

    def _read(self) -> bool:
        """Take in some events; tell whether there were any."""
        from inotify_simple import parse_events  # noqa: PLC0415

        try:
            data = os.read(self._inotify.fileno(), EVENT_BYTES)
            for event in parse_events(data):
                self._take(event.wd, event.mask, event.name)
        except BlockingIOError:
            return False
        except Exception:
            logger.exception("reading events failed")
            self._hints.lost = True
        self._schedule()
        return True

    def _take(self, watch: int, mask: int, name: str) -> None:
        from inotify_simple import flags  # noqa: PLC0415

        if mask & flags.Q_OVERFLOW:
            self._hints.lost = True
            return
        if watch == self._probe:
            self._hints.alive = True
            return
        folder = self._folders.get(watch)
        if folder is None:
            return
        if mask & (flags.IGNORED | flags.DELETE_SELF | flags.MOVE_SELF):
            self._self_changed(watch, folder, bool(mask & flags.IGNORED))
            return
        whole = name if folder == "." else f"{folder}/{name}"
        if mask & flags.ISDIR:
            if is_entered([name]):
                if mask & (flags.MOVED_FROM | flags.DELETE):
                    self._forget_below(whole)
                self._hints.folders.add(whole)
        elif purpose_of(whole) is not None or (role_of(whole) and is_entered([name])):
            self._hints.names.add(whole)

    def _self_changed(self, watch: int, folder: str, ended: bool) -> None:
        if folder == ".":
            self._hints.gone = True
        if ended:
            self._folders.pop(watch, None)
            if self._watches.get(folder) == watch:
                del self._watches[folder]

    def _forget_below(self, folder: str) -> None:
        """Stop watching a directory that went elsewhere: its watches would tell old names."""
        for name in [one for one in self._watches if one == folder or one.startswith(f"{folder}/")]:
            watch = self._watches.pop(name)
            self._folders.pop(watch, None)
            try:
                self._inotify.rm_watch(watch)
            except OSError:
                continue  # it was deleted, and its watch with it

    def _schedule(self) -> None:
        loop = asyncio.get_running_loop()
        now_s = loop.time()
        if self._timer is None:
            self._first_s = now_s
        else:
            self._timer.cancel()
        self._timer = loop.call_at(min(now_s + QUIET_S, self._first_s + MOST_S), self._hand_on)

    def _hand_on(self) -> None:
        self._timer = None
        hints, self._hints = self._hints, Hints()
        if hints:
            self.take(hints)
