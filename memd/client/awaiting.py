"""The client of asyncio: one connection, pipelined, and made anew when the daemon was."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
from collections.abc import AsyncIterator, Sequence
from typing import Any, Self

from memd import PROTOCOL
from memd.client.asking import Awaiting, typed
from memd.client.methods import Methods
from memd.client.wire import (
    CONNECT_S,
    DEADLINE_S,
    READ_BYTES,
    REPLY_BYTES,
    STRANGER,
    GoneError,
    check_greeting,
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


class AsyncClient(Methods[Awaiting]):
    """Calls may overlap, and each gets its own answer; one that is cancelled takes nothing from the others.

    A connection that broke is made again by the next call, or by those that find out: what was surely not sent is sent again,
    and so is what writes nothing; of any other request nobody can tell whether it was carried out: DaemonLostError.
    """

    def __init__(self, path: str, *, deadline_s: float = DEADLINE_S, protocol: int = PROTOCOL) -> None:
        """Connect to nothing yet. `protocol`: what this program was written for, 0 to ask nobody."""
        self.path, self.deadline_s, self.protocol = path, deadline_s, protocol
        self._ids = itertools.count(1)
        self._connecting = asyncio.Lock()
        self._link: Link | None = None
        self._closed = False

    @classmethod
    def of_workspace(cls, workspace: str = "", *, deadline_s: float = DEADLINE_S, protocol: int = PROTOCOL) -> Self:
        """Return a client for the daemon of a workspace."""
        return cls(socket_of(find_workspace(workspace)), deadline_s=deadline_s, protocol=protocol)

    async def connect(self) -> Self:
        """Connect, or raise DaemonMissingError. A call that finds no connection does so by itself."""
        await self._connected()
        return self

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call."""
        request_id = next(self._ids)
        frame = frame_of(request_id, method, params)
        try:
            async with asyncio.timeout(self.deadline_s):
                return result_of(await self._answer(method, request_id, frame), self.path)
        except TimeoutError:
            raise DeadlineError(method, self.deadline_s) from None

    async def _ask(self, method: str, kind: str, params: dict[str, Any]) -> Any:
        return typed(method, kind, await self.call(method, **params))

    async def events(
        self, topics: Sequence[str] = (), roles: Sequence[str] = (), *, last: int = 0, since: int = 0
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield what changes, on a connection of its own: first `{"topic": "subscribed"}`, then an object for each change.

        DaemonMissingError when the daemon ends. Nothing is replayed: whoever comes back asks for the state anew. Only of `recalls` and
        `verdicts` the first has the `last` that came after the number `since`.
        """
        heard: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        link = await Link.open(self.path, heard)
        try:
            async with asyncio.timeout(self.deadline_s):
                asked = {"topics": list(topics), "roles": list(roles), "last": last, "since": since}
                frame = frame_of(0, "subscribe", {name: one for name, one in asked.items() if one})
                reply = await link.ask(0, frame)
            yield {"topic": "subscribed", **result_of(reply, self.path)}
            while (event := await heard.get()) is not None:
                yield event
            if link.why is not None:
                raise link.why
        except TimeoutError:
            raise DeadlineError("subscribe", self.deadline_s) from None
        except GoneError:
            raise DaemonMissingError(self.path) from None
        finally:
            link.close()
        raise DaemonMissingError(self.path)

    async def close(self) -> None:
        """Close the connection; what still waits ends with ClientClosedError. Again is nothing."""
        self._closed = True
        if self._link:
            self._link.close()  # before anything is waited for: who closes may be cancelled meanwhile
            await asyncio.wait({self._link.reading})

    async def __aenter__(self) -> Self:
        return await self.connect()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _answer(self, method: str, request_id: int, frame: bytes) -> dict[str, Any]:
        """Return the reply to a frame, over a new connection if the one there is turns out to be broken."""
        for again in (False, True):
            link = await self._connected()
            try:
                if self.protocol and method != "ping":
                    await self._greeted(link)
                return await link.ask(request_id, frame)
            except GoneError as gone:
                if self._closed:
                    raise ClientClosedError from None
                if gone.sent and not is_repeatable(method):
                    raise DaemonLostError(self.path) from None
                if again:
                    raise DaemonMissingError(self.path) from None
        raise AssertionError  # not reached: the second time ends in one way or another

    async def _greeted(self, link: Link) -> None:
        """Wait until it is known that who answers speaks our protocol; it is asked once for all calls."""
        if link.greeting is None:
            link.greeting = asyncio.create_task(self._greet(link))
            link.greeting.add_done_callback(_looked_at)
        await asyncio.shield(link.greeting)

    async def _greet(self, link: Link) -> None:
        request_id = next(self._ids)
        try:
            reply = await link.ask(request_id, frame_of(request_id, "ping", {"protocol": self.protocol}))
        except GoneError:
            raise GoneError(sent=False) from None  # what was to be asked was not asked yet
        check_greeting(reply, self.protocol, self.path)

    async def _connected(self) -> Link:
        async with self._connecting:
            self._check_open()
            if self._link is None or self._link.over:
                link = await Link.open(self.path)
                self._link = link
                self._check_open()  # it may have been closed meanwhile, by another task
            return self._link

    def _check_open(self) -> None:
        if self._closed:
            if self._link:
                self._link.close()
            raise ClientClosedError


class Link:
    """One connection, and what waits on it for answers. `over`: no answer comes any more; `why`, where it was no memd."""

    def __init__(self, path: str, connected: socket.socket, heard: asyncio.Queue[dict[str, Any] | None] | None) -> None:
        self.path, self.over = path, False
        self.why: MemdError | None = None
        self.greeting: asyncio.Task[None] | None = None
        self._socket, self._heard = connected, heard
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._sending = asyncio.Lock()
        self._sends: set[asyncio.Task[bool]] = set()
        self.reading = asyncio.create_task(self._read())

    @classmethod
    async def open(cls, path: str, heard: asyncio.Queue[dict[str, Any] | None] | None = None) -> Self:
        """Connect, or raise DaemonMissingError; BadSocketError for another user's. `heard`: where notifications go."""
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connected.setblocking(False)
        try:
            async with asyncio.timeout(CONNECT_S):
                await asyncio.get_running_loop().sock_connect(connected, path)
            if not is_ours(connected):
                raise BadSocketError(STRANGER.format(path))
        except (OSError, TimeoutError):
            connected.close()
            raise DaemonMissingError(path) from None
        except BaseException:
            connected.close()
            raise
        return cls(path, connected, heard)

    async def ask(self, request_id: int, frame: bytes) -> dict[str, Any]:
        """Send a line and return the reply to it. GoneError where none comes, BadReplyError where it is not memd's."""
        if self.over:
            raise self.why or GoneError(sent=False)
        waiting: asyncio.Future[dict[str, Any]]
        waiting = self._waiting[request_id] = asyncio.get_running_loop().create_future()
        sent = False
        try:
            sent = await self._send(frame)
            return await waiting
        except GoneError as gone:
            raise GoneError(sent=sent and gone.sent) from None
        finally:
            self._waiting.pop(request_id, None)
            if waiting.done() and not waiting.cancelled():
                waiting.exception()  # who was cancelled at the same moment does not look at it

    def close(self) -> None:
        """Close it: what waits ends with GoneError, and reading by itself."""
        self.over = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._end()

    async def _send(self, frame: bytes) -> bool:
        """Send a line whole, even if who asks is cancelled; False where it cannot have arrived whole."""
        if not self._sends:
            try:
                count = self._socket.send(frame)
            except BlockingIOError:
                count = 0
            except OSError:
                return False  # a daemon that refuses says so before it closes: that is read yet
            if count == len(frame):
                return True
            frame = frame[count:]
        task = asyncio.create_task(self._send_rest(frame))
        self._sends.add(task)
        task.add_done_callback(self._sent)
        return await asyncio.shield(task)

    async def _send_rest(self, frame: bytes) -> bool:
        try:
            async with self._sending:
                await asyncio.get_running_loop().sock_sendall(self._socket, frame)
        except OSError:
            return False
        return True

    def _sent(self, task: asyncio.Task[bool]) -> None:
        self._sends.discard(task)
        if self.over and not self._sends and self.reading.done():
            self._socket.close()

    async def _read(self) -> None:
        loop, pieces, count = asyncio.get_running_loop(), list[bytes](), 0
        try:
            while piece := await loop.sock_recv(self._socket, READ_BYTES):
                pieces.append(piece)
                count += len(piece)
                if count > REPLY_BYTES:
                    raise BadReplyError(self.path)
                if b"\n" in piece:
                    *lines, rest = b"".join(pieces).split(b"\n")
                    for line in lines:
                        self._tell(reply_of(line, self.path))
                    pieces, count = [rest], len(rest)
        except OSError:
            pass  # it ended: close tells all who wait
        except MemdError as error:
            self.why = error
        finally:
            self.close()
            if not self._sends:  # else the last of them closes the handle it waits for
                self._socket.close()

    def _tell(self, reply: dict[str, Any]) -> None:
        if "method" in reply:
            if self._heard is not None:
                self._heard.put_nowait(dict(reply.get("params", {})))
            return
        if is_too_late(reply):
            self._end(sent=False)
            return
        for request_id in list(self._waiting) if is_refusal(reply) else [reply.get("id")]:
            waiting = self._waiting.get(request_id) if isinstance(request_id, int) else None
            if waiting and not waiting.done():
                waiting.set_result(reply)

    def _end(self, *, sent: bool = True) -> None:
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(self.why or GoneError(sent=sent))
        if self._heard is not None:
            self._heard.put_nowait(None)


def _looked_at(task: asyncio.Task[None]) -> None:
    """Take note of how a task ended, where nobody waits for it any more."""
    if not task.cancelled():
        task.exception()
