"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.memory_views import MemoryView
from memd.client.types.plain.declared import Reply
from memd.client.types.plain.judged import JudgedTotal


class Trait(Struct, kw_only=True, omit_defaults=True):
    """A trait by its name."""

    name: str
    value: str
    keys: list[str] | None = None
    priority: int | None = None
    confidence: float | None = None
    constant: bool | None = None


class Goal(Struct, kw_only=True, omit_defaults=True):
    """A goal, by its id or by what it says."""

    value: str
    id: str | None = None
    keys: list[str] | None = None
    priority: int | None = None
    constant: bool | None = None


class UpdatedCollection(Reply, kw_only=True):
    """All traits, or all goals, of a role, and what became of them; by ids."""

    role: str
    added: list[str]
    updated: list[str]
    archived: list[str]
    scores: dict[str, JudgedTotal]
    """By id."""
    memories: list[MemoryView]
    """All of the kind, as they are now."""
