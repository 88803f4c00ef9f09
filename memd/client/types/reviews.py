"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.conflicts import ConflictView
from memd.client.types.plain.declared import Reply


class HeldText(Struct, kw_only=True, omit_defaults=True):
    """A text that waits: what its file says of it, which may be a stranger's, so that any but the text may be lacking."""

    id: str | None = None
    role: str | None = None
    kind: str | None = None
    content: str
    fields: dict[str, str | int | bool | list[str]] | None = None
    """What else would be stored."""
    why: str
    """What is found in it."""
    source: str | None = None
    """Who offered it."""
    session: str | None = None
    at: str | None = None
    """Since when it waits."""
    chars: int
    """Of the text as JSON."""


class WaitingText(Struct, kw_only=True, omit_defaults=True):
    """A text in the inbox: it was offered, and was not sure to be worth keeping."""

    id: str
    role: str | None = None
    kind: str | None = None
    content: str
    fields: dict[str, str | int | bool | list[str]] | None = None
    """What else would be stored."""
    total: float
    """As it was judged, 0 to 10."""
    why: str
    """It was not kept."""
    source: str | None = None
    """Who offered it."""
    session: str | None = None
    at: str | None = None
    """Since when it waits."""


class WithheldMemory(Struct, kw_only=True, omit_defaults=True):
    """A memory in a role's file that does not stand in prompts."""

    id: str
    role: str
    content: str
    why: str


class Reviews(Reply, kw_only=True):
    """What waits for a person, by kinds: of each the same part, `limit` after `offset`."""

    total: int
    """How many there are of all kinds that were asked for."""
    totals: dict[str, int]
    """Of each kind, by its key."""
    held: list[HeldText]
    """Oldest first."""
    waiting: list[WaitingText] | None = None
    """The inbox, nearest to the edge first."""
    conflicts: list[ConflictView] | None = None
    """Memories that say otherwise than others, the latest first."""
    withheld: list[WithheldMemory] | None = None
    """Where `memories` was asked."""
