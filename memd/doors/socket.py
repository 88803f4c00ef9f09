"""The Unix socket: one line in, one line out, for the same user only.

A frame that is begun must be finished in time, a line has a limit, a client that does not read its replies is dropped.
Requests of one connection that name the same role are answered in order, those to one session, and those to runs, tasks and
what is learned from them, are carried out one after the other; others may overtake.

Source
    docs/design/security.md#the-socket and #frames; litestream's server for what is done about a
    socket that is there already.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket as sockets
import sys
from dataclasses import dataclass, field
from typing import Any

from memd.doors.listening import bind
from memd.doors.rpc import Request, answer, dump_reply, error_reply, read_request
from memd.errors import ClientsFullError, FrameTooLargeError, MemdError, RoleAmbiguousError, SlowFrameError
from memd.store.role.happenings import RECENT, is_of
from memd.verbs.declared import Service
from memd.whereabouts import peer_uid

logger = logging.getLogger(__name__)

FRAME_S = 5.0  # from a frame's first byte to its last
FIRST_BYTE_S = 10.0  # from the connection to the first byte
LONG_FRAME_BYTES = 65_536  # a longer one is read beside the event loop
IN_FLIGHT = 32  # requests of one client at once; the others wait unread
UNREAD_BYTES = 1_048_576  # replies a client has not read, before it has
UNREAD_S = 10.0  # to read them
BACKLOG = 128
MISSED = 1000  # recent things between a reply to subscribe and its sending


@dataclass(slots=True)
class Server:
    """The listening socket and its connections."""

    service: Service
    path: str
    clients: set[Connection] = field(default_factory=set)
    stopping: bool = False
    _server: asyncio.AbstractServer | None = None
    _inode: int = 0

    @property
    def max_clients(self) -> int:
        """How many clients there may be, as the settings say now."""
        return self.service.store.settings.daemon.max_clients

    @property
    def frame_bytes(self) -> int:
        """How long a line may be, as the settings say now."""
        return self.service.store.settings.daemon.frame_bytes

    async def start(self, given: sockets.socket | None = None) -> None:
        """Listen. Call only with the workspace's lock held: then a socket that is there is stale.

        `given` is a socket that a service manager holds: it stays where it is when this server stops.
        """
        listening = given or bind(self.path)
        keeps: dict[str, Any] = {} if sys.version_info < (3, 13) else {"cleanup_socket": False}
        self._server = await asyncio.get_running_loop().create_unix_server(
            lambda: Connection(self), sock=listening, backlog=1, **keeps
        )
        listening.listen(
            BACKLOG
        )  # asyncio accepts `backlog` times in a row, and where handles run out it fails as often
        self._inode = 0 if given else os.lstat(self.path).st_ino

    async def stop(self, deadline_s: float) -> None:
        """Accept nobody more, answer what was asked within the deadline, close."""
        self.stopping = True
        if self._server:
            self._server.close()
        tasks = [task for client in self.clients for task in client.tasks]
        if tasks:
            await asyncio.wait(tasks, timeout=deadline_s)
        for client in list(self.clients):
            client.close()
        with contextlib.suppress(FileNotFoundError):
            if self._inode and os.lstat(self.path).st_ino == self._inode:
                os.unlink(self.path)


class Connection(asyncio.Protocol):
    """One client."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.loop = asyncio.get_running_loop()
        self.buffer = bytearray()
        self.transport: asyncio.Transport | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        self.last_of: dict[str, asyncio.Task[None]] = {}
        self.unread: asyncio.TimerHandle | None = None
        self.subscribed: tuple[frozenset[str], frozenset[str]] | None = None  # topics and roles
        self.reading: asyncio.Task[None] | None = None  # a long frame that is being read
        self.begun = False
        self.ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Refuse other users, too many clients, and anybody while stopping."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101  what create_unix_server makes
        self.transport = transport
        self.server.clients.add(self)
        if peer_uid(transport.get_extra_info("socket")) != os.geteuid():
            logger.warning("a client of another user was refused")
            transport.abort()
        elif self.server.stopping:
            transport.abort()
        elif len(self.server.clients) > self.server.max_clients:
            count, limit = len(self.server.clients), self.server.max_clients
            self._refuse(ClientsFullError("connections", count, limit))
        else:
            transport.set_write_buffer_limits(high=UNREAD_BYTES)
            self._expect(FIRST_BYTE_S)

    def data_received(self, data: bytes) -> None:
        """Take bytes; every whole line is a request."""
        if self.ended:
            return
        self.buffer += data
        self._read_frames()

    def eof_received(self) -> bool:
        """A client that stops sending still gets its replies."""
        if self.buffer.strip() and not self.ended:
            self._send(error_reply(None, SlowFrameError("the connection ended inside a frame")))
        self.ended = True
        self._cancel_timer()
        if not self.tasks:
            self.close()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  asyncio's signature
        """Forget the client; what it asked for is carried out."""
        self._cancel_timer()
        if self.unread:
            self.unread.cancel()
        if self.subscribed:
            self.server.service.store.happenings.listeners.remove(self._hear)
            self._watch_recent(frozenset(), 0)
        self.server.clients.discard(self)

    def pause_writing(self) -> None:
        """Give a client some time to read its replies; it is asked nothing more meanwhile."""
        self.unread = self.loop.call_later(UNREAD_S, self._drop_unread)
        self._watch()

    def resume_writing(self) -> None:
        """Go on with a client that reads again."""
        if self.unread:
            self.unread.cancel()
            self.unread = None
        self._read_frames()

    def _drop_unread(self) -> None:
        if self.transport:
            logger.warning("a client that did not read its replies was dropped")
            self.transport.abort()

    def close(self) -> None:
        """Send what is written, and close."""
        self._cancel_timer()
        if self.transport:
            self.transport.close()

    def _read_frames(self) -> None:
        while not self.ended and not self._is_full():
            end = self.buffer.find(b"\n")
            if end > self.server.frame_bytes or (end < 0 and len(self.buffer) > self.server.frame_bytes):
                limit = self.server.frame_bytes
                self._refuse(FrameTooLargeError(f"a frame is longer than {limit} bytes"))
                return
            if end < 0:
                break
            frame = bytes(self.buffer[:end])
            del self.buffer[: end + 1]
            self._cancel_timer()
            if len(frame) > LONG_FRAME_BYTES:
                self._read_beside(frame)
            elif frame.strip():
                self._take(read_request(frame))
        self._watch()

    def _read_beside(self, frame: bytes) -> None:
        """Read a long frame beside the event loop; what comes behind it waits."""
        self.reading = task = self.loop.create_task(self._read_long(frame))
        self.tasks.add(task)
        task.add_done_callback(lambda done: self._done(done, ""))

    async def _read_long(self, frame: bytes) -> None:
        request = await asyncio.to_thread(read_request, frame)
        self.reading = None
        self._take(request)

    def _is_full(self) -> bool:
        return len(self.tasks) >= IN_FLIGHT or self.unread is not None or self.reading is not None

    def _watch(self) -> None:
        """Read on or pause, and time a frame that has begun; while we do not read, nobody is slow."""
        full = self._is_full()
        if self.transport and not self.transport.is_closing():
            if full and self.transport.is_reading():
                self.transport.pause_reading()
            elif not full and not self.transport.is_reading() and not self.ended:
                self.transport.resume_reading()
        partial = bool(self.buffer) and self.buffer.find(b"\n") < 0
        if full or not partial or self.ended:
            self._cancel_timer()
        elif self.timer is None or not self.begun:
            self._expect(FRAME_S)
        self.begun = True

    def _take(self, request: Request | dict[str, object]) -> None:
        if isinstance(request, dict):
            self._send(request)
            return
        key = self._order_of(request)
        before = self.last_of.get(key) if key else None
        task = self.loop.create_task(self._answer(request, before))
        if key:
            self.last_of[key] = task
        self.tasks.add(task)
        task.add_done_callback(lambda done: self._done(done, key))

    def _order_of(self, request: Request) -> str:
        """Return what requests share whose order counts; a role is the same by whatever address."""
        roles = self.server.service.store.roles
        if request.role in roles or getattr(request.params, "role", None) != request.role:
            return request.role
        try:
            known = roles.known(request.role)
        except RoleAmbiguousError:
            return request.role
        return known.name if known else request.role

    async def _answer(self, request: Request, before: asyncio.Task[None] | None) -> None:
        if request.serial and before is not None:
            await asyncio.wait({before})
        reply = await answer(self.server.service, request)
        if before is not None and not before.done():
            await asyncio.wait({before})
        if not request.is_notification:
            self._send(reply)
        if request.method and request.method.name == "subscribe" and "result" in reply:
            self._subscribe(reply["result"])

    def _subscribe(self, result: dict[str, Any]) -> None:
        if self.transport is None or self.transport.is_closing():
            return
        if self.subscribed is None:
            self.server.service.store.happenings.listeners.append(self._hear)
        self.subscribed = frozenset(result["subscribed"]), frozenset(result["roles"])
        self._watch_recent(self.subscribed[0], result.get("n", 0))

    def _watch_recent(self, topics: frozenset[str], since: int) -> None:
        """Hear from now on of what is recent, or no more; first of what came while the reply was made."""
        happenings = self.server.service.store.happenings
        if self._hear in happenings.watchers:
            happenings.watchers.remove(self._hear)
        if wanted := topics.intersection(RECENT):
            happenings.watchers.append(self._hear)
            for topic in wanted:
                for missed in happenings.recent(topic, (), since, MISSED):
                    self._hear(missed)

    def _hear(self, happening: dict[str, Any]) -> None:
        topics, roles = self.subscribed or (frozenset(), frozenset())
        if happening["topic"] in topics and is_of(happening, roles):
            self._send({"jsonrpc": "2.0", "method": "event", "params": happening})

    def _done(self, task: asyncio.Task[None], role: str) -> None:
        self.tasks.discard(task)
        if self.last_of.get(role) is task:
            del self.last_of[role]
        if self.ended and not self.tasks:
            self.close()
        elif self.buffer:
            self._read_frames()
        else:
            self._watch()

    def _send(self, reply: dict[str, object]) -> None:
        if self.transport and not self.transport.is_closing():
            self.transport.write(dump_reply(reply))

    def _refuse(self, error: MemdError) -> None:
        self._send(error_reply(None, error))
        self.ended = True
        self.buffer.clear()
        if not self.tasks:
            self.close()  # otherwise with the last answer

    def _expect(self, seconds: float) -> None:
        self._cancel_timer()
        self.timer = self.loop.call_later(seconds, self._too_slow)

    def _too_slow(self) -> None:
        self._refuse(SlowFrameError("a frame was not finished in time"))

    def _cancel_timer(self) -> None:
        if self.timer:
            self.timer.cancel()
            self.timer = None
