"""What is known, while a daemon runs, of sessions whose turns may become memories."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memd.storage.files import Identity


@dataclass(slots=True)
class AskedModel:
    """How the model that this machine names has answered: `trouble` is why it did not, "" where it did; until when it is left alone."""

    failures: int = 0
    rests_until_s: float = 0.0  # of the monotonic clock
    trouble: str = ""

    def fail(self, now_s: float, why: str, first_s: float, most_s: float) -> None:
        """Leave it alone, each time twice as long."""
        self.rests_until_s = now_s + min(most_s, first_s * 2.0 ** min(self.failures, 20))
        self.failures, self.trouble = self.failures + 1, why

    def succeed(self) -> None:
        """It answers."""
        self.failures, self.rests_until_s, self.trouble = 0, 0.0, ""


@dataclass(slots=True)
class Captured:
    """Owned by the workspace. `turn` lets one pass follow the other.

    `woken` is set where a look should not wait; `ended` are sessions whose agent has ended, for the next look; `seen` are files as they were when they were looked
    through to their end; `night` is the day (of the settings' zone) whose night has had its look; `asked` is how a model has answered.
    """

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    ended: set[str] = field(default_factory=set)
    seen: dict[str, Identity] = field(default_factory=dict)
    night: str = ""
    asked: AskedModel = field(default_factory=AskedModel)

    def end(self, session: str) -> None:
        """Hear that a session has come to its end."""
        if session:
            self.ended.add(session)
            self.woken.set()
