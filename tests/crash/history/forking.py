"""Daemons that start at once, and that are killed at a step which is told them."""

from __future__ import annotations

import json
import signal
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import memd.daemon
from memd.client import Client
from memd.errors import MemdError
from memd.store.opening import open_workspace
from tests import forking
from tests.crash.history.seam import Seam
from tests.support import until

START_S = 60.0


def put_seam(kill_at: int, blocked: list[str], arms: str) -> None:
    """Let this process, which will be a daemon, work through a seam; SIGUSR1 says that `arms` tells of the next kill."""
    seam = Seam(kill_at, blocked)
    signal.signal(signal.SIGUSR1, partial(rearm, seam, arms))
    vars(memd.daemon)["open_workspace"] = partial(open_workspace, system=seam)


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
    process: forking.Process | None = None

    def spawn(self, kill_at: int = 0, blocked: tuple[str, ...] = ()) -> None:
        """Start a process and do not wait for it."""
        seam = {"kill_at": kill_at, "blocked": blocked, "arms": str(self.arms)}
        words = ("up", "-w", str(self.workspace), "--socket", str(self.socket))
        if self.process is not None:
            self.process.close()
        with self.diary.open("ab") as diary:
            self.process = forking.start(*words, stdout=diary, stderr=diary, before=(put_seam, seam))

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
        return self.process is not None and self.process.poll() is None

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
        return self.process is None or self.process.ends_within(seconds)

    def client(self) -> Client:
        """Return a new connection."""
        return Client(str(self.socket), deadline_s=60)

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        self._signal(signal.SIGKILL)
        assert self.ends_within(60), "the daemon does not end"

    def stop(self) -> None:
        """SIGTERM, and wait until it is gone."""
        self._signal(signal.SIGTERM)
        assert self.ends_within(60), "the daemon does not end"

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

    def _signal(self, number: int) -> None:
        if self.process is not None:
            self.process.send_signal(number)
