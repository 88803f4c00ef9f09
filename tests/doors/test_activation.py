"""What a service manager handed over is taken by the process it was meant for, and by nobody else."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

TAKE = """
import os, sys
from memd.doors.listening import take_manager
os.dup2(int(sys.argv[1]), 3)
if sys.argv[2] == "mine":
    os.environ["LISTEN_PID"] = str(os.getpid())
found = take_manager()
print(found.path, found.watchdog_s, any(name in os.environ for name in ("LISTEN_FDS", "WATCHDOG_USEC", "NOTIFY_SOCKET")))
"""


@pytest.mark.parametrize(("whose", "taken"), [("mine", True), ("another's", False)])
def test_a_socket_is_taken_by_the_process_it_was_handed_to(short_dir: Path, whose: str, taken: bool) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(short_dir / "s"))
        listening.listen()
        done = subprocess.run(
            [sys.executable, "-c", TAKE, str(listening.fileno()), whose],
            env={**os.environ, "LISTEN_PID": "1", "LISTEN_FDS": "1", "WATCHDOG_USEC": "500000", "WATCHDOG_PID": ""},
            pass_fds=[listening.fileno()],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
    path, watchdog_s, left = done.stdout.rstrip("\n").split(" ")
    assert (path, watchdog_s, left) == (str(short_dir / "s") if taken else "", "0.5", "False")
