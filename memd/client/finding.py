"""Which workspace is meant, and where its daemon may listen."""

from __future__ import annotations

import os

from memd.errors import WorkspaceMissingError
from memd.whereabouts import is_workspace, nearest_workspace, socket_of


def find_workspace(start: str = "") -> str:
    """Return the resolved path of a workspace: the one named, MEMD_WORKSPACE, the nearest memd.toml above, or what `memd setup` made."""
    named = start or os.environ.get("MEMD_WORKSPACE", "")
    path = os.path.realpath(named or ".")
    found = (path if is_workspace(path) else "") if named else nearest_workspace(path) or _set_up()
    if not found:
        raise WorkspaceMissingError(path, _why_none(path, "" if start else "MEMD_WORKSPACE: ") if named else "")
    return found


def _set_up() -> str:
    from memd.storage.machine import set_up_workspace  # noqa: PLC0415  only where no other is meant

    return set_up_workspace()


def elsewhere(workspace: str) -> str:
    """Return another socket to try, "" where there is none: a daemon started in another environment may listen there."""
    if os.environ.get("MEMD_SOCKET"):
        return ""
    from memd.storage.lock import told_socket  # noqa: PLC0415  only where nobody listens

    told = told_socket(workspace)
    return "" if told == socket_of(workspace) else told


def _why_none(path: str, whose: str) -> str:
    """Say why a path that was named, by `whose` word, is no workspace."""
    if os.path.isdir(path):
        return f"{whose}{path} is no workspace: there is no memd.toml in it"
    return (
        f"{whose}{path} is a file, and a workspace is a directory"
        if os.path.exists(path)
        else f"{whose}there is no {path}"
    )
