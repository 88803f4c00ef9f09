"""What capture keeps beside the memories: of sessions whose turns may become some, which statements were offered, and reports of its passes."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct

from memd.errors import MemdError
from memd.formats.records import dump_record, read_lines
from memd.storage.layout import CONSOLIDATIONS, OFFERED
from memd.storage.leaving import SpoolError
from memd.storage.listing import list_side, read_side

if TYPE_CHECKING:
    from memd.storage.files import Identity, Tree
    from memd.storage.gathering import Spooling, Standing
    from memd.store.writing.text_files import Texts


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


# Which statements of sessions were offered to memory, as ids without text, and how far each session was looked through.
#
# Kept as lines of `.memory/offered.jsonl`, one a pass: the session, the number of the last own event that was looked at, and the
# ids. It is versioned, and two machines' lines merge by union: each of them concerns its own writer's events alone.

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "memd:told")
READ_BYTES = 64_000_000  # of a file that may be anybody's
WHAT = "offered"


@dataclass(slots=True)
class Offered:
    """`ids` of all machines; `upto` has, for each session, the number of the last event of this writer that was looked at."""

    ids: set[str] = field(default_factory=set)
    upto: dict[str, int] = field(default_factory=dict)


def told_id(session: str, event: str, digest: str) -> str:
    """Return what a statement is known by: its session, the event (writer and number) that settles it, its text's digest."""
    return str(uuid.uuid5(NAMESPACE, f"{session}\n{event}\n{digest}"))


def offered_line(session: str, upto: int, ids: Sequence[str]) -> dict[str, Any]:
    """Return what the line of a pass says beside its key."""
    return {"what": WHAT, "session": session, "upto": upto, "ids": list(ids)}


def read_offered(tree: Tree, waiting: Iterable[str], writer: str) -> Offered:
    """Return what the file and the acknowledged lines that are not in it yet say. Blocks."""
    found = Offered()
    for data in (read_side(tree, OFFERED, READ_BYTES) or b"", "".join(waiting).encode()):
        for value in (line.value for line in read_lines(data)):
            if value is None or value.get("what") != WHAT:
                continue
            ids, session, upto = value.get("ids"), value.get("session"), value.get("upto")
            found.ids.update(one for one in (ids if isinstance(ids, list) else ()) if isinstance(one, str))
            if value.get("w") == writer and isinstance(session, str) and isinstance(upto, int):
                found.upto[session] = max(upto, found.upto.get(session, 0))
    return found


def shortened(data: bytes, room_bytes: int) -> bytes:
    """Return the newest lines of the file that have this room; of what goes, how far a session was looked through stays."""
    lines = [(data[one.start : one.stop], one.value) for one in read_lines(data) if one.value is not None]
    kept: list[bytes] = []
    while lines and room_bytes >= len(lines[-1][0]):
        line, _ = lines.pop()
        room_bytes -= len(line)
        kept.append(line)
    ends: dict[tuple[str, str], dict[str, Any]] = {}
    for _, value in lines:
        key = (str(value.get("w")), str(value.get("session")))
        is_end = value.get("what") == WHAT and isinstance(value.get("upto"), int)
        if is_end and (key not in ends or ends[key]["upto"] <= value["upto"]):
            ends[key] = {**{name: one for name, one in value.items() if name != "c"}, "ids": []}
    return b"".join([*(dump_record(one) for one in ends.values()), *reversed(kept)])


# The reports of passes over what was said: which statement of which turn became what, by ids and turns, without their texts.
#
# One file a pass below `.memory/consolidations/`, git-ignored, the oldest of them gone where they are more than the settings allow.
# A report has no text, so that erasing a memory need not reach it. The files may be a stranger's: what is strange in them is left
# out.

ID = re.compile(r"c\d{8}-\d{6}-[0-9a-f]{8}")


class Became(Struct, omit_defaults=True):
    """One statement: what became of it, under which id, of which memory; `was` are the digests before and after a change of it."""

    fate: str
    id: str
    turn: int
    total: float
    why: str = ""
    at: str = ""
    source: str = "user"
    memory: str = ""
    digest: str = ""
    how: str = ""  # stored, superseding, refined
    supersedes: str = ""
    inbox: str = ""
    lasting: str = ""


class Report(Struct, omit_defaults=True):
    """One pass: over which turns of which session, by whom, what became of what was told there; `undone` when."""

    id: str
    at: str
    session: str
    role: str
    level: str
    by: str
    first_turn: int
    last_turn: int
    turns: int
    became: list[Became] = []
    dropped: int = 0
    undone: str = ""
    left: list[str] = []


def taken_back(report: Report, at: str, left: Iterable[str]) -> Report:
    """Return a report of a pass that was taken back, but for what was changed since."""
    return msgspec.structs.replace(report, undone=at, left=sorted(left))


_decoder = msgspec.json.Decoder(Report)


def report_file(report_id: str) -> str:
    """Return where a report is."""
    return f"{CONSOLIDATIONS}/{report_id}.json"


def dump_report(report: Report) -> str:
    """Return the text of a report."""
    return json.dumps(msgspec.to_builtins(report), ensure_ascii=False, indent=1) + "\n"


def report_ids(tree: Tree, texts: Texts) -> list[str]:
    """Return the ids of all reports, the newest first. Blocks."""
    held = [one.rpartition("/")[2] for one in texts.names(CONSOLIDATIONS)]
    gone = {name.rpartition("/")[2] for name, (_, text) in texts.held.items() if text is None}
    files = [one.name for one in list_side(tree, CONSOLIDATIONS) if one.is_file and one.name not in gone]
    names = {name.removesuffix(".json") for name in (*held, *files) if name.endswith(".json")}
    return sorted((one for one in names if ID.fullmatch(one)), reverse=True)


def read_report(tree: Tree, texts: Texts, report_id: str) -> Report | None:
    """Return a report, None where there is none that can be read."""
    if not ID.fullmatch(report_id):
        return None
    try:
        text = texts.read(tree, report_file(report_id))
        found = _decoder.decode(text) if text is not None else None
    except (MemdError, OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if found is not None and found.id == report_id else None


def too_many(sizes: Sequence[tuple[str, int]], room_bytes: int) -> list[str]:
    """Return which of the reports' files, given with their sizes, must go for the newest to have this room."""
    gone: list[str] = []
    for name, size in sorted(sizes, reverse=True):
        room_bytes -= size
        if room_bytes < 0:
            gone.append(name)
    return gone
