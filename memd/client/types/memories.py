"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.client.types.history import Past
from memd.client.types.memory_views import Aging, ListedMemory, MemoryView
from memd.client.types.plain.declared import Reply


class JudgedAgain(Struct, kw_only=True, omit_defaults=True):
    """What became of a text that words judged alone."""

    offer: str
    """The id that the provisional reply told."""
    provisional: bool
    """It is still to be judged again."""
    was: str
    """What words said, as `verdict` has it."""
    became: str
    """Stands, stored, superseding, refined, duplicate, redacted, waiting or dropped; empty: not judged yet."""
    why: str
    at: str
    """Since when it is so."""
    memory: str | None = None
    """That has it now."""
    inbox: str | None = None
    """Under which it waits."""


class FoundMemory(MemoryView, kw_only=True):
    """A memory with its record; or, by the id of an offer that words judged alone and that is none, its text and what became of it."""

    judged: JudgedAgain | None = None
    """Where a provisional verdict was asked for."""
    role: str
    record: dict[str, Any] | None = None
    """As its file has it; not for a model where it is withheld."""
    digest: str
    """Of the record's canonical JSON."""
    file: str
    access_count: int
    """How often it came to mind."""
    last_access: str | None = None
    expired: bool | None = None
    """Its time is over."""
    withheld: str | None = None
    """Why it stays out of prompts."""
    history: list[Past] | None = None
    """Oldest first."""
    aging: Aging | None = None
    """With `history`."""


class Memories(Reply, kw_only=True):
    """Some of a role's memories."""

    role: str
    total: int
    """How many there are with such a kind and tag."""
    memories: list[ListedMemory]
    as_of: str | None = None
    """The time that was asked about."""
    notes: list[str] | None = None
    """What nobody can tell of then."""
