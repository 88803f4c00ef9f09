"""What git is doing in the workspace, seen from its files: no process is started, nothing of its settings is run."""

from __future__ import annotations

import os
import time

from memd.errors import StorageError
from memd.storage.files import Tree
from memd.storage.system import System

STALE_LOCK_S = 30.0  # an index.lock that nothing has touched for this long was left by a git that died
_BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


def git_work(tree: Tree, system: System) -> str:
    """Return what git has under way ("a merge", …), or "" where there is nothing or no repository."""
    directory = _git_dir(tree)
    if not directory:
        return ""
    for name in _BUSY:
        if os.path.lexists(f"{directory}/{name}"):
            return name
    try:
        age_s = time.time() - system.stat(f"{directory}/index.lock", at=None).st_mtime
    except OSError:
        return ""
    return "index.lock" if -STALE_LOCK_S < age_s < STALE_LOCK_S else ""


def _git_dir(tree: Tree) -> str:
    """Return the repository's own directory; a worktree's `.git` is a file that names it."""
    path = f"{tree.path}/.git"
    if os.path.isdir(path):
        return path
    try:
        text = tree.read(".git", 4096)[0].decode("utf-8", "replace")
    except (OSError, StorageError):
        return ""
    named = text.removeprefix("gitdir:").strip()
    return os.path.join(tree.path, named) if text.startswith("gitdir:") else ""
