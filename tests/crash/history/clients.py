"""Clients that ask until the daemon dies: one request at a time, or many on their way at once."""

from __future__ import annotations

import collections
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.crash.history.owner import Owner, asks
from tests.crash.history.things import Op

WINDOWS = (1, 1, 4, 16)
ANSWER_S = 60
COUNTS_ALL_THE_SAME = "guard.check"  # also where nothing can be written: then its reply promises nothing for later
READ_BACK = 0.3  # of replies to clients with one request at a time


class Sender(threading.Thread):
    """One connection for one owner, for one life of the daemon. `hear` is told of each reply."""

    def __init__(self, owner: Owner, path: Path, most: int, when: str, hear: Callable[[Op], None]) -> None:
        super().__init__(daemon=True)
        self.owner, self.path, self.most, self.when, self.hear = owner, path, most, when, hear
        self.tolerates = ""  # the beginning of codes of errors that may come
        self.ended = False
        self.window = owner.chance.choice(WINDOWS)
        self.refused: list[str] = []
        self.failed: Exception | None = None
        self.acknowledged = 0
        self.buffer = b""

    def run(self) -> None:
        """Ask so many requests, or until nobody answers."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(ANSWER_S)
                connection.connect(str(self.path))
                self.talk(connection)
        except (ConnectionError, FileNotFoundError):
            return
        except Exception as error:
            self.failed = error

    def talk(self, connection: socket.socket) -> None:
        """Keep as many requests on their way as this client has."""
        waiting: dict[int, Op] = {}
        asking = asks(self.owner)
        for number in range(self.most):
            if self.ended:
                break
            op = next(asking)
            op.asked(self.when)
            waiting[number] = op
            frame = {"jsonrpc": "2.0", "id": number, "method": op.method, "params": op.params}
            connection.sendall(json.dumps(frame, ensure_ascii=False).encode() + b"\n")
            if len(waiting) >= self.window:
                self.take(connection, waiting)
            if self.window == 1 and self.owner.chance.random() < READ_BACK:
                self.read_back(connection, op)
        while waiting:
            self.take(connection, waiting)

    def take(self, connection: socket.socket, waiting: dict[int, Op]) -> None:
        """Take one reply."""
        reply = self.reply(connection)
        op = waiting.pop(reply["id"])
        if "error" in reply:
            code = reply["error"]["data"]["code"]
            op.refuse(code)
            self.ended |= code.startswith("storage.")  # what comes next would build on what is not known
            fits = bool(self.tolerates) and (self.ended or code.startswith(self.tolerates))
            if code not in op.tolerated and not fits:
                self.refused.append(f"{op.said()} was refused: {code}: {reply['error']['message']}")
            return
        if self.tolerates and op.method == COUNTS_ALL_THE_SAME:
            return
        op.acknowledge(reply["result"])
        self.acknowledged += 1
        self.hear(op)

    def reply(self, connection: socket.socket) -> dict[str, Any]:
        """Return the next reply."""
        while b"\n" not in self.buffer:
            piece = connection.recv(1 << 20)
            if not piece:
                raise ConnectionResetError
            self.buffer += piece
        line, _, self.buffer = self.buffer.partition(b"\n")
        loaded: dict[str, Any] = json.loads(line)
        return loaded

    def read_back(self, connection: socket.socket, op: Op) -> None:
        """A memory is served as the last reply left it, and nothing of a request that was refused."""
        known = [one for one, _ in op.after if one.kind == "memory" and "id" in one.known and not one.broken]
        for thing in known[:1]:
            params = {"role": thing.known["role"], "id": thing.known["id"]}
            frame = {"jsonrpc": "2.0", "id": "back", "method": "memory.get", "params": params}
            connection.sendall(json.dumps(frame, ensure_ascii=False).encode() + b"\n")
            reply = self.reply(connection)
            wanted = thing.acknowledged
            content = wanted["content"] if wanted and wanted["is"] == "live" else None
            if reply.get("result", {}).get("content") != content:
                self.refused.append(f"{op.said()} reads back as {str(reply)[:500]}, not {content!r}")


class Heard:
    """Counts replies over all clients, and says when so many have come."""

    def __init__(self, goal: int) -> None:
        self.goal, self.total = goal, 0
        self.methods: collections.Counter[str] = collections.Counter()
        self.lock = threading.Lock()
        self.reached = threading.Event()

    def __call__(self, op: Op) -> None:
        """Count a reply."""
        with self.lock:
            self.total += 1
            self.methods[op.method] += 1
            if self.total >= self.goal:
                self.reached.set()
