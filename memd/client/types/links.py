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


class CommittedChange(Struct, kw_only=True, omit_defaults=True):
    """What one commit made of a memory."""

    commit: str
    """Its id; empty: not committed yet."""
    at: str
    author: str
    subject: str
    """The first line of its message."""
    how: str
    """Settled: a merge chose."""
    before: str
    """Its text, cut at 4,000 characters."""
    after: str
    fields: list[str]
    """Keys of its record that changed, but for the text."""
    withheld: str | None = None
    """Why these texts stay out of prompts."""


class Commits(Reply, kw_only=True):
    """What git has of a memory, back to the commit that it came with."""

    role: str
    id: str
    file: str
    changes: list[CommittedChange]
    looked: int
    """Commits of its file that were looked at."""
    whole: bool
    """Down to the one that it came with."""
    why: str
    """Nothing can be told: no git program, no repository, git refuses, the record has no id of its own, its file was never committed."""
    detail: str
    """What git said where it refuses."""
