"""Verbs that judge files: check, schema."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from memd.cli.progress import progress
from memd.cli.reach import flush, json_option, workspace_option
from memd.cli.show import clean, say, screen_of
from memd.errors import NotCheckedError
from memd.model.files import Told
from memd.text.counting import counted

if TYPE_CHECKING:
    from memd.config import Place
    from memd.storage.files import Tree


@dataclass(slots=True)
class Named(Collection[str]):
    """Names below a workspace; a folder stands for all below it."""

    files: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)

    def __contains__(self, name: object) -> bool:
        return name in self.files or any(f"{name}/".startswith(f"{folder}/") for folder in self.folders)

    def __iter__(self) -> Iterator[str]:
        return iter((*self.files, *self.folders))

    def __len__(self) -> int:
        return len(self.files) + len(self.folders)


@dataclass(slots=True)
class Group:
    """A workspace, the names in it that are asked about (none means all), and what stands before them in what is said."""

    place: Place
    names: Named
    prefix: str = ""


def groups_of(workspace: str, files: tuple[str, ...]) -> list[Group]:
    """Return the workspaces that are looked at: the one that is named, or those of the files; without files, the one around us.

    MEMD_WORKSPACE says only where to look when nothing else does: a file is judged by the workspace it lies in.
    """
    from memd.config import place_of
    from memd.whereabouts import nearest_workspace

    if workspace or not files:
        place = place_of(workspace)
        return [Group(place, _below(place.workspace, files))]
    found: dict[str, list[str]] = {}
    for file in files:
        _check_there(file)
        if own := nearest_workspace(file if os.path.isdir(file) else os.path.dirname(file) or "."):
            found.setdefault(own, []).append(file)
        else:
            click.echo(f"{clean(file)}: in no workspace, not looked at", err=True)
    here = nearest_workspace(".")
    groups = []
    for own, inside in found.items():
        prefix = "" if own == here else f"{os.path.relpath(own, os.path.realpath('.'))}/"
        groups.append(Group(place_of(own), _below(own, tuple(inside)), prefix))
    return groups


def _check_there(file: str) -> None:
    if not os.path.lexists(file):
        raise NotCheckedError(f"there is no {file}")
    if os.path.isdir(file) and not os.access(file, os.R_OK | os.X_OK):
        raise NotCheckedError(f"{file} cannot be listed")


def _below(workspace: str, files: tuple[str, ...]) -> Named:
    """Return what is named, as names below the workspace."""
    named = Named()
    for file in files:
        _check_there(file)
        is_folder = os.path.isdir(file) and (not os.path.islink(file) or os.path.realpath(file) == workspace)
        above = os.path.realpath(os.path.dirname(file) or ".")
        path = os.path.realpath(file) if is_folder else os.path.join(above, os.path.basename(file))
        name = os.path.relpath(path, workspace).replace(os.sep, "/")
        if name == ".":
            return Named()  # all of it
        if name == ".." or name.startswith("../"):
            raise NotCheckedError(f"{file} is not in the workspace {workspace}")
        (named.folders if is_folder else named.files)[name] = file
    return named


def tell_unread(names: Named, looked: Collection[str]) -> None:
    """Tell of each file that was named and that memd takes nothing from: it is not wrong, and was not looked at."""
    some = [file for name, file in names.files.items() if name not in looked]
    some += [
        file for name, file in names.folders.items() if not any(f"{one}/".startswith(f"{name}/") for one in looked)
    ]
    for file in some:
        click.echo(f"{clean(file)}: memd takes nothing from it, not looked at", err=True)


def files_below(tree: Tree, root: str, shown: str) -> list[tuple[str, str]]:
    """Return the files below a directory, each as it is shown and its path; what cannot be read of it is told."""
    from memd.storage.listing import walk

    found = walk(tree)
    for name in sorted([*found.odd, *found.linked]):
        click.echo(
            f"not looked at: {clean(shown + name)}: {clean(found.odd.get(name, 'it is a symbolic link'))}", err=True
        )
    return [(shown + name, f"{root}/{name}") for name in sorted(found.files)]


FIRST = 20  # findings of one code that a terminal is told
GRAVE = ("error", "warning")  # for which the exit status is 1


@click.command("check")
@click.argument("files", nargs=-1, type=click.Path())
@click.option("--index", "with_index", is_flag=True, help="Also prove that the full-text index agrees with the files.")
@click.option(
    "--expect", "with_expect", is_flag=True, help="Also ask the cases under expect/, this workspace's own tests."
)
@click.option("--fix", "do_fix", is_flag=True, help="Fix what needs no decision, and report the rest.")
@click.option(
    "--secrets", is_flag=True, help="Look for keys and passwords instead, in any text file, and nothing else."
)
@click.option(
    "--format", "form", type=click.Choice(["concise", "text", "json", "github"]), default="concise", show_default=True,
    help="One line each; the same with the source line; for programs; for GitHub's pages.",
)  # fmt: skip
@click.option("--verbose", is_flag=True, help="Show every finding in a terminal, too, not only the first of each code.")
@json_option
@workspace_option
def check_command(
    files: tuple[str, ...], with_index: bool, with_expect: bool, do_fix: bool, secrets: bool, form: str, verbose: bool,
    as_json: bool, workspace: str,
) -> int:  # fmt: skip
    """Look at every file of the workspace, or at FILES, and say what is wrong with it, and where.

    A line is PATH:LINE:COLUMN: CODE message. The exit status is 1 where anything is wrong. Each of FILES may be in a
    workspace of its own, or be a directory.

    \b
    memd check
    memd check roles/main/memory.json --fix
    memd check --index --format text
    memd check --secrets sessions/2026-03/*.jsonl
    """
    if secrets:
        if with_index or with_expect or do_fix:
            raise click.UsageError("--secrets looks for secrets alone")
        reply = _secrets(workspace, files)
    else:
        reply = {"findings": [], "files": 0, "fixed": [], "counts": Counter()}
        groups = groups_of(workspace, files)
        with progress("Checking") as told:
            looked = [_checked(group, with_index, with_expect, do_fix, told) for group in groups]
        for group, found_in_it in zip(groups, looked, strict=True):
            _add(reply, found_in_it, group)
    return _told(reply, files, "json" if as_json else form, None if verbose or not sys.stdout.isatty() else FIRST)


def check_staged(files: tuple[str, ...], workspace: str) -> int:
    """Tell what is wrong with files that are about to be committed, and whether a key or an error is among it; a warning stops none."""
    reply: dict[str, Any] = {"findings": [], "files": 0, "fixed": [], "counts": Counter()}
    for group in groups_of(workspace, files):
        _add(reply, _checked(group, with_index=False, with_expect=False, do_fix=False, told=lambda *_: None), group)
    first = FIRST if sys.stdout.isatty() else None
    broken = _told(reply, files, "concise", first, grave=("error",))
    return broken | _told(_secrets(workspace, files), files, "concise", first)


def _told(
    reply: dict[str, Any], files: tuple[str, ...], form: str, most: int | None, grave: Sequence[str] = GRAVE
) -> int:
    """Print what was found, the `most` first of each code; return 1 where any of it is as grave."""
    unread = reply.pop("unread", [])
    _show(reply, form, most)
    found = any(reply["counts"].get(one) for one in grave)
    if unread and files and not found:
        raise NotCheckedError(", ".join(unread))
    for one in unread:
        click.echo(f"not looked at: {clean(one)}", err=True)
    return int(found)


def _checked(group: Group, with_index: bool, with_expect: bool, do_fix: bool, told: Told) -> dict[str, Any]:
    from memd.errors import Fault
    from memd.service.care.check import check
    from memd.service.care.check_closely import check_index, fix
    from memd.storage.files import Tree
    from memd.store.trust import Trust

    limit_bytes = 1 << 30
    if remark := flush(group.place.workspace):
        click.echo(f"looked at without what waits in the log: {remark}", err=True)
    tree = Tree(group.place.workspace)
    try:
        trust = Trust(group.place.state)
        found = check(tree, group.names, trust, told)
        mended = fix(tree, found.faults, time.time(), limit_bytes) if do_fix else []
        if mended:
            found = check(tree, group.names, trust)
        faults: list[Fault] = list(found.faults)
        asked: dict[str, int] = {}
        if with_index:
            differing, asked["documents"] = check_index(tree, group.place.cache, limit_bytes, told)
            faults += differing
    finally:
        tree.close()
    if with_expect:
        missed, asked["cases"] = _expected(group.place)
        known = {(fault.name, fault.line, fault.why) for fault in faults}
        faults += [fault for fault in missed if (fault.name, fault.line, fault.why) not in known]
    return {"faults": faults, "names": found.names, "fixed": mended, "asked": asked}


def _expected(place: Any) -> tuple[list[Any], int]:
    """Ask the cases under expect/ in this process, whether or not a daemon runs: nothing it holds is touched."""
    import asyncio

    from memd.daemon import local
    from memd.service.care.replaying import check_expectations

    async def ask() -> tuple[list[Any], int]:
        async with local(place, writes=False) as service:
            await service.store.library.read_keyed(
                service.store.tree, all_pages=service.store.settings.pages.recall != "keys"
            )
            return await check_expectations(service.store)

    return asyncio.run(ask())


def _add(reply: dict[str, Any], found: dict[str, Any], group: Group) -> None:
    """Add what was found in one workspace to the reply."""
    from memd.model.files import FINDINGS

    for one in found["faults"]:
        meaning = FINDINGS[one.code]
        reply["findings"].append(
            {"file": group.prefix + one.name, "line": one.line, "column": one.column, "code": one.code,
             "severity": meaning.severity, "message": one.why, "fixable": meaning.fixable,
             "path": os.path.join(group.place.workspace, one.name)}
        )  # fmt: skip
        reply["counts"][meaning.severity] += 1
    tell_unread(group.names, {*found["names"], *(one.name for one in found["faults"])})
    reply["files"] += len(found["names"])
    reply["fixed"] += [group.prefix + one for one in found["fixed"]]
    for name, count in found["asked"].items():
        reply[name] = reply.get(name, 0) + count


def _secrets(workspace: str, files: tuple[str, ...]) -> dict[str, Any]:
    """Return what looks like a secret in the files named, or in all of the workspace; `unread` tells what could not be read."""
    from memd.errors import StorageError
    from memd.service.care.check_closely import secrets_in
    from memd.storage.machine import read_unlinked

    looked, shown, unread = 0, [], []
    wanted = list(_files_for_secrets(workspace, files))
    with progress("Looking for secrets") as told:
        for number, (file, path) in enumerate(wanted):
            told(number, len(wanted), "looking")
            try:
                data = read_unlinked(path)
            except FileNotFoundError:
                unread.append(f"there is no {file}")
                continue
            except StorageError as error:
                why = str(error).removeprefix(f"{os.path.basename(path)}: ")
                unread.append(f"{file}: {why}")
                continue
            looked += 1
            shown += [
                {"file": file, "line": one.line, "column": one.column, "code": one.code, "severity": "error",
                 "message": one.why, "fixable": False, "path": os.path.abspath(path)}
                for one in secrets_in(os.path.basename(path), data)
            ]  # fmt: skip
    counts = Counter(error=len(shown)) if shown else Counter[str]()
    return {"findings": shown, "files": looked, "fixed": [], "counts": counts, "unread": unread}


def _files_for_secrets(workspace: str, files: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield each file as it is shown and its path; a directory stands for all below it."""
    from memd.config import place_of
    from memd.storage.files import Tree

    for file in files or (place_of(workspace).workspace,):
        if os.path.isdir(file) and not os.path.islink(file):
            root = os.path.realpath(file)
            tree = Tree(root)
            try:
                yield from files_below(tree, root, os.path.join(os.path.normpath(file), "") if files else "")
            finally:
                tree.close()
        else:
            yield file, file


def _show(reply: dict[str, Any], form: str, most: int | None) -> None:
    """Print the reply; of each code the first findings alone where `most` says so."""
    from memd.cli.check_formats import FORMATS, as_json

    if form == "json":
        click.echo(as_json(reply))
        return
    if form == "github":
        most = None
    told: Counter[str] = Counter()
    shown = []
    for one in reply["findings"]:
        told[one["code"]] += 1
        shown += [one] if most is None or told[one["code"]] <= most else []
    columns = screen_of(sys.stdout).columns
    for line in FORMATS[form](shown, columns):
        say(line)
    for code, count in told.items():
        if most is not None and count > most:
            say(f"and {count - most} more {code}: --verbose shows them")
    say(*(f"fixed: {change}" for change in reply["fixed"]), err=True)
    counts = reply["counts"]
    graves = ", ".join(counted(counts[one], one) for one in ("error", "warning", "note") if one in counts)
    index = f", {counted(reply['documents'], 'document')} in the index" if "documents" in reply else ""
    index += f", {counted(reply['cases'], 'case')} asked" if "cases" in reply else ""
    say(f"{counted(reply['files'], 'file')}{index}: {graves or 'nothing wrong'}", err=True)


@click.command("schema")
@click.argument("name", type=click.Choice(["memory", "settings", "role"]))
def schema_command(name: str) -> None:
    """Print the JSON Schema of memory.json, memd.toml (settings) or role.toml, for editors.

    \b
    memd schema memory > memory.schema.json
    """
    from memd.formats.schemas import schema_of

    json.dump(schema_of(name), sys.stdout, ensure_ascii=False, indent=2)
    click.echo()
