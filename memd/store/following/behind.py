"""What the full-text index does not have as it is: memories of a role, documents of a file, events of a growing session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memd.formats.documents import digest_of
from memd.model.search import memory_key, of_memory
from memd.storage.files import Identity
from memd.storage.layout import memory_file

if TYPE_CHECKING:
    from memd.formats.derived import IndexedFile
    from memd.model.memory import Memory
    from memd.store.reading.library import Held


def differing(
    role: str, memories: Mapping[str, Memory], documents: Mapping[str, bytes], asked: frozenset[str] | None
) -> set[str]:
    """Return the ids whose document is not the one that was indexed; of all, or of those asked about."""
    name = memory_file(role)
    found: set[str] = set()
    for memory_id in memories if asked is None else asked:
        memory = memories.get(memory_id)
        digest = digest_of(of_memory(role, memory.as_written(), name)) if memory else None
        if documents.get(memory_key(role, memory_id)) != digest:
            found.add(memory_id)
    if asked is None:
        begin = memory_key(role, "")
        found |= {key[len(begin) :] for key in documents} - memories.keys()
    return found


def differs(known: IndexedFile | None, held: Held) -> bool:
    """Tell whether the index has other documents of a file than the file has."""
    if known is None:
        return bool(held.digests)
    if held.growth is not None and known.identity == held.identity:
        return False  # a session has too many documents to compare them where its state says enough
    return known.documents != held.digests


def grown_from(known: IndexedFile | None, held: Held | None) -> int | None:
    """Return how many of a session's documents the index has, where all others were appended since; else None."""
    if held is None or held.growth is None:
        return None
    if known is None:
        return 0 if not held.growth.start else None
    had = held.growth.states.get(Identity(*known.identity))
    return had if had == len(known.documents) else None


def lacking(known: IndexedFile | None, held: Held | None) -> int:
    """Return how many documents of a changed file the index does not have as they are; at least the file itself."""
    had = grown_from(known, held)
    if had is not None and held is not None:
        return max(1, len(held.digests) - had)
    now, before = held.digests if held else {}, known.documents if known else {}
    return sum(now.get(key) != before.get(key) for key in now.keys() | before.keys()) or 1


def let_go(files: Mapping[str, IndexedFile], held: Mapping[str, Held]) -> None:
    """Let go of the texts of appended events that the index has now."""
    for name, one in held.items():
        if one.growth and one.growth.late and (had := grown_from(files.get(name), one)) is not None:
            one.growth.let_go(had)
