"""What recall remembers of itself: what each session has in its window, its timers, and when a memory last came.

None of it is in a versioned file. It is kept in `.memory/state/`, a while after it changed; losing it costs a memory told
twice, no more.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import nlargest
from operator import itemgetter
from typing import TYPE_CHECKING

from memd.errors import StorageError
from memd.formats.derived import RecallState, TalkState, dump_state, load_state
from memd.model.lore import Timers
from memd.storage.layout import RECALLED, STATE
from memd.storage.listing import is_unreadable
from memd.storage.replace import replace

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.store.store import Store

SESSIONS = 500
USES = 20_000  # of one role
WINDOW = 1000  # turns, the most that `repeat_after` can be
TOLD = 256  # memories of one session that are known to be in its window: the last ones
STATE_BYTES = 32_000_000


@dataclass(slots=True)
class Talk:
    """One session of a role. `turn` is the length of the chat, `said` what was asked last; `injected` by memory, the turn.

    A question that is asked again belongs to the same turn: what it brought may come again.
    """

    turn: int = 0
    said: str = ""
    injected: dict[str, int] = field(default_factory=dict)
    timers: dict[str, Timers] = field(default_factory=dict)

    def begin(self, said: str, given: int | None, length: int) -> int:
        """Return the turn of a scene: as it was given, or one further than the last."""
        if given is not None:
            self.turn = given
        elif said != self.said:
            self.turn = max(self.turn + 1, length)
        self.said = said
        inside = {key: turn for key, turn in self.injected.items() if self.turn - WINDOW < turn <= self.turn}
        self.injected = dict(nlargest(TOLD, inside.items(), key=itemgetter(1))) if len(inside) > TOLD else inside
        return self.turn

    def since(self, key: str, window: int) -> int | None:
        """Return the turn in which a memory came, where it is still in the window; None where it is not."""
        turn = self.injected.get(key)
        return turn if turn is not None and turn < self.turn < turn + window else None


@dataclass(slots=True)
class Recalled:
    """Sessions, the last used at the end, and uses of memories by role: how often, and when last."""

    talks: OrderedDict[tuple[str, str], Talk] = field(default_factory=OrderedDict)
    uses: dict[str, dict[str, tuple[int, float]]] = field(default_factory=dict)
    changed: bool = False

    def talk(self, role: str, session: str) -> Talk:
        """Return a session of a role, a new one where it is not known; without a name it is kept by nobody."""
        if not session:
            return Talk()
        key = (role, session)
        talk = self.talks.get(key)
        if talk is None:
            talk = self.talks[key] = Talk()
            if len(self.talks) > SESSIONS:
                self.talks.popitem(last=False)
        self.talks.move_to_end(key)
        return talk

    def use(self, role: str, ids: Iterable[str], now_s: float) -> None:
        """Count that memories came."""
        uses = self.uses.setdefault(role, {})
        for one in ids:
            count, _ = uses.pop(one, (0, 0.0))
            uses[one] = (count + 1, now_s)
        while len(uses) > USES:
            uses.pop(next(iter(uses)))
        self.changed = True

    def used_s(self, role: str, memory_id: str) -> float | None:
        """Return when a memory last came, None where it never did."""
        found = self.uses.get(role, {}).get(memory_id)
        return found[1] if found else None

    def dump(self) -> bytes:
        """Return the state as it is kept."""
        talks = {
            f"{role}\n{session}": TalkState(
                one.turn, one.said, one.injected,
                {group: dict(timers.sticky) for group, timers in one.timers.items()},
                {group: dict(timers.cooldown) for group, timers in one.timers.items()},
            )
            for (role, session), one in self.talks.items()
        }  # fmt: skip
        return dump_state(RecallState(talks, self.uses))

    def load(self, data: bytes) -> None:
        """Take in a state that was kept; one that cannot be read is none."""
        state = load_state(data)
        self.uses = state.uses
        for key, one in state.talks.items():
            role, _, session = key.partition("\n")
            groups = one.sticky.keys() | one.cooldown.keys()
            timers = {group: Timers(one.sticky.get(group, {}), one.cooldown.get(group, {})) for group in groups}
            self.talks[role, session] = Talk(one.turn, one.said, one.injected, timers)


# The file of what recall remembers of itself: read at start, written a while after it changed, never in git.

logger = logging.getLogger(__name__)

SAVE_S = 5.0


def load_recalled(tree: Tree, recalled: Recalled) -> None:
    """Take in what was kept; where nothing can be read, recall begins anew. Blocks."""
    try:
        recalled.load(tree.read(RECALLED, STATE_BYTES)[0])
    except (FileNotFoundError, StorageError):
        return


def save_recalled(store: Store) -> None:
    """Keep the state, where it changed and this process may write. Blocks; nothing may change meanwhile."""
    recalled = store.recalled
    if not recalled.changed or store.writer.running is None:
        return
    recalled.changed = False
    _write(store.tree, recalled.dump())


async def keep_saving(store: Store, stop: asyncio.Event) -> None:
    """Keep the state every few seconds until it is time to stop."""
    recalled = store.recalled
    while not stop.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SAVE_S):
                await stop.wait()
        if recalled.changed and store.writer.running is not None:
            recalled.changed = False
            await asyncio.to_thread(_write, store.tree, recalled.dump())


def _write(tree: Tree, data: bytes) -> None:
    if is_unreadable(tree, RECALLED):
        return  # what stands there is not ours
    try:
        tree.make_dirs(STATE)
        replace(tree, RECALLED, data)
    except (OSError, StorageError) as error:
        logger.info("what recall remembers of itself is not kept: %s", error)
