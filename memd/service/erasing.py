"""Remove one memory's text from every log that memd writes. What git history has is not ours to rewrite."""

from __future__ import annotations

from memd.formats.promptx import line_key
from memd.storage.files import Tree
from memd.storage.layout import ARCHIVE, DECLARATIVE, PRIVATE, SCORES
from memd.storage.replace import exchange

TRIES = 20


def erase_from_logs(tree: Tree, memory_id: str) -> None:
    """Take out every line about this memory, whatever others append meanwhile."""
    names = [DECLARATIVE]
    names += [f"{PRIVATE}/{one.name}" for one in tree.entries(PRIVATE) if one.is_file and one.name.startswith("audit")]
    names += [f"{folder}/{one.name}" for folder in (SCORES, ARCHIVE) for one in tree.entries(folder) if one.is_file]
    for name in names:
        _filter(tree, name, (memory_id.encode(), (line_key(memory_id) + " ").encode()))


def _filter(tree: Tree, name: str, marks: tuple[bytes, ...]) -> None:
    try:
        data = tree.read(name)[0]
    except FileNotFoundError:
        return
    for _ in range(TRIES):
        kept = b"".join(line for line in data.splitlines(keepends=True) if not any(mark in line for mark in marks))
        if kept == data:
            return
        displaced = exchange(tree, name, kept)
        if not displaced.temporary:
            return
        tree.remove(displaced.temporary)
        if displaced.data == data:
            return
        data = displaced.data
