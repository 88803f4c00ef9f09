"""What meaning is near to what, by a model in a process of its own: questions, a role's texts, statements.

What cannot be had is None or nothing, with the reason in `trouble`, and never an error: words alone serve meanwhile. Texts
are embedded in the background, each once, the newest first; `behind` are those that have no vector yet.
"""

from __future__ import annotations

import asyncio
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from heapq import nlargest
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from memd.errors import EmbeddingsError
from memd.storage.embedding.wire import (
    CALIBRATING,
    LATE,
    Ask,
    Asked,
    Calibrated,
    Embed,
    Embedded,
    Erase,
    Figures,
    Found,
    Heard,
    Lacking,
    Leave,
    Left,
    Level,
    Levels,
    Look,
    Message,
    Ready,
    State,
    Texts,
    Took,
)
from memd.store.recall.told import Group, Reading, Statements, Told, clean
from memd.text.characters import is_chinese

if TYPE_CHECKING:
    from memd.model.scene import Near
    from memd.storage.embedding.process import Child
    from memd.store.role.role import Role

QUESTION_S = 0.5  # how long a question waits, also for the model to be loaded
NEAR_S = 0.3
STATEMENTS_MS = 150  # what is spent on texts that statements are compared with and that have no vector yet
PATIENT_S = 120.0  # how long a command waits that has no daemon, where its environment named a model
SHORT_S = 0.05  # how long all but the first question wait for a model that is being loaded
AGAIN_S, LATE_S = 10.0, 2.0  # after a failure the model is left alone for so long; after an answer that came too late
IDLE_S = 600.0  # after so long without a question and without a session it goes
SESSION_S = 8 * 3600.0  # the same where a session is open, or was never closed
QUESTION_CHARS, STATEMENT_CHARS = 2000, 4000
KEPT_QUESTIONS = 256
BEST = 200
WINDOWS = 4

Record = TypeVar("Record")
Reply = TypeVar("Reply", bound=Message)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its vector; `levels`: how alike unrelated statements are to it, in either language."""

    text: str
    chinese: bool
    vector: bytes
    levels: Levels


@dataclass(slots=True)
class Meaning:
    """`child` is None where there is no model, and `off` says why; `waits`: for vectors, as a command without a daemon does."""

    child: Child | None = None
    off: str = "no model is installed"
    waits: bool = False
    trouble: str = ""
    _turns: int = 0  # grows whenever an answer might be another
    _calibrated: bool = False
    _told: Told = field(default_factory=Told)
    _questions: OrderedDict[str, Question] = field(default_factory=OrderedDict)
    _rest: asyncio.TimerHandle | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _again_s: float = float("-inf")
    _used_s: float = 0.0
    _waited: int = 0  # the start for which a question has waited

    def __post_init__(self) -> None:
        """Listen to the process."""
        if self.child is not None:
            self.child.heard = self._hear

    @property
    def state(self) -> tuple[int, str]:
        """What an answer depends on."""
        return self._turns, self.trouble

    @property
    def key(self) -> str:
        """What stands for the model that answers now, "" where none does."""
        return self.child.ready.key if self.child is not None and self.child.ready is not None else ""

    @property
    def expected(self) -> bool:
        """Tell whether there is a model that answers sooner or later."""
        return self.child is not None

    @property
    def behind(self) -> int:
        """How many texts have no vector yet."""
        return self._told.behind

    def begin(self) -> None:
        """Start the model, so that the first question finds it loaded. Does not wait."""
        if self.child is not None:
            self.child.start()

    async def question(self, text: str, *, wait_s: float = QUESTION_S) -> Question | None:
        """Return a question with its vector; a known one at once. None where there is none in time."""
        text = clean(text)[-QUESTION_CHARS:]
        if self.child is None or not text.strip():
            return None
        known = self._questions.get(text)
        if known is not None:
            return known
        chinese = is_chinese(text)
        answer = await self._asked(lambda n: Ask(n, text), Asked, wait_s, chinese=chinese)
        if answer is None:
            return None
        question = self._questions[text] = Question(text, chinese, answer.vector, answer.levels)
        if len(self._questions) > KEPT_QUESTIONS:
            self._questions.popitem(last=False)
        return question

    async def near(
        self,
        group: str,
        texts: Mapping[str, Record],
        question: Question | None,
        wanted: Iterable[str] = (),
        *,
        mark: Hashable = None,
        read: Callable[[Record], str] = str,
        newest: Callable[[str], float] | None = None,
        windows: int = WINDOWS,
    ) -> dict[str, Near]:
        """Return how near the best BEST texts are to a question, and those wanted; as far as they have vectors.

        `texts` by id, each as `read` gives it; they are not looked at where `mark` is what it was. `newest`: of an id, what is
        greater for what is to be embedded first; `windows`: of 64 tokens, how many of a text count at most.
        """
        if question is None or self.child is None:
            return {}
        await self.tell(group, texts, mark=mark, read=read, newest=newest, windows=windows)
        if self.waits and group in self._told.groups:
            await self._asked(Figures, State, NEAR_S)  # what is lacking was told before
            await self._until(lambda: not self.behind)
        return await self.nearest(group, question, wanted)

    async def nearest(self, group: str, question: Question | None, wanted: Iterable[str] = ()) -> dict[str, Near]:
        """Return the same of a group as it was told last, of which some may be gone."""
        known = self._told.groups.get(group)
        if known is None or question is None:
            return {}
        numbers = [known.held[one].number for one in wanted if one in known.held]
        answer = await self._asked(partial(_look, group, question, numbers), Found, NEAR_S)
        return {known.ids[n]: near for n, near in answer.near.items() if n in known.ids} if answer else {}

    async def memories(
        self,
        role: Role,
        question: Question | None,
        wanted: Iterable[str] = (),
        *,
        used_s: Callable[[str, str], float | None],
    ) -> dict[str, Near]:
        """Return how near the best memories of a role are to a question, with the parts that others took the place of, and
        those wanted; call in the role's turn.

        `used_s`: when a memory of a role last came to mind; the newest and those are embedded first.
        """

        def newest(one: str) -> float:
            memory = texts.get(one)
            return max((memory.when_s if memory else None) or 0.0, used_s(role.name, one) or 0.0)

        texts, mark = role.compiled.texts, (id(role.compiled), role.marks.changes)
        read = attrgetter("text")
        return await self.near(role.name, texts, question, wanted, mark=mark, read=read, newest=newest)

    async def statements(
        self, told: Iterable[str], held: Iterable[str] = (), *, spend_ms: int = STATEMENTS_MS
    ) -> Statements:
        """Return the vectors of what is told, and of what it is compared with: of as many as there is time for."""
        asked = self._readable(told)
        first, asked = len(asked), asked | self._readable(held)
        names, plain = [*asked], [*asked.values()]
        answer = await self._asked(lambda n: Embed(n, plain, spend_ms, first), Embedded, QUESTION_S) if asked else None
        each = (answer.vectors, answer.turned) if answer else ({}, {})
        return Statements(*({names[at]: array("f", one) for at, one in some.items()} for some in each))

    def _readable(self, texts: Iterable[str]) -> dict[str, str]:
        return {one: plain for one in texts if (plain := clean(one)[:STATEMENT_CHARS]).strip() and self._reads(plain)}

    async def alike(self, role: Role, vector: array[float], chinese: bool, *, most: int) -> list[str]:
        """Return the memories of a role that are nearest to a vector, which may be turned, the nearest first; in the role's turn."""
        about = Question("", chinese, vector.tobytes(), Levels(Level(0.0, 1.0), Level(0.0, 1.0)))
        near = await self.memories(role, about, used_s=lambda *_: None)
        known = role.compiled.of_memories(near)
        return nlargest(most, known, key=lambda one: (near[one].cosine, one))

    async def tell(
        self,
        group: str,
        texts: Mapping[str, Record],
        *,
        mark: Hashable = None,
        read: Callable[[Record], str] = str,
        newest: Callable[[str], float] | None = None,
        windows: int = WINDOWS,
        late: bool = False,
    ) -> None:
        """Let the model know the texts of a group, as `near` gives them, and what has changed of them since.

        `late`: they are embedded after all that are not.
        """
        if self.child is None or not await self._is_ready(QUESTION_S):
            return
        known = self._told.groups.get(group)
        if known is not None and mark is not None and known.mark == mark:
            return
        whole = known is None
        known = self._told.groups.setdefault(group, Group())
        known.newest, known.late = newest, late
        change = await known.renew(group, texts, Reading(read, newest, windows, self._reads))
        change.whole = whole
        if self._told.groups.get(group) is known:  # else the process ended meanwhile
            known.mark = mark
            if change.put or change.drop or whole:
                self._say(change)

    def knows(self, group: str, mark: Hashable) -> bool:
        """Tell whether a group was told as it is, or nobody can be told of it now."""
        known = self._told.groups.get(group)
        return self.child is None or self.child.ready is None or (known is not None and known.mark == mark)

    def forget(self, group: str) -> None:
        """Let go of a role that is closed; the vectors of its texts are kept in the cache."""
        if self._told.forget(group):
            self._say(Leave(group))

    async def erase(self, role: Role) -> None:
        """Let nothing of a role's erased texts stay, in memory nor in the cache; call in the role's turn."""
        if self.child is not None and self.child.ready is not None:
            if role.name in self._told.groups:
                await self.tell(role.name, role.compiled.texts, read=attrgetter("text"))
            self._questions.clear()
            self._say(Erase())

    async def figures(self) -> dict[str, Any]:
        """Return how the model is, for status."""
        child = self.child
        if child is None:
            return {"state": "off", "why": self.off, "behind": 0, "restarts": 0}
        found = {"state": child.state, "why": self.trouble, "behind": self.behind, "restarts": child.lives.restarts}
        if child.ready is None:
            return found
        found["model"] = child.ready.name
        with suppress(EmbeddingsError):  # not by _asked: to look at it is not to use it
            state = await child.ask(Figures, State, NEAR_S)
            found |= {"vectors": state.rows, "resident_kb": state.resident_kb}
        return found

    async def close(self) -> None:
        """Let the process end and put its vectors on the disk; it starts again when it is needed."""
        if self.child is not None:
            await self.child.stop()

    def rest(self, *, in_use: bool, now_s: float) -> bool:
        """Tell whether the process may go: nobody asked for IDLE_S, for SESSION_S while a session is open."""
        idle_s = now_s - self._used_s
        return (
            bool(self.child and self.child.ready) and self._told.resting and idle_s > (SESSION_S if in_use else IDLE_S)
        )

    async def _asked(
        self, make: Callable[[int], Message], kind: type[Reply], wait_s: float, *, chinese: bool = False
    ) -> Reply | None:
        """Return an answer, None where there is none in time, with the reason in `trouble`."""
        child, began_s = self.child, time.monotonic()
        if child is None or began_s < self._again_s:
            return None
        wait_s = PATIENT_S if self.waits else wait_s
        if not await self._is_ready(wait_s):
            return None
        if chinese and child.ready is not None and not child.ready.chinese:
            return None
        if self.waits:
            await self._until(lambda: self._calibrated)
            if self._rest is not None:
                return None
        try:
            answer = await child.ask(make, kind, max(SHORT_S, wait_s - (time.monotonic() - began_s)))
        except EmbeddingsError as error:
            self.trouble = str(error)
            pause_s = {CALIBRATING: 0.0, LATE: LATE_S}.get(self.trouble, AGAIN_S)
            self._again_s = time.monotonic() + pause_s
            return None
        self.trouble = "" if self._calibrated else CALIBRATING
        return answer

    async def _is_ready(self, wait_s: float) -> bool:
        """Start the process where it must, and wait for it: so long once each start, then SHORT_S."""
        child = self.child
        if child is None:
            return False
        self._used_s = time.monotonic()
        child.start()
        first, self._waited = self._waited != child.lives.starts, child.lives.starts
        try:
            await child.until_ready(PATIENT_S if self.waits else wait_s if first else min(wait_s, SHORT_S))
        except EmbeddingsError as error:
            self.trouble = str(error)
            return False
        return True

    async def _until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so, as long as the model works, at most PATIENT_S."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENT_S):
                while not condition() and self.child is not None and self.child.ready is not None and not self._rest:
                    self._news.clear()
                    await self._news.wait()

    def _reads(self, text: str) -> bool:
        """Tell whether the model knows the language of a text."""
        ready = self.child.ready if self.child else None
        return ready is None or ready.chinese or not is_chinese(text)

    def _say(self, message: Message) -> None:
        with suppress(EmbeddingsError):  # then it ends, and is told anew when it lives again
            if self.child is not None:
                self.child.tell(message)

    def _hear(self, message: Heard | None) -> None:
        """Take what the process says of itself; None at its end."""
        if message is None:
            self._ended()
        elif isinstance(message, Ready):
            self._calibrated = message.calibrated
            self.trouble = "" if message.calibrated else CALIBRATING
        elif isinstance(message, Calibrated):
            self._calibrated, self.trouble = True, ""
        elif isinstance(message, Lacking):
            self._told.line_up(message)
        elif isinstance(message, Took | Left):
            self._told.done(message.digests, again=isinstance(message, Left))
            if isinstance(message, Left):
                self.trouble = message.why
                self._rest = self._rest or asyncio.get_running_loop().call_later(AGAIN_S, self._go_on)
        if not isinstance(message, Lacking):
            self._turns += 1
        self._feed()
        self._news.set()

    def _feed(self) -> None:
        """Send the next texts, where none are on their way."""
        texts = [] if self._rest else self._told.next()
        if texts:
            self._say(Texts(texts))

    def _go_on(self) -> None:
        self._rest = None
        self._feed()

    def _ended(self) -> None:
        """Know nothing of the process's any more: the next is told everything anew."""
        self._told.clear()
        self._calibrated = False
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None
        if self.child is not None:
            self.trouble = self.child.why


def _look(group: str, question: Question, numbers: list[int], n: int) -> Look:
    return Look(n, group, question.vector, question.levels, question.chinese, numbers, BEST)
