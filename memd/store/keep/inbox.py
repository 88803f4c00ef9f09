"""The inbox: texts that were offered, were not sure to be worth keeping, and wait for a person or to be told again.

Kept as lines of `.memory/state/inbox.jsonl`: `waiting` with the offer, then what became of it. It is bounded, and git-ignored. The
file may be a stranger's: what it holds is offered, and looked at when it is read.

Units
    totals are on 0 to 10; bytes are those of a line as JSON.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memd.engine.keep.scan.secrets import without_secrets
from memd.formats.records import read_lines
from memd.formats.strict_json import dumps
from memd.formats.times import to_seconds, zone_of
from memd.model.memory import ERASED, NOTE, UNDONE, WAITING, Dimension
from memd.storage.layout import AUDIT, INBOX
from memd.storage.listing import is_unreadable, read_side
from memd.store.keep.quarantine import looked_at
from memd.text.characters import fingerprint

if TYPE_CHECKING:
    from memd.engine.linear import Linear
    from memd.model.change import Line, Operation
    from memd.model.settings import LimitSettings
    from memd.storage.files import Tree

READ_LINES, WHY_CHARS, BASIS_CHARS = 10_000, 1000, 500  # of a file that may be anybody's
DAY_S = 86_400.0


@dataclass(slots=True)
class Inbox:
    """`waiting` by id, oldest first; `bytes` is what they take."""

    waiting: OrderedDict[str, dict[str, Any]] = field(default_factory=OrderedDict)
    bytes: int = 0
    loaded: bool = False
    unread: bool = False
    _prints: dict[tuple[str, str], str] = field(default_factory=dict)

    def read(self, tree: Tree, lines: Iterable[str], orders: Linear) -> list[dict[str, Any]]:
        """Return what waits, looked at, acknowledged lines that are not in the file yet included. Blocks."""
        found = read_side(tree, INBOX)
        self.unread = found is None and is_unreadable(tree, INBOX)  # then it is looked at again
        texts = (found or b"", "".join(lines).encode())
        held: dict[str, dict[str, Any]] = {}
        for value in (line.value for text in texts for line in read_lines(text) if line.value is not None):
            entry_id = str(value.get("id"))
            held.pop(entry_id, None)  # what waits again waits from then on
            if value.get("what") == WAITING:
                held[entry_id] = value
        return [one for value in list(held.values())[-READ_LINES:] if (one := sound_entry(value, orders)) is not None]

    def begin(self, values: Iterable[Mapping[str, Any]]) -> None:
        """Take in what was read, unless another did before."""
        if not self.loaded:
            for value in values:
                self.take(value)
            self.loaded = not self.unread

    def take(self, value: Mapping[str, Any]) -> None:
        """Make one line true."""
        self._leave(str(value["id"]))
        if value.get("what") == WAITING:
            self.waiting[value["id"]] = dict(value)
            self.bytes += size_of(value)
            self._prints.setdefault(_print_of(value), value["id"])

    def give_back(self, value: Mapping[str, Any], before: Mapping[str, Any] | None) -> None:
        """Undo one line that could not be written: `before` is what waited under its id."""
        if before is not None:
            self.take(before)
        else:
            self._leave(str(value["id"]))

    def same(self, role: str, text: str) -> dict[str, Any] | None:
        """Return what waits for a role and says this, punctuation, case and width aside."""
        return self.waiting.get(self._prints.get((role, fingerprint(text) or text), ""))

    def of(self, role: str) -> list[dict[str, Any]]:
        """Return what waits for a role, the oldest first."""
        return [one for one in self.waiting.values() if one.get("role") == role]

    def in_the_way(self, value: Mapping[str, Any], limits: LimitSettings) -> list[dict[str, Any]] | None:
        """Return those that must leave for another, the oldest first; None where it has no place at all."""
        added = size_of(value)
        if limits.inbox_entries < 1 or added > limits.inbox_bytes:
            return None
        leaving: list[dict[str, Any]] = []
        count, size = len(self.waiting) + 1, self.bytes + added
        for one in self.waiting.values():
            if count <= limits.inbox_entries and size <= limits.inbox_bytes:
                break
            leaving.append(one)
            count, size = count - 1, size - size_of(one)
        return leaving

    def over(self, limits: LimitSettings, now_s: float) -> list[dict[str, Any]]:
        """Return those that have waited for as long as they may."""
        since_s = now_s - limits.inbox_days * DAY_S
        return [one for one in self.waiting.values() if (to_seconds(one.get("at")) or 0.0) < since_s]

    def steps(self, record: Callable[[str, int, dict[str, Any], float], Line], now_s: float) -> Steps:
        """Return what a batch will do to the inbox; `record` is Store.record."""
        return Steps(self, record, now_s)

    @staticmethod
    def is_told_anew(entry: Mapping[str, Any], session: str, zone: str, now_s: float) -> bool:
        """Tell whether an offer is another telling than what waits: neither of the same session nor of the same day of a zone."""
        told_s = to_seconds(entry.get("at"))
        if told_s is None or (session and session == entry.get("session")):
            return False
        then, now = (datetime.fromtimestamp(one, UTC).astimezone(zone_of(zone)).date() for one in (told_s, now_s))
        return then < now

    @staticmethod
    def size_of(value: Mapping[str, Any]) -> int:
        """Return how many bytes an entry takes."""
        return size_of(value)

    @staticmethod
    def without_empty(value: Mapping[str, Any]) -> dict[str, Any]:
        """Return an entry as it is kept, nothing empty in it."""
        return without_empty(value)

    @staticmethod
    def sound(value: Mapping[str, Any], orders: Linear) -> dict[str, Any] | None:
        """Return an entry that stands in a log, looked at as one of the inbox itself is; None where it is none."""
        return sound_entry(value, orders)

    def _leave(self, entry_id: str) -> None:
        known = self.waiting.pop(entry_id, None)
        if known is not None:
            self.bytes -= size_of(known)
            if self._prints.get(_print_of(known)) == entry_id:
                del self._prints[_print_of(known)]


@dataclass(slots=True)
class Steps:
    """What one batch does to the inbox: its lines, each with what waited under its id before. `record` makes a line of a log."""

    inbox: Inbox
    record: Callable[[str, int, dict[str, Any], float], Line]
    now_s: float
    _lines: list[tuple[dict[str, Any], dict[str, Any] | None]] = field(default_factory=list)
    _notes: list[dict[str, Any]] = field(default_factory=list)
    _taken: int = 0

    def put(self, value: Mapping[str, Any]) -> None:
        """Let a text wait."""
        self._lines.append((dict(value), None))

    def close(self, entry: Mapping[str, Any], became: str, memory_id: str = "", *, made: bool = False) -> None:
        """Let a text leave; what became of it stands in the audit, whole, with the memory that has it now, or was `made` of it."""
        about: dict[str, Any] = {"memory": memory_id} if memory_id else {}
        self._lines.append(({"what": became, "id": entry["id"], **about}, dict(entry)))
        about |= {"made": True} if made else {}
        self._note(entry, became, {**about, "total": entry["total"], "entry": dict(entry)})

    def again(self, entry: Mapping[str, Any]) -> None:
        """Let a text wait again that had left, as somebody took that back."""
        self._lines.append(({**entry, "what": WAITING}, None))
        self._note(entry, UNDONE, {})

    def forget(self, entry: Mapping[str, Any], memory_id: str) -> None:
        """Let a text leave because the memory that says the same is erased: nothing of it is noted."""
        self._lines.append(({"what": ERASED, "id": entry["id"], "memory": memory_id}, dict(entry)))

    def _note(self, entry: Mapping[str, Any], became: str, about: Mapping[str, Any]) -> None:
        note = {"what": NOTE, "role": entry.get("role", ""), "inbox": entry["id"], "became": became}
        self._notes.append({**note, **about})

    def operations(self, n: int) -> list[Operation]:
        """Make the lines true, and return them as operations of batch `n`."""
        for line, _ in self._lines:
            self.inbox.take(line)
            self._taken += 1
        lines = [self.record(INBOX, n, line, self.now_s) for line, _ in self._lines]
        return [*lines, *(self.record(AUDIT, n, note, self.now_s) for note in self._notes)]

    def roll_back(self) -> None:
        """Undo the lines that were made true."""
        for line, before in reversed(self._lines[: self._taken]):
            self.inbox.give_back(line, before)
        self._taken = 0


def size_of(value: Mapping[str, Any]) -> int:
    """Return how many bytes an entry takes."""
    return len(dumps(value).encode("utf-8", "surrogatepass"))


def is_offer(value: Mapping[str, Any]) -> bool:
    """Tell whether a line of a log, which may be anybody's, has what an entry must have."""
    total = value.get("total")
    is_total = isinstance(total, (int, float)) and not isinstance(total, bool) and 0 <= total <= 10
    return is_total and all(isinstance(value.get(key), str) and value[key] for key in ("id", "role", "content"))


def _print_of(value: Mapping[str, Any]) -> tuple[str, str]:
    text = str(value.get("content", ""))
    return str(value.get("role", "")), fingerprint(text) or text


def sound_entry(value: Mapping[str, Any], orders: Linear) -> dict[str, Any] | None:
    """Return a line as it may be shown and kept: what it holds said anew, its secrets taken out, its words bounded."""
    sound, given = looked_at(value, orders), value.get("scores")
    if sound is None or not is_offer(value):
        return None
    scores = {
        name: [one[0], without_secrets(one[1][:BASIS_CHARS])]
        for name, one in (given.items() if isinstance(given, dict) else ())
        if name in Dimension.__members__.values() and isinstance(one, list) and len(one) == 2
        if type(one[0]) in (int, float) and 0 <= one[0] <= 10 and isinstance(one[1], str)
    }
    why = value.get("why")
    return without_empty(
        {
            **{key: one for key, one in sound.items() if key != "digest"},
            "what": WAITING,
            "total": float(value["total"]),
            "why": without_secrets(why[:WHY_CHARS]) if isinstance(why, str) else "",
            "scores": scores,
        }
    )


def without_empty(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry without what is empty, but for `why`: so it is the same whether it was just put there or read again."""
    return {key: one for key, one in value.items() if key == "why" or one not in ("", {})}
