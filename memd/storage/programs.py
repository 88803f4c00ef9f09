"""Run another program of the system's to its end: systemctl and the like. Nothing of a workspace is ever run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

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
