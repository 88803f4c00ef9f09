"""A system whose process is killed at the n-th call that changes the disk, and which cannot write some files for a while."""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Callable, Collection
from typing import Any

from memd.storage.system import System

CHANGING = (
    "write", "sync", "sync_data", "truncate", "exchange", "rename_new", "rename", "unlink", "make_dir",
)  # fmt: skip
SYNC = "sync of the log"


class Seam(System):
    """Calls that change the disk are counted over all threads; 0 kills never. `blocked`: parts of names of files."""

    def __init__(self, kill_at: int = 0, blocked: Collection[str] = ()) -> None:
        self.kill_at, self.blocked = kill_at, tuple(blocked)
        self.count = 0
        self.lock = threading.Lock()

    def arm(self, kill_at: int, blocked: Collection[str]) -> None:
        """Count from here on, and refuse these names instead of others."""
        with self.lock:
            self.count, self.kill_at, self.blocked = 0, kill_at, tuple(blocked)

    def open(self, name: str, flags: int, mode: int = 0o600, *, at: int | None = None) -> int:
        """Open; what is to be written and is blocked fails as a broken disk does."""
        if flags & (os.O_WRONLY | os.O_RDWR) and any(one in name for one in self.blocked):
            raise OSError(errno.EIO, os.strerror(errno.EIO), name)
        return super().open(name, flags, mode, at=at)

    def sync_data(self, handle: int) -> None:
        """Sync; where SYNC is blocked, the disk takes the bytes and does not say that it keeps them."""
        if SYNC in self.blocked:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().sync_data(handle)

    def is_last(self) -> bool:
        """Count a call; tell whether it is the one at which the process ends."""
        with self.lock:
            self.count += 1
            return self.count == self.kill_at


def _counted(name: str) -> Callable[..., Any]:
    def call(self: Seam, *args: Any, **kwargs: Any) -> Any:
        if self.is_last():
            if name == "write":  # half of it gets there
                handle, data = args
                System.write(self, handle, bytes(data)[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return before(self, *args, **kwargs)

    before = getattr(Seam, name)
    return call


for _name in CHANGING:
    setattr(Seam, _name, _counted(_name))
