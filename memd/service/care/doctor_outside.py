"""doctor's look at other programs: git, agents that have memd's hooks, the system's service manager. Starts none of them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from memd.errors import StorageError
from memd.formats.git_config import read_git_config
from memd.formats.strict_json import StrictError, loads
from memd.formats.unit_files import command_of
from memd.service.care.doctor import FAIL, OK, SKIP, WARN, Check, Row, Scope
from memd.service.care.units import look_at_units
from memd.storage.files import Tree
from memd.storage.history import git_work

TEXT_BYTES = 4_000_000
ANSWERED = "Run `memd git install`."
_DRIVER = re.compile(r"merge\.memd[^.]*\.driver")
_HOOK = re.compile(r"\bmemd\b.*\bhook\s+([a-z]+)\b", re.DOTALL)
# Where each agent reads hooks: the variable that moves the user's folder, that folder, the file in it, the project's file.
AGENTS = {
    "claude": ("CLAUDE_CONFIG_DIR", ".claude", "settings.json", (".claude/settings.json", ".claude/settings.local.json")),
    "codex": ("CODEX_HOME", ".codex", "hooks.json", (".codex/hooks.json",)),
    "gemini": ("", ".gemini", "settings.json", (".gemini/settings.json",)),
    "vscode": ("", ".copilot/hooks", "memd.json", (".github/hooks/memd.json",)),
}  # fmt: skip


def read_text(path: str) -> str:
    """Return the text of a file by its absolute path, links followed; "" where there is none."""
    folder, leaf = os.path.split(os.path.realpath(path))
    try:
        tree = Tree(folder)
    except (FileNotFoundError, StorageError):
        return ""
    try:
        return tree.read(leaf, TEXT_BYTES)[0].decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
    finally:
        tree.close()


def check_git(scope: Scope) -> Iterator[Row]:
    """The workspace is in a repository, and git has nothing under way."""
    top, own = repository_of(scope.workspace)
    if not top:
        do = "Run `git init` and commit once: then every change can be looked at and undone."
        yield Row("git", WARN, "the workspace is in no repository", do)
        return
    tree = Tree(top)
    try:
        work = git_work(tree, tree.system)
    finally:
        tree.close()
    if work:
        do = "Finish or abort it with git; what memd acknowledges meanwhile waits in its log."
        yield Row("git", WARN, f"{work} is under way in {top}", do)
    else:
        yield Row("git", OK, f"repository {top}, nothing under way")
    yield from _merge_driver(scope, top, own)


def _merge_driver(scope: Scope, top: str, own: str) -> Iterator[Row]:
    attributes = {f"{scope.workspace}/.gitattributes", f"{top}/.gitattributes", f"{own}/info/attributes"}
    named = any(re.search(r"\bmerge=memd\b", read_text(path)) for path in sorted(attributes))
    drivers: dict[str, str] = {}
    for path in (*_own_configs(scope), f"{own}/config"):
        values = read_git_config(read_text(path))
        drivers.update({key: value for key, value in values.items() if _DRIVER.fullmatch(key)})
    if not drivers:
        why = ".gitattributes names memd's merge driver, and this clone has none" if named else "it is not installed"
        yield Row("merge driver", WARN, f"{why}: branches merge line by line", ANSWERED)
        return
    missing = [one for driver in drivers.values() for one in programs_in(driver) if not is_program(one)]
    if missing:
        seen = f"its command starts {missing[0]}, which is not there: branches merge line by line at best"
        yield Row("merge driver", FAIL, seen, ANSWERED)
    elif not named:
        yield Row("merge driver", WARN, "it is installed, and no .gitattributes names it", ANSWERED)
    else:
        yield Row("merge driver", OK, "installed, and its program is there")


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


def _own_configs(scope: Scope) -> list[str]:
    config = scope.environment.get("XDG_CONFIG_HOME", "")
    return [f"{config or scope.home + '/.config'}/git/config", f"{scope.home}/.gitconfig"]


def programs_in(command: str) -> list[str]:
    """Return the programs of memd's that a command starts, also one that a shell is given as a text."""
    found: list[str] = []
    for word in _words(command):
        if _is_memds(word):
            found.append(word)
        elif re.search(r"\s", word):
            found += [one for one in programs_in(word) if one not in found]
    absolute = [one for one in found if one.startswith("/")]
    return absolute or found[:1]


def _is_memds(word: str) -> bool:
    return re.fullmatch(r"(?:\S.*/)?(?:memd|python[\d.]*)", word, re.DOTALL) is not None


def _words(command: str) -> list[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.commenters, lexer.whitespace_split = "", True
    try:
        return list(lexer)
    except ValueError:
        return command.split()


def is_program(word: str) -> bool:
    """Tell whether a word names a program that can be started."""
    return shutil.which(word) is not None


def check_hooks(scope: Scope) -> Iterator[Row]:
    """Agents' hooks start a memd that is there, once each."""
    rows = [row for agent in AGENTS for row in _hooks_of(scope, agent)]
    yield from rows or [Row("hooks", SKIP, "no agent has memd's hooks")]


def _hooks_of(scope: Scope, agent: str) -> Iterator[Row]:
    found: dict[str, list[str]] = {}
    wrong = False
    for where, path in _hook_files(scope, agent):
        try:
            commands = list(_commands(loads(text.encode()))) if (text := read_text(path)) else []
        except (StrictError, StorageError, RecursionError) as error:
            do = "Mend the file: the agent may not read it either."
            yield Row(f"hooks {agent}", WARN, f"{path} cannot be read: {error}", do)
            continue
        ours = sorted({one for one in commands if (match := _HOOK.search(one)) and match[1] == agent})
        faults = [fault for one in ours for fault in _hook_faults(one)]
        if faults:
            do = f"Run `memd hook install {agent}` again."
            yield Row(f"hooks {agent}", FAIL, f"{path}: {'; '.join(sorted(set(faults)))}", do)
        wrong = wrong or bool(faults)
        if ours:
            found.setdefault(where, []).append(path)
    if len(found) > 1:
        paths = " and ".join(one for paths in found.values() for one in paths)
        do = f"Take one out: `memd hook uninstall {agent} --scope project`."
        yield Row(f"hooks {agent}", WARN, f"installed twice: {paths}", do)
    elif found and not wrong:
        yield Row(f"hooks {agent}", OK, f"installed in {' and '.join(next(iter(found.values())))}")


def _hook_files(scope: Scope, agent: str) -> Iterator[tuple[str, str]]:
    """Yield the user's file and the projects' of an agent, no file twice."""
    moved, folder, leaf, projects = AGENTS[agent]
    users = scope.environment.get(moved, "") if moved else ""
    seen = {os.path.realpath(f"{users or scope.home + '/' + folder}/{leaf}")}
    yield "user", next(iter(seen))
    for above in (scope.here, repository_of(scope.here)[0] or scope.here, scope.workspace):
        for project in projects:
            path = os.path.realpath(f"{above}/{project}")
            if path not in seen:
                seen.add(path)
                yield "project", path


def _commands(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in ("command", "bash") and isinstance(inner, str):
                yield inner
            else:
                yield from _commands(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _commands(inner)


def _hook_faults(command: str) -> Iterator[str]:
    for program in programs_in(command):
        if not is_program(program):
            yield f"{program} is not there"
    words = _words(command)
    for name, value in pairwise(words):
        if name in ("--workspace", "-w") and not os.path.isfile(f"{value}/memd.toml"):
            yield f"{value} is no workspace"


def check_service(scope: Scope) -> Iterator[Row]:
    """The units of this workspace start a memd that is there."""
    units = [one for one in look_at_units(scope.unit_folder, scope.units) if one.state != "missing"]
    if not units:
        yield Row("service", SKIP, "no unit is installed")
        return
    again = "Run `memd service install`."
    for unit in units:
        words = command_of(unit.text)
        if unit.state == "unreadable":
            yield Row("service", FAIL, unit.differs, "Put a regular file in its place, or remove it.")
        elif words and not is_program(words[0]):
            yield Row("service", FAIL, f"{unit.name} starts {words[0]}, which is not there", again)
        elif unit.state == "older":
            yield Row("service", WARN, f"{unit.name} is not as this memd would write it", again)
        else:
            edited = ", edited by hand" if unit.state == "edited" else ""
            yield Row("service", OK, f"{unit.name} is installed{edited}")
    if len(units) < len(scope.units):
        yield Row("service", FAIL, f"of the units only {units[0].name} is there", again)


OF_OTHERS: tuple[tuple[str, Check], ...] = (("git", check_git), ("hooks", check_hooks), ("service", check_service))
