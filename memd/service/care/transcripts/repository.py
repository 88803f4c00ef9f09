"""Which git repository a directory is in, found without git."""

from __future__ import annotations

import os

from memd.storage.machine import read_text


def repository_of(path: str) -> tuple[str, str]:
    """Return the top of the repository a directory is in, and git's own directory that all its worktrees share."""
    top = path
    while not os.path.lexists(f"{top}/.git"):
        above = os.path.dirname(top)
        if above == top:
            return "", ""
        top = above
    own = f"{top}/.git"
    if os.path.isfile(own):
        own = os.path.join(top, read_text(own).removeprefix("gitdir:").strip())
    shared = read_text(f"{own}/commondir").strip()
    return top, os.path.normpath(os.path.join(own, shared)) if shared else own
