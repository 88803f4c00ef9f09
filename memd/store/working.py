"""What the verbs of an agent's work know beside the files: sessions in use, runs under way, the figures of skills."""

from __future__ import annotations

import asyncio
import unicodedata
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.engine.recall.matching import Wanted, fits, phrase_terms
from memd.engine.recall.snippets import snippet
from memd.engine.work.spoken import Spoken
from memd.formats.documents import event_text
from memd.model.search import Document, Form
from memd.storage.layout import SESSIONS
from memd.store.attended import Attended
from memd.store.room import SESSIONS_LOOK_S, Sizes, check_sessions

if TYPE_CHECKING:
    from memd.model.runs import Running
    from memd.model.settings import LimitSettings
    from memd.model.tasks import Counts
    from memd.storage.files import Tree
    from memd.store.session_log import SessionLog
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


# A search inside one session: answered from its own words, kept as it grows; built aside when it is asked for first.

AT_ONCE = (
    4000  # events that are added while somebody waits; more are added aside, and the whole index answers meanwhile
)
VERIFIED = 1500  # events that are read to judge a phrase


@dataclass(slots=True)
class SessionWords:
    """The words of one session's log; a log that is read anew has none yet."""

    log: SessionLog
    spoken: Spoken = field(default_factory=Spoken)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    building: asyncio.Task[None] | None = None

    def is_near(self) -> bool:
        """Tell whether so little is missing that it can be added at once."""
        return not self.turn.locked() and len(self.log) - self.spoken.upto <= AT_ONCE

    def build_aside(self) -> None:
        """Begin to add what is missing while others are served."""
        if self.building is None or self.building.done():
            self.building = asyncio.get_running_loop().create_task(self._build())

    async def _build(self) -> None:
        async with self.turn:
            while len(self.log) != self.spoken.upto:
                await asyncio.to_thread(self._catch_up, AT_ONCE)

    async def find(self, wanted: Wanted, count: int, speaker: str = "") -> tuple[list[dict[str, Any]], int]:
        """Return the best events as hits, and how many there are; `speaker`: only of whoever it is."""
        async with self.turn:
            return await asyncio.to_thread(self._find, wanted, count, speaker)

    def _catch_up(self, most: int) -> None:
        for seq in range(self.spoken.upto + 1, min(len(self.log), self.spoken.upto + most) + 1):
            self.spoken.add(event_text(dict(self.log.event(seq).said)))

    def _find(self, wanted: Wanted, count: int, speaker: str) -> tuple[list[dict[str, Any]], int]:
        self._catch_up(AT_ONCE)
        phrases = [one for one in wanted.query.clauses if one.form is Form.PHRASE]
        most = VERIFIED if phrases or speaker else count
        gains = self.spoken.gains(wanted.terms)
        found, total = self.spoken.find(gains, most)
        if phrases:
            terms = {term for one in phrases for term in phrase_terms(one.text)}
            allowed = self.spoken.having_all(terms)
            found = [one for one in found if allowed is None or one[1] in allowed]
            found = [one for one in found if fits(self._document(one[1]), wanted)]
            total = len(found)
        if speaker:
            found = [one for one in found if self.log.event(one[1]).said.get("speaker") == speaker]
            total = len(found)
        return [self._hit(score, seq, wanted, gains) for score, seq in found[:count]], total

    def _hit(self, score: float, seq: int, wanted: Wanted, gains: dict[str, float]) -> dict[str, Any]:
        text = self._document(seq).text
        return {
            "id": self.log.name, "name": self.log.file, "line": self.log.lines[seq - 1],
            "snippet": snippet(text, wanted, gains), "score": round(score, 4),
        }  # fmt: skip

    def _document(self, seq: int) -> Document:
        event = self.log.event(seq)
        return Document(str(seq), "session", self.log.file, text=event_text(dict(event.said)))
