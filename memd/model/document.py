"""What search finds: one memory, one page, one event of a session, and so on.

Units
    `when_s` in seconds since the epoch; `line` counted from 1, where the document begins in its file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memd.model.memory import Kind, Memory

MEMORY_KINDS = tuple(kind.value for kind in Kind)
SEARCHED = (*MEMORY_KINDS, "curated", "page", "session", "run", "task", "skill")


@dataclass(frozen=True, slots=True)
class Document:
    """`key` is unique in the workspace; `name` is the file, and `id` what the file calls it."""

    key: str
    kind: str
    name: str
    role: str = ""
    id: str = ""
    title: str = ""
    text: str = ""
    keys: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    when_s: float | None = None
    line: int = 1

    def without_text(self) -> Document:
        """Return the same document for holding in memory: its text stays in the file."""
        return replace(self, text="")


def of_memory(role: str, memory: Memory, name: str) -> Document:
    """Return a memory as search sees it; `name` is its file."""
    return Document(
        key=memory_key(role, memory.id),
        kind=memory.kind.value,
        name=name,
        role=role,
        id=memory.id,
        title=memory.name,
        text=memory.text,
        keys=memory.keys,
        topics=memory.topics,
        tags=memory.tags,
        when_s=memory.when_s,
    )


def memory_key(role: str, memory_id: str) -> str:
    """Return the key of a memory's document."""
    return f"m:{role}:{memory_id}"


def file_key(name: str, line: int = 0) -> str:
    """Return the key of a file's document, or of one line of it."""
    return f"f:{name}:{line}" if line else f"f:{name}"
