"""doctor's look at other programs: agents that have memd's hooks, the system's service manager. Starts none of them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from memd.errors import StorageError
from memd.formats.git_files import merge_names, read_git_config
from memd.formats.setup_files import TAKEN_OUT, plugins_of
from memd.formats.strict_json import StrictError, loads
from memd.formats.unit_files import command_of
from memd.model.agents import EVENTS
from memd.service.care.doctor import FAIL, OK, SKIP, WARN, Check, Row, Scope
from memd.service.care.transcripts import is_versioned, look_at_pushed, repository_of
from memd.service.care.units import look_at_units
from memd.storage.files import Tree
from memd.storage.gathering import Spooling
from memd.storage.history import git_work
from memd.storage.leaving import ASIDE, read_small, spool_of
from memd.storage.machine import read_text
from memd.text.counting import counted

# Which programs of memd's a command starts, as a shell would read it, and whether they are there. Starts none.


def programs_in(command: str) -> list[str]:
    """Return the programs of memd's that a command starts, also one that a shell is given as a text."""
    found: list[str] = []
    for word in words_of(command):
        if _is_memds(word):
            found.append(word)
        elif re.search(r"\s", word):
            found += [one for one in programs_in(word) if one not in found]
    absolute = [one for one in found if one.startswith("/")]
    return absolute or found[:1]


def _is_memds(word: str) -> bool:
    return re.fullmatch(r"(?:\S.*/)?(?:memd|python[\d.]*)", word, re.DOTALL) is not None


def words_of(command: str) -> list[str]:
    """Return the words of a command, shell operators among them."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.commenters, lexer.whitespace_split = "", True
    try:
        return list(lexer)
    except ValueError:
        return command.split()


def is_program(word: str) -> bool:
    """Tell whether a word names a program that can be started."""
    return shutil.which(word) is not None


# doctor's look at git: the repository, what is under way in it, and who merges memd's files. git is not started.

ANSWERED = "Run `memd git install`."
DRIVERS = ("memd", "memd-curated")
_DRIVER = re.compile(r"merge\.(memd[^.]*)\.driver")
_STARTS = re.compile(r"memd\b.*\bgit\s+merge-driver\b", re.DOTALL)


def check_transcripts(scope: Scope) -> Iterator[Row]:
    """Where what was said to agents would go with git."""
    found = look_at_pushed(scope.tree, *repository_of(scope.workspace), version=is_versioned(scope.tree, scope.trust))
    yield Row("transcripts", WARN if found.leaking else OK, found.said, found.do)


def check_git(scope: Scope) -> Iterator[Row]:
    """The workspace is in a repository, and git has nothing under way."""
    top, own = repository_of(scope.workspace)
    if not top:
        why = "the workspace is in no repository; in one (`git init`) every change can be looked at and undone"
        yield Row("git", SKIP, why)
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
    yield _merge_driver(scope, top, own)


def _merge_driver(scope: Scope, top: str, own: str) -> Row:
    attributes = {f"{scope.workspace}/.gitattributes", f"{top}/.gitattributes", f"{own}/info/attributes"}
    named = sorted({name for path in attributes for name in merge_names(read_text(path)) if name.startswith("memd")})
    drivers, unread = _drivers(scope, own)
    if unread:
        return Row("merge driver", SKIP, f"{unread}, which doctor does not read: ask `git config merge.memd.driver`")
    for name in named or drivers:
        if name in drivers and (fault := _fault_of(drivers[name])):
            return Row("merge driver", FAIL, f"merge.{name}.driver {fault}", ANSWERED)
    missing = [name for name in named if name not in drivers]
    if missing:
        which = "no driver of memd's" if len(missing) == len(named) else f"no driver {' and '.join(missing)}"
        seen = f".gitattributes names memd's merge driver, and this clone has {which}: branches merge line by line"
        return Row("merge driver", WARN, seen, ANSWERED)
    if not named:
        why = "it is installed, and no .gitattributes names it" if drivers else "it is not installed"
        return Row("merge driver", WARN, f"{why}: branches merge line by line", ANSWERED)
    return Row("merge driver", OK, f"{' and '.join(named)} installed, and the program is there")


def _drivers(scope: Scope, own: str) -> tuple[dict[str, str], str]:
    """Return the drivers by name as git's settings have them, the repository's last; and what else would have to be read."""
    drivers: dict[str, str] = {}
    unread = ""
    for path in (*_own_configs(scope), f"{own}/config"):
        values = read_git_config(read_text(path))
        found = {match[1]: value for key, value in values.items() if (match := _DRIVER.fullmatch(key))}
        drivers.update(found)
        # What a file sets itself stands over what files before it include.
        unread = "" if set(DRIVERS) <= set(found) else unread
        unread = _reads_more(values, path) or unread
    return drivers, unread


def _reads_more(values: Mapping[str, str], path: str) -> str:
    if any(re.fullmatch(r"include(?:if\..*)?\.path", key, re.DOTALL) for key in values):
        return f"{path} includes other files"
    if values.get("extensions.worktreeconfig", "").lower() in ("true", "yes", "on", "1"):
        return f"{path} gives each worktree settings of its own"
    return ""


def _fault_of(driver: str) -> str:
    """Return what is wrong with a driver's command, "" where nothing is."""
    programs = programs_in(driver)
    if missing := [one for one in programs if not is_program(one)]:
        return f"starts {missing[0]}, which is not there: branches merge line by line at best"
    if not programs or not _STARTS.search(driver):
        return f"is `{driver[:80]}`, which is not memd's: what others changed may be lost in a merge"
    return ""


def _own_configs(scope: Scope) -> list[str]:
    config = scope.environment.get("XDG_CONFIG_HOME", "")
    return ["/etc/gitconfig", f"{config or scope.home + '/.config'}/git/config", f"{scope.home}/.gitconfig"]


_HOOK = re.compile(r"\bmemd\b.*\bhook\s+([a-z]+)\b", re.DOTALL)
# Where each agent reads hooks: the variable that moves the user's folder, that folder, the files in it, the project's files.
AGENTS = {
    "claude": ("CLAUDE_CONFIG_DIR", ".claude", ("settings.json", "settings.local.json"), (".claude/settings.json", ".claude/settings.local.json")),
    "codex": ("CODEX_HOME", ".codex", ("hooks.json",), (".codex/hooks.json",)),
    "gemini": ("", ".gemini", ("settings.json",), (".gemini/settings.json",)),
    "vscode": ("", ".copilot/hooks", ("memd.json",), (".github/hooks/memd.json",)),
}  # fmt: skip


def check_hooks(scope: Scope) -> Iterator[Row]:
    """Agents' hooks start a memd that is there, once each, and are there for all that memd listens to."""
    rows = [row for agent in AGENTS for row in _hooks_of(scope, agent)]
    yield from rows or [Row("hooks", SKIP, "no agent has memd's hooks")]


@dataclass
class Hooks:
    """What of memd's hooks an agent reads: files by the project they are of ("" the user's own), and the events of each file.

    `faults` of a file, why one is `unreadable`, the `workspaces` that commands name, and the `plugins` that bring hooks of their own.
    """

    agent: str
    files: dict[str, list[str]] = field(default_factory=dict)
    events: dict[str, set[str]] = field(default_factory=dict)
    faults: dict[str, list[str]] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    workspaces: set[str] = field(default_factory=set)
    plugins: list[str] = field(default_factory=list)

    @property
    def read_together(self) -> list[list[str]]:
        """Files that an agent reads at once: the user's own, with those of each project."""
        users = self.files.get("", [])
        return [[*users, *own] for where, own in self.files.items() if where] or [users]

    def lacking(self, path: str) -> list[str]:
        """Return the events that a file has no hook for."""
        return [one for one in EVENTS[self.agent] if one not in self.events[path]]


def hooks_of(scope: Scope, agent: str) -> Hooks:
    """Return what of memd's hooks an agent reads, for all its work, here and in the workspace. Blocks."""
    found = Hooks(agent)
    for where, path in _hook_files(scope, agent):
        try:
            ours, events = _own_commands(path, agent)
        except (StrictError, StorageError, RecursionError) as error:
            found.unreadable[path] = str(error)
            continue
        if faults := sorted({fault for one in ours for fault in _hook_faults(one)}):
            found.faults[path] = faults
        if ours:
            found.files.setdefault(where, []).append(path)
            found.events[path] = events
            found.workspaces |= {os.path.realpath(one) for command in ours for one in _named_in(command)}
    if agent in TAKEN_OUT:
        moved, folder, *_ = AGENTS[agent]
        users = (scope.environment.get(moved, "") if moved else "") or f"{scope.home}/{folder}"
        found.plugins = plugins_of(agent, lambda name: read_small(f"{users}/{name}").decode("utf-8", "replace"))
    return found


def _hooks_of(scope: Scope, agent: str) -> Iterator[Row]:
    name, found = f"hooks {agent}", hooks_of(scope, agent)
    for path, why in found.unreadable.items():
        yield Row(
            name, WARN, f"{path} cannot be read: {why}", "Fix the file: the agent may not be able to read it either."
        )
    for path, faults in found.faults.items():
        yield Row(name, FAIL, f"{path}: {'; '.join(faults)}", f"Run `memd hook install {agent}` again.")
    if found.plugins and not found.files:
        yield Row(name, OK, "installed by memd's plugin")
    for paths in found.read_together:
        if len(paths) > 1:
            do = f"Take memd's hooks out of {paths[-1]}: they are in {paths[0]} as well."
            yield Row(name, WARN, f"installed {len(paths)} times: {' and '.join(paths)}", do)
        elif paths and not found.faults:
            deaf = found.lacking(paths[0])
            do = f"Run `memd hook install {agent}` again: it adds what is missing."
            yield (
                Row(name, WARN, f"{paths[0]} has no hook of memd's for {', '.join(deaf)}", do)
                if deaf
                else Row(name, OK, f"installed in {paths[0]}")
            )


def _own_commands(path: str, agent: str) -> tuple[list[str], set[str]]:
    """Return the commands of a settings file that run memd's hook for an agent, and the events they are for."""
    text = read_text(path)
    value = loads(text.encode()) if text else {}
    hooks = value.get("hooks") if isinstance(value, Mapping) else None
    events = {event for event, one in hooks.items() if _own(one, agent)} if isinstance(hooks, Mapping) else set()
    return sorted(_own(value, agent)), events


def _own(value: Any, agent: str) -> set[str]:
    return {one for one in _commands(value) if (match := _HOOK.search(one)) and match[1] == agent}


def _hook_files(scope: Scope, agent: str) -> Iterator[tuple[str, str]]:
    """Yield each file an agent may read with the project it is of, "" for the user's own; no file twice."""
    moved, folder, leaves, projects = AGENTS[agent]
    users = scope.environment.get(moved, "") if moved else ""
    tops = dict.fromkeys((scope.here, repository_of(scope.here)[0] or scope.here, scope.workspace))
    named = [("", f"{users or scope.home + '/' + folder}/{leaf}") for leaf in leaves]
    named += [(above, f"{above}/{project}") for above in tops for project in projects]
    seen: set[str] = set()
    for where, path in named:
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            yield where, real


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
    for value in _named_in(command):
        if not os.path.isfile(f"{value}/memd.toml"):
            yield f"{value} is no workspace"


def _named_in(command: str) -> list[str]:
    """Return the workspaces that a command names."""
    words = words_of(command)
    named = [value for name, value in pairwise(words) if name in ("--workspace", "-w")]
    return named + [one.partition("=")[2] for one in words if one.startswith("--workspace=")]


def check_unheard(scope: Scope) -> Iterator[Row]:
    """What hooks leave while no daemon runs is taken in, and nothing of it was set aside."""
    found = Spooling(scope.state, scope.workspace).standing()
    folder = spool_of(scope.state)
    if found.fault:
        yield Row(
            "unheard",
            WARN,
            f"what hooks leave is not used: {found.fault}",
            f"Make {folder} a directory of yours alone.",
        )
    if found.aside:
        do = f"Look at {folder}/{ASIDE}, and remove what you do not need."
        yield Row("unheard", WARN, f"{counted(found.aside, 'file')} that hooks may have left could not be used", do)
    if found.lost:
        do = "Start the daemon: `memd up --detach`."
        yield Row("unheard", WARN, f"{counted(found.lost, 'event')} of conversations found no room", do)
    elif found.waiting.events and scope.holder is None:
        do = "Start the daemon: `memd up --detach`."
        yield Row(
            "unheard", WARN, f"waiting for a daemon: {counted(found.waiting.events, 'event')} of conversations", do
        )
    elif not (found.fault or found.aside):
        yield Row("unheard", OK, f"waiting to be taken in: {counted(found.waiting.events, 'event')}")


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


OF_OTHERS: tuple[tuple[str, Check], ...] = (
    ("git", check_git),
    ("transcripts", check_transcripts),
    ("hooks", check_hooks),
    ("unheard", check_unheard),
    ("service", check_service),
)
