"""The parts of a role's state, each with its own few fields: two files, what is not in them yet, what guards them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.formats.derived import Figures
from memd.formats.role_memory import Document, character_uuid, new_document
from memd.formats.strict_json import dumps
from memd.model.memory import Kind
from memd.model.settings import Profile

if TYPE_CHECKING:
    from memd.errors import Fault
    from memd.formats.role_reader import Parsed
    from memd.model.change import Change
    from memd.model.settings import Settings
    from memd.storage.files import Identity

Key = tuple[Kind, str]
QUIET_S = 2.0  # a file follows the log when nothing was added for so long,
FOLLOW_BYTES_S = 100_000  # and at latest after as many seconds as it has times this many bytes: it is written whole


@dataclass(slots=True)
class OwnProfile:
    """role.toml: the last good profile, and `effective`, the settings that follow from it and from which."""

    profile: Profile = field(default_factory=Profile)
    faults: tuple[Fault, ...] = ()
    identity: Identity | None = None
    effective: tuple[Settings, Profile, Settings] | None = None


@dataclass(slots=True)
class MemoryFile:
    """memory.json: `document` is what we last knew it to hold, `incoming` what is read and not adopted yet.

    `beside` are the other files of its directory with their bytes, the largest first. While its role is closed there is
    no document, but `figures` of it; whoever asks for it then has the role opened by `opener`.
    """

    held: Document | None = field(default_factory=lambda: new_document(""))
    identity: Identity | None = None
    racy: bool = False
    loaded: bool = False
    rejected: Fault | None = None
    faults: tuple[Fault, ...] = ()
    incoming: Parsed | None = None
    missing_since_s: float | None = None
    bytes: int = 0
    beside: tuple[tuple[str, int], ...] = ()
    figures: Figures = field(default_factory=Figures)
    opener: Callable[[], None] | None = None

    def is_settled(self) -> bool:
        """Tell whether nobody need look at it again, unless it changes."""
        return self.loaded and not (self.racy or self.incoming or self.missing_since_s is not None)

    @property
    def document(self) -> Document:
        """What the file was last known to hold; opens a closed role, which blocks."""
        if self.held is None:
            self.open()
        if self.held is None:
            raise RuntimeError("this role is closed, and cannot be opened")
        return self.held

    @document.setter
    def document(self, document: Document) -> None:
        self.held = document

    def open(self) -> None:
        """Have a closed role opened. Blocks."""
        if self.opener is not None:
            self.opener()

    @property
    def extra_bytes(self) -> int:
        """How many bytes its directory has beside memory.json."""
        return sum(size for _, size in self.beside)

    @property
    def character_uuid(self) -> str:
        """The characterUuid that it has, "" where it has none."""
        return self.figures.character_uuid if self.held is None else character_uuid(self.held)


@dataclass(slots=True)
class Unsaved:
    """What was acknowledged and is not in the file: records as they are now with their number in the log, and the changes.

    `first_s` and `last_s` are when the oldest and the newest of the changes were queued, monotonic.
    """

    overlay: dict[Key, tuple[int, dict[str, Any] | None]] = field(default_factory=dict)
    pending: list[tuple[int, Change]] = field(default_factory=list)
    waiting_bytes: int = 0
    first_s: float = 0.0
    last_s: float = 0.0

    def queue(self, change: Change, n: int, now_s: float) -> None:
        """Have a change wait for the file."""
        if not self.pending:
            self.first_s = now_s
        self.last_s = now_s
        self.pending.append((n, change))
        self.overlay.setdefault((change.kind, change.id), (n, change.after))

    def due_s(self, file_bytes: int) -> float:
        """Return when the file is to have them, monotonic: when it was quiet, and at latest after a time that its size tells."""
        return min(self.last_s + QUIET_S, self.first_s + file_bytes / FOLLOW_BYTES_S)

    def lay(self, change: Change, n: int) -> None:
        """Put a record over what the file has."""
        self.overlay[change.kind, change.id] = (n, change.after)
        self.count(change, 1)

    def lift(self, change: Change) -> None:
        """Let the file speak for a record again, where nothing else waits for it."""
        if not any(one.id == change.id for _, one in self.pending):
            self.overlay.pop((change.kind, change.id), None)

    def count(self, change: Change, sign: int) -> None:
        """Count the bytes of a change, or take them back."""
        self.waiting_bytes += sign * len(dumps(change.after)) if change.after else 0

    def settle(self, last: int) -> dict[Key, dict[str, Any] | None]:
        """Forget every change up to a number of the log; return the records that nothing later lies over."""
        done = {(one.kind, one.id) for n, one in self.pending if n <= last}
        self.pending = [(n, one) for n, one in self.pending if n > last]
        self.first_s = self.last_s
        if not self.pending:
            self.waiting_bytes = 0
        return {key: self.overlay.pop(key)[1] for key in done if key in self.overlay and self.overlay[key][0] <= last}


@dataclass(frozen=True, slots=True)
class Parked:
    """A file that was exchanged out: its temporary name, what it held, and since when (monotonic seconds)."""

    temporary: str
    document: Document
    since_s: float


@dataclass(slots=True)
class Saves:
    """What guards our own saves from an editor's outdated one: changes that went in lately, files exchanged out.

    `stale`: an editor may have taken back what was just written; the file is to be looked at.
    """

    recent: deque[tuple[float, Change]] = field(default_factory=deque)
    parked: list[Parked] = field(default_factory=list)
    stale: bool = False

    def changes(self) -> list[Change]:
        """Return the changes that went into the file a short while ago, oldest first."""
        return [change for _, change in self.recent]

    def forget_of(self, change: Change) -> None:
        """Let go of what was lately done to one record."""
        key = (change.kind, change.id)
        self.recent = deque((at, one) for at, one in self.recent if (one.kind, one.id) != key)

    def forget_before(self, before_s: float) -> None:
        """Let go of changes that went in before a monotonic time; call when the file has just been looked at."""
        while self.recent and self.recent[0][0] < before_s:
            self.recent.popleft()

    def let_go(self) -> None:
        """Guard nothing any more: the directory is gone."""
        self.recent.clear()
        self.parked.clear()
        self.stale = False


@dataclass(slots=True)
class Marks:
    """What the full-text index may not have as it is: `touched` ids, None where that is not known.

    `fresh` are those touched while it is being found out; `changes` and `rebuilds` count.
    """

    changes: int = 0
    touched: set[str] | None = None
    fresh: set[str] = field(default_factory=set)
    rebuilds: int = 0

    def touch(self, memory_id: str) -> None:
        """Note that a memory is other than it was."""
        self.changes += 1
        self.fresh.add(memory_id)
        if self.touched is not None:
            self.touched.add(memory_id)
