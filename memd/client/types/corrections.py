"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

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
