"""doctor's look at git: the repository, what is under way in it, and who merges memd's files. git is not started."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memd.formats.git_config import merge_names, read_git_config
from memd.service.care.doctor import FAIL, OK, SKIP, WARN, Row, Scope
from memd.service.care.doctor_programs import is_program, programs_in
from memd.service.care.transcripts.pushed import is_versioned, look_at_pushed
from memd.service.care.transcripts.repository import repository_of
from memd.storage.files import Tree
from memd.storage.history import git_work
from memd.storage.machine import read_text

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
