"""Where this process finds its workspace and the daemon's socket, from its environment; light, for what must start fast."""

from __future__ import annotations

import os
import socket as sockets
import struct
import sys

from memd.places import Surroundings, socket_path

SETTINGS = "memd.toml"


def surroundings(cache_dir: str = "") -> Surroundings:
    """Return what this process's environment says of places."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    temporary = os.environ.get("TMPDIR", "") or "/tmp"  # noqa: S108  who listens below it must be us: `is_ours`
    return Surroundings(runtime.rstrip("/"), temporary.rstrip("/"), cache_dir, os.geteuid(), _state_dir())


def _state_dir() -> str:
    """Return where this user's programs keep what must outlive them; a relative XDG_STATE_HOME counts for nothing."""
    named = os.environ.get("XDG_STATE_HOME", "")
    home = os.path.expanduser("~")
    chosen = named if os.path.isabs(named) else os.path.join(home, ".local", "state") if os.path.isabs(home) else ""
    return os.path.realpath(chosen) if chosen else ""


def is_workspace(path: str) -> bool:
    """Tell whether a directory is a workspace."""
    return os.path.isfile(os.path.join(path, SETTINGS))


def nearest_workspace(start: str) -> str:
    """Return the resolved path of the nearest workspace at or above a directory, "" where there is none."""
    path = os.path.realpath(start)
    while not is_workspace(path):
        above = os.path.dirname(path)
        if above == path:
            return ""
        path = above
    return path


def socket_of(workspace: str) -> str:
    """Return where the daemon of a workspace listens; MEMD_SOCKET overrides."""
    return os.environ.get("MEMD_SOCKET", "") or socket_path(workspace, surroundings())


def peer_uid(connected: sockets.socket) -> int:
    """Return the user at the other end. macOS (untested): LOCAL_PEERCRED, whose second word is the uid."""
    if sys.platform == "darwin":
        return int(struct.unpack("2I", connected.getsockopt(0, 1, 8))[1])
    return int(struct.unpack("3i", connected.getsockopt(sockets.SOL_SOCKET, sockets.SO_PEERCRED, 12))[1])


def is_ours(connected: sockets.socket) -> bool:
    """Tell whether who listens is the same user, or root: anybody may have made a socket where ours would be."""
    return peer_uid(connected) in (os.geteuid(), 0)
