"""git: what it is doing in a workspace, seen from its files, and running it so that a repository cannot run anything back.

Errors
    GitMissingError where there is no git or no repository; GitFailedError for a command that git refused.
Source
    docs/design/reliability.md#git-under-way: a repository's own settings can name programs that a plain `git status` starts.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from memd.errors import GitBusyError, GitFailedError, GitMissingError

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.storage.system import System

STALE_LOCK_S = 30.0  # an index.lock that nothing has touched for this long was left by a git that died
_BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
LOCAL_S, REMOTE_S = 120.0, 600.0  # a command is given so long
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")
_NOWHERE = ("-c", "protocol.allow=never")
_PROTOCOLS = ("file", "git", "http", "https", "ssh")  # never ext: its address is a command
_SAID_CHARS = 400
# Of this repository; what the other one says of its own locks begins with "remote:", and passes by itself.
_LOCKED = re.compile(r"^(?!remote:).*Unable to create '([^\n]+\.lock)': File exists", re.MULTILINE)


def git_work(tree: Tree, system: System) -> str:
    """Return what git has under way ("MERGE_HEAD", …), or "" where there is nothing or no repository."""
    directory = git_dir(tree)
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


def git_dir(tree: Tree) -> str:
    """Return the own directory of the repository that a workspace is in, or ""; a worktree's `.git` is a file that names it."""
    folder = tree.path
    while not os.path.lexists(path := os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    if os.path.isdir(path):
        return path
    try:
        handle = tree.system.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        text = tree.system.read(handle, 4096).decode("utf-8", "replace")
    finally:
        tree.system.close(handle)
    return os.path.join(folder, text.removeprefix("gitdir:").strip()) if text.startswith("gitdir:") else ""


class Ran(NamedTuple):
    """What a command came to: its status, what it printed, and what it complained of."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """What it printed, as a text without blanks around it."""
        return self.out.decode("utf-8", "replace").strip()

    @property
    def names(self) -> list[str]:
        """What it printed, as names that end with NUL."""
        return [one.decode("utf-8", "surrogateescape") for one in self.out.split(b"\0") if one]

    @property
    def said(self) -> str:
        """What it complained of, on one line."""
        told = [line.strip() for line in self.err.splitlines() if line.strip() and not line.startswith("hint:")]
        return "; ".join(told)[-_SAID_CHARS:] or f"it ended with status {self.status}"


class Git:
    """git in one directory. Every command blocks; `extra` are settings for all of them, as key=value."""

    def __init__(self, path: str, extra: tuple[str, ...] = ()) -> None:
        self.path, self.extra, self._root = path, extra, ""
        self.program = shutil.which("git") or ""
        if not self.program:
            raise GitMissingError("there is no git program")

    def root(self) -> str:
        """Return the top of the working tree, or raise GitMissingError."""
        if not self._root:
            ran = self.run("rev-parse", "--show-toplevel", check=False)
            if ran.status and "not a git repository" not in ran.err:
                raise GitFailedError("rev-parse", ran.said)  # it is one, and git will not use it
            if ran.status or not ran.text:
                raise GitMissingError(f"{self.path} is in no git repository")
            self._root = ran.out.decode("utf-8", "surrogateescape").removesuffix("\n")
        return self._root

    def run(
        self,
        *arguments: str,
        check: bool = True,
        remote: bool = False,
        given: bytes = b"",
        env: Mapping[str, str] | None = None,
    ) -> Ran:
        """Run a command. `remote`: it may speak to another repository. With `check`, a refusal is GitFailedError."""
        settings = [word for one in self.extra for word in ("-c", one)]
        protocols = [word for one in _PROTOCOLS for word in ("-c", f"protocol.{one}.allow=always")] if remote else []
        command = [self.program, "--no-optional-locks", *_SAFE, *_NOWHERE, *protocols, *settings, *arguments]
        try:
            done = subprocess.run(  # noqa: S603  git itself, with our own words
                command,
                cwd=self.path,
                input=given,
                capture_output=True,
                env=_environment() | dict(env or {}),
                timeout=REMOTE_S if remote else LOCAL_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise GitFailedError(_verb(arguments), f"it was not done after {error.timeout:g} s") from None
        ran = Ran(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
        lock = _LOCKED.search(ran.err) if ran.status else None
        if lock:
            raise GitBusyError(f"{lock[1]} is there; remove it if no git runs")
        if check and ran.status:
            raise GitFailedError(_verb(arguments), ran.said)
        return ran


def _verb(arguments: tuple[str, ...]) -> str:
    return next((one for one in arguments if not one.startswith("-")), "")


def _environment() -> dict[str, str]:
    """Return what git may know of ours: nothing that points it elsewhere, makes it ask, or changes its words."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in _KEPT}
    return kept | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": ":",
        "GIT_MERGE_AUTOEDIT": "no",
        "LC_ALL": "C.UTF-8",
        "LANGUAGE": "C",
    }


# Who writes, how ssh is reached and where the person's own settings lie is the person's to say.
_KEPT = frozenset({
    "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL",
})  # fmt: skip
