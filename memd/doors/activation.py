"""What a service manager hands a daemon and wants to hear from it: a socket that listens, readiness, signs of life.

Where nobody handed anything over, nothing happens: every function here is quiet then.

Source
    sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket as sockets
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass

from memd.errors import BadSocketError

logger = logging.getLogger(__name__)

FIRST_HANDLE = 3
MOST_HANDLES = 64
STATUS_CHARS = 400
# Meant for this process alone: a child that inherits them would speak in our name.
OURS = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC")


@dataclass(frozen=True, slots=True)
class ServiceManager:
    """Who started this process. `listening` is None where the daemon makes its own socket; `watchdog_s` 0 means none."""

    listening: sockets.socket | None = None
    address: str = ""
    watchdog_s: float = 0.0

    @property
    def path(self) -> str:
        """Where the socket listens that was handed over, "" where none was."""
        return os.fsdecode(self.listening.getsockname()) if self.listening else ""

    def tell(self, *, status: str, **said: str) -> None:
        """Tell the manager what is so. One that does not hear is no reason to stop."""
        if not self.address:
            return
        said["STATUS"] = " ".join(status.split())[:STATUS_CHARS]
        self._send("\n".join(f"{key}={value}" for key, value in said.items()))

    async def keep_alive(self, stop: asyncio.Event) -> None:
        """Give signs of life as long as the event loop turns: twice in the time the manager allows."""
        while self.address and self.watchdog_s and not stop.is_set():
            self._send("WATCHDOG=1")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.watchdog_s / 2):
                    await stop.wait()

    def _send(self, text: str) -> None:
        address = f"\0{self.address[1:]}" if self.address.startswith("@") else self.address
        try:
            with sockets.socket(sockets.AF_UNIX, sockets.SOCK_DGRAM) as out:
                out.setblocking(False)
                out.sendto(text.encode("utf-8", "replace"), os.fsencode(address))
        except OSError as error:
            logger.debug("the service manager does not hear: %s", error)


def take_manager(environ: MutableMapping[str, str] | None = None) -> ServiceManager:
    """Return who started this process, and take what was meant for it alone out of the environment.

    BadSocketError where what was handed over is not a listening Unix socket.
    """
    around = os.environ if environ is None else environ
    given = {name: around.pop(name, "") for name in OURS}
    address = given["NOTIFY_SOCKET"] if given["NOTIFY_SOCKET"][:1] in ("/", "@") else ""
    return ServiceManager(_listening(given), address, _watchdog_s(given))


def _listening(given: Mapping[str, str]) -> sockets.socket | None:
    """Return the first listening Unix socket of those handed to this process; the others are closed."""
    if given["LISTEN_PID"] != str(os.getpid()) or not given["LISTEN_FDS"].isdecimal():
        return None
    found: sockets.socket | None = None
    count = min(int(given["LISTEN_FDS"]), MOST_HANDLES)
    for handle in range(FIRST_HANDLE, FIRST_HANDLE + count):
        one = _as_listening(handle)
        if one is not None and found is None:
            found = one
        elif one is not None:
            one.close()
    if count and found is None:
        raise BadSocketError("what the service manager handed over is no listening Unix socket with a path")
    return found


def _as_listening(handle: int) -> sockets.socket | None:
    try:
        one = sockets.socket(fileno=handle)
    except OSError:
        return None  # closed already, or no socket
    try:
        one.set_inheritable(False)
        # An abstract name has no permissions: anybody may knock at it.
        has_path = one.family == sockets.AF_UNIX and isinstance(one.getsockname(), str) and one.getsockname()
        if has_path and one.type == sockets.SOCK_STREAM and one.getsockopt(sockets.SOL_SOCKET, sockets.SO_ACCEPTCONN):
            return one
    except OSError:
        logger.debug("handle %d is no socket of ours", handle)
    one.close()
    return None


def _watchdog_s(given: Mapping[str, str]) -> float:
    if given["WATCHDOG_PID"] not in ("", str(os.getpid())) or not given["WATCHDOG_USEC"].isdecimal():
        return 0.0
    return int(given["WATCHDOG_USEC"]) / 1e6
