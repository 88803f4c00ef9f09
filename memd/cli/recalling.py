"""Verbs that look: trigger, list, show; and replay, which asks the past again."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, emit, facts, short, table
from memd.cli.tables import Brief, Column, cut_text, day, handle, listing, whole_text
from memd.client import find_workspace
from memd.errors import BadParamsError
from memd.text.counting import counted

LIST_SCREEN, LIST_MOST = 20, 100  # memories at once, in a terminal and elsewhere
NAME_COLUMNS = 24
MARKS = {
    "x": "ID took its place", "~": "ID took the place of a part", "!": "says otherwise than ID", "#": "in the archive",
    "?": "withheld from prompts", "-": "disabled", "e": "expired", "*": "constant",
}  # fmt: skip


@click.command("trigger")
@asks(
    "trigger", "role", "messages", without=("message", "trying"), messages=given(metavar="MESSAGE", required=True),
    now=given(words="The scene's time, ISO 8601; else the clock."), budget_tokens=given("--tokens"),
    session=given(words="A session; what its window has is not injected again."),
)  # fmt: skip
@json_option
@workspace_option
def trigger_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """Show what a message brings to mind. Several MESSAGEs are oldest first.

    \b
    memd trigger main "Which port does the database listen on?" --explain
    """
    reply = ask(workspace, "trigger", **asked)
    emit(reply, as_json, *trigger_parts(reply))


def trigger_parts(reply: dict[str, Any]) -> list[Part]:
    """Return a trigger's reply for a person: the block, and a table of what activated and what did not."""
    parts: list[Part] = ["Nothing comes to mind."]
    if reply["activated"]:
        rows = [
            (f"{one['score']:.2f}", one["kind"], _id(one), one["text"], "; ".join(one["reasons"]))
            for one in reply["activated"]
        ]
        heads = ("score", "kind", "id", cut_text("memory"), whole_text("because"))
        parts = [reply["content"], "", table(heads, rows)]
    if reply.get("refused"):
        gone = [(one["why"], one["kind"], _id(one), one["text"], one["detail"]) for one in reply["refused"]]
        parts += ["", table(("refused", "kind", "id", cut_text("memory"), whole_text("detail")), gone)]
    counts = reply["counts"]
    figures = (
        f"{counted(counts['candidates'], 'candidate')}, {counts['activated']} activated, {counts['refused']} refused"
    )
    figures += f", {counts['silent']} unrelated"
    parts += [f"time: {words}" for words in dict.fromkeys(one["words"] for one in reply.get("times", []))]
    if "emotion" in reply:
        parts.append(f"feeling: {reply['emotion']['name']} ({', '.join(reply['emotion']['words'])})")
    size = f"{len(reply['content'])} characters for position {reply['position']}"
    parts += ["", f"{figures}; {size}; {reply['elapsed_ms']:.0f} ms"]
    parts += [f"note: {note}" for note in reply.get("notes", [])]
    return parts


def _id(one: dict[str, Any]) -> Brief:
    """Return an id as a person can use it: a memory's first characters, an entry's or a page's name."""
    return Brief(one["id"], short(one["id"], NAME_COLUMNS)) if one["kind"] in ("entry", "page") else handle(one["id"])


@click.command("list")
@asks(
    "memory.list", "role", order=given(default="newest"), forgotten=given(words="What is in the archive instead."),
    limit=given(default=None, words="How many at once; else 20 in a terminal, 100 elsewhere."),
)  # fmt: skip
@json_option
@workspace_option
def list_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """List a role's memories, the newest first.

    \b
    memd list main --kind trait
    memd list main --order score --limit 5
    """
    read = sys.stdout.isatty() and not as_json  # by a person, who sees one screen
    limit = asked.pop("limit")
    at_once = limit if limit is not None else LIST_SCREEN if read else LIST_MOST
    reply = ask(workspace, "memory.list", limit=at_once, **asked)
    emit(reply, as_json, *_listed(reply, asked["offset"], forgotten=asked["forgotten"]))


def _listed(reply: dict[str, Any], offset: int, *, forgotten: bool) -> list[Part]:
    memories = reply["memories"]
    notes: list[Part] = [f"note: {note}" for note in reply.get("notes", ())]
    if not memories:
        none = "No memories." if not reply["total"] else f"None from {offset} on; there are {reply['total']}."
        return [none, *notes]
    marks = [_marks(one) for one in memories]
    rows = [
        (
            handle(one["id"]), one["kind"], day(one.get("forgotten_at" if forgotten else "time")), one.get("score", "-"),
            one.get("event", ""), _mark_cell(some), ", ".join(one.get("keys", ())[:1]),
            one.get("name", ""), one.get("holds") or one["content"], one.get("reason", ""),
        )
        for one, some in zip(memories, marks, strict=True)
    ]  # fmt: skip
    dated = "forgotten" if forgotten else "date"
    texts = (cut_text("key"), cut_text("name"), cut_text("memory"), cut_text("why"))
    heads: tuple[str | Column, ...] = ("id", "kind", dated, "score", "event", "mark", *texts)
    seen = {mark for some in marks for mark, _ in some}
    legend = [f"{mark} {meaning}" for mark, meaning in MARKS.items() if mark in seen]
    left = reply["total"] - offset - len(rows)
    more = f"; more: --offset {offset + len(rows)}" if left > 0 else ""
    return [
        table(heads, rows),
        *(["; ".join(legend)] if legend else []),
        f"{len(rows)} of {reply['total']}{more}",
        *notes,
    ]


def _marks(one: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the marks of a memory, each with the id that it is about, or ""."""
    others = {
        "x": one.get("superseded_by"), "~": (one.get("covered_by") or [""])[-1],
        "!": (one.get("conflicts_with") or [""])[0],
    }  # fmt: skip
    flags = {
        "#": "forgotten_at" in one, "?": one.get("withheld"), "-": one.get("disabled"), "e": one.get("expired"),
        "*": one.get("constant"),
    }  # fmt: skip
    return [(mark, other) for mark, other in others.items() if other] + [(mark, "") for mark, so in flags.items() if so]


def _mark_cell(marks: list[tuple[str, str]]) -> Brief:
    whole = " ".join(f"{mark} {other}".rstrip() for mark, other in marks)
    return Brief(whole, " ".join(f"{mark} {handle(other).shown}".rstrip() for mark, other in marks))


@click.command("show")
@asks("memory.get", "role", "id")
@json_option
@workspace_option
def show_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """Show one memory; the first characters of its ID are enough.

    \b
    memd show main 1f0c2a9b
    memd show main 1f0c2a9b --history     what it said before, what it replaced and what replaced it
    """
    reply = ask(workspace, "memory.get", **asked)
    judged = reply.get("judged")
    left_out = (
        "record",
        "history",
        "judged",
        "aging",
        *(("priority", "constant", "digest", "file") if not reply["file"] else ()),
    )
    shown = [(key, _said(value)) for key, value in reply.items() if key not in left_out]
    if judged:
        became = judged["became"] or "not judged again yet"
        shown.append(("judged", f"provisionally {judged['was']}, by words alone; {became}: {judged['why']}"))
    if aging := reply.get("aging"):
        shown.append(("worth", _worth(aging)))
    parts: list[Part] = [facts(shown)]
    if asked["history"]:
        rows = [
            (one["how"], day(one["at"]), one["content"], f"told of {one['event']}" if one.get("event") else "")
            for one in reply["history"]
        ]
        parts += ["", listing(rows, Column("how"), Column("at"), whole_text("content"), Column("event"))]
        if not judged and reply["file"]:
            told = ask(workspace, "git.commits", role=asked["role"], id=asked["id"])
            reply["commits"] = {key: told[key] for key in ("changes", "looked", "whole", "why", "detail")}
            parts += ["", *_committed(told)]
    emit(reply, as_json, *parts)


def _worth(aging: dict[str, Any]) -> str:
    """Return what a memory is worth now and at the end of what is foreseen, and when it falls below the floor."""
    last = f", {aging['course'][-1]:g} on {aging['times'][-1][:10]}" if aging["times"] else ""
    below = f"; below {aging['floor']:g} from {aging['below'][:10]}" if aging.get("below") else ""
    return f"{aging['now']:g} now{last}{below}"


UNTOLD = {
    "no_git": "there is no git program", "no_repository": "the workspace is in no git repository", "refused": "git refuses",
    "no_id": "its record has no id of its own, so git cannot tell it from others", "not_committed": "its file was never committed",
}  # fmt: skip


def _committed(told: dict[str, Any]) -> Iterator[Part]:
    """Yield what git has of a memory, each change with its text before and after where that changed."""
    if told["why"]:
        yield f"no git history: {told['detail'] or UNTOLD[told['why']]}"
        return
    rows: list[tuple[Any, ...]] = []
    for one in told["changes"]:
        by = f"{one['author']}: {one['subject']}" if one["commit"] else "not committed yet"
        also = f" ({', '.join(one['fields'])})" if one["fields"] else ""
        rows.append((one["commit"][:10], day(one["at"]), one["how"], by + also))
        if one["before"] != one["after"]:
            rows += [("", "", sign, text) for sign, text in (("-", one["before"]), ("+", one["after"])) if text]
    yield listing(rows, Column("commit"), Column("at"), Column(""), whole_text("by"))
    if not told["whole"]:
        yield f"There may be more: {counted(told['looked'], 'commit')} looked at."


def _said(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


# The verb that asks the past again: replay.

FILE_BYTES = 256 * 1024 * 1024


@click.command("replay")
@click.argument("session", metavar="SESSION-OR-FILE")
@click.option("--role", default="main", help="Whose memory is asked, where the turns do not say.")
@click.option(
    "--config",
    "config_file",
    default="",
    metavar="FILE",
    help="Another memd.toml: what would come with it, and how it differs.",
)
@click.option(
    "--as-of",
    default=None,
    metavar="TIME",
    help="What was known and held then: a time, a day's end, or \"turn\", each turn's own time.",
)
@json_option
@workspace_option
def replay_command(session: str, role: str, config_file: str, as_of: str | None, as_json: bool, workspace: str) -> None:
    """Run recorded turns through trigger again: what comes to mind now, and why it differs from what came then.

    A session is one of sessions/, by its name; a FILE has one JSON object a line. Lines of a user are turns; a line with
    `activated` says what came to mind for the turn before it. With --config, what comes now is held against what would
    come with those settings. With --as-of, memories of later and later changes are not seen. Nothing is changed.

    \b
    memd replay 2026-11-21-monday --role main
    memd replay turns.jsonl --config strict.toml
    memd replay 2026-11-21-monday --as-of turn
    """
    from memd.config import place_of
    from memd.formats.expectations import turns_of

    place = place_of(find_workspace(workspace))
    turns, bad = turns_of(_data(place.workspace, session))
    if not turns:
        raise BadParamsError(f"session: no line of {session} is a turn of a user")
    told = asyncio.run(_replayed(place, role, turns, config_file, as_of))
    reply = {"turns": told, "bad_lines": bad, "differing": sum(bool(one.get("new") or one.get("gone")) for one in told)}
    emit(reply, as_json, *_parts(reply))


async def _replayed(place: Any, role: str, turns: Any, config_file: str, as_of: str | None) -> list[dict[str, Any]]:
    from memd.daemon import local
    from memd.formats.settings import load_settings
    from memd.service.care.replaying import differing, replay

    other = load_settings(_file(config_file), config_file) if config_file else None
    async with local(place, writes=False) as service:
        await service.store.library.read_keyed(
            service.store.tree, all_pages=service.store.settings.pages.recall != "keys"
        )
        now = await replay(service.store, role, turns, as_of=as_of)
        if other is None:
            return now
        service.store.in_force.file.use(other)
        replies: list[dict[str, Any]] = []
        await replay(service.store, role, turns, replies, as_of=as_of)
    return [
        {**one, "config": config_file, **differing([old["id"] for old in one["activated"]], reply)}
        for one, reply in zip(now, replies, strict=True)
    ]


def _data(workspace: str, session: str) -> bytes:
    """Return the bytes of a session of the workspace, or of a file."""
    if os.path.isfile(session):
        return _file(session)
    root = os.path.join(workspace, "sessions")
    for folder, _, names in sorted(os.walk(root)):
        if f"{session}.jsonl" in names:
            return _file(os.path.join(folder, f"{session}.jsonl"))
    raise BadParamsError(f"session: {session!r} is neither a file nor a session of this workspace")


def _file(path: str) -> bytes:
    from memd.storage.files import Tree

    tree = Tree(os.path.realpath(os.path.dirname(path) or "."))
    try:
        return tree.read(os.path.basename(path), FILE_BYTES)[0]
    except FileNotFoundError:
        raise BadParamsError(f"there is no file {path!r}") from None
    finally:
        tree.close()


def _parts(reply: dict[str, Any]) -> list[Part]:
    parts: list[Part] = []
    for one in reply["turns"]:
        parts.append(listing([(f"{one['line']}:", one["message"])], Column("line"), cut_text("message")))
        fresh = {new["id"]: new["why"] for new in one.get("new", ())}
        rows = [
            ("+" if memory["id"] in fresh else " ", handle(memory["id"]), memory["text"], "; ".join(memory["reasons"]))
            for memory in (one["activated"] if "config" not in one else ())
        ]
        if "config" in one:
            rows += [("+", handle(key), why, "") for key, why in fresh.items()]
        rows += [("-", handle(gone["id"]), gone["why"], "") for gone in one.get("gone", ())]
        parts.append(listing(rows, Column(""), Column("id"), cut_text("text"), cut_text("why"), indent=2))
    parts.append(f"{counted(len(reply['turns']), 'turn')}, {reply['differing']} differ")
    parts += [
        f"note: {note}" for note in dict.fromkeys(note for one in reply["turns"] for note in one.get("notes", ()))
    ]
    if reply["bad_lines"]:
        parts.append(f"not JSON and left out: line {', '.join(map(str, reply['bad_lines'][:20]))}")
    return parts
