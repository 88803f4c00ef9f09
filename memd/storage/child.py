"""Run memd itself once in a process of its own, so that long work does not hold the interpreter of the daemon."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Sequence

from memd.errors import StorageError
from memd.storage.itself import child_command

LONGEST_S = 1800.0


class Child:
    """At most one process at a time; `stop` ends it. Blocks, so call `run` in a thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._lock = threading.Lock()

    def run(self, arguments: Sequence[str], given: bytes) -> bytes:
        """Return what `memd ARGUMENTS` printed, or raise StorageError with what it complained of."""
        with self._lock:
            if self._stopped:
                raise StorageError("memd", "it is stopping")
            self._process = subprocess.Popen(  # noqa: S603  our own interpreter with our own words
                [*child_command(), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        try:
            out, err = self._process.communicate(given, timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            raise StorageError("memd", f"it was not done after {LONGEST_S:g} s") from None
        if self._process.returncode:
            said = err.decode("utf-8", "replace").strip().splitlines()
            why = said[-1] if said else "no word of why"
            raise StorageError("memd", f"it ended with status {self._process.returncode}: {why[:200]}")
        return out

    def stop(self) -> None:
        """End the process that runs, and start no other."""
        with self._lock:
            self._stopped = True
            if self._process and self._process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    self._process.terminate()
