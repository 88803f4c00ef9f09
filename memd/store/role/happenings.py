"""What changes in a workspace, told to whoever listens: a little later, and what is one thing told as one.

Owned by the event loop. Nothing is kept for those who come later: who was away asks for the state anew. Only of what came to
mind and what became of texts (RECENT) the last are kept, in memory alone: there is no state to ask for.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from memd.model.files import Purpose, purpose_of, role_of

TOPICS = ("memory", "curated", "file", "role", "settings")
RECENT = ("recalls", "verdicts")  # told to those who name them
WAIT_S = 0.05  # a burst is one event
MOST_IDS = 200  # of one event; where more changed, it says so

Happening = dict[str, Any]


@dataclass(slots=True)
class Happenings:
    """Costs nothing while nobody listens. A listener takes one happening: `topic`, and what is of it.

    `watchers` take what is RECENT; `number` is that of the last, greater than all before, also those of a daemon before.
    """

    listeners: list[Callable[[Happening], None]] = field(default_factory=list)
    watchers: list[Callable[[Happening], None]] = field(default_factory=list)
    number: int = 0
    _recent: dict[str, deque[tuple[Happening, Callable[[], str]]]] = field(default_factory=dict)
    _memories: dict[str, dict[str, None] | None] = field(default_factory=dict)
    _others: dict[tuple[str, str], Happening] = field(default_factory=dict)
    _timer: asyncio.TimerHandle | None = None

    def memory(self, role: str, memory_id: str) -> None:
        """Note that a memory of a role is other than it was."""
        if not self.listeners:
            return
        ids = self._memories.setdefault(role, {})
        if ids is not None:
            ids[memory_id] = None
        self._soon()

    def memories(self, role: str) -> None:
        """Note that so many memories of a role changed that nobody counted them."""
        if self.listeners:
            self._memories[role] = None
            self._soon()

    def files(self, names: Iterable[str]) -> None:
        """Note that files beside the roles' memories say something else now."""
        for name in names if self.listeners else ():
            purpose = purpose_of(name)
            topic = "curated" if purpose is Purpose.CURATED else "file"
            shown = {"topic": topic, "name": name, "kind": purpose.value if purpose else "", "role": role_of(name)}
            self._note(topic, name, shown)

    def role(self, name: str, *, there: bool) -> None:
        """Note that a role came or went."""
        self._note("role", name, {"topic": "role", "role": name, "there": there})

    def settings(self) -> None:
        """Note that other settings are in force."""
        self._note("settings", "", {"topic": "settings"})

    def recently(self, happening: Happening, most: int, now_s: float, said: Callable[[], str] = str) -> None:
        """Tell what came to mind, or what became of texts, and keep it among the last `most`; `said`: its message, when it is told."""
        self.number = happening["n"] = max(self.number + 1, int(now_s * 1000))
        kept = self._recent.setdefault(happening["topic"], deque())
        kept.append((happening, said))
        if self.watchers:
            told = _with_message(*kept[-1])
            for watcher in list(self.watchers):
                watcher(told)
        while len(kept) > most:
            kept.popleft()

    def recent(self, topic: str, roles: Collection[str], since: int, last: int) -> list[Happening]:
        """Return the last that are kept of a topic, the oldest first: of these roles, or of all, and after a number."""
        kept = [one for one in self._recent.get(topic, ()) if one[0]["n"] > since and is_of(one[0], roles)]
        return [_with_message(*one) for one in kept[-last:]] if last else []

    def forget_recent(self) -> None:
        """Keep nothing of what was told: something is erased."""
        self._recent.clear()

    def _note(self, topic: str, key: str, happening: Happening) -> None:
        if self.listeners:
            self._others[topic, key] = happening
            self._soon()

    def _soon(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WAIT_S, self._tell)

    def _tell(self) -> None:
        self._timer = None
        memories, self._memories = self._memories, {}
        others, self._others = self._others, {}
        for role, ids in memories.items():
            shown = list(ids or ())[:MOST_IDS]
            self._send({"topic": "memory", "role": role, "ids": shown, "more": ids is None or len(ids) > len(shown)})
        for happening in others.values():
            self._send(happening)

    def _send(self, happening: Happening) -> None:
        for listener in list(self.listeners):
            listener(happening)


def is_of(happening: Happening, roles: Collection[str]) -> bool:
    """Tell whether a happening is of one of these roles, or of no role; without any, of all."""
    return not roles or not happening.get("role") or happening["role"] in roles


def _with_message(happening: Happening, said: Callable[[], str]) -> Happening:
    """Return a happening with its message, which is looked at when the first is told of it."""
    if happening.get("message", "") is None:
        happening["message"] = said()
    return happening
