"""Find memories: by the beginning of an id, with their records, in the archive."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from memd.errors import MemoryAmbiguousError, MemoryUnknownError
from memd.errors.remembering import LEAST_PREFIX
from memd.formats.strict_json import canonical
from memd.text.clauses import clauses

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.store.role.role import Role


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


def with_id(record: Mapping[str, Any], memory_id: str) -> dict[str, Any]:
    """Return a copy of a record that has its id written in it."""
    return dict(record) if record.get("id") else {"id": memory_id, **record}


def digest_of(record: Mapping[str, Any]) -> str:
    """Return the sha256 of a record's canonical JSON."""
    return hashlib.sha256(canonical(record)).hexdigest()


def statements_of(memory: Memory, digests: Collection[str]) -> list[str]:
    """Return the statements of a memory that have these digests."""
    return [one.said for one in clauses(memory.content) if one.digest in digests] if digests else []
