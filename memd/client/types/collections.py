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


class RefusedPut(Struct, kw_only=True, omit_defaults=True):
    """One that was not put: the gate's floor stopped it, or it waits for a person."""

    name: str | None = None
    value: str
    total: float
    """0 to 10."""
    reason: str
    hint: str
    """What would change it."""
    review: str | None = None
    """Under which it waits for a person, for review.decide."""


class UpdatedCollection(Reply, kw_only=True):
    """All traits, or all goals, of a role, and what became of them; by ids."""

    role: str
    added: list[str]
    updated: list[str]
    archived: list[str]
    scores: dict[str, JudgedTotal]
    """By id."""
    refused: list[RefusedPut] | None = None
    """Those that were not put."""
    memories: list[MemoryView]
    """All of the kind, as they are now."""
