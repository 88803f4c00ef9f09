"""Tell git how memd's files are merged and shown (drivers in the repository's own settings, attributes in the workspace), and what
is about to be committed, as files of their own: a hook must look at that, not at what lies in the working tree.

The attributes alone do no harm: without the drivers git merges by lines. A driver whose program is gone would: git then
keeps our side without a word. So the command falls back to `git merge-file` for whatever is no answer of memd's.

Source
    gitattributes(5), "Defining a custom merge driver"; docs/design/substrate.md#how-git-merges.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

from memd.engine.merge import diff
from memd.errors import RejectedFileError, StorageError
from memd.formats.role_memory import Document, new_document
from memd.formats.role_reader import load
from memd.model.files import ARCHIVE, LEARNING, PRIVATE, RUNS, SESSIONS, SETTINGS, Purpose, is_copy, purpose_of, role_of
from memd.storage.files import Tree
from memd.storage.history import Git
from memd.storage.replace import create, replace_if
from memd.store.keep.ignored import IGNORE_FILE, keep_ignored

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
    head = ", ".join(map(_plain, parts[:SHOWN])) + (f" and {len(parts) - SHOWN} more" if len(parts) > SHOWN else "")
    listed = [_plain(one) for one in names[:NAMED]] + ([f"and {len(names) - NAMED} more"] if len(names) > NAMED else [])
    return f"memd: {head}\n\n" + "\n".join(listed) + "\n"


def _plain(name: str) -> str:
    """Return a name without what a terminal would obey, on one line."""
    return "".join(char if char.isprintable() else "?" for char in name)


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


# git's own name, so that a clone without memd joins logs too; but what was erased comes back there.
UNION = "merge.union"
ATTRIBUTES_FILE = ".gitattributes"
ATTRIBUTES = (
    "roles/*/memory.json merge=memd diff=memd",
    "MEMORY.md merge=memd-curated",
    "USER.md merge=memd-curated",
    "*.jsonl merge=union",
    ".memory/declarative.md merge=union",
    "archive/declarative-*.md merge=union",
)
SECTIONS = ("merge.memd", "merge.memd-curated", UNION, "diff.memd")
HOOK = "pre-commit"
HOOK_MARK = "# made by memd git install"
HOOK_TEXT = """#!/bin/sh
{mark}
if {memd} --version > /dev/null 2>&1; then exec {memd} git pre-commit; fi
echo "memd is not where it was ({memd}): nothing was checked; memd git install --hook mends it" >&2
"""
DRIVER = (
    "MEMD_CONFLICT_STYLE=$(git config merge.conflictStyle) {memd} git merge-driver {form} %O %A %B %L %P; "
    "case $? in 0) exit 0;; 3) exit 1;; "
    "*) git merge-file {otherwise} %A %O %B;; esac"
)
MARKED, JOINED = "--marker-size=%L -L ours -L base -L theirs", "--union"  # what git does where memd cannot


class Setting(NamedTuple):
    """One line of git's settings."""

    key: str
    value: str


@dataclass(slots=True)
class SetUp:
    """What was changed, what stood already, and what a person must do."""

    changed: list[str] = field(default_factory=list)
    standing: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def settings_for(memd: str) -> tuple[Setting, ...]:
    """Return git's settings; `memd` is the line that starts memd, as a shell reads it."""
    return (
        Setting("merge.memd.name", "memories, one by one and field by field"),
        Setting("merge.memd.driver", DRIVER.format(memd=memd, form="memory", otherwise=MARKED)),
        Setting("merge.memd-curated.name", "curated memory, entry by entry"),
        Setting("merge.memd-curated.driver", DRIVER.format(memd=memd, form="curated", otherwise=MARKED)),
        Setting(f"{UNION}.name", "lines of both, without those that either took out"),
        Setting(f"{UNION}.driver", DRIVER.format(memd=memd, form="lines", otherwise=JOINED)),
        Setting("diff.memd.textconv", f"{memd} git textconv"),
    )


def install(git: Git, tree: Tree, memd: str, *, hook: bool, version: bool = False) -> SetUp:
    """Set git up for a workspace; doing it twice changes nothing. `version`: git keeps the sessions of hooks."""
    git.root()
    done = SetUp()
    others = _is_of_others(git)
    if others:
        done.remarks.append(
            f"{UNION} is somebody's own and was left alone: what is erased may come back with a merge of logs"
        )
    for key, value in settings_for(memd):
        if others and key.startswith(UNION):
            continue
        if _standing(git, key) == value:
            done.standing.append(key)
        else:
            git.run("config", "--local", "--replace-all", key, value)
            done.changed.append(key)
    if add_attributes(tree):
        done.changed.append(ATTRIBUTES_FILE)
        done.remarks.append(f"commit {ATTRIBUTES_FILE}: whoever clones the repository needs it too")
    else:
        done.standing.append(ATTRIBUTES_FILE)
    if keep_ignored(tree, version=version):
        done.changed.append(IGNORE_FILE)
    if hook:
        _put_hook(git, memd, done)
    return done


def uninstall(git: Git) -> SetUp:
    """Take out what install put into the repository's settings and hooks; the attributes are everybody's, and stay."""
    git.root()
    done = SetUp()
    for section in SECTIONS:
        if section == UNION and _is_of_others(git):
            continue
        if git.run("config", "--local", "--remove-section", section, check=False).status == 0:
            done.changed.append(section)
    folder = _hooks_dir(git)
    try:
        with closing(Tree(folder)) as tree:
            if HOOK_MARK in _text_of(tree, HOOK):
                tree.remove(HOOK)
                done.changed.append(f"hooks/{HOOK}")
    except FileNotFoundError:
        pass  # this clone has no hooks at all
    except (StorageError, OSError) as error:
        done.remarks.append(f"the hooks of this clone were left alone: {error}")
    if not done.changed:
        done.standing.append("nothing of memd's was there")
    return done


def _is_of_others(git: Git) -> bool:
    """Tell whether somebody else's program joins logs here."""
    found = _standing(git, f"{UNION}.driver")
    return bool(found) and "git merge-driver lines" not in found


def missing_attributes(tree: Tree) -> list[str]:
    """Return the lines that .gitattributes lacks."""
    lines = {" ".join(line.split()) for line in _text_of(tree, ATTRIBUTES_FILE).splitlines()}
    return [line for line in ATTRIBUTES if line not in lines]


def add_attributes(tree: Tree) -> bool:
    """Add what .gitattributes lacks; tell whether anything was lacking."""
    missing = missing_attributes(tree)
    if missing:
        _add_lines(tree, ATTRIBUTES_FILE, missing)
    return bool(missing)


def _standing(git: Git, key: str, scope: str = "--local") -> str:
    ran = git.run("config", scope, "--get", key, check=False)
    return ran.out.decode("utf-8", "replace").removesuffix("\n") if ran.status == 0 else ""


def _text_of(tree: Tree, name: str) -> str:
    try:
        return tree.read(name, 1_000_000)[0].decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return ""


def _add_lines(tree: Tree, name: str, lines: list[str]) -> None:
    text = _text_of(tree, name)
    end = "\r\n" if "\r\n" in text else "\n"
    fresh = text + (end if text and not text.endswith("\n") else "") + "".join(line + end for line in lines)
    data = fresh.encode("utf-8", "surrogateescape")
    if tree.identify(name):
        replace_if(tree, name, data, text.encode("utf-8", "surrogateescape"))
    else:
        create(tree, name, data, 0o644)


def _hooks_dir(git: Git) -> str:
    """Return the directory of the repository's own hooks."""
    return os.path.join(git.path, git.run("rev-parse", "--git-common-dir").text, "hooks")


def _put_hook(git: Git, memd: str, done: SetUp) -> None:
    """Write the hook where there is none; another's stays as it is, and the person is told the line."""
    line = f"{memd} git pre-commit"
    scopes = ("--local", "--global")
    elsewhere = next((path for one in scopes if (path := _standing(git, "core.hooksPath", one))), "")
    if elsewhere:
        done.remarks.append(f"hooks are kept in {elsewhere}: add `{line}` to {HOOK} there")
        return
    folder = _hooks_dir(git)
    wanted = HOOK_TEXT.format(mark=HOOK_MARK, memd=memd)
    try:
        os.makedirs(folder, exist_ok=True)
        with closing(Tree(folder)) as tree:
            text = _text_of(tree, HOOK)
            if text == wanted:
                done.standing.append(f"hooks/{HOOK}")
            elif not text:
                create(tree, HOOK, wanted.encode(), 0o755)
                done.changed.append(f"hooks/{HOOK}")
            elif HOOK_MARK in text:
                replace_if(tree, HOOK, wanted.encode(), text.encode("utf-8", "surrogateescape"))
                done.changed.append(f"hooks/{HOOK}")
            elif "git pre-commit" not in text:
                done.remarks.append(f"there is a {HOOK} hook already: add `{line}` to it")
    except (StorageError, OSError) as error:  # a link, or a directory of somebody else's
        done.remarks.append(f"the hooks of this clone were left alone ({error}): add `{line}` to {HOOK} yourself")
