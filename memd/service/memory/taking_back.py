"""undo: take back the last decision about a memory, in one acknowledged step; what somebody edited since is left."""

from __future__ import annotations

import asyncio
from typing import Any

from memd.errors import NothingToUndoError, StorageError
from memd.formats.records import read_lines
from memd.service.memory.decisions import Known, decisions_about
from memd.service.memory.records import archived_in, resolve, view
from memd.service.role import Role
from memd.service.workspace import Workspace
from memd.storage.layout import ARCHIVE, AUDIT, PRIVATE

DUPLICATE = "duplicate"  # what lines of the audit log say


async def undo(workspace: Workspace, role_name: str, memory_id: str) -> dict[str, Any]:
    """Take back the last decision about a memory: supersede, duplicate, refine, fold or archive.

    `memory_id` may be of either side. Errors: NothingToUndoError where none is known, EditedSinceError where it would
    overwrite what somebody wrote since.
    """
    role = await workspace.role(role_name)
    async with role.turn:
        await workspace.refresh(role)
        archived = await asyncio.to_thread(archived_in, workspace, role.name, workspace.waiting_lines(ARCHIVE))
        chosen = resolve(role.name, memory_id, tuple(dict.fromkeys([*role.compiled.memories, *archived])))
        duplicates = await asyncio.to_thread(_duplicates, workspace, role, workspace.waiting_lines(AUDIT))
        now_s = workspace.ports.now()
        known = Known(workspace, role, archived, duplicates, now_s)
        last = next(iter(decisions_about(known, chosen)), None)
        if last is None or not last.word:
            raise NothingToUndoError(chosen, _why_not(last is not None))
        plan = last.plan()
        done = workspace.commit(plan.build, at_s=now_s)
        reply = {
            "id": chosen,
            "role": role.name,
            "took_back": last.word,
            "standing": [view(role.compiled.memories[one]) for one in plan.stands if one in role.compiled.memories],
            **plan.told,
            "hint": plan.hint,
        }
    await done
    return reply


def _why_not(unfolded: bool) -> str:
    if unfolded:
        return "it stood for several until its fold was taken back"
    return (
        "it took no place, lost none, and nothing was added to it; repetitions are known from .memory/audit.jsonl only"
    )


def _duplicates(workspace: Workspace, role: Role, waiting: list[str]) -> tuple[dict[str, Any], ...]:
    """Return what the audit log has of texts that were taken for repetitions, the rotated ones too. Blocks."""
    names = [one.name for one in workspace.tree.entries(PRIVATE) if one.is_file and one.name.startswith("audit")]
    texts: list[bytes] = []
    for name in names:
        try:
            texts.append(workspace.tree.read(f"{PRIVATE}/{name}")[0])
        except (FileNotFoundError, StorageError):
            continue  # rotated away meanwhile, or not to be read: what it knew is not known
    values = (line.value for text in (*texts, "".join(waiting).encode()) for line in read_lines(text))
    return tuple(
        one
        for one in values
        if one
        and one.get("what") == DUPLICATE
        and one.get("role") == role.name
        and isinstance(one.get("entries"), list)
    )
