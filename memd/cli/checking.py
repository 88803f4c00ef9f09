"""Verbs that judge files: check, schema."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from typing import Any

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
@json_option
@workspace_option
def check_command(
    files: tuple[str, ...], with_index: bool, with_expect: bool, do_fix: bool, as_json: bool, workspace: str
) -> int:
    """Look at every file of the workspace, or at FILES, and say what is wrong with it, and where.

    A line is PATH:LINE:COLUMN: CODE message. The exit status is 1 where anything is wrong.

    \b
    memd check
    memd check roles/main/memory.json --fix
    memd check --index --json
    memd check --expect
    """
    from memd.config import place_of
    from memd.errors import Fault
    from memd.service.care.check import check
    from memd.service.care.check_index import check_index
    from memd.service.care.fixing import fix
    from memd.storage.files import Tree

    place = place_of(workspace)
    names = _names_below(place.workspace, files)
    limit_bytes = 1 << 30
    tree = Tree(place.workspace)
    try:
        found = check(tree, names)
        mended = fix(tree, found.faults, time.time(), limit_bytes) if do_fix else []
        if mended:
            found = check(tree, names)
        faults: list[Fault] = list(found.faults)
        told: dict[str, int] = {}
        if with_index:
            differing, told["documents"] = check_index(tree, place.cache, limit_bytes)
            faults += differing
    finally:
        tree.close()
    if with_expect:
        missed, told["cases"] = _expected(place)
        known = {(fault.name, fault.line, fault.why) for fault in faults}
        faults += [fault for fault in missed if (fault.name, fault.line, fault.why) not in known]
    reply = {**_reply(found.names, faults, mended), **told}
    _show(reply, as_json=as_json)
    return 1 if reply["counts"].get("error") or reply["counts"].get("warning") else 0


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


def _reply(names: list[str], faults: list[Any], mended: list[str]) -> dict[str, Any]:
    from memd.model.findings import FINDINGS

    shown = [
        {"file": f.name, "line": f.line, "column": f.column, "code": f.code, "severity": FINDINGS[f.code].severity,
         "message": f.why, "fixable": FINDINGS[f.code].fixable}
        for f in faults
    ]  # fmt: skip
    return {
        "findings": shown, "files": len(names), "fixed": mended,
        "counts": dict(Counter(one["severity"] for one in shown)),
    }  # fmt: skip


def _show(reply: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(reply, ensure_ascii=False, indent=2))
        return
    for one in reply["findings"]:
        text = f"{one['file']}:{one['line']}:{one['column']}: {one['code']} {one['message']}"
        click.echo(clean(text).replace("\n", " "))
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
