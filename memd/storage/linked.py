"""Directories of a workspace that may lie elsewhere: which, and where a link of that name leads."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from memd.model.files import ARCHIVE, RUNS, SESSIONS

LINKABLE = (RUNS, SESSIONS, ARCHIVE)


class Target(NamedTuple):
    """Where a link leads: the directory's path without any link in it, "" where it cannot be used, and then why."""

    path: str
    device: int = 0
    inode: int = 0
    why: str = ""


def target_of(workspace: str, name: str) -> Target:
    """Return where a link of this name leads: to a directory of ours, outside the workspace, in no repository's own files."""
    path, root = os.path.realpath(os.path.join(workspace, name)), os.path.realpath(workspace)
    try:
        found = os.lstat(path)
    except OSError as error:
        return Target("", why=f"it leads nowhere: {error.strerror}")
    if not stat.S_ISDIR(found.st_mode):
        return Target("", why="it leads to something that is no directory")
    if found.st_uid != os.geteuid():
        return Target("", why="it leads to a directory of another user")
    if found.st_mode & stat.S_IWOTH:
        return Target("", why="it leads to a directory that everybody may write")
    if _is_within(path, root) or _is_within(root, path):
        return Target("", why="it leads into the workspace, or to what holds it")
    if any(part.casefold() == ".git" for part in path.split("/")):
        return Target("", why="it leads into a repository's own files")
    return Target(path, found.st_dev, found.st_ino)


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
