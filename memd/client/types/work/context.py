"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from memd.client.types.plain.declared import Reply
from memd.client.types.plain.recall_views import Activated
from memd.client.types.work.fields import SectionView


class Context(Reply, kw_only=True):
    """The sections of a system prompt, and the messages of the history."""

    snapshot: str
    """Digest of the curated memory that stands first."""
    sections: list[SectionView]
    messages: list[dict[str, Any]]
    """Events, oldest first, as session.history has them."""
    cut: bool | None = None
    """There is more before the first message."""
    activated: list[Activated]
    """Memories that came to mind."""
    dropped_for_room: list[str]
    """Ids of those that had no room."""
    chars: int
    """Of all together."""
    session: str | None = None
    role: str | None = None
    over_budget: int | None = None
    """Characters more than the budget."""
