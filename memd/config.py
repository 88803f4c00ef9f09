"""What the environment says: where a workspace is, where its socket and its caches lie."""

from __future__ import annotations

import os
from dataclasses import dataclass

import platformdirs

from memd.client import find_workspace, socket_of, surroundings
from memd.places import cache_path


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace with the paths that belong to it, all absolute."""

    workspace: str
    socket: str
    cache: str


def place_of(workspace: str = "", socket: str = "") -> Place:
    """Return the places of the workspace named, of MEMD_WORKSPACE, or of the nearest one above."""
    path = find_workspace(workspace)
    around = surroundings(platformdirs.user_cache_dir())
    return Place(path, os.path.realpath(socket) if socket else socket_of(path), cache_path(path, around))
