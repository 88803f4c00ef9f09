"""Where the socket, the caches and this machine's word on a workspace lie, computed from values it is given.

Units
    A socket path may have 107 bytes on Linux and 103 on macOS (sun_path less its NUL).
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

SOCKET_PATH_BYTES = 103
CACHE_LAYOUT = "v1"  # raise when what lies below the cache directory changes its form


class Surroundings(NamedTuple):
    """What the environment says: absolute directories, "" where there is none; the user's number."""

    runtime_dir: str
    temporary_dir: str
    cache_dir: str
    uid: int
    state_dir: str = ""


def workspace_key(workspace: str) -> str:
    """Return 16 hex digits that stand for the workspace at this absolute, resolved path."""
    return hashlib.sha256(workspace.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def socket_dir(around: Surroundings) -> str:
    """Return the directory of all sockets of this user; it must be ours and 0700."""
    if around.runtime_dir:
        return f"{around.runtime_dir}/memd"
    return f"{around.temporary_dir}/memd-{around.uid}"


def socket_path(workspace: str, around: Surroundings) -> str:
    """Return where the daemon of this workspace listens."""
    return f"{socket_dir(around)}/{workspace_key(workspace)}.sock"


def cache_path(workspace: str, around: Surroundings) -> str:
    """Return the directory of what can be rebuilt from this workspace; never inside it."""
    return f"{around.cache_dir}/memd/{workspace_key(workspace)}/{CACHE_LAYOUT}"


def state_path(workspace: str, around: Surroundings) -> str:
    """Return the directory of what this machine grants to the workspace at this path; "" where it keeps nothing."""
    return f"{around.state_dir}/memd/{workspace_key(workspace)}" if around.state_dir else ""


BY_NAME = "packaged"  # names the model that comes with memd, so that commands without a daemon wait for it as well


def is_folder(embeddings: str) -> bool:
    """Tell whether MEMD_EMBEDDINGS names a directory: neither nothing, nor a model by its name, nor an endpoint's address."""
    return embeddings not in ("", "none", BY_NAME) and not embeddings.startswith(("http://", "https://"))
