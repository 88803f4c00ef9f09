"""A socket of our own: bound where only its user may enter, and only over one that nobody listens at; or a port of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket as sockets
import stat
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass

from memd.errors import BadSocketError
from memd.places import SOCKET_PATH_BYTES

HOST = "127.0.0.1"


def bind(path: str) -> sockets.socket:
    """Return a listening socket at the path, 0600, in a directory that is ours and 0700."""
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES:
        raise BadSocketError(f"the socket path {path} has more than {SOCKET_PATH_BYTES} bytes")
    check_directory(os.path.dirname(path))
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        found = None
    if found is not None:
        if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid():
            raise BadSocketError(f"{path} is not a socket of ours")
        if _answers(path):
            raise BadSocketError(f"another daemon answers at {path}")
        os.unlink(path)
    listening = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        listening.bind(path)
    finally:
        os.umask(mask)
    return listening


def bind_port(port: int) -> sockets.socket:
    """Return a listening socket at a port of this machine alone, 0 for a free one."""
    # The protocol is named: asyncio sends what is written at once only where it is, and else the second part of a reply waits 40 ms.
    listener = sockets.socket(sockets.AF_INET, sockets.SOCK_STREAM, sockets.IPPROTO_TCP)
    listener.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()  # who connects before the server is up waits
    except OSError as error:
        listener.close()
        refused = BadSocketError(f"port {port} of {HOST} cannot be had: {error.strerror}")
        refused.hint = "Name another port, or 0 for a free one; or stop the program that has it."
        raise refused from None
    return listener


def _answers(path: str) -> bool:
    """Tell whether somebody listens; a socket nobody listens at is left from a process that died."""
    with sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True
    return True


def check_directory(path: str) -> None:
    """Make a directory 0700, or refuse one that is a link, somebody else's, or open to others, or lies in such a one."""
    _check_above(os.path.dirname(path))
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass  # looked at below, like one that was just made
    except OSError as error:
        raise BadSocketError(f"{path} cannot be made: {error.strerror}") from None
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise BadSocketError(f"{path} must be a directory of ours that nobody else may enter")


def _check_above(path: str) -> None:
    """Refuse a directory in which somebody else could put another in the place of ours: a link, or not ours to trust."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        raise BadSocketError(f"there is no directory {path} for the socket's") from None
    except OSError as error:
        raise BadSocketError(f"{path} cannot be used: {error.strerror}") from None
    if stat.S_ISLNK(found.st_mode) and found.st_uid == 0:  # the system's own, as /tmp is on macOS
        found = os.stat(path)
    if not stat.S_ISDIR(found.st_mode):
        what = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "no directory"
        raise BadSocketError(f"{path} is {what}: the socket's directory must not be reached through it")
    if found.st_uid not in (0, os.geteuid()):
        raise BadSocketError(f"{path} belongs to another user: the socket's directory must not lie in it")
    if found.st_mode & 0o002 and not found.st_mode & stat.S_ISVTX:
        raise BadSocketError(f"{path} can be written by everybody: the socket's directory must not lie in it")


# What a service manager hands a daemon and wants to hear from it: a socket that listens, readiness, signs of life.
#
# Where nobody handed anything over, nothing happens: every function here is quiet then.
#
# Source
#     sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3).

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
