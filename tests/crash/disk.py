"""A disk that remembers what was synced: every call that changes something is written down and can be played back.

What a power cut leaves is a prefix of the calls in which everything that was synced is there, and of what was not synced
any part: `Disk.after` makes one such state. Names of a directory are durable once the directory is synced, bytes of a file
once the file is; calls on one file or directory that are not synced may be lost one by one (ALICE, OSDI '14).
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from memd.storage.system import System

ROOT = 0
NOTHING_OF_IT: Callable[[int], bool] = lambda _: False  # noqa: E731  a power cut that takes all that was not synced
ALL_OF_IT: Callable[[int], bool] = lambda _: True  # noqa: E731  a kill: the system writes it in the end


class Step(NamedTuple):
    """One call: what it did to which node. `entries` of a directory, `data` at `offset` of a file; or a sync of all before."""

    what: str  # entries, write, truncate, sync, or said (a mark of the test's own)
    node: int
    entries: tuple[tuple[str, int | None], ...] = ()
    data: bytes = b""
    offset: int = 0
    before: int = 0  # sync: the steps from this one on are not covered
    label: str = ""


class Disk:
    """What lay on the disk at the beginning, and every step since."""

    def __init__(self, path: Path) -> None:
        self.first_files: dict[int, bytes] = {}
        self.first_folders: dict[int, dict[str, int]] = {}
        self.steps: list[Step] = []
        self.folders: dict[int, dict[str, int]] = {}  # as they are now, synced or not
        self.sizes: dict[int, int] = {}
        self._next = ROOT
        self._take_in(path)

    def _take_in(self, path: Path) -> int:
        node, self._next = self._next, self._next + 1
        if path.is_dir():
            self.first_folders[node] = {one.name: self._take_in(one) for one in sorted(path.iterdir())}
            self.folders[node] = dict(self.first_folders[node])
        else:
            self.first_files[node] = path.read_bytes()
            self.sizes[node] = len(self.first_files[node])
        return node

    def new(self, *, folder: bool) -> int:
        """Return a node that nothing names yet."""
        node, self._next = self._next, self._next + 1
        if folder:
            self.folders[node] = {}
        else:
            self.sizes[node] = 0
        return node

    def rename(self, folder: int, entries: tuple[tuple[str, int | None], ...]) -> None:
        """Let names of a directory mean these nodes, in one step."""
        for name, node in entries:
            if node is None:
                self.folders[folder].pop(name, None)
            else:
                self.folders[folder][name] = node
        self.steps.append(Step("entries", folder, entries))

    def say(self, label: str) -> int:
        """Note a moment, and return the number of steps before it."""
        self.steps.append(Step("said", -1, label=label))
        return len(self.steps)

    def durable(self, until: int) -> set[int]:
        """Return the numbers of the steps that a sync within the first `until` steps covers."""
        found: set[int] = set()
        synced: dict[int, int] = {}
        for at in range(until - 1, -1, -1):
            step = self.steps[at]
            if step.what == "sync":
                synced[step.node] = max(step.before, synced.get(step.node, 0))
            elif at < synced.get(step.node, 0):
                found.add(at)
        return found

    def after(self, until: int, lucky: Callable[[int], bool]) -> tuple[dict[int, bytearray], dict[int, dict[str, int]]]:
        """Return files and directories after a power cut: of what was not synced only the `lucky` steps are there."""
        durable = self.durable(until)
        files = {node: bytearray(data) for node, data in self.first_files.items()}
        folders = {node: dict(entries) for node, entries in self.first_folders.items()}
        for at, step in enumerate(self.steps[:until]):
            if at not in durable and not lucky(at):
                continue
            if step.what == "entries":
                here = folders.setdefault(step.node, {})
                for name, node in step.entries:
                    if node is None:
                        here.pop(name, None)
                    else:
                        here[name] = node
            elif step.what == "write":
                data = files.setdefault(step.node, bytearray())
                data.extend(bytes(max(0, step.offset - len(data))))  # what was lost before it reads as zeros
                data[step.offset : step.offset + len(step.data)] = step.data
            elif step.what == "truncate":
                del files.setdefault(step.node, bytearray())[step.offset :]
        return files, folders

    def lay_out(self, path: Path, until: int, lucky: Callable[[int], bool]) -> None:
        """Make a directory as it is after a power cut."""
        files, folders = self.after(until, lucky)

        def lay(node: int, at: Path) -> None:
            if node in self.folders:
                at.mkdir()
                for name, below in folders.get(node, {}).items():
                    lay(below, at / name)
            else:
                at.write_bytes(files.get(node, b""))

        lay(ROOT, path)

    def unsynced(self, until: int) -> Iterator[tuple[int, Step]]:
        """Yield the steps among the first `until` that no sync among them covers."""
        durable = self.durable(until)
        for at, step in enumerate(self.steps[:until]):
            if at not in durable and step.what in ("entries", "write", "truncate"):
                yield at, step


class Recording(System):
    """A system that does what it is told and writes it down. `forgets` are kinds of syncs that it does not write down."""

    def __init__(self, path: Path, forgets: frozenset[str] = frozenset()) -> None:
        self.disk = Disk(path)
        self.path, self.forgets = str(path), forgets
        self.handles: dict[int, tuple[int, bool]] = {}  # node, and whether it is written at the end
        self.places: dict[int, int] = {}
        self.lock = threading.RLock()

    def open(self, name: str, flags: int, mode: int = 0o600, *, at: int | None = None) -> int:
        with self.lock:
            handle = super().open(name, flags, mode, at=at)
            if at is None:
                node = ROOT if name == self.path else -1
            else:
                folder = self._node(at)
                known = folder if name == "." else self.disk.folders.get(folder, {}).get(name)
                if known is None and flags & os.O_CREAT:
                    known = self.disk.new(folder=False)
                    self.disk.rename(folder, ((name, known),))
                node = -1 if known is None else known
            self.handles[handle] = node, bool(flags & os.O_APPEND)
            self.places[handle] = 0
            return handle

    def close(self, handle: int) -> None:
        with self.lock:
            self.handles.pop(handle, None)
            super().close(handle)

    def write(self, handle: int, data: bytes | memoryview) -> int:
        with self.lock:
            count = super().write(handle, data)
            node, append = self.handles[handle]
            offset = self.disk.sizes[node] if append else self.places[handle]
            self.places[handle] = offset + count
            self.disk.sizes[node] = max(self.disk.sizes[node], offset + count)
            self.disk.steps.append(Step("write", node, data=bytes(data[:count]), offset=offset))
            return count

    def sync(self, handle: int) -> None:
        self._sync(handle, "directory" if self._node(handle) in self.disk.folders else "file")

    def sync_data(self, handle: int) -> None:
        self._sync(handle, "data")

    def _sync(self, handle: int, kind: str) -> None:
        with self.lock:
            node, before = self._node(handle), len(self.disk.steps)
        (super().sync_data if kind == "data" else super().sync)(handle)
        with self.lock:
            if kind not in self.forgets:
                self.disk.steps.append(Step("sync", node, before=before))

    def truncate(self, handle: int, size: int) -> None:
        with self.lock:
            super().truncate(handle, size)
            node = self._node(handle)
            self.disk.sizes[node] = size
            self.disk.steps.append(Step("truncate", node, offset=size))

    def exchange(self, one: str, other: str, *, at: int) -> None:
        with self.lock:
            super().exchange(one, other, at=at)
            names = self.disk.folders[self._node(at)]
            self.disk.rename(self._node(at), ((one, names[other]), (other, names[one])))

    def rename_new(self, one: str, other: str, *, at: int) -> None:
        with self.lock:
            super().rename_new(one, other, at=at)
            self._moved(one, other, at)

    def rename(self, one: str, other: str, *, at: int) -> None:
        with self.lock:
            super().rename(one, other, at=at)
            self._moved(one, other, at)

    def _moved(self, one: str, other: str, at: int) -> None:
        folder = self._node(at)
        self.disk.rename(folder, ((one, None), (other, self.disk.folders[folder][one])))

    def unlink(self, name: str, *, at: int) -> None:
        with self.lock:
            super().unlink(name, at=at)
            self.disk.rename(self._node(at), ((name, None),))

    def remove_dir(self, name: str, *, at: int) -> None:
        with self.lock:
            super().remove_dir(name, at=at)
            self.disk.rename(self._node(at), ((name, None),))

    def make_dir(self, name: str, *, at: int) -> None:
        with self.lock:
            super().make_dir(name, at=at)
            self.disk.rename(self._node(at), ((name, self.disk.new(folder=True)),))

    def _node(self, handle: int) -> int:
        node = self.handles[handle][0]
        assert node >= 0 or not stat.S_ISREG(os.fstat(handle).st_mode), "a file that the record does not know"
        return node
