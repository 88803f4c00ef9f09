"""What the environment says: where a workspace is, where its socket, its caches and its state on this machine lie."""

from __future__ import annotations

import os
from dataclasses import dataclass

import platformdirs

from memd.client import find_workspace, socket_of, surroundings
from memd.places import cache_path, state_path


@dataclass(frozen=True, slots=True)
class EmbeddingPlace:
    """Where embeddings come from: a directory with an ONNX model and its digest, or an endpoint's address and model.

    "none" is no model at all; where nothing is said, it is the one that comes with memd, as far as it is installed.

    Only the environment says it: a workspace may be a stranger's, and would be told every message.
    """

    where: str = ""
    model: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace with the paths that belong to it, all absolute."""

    workspace: str
    socket: str
    cache: str
    embeddings: EmbeddingPlace = EmbeddingPlace("none")  # where no environment was read
    state: str = ""


def place_of(workspace: str = "", socket: str = "") -> Place:
    """Return the places of the workspace named, of MEMD_WORKSPACE, or of the nearest one above."""
    return place_at(find_workspace(workspace), socket)


def place_at(path: str, socket: str = "") -> Place:
    """Return the places of the workspace that is or will be at a resolved path."""
    around = surroundings(platformdirs.user_cache_dir())
    given = EmbeddingPlace(
        os.environ.get("MEMD_EMBEDDINGS", ""),
        os.environ.get("MEMD_EMBEDDINGS_MODEL", ""),
        os.environ.get("MEMD_EMBEDDINGS_DIGEST", ""),
    )
    listening = os.path.realpath(socket) if socket else socket_of(path)
    return Place(path, listening, cache_path(path, around), given, state_path(path, around))
