"""Processes: whether one of this user's has a file open, how it is asked to end, how this one falls silent; another program run to
its end, and memd itself run once, so that long work does not hold the interpreter of the daemon. Nothing of a workspace is ever run.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from memd.errors import StorageError
from memd.storage.itself import child_command
from memd.storage.system import System

LONGEST_S = 1800.0


class _Listener(threading.Thread):
    """Reads what a process says on its standard error, to the end; `last` is its last complaint."""

    def __init__(self, handle: int, heard: Callable[[bytes], bool]) -> None:
        super().__init__(name="child's words", daemon=True)
        self.last = ""
        self._handle, self._heard = handle, heard

    def run(self) -> None:
        """Hear line by line."""
        with os.fdopen(self._handle, "rb") as lines:
            for line in lines:
                if not self._heard(line) and line.strip():
                    self.last = line.decode("utf-8", "replace").strip()


class Child:
    """At most one process at a time; `stop` ends it. Blocks, so call `run` in a thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._lock = threading.Lock()

    def run(self, arguments: Sequence[str], given: bytes, heard: Callable[[bytes], bool] = lambda _: False) -> bytes:
        """Return what `memd ARGUMENTS` printed, or raise StorageError with what it complained of.

        `heard`: given each line of its standard error as it comes, and tells whether that was no complaint.
        """
        ear, mouth = os.pipe()
        listener = _Listener(ear, heard)
        with self._lock:
            try:
                if self._stopped:
                    raise StorageError("memd", "it is stopping")
                self._process = subprocess.Popen(  # noqa: S603  our own interpreter with our own words
                    [*child_command(), *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=mouth,
                )
            except BaseException:
                os.close(ear)
                raise
            finally:
                os.close(mouth)
        listener.start()
        try:
            out, _ = self._process.communicate(given, timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            raise StorageError("memd", f"it was not done after {LONGEST_S:g} s") from None
        listener.join()
        if self._process.returncode:
            why = listener.last or "no word of why"
            raise StorageError("memd", f"it ended with status {self._process.returncode}: {why[:200]}")
        return out

    def stop(self) -> None:
        """End the process that runs, and start no other."""
        with self._lock:
            self._stopped = True
            if self._process and self._process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    self._process.terminate()


DEADLINE_S = 30.0
MISSING, LATE = 127, 124  # what a shell says of a program that is not there, and timeout(1) of one that is not done


class Ran(NamedTuple):
    """What came of a program: its status, what it printed, and what it complained of."""

    status: int
    out: str
    err: str

    @property
    def why(self) -> str:
        """The first line of its complaint, or its status."""
        said = (self.err.strip() or self.out.strip()).splitlines()
        return said[0][:300] if said else f"it ended with status {self.status}"


def run_program(words: Sequence[str], *, deadline_s: float = DEADLINE_S) -> Ran:
    """Run a program found on PATH, in English, without input. One that is missing or late has a status too."""
    try:
        done = subprocess.run(  # noqa: S603  the words are ours, and no shell reads them
            list(words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=deadline_s,
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    except FileNotFoundError:
        return Ran(MISSING, "", f"there is no program {words[0]}")
    except OSError as error:
        return Ran(MISSING, "", f"{words[0]} cannot be started: {error.strerror}")
    except subprocess.TimeoutExpired:
        return Ran(LATE, "", f"{words[0]} was not done after {deadline_s:g} s")
    return Ran(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


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
