"""What the verbs of an agent's work know beside the files: sessions in use, runs under way, the figures of skills."""

from __future__ import annotations

import asyncio
import unicodedata
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.storage.layout import SESSIONS
from memd.store.limits import SESSIONS_LOOK_S, Sizes, check_sessions
from memd.store.work.attended import Attended
from memd.store.work.session_words import SessionWords

if TYPE_CHECKING:
    from memd.model.runs import Running
    from memd.model.settings import LimitSettings
    from memd.model.tasks import Counts
    from memd.storage.files import Tree
    from memd.store.work.session_log import SessionLog
    from memd.store.writing.lines import Appended

TURNS = 10_000  # sessions that were asked for lately
LOADED_BYTES = 128 * 1024 * 1024  # of sessions kept in memory


@dataclass(slots=True)
class Working:
    """Owned by the workspace. `turn` orders what changes tasks, runs and skills; sessions have a turn each."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    sessions: OrderedDict[str, SessionLog] = field(default_factory=OrderedDict)
    words: dict[str, SessionWords] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    turns: dict[str, asyncio.Lock] = field(default_factory=dict)
    running: dict[str, Running] = field(default_factory=dict)
    receipts: dict[str, str] = field(default_factory=dict)
    attended: Attended = field(default_factory=Attended)
    effects: dict[tuple[str, int], Counts] | None = None
    loaded: bool = False
    sizes: Sizes = field(default_factory=lambda: Sizes(SESSIONS, SESSIONS_LOOK_S))

    def put(self, log: SessionLog) -> None:
        """Keep a session at hand, and let go of those that were not used for longest."""
        self.sessions[log.name] = log
        self.sessions.move_to_end(log.name)
        total = sum(len(one.data) for one in self.sessions.values())
        while total > LOADED_BYTES and len(self.sessions) > 1:
            name, gone = self.sessions.popitem(last=False)
            self.words.pop(name, None)
            total -= len(gone.data)

    def words_of(self, log: SessionLog) -> SessionWords:
        """Return the words of a session as it is in memory."""
        known = self.words.get(log.name)
        if known is None or known.log is not log:
            known = self.words[log.name] = SessionWords(log)
        return known

    def turn_of(self, session: str) -> asyncio.Lock:
        """Return what orders the requests to one session."""
        if len(self.turns) > TURNS:
            self.turns = {name: turn for name, turn in self.turns.items() if turn.locked()}
        return self.turns.setdefault(unicodedata.normalize("NFC", session[:400]), asyncio.Lock())

    async def check_room(self, limits: LimitSettings, tree: Tree, now_s: float) -> None:
        """Raise LimitExceededError where sessions in all have no room; `now_s` is monotonic."""
        files = await asyncio.to_thread(self.sizes.look, tree, now_s)
        check_sessions(files, limits, self.sizes.added_bytes)

    def wrote(self, file: str, appended: Appended) -> None:
        """Hear that acknowledged lines are in a file."""
        log = self.sessions.get(file.rpartition("/")[2].removesuffix(".jsonl"))
        if log is not None and log.file == file:
            log.wrote(appended)
