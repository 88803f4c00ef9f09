"""MEMORY.md and USER.md: what they say, read again only when they change, and what may stand in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.errors import StorageError
from memd.formats.curated import statements
from memd.storage.layout import CURATED

if TYPE_CHECKING:
    from memd.model.settings import LimitSettings
    from memd.storage.files import Identity, Tree

CURATED_BYTES = 1_000_000


@dataclass(slots=True)
class Curated:
    """What the curated files say; one that cannot be read says nothing."""

    identities: dict[str, Identity | None] = field(default_factory=dict)
    said: dict[str, list[str]] = field(default_factory=dict)

    def look(self, tree: Tree) -> list[str]:
        """Return every statement of both files."""
        for name in CURATED:
            try:
                identity = tree.identify(name)
                if name not in self.identities or identity != self.identities[name]:
                    text = tree.read(name, CURATED_BYTES)[0].decode("utf-8", "replace") if identity else ""
                    self.said[name] = statements(text)
                    self.identities[name] = identity
            except (StorageError, FileNotFoundError):
                self.said[name] = []
        return [one for name in CURATED for one in self.said[name]]


def limit_chars(limits: LimitSettings, name: str) -> int:
    """Return how many characters tools may write to a curated file."""
    return limits.memory_md_chars if name == "MEMORY.md" else limits.user_md_chars


def chars_of(text: str) -> int:
    """Return the characters of a curated file that count: all but the white space around it."""
    return len(text.strip())
