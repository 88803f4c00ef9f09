"""What is known, while a daemon runs, of sessions whose turns may become memories, and of what hooks left while none heard them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memd.storage.leaving import SpoolError

if TYPE_CHECKING:
    from memd.storage.files import Identity
    from memd.storage.gathering import Spooling, Standing


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


# What hooks left while no daemon heard them: where it lies, who takes it in, and what came of it that waits to be told.

MOST_TOLD = 50
TOLD_CHARS = 1000
ID_CHARS, QUOTED_CHARS = 8, 100  # of a memory's id and of its text, by which a result is known to speak of it


class Result(NamedTuple):
    """What came of an event that was taken in: for the next who asks for a role, "" for whoever asks next."""

    role: str
    text: str


@dataclass(slots=True)
class Unheard:
    """Owned by the workspace. `work` is what takes in now; `turn` lets nothing be taken in while something is erased.

    `not_before_s` (monotonic): what failed is not tried again before; `skipped` are files that could not even be set aside;
    `changed`: `told` is other than what is on the disk.
    """

    spooling: Spooling
    work: asyncio.Task[None] | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    not_before_s: float = 0.0
    told: list[Result] = field(default_factory=list)
    skipped: set[str] = field(default_factory=set)
    looked: bool = False
    changed: bool = False

    def has_news(self) -> bool:
        """Tell whether anything waits that can be taken in, or something waits to be told of before the first look. Cheap."""
        if not self.looked:
            return self.spooling.is_there()
        try:
            return not self.spooling.news() <= self.skipped
        except SpoolError:
            return True  # who takes in says why it cannot be used

    def standing(self) -> Standing:
        """Return how the spool stands. Blocks."""
        return self.spooling.standing()

    def load(self) -> None:
        """Know again what waited to be told when the daemon before this one ended. Blocks."""
        self.looked = True
        try:
            lines = json.loads(self.spooling.read_told() or b"[]")
            known = [Result(str(role)[:200], str(text)[:TOLD_CHARS]) for role, text in lines]
        except (ValueError, TypeError, RecursionError):
            return
        self.told[:0] = known[-MOST_TOLD:]

    def tell(self, found: list[Result]) -> None:
        """Let something wait until it is told, durably; of the same it is there once. Blocks."""
        new = [one._replace(text=one.text[:TOLD_CHARS]) for one in found]
        self.told += [one for one in dict.fromkeys(new) if one not in self.told]
        del self.told[:-MOST_TOLD]
        self.save()

    def save(self) -> None:
        """Put down what waits to be told. Blocks."""
        self.changed = False
        self.spooling.write_told(json.dumps(self.told).encode() if self.told else b"")

    def take(self, role: str) -> list[Result]:
        """Return what is told now to who asks for a role; it waits no longer."""
        found = [one for one in self.told if one.role in ("", role)]
        self.give_back([], found)
        return found

    def give_back(self, found: list[Result], taken: Sequence[Result] = ()) -> None:
        """Let what was not told after all be told to the next, and what was `taken` to nobody any more."""
        self.told[:] = [*found, *(one for one in self.told if one not in taken)]
        self.changed = self.changed or bool(found or taken)

    def forget(self, memory_id: str, texts: Sequence[str]) -> None:
        """Tell nobody any more what came of a memory that is erased, nor what it says. Blocks."""
        if not self.looked:
            self.load()
        said = (memory_id[:ID_CHARS], *(" ".join(one.split())[:QUOTED_CHARS] for one in texts))
        left = [one for one in self.told if not any(words and words in one.text for words in said)]
        if len(left) < len(self.told):
            self.told[:] = left
            self.save()
