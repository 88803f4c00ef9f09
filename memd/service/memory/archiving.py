"""Move memories to the archive: out of their role, into a line that has the whole record and the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from memd.model.change import Change, Line, Operation
from memd.storage.layout import archive_file

if TYPE_CHECKING:
    from memd.model.memory import Kind, Memory
    from memd.store.role.role import Role
    from memd.store.store import Store


def removals(
    store: Store,
    role: Role,
    memories: Iterable[Memory],
    reason: str,
    n: int,
    now_s: float,
    *,
    told: Mapping[str, Any] | None = None,
) -> list[Operation]:
    """Return the operations of batch `n` that move memories to the archive; `told` goes into their lines."""
    operations: list[Operation] = []
    for position, memory in enumerate(memories):
        before = role.raw(memory.kind, memory.id) or {}
        operations.append(Change(role.name, memory.kind, memory.id, before, None))
        operations.append(
            archive_line(store, role, (memory.kind, memory.id, before), reason, (n, position), now_s, told)
        )
    return operations


def archive_line(
    store: Store,
    role: Role,
    one: tuple[Kind, str, Mapping[str, Any]],
    reason: str,
    key: tuple[int, int],
    now_s: float,
    told: Mapping[str, Any] | None = None,
) -> Line:
    """Return the line of one record, given as kind, id and record; `key` is its batch and its place in it."""
    kind, memory_id, record = one
    value = {
        "i": key[1],
        "what": "forgotten",
        "role": role.name,
        "kind": kind.value,
        "id": memory_id,
        "reason": reason,
        **(told or {}),
        "entry": dict(record) if record.get("id") else {**record, "id": memory_id},
    }
    return store.record(archive_file(now_s), key[0], value, now_s)
