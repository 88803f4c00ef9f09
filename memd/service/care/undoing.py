"""What takes an import back: its memories to the archive, its books out of the role's books; what is not its own stays."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

from memd.model.change import Change, Operation
from memd.service.care.importing import MARK
from memd.service.memory.archiving import archive_line
from memd.service.role import Role
from memd.service.workspace import Workspace
from memd.storage.layout import STATE
from memd.storage.replace import create

ASIDE = f"{STATE}/undone"
AT_ONCE = 150  # memories archived in one operation: nobody waits for more
BOOK_BYTES = 1 << 28


async def archive_imported(workspace: Workspace, role: Role, import_id: str) -> int:
    """Archive a role's memories of an import; return how many."""
    async with role.turn:
        await workspace.refresh(role)
        kinds = {memory.id: memory.kind for memory in role.compiled.memories.values()}
        standing = role.standing()
        records = await asyncio.to_thread(_of_import, standing, import_id)
        changes = [Change(role.name, kinds[key], key, record, None) for key, record in records.items()]
        for at in range(0, len(changes), AT_ONCE):
            await _commit(workspace, role, changes[at : at + AT_ONCE])
    return len(changes)


def _of_import(standing: Any, import_id: str) -> dict[str, dict[str, Any]]:
    records = ((key, read()) for key, read in standing.items())
    return {key: record for key, record in records if record.get(MARK) == import_id}


async def _commit(workspace: Workspace, role: Role, changes: list[Change]) -> None:
    now_s = workspace.ports.now()

    def build(n: int) -> list[Operation]:
        gone = [(one.kind, one.id, one.before or {}) for one in changes]
        lines = [
            archive_line(workspace, role, one, "its import was undone", (n, i), now_s) for i, one in enumerate(gone)
        ]
        return [*changes, *lines]

    await workspace.commit(build, at_s=now_s)


def take_out(workspace: Workspace, name: str, digest: str) -> bool:
    """Move a book that is as it was imported out of the role's books; tell whether it is out. Blocks."""
    folder = name.rpartition("/")[0]
    if not (folder.startswith("roles/") and folder.endswith("/books")) or workspace.tree.identify(name) is None:
        return False
    data = workspace.tree.read(name, BOOK_BYTES)[0]
    if hashlib.sha256(data).hexdigest() != digest:
        return False
    workspace.tree.make_dirs(ASIDE)
    aside = f"{ASIDE}/{digest[:12]}-{name.rpartition('/')[2]}"
    if workspace.tree.identify(aside) is None:
        create(workspace.tree, aside, data)
    workspace.tree.remove(name)
    return True
