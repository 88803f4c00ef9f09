"""What takes an import back: its memories to the archive, its books out of the role's books; what is not its own stays."""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING, Any

from memd.model.change import Change, Operation
from memd.service.care.importing import MARK
from memd.service.memory.archiving import archive_line
from memd.storage.layout import STATE
from memd.storage.replace import create

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store

ASIDE = f"{STATE}/undone"
AT_ONCE = 150  # memories archived in one operation: nobody waits for more
BOOK_BYTES = 1 << 28


async def archive_imported(store: Store, role: Role, import_id: str) -> int:
    """Archive a role's memories of an import; return how many."""
    async with role.turn:
        await store.refresh(role)
        kinds = {memory.id: memory.kind for memory in role.compiled.memories.values()}
        standing = role.standing()
        records = await asyncio.to_thread(_of_import, standing, import_id)
        changes = [Change(role.name, kinds[key], key, record, None) for key, record in records.items()]
        for at in range(0, len(changes), AT_ONCE):
            await _commit(store, role, changes[at : at + AT_ONCE])
    return len(changes)


def _of_import(standing: Any, import_id: str) -> dict[str, dict[str, Any]]:
    records = ((key, read()) for key, read in standing.items())
    return {key: record for key, record in records if record.get(MARK) == import_id}


async def _commit(store: Store, role: Role, changes: list[Change]) -> None:
    now_s = store.ports.now()

    def build(n: int) -> list[Operation]:
        gone = [(one.kind, one.id, one.before or {}) for one in changes]
        lines = [archive_line(store, role, one, "its import was undone", (n, i), now_s) for i, one in enumerate(gone)]
        return [*changes, *lines]

    await store.commit(build, at_s=now_s)


def take_out(store: Store, name: str, digest: str) -> bool:
    """Move a book that is as it was imported out of the role's books; tell whether it is out. Blocks."""
    folder = name.rpartition("/")[0]
    if not (folder.startswith("roles/") and folder.endswith("/books")) or store.tree.identify(name) is None:
        return False
    data = store.tree.read(name, BOOK_BYTES)[0]
    if hashlib.sha256(data).hexdigest() != digest:
        return False
    store.tree.make_dirs(ASIDE)
    aside = f"{ASIDE}/{digest[:12]}-{name.rpartition('/')[2]}"
    if store.tree.identify(aside) is None:
        create(store.tree, aside, data)
    store.tree.remove(name)
    return True
