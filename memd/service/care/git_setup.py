"""Tell git how memd's files are merged and shown: drivers in the repository's own settings, attributes in the workspace.

The attributes alone do no harm: without the drivers git merges by lines. A driver whose program is gone would: git then
keeps our side without a word. So the command falls back to `git merge-file` for whatever is no answer of memd's.

Source
    gitattributes(5), "Defining a custom merge driver"; docs/design/substrate.md#how-git-merges.
"""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memd.errors import StorageError
from memd.storage.files import Tree
from memd.storage.replace import create, replace_if
from memd.store.keep.ignored import IGNORE_FILE, keep_ignored

if TYPE_CHECKING:
    from memd.storage.history import Git

ATTRIBUTES_FILE = ".gitattributes"
ATTRIBUTES = (
    "roles/*/memory.json merge=memd diff=memd",
    "MEMORY.md merge=memd-curated",
    "USER.md merge=memd-curated",
    "*.jsonl merge=union",
    ".memory/declarative.md merge=union",
    "archive/declarative-*.md merge=union",
)
SECTIONS = ("merge.memd", "merge.memd-curated", "diff.memd")
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
    "*) git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B;; esac"
)


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
        Setting("merge.memd.driver", DRIVER.format(memd=memd, form="memory")),
        Setting("merge.memd-curated.name", "curated memory, entry by entry"),
        Setting("merge.memd-curated.driver", DRIVER.format(memd=memd, form="curated")),
        Setting("diff.memd.textconv", f"{memd} git textconv"),
    )


def install(git: Git, tree: Tree, memd: str, *, hook: bool, version: bool = False) -> SetUp:
    """Set git up for a workspace; doing it twice changes nothing. `version`: git keeps the sessions of hooks."""
    git.root()
    done = SetUp()
    for key, value in settings_for(memd):
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
