"""What is known, while a daemon runs, of sessions whose turns may become memories."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memd.storage.files import Identity


@dataclass(slots=True)
class Captured:
    """Owned by the workspace. `turn` lets one pass follow the other.

    `woken` is set where a look should not wait; `ended` are sessions whose agent has ended, for the next look; `seen` are files as they were when they were looked
    through to their end; `night` is the day (of the settings' zone) whose night has had its look.
    """

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    ended: set[str] = field(default_factory=set)
    seen: dict[str, Identity] = field(default_factory=dict)
    night: str = ""

    def end(self, session: str) -> None:
        """Hear that a session has come to its end."""
        if session:
            self.ended.add(session)
            self.woken.set()
