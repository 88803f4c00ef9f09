"""Which memories of a role the full-text index does not have as they are, told by digests."""

from __future__ import annotations

from collections.abc import Mapping

from memd.formats.documents import digest_of
from memd.model.document import memory_key, of_memory
from memd.model.memory import Memory
from memd.storage.layout import memory_file


def differing(
    role: str, memories: Mapping[str, Memory], documents: Mapping[str, bytes], asked: frozenset[str] | None
) -> set[str]:
    """Return the ids whose document is not the one that was indexed; of all, or of those asked about."""
    name = memory_file(role)
    found: set[str] = set()
    for memory_id in memories if asked is None else asked:
        memory = memories.get(memory_id)
        digest = digest_of(of_memory(role, memory, name)) if memory else None
        if documents.get(memory_key(role, memory_id)) != digest:
            found.add(memory_id)
    if asked is None:
        begin = memory_key(role, "")
        found |= {key[len(begin) :] for key in documents} - memories.keys()
    return found
