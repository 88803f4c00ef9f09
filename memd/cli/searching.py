"""Verbs over everything the workspace holds: search, rebuild."""

from __future__ import annotations

import sys
from typing import Any

import click

from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import clean, emit
from memd.client import find_workspace

MARK = "**"


@click.command("search")
@click.argument("query", nargs=-1)
@click.option("--role", default=None, help="Only memories and pages of this role.")
@click.option(
    "--kind", default="", help="memory, episodic, semantic, trait, goal, curated, page, session, run, task, skill."
)
@click.option("--tag", default="", help="Only what has this tag.")
@click.option("--after", default="", help="From this year, month, day or moment on.")
@click.option("--before", default="", help="Before this year, month, day or moment.")
@click.option("--limit", type=int, default=10, help="How many at once, 100 at most.")
@click.option("--offset", type=int, default=0, help="How many to pass over.")
@json_option
@workspace_option
def search_command(
    query: tuple[str, ...],
    role: str | None,
    kind: str,
    tag: str,
    after: str,
    before: str,
    limit: int,
    offset: int,
    as_json: bool,
    workspace: str,
) -> None:
    """Find words, "phrases", wild*cards and field:value in memories, pages, sessions and all the rest.

    \b
    memd search kiln firing
    memd search '"load the kiln" tag:studio after:2026-01 -glaze*'
    memd search 香菜 --role 阿远
    """
    reply = ask(
        workspace, "search", query=" ".join(query), role=role, kind=kind, tag=tag, after=after, before=before,
        limit=limit, offset=offset,
    )  # fmt: skip
    emit(reply, as_json, search_text(reply, offset, colour=sys.stdout.isatty()))


def search_text(reply: dict[str, Any], offset: int, *, colour: bool) -> str:
    """Return a search's reply for a person: where, and the words in their context."""
    lines: list[str] = []
    for number, hit in enumerate(reply["hits"], offset + 1):
        where = f"{hit['name']}:{hit['line']}" if hit["kind"] in ("page", "session", "curated") else hit["name"]
        who = f"{hit['role']} " if hit["role"] else ""
        memory = hit["kind"] in ("episodic", "semantic", "trait", "goal")
        tail = f"  {hit['id'][:8]}" if memory else f"  {hit['title']}" if hit["title"] else ""
        lines.append(
            f"{number}. {hit['score']:.2f}  {hit['kind']}  {who}{where}{tail}  {hit.get('time', '')[:10]}".rstrip()
        )
        lines.append(f"     {_marked(clean(hit['snippet']), colour=colour)}")
        if hit.get("withheld"):
            lines.append(f"     withheld from prompts: {clean(hit['withheld'])}")
    shown = len(reply["hits"])
    lines.append(f"{shown} of {reply['total']}; {reply['elapsed_ms']:g} ms" if shown else "Nothing was found.")
    behind = reply["index"]["behind"]
    if behind:
        lines.append(f"the full-text index ({reply['index']['state']}) is {behind} documents behind")
    return "\n".join(lines)


def _marked(text: str, *, colour: bool) -> str:
    if not colour:
        return text
    pieces = text.split(MARK)
    return "".join(click.style(piece, bold=True) if at % 2 else piece for at, piece in enumerate(pieces))


@click.command("rebuild")
@click.option("--here", is_flag=True, help="Do it in this process, whether a daemon runs or not.")
@click.option("--fresh", is_flag=True, help="With --here: from nothing, not from what there is.")
@click.option("--changed", is_flag=True, help="With --here: only the files named on standard input, a JSON list.")
@click.option("--cache", default="", help="With --here: keep the index below this directory.")
@json_option
@workspace_option
def rebuild_command(here: bool, fresh: bool, changed: bool, cache: str, as_json: bool, workspace: str) -> None:
    """Build the full-text index from the files. Nothing but time is lost by it.

    \b
    memd rebuild
    """
    if here:
        reply = _build_here(workspace, fresh=fresh, changed=changed, cache=cache)
    else:
        reply = ask(workspace, "rebuild", deadline_s=1800)
    text = (
        f"{reply['documents']} documents of {reply['files']} files, {reply['bytes']} bytes, {reply['took_s']:g} s"
        f" ({'from nothing' if reply['fresh'] else 'what had changed'})"
    )
    emit(reply, as_json, text)


def _build_here(workspace: str, *, fresh: bool, changed: bool, cache: str) -> dict[str, Any]:
    import json
    import os
    import time

    from memd.config import place_of
    from memd.service.care.building import build
    from memd.service.settings_file import SettingsFile
    from memd.service.trust import Trust
    from memd.storage.files import Tree

    place = place_of(find_workspace(workspace))
    os.nice(5)  # whoever asks something meanwhile comes first
    names = [str(name) for name in json.load(sys.stdin)] if changed else None
    tree = Tree(place.workspace)
    try:
        trust = Trust(place.state)
        trust.look(tree)
        live = SettingsFile(granted=trust.trusted.granted)
        live.look(tree)
        role_bytes = max(live.settings.limits.role_bytes * 2, 1_000_000)
        built = build(tree, cache or place.cache, names=names, fresh=fresh, role_bytes=role_bytes, now_s=time.time())
        return built.view()
    finally:
        tree.close()
