"""Memories by their records: found by the beginning of an id, and moved to the archive, where a line has the whole record and why."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from memd.engine.keep.aging import worth_now
from memd.errors import LimitExceededError, MemoryAmbiguousError, MemoryUnknownError
from memd.errors.remembering import LEAST_PREFIX
from memd.formats.strict_json import canonical, dumps
from memd.model.change import Change, Line, Operation
from memd.storage.layout import archive_file
from memd.text.clauses import clauses

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


# Make room before a limit stops anything: each limit in its own order, and nothing that matters is deleted.
#
# `.memory/` gives up rotated audit first, then old score records (store/room). A role gives up expired memories, then superseded
# ones, then the least worth (score, age and use; never constants), into the archive.

__all__ = ["BESIDE", "ENTRY_BYTES", "least_worth", "room_in_role", "size_of"]

ENTRY_BYTES = 64  # of a record's frame in its file
BESIDE = 0.5  # of a role's limit that other files may take before its memories give way to them no more
SPARE = 0.02  # of a limit that relief frees beyond what is needed, so that not every store has to


def room_in_role(store: Store, role: Role, added_bytes: int, now_s: float, *, more: int = 1) -> list[Memory]:
    """Return the memories that must go to the archive for `more` of this size; LimitExceededError where none help."""
    limits = store.settings_of(role).limits
    try:
        store.room.check_role(role, limits, added_bytes, more)
    except LimitExceededError:
        if role.file.extra_bytes > limits.role_bytes * BESIDE:
            raise  # what lies beside the memories is not theirs to make up for
        count = len(role.compiled.memories) + more - limits.role_memories
        excess = role.file.bytes + role.file.extra_bytes + role.unsaved.waiting_bytes + added_bytes - limits.role_bytes
        spare_count = int(limits.role_memories * SPARE) if count > 0 else 0
        spare_bytes = int(limits.role_bytes * SPARE) if excess > 0 else 0
        chosen = least_worth(store, role, max(0, count) + spare_count, excess + spare_bytes, now_s)
        freed = sum(size_of(role, one) for one in chosen)
        if len(chosen) < count or freed < excess:
            raise
        return chosen
    return []


def least_worth(store: Store, role: Role, count: int, size: int, now_s: float) -> list[Memory]:
    """Return memories to give up, in their order, until so many and so many bytes are reached; constants never."""
    uses = store.recalled.uses.get(role.name, {})

    def key(memory: Memory) -> tuple[bool, bool, float, str]:
        times, used_s = uses.get(memory.id, (0, None))
        # What was superseded goes before what took its place: else it would come back.
        return (
            not memory.is_expired(now_s),
            not memory.superseded_by,
            worth_now(memory, times, used_s, now_s),
            memory.id,
        )

    chosen: list[Memory] = []
    freed = 0
    for memory in sorted((one for one in role.compiled.memories.values() if not one.constant), key=key):
        if len(chosen) >= count and freed >= size:
            break
        chosen.append(memory)
        freed += size_of(role, memory)
    return chosen


def size_of(role: Role, memory: Memory) -> int:
    """Return how many bytes a memory takes in its file, about."""
    return len(dumps(role.raw(memory.kind, memory.id) or {}).encode()) + ENTRY_BYTES


def find(role: Role, memory_id: str) -> Memory:
    """Return the memory with this id or a beginning of it."""
    found = role.compiled.memories.get(memory_id)
    return found or role.compiled.memories[resolve(role.name, memory_id, tuple(role.compiled.memories))]


def resolve(role: str, memory_id: str, known: tuple[str, ...]) -> str:
    """Return the one known id that begins like this, or raise MemoryUnknownError or MemoryAmbiguousError."""
    if memory_id in known:
        return memory_id
    fits = tuple(one for one in known if len(memory_id) >= LEAST_PREFIX and one.startswith(memory_id))
    if not fits:
        raise MemoryUnknownError(role, memory_id)
    if len(fits) > 1:
        raise MemoryAmbiguousError(memory_id, len(fits), ", ".join(fits[:5]))
    return fits[0]


def raw_of(role: Role, memory: Memory) -> dict[str, Any]:
    """Return the record of a memory as it is now."""
    raw = role.raw(memory.kind, memory.id)
    if raw is None:
        raise MemoryUnknownError(role.name, memory.id)
    return raw


def text_before(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the last text that a record had before its own, with `until` when; None where it had none."""
    history = record.get("history")
    past = history[-1] if isinstance(history, list) and history else None
    return past if isinstance(past, dict) and isinstance(past.get("content"), str) else None


def with_id(record: Mapping[str, Any], memory_id: str) -> dict[str, Any]:
    """Return a copy of a record that has its id written in it."""
    return dict(record) if record.get("id") else {"id": memory_id, **record}


def digest_of(record: Mapping[str, Any]) -> str:
    """Return the sha256 of a record's canonical JSON."""
    return hashlib.sha256(canonical(record)).hexdigest()


def statements_of(memory: Memory, digests: Collection[str]) -> list[str]:
    """Return the statements of a memory that have these digests."""
    return [one.said for one in clauses(memory.content) if one.digest in digests] if digests else []
