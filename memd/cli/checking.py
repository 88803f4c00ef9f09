"""Verbs that judge files: check, schema."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from memd.cli.checked_names import Group, groups_of, tell_unread
from memd.cli.reach import json_option, workspace_option
from memd.cli.show import clean
from memd.errors import NotCheckedError


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
        for group in groups_of(workspace, files):
            _add(reply, _checked(group, with_index, with_expect, do_fix), group)
    unread = reply.pop("unread", [])
    _show(reply, "json" if as_json else form)
    found = bool(reply["counts"].get("error") or reply["counts"].get("warning"))
    if unread and files and not found:
        raise NotCheckedError(", ".join(unread))
    for one in unread:
        click.echo(f"not looked at: {clean(one)}", err=True)
    return int(found)


def _checked(group: Group, with_index: bool, with_expect: bool, do_fix: bool) -> dict[str, Any]:
    from memd.errors import Fault
    from memd.service.care.check import check
    from memd.service.care.check_index import check_index
    from memd.service.care.fixing import fix
    from memd.service.trust import Trust
    from memd.storage.files import Tree

    limit_bytes = 1 << 30
    tree = Tree(group.place.workspace)
    try:
        trust = Trust(group.place.state)
        found = check(tree, group.names, trust)
        mended = fix(tree, found.faults, time.time(), limit_bytes) if do_fix else []
        if mended:
            found = check(tree, group.names, trust)
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


def _add(reply: dict[str, Any], found: dict[str, Any], group: Group) -> None:
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
    tell_unread(group.names, {*found["names"], *(one.name for one in found["faults"])})
    reply["files"] += len(found["names"])
    reply["fixed"] += [group.prefix + one for one in found["fixed"]]
    for name, count in found["told"].items():
        reply[name] = reply.get(name, 0) + count


def _secrets(workspace: str, files: tuple[str, ...]) -> dict[str, Any]:
    """Return what looks like a secret in the files named, or in all of the workspace; `unread` tells what could not be read."""
    from memd.errors import StorageError
    from memd.service.care.check_secrets import secrets_in
    from memd.storage.machine import read_unlinked

    looked, shown, unread = 0, [], []
    for file, path in _files_for_secrets(workspace, files):
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
    from memd.cli.checked_names import files_below
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
    counted = ", ".join(
        f"{counts[one]} {one}{'' if counts[one] == 1 else 's'}" for one in ("error", "warning", "note") if one in counts
    )
    index = f", {reply['documents']} documents in the index" if "documents" in reply else ""
    index += f", {reply['cases']} cases asked" if "cases" in reply else ""
    files = f"{reply['files']} file{'' if reply['files'] == 1 else 's'}"
    click.echo(f"{files}{index}: {counted or 'nothing wrong'}", err=True)


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
