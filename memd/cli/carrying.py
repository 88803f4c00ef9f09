"""Verbs that carry memories in and out: import, export."""

from __future__ import annotations

import contextlib
import os
import sys
import uuid
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from memd.cli.options import asks, given
from memd.cli.progress import progress
from memd.cli.reach import ask, is_running, json_option, workspace_option
from memd.cli.show import Part, Strong, clean, emit, own_call
from memd.cli.tables import Column, cut_text, handle, listing
from memd.errors import MemdError
from memd.formats.foreign.reading import FORMS
from memd.text.counting import counted

if TYPE_CHECKING:
    from memd.service.judging.beside import Beside

FIRST = 5  # of each kind that are named, and files that are told one by one
BATCH = 200
BATCH_CHARS = 300_000
PART_CHARS = 150_000
ADDRESS_CHARS = 200
UNDO_S = 3600.0
FILE_BYTES = 128 * 1024 * 1024
STATE_WORDS = "the role (they lie in .memory/state/undone)"
PASTS = ("claude", "codex", "gemini")
ENDINGS = (".json", ".md", ".dpml", ".png", ".lorebook", ".bak")


@click.command("import")
@click.argument("path", required=False, type=click.Path())
@asks(
    "import", only=("role", "dry_run"), dry_run=given(words="Show what would come in, and change nothing."),
    role=given(default="", words="Who remembers it; else the role the file names, else main."),
)  # fmt: skip
@click.option("--form", "--format", "form", type=click.Choice(FORMS), default="auto", help="What the files are.")
@click.option(
    "--undo", default="", metavar="ID", help="Take an import back: its memories are archived, its books taken out."
)
@click.option(
    "--past", is_flag=True, help="Take in the conversations that agents keep on this machine, in the background."
)
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=click.Choice(PASTS),
    help="With --past: only this one's; again for another.",
)
@click.option("--verbose", is_flag=True, help="Name everything that came in or was refused, not only the first.")
@json_option
@workspace_option
def import_command(
    path: str | None, role: str, form: str, dry_run: bool, undo: str, past: bool, agents: tuple[str, ...], verbose: bool,
    as_json: bool, workspace: str,
) -> int:  # fmt: skip
    """Take in what another program remembered, from a file or a directory.

    World Info, character cards V2 and V3 (JSON, PNG), NovelAI, Agnai and Risu lorebooks become books of the role;
    memory.json and its management export, PromptX and hermes memory, Claude Code's memory files, CLAUDE.md, AGENTS.md and
    GEMINI.md become its memories. The exit status is 1 where something was refused. With --past, what Claude Code, Codex and Gemini CLI keep of conversations becomes sessions.

    \b
    memd import world.json --role main --dry-run
    memd import ~/.promptx/memory --role main
    memd import --past --dry-run
    memd import --undo 3f2a9c1e
    """
    if past or agents:
        if path or undo or not past:
            raise click.UsageError("--past takes no file and no --undo, and --agent belongs to --past")
        return _take_past(workspace, role, agents, dry_run=dry_run, as_json=as_json)
    if undo:
        return _undo(workspace, undo, verbose=verbose, as_json=as_json)
    if not path:
        raise click.UsageError("give a file or a directory to import, or --undo ID")
    import_id = uuid.uuid4().hex[:8]
    beside = _beside(workspace, list(_files(path)), role, form)
    replies = _brought(workspace, list(_files(path)), role, form, import_id, dry_run=dry_run)
    whole = {
        "import_id": import_id, "dry_run": dry_run, "files": replies,
        "taken": sum(len(one["taken"]) + len(one["books"]) for one in replies),
        "refused": sum(len(one["refused"]) for one in replies),
        "beside": [{"file": one.path, "line": one.stated.line, "text": one.stated.text, "is": one.how, "role": one.role, "id": one.memory, "of": one.text} for one in beside],
    }  # fmt: skip
    emit(whole, as_json, *_told(whole, None if verbose else FIRST), *_told_beside(beside, None if verbose else FIRST))
    return 1 if whole["refused"] else 0


def _beside(workspace: str, files: list[str], role: str, form: str) -> list[Beside]:
    """Return which statements of agents' files say what a role remembers already, or another thing, before any of them comes in."""
    if form not in ("auto", "agent"):
        return []
    import asyncio

    from memd.cli.doctor import compared
    from memd.client import find_workspace
    from memd.errors import StorageError
    from memd.formats.foreign.agent_files import is_it, stated
    from memd.service.judging.beside import BesideFile
    from memd.storage.machine import read_text

    found = []
    for path in filter(lambda one: one.endswith(".md"), files):
        with contextlib.suppress(StorageError, OSError):  # what cannot be read is refused where it is brought in
            text, name = read_text(path), os.path.basename(path)
            found += [BesideFile(path, stated(text, name), of_project=False)] if is_it(text, name) else []
    if not any(one.stated for one in found):
        return []
    named = _role(workspace, role, "", found[0].path)
    return asyncio.run(compared(find_workspace(workspace), os.path.realpath("."), found, named))


def _told_beside(beside: list[Beside], most: int | None) -> list[Part]:
    """Return how what comes in stands to what was remembered: a person decides which of the two holds."""
    if not beside:
        return []
    from memd.cli.doctor import seen_beside

    lines = [f"  {seen_beside(one)}" for one in beside[:most]]
    lines += [f"  and {len(beside) - len(lines)} more: --verbose"] if len(lines) < len(beside) else []
    return [f"Beside what is remembered ({len(beside)}):", *lines]


def _undo(workspace: str, undo: str, *, verbose: bool, as_json: bool) -> int:
    """Take an import back, and tell what became of it."""
    reply = ask(workspace, "import", deadline_s=UNDO_S, import_id=undo, undo=True)
    books = counted(len(reply["books"]), "book")
    told = f"{counted(reply['archived'], 'memory')} archived, {books} taken out of {STATE_WORDS}"
    if "sessions" in reply:
        told = f"{counted(reply['archived'], 'memory')} archived, {counted(len(reply['sessions']), 'session')} taken out again"
    kept = reply["kept"] if verbose else reply["kept"][:FIRST]
    left = [f"and {len(reply['kept']) - len(kept)} more: --verbose"] if len(kept) < len(reply["kept"]) else []
    emit(
        reply,
        as_json,
        told,
        *(f"kept: {one}" if "sessions" in reply else f"kept, it was changed or is gone: {one}" for one in kept),
        *left,
    )
    return 0


def _take_past(workspace: str, role: str, agents: tuple[str, ...], *, dry_run: bool, as_json: bool) -> int:
    """Show which conversations agents keep, and order that they are taken in."""
    import time

    from memd.cli.setup.planning import begun_parts, offer_of, offer_parts, take
    from memd.config import place_of
    from memd.storage.files import Tree

    place = place_of(workspace)
    level = str(ask(place.workspace, "capture.level")["level"])
    named = str(ask(place.workspace, "role.get", role=role)["name"]) if role else ""
    tree = Tree(place.workspace)
    try:
        offer = offer_of(tree, place.state, time.time(), agents)
        begins = bool(offer.rows or offer.ordered) and not dry_run
        past_id = take(tree, place.state, offer, named) if begins else ""
    finally:
        tree.close()
    reply = {"import_id": past_id, "dry_run": dry_run, "level": level, **offer.reply()}
    runs = begins and is_running(place.workspace)
    if runs:
        ask(place.workspace, "status")  # which wakes who takes it in
    begun = begun_parts(past_id, runs=runs) if begins else []
    emit(reply, as_json, *offer_parts(offer, level), *begun)
    return 0


def _brought(
    workspace: str, files: list[str], role: str, form: str, import_id: str, *, dry_run: bool
) -> list[dict[str, Any]]:
    """Bring in one file after another, and tell how far it is: a thousand parts for each."""
    replies = []
    with progress("Looking" if dry_run else "Importing") as told:
        for number, file in enumerate(files):

            def on(sent: int, of: int, before: int = number * 1000, name: str = os.path.basename(file)) -> None:
                told(before + sent * 1000 // max(of, 1), len(files) * 1000, name)

            replies.append(_one(workspace, file, role, form, import_id, dry_run=dry_run, on=on))
            on(1, 1)
    return replies


def _files(path: str) -> Iterator[str]:
    """Yield the files to read: one, or those of a directory that may be of a known form."""
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(ENDINGS) and not name.startswith(".memory.json."):
                yield os.path.join(folder, name)


def _one(
    workspace: str, path: str, role: str, form: str, import_id: str, *, dry_run: bool, on: Callable[[int, int], None]
) -> dict[str, Any]:
    """Read one file and send what it holds in batches; a file that cannot be read is a refusal."""
    told: dict[str, Any] = {
        "file": path,
        "form": "",
        "role": role,
        "taken": [],
        "refused": [],
        "books": [],
        "notes": [],
    }
    try:
        found = _read(path, form)
        told |= {"form": found.form, "notes": found.notes, "role": _role(workspace, role, found.role, path)}
        told["refused"] += [{"place": place, "why": "form", "detail": why} for place, why in found.refused]
        given = {"role": told["role"], "import_id": import_id, "source": os.path.basename(path), "dry_run": dry_run}
        if found.form == "memory" and len(found.role) <= ADDRESS_CHARS:
            given["uuid"] = found.role
        parts = [*({"memories": one} for one in _batches(found.memories)), *_parts(workspace, found.books)]
        sent = 0
        for number, part in enumerate(parts):
            on(number, len(parts))
            reply = ask(workspace, "import", deadline_s=120.0, **given, **part)
            for row in reply.get("refused", ()):
                if "number" in row:
                    row["number"] += sent  # of the file, not of the batch
            sent += len(part.get("memories", ()))
            for key in ("taken", "refused", "books"):
                told[key] += reply.get(key, [])
    except FileNotFoundError:
        told["refused"].append({"why": "file.missing", "detail": f"{path} is not there"})
    except MemdError as error:
        told["refused"].append({"why": error.code, "detail": str(error)})
    return told


def _read(path: str, form: str) -> Any:
    from memd.formats.foreign.reading import read_foreign
    from memd.storage.files import Tree

    tree = Tree(os.path.realpath(os.path.dirname(path) or "."))
    try:
        data = tree.read(os.path.basename(path), FILE_BYTES)[0]
    finally:
        tree.close()
    return read_foreign(os.path.basename(path), data, form)


def _parts(workspace: str, books: list[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield the books in parts that fit a frame; whole where there is no daemon to send them to."""
    for title, text in books:
        size = PART_CHARS if is_running(workspace) else max(1, len(text))  # without one there are no frames
        for at in range(0, len(text), size):
            yield {"book": title, "text": text[at : at + size], "at": at, "more": at + size < len(text)}


def _batches(memories: list[tuple[Any, dict[str, Any]]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    chars = 0
    for kind, record in memories:
        size = len(str(record))
        if batch and (len(batch) >= BATCH or chars + size > BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append({"kind": kind.value, "record": record})
        chars += size
    if batch:
        yield batch


def _role(workspace: str, given: str, named: str, path: str) -> str:
    """Return whom a file's memories come to: as it was said, as the file or its folder says, else main."""
    if given:
        return given
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    for word in (named, folder):
        try:
            if 0 < len(word) <= ADDRESS_CHARS:
                return str(ask(workspace, "role.get", role=word)["name"])
        except MemdError as error:
            if error.code != "role.unknown":
                raise
    return "main"


def _told(whole: dict[str, Any], most: int | None) -> list[Part]:
    """Return what came of it: of each kind how many, and the first of them; `most` None: all of them."""
    parts: list[Part] = []
    for one in whole["files"][:most]:
        parts += _told_of(one, most)
    left = whole["files"][len(whole["files"][:most]) :]
    if left:
        taken, refused = (sum(len(one[key]) for one in left) for key in ("taken", "refused"))
        books = sum(len(one["books"]) for one in left)
        parts.append(f"and {counted(len(left), 'file')} more: {taken + books} taken, {refused} refused")
    verb = "would come in" if whole["dry_run"] else "came in"
    parts.append((Strong(f"{whole['taken']} {verb}, {whole['refused']} refused"),))
    if most is not None and max(whole["taken"], whole["refused"]) > most:
        parts.append("To see all: --verbose or --json; with --dry-run nothing is changed by it")
    if whole["taken"] and not whole["dry_run"]:
        parts.append(f"To take it back: {own_call('import', '--undo', whole['import_id'])}")
    return parts


def _told_of(one: dict[str, Any], most: int | None) -> list[Part]:
    whom = f", for role {one['role']}" if one["form"] else ""
    parts: list[Part] = [f"{one['file']}: {one['form'] or 'not taken in'}{whom}"]
    kinds: dict[str, list[tuple[Any, ...]]] = {}
    for row in one["taken"]:
        kinds.setdefault(str(row["kind"]), []).append((handle(row["id"]), row["text"]))
    if one["books"]:
        kinds["book"] = [(row["name"], "") for row in one["books"]]
    for row in one["refused"]:
        what = row.get("text") or row.get("book") or row.get("place", "")
        kinds.setdefault(f"refused, {row['why']}", []).append((what, row["detail"]))
    for kind, rows in kinds.items():
        columns = (
            (cut_text("what"), cut_text("why")) if kind.startswith("refused") else (Column("id"), cut_text("text"))
        )
        parts += [f"  {len(rows)} {kind}", listing(rows[:most], *columns, indent=4)]
        parts += [f"    and {len(rows) - len(rows[:most])} more"] if len(rows) > len(rows[:most]) else []
    return [*parts, *(f"  note: {note}" for note in one["notes"])]


@click.command("export")
@asks("export", "role", without=("offset", "digest", "whole"), form=given("--form", "--format"))
@workspace_option
def export_command(workspace: str, **asked: Any) -> None:
    """Print a role's memories, or one of its books, in a form that other programs read.

    \b
    memd export main > memory.json
    memd export main --form card-v2 --book world > card.json
    """
    at: int | None = 0
    digest, whole = "", not is_running(workspace)
    while at is not None:
        reply = ask(workspace, "export", offset=at, digest=digest, whole=whole, **asked)
        digest = reply["digest"]
        click.echo(clean(reply["content"]) if sys.stdout.isatty() else reply["content"], nl=False)
        at = reply["next"]
