"""Daemons that start at once: one process has everything imported and forks for each start. What runs is `memd up`."""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import memd.__main__
import memd.cli.main
import memd.cli.running
import memd.daemon
from memd.client import Client
from memd.errors import MemdError
from memd.service.opening import open_workspace
from tests.crash.history.seam import Seam
from tests.support import ROOT, until

DIE_WITH_PARENT = 1  # prctl(2)
START_S = 60.0


def main() -> None:
    """For each line of standard input start a daemon as it says, and tell its process id."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
            diary = os.open(asked["diary"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(diary, 1)
            os.dup2(diary, 2)
            seam = Seam(asked["kill_at"], asked["blocked"])
            signal.signal(signal.SIGUSR1, partial(rearm, seam, asked["arms"]))
            vars(memd.daemon)["open_workspace"] = partial(open_workspace, system=seam)
            sys.argv = ["memd", "up", "-w", asked["workspace"], "--socket", asked["socket"]]
            try:
                memd.__main__.main()
            except SystemExit as end:
                os._exit(end.code if isinstance(end.code, int) else 1)
            os._exit(0)
        print(pid, flush=True)


def rearm(seam: Seam, arms: str, *_: object) -> None:
    """Take what a file says of the next kill."""
    with open(arms, encoding="utf-8") as file:
        seam.arm(**json.load(file))


@dataclass
class Forked:
    """A daemon of a workspace, one process at a time."""

    workspace: Path
    socket: Path
    diary: Path
    server: subprocess.Popen[str] | None = None
    pid: int = 0
    _handle: int = field(default=-1)

    def spawn(self, kill_at: int = 0, blocked: tuple[str, ...] = ()) -> None:
        """Start a process and do not wait for it."""
        if self.server is None:
            self.server = subprocess.Popen(
                [sys.executable, "-m", "tests.crash.history.forking"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
            )
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        asked = {"workspace": str(self.workspace), "socket": str(self.socket), "diary": str(self.diary)}
        asked["arms"] = str(self.arms)
        self.server.stdin.write(json.dumps({**asked, "kill_at": kill_at, "blocked": blocked}) + "\n")
        self.server.stdin.flush()
        self.pid = int(self.server.stdout.readline())
        try:
            self._handle = os.pidfd_open(self.pid)
        except ProcessLookupError:
            self._handle = -1

    @property
    def arms(self) -> Path:
        """The file that says of the next kill."""
        return self.diary.with_name("arms")

    def arm(self, kill_at: int, blocked: tuple[str, ...]) -> None:
        """Tell a running process at which of its next steps it is killed, and what it cannot write from now on."""
        self.arms.write_text(json.dumps({"kill_at": kill_at, "blocked": blocked}), "utf-8")
        self._signal(signal.SIGUSR1)

    def is_alive(self) -> bool:
        """Tell whether the process has not ended."""
        return self._handle >= 0 and not select.select([self._handle], [], [], 0)[0]

    def answers(self) -> bool:
        """Wait until it answers, and return True; or until it has ended, and return False."""
        said: list[Any] = []

        def settled() -> bool:
            try:
                with self.client() as client:
                    said.append(client.call("ping")["pong"])
            except (MemdError, OSError):
                return not self.is_alive()
            return True

        until(settled, START_S, "the daemon answers or ends")
        return bool(said)

    def ends_within(self, seconds: float) -> bool:
        """Wait so long for its end, and tell whether it came."""
        return self._handle < 0 or bool(select.select([self._handle], [], [], seconds)[0])

    def client(self) -> Client:
        """Return a new connection."""
        return Client(str(self.socket), deadline_s=60)

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        self._signal(signal.SIGKILL)
        self._gone()

    def stop(self) -> None:
        """SIGTERM, and wait until it is gone."""
        self._signal(signal.SIGTERM)
        self._gone()

    def hold(self) -> None:
        """Stop it where it is, as if the machine stood still."""
        self._signal(signal.SIGSTOP)
        time.sleep(0.02)  # a write that is under way in the kernel ends

    def go_on(self) -> None:
        """Let it run again."""
        self._signal(signal.SIGCONT)

    def close(self) -> None:
        """End everything."""
        if self.is_alive():
            self.kill()
        if self.server is not None:
            self.server.communicate()
            self.server = None

    def _signal(self, number: int) -> None:
        if self.is_alive():
            signal.pidfd_send_signal(self._handle, number)

    def _gone(self) -> None:
        assert self.ends_within(60), "the daemon does not end"
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1


if __name__ == "__main__":
    main()
