"""What the daemon remembers of agents' hooks: which events it has answered, and how each conversation stands.

None of it is written down. A daemon that starts anew tells a proposal less, and a snapshot no more than once.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

CLAIMS = 4096  # events that are known to be answered
SAME_S = 5.0  # two events without a key and of the same text are one within this time
TALKS = 500
RULINGS = 128
SAID_CHARS = 200_000  # of one conversation, kept until it is looked at for proposals


@dataclass(slots=True)
class Wishes:
    """What the person in a conversation wanted of memory.

    `off`: off the record until it is back on; `silent`: this turn is not kept; `private`: nor shown; `asked`: something was to be remembered;
    `looked`: the session's own lines were asked whether it is off; `told`: what came of it and waits to be told; `work`: what is still carried out.
    """

    off: bool = False
    silent: bool = False
    private: bool = False
    asked: bool = False
    looked: bool = False
    told: list[str] = field(default_factory=list)
    work: asyncio.Task[None] | None = None


@dataclass(slots=True)
class Conversation:
    """One session of an agent: the session of memd's it goes into, what was said since the last look, what waits.

    `name`: of its session, where that is not closed; `lost`: the agent's window was compacted, and the snapshot with it;
    `unkept`: how many of the prompts no session has, since they were off the record.
    """

    name: str = ""
    session: str = ""
    prompts: int = 0
    answers: int = 0
    unkept: int = 0
    digest: str = ""
    lost: bool = False
    said: list[tuple[str, str]] = field(default_factory=list)
    waiting: list[dict[str, Any]] = field(default_factory=list)
    work: asyncio.Task[None] | None = None
    wishes: Wishes = field(default_factory=Wishes)

    def count(self, event: str) -> None:
        """Count an event that was claimed: it tells the next of the same text from this one."""
        self.prompts += event == "prompt"
        self.answers += event == "stop"

    def hear(self, speaker: str, content: str) -> None:
        """Keep what was said until it is looked at."""
        self.said.append((speaker, content[:SAID_CHARS]))
        while len(self.said) > 1 and sum(len(text) for _, text in self.said) > SAID_CHARS:
            self.said.pop(0)


@dataclass(slots=True)
class Attended:
    """Owned by the workspace. Claims are made without waiting for anything: two hooks may ask at the same moment."""

    claims: OrderedDict[str, tuple[bool, float]] = field(default_factory=OrderedDict)
    talks: OrderedDict[str, Conversation] = field(default_factory=OrderedDict)
    rulings: OrderedDict[str, asyncio.Task[dict[str, Any]]] = field(default_factory=OrderedDict)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def forget_said(self, texts: Iterable[str]) -> None:
        """Let no conversation hold, or be offered, what says an erased text."""
        gone = [text for text in texts if text]
        for talk in self.talks.values():
            talk.said[:] = [one for one in talk.said if not any(text in one[1] for text in gone)]
            talk.waiting[:] = [one for one in talk.waiting if not any(text in str(one) for text in gone)]
            talk.wishes.told[:] = [one for one in talk.wishes.told if not any(text in one for text in gone)]

    def claim(self, mark: str, now_s: float, *, for_good: bool) -> bool:
        """Tell whether an event is ours to answer: nobody did before, for good or within SAME_S. `now_s` is monotonic."""
        known = self.claims.get(mark)
        if known is not None and (known[0] or now_s - known[1] < SAME_S):
            return False
        self.claims[mark] = (for_good, now_s)
        self.claims.move_to_end(mark)
        if len(self.claims) > CLAIMS:
            self.claims.popitem(last=False)
        return True

    def give_back(self, mark: str) -> None:
        """Let an event that could not be answered be asked again."""
        self.claims.pop(mark, None)

    def talk(self, key: str) -> Conversation:
        """Return the conversation of an agent's session, a new one where it is not known."""
        talk = self.talks.get(key)
        if talk is None:
            talk = self.talks[key] = Conversation()
            if len(self.talks) > TALKS:
                self.talks.popitem(last=False)
        self.talks.move_to_end(key)
        return talk

    def rule(self, mark: str, ruling: asyncio.Task[dict[str, Any]]) -> None:
        """Keep what is ruled on a call, for the second who asks."""
        self.rulings[mark] = ruling
        if len(self.rulings) > RULINGS:
            self.rulings.popitem(last=False)

    async def finish(self, deadline_s: float) -> None:
        """Wait for what is still done behind replies."""
        if self.tasks:
            await asyncio.wait(set(self.tasks), timeout=deadline_s)
