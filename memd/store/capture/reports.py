"""The reports of passes over what was said: which statement of which turn became what, by ids and turns, without their texts.

One file a pass below `.memory/consolidations/`, git-ignored, the oldest of them gone where they are more than the settings allow.
A report has no text, so that erasing a memory need not reach it. The files may be a stranger's: what is strange in them is left
out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from memd.errors import MemdError
from memd.storage.layout import CONSOLIDATIONS
from memd.storage.side import list_side

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.store.writing.texts import Texts

ID = re.compile(r"c\d{8}-\d{6}-[0-9a-f]{8}")


class Became(Struct, omit_defaults=True):
    """One statement: what became of it, under which id, of which memory; `was` are the digests before and after a change of it."""

    fate: str
    id: str
    turn: int
    total: float
    why: str = ""
    at: str = ""
    source: str = "user"
    memory: str = ""
    digest: str = ""
    how: str = ""  # stored, superseding, refined
    supersedes: str = ""
    inbox: str = ""
    lasting: str = ""


class Report(Struct, omit_defaults=True):
    """One pass: over which turns of which session, by whom, what became of what was told there; `undone` when."""

    id: str
    at: str
    session: str
    role: str
    level: str
    by: str
    first_turn: int
    last_turn: int
    turns: int
    became: list[Became] = []
    dropped: int = 0
    undone: str = ""
    left: list[str] = []


def taken_back(report: Report, at: str, left: Iterable[str]) -> Report:
    """Return a report of a pass that was taken back, but for what was changed since."""
    return msgspec.structs.replace(report, undone=at, left=sorted(left))


_decoder = msgspec.json.Decoder(Report)


def report_file(report_id: str) -> str:
    """Return where a report is."""
    return f"{CONSOLIDATIONS}/{report_id}.json"


def dump_report(report: Report) -> str:
    """Return the text of a report."""
    return json.dumps(msgspec.to_builtins(report), ensure_ascii=False, indent=1) + "\n"


def report_ids(tree: Tree, texts: Texts) -> list[str]:
    """Return the ids of all reports, the newest first. Blocks."""
    held = [one.rpartition("/")[2] for one in texts.names(CONSOLIDATIONS)]
    gone = {name.rpartition("/")[2] for name, (_, text) in texts.held.items() if text is None}
    files = [one.name for one in list_side(tree, CONSOLIDATIONS) if one.is_file and one.name not in gone]
    names = {name.removesuffix(".json") for name in (*held, *files) if name.endswith(".json")}
    return sorted((one for one in names if ID.fullmatch(one)), reverse=True)


def read_report(tree: Tree, texts: Texts, report_id: str) -> Report | None:
    """Return a report, None where there is none that can be read."""
    if not ID.fullmatch(report_id):
        return None
    try:
        text = texts.read(tree, report_file(report_id))
        found = _decoder.decode(text) if text is not None else None
    except (MemdError, OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if found is not None and found.id == report_id else None


def too_many(sizes: Sequence[tuple[str, int]], room_bytes: int) -> list[str]:
    """Return which of the reports' files, given with their sizes, must go for the newest to have this room."""
    gone: list[str] = []
    for name, size in sorted(sizes, reverse=True):
        room_bytes -= size
        if room_bytes < 0:
            gone.append(name)
    return gone
