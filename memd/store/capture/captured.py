"""What is known, while a daemon runs, of sessions whose turns may become memories."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

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


class Conversation(NamedTuple):
    """A conversation that an agent keeps: in which file below which directory, where it was held, when it began, how large it is."""

    agent: str
    root: str
    file: str
    session: str
    directory: str
    began_s: float
    size: int


@dataclass(slots=True)
class Past:
    """How far the past is taken in: `of` so many conversations `waiting` are still to come, oldest last, and `session` is what is taken in now.

    `left`: why how many are not taken in; `why`: what stands in the way for the moment.
    """

    id: str
    of: int
    waiting: list[Conversation]
    left: dict[str, int]
    taken: int = 0
    session: str = ""
    why: str = ""

    def leave(self, why: str) -> None:
        """Count a conversation that is not taken in."""
        self.left[why] = self.left.get(why, 0) + 1


@dataclass(slots=True)
class Captured:
    """Owned by the workspace. `turn` lets one pass follow the other.

    `woken` is set where a look should not wait; `ended` are sessions whose agent has ended, for the next look; `seen` are files as they were when they were looked
    through to their end; `night` is the day (of the settings' zone) whose night has had its look; `asked` is how a model has answered;
    `past` is what is taken in of what agents keep, and `taking` is held while one conversation of it is.
    """

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    ended: set[str] = field(default_factory=set)
    seen: dict[str, Identity] = field(default_factory=dict)
    night: str = ""
    asked: AskedModel = field(default_factory=AskedModel)
    past: Past | None = None
    taking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def end(self, session: str) -> None:
        """Hear that a session has come to its end."""
        if session:
            self.ended.add(session)
            self.woken.set()
