"""Remove one memory's text from every log that memd writes. What git history has is not ours to rewrite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memd.formats.promptx import line_key
from memd.formats.records import dump_record, load_record
from memd.storage.files import Tree
from memd.storage.layout import ARCHIVE, DECLARATIVE, PRIVATE, SCORES
from memd.storage.replace import exchange

TRIES = 20


def erase_from_logs(tree: Tree, role: str, memory_id: str) -> None:
    """Take out every line about this memory of this role, whatever others append meanwhile."""
    mark = (line_key(memory_id) + " ").encode()
    _filter(tree, DECLARATIVE, lambda line: b"" if mark in line else line)
    names = [f"{PRIVATE}/{one.name}" for one in tree.entries(PRIVATE) if one.is_file and one.name.startswith("audit")]
    names += [f"{folder}/{one.name}" for folder in (SCORES, ARCHIVE) for one in tree.entries(folder) if one.is_file]
    for name in names:
        _filter(tree, name, lambda line: _without(line, role, memory_id))


def _without(line: bytes, role: str, memory_id: str) -> bytes:
    """Return a record's line, nothing, or the line with one of its entries taken out."""
    if memory_id.encode() not in line:
        return line
    value = load_record(line)
    if value is None or value.get("role") != role:
        return line
    if value.get("id") == memory_id:
        return b""
    entries: list[Any] = value.get("entries", [])
    kept = [one for one in entries if not isinstance(one, dict) or one.get("id") != memory_id]
    if len(kept) == len(entries):
        return line
    value.pop("c", None)
    return dump_record({**value, "entries": kept})


def _filter(tree: Tree, name: str, edit: Callable[[bytes], bytes]) -> None:
    try:
        data = tree.read(name)[0]
    except FileNotFoundError:
        return
    for _ in range(TRIES):
        kept = b"".join(edit(line) for line in data.splitlines(keepends=True))
        if kept == data:
            return
        displaced = exchange(tree, name, kept)
        if displaced.temporary:
            tree.remove(displaced.temporary)
        if not displaced.temporary or displaced.data == data:
            return
        data = displaced.data or b""
