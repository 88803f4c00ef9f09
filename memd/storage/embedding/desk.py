"""What the process that embeds answers: vectors of questions and statements, and what of a group is nearest to them.

A model is given the end of a question, and a stored text in windows, cut by its own tokens: what something costs grows faster
than its length (10 tokens 14 ms, 100 tokens 147 ms), so nothing longer is embedded. Regional Chinese is given in common words.
"""

from __future__ import annotations

import re
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from memd.errors import EmbeddingsError
from memd.model.scene import Near
from memd.storage.embedding.table import LEVELS, Rows, Table, packed, unpacked
from memd.storage.embedding.wire import CALIBRATING, Embed, Levels, Look, Tell, Text, text_digest
from memd.text.characters import CJK, is_chinese
from memd.text.simplified import common_words

if TYPE_CHECKING:
    from memd.storage.embedding.background import Background
    from memd.storage.embedding.model import Floats, Model

QUESTION_TOKENS = 40
WINDOW_TOKENS = 64
TOLD_TOKENS = 32  # of what is told, for which somebody waits: judged by 64 it is judged no better
MOST_PIECES = 256  # no window of WINDOW_TOKENS has more characters of Han, or words
_PIECE = re.compile(f"[{CJK}]|[^\\s{CJK}]{{1,16}}|\\s{{1,16}}")
_ENDS = re.compile(r"[.!?。！？;；\n]\s*$")

Count = Callable[[str], int]


def ending(text: str, count: Count, tokens: int = QUESTION_TOKENS) -> str:
    """Return the end of a text that has so many tokens at most."""
    pieces = _PIECE.findall(common_words(text))
    least, most = 0, min(len(pieces), MOST_PIECES)
    while least < most:
        middle = (least + most + 1) // 2
        if count("".join(pieces[-middle:])) <= tokens:
            least = middle
        else:
            most = middle - 1
    return "".join(pieces[-max(least, 1) :]).strip()


def windows(text: str, count: Count, most: int, tokens: int = WINDOW_TOKENS) -> list[str]:
    """Return the first windows of a text, each of so many tokens at most, at least one: none that says nothing."""
    return list(_windows(_PIECE.findall(common_words(text)), count, most, tokens)) or [text.strip()]


def _windows(pieces: list[str], count: Count, most: int, tokens: int) -> Iterator[str]:
    begin = 0
    while begin < len(pieces) and most:
        end = _end(pieces, begin, count, tokens)
        window = "".join(pieces[begin:end]).strip()
        begin = end
        if window:
            most -= 1
            yield window


def _end(pieces: list[str], begin: int, count: Count, tokens: int) -> int:
    """Return where a window ends: with a sentence, where one ends in its second half."""
    least, most = begin + 1, min(len(pieces), begin + MOST_PIECES)
    while least < most:
        middle = (least + most + 1) // 2
        if count("".join(pieces[begin:middle])) <= tokens:
            least = middle
        else:
            most = middle - 1
    if least < len(pieces):
        for end in range(least, begin + (least - begin) // 2, -1):
            if _ENDS.search(pieces[end - 1]):
                return end
    return least


AT_ONCE = 2  # statements that are embedded side by side: someone waits for them
KEPT_STATEMENTS = 512  # of texts that are compared, but belong to no role
STATEMENT_WINDOWS = 4  # of a role's texts: a statement that is one of them has its vector already
DAY_S = 86_400


class _Group:
    """The texts of a role by their numbers, and where their rows lie in a version of the table."""

    def __init__(self) -> None:
        self.texts: dict[int, bytes] = {}
        self.version = -1
        self.numbers: Any = None
        self.starts: Any = None
        self.rows: Any = None

    def lay(self, table: Table, version: int) -> None:
        """Find where the rows of every text lie that has any."""
        found = [(number, *place) for number, digest in self.texts.items() if (place := table.place(digest))]
        self.numbers = np.array([number for number, _, _ in found], dtype=np.int64)
        counts = np.array([count for _, _, count in found], dtype=np.int64)
        self.starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64) if found else counts
        begins = np.array([begin for _, begin, _ in found], dtype=np.int64)
        within = np.arange(counts.sum()) - np.repeat(self.starts, counts)
        self.rows = np.repeat(begins, counts) + within
        self.version = version


class Desk:
    """Answers for one model. Two threads may ask: what is held changes under `_lock` only."""

    def __init__(
        self, model: Model, background: Background | None, table: Table | None, turn: Floats | None = None
    ) -> None:
        self.model, self.background, self.table = model, background, table
        self._turn = None if turn is None else np.eye(len(turn), dtype=np.float32) + turn
        self.waits_for = CALIBRATING  # why there is no background yet
        self._lock = threading.Lock()
        self._version = 0  # grows with every text that is put, dropped or moved
        self._groups: dict[str, _Group] = {}
        self._uses: Counter[bytes] = Counter()
        self._passing: OrderedDict[bytes, Rows] = OrderedDict()
        self._pool = ThreadPoolExecutor(AT_ONCE, "statements")

    @property
    def rows(self) -> int:
        """How many windows have vectors."""
        return 0 if self.table is None else self.table.rows

    @property
    def changed(self) -> bool:
        """Tell whether the file of the table is another."""
        return self.table is not None and self.table.changed

    def question(self, text: str) -> tuple[bytes, Levels]:
        """Return the vector of a question, of which the end counts, and how alike the background is to it."""
        if self.background is None:
            raise EmbeddingsError(self.waits_for)
        vector = self.model.questions([ending(text, self.model.tokens)])[0]
        return vector.tobytes(), self.background.asked(vector)

    def statements(self, message: Embed) -> tuple[dict[int, bytes], dict[int, bytes]]:
        """Return the vectors of statements, of which the first window counts, those that are new as long as there is time; and those
        of what is told once more, turned."""
        until_s = time.monotonic() + message.spend_ms / 1000
        told = [windows(text, self.model.tokens, 1, TOLD_TOKENS)[0] for text in message.texts[: message.told]]
        texts = [*told, *message.texts[message.told :]]
        rows = {at: held for at, text in enumerate(texts) if (held := self._held(text)) is not None}
        lacking = [(at, text) for at, text in enumerate(texts) if at not in rows]
        for begin in range(0, len(lacking), AT_ONCE):
            if rows and time.monotonic() >= until_s:
                break
            step = lacking[begin : begin + AT_ONCE]
            made = self._pool.map(self._first, [text for _, text in step])
            rows |= {at: self._keep(text, one) for (at, text), one in zip(step, made, strict=True)}
        vectors = {at: self._vector(one) for at, one in rows.items()}
        turned: dict[int, bytes] = {}
        if self._turn is not None:
            turned = {at: (one @ self._turn).tobytes() for at, one in vectors.items() if at < message.told}
        return {at: one.tobytes() for at, one in vectors.items()}, turned

    def tell(self, message: Tell) -> list[bytes]:
        """Take what a group has now; return the digests of the texts that have no vector yet."""
        with self._lock:
            if message.whole:
                self._leave(message.group)
            group = self._groups.setdefault(message.group, _Group())
            gone = [group.texts.pop(number) for number in message.drop if number in group.texts]
            group.texts.update(message.put)
            group.version = -1
            self._uses.update(message.put.values())
            self._uses.subtract(gone)
            if self.table is not None:
                self.table.drop(digest for digest in gone if self._uses[digest] <= 0)
                self.table.see(message.put.values(), today())
            self._uses = +self._uses
            known = self.table if self.table is not None else ()
            return list(dict.fromkeys(digest for digest in message.put.values() if digest not in known))

    def leave(self, name: str) -> None:
        """Let go of a group; its texts keep their vectors."""
        with self._lock:
            self._leave(name)

    def erase(self) -> None:
        """Forget every text that no group has."""
        with self._lock:
            self._passing.clear()
            if self.table is not None:
                self.table.keep(self._uses)

    def take(self, texts: Sequence[Text]) -> Iterator[list[bytes]]:
        """Embed texts that a group has; yield after each step the digests of those that are done."""
        cut = [(one, windows(one.text, self.model.tokens, one.windows)) for one in texts]
        waiting = [(one, window) for one, found in cut for window in found]
        vectors: dict[bytes, list[Floats]] = {}
        counts = {one.digest: len(found) for one, found in cut}
        for begin in range(0, len(waiting), self.model.batch):
            part = waiting[begin : begin + self.model.batch]
            done = []
            for (one, _), vector in zip(part, self.model.passages([window for _, window in part]), strict=True):
                vectors.setdefault(one.digest, []).append(vector)
                if len(vectors[one.digest]) == counts[one.digest]:
                    self._put(one, np.array(vectors.pop(one.digest), dtype=np.float32))
                    done.append(one.digest)
            yield done

    def look(self, message: Look) -> dict[int, Near]:
        """Return how near the best of a group are to a question, and those wanted."""
        vector = np.frombuffer(message.vector, dtype=np.float32)
        with self._lock:
            group = self._groups.get(message.group)
            if group is None or self.table is None or len(vector) != self.table.length:
                return {}
            if group.version != self._version:
                group.lay(self.table, self._version)
            if not len(group.numbers):
                return {}
            cosines, at = _best_windows(self.table.cosines(group.rows, vector), group)
            levels, chinese = self.table.levels(at)
        asked_z, text_z = _judged(cosines, levels[:, : LEVELS // 2], chinese, message.levels, message.chinese)
        both = asked_z + text_z
        best = (
            np.argpartition(-both, message.best)[: message.best] if len(both) > message.best else np.arange(len(both))
        )
        wanted = np.flatnonzero(np.isin(group.numbers, message.wanted))
        return {
            int(group.numbers[one]): Near(
                float(cosines[one]), float(asked_z[one]), float(text_z[one]), bool(chinese[one]) == message.chinese
            )
            for one in np.union1d(best, wanted)
        }

    def calibrated(self, background: Background) -> None:
        """Measure everything against a background that has come."""
        with self._lock:
            self.background = background
            self._passing.clear()
            if self.table is not None:
                self.table.measured(background.levels)

    def dump(self, background: str) -> bytes | None:
        """Return the file of the table, None where it is as it was."""
        with self._lock:
            if self.table is None or not self.table.changed:
                return None
            before = self.table.version
            data = self.table.dump(self.model.key, background)
            self._version += self.table.version != before
            return data

    def _put(self, text: Text, vectors: Floats) -> None:
        rows = self._rows(text.text, vectors)
        with self._lock:
            if self.table is None or (self.table.length != vectors.shape[1] and not len(self.table)):
                self.table = Table(vectors.shape[1])
            if self.table.length != vectors.shape[1]:
                raise EmbeddingsError(
                    f"the model gave vectors of {vectors.shape[1]} and of {self.table.length} numbers"
                )
            self.table.put(text.digest, rows, today())
            self._version += 1

    def _vector(self, rows: Rows) -> Floats:
        """Return the first vector of a text."""
        vector: Floats = unpacked(rows.numbers[:1], rows.scales[:1])[0]
        return vector.astype(np.float32)

    def _first(self, text: str) -> Rows:
        """Embed the first window of a text."""
        return self._rows(text, self.model.passages(windows(text, self.model.tokens, 1)))

    def _rows(self, text: str, vectors: Floats) -> Rows:
        numbers, scales = packed(vectors)
        none = np.zeros((len(vectors), LEVELS), dtype=np.float32)
        levels = none if self.background is None else self.background.levels(vectors)
        return Rows(is_chinese(text), numbers, scales, levels)

    def _held(self, text: str) -> Rows | None:
        """Return the rows of a text that is a role's, or was compared before."""
        digest = text_digest(text, STATEMENT_WINDOWS)
        with self._lock:
            if self.table is not None and digest in self.table:
                return self.table.get(digest)
            if digest in self._passing:
                self._passing.move_to_end(digest)
            return self._passing.get(digest)

    def _keep(self, text: str, rows: Rows) -> Rows:
        with self._lock:
            self._passing[text_digest(text, STATEMENT_WINDOWS)] = rows
            if len(self._passing) > KEPT_STATEMENTS:
                self._passing.popitem(last=False)
        return rows

    def _leave(self, name: str) -> None:
        group = self._groups.pop(name, None)
        if group is not None:
            self._uses.subtract(group.texts.values())
            self._uses = +self._uses


def today() -> int:
    """Return the day, counted since 1970."""
    return int(time.time() // DAY_S)


def _best_windows(cosines: Floats, group: _Group) -> tuple[Floats, Any]:
    """Return of every text the cosine of its best window, and where that lies."""
    best = np.maximum.reduceat(cosines, group.starts)
    counts = np.diff(np.append(group.starts, len(cosines)))
    equal = np.flatnonzero(cosines >= np.repeat(best, counts))
    return best, group.rows[equal[np.searchsorted(equal, group.starts)]]


def _judged(cosines: Floats, of_texts: Any, chinese: Any, asked: Levels, in_chinese: bool) -> tuple[Any, Any]:
    """Return how far cosines stand above what the asked has with texts, and the texts with what is asked."""
    mean = np.where(chinese, asked.chinese.mean, asked.english.mean)
    deviation = np.where(chinese, asked.chinese.deviation, asked.english.deviation)
    at = 2 * in_chinese
    return (cosines - mean) / deviation, (cosines - of_texts[:, at]) / np.maximum(of_texts[:, at + 1], 1e-6)
