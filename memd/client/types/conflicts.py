"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class ConflictSide(Struct, kw_only=True, omit_defaults=True):
    """One of two memories that conflict."""

    id: str
    content: str
    at: str | None = None
    """Since when it is remembered."""


class ConflictView(Struct, kw_only=True, omit_defaults=True):
    """Two memories of which one may not hold any more; both come to mind meanwhile."""

    id: str
    role: str
    newer: ConflictSide
    older: ConflictSide
    why: str
    sure: float | None = None
    """How sure it is that they conflict, 0 to 1."""


class SettledConflict(Reply, kw_only=True):
    """A conflict that a person settled."""

    id: str
    role: str
    standing: list[str]
    """Ids of the memories that hold."""
    hint: str
    """How it is taken back."""
