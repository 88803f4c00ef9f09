"""What other programs import to talk to a daemon: `Client` blocks, `AsyncClient` awaits. Every call has a deadline.

    with Client.of_workspace("my-memory") as memd:
        memd.call("remember", role="main", content="I prefer tabs.", source="user")
        print(memd.call("trigger", role="main", message="Tabs or spaces here?")["content"])

Errors
    DaemonMissingError where nobody listens; BadSocketError where somebody else does, BadReplyError where it is no memd; DeadlineError where no answer came in time (the request may have been
    carried out); RemoteError for what the daemon answered, with its code and hint.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import socket
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Self

from memd.errors import (
    BadFrameError,
    BadReplyError,
    BadSocketError,
    DaemonMissingError,
    DeadlineError,
    MemdError,
    RemoteError,
    WorkspaceMissingError,
)  # fmt: skip
from memd.model.work.snapshot import Snapshot
from memd.whereabouts import is_ours, is_workspace, nearest_workspace, socket_of, surroundings

__all__ = ["AsyncClient", "Client", "find_workspace", "socket_of", "surroundings"]

DEADLINE_S = 10.0
CONNECT_S = 2.0
READ_BYTES = 65_536
STRANGER = "another user's process answers at {0}; nothing was sent to it"
REPLY_BYTES = 256 * 1024 * 1024


def find_workspace(start: str = "") -> str:
    """Return the resolved path of a workspace: the one named, MEMD_WORKSPACE, or the nearest memd.toml above."""
    named = start or os.environ.get("MEMD_WORKSPACE", "")
    path = os.path.realpath(named or ".")
    found = (path if is_workspace(path) else "") if named else nearest_workspace(path)
    if not found:
        raise WorkspaceMissingError(path, _why_none(path, "" if start else "MEMD_WORKSPACE: ") if named else "")
    return found


def _why_none(path: str, whose: str) -> str:
    """Say why a path that was named, by `whose` word, is no workspace."""
    if os.path.isdir(path):
        return f"{whose}{path} is no workspace: there is no memd.toml in it"
    return (
        f"{whose}{path} is a file, and a workspace is a directory"
        if os.path.exists(path)
        else f"{whose}there is no {path}"
    )


def _elsewhere(workspace: str) -> str:
    """Return another socket to try: a daemon that was started in another environment may listen there."""
    if os.environ.get("MEMD_SOCKET"):
        return ""
    from memd.storage.lock import told_socket  # noqa: PLC0415  only where nobody listens

    told = told_socket(workspace)
    return "" if told == socket_of(workspace) else told


class Client:
    """One connection. Threads may share it: their calls take turns, each within its own deadline.

    After a DeadlineError, or `close`, the connection is gone for all of them: DaemonMissingError.
    """

    def __init__(self, path: str, *, deadline_s: float = DEADLINE_S) -> None:
        self.path, self.deadline_s = path, deadline_s
        self._ids = itertools.count(1)
        self._buffer = b""
        self._turn = threading.RLock()
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

    @classmethod
    def of_workspace(cls, workspace: str = "", *, deadline_s: float = DEADLINE_S) -> Self:
        """Connect to the daemon of a workspace: where it should listen, or where it says it does."""
        path = find_workspace(workspace)
        try:
            return cls(socket_of(path), deadline_s=deadline_s)
        except DaemonMissingError:
            told = _elsewhere(path)
            if not told:
                raise
            client = cls(told, deadline_s=deadline_s)
            try:
                if client.call("ping").get("workspace") == path:
                    return client
            except MemdError:
                client.close()
                raise
            client.close()
            raise

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call."""
        if not self._turn.acquire(timeout=self.deadline_s):
            raise DeadlineError(method, self.deadline_s)
        request_id = next(self._ids)
        try:
            self._socket.settimeout(self.deadline_s)
            with contextlib.suppress(BrokenPipeError):  # a daemon that refuses a frame says so before it closes
                self._socket.sendall(_frame(request_id, method, params))
            while True:
                reply = _reply_of(self._line(), self.path)
                if reply.get("id") in (request_id, None) and "method" not in reply:
                    return _result(reply, self.path)
        except TimeoutError:
            self.close()
            raise DeadlineError(method, self.deadline_s) from None
        except OSError:  # it was closed, at either end
            raise DaemonMissingError(self.path) from None
        finally:
            self._turn.release()

    def snapshot(self, digest: str = "") -> Snapshot:
        """Return a stored snapshot; without a digest, freeze the curated memory now."""
        method, params = ("snapshot.sections", {"digest": digest}) if digest else ("snapshot.take", {})
        return Snapshot.of_reply(self.call(method, **params))

    def close(self) -> None:
        """Close the connection; a call that waits in another thread ends with DaemonMissingError."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with self._turn:  # who waits has been woken, and reads no more from this handle
            self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _line(self) -> bytes:
        pieces, count = [self._buffer], len(self._buffer)
        while b"\n" not in pieces[-1]:
            piece = self._socket.recv(READ_BYTES)
            if not piece:
                raise ConnectionError
            pieces.append(piece)
            count += len(piece)
            if count > REPLY_BYTES:
                raise BadReplyError(self.path)
        line, _, self._buffer = b"".join(pieces).partition(b"\n")
        return line


class AsyncClient:
    """One connection, pipelined: calls may overlap, and each gets its own answer."""

    def __init__(self, path: str, *, deadline_s: float = DEADLINE_S) -> None:
        self.path, self.deadline_s = path, deadline_s
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    @classmethod
    def of_workspace(cls, workspace: str = "", *, deadline_s: float = DEADLINE_S) -> Self:
        """Return a client for the daemon of a workspace."""
        return cls(socket_of(find_workspace(workspace)), deadline_s=deadline_s)

    async def connect(self) -> Self:
        """Connect, or raise DaemonMissingError."""
        try:
            async with asyncio.timeout(CONNECT_S):
                reader, writer = await asyncio.open_unix_connection(self.path, limit=REPLY_BYTES)
        except (OSError, TimeoutError):
            raise DaemonMissingError(self.path) from None
        _check_peer(writer, self.path)
        self._writer = writer
        self._reading = asyncio.create_task(self._read(reader))
        return self

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call."""
        if self._writer is None or self._reading is None or self._reading.done():
            raise DaemonMissingError(self.path)
        request_id = next(self._ids)
        waiting = self._waiting[request_id] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(_frame(request_id, method, params))
            async with asyncio.timeout(self.deadline_s):
                reply = await waiting
        except TimeoutError:
            raise DeadlineError(method, self.deadline_s) from None
        finally:
            self._waiting.pop(request_id, None)
        return _result(reply, self.path)

    async def snapshot(self, digest: str = "") -> Snapshot:
        """Return a stored snapshot; without a digest, freeze the curated memory now."""
        method, params = ("snapshot.sections", {"digest": digest}) if digest else ("snapshot.take", {})
        return Snapshot.of_reply(await self.call(method, **params))

    async def events(self, topics: Sequence[str] = (), roles: Sequence[str] = ()) -> AsyncIterator[dict[str, Any]]:
        """Yield what changes, on a connection of its own: first `{"topic": "subscribed"}`, then an object for each change.

        DaemonMissingError when the daemon ends. Nothing is replayed: whoever comes back asks for the state anew.
        """
        try:
            async with asyncio.timeout(CONNECT_S):
                reader, writer = await asyncio.open_unix_connection(self.path, limit=REPLY_BYTES)
        except (OSError, TimeoutError):
            raise DaemonMissingError(self.path) from None
        _check_peer(writer, self.path)
        try:
            writer.write(_frame(0, "subscribe", {"topics": list(topics), "roles": list(roles)}))
            async with asyncio.timeout(self.deadline_s):
                line = await reader.readline()
            yield {"topic": "subscribed", **(_result(_reply_of(line, self.path), self.path) if line else {})}
            while line and (line := await reader.readline()):
                yield dict(_reply_of(line, self.path).get("params", {}))
        except TimeoutError:
            raise DeadlineError("subscribe", self.deadline_s) from None
        except ConnectionError:
            raise DaemonMissingError(self.path) from None
        except ValueError:  # asyncio's word for a line without an end
            raise BadReplyError(self.path) from None
        finally:
            writer.close()
        raise DaemonMissingError(self.path)

    async def close(self) -> None:
        """Close the connection; what still waits ends with DaemonMissingError."""
        if self._writer:
            self._writer.close()  # before anything is waited for: who closes may be cancelled meanwhile
        if self._reading:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    async def __aenter__(self) -> Self:
        return await self.connect()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        why: MemdError = DaemonMissingError(self.path)
        try:
            while line := await reader.readline():
                reply = _reply_of(line, self.path)
                for request_id in [reply["id"]] if reply.get("id") is not None else list(self._waiting):
                    waiting = self._waiting.get(request_id)
                    if waiting and not waiting.done():
                        waiting.set_result(reply)
        except ConnectionError as error:
            why.__cause__ = error
        except ValueError:  # asyncio's word for a line without an end
            why = BadReplyError(self.path)
        except BadReplyError as error:
            why = error
        finally:
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(why)


def _check_peer(writer: asyncio.StreamWriter, path: str) -> None:
    if not is_ours(writer.get_extra_info("socket")):
        writer.close()
        raise BadSocketError(STRANGER.format(path))


def _frame(request_id: int, method: str, params: Mapping[str, Any]) -> bytes:
    request = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    try:
        return json.dumps(request, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
    except (UnicodeEncodeError, ValueError) as error:
        raise BadFrameError(f"this cannot be sent: {error}") from None


def _reply_of(line: bytes, path: str) -> dict[str, Any]:
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        raise BadReplyError(path) from None
    if not isinstance(reply, dict) or reply.get("jsonrpc") != "2.0":
        raise BadReplyError(path)
    return reply


def _result(reply: Mapping[str, Any], path: str) -> dict[str, Any]:
    error, result = reply.get("error"), reply.get("result")
    if error is None and isinstance(result, dict):
        return result
    if not isinstance(error, dict):
        raise BadReplyError(path)
    more = error.get("data")
    more = more if isinstance(more, dict) else {}
    number, said = error.get("code", 0), str(error.get("message", ""))
    raise RemoteError(number, said, str(more.get("code", "internal")), str(more.get("hint", "")))
