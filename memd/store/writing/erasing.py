"""Remove one memory's text from every log that memd writes. What git history has is not ours to rewrite."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from memd.errors import NotRegularError, RejectedFileError, StorageError
from memd.formats.curated import entries_of
from memd.formats.records import dump_record, load_record, pretty
from memd.formats.role_memory import line_key
from memd.formats.role_reader import load
from memd.formats.strict_json import StrictError, dumps, loads
from memd.model.memory import Kind
from memd.storage.layout import (
    ARCHIVE,
    CONFLICT,
    CURATED,
    DECLARATIVE,
    DECLARED,
    INBOX,
    LEARNING,
    PRIVATE,
    PROVISIONAL,
    QUARANTINE,
    REVIEW,
    RUNS,
    SCORES,
    SESSIONS,
    SKILLS,
    SNAPSHOTS,
    TASKS,
    role_dir,
)
from memd.storage.listing import folder_pieces, read_side
from memd.storage.replace import exchange

if TYPE_CHECKING:
    from memd.storage.files import Tree

TRIES = 20
_DECLARED_TEXT = re.compile(r"^- \d{4}/\d\d/\d\d \d\d:\d\d |(?: #[^\s#]+)+\s*$")  # all of a line that is not the text


def erase_from_logs(tree: Tree, role: str, memory_id: str) -> None:
    """Take out every line about this memory of this role, whatever others append meanwhile."""
    mark = (line_key(memory_id) + " ").encode()
    _erase_copies(tree, memory_id, _texts_of(tree, role, memory_id))
    _filter(tree, DECLARATIVE, lambda line: b"" if mark in line else line)
    names = [name for name in _files(tree, PRIVATE) if name.startswith(f"{PRIVATE}/audit")]
    names += [*_files(tree, SCORES), *_files(tree, ARCHIVE)]
    for entry in tree.entries(role_dir(role)):
        if entry.is_file and CONFLICT in entry.name:
            name = f"{role_dir(role)}/{entry.name}"
            data = tree.read(name)[0]
            if memory_id.encode() in data:
                put_edited(tree, name, data, lambda read: _without_record(read, role, memory_id))
    for name in [one for one in names if one.startswith(DECLARED)]:
        _filter(tree, name, lambda line: b"" if mark in line else line)
    for name in names:
        # The day's scorings are counted by lines: one that tells nothing stays.
        _filter(tree, name, partial(_without, role=role, memory_id=memory_id, counted=name.startswith(SCORES)))
    for name in (REVIEW, PROVISIONAL):
        _filter(tree, name, partial(_without_ids, ids={*_held_as(tree, name, memory_id), memory_id}))
    audits = [name for name in names if name.startswith(f"{PRIVATE}/audit")]
    waited = set().union(*(_held_as(tree, name, memory_id) for name in (INBOX, *audits)))
    for name in (INBOX, *audits) if waited else ():
        _filter(tree, name, lambda line: b"" if _inbox_id(load_record(line) or {}) in waited else line)


def _texts_of(tree: Tree, role: str, memory_id: str) -> set[str]:
    """Return what the logs say that a memory said."""
    found: set[str] = set()
    mark = line_key(memory_id) + " "
    years = [one for one in _files(tree, ARCHIVE) if one.startswith(DECLARED)]
    for name in (DECLARATIVE, *years):
        lines = (read_side(tree, name) or b"").decode("utf-8", "replace").split("\n")
        found |= {_DECLARED_TEXT.sub("", line) for line in lines if mark in line}
    for data in folder_pieces(tree, ARCHIVE):
        for line in data.splitlines(keepends=True) if memory_id.encode() in data else ():
            value = load_record(line) or {}
            entry = value.get("entry")
            if value.get("id") == memory_id and value.get("role") == role and isinstance(entry, dict):
                found |= {str(entry.get(key) or "") for key in ("content", "value")}
    return {text.strip() for text in found} - {""}


def _erase_copies(tree: Tree, memory_id: str, texts: set[str]) -> None:
    """Take a memory out of the copies that memd keeps beside: what was quarantined, and snapshots that have it as an entry."""
    for name in _files(tree, QUARANTINE):
        _filter(tree, name, lambda line: b"" if memory_id.encode() in line else line)
    for name in _files(tree, SNAPSHOTS) if texts else ():
        if texts & _entries_in(read_side(tree, name) or b""):
            tree.remove(name)


def _entries_in(data: bytes) -> set[str]:
    """Return the entries of a snapshot's files; what is no snapshot has none."""
    try:
        files = loads(data)["files"]
        return {entry.text.strip() for file in files for entry in entries_of(str(file["text"]))}
    except (StrictError, LookupError, TypeError):
        return set()


def _files(tree: Tree, folder: str) -> list[str]:
    """Return the files of a directory; what is no directory of ours has nothing of ours."""
    try:
        return [f"{folder}/{one.name}" for one in tree.entries(folder) if one.is_file]
    except NotRegularError:
        return []


def _held_as(tree: Tree, name: str, memory_id: str) -> set[str]:
    """Return the ids under which the text of a memory waited for a person, or in the inbox, as a log has them."""
    data = read_side(tree, name) or b""
    values = (load_record(line) or {} for line in data.splitlines(keepends=True) if memory_id.encode() in line)
    return {_inbox_id(value) for value in values if value.get("memory") == memory_id} - {""}


def _without_ids(line: bytes, ids: set[str]) -> bytes:
    return b"" if (load_record(line) or {}).get("id") in ids else line


def _inbox_id(value: dict[str, Any]) -> str:
    return str(value.get("inbox") or value.get("id") or "")


def without_memory(line: bytes, role: str, memory_id: str) -> bytes:
    """Return a line of any log without what it has about a memory, b"" where that is all."""
    return b"" if (line_key(memory_id) + " ").encode() in line else _without(line, role, memory_id)


def _without(line: bytes, role: str, memory_id: str, *, counted: bool = False) -> bytes:
    """Return a record's line, nothing (of what is counted only that it was), or the line with one of its entries taken out."""
    if memory_id.encode() not in line:
        return line
    value = load_record(line)
    if value is None or value.get("role") != role:
        return line
    if value.get("id") == memory_id:
        return dump_record({key: value[key] for key in ("w", "n", "at") if key in value}) if counted else b""
    entries: list[Any] = value.get("entries", [])
    kept = [one for one in entries if not isinstance(one, dict) or one.get("id") != memory_id]
    if len(kept) == len(entries):
        return line
    value.pop("c", None)
    return dump_record({**value, "entries": kept})


def _filter(tree: Tree, name: str, edit: Callable[[bytes], bytes]) -> None:
    try:
        data = tree.read(name)[0]
    except (FileNotFoundError, NotRegularError):
        return  # what is no file of ours has nothing of ours
    kept = b"".join(map(edit, data.splitlines(keepends=True)))
    if kept != data:
        put_edited(tree, name, data, lambda read: b"".join(map(edit, read.splitlines(keepends=True))))


def put_edited(tree: Tree, name: str, data: bytes, edit: Callable[[bytes], bytes]) -> None:
    """Put the edited bytes in place of those read; what others save meanwhile is edited and put in place instead."""
    source = expected = data
    displaced_names: list[str] = []
    for _ in range(TRIES):
        wanted = edit(source)
        displaced = exchange(tree, name, wanted, expected)
        if displaced.data is None:
            raise StorageError(displaced.temporary, "what was exchanged out cannot be read yet")
        if displaced.temporary:
            displaced_names.append(displaced.temporary)
        if not displaced.temporary or displaced.data == expected:
            for temporary in displaced_names:
                tree.remove(temporary)
            return
        source, expected = displaced.data, wanted  # somebody saved: theirs goes in, and ours is what must come out
    raise StorageError(name, "it changes again and again")


def _without_record(data: bytes, role: str, memory_id: str) -> bytes:
    """Return a conflict copy without one memory, whichever of the two forms it has."""
    try:
        value = loads(data)
    except StrictError:
        return data
    if isinstance(value, list):
        return (
            pretty([one for one in value if not isinstance(one, dict) or one.get("id") != memory_id]).encode() + b"\n"
        )
    try:
        document = load(data, "copy", role).document
    except RejectedFileError:
        return data
    return document.with_records({(kind, memory_id): None for kind in Kind}).dump()


def still_in(tree: Tree, text: str) -> list[str]:
    """Return the files beside memd's own that have a text too: sessions, receipts, tasks, skills, curated memory. Blocks."""
    forms = {text.encode("utf-8", "surrogatepass"), dumps(text)[1:-1].encode("utf-8", "surrogatepass")}
    names = [name for folder in (SESSIONS, RUNS, TASKS, LEARNING, SKILLS) for name, _ in tree.sizes(folder)]
    found = []
    for name in (*CURATED, *dict.fromkeys(names)):
        try:
            data = tree.read(name)[0]
        except (FileNotFoundError, StorageError):
            continue
        if any(form in data for form in forms if form):
            found.append(name)
    return found
