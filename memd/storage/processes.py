"""Processes of this user's: whether one has a file open, how it is asked to end, how this one falls silent.

A process is held by a handle before it is looked at, so that its number cannot meanwhile be another's.
macOS: there is neither /proc nor such a handle; a process is then taken by its number (untested).
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memd.storage.system import System

STEP_S = 0.02


class Running:
    """A process that was there when it was asked for."""

    def __init__(self, pid: int, handle: int) -> None:
        self.pid = pid
        self._handle = handle  # -1 where the system has none

    def has_open(self, path: str) -> bool | None:
        """Tell whether it has a file open; None where this system does not show it."""
        if not os.path.isdir("/proc/self/fd"):
            return None
        try:
            wanted, handles = os.stat(path, follow_symlinks=False), os.listdir(f"/proc/{self.pid}/fd")
        except PermissionError:
            return None
        except OSError:
            return False
        for one in handles:
            with contextlib.suppress(OSError):  # closed meanwhile
                if os.path.samestat(os.stat(f"/proc/{self.pid}/fd/{one}"), wanted):
                    return True
        return False

    def ask_to_end(self) -> None:
        """Send it SIGTERM; nothing happens where it is gone. PermissionError where it is somebody else's."""
        with contextlib.suppress(ProcessLookupError):
            if self._handle >= 0:
                signal.pidfd_send_signal(self._handle, signal.SIGTERM)
            else:
                os.kill(self.pid, signal.SIGTERM)

    def ends_within(self, seconds: float) -> bool:
        """Wait so long for its end, and tell whether it came."""
        if self._handle >= 0:
            return bool(select.select([self._handle], [], [], seconds)[0])
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                os.kill(self.pid, 0)
            except ProcessLookupError:
                return True
            time.sleep(STEP_S)
        return False


def fall_silent() -> None:
    """Let all that this process says from now on go nowhere."""
    nowhere = System().open(os.devnull, os.O_WRONLY)
    for handle in (1, 2):
        os.dup2(nowhere, handle)
    System().close(nowhere)


@contextmanager
def running(pid: int) -> Iterator[Running | None]:
    """Hold on to a process meanwhile; None where there is none of that number."""
    handle = -1
    try:
        if hasattr(os, "pidfd_open"):
            handle = os.pidfd_open(pid)
        else:
            os.kill(pid, 0)
    except (OSError, ValueError, OverflowError):
        yield None
        return
    try:
        yield Running(pid, handle)
    finally:
        if handle >= 0:
            os.close(handle)
