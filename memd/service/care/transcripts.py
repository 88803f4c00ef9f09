"""Where the sessions of a workspace would go with git: to which addresses, and which of them. git is not started.

What git keeps is read from its index, as far as that is written out name by name; what it ignores, from the workspace's own
.gitignore. An address is told without the user's name and password in it.
"""

from __future__ import annotations

import os
import re
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from memd.errors import MemdError, StorageError
from memd.formats.git_files import read_git_config
from memd.model.trust import in_force
from memd.storage.files import Tree
from memd.storage.layout import SESSIONS
from memd.storage.machine import read_text
from memd.store.in_force import read_settings
from memd.store.keep.ignored import are_sessions_ignored, is_of_hooks
from memd.store.session_log import look_for_sessions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memd.store.trust import Trust

INDEX_BYTES = 256 * 1024 * 1024
_REMOTE = re.compile(r"remote\.(.+)\.(push)?url", re.DOTALL)
_QUERY = re.compile(r"[?#].*\Z", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Pushed:
    """`remotes`: the addresses, () where there are none, and None where the workspace is in no repository.

    `hooked`: sessions that hooks wrote, of which git keeps `kept`; `others`: sessions that somebody else opened, which git is
    not told to leave out. `ignored`: the .gitignore names those of hooks; `version`: they are wanted in git.
    """

    remotes: tuple[str, ...] | None
    hooked: int
    kept: int
    others: int
    ignored: bool
    version: bool

    @property
    def leaking(self) -> int:
        """How many sessions of hooks would be pushed though the settings do not want it."""
        return 0 if self.version or not self.remotes else self.kept if self.ignored else self.hooked

    @property
    def sent(self) -> int:
        """How many sessions would be pushed, whoever wrote them."""
        if not self.remotes:
            return 0
        return self.others + (self.hooked if self.version or not self.ignored else self.kept)

    @property
    def where(self) -> str:
        """The addresses, as a part of a sentence."""
        return " and ".join(self.remotes or ())

    @property
    def said(self) -> str:
        """All of it as a sentence."""
        if self.remotes is None:
            return "the workspace is in no git repository: nothing of its sessions is pushed"
        if not self.remotes:
            return "the repository has no remote: nothing of its sessions is pushed"
        if not self.sent:
            return f"no session would be pushed to {self.where}"
        of_hooks = self.sent - self.others
        part = f" ({of_hooks} written by agents' hooks)" if of_hooks else ""
        return f"{self.sent} session{'s' * (self.sent > 1)}{part} would be pushed to {self.where}"

    @property
    def do(self) -> str:
        """What to do about sessions that leak, "" where none does."""
        if not self.leaking:
            return ""
        if self.ignored:
            return f"git keeps them since before they were ignored: `git rm --cached '{SESSIONS}/*/AGENT-*.jsonl'` and a commit end that; what was pushed stays there."
        return f"Add the lines `{SESSIONS}/*/AGENT-*.jsonl` of a new workspace's .gitignore (claude, codex, gemini, vscode) to yours."


def is_versioned(tree: Tree, trust: Trust) -> bool:
    """Tell whether sessions of hooks are wanted in git, as far as this machine grants it. Blocks."""
    trust.look(tree)
    try:
        return in_force(read_settings(tree), trust.trusted.granted).sessions.version
    except (MemdError, FileNotFoundError):
        return False


def look_at_pushed(tree: Tree, top: str, own: str, *, version: bool) -> Pushed:
    """Return where sessions would go; `top` of the repository and git's `own` directory, "" where there is none. Blocks."""
    names = [*look_for_sessions(tree).values()]
    hooked = {one for one in names if is_of_hooks(one)}
    if not top:
        return Pushed(None, len(hooked), 0, len(names) - len(hooked), ignored=True, version=version)
    remotes = remotes_of(read_text(f"{own}/config"))
    kept = _kept(tree, top, hooked) if remotes else 0
    return Pushed(remotes, len(hooked), kept, len(names) - len(hooked), are_sessions_ignored(tree), version)


def remotes_of(config: str) -> tuple[str, ...]:
    """Return the addresses that git would push to, by a configuration file's text: without names and passwords."""
    values = read_git_config(config)
    found: dict[str, str] = {}
    for key, value in values.items():
        match = _REMOTE.fullmatch(key)
        if match and value and (match[2] or f"remote.{match[1]}.pushurl" not in values):
            found[match[1]] = without_credentials(value)
    return tuple(dict.fromkeys(found.values()))


def without_credentials(address: str) -> str:
    """Return an address as it may be shown: no user, no password, no query, no character that a terminal obeys."""
    address = _CONTROL.sub("", address)
    if "://" in address:
        try:
            parts = urlsplit(address)
            host = parts.netloc.rpartition("@")[2]
            return urlunsplit((parts.scheme, host, parts.path, "", ""))
        except ValueError:
            return f"{address.partition('://')[0]}://…"
    plain = _QUERY.sub("", address) if "?" in address or "#" in address else address
    host, colon, path = plain.partition(":")
    return f"{host.rpartition('@')[2]}{colon}{path}" if colon and "/" not in host else plain


def _kept(tree: Tree, top: str, hooked: set[str]) -> int:
    """Return how many of some files of the workspace git keeps."""
    data = _index_of(top)
    below = os.path.relpath(os.path.realpath(tree.path), os.path.realpath(top)).replace(os.sep, "/")
    prefix = "" if below == "." else f"{below}/"
    return sum(os.fsencode(f"{prefix}{name}") + b"\0" in data for name in hooked)


def _index_of(top: str) -> bytes:
    own = f"{top}/.git"
    if os.path.isfile(own):
        own = os.path.join(top, read_text(own).removeprefix("gitdir:").strip())
    try:
        with closing(Tree(own)) as tree:
            return tree.read("index", INDEX_BYTES)[0]
    except (StorageError, OSError):
        return b""


def told_of(found: Pushed) -> Sequence[str]:
    """Return what a sync says of it: nothing where no session goes anywhere."""
    return (f"{found.said}. {found.do}".rstrip(". ") + ".",) if found.sent else ()


# Which git repository a directory is in, found without git.


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
