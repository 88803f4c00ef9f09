"""What is about to be committed, as files of their own: a hook must look at that, not at what lies in the working tree."""

from __future__ import annotations

import os
from typing import NamedTuple

from memd.model.files import ARCHIVE, LEARNING, RUNS, SESSIONS, SETTINGS
from memd.service.care.commit_words import is_ours
from memd.storage.history import Git

APART = (f"{SESSIONS}/", f"{RUNS}/", f"{ARCHIVE}/", f"{LEARNING}/")  # nothing else is judged by them


class Staged(NamedTuple):
    """A workspace of the index, put into a directory, and the names of its staged files; `lies_in` is where it really is."""

    path: str
    names: list[str]
    lies_in: str


def staged_workspaces(git: Git, folder: str, index: str = "") -> list[Staged]:
    """Put every workspace of an index with staged files below a directory. `index`: where it is not the usual one."""
    env = {"GIT_INDEX_FILE": index} if index else {}
    top = Git(git.root())
    changed = top.run("diff", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=ACM", env=env).names
    known = top.run("ls-files", "-z", env=env).names
    found: list[Staged] = []
    for settings in (name for name in known if name.rpartition("/")[2] == SETTINGS):
        prefix = settings.removesuffix(SETTINGS)
        names = [name.removeprefix(prefix) for name in changed if name.startswith(prefix)]
        if not names:
            continue
        wanted = [
            name
            for name in known
            if name.startswith(prefix) and (name in changed or not name.removeprefix(prefix).startswith(APART))
        ]
        given = b"".join(os.fsencode(name) + b"\0" for name in wanted)
        words = ("checkout-index", "--quiet", "--force", f"--prefix={folder}/", "-z", "--stdin")
        top.run(*words, given=given, env=env)
        path = os.path.join(folder, prefix.rstrip("/")) if prefix else folder
        found.append(Staged(path, names, os.path.join(top.path, prefix.rstrip("/")) if prefix else top.path))
    return found


def outgrown(staged: Staged, index: str = "") -> list[str]:
    """Return the staged files that memd has written to since they were staged."""
    git = Git(Git(staged.lies_in).root())
    below = os.path.relpath(staged.lies_in, git.path)
    prefix, env = "" if below == "." else f"{below}/", {"GIT_INDEX_FILE": index} if index else {}
    changed = git.run("diff", "--name-only", "-z", "--no-renames", env=env, check=False).names
    return [name for name in staged.names if is_ours(name) and f"{prefix}{name}" in changed]
