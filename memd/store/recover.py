"""What a process that died left behind: put right at start, and told.

A temporary of memory.json is either our own next state, never put in place, or a file we exchanged out, which may be an
editor's last save. The log tells them apart: a record that the file or the log knows is nobody's loss; any other makes
the temporary a conflict copy.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from memd.errors import MemdError, RejectedFileError
from memd.formats.records import read_lines
from memd.formats.role_reader import load
from memd.formats.strict_json import canonical
from memd.storage.files import TEMPORARY_SUFFIX, UNFINISHED_SUFFIX, Tree
from memd.storage.layout import (
    ARCHIVE,
    AUDIT,
    DECLARATIVE,
    LEARNING,
    LOG,
    PRIVATE,
    ROLES,
    RUNS,
    SESSIONS,
    SKILLS,
    TASKS,
    conflict_copy,
    memory_file,
)
from memd.storage.listing import list_side, read_side, side_pieces
from memd.storage.replace import create, is_nobodys, replace
from memd.storage.wal import read_log
from memd.store.writing.erasing import without_memory
from memd.store.writing.parked import keep_aside, leftovers

if TYPE_CHECKING:
    from memd.storage.wal import Held, Record
    from memd.store.store import Store

Version = tuple[str, str, bytes]


def known_versions(records: Iterable[Record]) -> set[Version]:
    """Return every state of every record that the log has: role, id, canonical bytes."""
    known: set[Version] = set()
    for record in records:
        for op in record.ops:
            if op.get("do") == "change":
                for side in ("before", "after"):
                    if op.get(side) is not None:
                        known.add((op["role"], op["id"], canonical(op[side])))
    return known


def erased_ids(records: Iterable[Record]) -> set[tuple[str, str]]:
    """Return role and id of every memory that was erased of late: no copy may bring its text back."""
    return {(op["role"], op["id"]) for record in records for op in record.ops if op.get("do") == "erase"}


def without_erased(value: dict[str, Any], records: Iterable[Record]) -> dict[str, Any]:
    """Return a note of what went from a file without the text of memories that were erased of late: an editor may bring one back."""
    entries = value.get("entries")
    if not isinstance(entries, list):
        return value
    gone = {memory_id for role, memory_id in erased_ids(records) if role == value.get("role")}
    return {**value, "entries": [one for one in entries if one.get("id") not in gone]}


def clear_leftovers(tree: Tree, role: str, known: set[Version], erased: set[tuple[str, str]]) -> list[str]:
    """Remove temporaries that hold nothing of anybody's; return the conflict copies made of the others."""
    kept: list[str] = []
    for temporary in leftovers(tree, role):
        if temporary.endswith(UNFINISHED_SUFFIX):
            tree.remove(temporary)  # ours, and never put in place
            continue
        data = tree.read(temporary)[0]
        try:
            standing = load(tree.read(memory_file(role))[0], memory_file(role), role)
        except (FileNotFoundError, RejectedFileError):
            standing = None
        here = {(role, e.memory.id, canonical(e.element.value())) for e in standing.entries} if standing else set()
        try:
            held = load(data, temporary, role)
            gone = [e.memory for e in held.entries if (role, e.memory.id) in erased]
            if gone:
                data = held.document.with_records({(one.kind, one.id): None for one in gone}).dump()
                replace(tree, temporary, data)
                held = load(data, temporary, role)
            found = {(role, e.memory.id, canonical(e.element.value())) for e in held.entries}
            nobodys = found <= (here | known) and (not held.faults or bool(standing and standing.faults))
        except RejectedFileError:
            nobodys = False  # a whole file that nobody can read is somebody's
        if nobodys:
            tree.remove(temporary)
        else:
            kept.append(keep_aside(tree, role, temporary, data))
    return kept


def clear_known(tree: Tree) -> None:
    """Remove the temporaries of which the name tells that nobody loses what they hold, wherever memd writes files."""
    folders = [".", *(f"{ROLES}/{one.name}" for one in list_side(tree, ROLES) if one.is_dir)]
    folders += [f"{one}/books" for one in folders[1:]]
    for top in (ARCHIVE, SESSIONS, TASKS, RUNS, SKILLS, LEARNING):
        folders += [top, *(f"{top}/{one.name}" for one in list_side(tree, top) if one.is_dir)]
    folders += [
        f"{one}/{two.name}" for one in folders if one.startswith(LEARNING) for two in list_side(tree, one) if two.is_dir
    ]
    for folder in folders:
        for entry in list_side(tree, folder):
            if not (entry.name.startswith(".") and TEMPORARY_SUFFIX in entry.name):
                continue
            name = entry.name if folder == "." else f"{folder}/{entry.name}"
            data = read_side(tree, name) if entry.is_file else None
            if data is not None and is_nobodys(entry.name, data) and not tree.open_elsewhere(name):
                tree.remove(name)
    for entry in list_side(tree, ROLES):
        if entry.is_dir and entry.name.startswith(".") and entry.name.endswith(TEMPORARY_SUFFIX):
            tree.remove_dir(f"{ROLES}/{entry.name}")  # a role that was never put in its place


def clear_private(tree: Tree, folders: Iterable[str]) -> None:
    """Remove temporaries of memd's own files: nobody else writes those. One of a versioned log is `clear_logs`'."""
    for folder in folders:
        for name in _temporaries(tree, folder):
            if _named_by(name) != DECLARATIVE:
                tree.remove(name)


def clear_logs(tree: Tree, erased: set[tuple[str, str]]) -> list[str]:
    """Remove temporaries of the versioned logs that hold nothing of anybody's; return the conflict copies made of others.

    A line is nobody's loss where it stands in a log, or tells of a memory that was erased.
    """
    kept: list[str] = []
    for temporary in (*_temporaries(tree, PRIVATE), *_temporaries(tree, ARCHIVE)):
        data = read_side(tree, temporary)
        if data is None:
            continue  # it stays, and is told
        left = [] if temporary.endswith(UNFINISHED_SUFFIX) else _unknown_lines(tree, data, erased)
        if left:
            rest = b"".join(left)
            copy = conflict_copy(_named_by(temporary), rest, time.time())
            with suppress(FileExistsError):  # a kill came after it was kept
                create(tree, copy, rest)
            kept.append(copy)
        tree.remove(temporary)
    return kept


def _unknown_lines(tree: Tree, data: bytes, erased: set[tuple[str, str]]) -> list[bytes]:
    lines = [line for line in data.splitlines(keepends=True) if line.strip()]
    for role, memory_id in erased:
        lines = [kept for line in lines if (kept := without_memory(line, role, memory_id))]
    logs = [DECLARATIVE, *(f"{ARCHIVE}/{one.name}" for one in list_side(tree, ARCHIVE) if one.is_file)]
    for name in logs:
        if TEMPORARY_SUFFIX in name:
            continue
        for piece in side_pieces(tree, name):
            standing = {line.strip() for line in piece.splitlines()}
            lines = [line for line in lines if line.strip() not in standing]
    return lines


def _temporaries(tree: Tree, folder: str) -> list[str]:
    found = (one.name for one in list_side(tree, folder) if one.is_file)
    return [f"{folder}/{name}" for name in found if name.startswith(".") and TEMPORARY_SUFFIX in name]


def _named_by(temporary: str) -> str:
    """Return the file that a temporary is of."""
    folder, _, leaf = temporary.rpartition("/")
    return f"{folder}/{leaf[1:].rpartition(TEMPORARY_SUFFIX)[0].rpartition('.')[0]}"


def dropped_records(tree: Tree, records: Iterable[Record], standing: set[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return records that memd knew and that no file has now: from the audit and from the log, newest first.

    `standing`: role and id of every memory there is. What went with its whole role may stand under that one's new name.
    """
    found = {**_removed(tree), **_known(records)}
    roles, ids = {role for role, _ in standing}, {memory_id for _, memory_id in standing}
    gone = {key: value for key, value in found.items() if value is not None and key not in standing}
    lost = [value for key, value in gone.items() if key[0] in roles or key[1] not in ids]
    return sorted(lost, key=lambda one: str(one["at"]), reverse=True)


def _removed(tree: Tree) -> dict[tuple[str, str], dict[str, Any] | None]:
    """Return what went from the files of roles, as the audit has it."""
    found: dict[tuple[str, str], dict[str, Any] | None] = {}
    for name in sorted(one.name for one in list_side(tree, PRIVATE) if one.is_file and one.name.startswith("audit")):
        for line in read_lines(read_side(tree, f"{PRIVATE}/{name}") or b""):
            value = line.value or {}
            if value.get("what") == "removed_in_file":
                for entry in value.get("entries", []):
                    key = (value["role"], str(entry.get("id", "")))
                    found[key] = {"at": value.get("at"), "role": key[0], "id": key[1], "from": AUDIT, "entry": entry}
    return found


def _known(records: Iterable[Record]) -> dict[tuple[str, str], dict[str, Any] | None]:
    """Return how each memory is that the log tells of; None for what memd itself took away, on request."""
    found: dict[tuple[str, str], dict[str, Any] | None] = {}
    for record in records:
        for op in record.ops:
            if op.get("do") in ("change", "erase"):
                key = (op["role"], op["id"])
                told = {"at": record.at, "role": op["role"], "id": op["id"], "kind": op["kind"], "from": "the log"}
                found[key] = None if op.get("after") is None else {**told, "entry": op["after"]}
    return found


async def note_missing(store: Store, records: Iterable[Record], guarded: Collection[tuple[str, str]]) -> None:
    """Note in the audit what the log tells of and no file has, before the log lets go of it: a process that died noted nothing.

    `guarded`: role and id of what comes back into its file by itself. Roles that are closed are not opened for it: while the
    log has their memories, `recoverable` tells them.
    """
    known = {key: value for key, value in _known(records).items() if value is not None and key not in guarded}
    for name in {role for role, _ in known} & store.roles.keys():
        role = store.roles[name]
        held = role.elements.keys() if role.is_open else {memory_id for of, memory_id in known if of == name}
        known = {key: value for key, value in known.items() if key[0] != name or key[1] not in held}
    noted = await asyncio.to_thread(_removed, store.tree) if known else {}
    for key, value in known.items():
        if key not in noted:
            store.audit({"what": "removed_in_file", "role": key[0], "count": 1, "entries": [value["entry"]]})


def log_of(tree: Tree) -> Held | None:
    """Return what stands in the log of a workspace, None where none can be read. Blocks."""
    try:
        return read_log(tree.read(LOG)[0])
    except (FileNotFoundError, MemdError):
        return None


def _text_of(entry: dict[str, Any]) -> str:
    return str(entry.get("content") or entry.get("value") or "")


async def recoverable(store: Store) -> dict[str, Any]:
    """Return what recovery did at start, and the records that memd knew and no file has now."""
    standing = await store.roles.standing()
    held = None if store.writer.log else await asyncio.to_thread(log_of, store.tree)  # another process writes, or none
    records = held.records if held else store.writer.records()
    dropped = await asyncio.to_thread(dropped_records, store.tree, records, standing)
    told = {(name, one.content) for name, role in store.roles.items() for one in role.compiled.memories.values()}
    dropped = [
        one for one in dropped if (one["role"], _text_of(one["entry"])) not in told
    ]  # what was put back has a new id
    return {"recovered": store.writer.recovered, "dropped": dropped}
