"""What is about to be committed, as files of their own: a hook must look at that, not at what lies in the working tree."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from memd.engine.merge import diff
from memd.errors import RejectedFileError
from memd.formats.role_memory import Document, new_document
from memd.formats.role_reader import load
from memd.model.files import ARCHIVE, LEARNING, PRIVATE, RUNS, SESSIONS, SETTINGS, Purpose, is_copy, purpose_of, role_of
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


# What a commit of memd's says it has: how many memories of which role, and which other files. Never what they say.

OURS = frozenset(Purpose) - {Purpose.PAGE}
SHOWN = 3  # parts of the first line; the others are counted in the body
NAMED = 100  # files that the body names
WORDS = {
    Purpose.SESSION: ("session", "sessions"),
    Purpose.RUN: ("run", "runs"),
    Purpose.TASK: ("task", "tasks"),
    Purpose.SKILL: ("skill", "skills"),
    Purpose.BOOK: ("book", "books"),
    Purpose.PAGE: ("page", "pages"),
}


def is_ours(name: str) -> bool:
    """Tell whether a file is of a kind that memd writes, pages of a person's left out."""
    if name in (".gitattributes", ".gitignore", f"{PRIVATE}/declarative.md", f"{PRIVATE}/offered.jsonl"):
        return True
    leaf = name.rpartition("/")[2]
    if is_copy(leaf) or leaf.startswith("."):
        return False
    below = name.startswith((f"{LEARNING}/", f"{RUNS}/snapshots/"))
    return below or purpose_of(name) in OURS


def words_of(names: Iterable[str], before: Callable[[str], bytes], after: Callable[[str], bytes]) -> str:
    """Return the message of a commit of these files; `before` and `after` give a file's bytes, none where it is not there."""
    names = sorted(names)
    parts: list[str] = []
    counts: Counter[Purpose] = Counter()
    others: list[str] = []
    for name in names:
        purpose = purpose_of(name)
        if purpose is Purpose.MEMORY:
            parts.append(_memories(role_of(name), name, before(name), after(name)))
        elif purpose in WORDS:
            counts[purpose] += 1
        else:
            others.append(name.rpartition("/")[2])
    parts += [f"{count} {WORDS[one][count > 1]}" for one, count in counts.items()]
    parts += others
    head = ", ".join(parts[:SHOWN]) + (f" and {len(parts) - SHOWN} more" if len(parts) > SHOWN else "")
    listed = names[:NAMED] + ([f"and {len(names) - NAMED} more"] if len(names) > NAMED else [])
    return f"memd: {head}\n\n" + "\n".join(listed) + "\n"


def _memories(role: str, name: str, before: bytes, after: bytes) -> str:
    try:
        changes = diff(_document(before, name), _document(after, name), role)
    except RejectedFileError:
        return f"memory.json of {role}"
    count: Counter[str] = Counter(
        "new" if one.before is None else "removed" if one.after is None else "changed" for one in changes
    )
    told = ", ".join(f"{count[word]} {word}" for word in ("new", "changed", "removed") if count[word])
    return f"{told or 'the form'} in {role}"


def _document(data: bytes, name: str) -> Document:
    return load(data, name, role_of(name)).document if data.strip() else new_document("")
