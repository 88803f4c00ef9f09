"""The client that blocks: one connection that threads share, and that is made anew when the daemon was."""

from __future__ import annotations

import contextlib
import itertools
import math
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

from memd import PROTOCOL
from memd.client.asking import Blocking, typed
from memd.client.methods import Methods
from memd.client.wire import (
    CONNECT_S,
    DEADLINE_S,
    READ_BYTES,
    REPLY_BYTES,
    STRANGER,
    GoneError,
    check_greeting,
    elsewhere,
    find_workspace,
    frame_of,
    is_refusal,
    is_repeatable,
    is_too_late,
    reply_of,
    result_of,
)
from memd.errors import (
    BadReplyError,
    BadSocketError,
    ClientClosedError,
    DaemonLostError,
    DaemonMissingError,
    DeadlineError,
    MemdError,
)  # fmt: skip
from memd.whereabouts import is_ours, socket_of


class Client(Methods[Blocking]):
    """Threads may share it: their calls take turns, each within its own deadline.

    A connection that broke, as when the daemon was started anew, is made again by the next call, or by the one that finds out.
    A request that was surely not sent is then sent again; so is one that writes nothing. Of any other, nobody can tell whether
    it was carried out: DaemonLostError.
    """

    def __init__(
        self, path: str, *, deadline_s: float = DEADLINE_S, protocol: int = PROTOCOL, workspace: str = ""
    ) -> None:
        """Connect to a socket. `protocol`: what this program was written for, 0 to ask nobody.

        With a `workspace`, a daemon of it that listens elsewhere, as it says itself, is found too.
        """
        self.path, self.deadline_s, self.protocol = path, deadline_s, protocol
        self._workspace, self._closed = workspace, False
        self._ids = itertools.count(1)
        self._turn = threading.RLock()
        self._link: Link | None = self._open()

    @classmethod
    def of_workspace(cls, workspace: str = "", *, deadline_s: float = DEADLINE_S, protocol: int = PROTOCOL) -> Self:
        """Connect to the daemon of a workspace: where it should listen, or where it says it does."""
        path = find_workspace(workspace)
        return cls(socket_of(path), deadline_s=deadline_s, protocol=protocol, workspace=path)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call."""
        with self._taking_turns(method) as until_s:
            request_id = next(self._ids)
            frame = frame_of(request_id, method, params)
            try:
                return result_of(self._answer(method, request_id, frame, until_s), self.path)
            except TimeoutError:
                self._drop()  # its answer may come yet, and is nobody's
                raise DeadlineError(method, self.deadline_s) from None

    def _ask(self, method: str, kind: str, params: dict[str, Any]) -> Any:
        return typed(method, kind, self.call(method, **params))

    def events(
        self, topics: Sequence[str] = (), roles: Sequence[str] = (), *, last: int = 0, since: int = 0
    ) -> Iterator[dict[str, Any]]:
        """Yield what changes, on a connection of its own: first `{"topic": "subscribed"}`, then an object for each change.

        DaemonMissingError when the daemon ends. Nothing is replayed: whoever comes back asks for the state anew. Only of `recalls` and
        `verdicts` the first has the `last` that came after the number `since`.
        """
        link = Link(self.path)
        try:
            asked = {"topics": list(topics), "roles": list(roles), "last": last, "since": since}
            frame = frame_of(0, "subscribe", {name: one for name, one in asked.items() if one})
            reply = link.ask(0, frame, time.monotonic() + self.deadline_s)
            yield {"topic": "subscribed", **result_of(reply, self.path)}
            while True:
                yield link.hear()
        except TimeoutError:
            raise DeadlineError("subscribe", self.deadline_s) from None
        except GoneError:
            raise DaemonMissingError(self.path) from None
        finally:
            link.close()

    def close(self) -> None:
        """Close the connection; what waits in another thread ends with ClientClosedError. Again is nothing."""
        self._closed = True
        if link := self._link:
            link.shut()
        with self._turn:  # who waited has been woken, and reads no more from this handle
            self._drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _taking_turns(self, method: str) -> Iterator[float]:
        """Hold the connection; give the moment at which the call must be answered."""
        until_s = time.monotonic() + self.deadline_s
        if not self._turn.acquire(timeout=self.deadline_s):
            raise DeadlineError(method, self.deadline_s)
        try:
            yield until_s
        except BaseException as error:
            if not isinstance(error, MemdError):
                self._drop()  # broken off amid a line
            raise
        finally:
            self._turn.release()

    def _answer(self, method: str, request_id: int, frame: bytes, until_s: float) -> dict[str, Any]:
        """Return the reply to a frame, over a new connection if the one there is turns out to be broken."""
        for again in (False, True):
            link = self._connected()
            try:
                if self.protocol and not link.greeted and method != "ping":
                    self._greet(link, until_s)
                reply = link.ask(request_id, frame, until_s)
            except GoneError as gone:
                self._drop()
                if self._closed:
                    raise ClientClosedError from None
                if gone.sent and not is_repeatable(method):
                    raise DaemonLostError(self.path) from None
                if again:
                    raise DaemonMissingError(self.path) from None
            except BadReplyError:
                self._drop()
                raise
            else:
                if is_refusal(reply):
                    self._drop()
                return reply
        raise AssertionError  # not reached: the second time ends in one way or another

    def _greet(self, link: Link, until_s: float) -> None:
        request_id = next(self._ids)
        try:
            reply = link.ask(request_id, frame_of(request_id, "ping", {"protocol": self.protocol}), until_s)
        except GoneError:
            raise GoneError(sent=False) from None  # what was to be asked was not asked yet
        check_greeting(reply, self.protocol, self.path)
        link.greeted = True

    def _connected(self) -> Link:
        self._check_open()
        if self._link is None:
            self._link = self._open()
            self._check_open()  # it may have been closed meanwhile, by another thread
        return self._link

    def _check_open(self) -> None:
        if self._closed:
            self._drop()
            raise ClientClosedError

    def _open(self) -> Link:
        try:
            return Link(self.path)
        except DaemonMissingError:
            told = elsewhere(self._workspace) if self._workspace else ""
            if not told:
                raise
            link = self._open_elsewhere(told)
            if link is None:
                raise
            self.path = told
            return link

    def _open_elsewhere(self, told: str) -> Link | None:
        """Connect to a socket that was found written somewhere, if the daemon of this workspace answers there."""
        link = Link(told)
        try:
            reply = link.ask(0, frame_of(0, "ping", {}), time.monotonic() + self.deadline_s)
            if result_of(reply, told).get("workspace") == self._workspace:
                return link
        except GoneError:
            pass  # nobody answers there either
        except TimeoutError:
            link.close()
            raise DeadlineError("ping", self.deadline_s) from None
        except MemdError:
            link.close()
            raise
        link.close()
        return None

    def _drop(self) -> None:
        if self._link:
            self._link.close()
            self._link = None


class Link:
    """One connection to whatever listens at a path."""

    def __init__(self, path: str) -> None:
        self.path, self.greeted, self._buffer = path, False, b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(CONNECT_S)
        try:
            self._socket.connect(path)
        except OSError:
            self._socket.close()
            raise DaemonMissingError(path) from None
        if not is_ours(self._socket):
            self._socket.close()
            raise BadSocketError(STRANGER.format(path))

    def ask(self, request_id: int, frame: bytes, until_s: float) -> dict[str, Any]:
        """Send a line and return the reply to it. GoneError where there is none; TimeoutError where it does not come."""
        sent = self._send(frame, until_s)
        while True:
            try:
                line = self._line(until_s)
            except TimeoutError:
                raise
            except OSError:  # it was closed, at either end
                raise GoneError(sent=sent) from None
            reply = reply_of(line, self.path)
            if is_too_late(reply):
                raise GoneError(sent=False)
            if "method" in reply:
                continue  # it was subscribed to, and nobody here listens
            if reply.get("id") not in (request_id, None):
                raise BadReplyError(self.path)  # what is late is not read any more: the connection was dropped
            return reply

    def hear(self) -> dict[str, Any]:
        """Return the next notification, however long it takes. GoneError where there is none."""
        while True:
            try:
                told = reply_of(self._line(math.inf), self.path)
            except OSError:
                raise GoneError(sent=True) from None
            if "method" in told:
                return dict(told.get("params", {}))

    def shut(self) -> None:
        """Let nobody wait for this connection any longer."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close it."""
        self._socket.close()

    def _send(self, frame: bytes, until_s: float) -> bool:
        """Send a line; False where it cannot have arrived whole. A daemon that refuses a frame says so before it closes."""
        try:
            self._limit(until_s)
            self._socket.sendall(frame)
        except TimeoutError:
            raise
        except OSError:
            return False
        return True

    def _line(self, until_s: float) -> bytes:
        pieces, count = [self._buffer], len(self._buffer)
        while b"\n" not in pieces[-1]:
            self._limit(until_s)
            piece = self._socket.recv(READ_BYTES)
            if not piece:
                raise ConnectionError
            pieces.append(piece)
            count += len(piece)
            if count > REPLY_BYTES:
                raise BadReplyError(self.path)
        line, _, self._buffer = b"".join(pieces).partition(b"\n")
        return line

    def _limit(self, until_s: float) -> None:
        left_s = until_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        self._socket.settimeout(None if left_s == math.inf else left_s)
