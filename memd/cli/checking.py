"""Verbs that judge files: check, schema."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from typing import Any, NamedTuple

import click

from memd.cli.reach import json_option, workspace_option
from memd.cli.show import clean
from memd.errors import BadParamsError


@click.command("check")
@click.argument("files", nargs=-1, type=click.Path())
@click.option("--index", "with_index", is_flag=True, help="Also prove that the full-text index agrees with the files.")
@click.option(
    "--expect", "with_expect", is_flag=True, help="Also ask the cases under expect/, this workspace's own tests."
)
@click.option("--fix", "do_fix", is_flag=True, help="Mend what can be mended without a choice; the rest is told.")
@click.option(
    "--secrets", is_flag=True, help="Look for keys and passwords instead, in any text file, and nothing else."
)
@click.option(
    "--format", "form", type=click.Choice(["concise", "text", "json", "github"]), default="concise", show_default=True,
    help="One line each; the same with the source line; for programs; for GitHub's pages.",
)  # fmt: skip
@json_option
@workspace_option
def check_command(
    files: tuple[str, ...], with_index: bool, with_expect: bool, do_fix: bool, secrets: bool, form: str, as_json: bool,
    workspace: str,
) -> int:  # fmt: skip
    """Look at every file of the workspace, or at FILES, and say what is wrong with it, and where.

    A line is PATH:LINE:COLUMN: CODE message. The exit status is 1 where anything is wrong. Each of FILES may be in a
    workspace of its own.

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
        for group in _groups(workspace, files):
            _add(reply, _checked(group, with_index, with_expect, do_fix), group)
    _show(reply, "json" if as_json else form)
    return 1 if reply["counts"].get("error") or reply["counts"].get("warning") else 0


class _Group(NamedTuple):
    """A workspace, the names in it that are asked about (none means all), and what stands before them in what is said."""

    place: Any
    names: set[str]
    prefix: str = ""


def _groups(workspace: str, files: tuple[str, ...]) -> list[_Group]:
    """Return the workspaces that are looked at: the one that is named or around us, else those of the files."""
    from memd.config import place_of
    from memd.whereabouts import nearest_workspace

    if not files or workspace or os.environ.get("MEMD_WORKSPACE") or nearest_workspace("."):
        place = place_of(workspace)
        return [_Group(place, _names_below(place.workspace, files))]
    found: dict[str, list[str]] = {}
    for file in files:
        own = nearest_workspace(os.path.dirname(file) or ".")
        if own:
            found.setdefault(own, []).append(file)
        elif os.path.lexists(file):
            click.echo(f"{clean(file)}: in no workspace, not looked at", err=True)
        else:
            raise BadParamsError(f"there is no {file}")
    groups = []
    for own, inside in found.items():
        above = os.path.relpath(own, os.path.realpath("."))
        groups.append(_Group(place_of(own), _names_below(own, tuple(inside)), f"{above}/"))
    return groups


def _checked(group: _Group, with_index: bool, with_expect: bool, do_fix: bool) -> dict[str, Any]:
    from memd.errors import Fault
    from memd.service.care.check import check
    from memd.service.care.check_index import check_index
    from memd.service.care.fixing import fix
    from memd.storage.files import Tree

    limit_bytes = 1 << 30
    tree = Tree(group.place.workspace)
    try:
        found = check(tree, group.names)
        mended = fix(tree, found.faults, time.time(), limit_bytes) if do_fix else []
        if mended:
            found = check(tree, group.names)
        faults: list[Fault] = list(found.faults)
        told: dict[str, int] = {}
        if with_index:
            differing, told["documents"] = check_index(tree, group.place.cache, limit_bytes)
            faults += differing
    finally:
        tree.close()
    if with_expect:
        missed, told["cases"] = _expected(group.place)
        known = {(fault.name, fault.line, fault.why) for fault in faults}
        faults += [fault for fault in missed if (fault.name, fault.line, fault.why) not in known]
    return {"faults": faults, "names": found.names, "fixed": mended, "told": told}


def _expected(place: Any) -> tuple[list[Any], int]:
    """Ask the cases under expect/ in this process, whether or not a daemon runs: nothing it holds is touched."""
    import asyncio

    from memd.daemon import local
    from memd.service.care.expecting import check_expectations
    from memd.service.memory.keyed_pages import read_keyed_pages

    async def ask() -> tuple[list[Any], int]:
        async with local(place, writes=False) as service:
            await read_keyed_pages(service.workspace)
            return await check_expectations(service.workspace)

    return asyncio.run(ask())


def _add(reply: dict[str, Any], found: dict[str, Any], group: _Group) -> None:
    """Add what was found in one workspace to the reply."""
    from memd.model.findings import FINDINGS

    for one in found["faults"]:
        meaning = FINDINGS[one.code]
        reply["findings"].append(
            {"file": group.prefix + one.name, "line": one.line, "column": one.column, "code": one.code,
             "severity": meaning.severity, "message": one.why, "fixable": meaning.fixable,
             "path": os.path.join(group.place.workspace, one.name)}
        )  # fmt: skip
        reply["counts"][meaning.severity] += 1
    reply["files"] += len(found["names"])
    reply["fixed"] += [group.prefix + one for one in found["fixed"]]
    for name, count in found["told"].items():
        reply[name] = reply.get(name, 0) + count


def _secrets(workspace: str, files: tuple[str, ...]) -> dict[str, Any]:
    """Return what looks like a secret in the files named, or in all of the workspace."""
    from memd.errors import StorageError
    from memd.service.care.check_secrets import secrets_in
    from memd.storage.files import Tree

    looked, shown = 0, []
    for file, path in [(file, file) for file in files] or _all_files(workspace):
        folder, leaf = os.path.split(path)
        try:
            tree = Tree(os.path.realpath(folder or "."))
            try:
                data = tree.read(leaf)[0]
            finally:
                tree.close()
        except FileNotFoundError:
            raise BadParamsError(f"there is no {file}") from None
        except StorageError as error:
            click.echo(f"not looked at: {clean(str(error))}", err=True)
            continue
        looked += 1
        shown += [
            {"file": file, "line": one.line, "column": one.column, "code": one.code, "severity": "error",
             "message": one.why, "fixable": False, "path": os.path.join(os.path.realpath(folder or "."), leaf)}
            for one in secrets_in(leaf, data)
        ]  # fmt: skip
    return {"findings": shown, "files": looked, "fixed": [], "counts": Counter(error=len(shown)) if shown else {}}


def _all_files(workspace: str) -> list[tuple[str, str]]:
    from memd.config import place_of
    from memd.storage.files import Tree
    from memd.storage.listing import walk

    root = place_of(workspace).workspace
    tree = Tree(root)
    try:
        return [(name, f"{root}/{name}") for name in sorted(walk(tree).files)]
    finally:
        tree.close()


def _show(reply: dict[str, Any], form: str) -> None:
    from memd.cli.check_formats import FORMATS, as_json

    if form == "json":
        click.echo(as_json(reply))
        return
    for line in FORMATS[form](reply["findings"]):
        click.echo(line)
    for change in reply["fixed"]:
        click.echo(f"mended: {clean(change)}", err=True)
    counts = reply["counts"]
    counted = ", ".join(f"{counts[one]} {one}s" for one in ("error", "warning", "note") if one in counts)
    index = f", {reply['documents']} documents in the index" if "documents" in reply else ""
    index += f", {reply['cases']} cases asked" if "cases" in reply else ""
    click.echo(f"{reply['files']} files{index}: {counted or 'nothing wrong'}", err=True)


def _names_below(workspace: str, files: tuple[str, ...]) -> set[str]:
    """Return the files named, as names below the workspace."""
    names: set[str] = set()
    for file in files:
        path = os.path.join(os.path.realpath(os.path.dirname(file) or "."), os.path.basename(file))
        name = os.path.relpath(path, workspace)
        if name.startswith(".."):
            raise BadParamsError(f"{file} is not in the workspace {workspace}")
        names.add(name.replace(os.sep, "/"))
    return names


@click.command("schema")
@click.argument("name", type=click.Choice(["memory", "settings", "role"]))
def schema_command(name: str) -> None:
    """Print the JSON Schema of memory.json, memd.toml (settings) or role.toml, for editors.

    \b
    memd schema memory > memory.schema.json
    """
    from memd.formats.schemas import schema_of
    from memd.service.care.template import template_text

    json.dump(schema_of(name, template_text()), sys.stdout, ensure_ascii=False, indent=2)
    click.echo()
