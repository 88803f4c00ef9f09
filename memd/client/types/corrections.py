"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.memory_views import MemoryView
from memd.client.types.plain.declared import Reply


class UpdatedMemory(MemoryView, kw_only=True):
    """A memory as it is now."""

    role: str
    digest: str
    """Of the record's canonical JSON."""


class ForgottenMemory(Reply, kw_only=True):
    """A memory that is gone."""

    id: str
    role: str
    archived: str | None
    """The archive's file that has it."""
    erased: bool
    remains: str | None = None
    """What erasing does not reach."""
    also_in: list[str] | None = None
    """Files that have the text too, 20 at most."""


class RestoredMemory(MemoryView, kw_only=True):
    """A memory that is back."""

    role: str


class Declared(Struct, kw_only=True, omit_defaults=True):
    """The line that told of a memory when it was stored."""

    file: str
    line: int
    at: str
    """Day and time."""


class Proof(Reply, kw_only=True):
    """What the files say of a memory."""

    id: str
    role: str
    on_disk: bool
    state: str
    """In its file; in the log, not in its file yet; in the archive."""
    file: str
    digest: str
    """Of the record in its file; empty where it is not there."""
    told: str
    """The digest that was given, or that the score records have."""
    as_told: bool | None
    """Null where nothing is known."""
    declared: Declared | None
    since: str | None = None
    superseded_by: str | None = None
    """What took its place."""
    content: str | None = None
