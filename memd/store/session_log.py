"""One session in memory: its bytes, where each event stands in them, and what they come to.

What was appended is here before it is in the file; what others write into the file is taken in when it is looked at next.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memd.formats.records import Read, event_id, read_event, read_events, to_event
from memd.model.sessions import Event, EventKind, Usage, is_visible
from memd.storage.layout import SESSIONS
from memd.storage.listing import list_side

if TYPE_CHECKING:
    from memd.storage.files import Identity, Tree
    from memd.store.writing.lines import Appended

READ_BYTES = 256 * 1024 * 1024
KEY = ("w", "n", "i", "c")
OPEN_CALLS = 1000  # tool calls without a result that are remembered


@dataclass(slots=True)
class Totals:
    """What the lines of a session come to. `calls` are tool calls without a result, `twice` lines that stand there again."""

    kinds: dict[str, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    opened: dict[str, Any] = field(default_factory=dict)
    closed: bool = False
    calls: dict[str, str] = field(default_factory=dict)
    last_at: str = ""
    line_count: int = 0
    damaged: int = 0
    foreign: int = 0
    twice: int = 0

    def count(self, kind: str, value: dict[str, Any]) -> None:
        """Count one more event."""
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        self.last_at = str(value.get("at") or self.last_at)
        call = str(value.get("call_id") or "")
        if kind == EventKind.USAGE:
            self.usage.add(value)
        elif kind == EventKind.OPENED:
            self.opened = self.opened or {key: one for key, one in value.items() if key not in KEY}
            self.closed = False
        elif kind == EventKind.CLOSED:
            self.closed = True
        elif kind == EventKind.TOOL_RESULT:
            self.calls.pop(call, None)
        elif kind == EventKind.TOOL_CALL and call:
            self.calls[call] = str(value.get("tool", ""))
            if len(self.calls) > OPEN_CALLS:
                del self.calls[next(iter(self.calls))]


@dataclass(slots=True, weakref_slot=True)
class SessionLog:
    """`events` are good lines only; `lines` has for each its number in the file, from 1."""

    name: str
    file: str
    identity: Identity | None = None
    data: bytearray = field(default_factory=bytearray)
    starts: array[int] = field(default_factory=lambda: array("Q"))
    stops: array[int] = field(default_factory=lambda: array("Q"))
    lines: array[int] = field(default_factory=lambda: array("L"))
    visible: array[int] = field(default_factory=lambda: array("L"))
    places: dict[str, int] = field(default_factory=dict)
    renamed: dict[int, str] = field(default_factory=dict)
    runs: dict[str, list[int]] = field(default_factory=dict)
    totals: Totals = field(default_factory=Totals)

    def __len__(self) -> int:
        return len(self.starts)

    def event(self, seq: int) -> Event:
        """Return an event by its place, from 1."""
        value, foreign = read_event(bytes(self.data[self.starts[seq - 1] : self.stops[seq - 1]]).rstrip(b"\n"))
        event = to_event(seq, value or {}, foreign=foreign)
        return replace(event, id=self.renamed[seq]) if seq in self.renamed else event

    def find(self, event_id: str) -> int:
        """Return the place of an event by its id, 0 where there is none."""
        return self.places.get(event_id, 0)

    def seq_of_line(self, line: int) -> int:
        """Return the place of the first event at or after a line of the file; 0 where there is none."""
        at = bisect_left(self.lines, line)
        return at + 1 if at < len(self.lines) else 0

    def visible_count(self, before: int = 0) -> int:
        """Return how many events are visible; `before`: of those before this place."""
        return bisect_left(self.visible, before) if before else len(self.visible)

    def visible_back(self, before: int = 0) -> Iterator[Event]:
        """Yield the visible events, newest first; `before`: only those before this place."""
        top = self.visible_count(before)
        for at in range(top - 1, -1, -1):
            yield self.event(self.visible[at])

    def of_run(self, run: str) -> list[Event]:
        """Return the events of a run in order."""
        return [self.event(seq) for seq in self.runs.get(run, ())]

    def take(self, lines: Sequence[bytes]) -> None:
        """Add lines as they will stand in the file."""
        at = len(self.data)
        for line in lines:
            self.data += line
        for read in read_events(self.data, at):
            self.note(read)

    def wrote(self, appended: Appended) -> bool:
        """Hear that lines of ours are in the file; False where the file was not as it was known."""
        if appended.before != self.identity or (appended.text and not appended.is_whole):
            return False
        self.identity = appended.after
        return True

    def note(self, read: Read) -> None:
        """Know one more line of the file, which stands in the bytes already."""
        self.totals.line_count += 1
        if read.value is None:
            self.totals.damaged += bool(self.data[read.start : read.stop].strip())
            return
        seq, value = len(self.starts) + 1, read.value
        if read.foreign:
            event = to_event(seq, value, foreign=True)
            value = {
                **event.said,
                "kind": event.kind,
                "at": event.at,
                **{key: value[key] for key in KEY if key in value},
            }
        known = event_id(value, seq)
        if known in self.places:
            if not read.foreign:  # two copies of one file were joined
                self.totals.twice += 1
                return
            known = self.renamed[seq] = f"line-{seq}"  # somebody copied a line and changed it
        self.places[known] = seq
        self.starts.append(read.start)
        self.stops.append(read.stop)
        self.lines.append(self.totals.line_count)
        self.totals.foreign += read.foreign
        kind = str(value.get("kind", EventKind.NOTE))
        self.totals.count(kind, value)
        if is_visible(value, kind):
            self.visible.append(seq)
        if run := value.get("run"):
            self.runs.setdefault(str(run), []).append(seq)


def load_session(tree: Tree, name: str, file: str, waiting: Sequence[str]) -> SessionLog:
    """Return a session as its file has it, with acknowledged lines that are not there yet. Blocks."""
    log = SessionLog(name, file)
    try:
        data, log.identity = tree.read(file, READ_BYTES)
    except FileNotFoundError:
        data = b""
    log.data = bytearray(data)
    for read in read_events(data):
        log.note(read)
    if log.data and log.data[-1:] != b"\n":
        log.data += b"\n"
    late = [line for text in waiting for line in text.encode("utf-8", "surrogatepass").splitlines(keepends=True)]
    log.take([line for line in late if line not in data])
    return log


def look_for_sessions(tree: Tree) -> dict[str, str]:
    """Return the files of all sessions by name; the newest month counts where a name stands twice. Blocks."""
    found: dict[str, str] = {}
    for month in list_side(tree, SESSIONS):
        if month.is_dir:
            for entry in list_side(tree, f"{SESSIONS}/{month.name}"):
                if entry.is_file and entry.name.endswith(".jsonl") and not entry.name.startswith("."):
                    found[entry.name.removesuffix(".jsonl")] = f"{SESSIONS}/{month.name}/{entry.name}"
        elif month.is_file and month.name.endswith(".jsonl") and not month.name.startswith("."):
            found.setdefault(month.name.removesuffix(".jsonl"), f"{SESSIONS}/{month.name}")
    return found
