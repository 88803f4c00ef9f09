"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.memory_views import MemoryView
from memd.client.types.plain.declared import Reply


class LinkedMemory(Reply, kw_only=True):
    """Two memories that are related."""

    role: str
    id: str
    to: str
    relation: str


class PlaceTaken(Struct, kw_only=True, omit_defaults=True):
    """What a memory had taken the place of."""

    supersedes: list[str]
    covers: list[str]
    """Digests of the statements; none: all of them."""


class UndoneDecision(Reply, kw_only=True):
    """A decision that was taken back."""

    id: str
    role: str
    took_back: str
    """Supersede, refine, duplicate, fold, constant, archive, both hold, keep, drop or judge again."""
    standing: list[MemoryView]
    """The memories that stand by it."""
    by: str | None = None
    """Who had taken the place."""
    had: PlaceTaken | None = None
    stored: str | None = None
    """What stands by itself now."""
    archived: str | None = None
    """What stood for those that are back."""
    hint: str
    """How it is done again."""
