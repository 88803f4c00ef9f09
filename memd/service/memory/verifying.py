"""verify: prove that a memory is on disk, as it was told, and since when. Files are read anew; nothing is taken on trust."""

from __future__ import annotations

import asyncio
from typing import Any

from memd.errors import MemoryUnknownError, RejectedFileError, StorageError
from memd.formats.promptx import line_key
from memd.formats.records import read_lines
from memd.formats.role_reader import load
from memd.formats.times import to_iso
from memd.service.memory.records import archived_in, digest_of, find, resolve
from memd.service.workspace import Workspace
from memd.storage.files import Tree
from memd.storage.layout import ARCHIVE, DECLARATIVE, DECLARED, SCORES, memory_file
from memd.storage.side import list_side, read_side


async def verify(workspace: Workspace, role_name: str, memory_id: str, digest: str = "") -> dict[str, Any]:
    """Return what the files say of a memory; `digest` is what was told, else the score records are asked for it."""
    role = await workspace.role(role_name)
    async with role.turn:
        await workspace.refresh(role)
        known = role.compiled.memories
        archived = await asyncio.to_thread(archived_in, workspace, role.name, workspace.waiting_lines(ARCHIVE))
        chosen = resolve(role.name, memory_id, (*known, *archived))
        memory = find(role, chosen) if chosen in known else None
        waiting = any(one.id == chosen for _, one in role.pending)
    on_disk = await asyncio.to_thread(_on_disk, workspace.tree, role.name, chosen)
    told = digest or await asyncio.to_thread(_told, workspace.tree, role.name, chosen)
    declared = await asyncio.to_thread(_declared, workspace.tree, chosen)
    state = "in its file" if on_disk else "in the log, not in its file yet" if waiting else ""
    if not state:
        state = "in the archive" if chosen in archived else ""
    if not state:
        raise MemoryUnknownError(role.name, memory_id)
    reply: dict[str, Any] = {
        "id": chosen,
        "role": role.name,
        "on_disk": on_disk is not None,
        "state": state,
        "file": memory_file(role.name),
        "digest": digest_of(on_disk) if on_disk else "",
        "told": told,
        "as_told": None if not told or on_disk is None else digest_of(on_disk) == told,
        "declared": declared,
    }
    if memory is not None:
        reply["since"] = to_iso(memory.when_s) if memory.when_s is not None else ""
        reply["superseded_by"] = memory.superseded_by
        reply["content"] = memory.content
    return reply


def _on_disk(tree: Tree, role: str, memory_id: str) -> dict[str, Any] | None:
    try:
        parsed = load(tree.read(memory_file(role))[0], memory_file(role), role)
    except (FileNotFoundError, StorageError, RejectedFileError):
        return None
    return next((one.element.value() for one in parsed.entries if one.memory.id == memory_id), None)


def _told(tree: Tree, role: str, memory_id: str) -> str:
    """Return the digest that the last score record of this memory has."""
    mark = memory_id.encode()
    for name in sorted((one.name for one in list_side(tree, SCORES) if one.is_file), reverse=True):
        data = read_side(tree, f"{SCORES}/{name}") or b""
        if mark not in data:
            continue
        lines = [one.value for one in read_lines(data) if one.value and one.value.get("id") == memory_id]
        for value in reversed(lines):
            if value.get("role") == role and isinstance(value.get("digest"), str):
                return str(value["digest"])
    return ""


def _declared(tree: Tree, memory_id: str) -> dict[str, Any] | None:
    """Return the first line of declarative.md, or of an earlier year's, about a memory: its number, day and time."""
    mark = line_key(memory_id) + " "
    years = sorted((f"{ARCHIVE}/{one.name}" for one in list_side(tree, ARCHIVE)), reverse=True)
    for name in (DECLARATIVE, *(one for one in years if one.startswith(DECLARED))):
        for number, line in enumerate((read_side(tree, name) or b"").decode("utf-8", "replace").split("\n"), 1):
            if mark in line:
                return {"file": name, "line": number, "at": line.removeprefix("- ")[:16]}
    return None
