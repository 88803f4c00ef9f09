"""A daemon in the background, started and waited for. Light: what serves an agent starts it too."""

from __future__ import annotations

import os
import time

from memd.client import Client
from memd.errors import DaemonFailedError, DaemonMissingError, DeadlineError

START_S = 30.0


def start_detached(workspace: str, socket: str) -> int:
    """Start a daemon in the background, wait until it answers, and return its pid.

    DaemonFailedError with what it said where it ended before. What it says later goes nowhere.
    """
    import tempfile

    from memd.storage.itself import child_command

    arguments = [*child_command(), "up", "--workspace", workspace, "--socket", socket, "--silent-later"]
    with tempfile.TemporaryFile() as said:
        actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, said.fileno(), 1)]
        pid = os.posix_spawn(
            arguments[0], arguments, os.environ, file_actions=[*actions, (os.POSIX_SPAWN_DUP2, 1, 2)], setsid=True
        )
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            if answering := _answering(workspace, socket):
                return answering
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                said.seek(0)
                raise _failed(socket, os.waitstatus_to_exitcode(status), said.read())
            time.sleep(0.02)
    raise DeadlineError("memd up", START_S)


def _answering(workspace: str, socket: str) -> int:
    """Return the process that answers at a socket for a workspace, 0 where none does: yet, or where it is another's."""
    try:
        with Client(socket) as client:
            said = client.call("ping")
    except DaemonMissingError:
        return 0
    return int(said["pid"]) if said["workspace"] == workspace else 0


def _failed(socket: str, status: int, said: bytes) -> DaemonFailedError:
    """Return why a daemon ended, of all it said: its error and what it advises, else its last line."""
    lines = said.decode("utf-8", "replace").splitlines()
    errors = [at for at, line in enumerate(lines) if line.startswith("Error: ")]
    told = lines[errors[-1] :] if errors else lines[-1:]
    hints = [line.removeprefix("  Try: ") for line in told if line.startswith("  Try: ")]
    words = "\n".join(line for line in told if not line.startswith("  Try: "))
    why, hint = words.removeprefix("Error: ") or "it said nothing", " ".join(hints) or DaemonFailedError.hint
    return DaemonFailedError(socket, status, why, hint)
