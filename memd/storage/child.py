"""Run memd itself once in a process of its own, so that long work does not hold the interpreter of the daemon."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Callable, Sequence

from memd.errors import StorageError
from memd.storage.itself import child_command

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
