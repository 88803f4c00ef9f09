"""Verbs that search, tell what is known of somebody, and build the index anew."""

from __future__ import annotations

import sys
from shlex import quote
from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.progress import ask_and_watch, progress
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, Strong, emit, marked, own_call
from memd.cli.tables import Column, cut_text, day, handle, listing, whole_text
from memd.client import find_workspace
from memd.text.counting import counted

SNIPPET_INDENT = 4
HIT_COLUMNS = (
    *map(Column, ("score", "kind", "role", "place")), cut_text("which"), Column("day"),
)  # fmt: skip


@click.command("search")
@asks(
    "search", "query", without=("seen_by",), query=given(many=True),
    kind=given(words="Only this kind: memory, episodic, semantic, trait, goal, curated, page, session, run, task, skill."),
)  # fmt: skip
@json_option
@workspace_option
def search_command(query: list[str], as_json: bool, workspace: str, **asked: Any) -> None:
    """Find words, "phrases", wild*cards and field:value in memories, pages, sessions and all the rest.

    \b
    memd search kiln firing
    memd search '"load the kiln" tag:studio after:2026-01 -glaze*'
    memd search 香菜 --role 阿远
    """
    reply = ask(workspace, "search", query=" ".join(query), **asked)
    emit(reply, as_json, *search_parts(reply, asked["offset"]))


def search_parts(reply: dict[str, Any], offset: int = 0) -> list[Part]:
    """Return a search's reply for a person: where, and the words in their context."""
    parts: list[Part] = []
    for number, hit in enumerate(reply["hits"], offset + 1):
        parts.append(listing([_where(number, hit)], *HIT_COLUMNS))
        event = f" ({hit['event']})" if hit.get("event") else ""
        parts.append((" " * SNIPPET_INDENT, *marked(hit["snippet"]), event))
        if hit.get("superseded_by"):
            parts.append(f"{' ' * SNIPPET_INDENT}holds no longer: {hit['superseded_by'][:8]} took its place")
        if hit.get("withheld"):
            parts.append(f"{' ' * SNIPPET_INDENT}withheld from prompts: {hit['withheld']}")
    shown = len(reply["hits"])
    parts.append(f"{shown} of {reply['total']}; {reply['elapsed_ms']:g} ms" if shown else "Nothing was found.")
    parts += [f"note: {note}" for note in reply.get("notes", ())]
    behind = reply["index"]["behind"]
    if behind:
        parts.append(f"the full-text index ({reply['index']['state']}) is {counted(behind, 'document')} behind")
    return parts


def _where(number: int, hit: dict[str, Any]) -> tuple[Any, ...]:
    place = f"{hit['name']}:{hit['line']}" if hit["kind"] in ("page", "session", "curated") else hit["name"]
    memory = hit["kind"] in ("episodic", "semantic", "trait", "goal")
    which = handle(hit["id"]) if memory else hit["title"]
    return f"{number}. {hit['score']:.2f}", hit["kind"], hit["role"], place, which, day(hit.get("time", ""))


@click.command("rebuild")
@click.option("--here", is_flag=True, help="Do it in this process, whether a daemon runs or not.")
@click.option("--fresh", is_flag=True, help="With --here: build it from scratch.")
@click.option("--changed", is_flag=True, help="With --here: only the files named on standard input, a JSON list.")
@click.option("--cache", default="", help="With --here: keep the index below this directory.")
@click.option("--tell", is_flag=True, hidden=True, help="With --here: say on standard error how far it is, for memd.")
@json_option
@workspace_option
def rebuild_command(as_json: bool, workspace: str, here: bool, **given: Any) -> None:
    """Build the full-text index from the files. Nothing but time is lost by it.

    \b
    memd rebuild
    """
    if here:
        reply = _build_here(workspace, **given)
    else:
        reply = ask_and_watch(workspace, "rebuild", "Building the index", name="index", deadline_s=1800)
    text = (
        f"{counted(reply['documents'], 'document')} of {counted(reply['files'], 'file')}, {reply['bytes']} bytes,"
        f" {reply['took_s']:g} s ({'from scratch' if reply['fresh'] else 'only what had changed'})"
    )
    emit(reply, as_json, text)


def _build_here(workspace: str, *, fresh: bool, changed: bool, cache: str, tell: bool) -> dict[str, Any]:
    import json
    import os
    import time

    from memd.config import place_of
    from memd.storage.files import Tree
    from memd.store.following.building import build
    from memd.store.in_force import SettingsFile
    from memd.store.trust import Trust

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
        with progress("Building the index") as bar:
            told = _to_memd if tell else bar
            built = build(
                tree,
                cache or place.cache,
                names=names,
                fresh=fresh,
                role_bytes=role_bytes,
                now_s=time.time(),
                told=told,
            )
        return built.view()
    finally:
        tree.close()


def _to_memd(done: int, of: int, step: str) -> None:
    from memd.store.following.builds import BUILT

    print(BUILT, done, of, step, file=sys.stderr, flush=True)


COLUMNS = (Column("id"), Column("since"), whole_text("memory"))


@click.command("about")
@asks(
    "profile",
    "subject",
    subject=given(required=False),
    role=given("--role", words="Whose memory; else hooks.role of memd.toml, else main."),
)
@json_option
@workspace_option
def about_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """Tell what is known of you, or of a person, a thing, a project.

    Without SUBJECT it is you. Each line has its day and its id, with which `memd show`, `edit` and `forget` take it. What was
    replaced or has expired is left out; what waits in the inbox is not in it.

    \b
    memd about
    memd about Ana --role main
    memd about "my sister"
    memd about 小雨 --budget 8000
    """
    reply = ask(workspace, "profile", **asked)
    emit(reply, as_json, *_parts(reply))


def _parts(reply: dict[str, Any]) -> list[Part]:
    whom = {"user": "you", "role": f"the role {reply['role']}"}.get(reply["of"], reply["subject"])
    parts: list[Part] = []
    for one in reply["parts"]:
        rows = [_row(memory, reply["role"]) for memory in one["memories"]]
        parts += [(Strong(one["title"]),), listing(rows, *COLUMNS, indent=2)]
    if not reply["parts"]:
        parts.append(f"Nothing is known of {whom}.")
    else:
        of = f" as of {reply['as_of'][:10]}" if "as_of" in reply else ""
        left = f"; {reply['left_out']} left out: --budget shows more" if reply["left_out"] else ""
        parts += [
            "",
            f"{counted(reply['shown'], 'memory')} of {reply['known']} about {whom}{of}, role {reply['role']}{left}",
        ]
    parts += [*_beside(reply), *(f"note: {one}" for one in reply.get("notes", ()))]
    return parts


def _row(memory: dict[str, Any], role: str) -> tuple[Any, ...]:
    notes = [f"from {memory['role']}"] if memory["role"] != role else []
    notes += [memory["event"]] if memory.get("event") and memory["event"] not in memory["text"] else []
    notes += ["another says otherwise"] if memory.get("conflicts_with") else []
    tail = f" ({', '.join(notes)})" if notes else ""
    return handle(memory["id"]), day(memory.get("time")), memory["text"] + tail


def _beside(reply: dict[str, Any]) -> list[Part]:
    """Return what is told beside the memories: who may be meant, what is left out, what waits, what USER.md might have."""
    parts: list[Part] = []
    if several := reply.get("several"):
        parts.append(f"{reply['subject']} may be {' or '.join(several)}.")
    if reply["delicate"]:
        parts.append(f"{counted(reply['delicate'], 'memory')} left out as private of somebody else")
    if withheld := reply.get("withheld"):
        parts.append(f"{counted(len(withheld), 'memory')} withheld from prompts: {own_call('review --memories')}")
    if reply["waiting"]:
        parts.append(f"{reply['waiting']} more in the inbox: {own_call('review')}")
    parts += [
        f"for USER.md, if you like ({one['what']}): {own_call('curated add user', quote(one['text']))}"
        for one in reply.get("proposed", ())
    ]
    return parts
