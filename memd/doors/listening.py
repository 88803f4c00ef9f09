"""A socket of our own: bound where only its user may enter, and only over one that nobody listens at; or a port of this machine."""

from __future__ import annotations

import os
import socket as sockets
import stat

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
    listener = sockets.socket(sockets.AF_INET, sockets.SOCK_STREAM)
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
