"""A server of the page, started as a person starts it, and requests to it byte by byte."""

from __future__ import annotations

import http.client
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Self

from tests import forking
from tests.support import Daemon


@dataclass
class Answer:
    """What a request was answered with."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")


@dataclass
class Served:
    """A running `memd ui`. `address` opens it once."""

    address: str
    process: forking.Process
    secret: str = ""

    @classmethod
    @contextmanager
    def of(cls, daemon: Daemon, *words: str, stderr: BinaryIO | None = None) -> Iterator[Self]:
        reads, writes = os.pipe()
        env = {**os.environ, "MEMD_SOCKET": str(daemon.socket)}
        asked = ("ui", "--print", "-w", str(daemon.folder.path), *words)
        process = forking.start(*asked, env=env, stdout=writes, stderr=stderr)
        os.close(writes)
        try:
            with open(reads, encoding="utf-8") as said:
                yield cls(said.readline().strip(), process)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)

    @property
    def origin(self) -> str:
        return self.address.partition("/#")[0]

    @property
    def host(self) -> str:
        return self.origin.removeprefix("http://")

    @property
    def token(self) -> str:
        return self.address.partition("#")[2]

    def send(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"", *, plain: bool = False
    ) -> Answer:
        """Send a request as the page would, with what `headers` has in place of its own ("" leaves one out); `plain`: with these alone."""
        own = (
            {}
            if plain
            else {
                "Host": self.host,
                "Origin": self.origin,
                "Sec-Fetch-Site": "same-origin",
                "X-Memd-Session": self.secret,
            }
        )
        if body and not plain:
            own["Content-Type"] = "application/json"
        sent = {name: value for name, value in {**own, **(headers or {})}.items() if value}
        connection = http.client.HTTPConnection(self.host, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            if "Content-Length" not in sent and method == "POST":
                sent["Content-Length"] = str(len(body))
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders(body or None)
            got = connection.getresponse()
            return Answer(got.status, {name.lower(): value for name, value in got.getheaders()}, got.read())
        finally:
            connection.close()

    def post(self, path: str, **given: Any) -> Answer:
        return self.send("POST", path, body=json.dumps(given).encode())

    def enter(self) -> Self:
        """Ask for a screen with the token, and send the secret that comes with it from now on."""
        answer = self.send("GET", "/screen/now", {"X-Memd-Session": self.token})
        assert answer.status == 200, answer
        self.secret = answer.headers["x-memd-session"]
        return self
