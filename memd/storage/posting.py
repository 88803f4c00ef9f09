"""One POST of JSON, and the bytes it is answered with: never more of them than wanted, never longer than it may take; and its key.

No address but the one named is spoken to: nothing is redirected, no proxy is asked, and what is said in clear goes nowhere but to
this machine where that is wanted, whatever a name resolves to.
"""

from __future__ import annotations

import http.client
import ipaddress
import os
import re
import socket
import stat
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from memd.storage.system import System

PIECE_BYTES = 65_536


class PostError(Exception):
    """Why there is no answer; what was said is not in it."""


class Answer(NamedTuple):
    """The status and the bytes of an answer."""

    status: int
    data: bytes


def address_of(url: str) -> SplitResult:
    """Return an http address in its parts. ValueError where it is none."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url[:80]!r} is no http address")
    _ = parts.port  # ValueError where it is none
    return parts


class Post:
    """One request. `run` it once, in any thread; `abort` ends it from another."""

    def __init__(self, parts: SplitResult, path: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self._parts, self._body = parts, body
        self._path = f"{parts.path.rstrip('/')}/{path}"
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._ended = threading.Event()
        self._socket: socket.socket | None = None

    def run(self, *, deadline_s: float, most_bytes: int, clear_to_loopback: bool = False) -> Answer:
        """Return the answer. PostError where there is none in time, or it is longer than it may be. Blocks."""
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        host = self._parts.hostname or ""
        connection = kind(host, self._parts.port, timeout=deadline_s)
        timer = threading.Timer(deadline_s, self.abort)
        timer.daemon = True
        timer.start()
        try:
            connection.connect()
            self._socket = connection.sock
            if (
                clear_to_loopback
                and self._parts.scheme == "http"
                and not _is_loopback(connection.sock.getpeername()[0])
            ):
                raise PostError(f"{host} is not this machine: what is said there must go over https")
            if self._ended.is_set():
                raise PostError("it took too long")
            connection.request("POST", self._path, self._body, self._headers)
            with connection.getresponse() as reply:
                return Answer(reply.status, self._read(reply, most_bytes))
        except (OSError, ValueError, http.client.HTTPException) as error:
            late = self._ended.is_set() or isinstance(error, TimeoutError)  # the wire's own clock may be the first
            why = "no answer in time" if late else str(error)[:200]
            raise PostError(f"{host}: {why}") from None
        finally:
            timer.cancel()
            self._socket = None
            connection.close()

    def _read(self, reply: http.client.HTTPResponse, most_bytes: int) -> bytes:
        found = bytearray()
        while piece := reply.read(min(PIECE_BYTES, most_bytes + 1 - len(found))):
            found += piece
            if len(found) > most_bytes:
                raise PostError(f"{self._parts.hostname}: an answer of more than {most_bytes} bytes")
        if self._ended.is_set():
            raise PostError(f"{self._parts.hostname}: no answer in time")
        return bytes(found)

    def abort(self) -> None:
        """End it: whoever waits for the answer gets PostError."""
        self._ended.set()
        wire = self._socket
        if wire is not None:
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)


def is_loopback_name(host: str) -> bool:
    """Tell whether a host is this machine by its name."""
    return host.casefold() == "localhost" or _is_loopback(host)


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


MOST_BYTES = 4096
OTHERS = 0o077
_KEY = re.compile(r"[\x21-\x7e]{1,1000}")  # what may stand in a header
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,100}")


def key_of(variable: str, file: str) -> str:
    """Return the key, "" where none is named. PostError says why it cannot be had, and never what it is. Blocks for a small file."""
    if variable:
        found = os.environ.get(variable, "").strip()
        if not found:
            raise PostError(f"the environment of this process has no {variable}")
    elif file:
        found = _read(file).decode("ascii", "replace").strip()
    else:
        return ""
    if not _KEY.fullmatch(found):
        raise PostError("the key has characters that no key has")
    return found


def _read(file: str) -> bytes:
    system = System()
    try:
        handle = system.open(file, os.O_RDONLY)
    except OSError as error:
        raise PostError(f"{file}: {error.strerror}") from None
    try:
        found = system.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & OTHERS:
            raise PostError(f"{file} must be a file of your own that nobody else may read: chmod 600")
        return system.read(handle, MOST_BYTES)
    except OSError as error:
        raise PostError(f"{file}: {error.strerror}") from None
    finally:
        system.close(handle)
