"""The verb that asks the past again: replay."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import click

from memd.cli.reach import json_option, workspace_option
from memd.cli.show import Part, counted, emit
from memd.cli.tables import Column, cut_text, handle, listing
from memd.client import find_workspace
from memd.errors import BadParamsError

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
