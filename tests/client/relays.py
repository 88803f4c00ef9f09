"""What stands between a client and a real daemon, and breaks connections at a chosen moment."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Relay:
    """Passes lines on. `unanswered`: methods whose next answer is not passed on, but the connection closed instead.

    `cut_in`: for each, a connection is closed when so many bytes came behind a frame that was answered.
    """

    daemon: Path
    path: Path
    unanswered: list[str] = field(default_factory=list)
    cut_in: list[int] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    _listening: socket.socket | None = None

    def serve(self) -> None:
        """Take connections until it is closed."""
        assert self._listening is not None
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as daemon, contextlib.suppress(OSError):
            daemon.connect(str(self.daemon))
            answers = daemon.makefile("rb")
            for line in client.makefile("rb"):
                method = json.loads(line)["method"]
                self.asked.append(method)
                daemon.sendall(line)
                answer = answers.readline()
                if method in self.unanswered:
                    self.unanswered.remove(method)
                    return
                client.sendall(answer)
                if self.cut_in:
                    client.recv(self.cut_in.pop())
                    return

    def count(self, method: str) -> int:
        """Return how often a method came through."""
        return self.asked.count(method)


@contextmanager
def relayed(daemon: Path, path: Path, **how: Any) -> Iterator[Relay]:
    """Give a relay that listens at a path."""
    relay = Relay(daemon, path, **how)
    with socket.socket(socket.AF_UNIX) as relay._listening:
        relay._listening.bind(str(path))
        relay._listening.listen()
        threading.Thread(target=relay.serve, daemon=True).start()
        yield relay
        relay._listening.shutdown(socket.SHUT_RDWR)
