"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from memd.client.types.plain.declared import Reply
from memd.client.types.work.session_views import AppendedEvent


class RunEvents(Reply, kw_only=True):
    """Events that were appended, durably, and how many tool iterations are left."""

    run: str
    session: str
    events: list[AppendedEvent]
    iterations: int
    max_tool_iterations: int
    left: int
