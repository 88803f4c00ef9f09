"""Directories of a workspace that may lie elsewhere: which, and where a link of that name leads."""

from __future__ import annotations

import os
import stat

from memd.model.files import ARCHIVE, RUNS, SESSIONS
from memd.storage.files import Tree

LINKABLE = (RUNS, SESSIONS, ARCHIVE)


def target_of(tree: Tree, name: str) -> tuple[str, str]:
    """Return where a link of this name leads, and "" or why it cannot be used: a directory of ours, outside, no repository's."""
    path, root = os.path.realpath(os.path.join(tree.path, name)), os.path.realpath(tree.path)
    try:
        found = os.lstat(path)
    except OSError as error:
        return "", f"it leads nowhere: {error.strerror}"
    if not stat.S_ISDIR(found.st_mode):
        return "", "it leads to something that is no directory"
    if found.st_uid != os.geteuid():
        return "", "it leads to a directory of another user"
    if found.st_mode & stat.S_IWOTH:
        return "", "it leads to a directory that everybody may write"
    if _is_within(path, root) or _is_within(root, path):
        return "", "it leads into the workspace, or to what holds it"
    if any(part.casefold() == ".git" for part in path.split("/")):
        return "", "it leads into a repository's own files"
    return path, ""


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
