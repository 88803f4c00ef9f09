"""Limits that stop a request, each with its figures and the largest items."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.errors import MemoryDirFullError, RoleFullError, RoleMemoriesError, ScoringsUsedError, SessionsFullError
from memd.formats.times import to_day
from memd.model.memory import PUT
from memd.storage.layout import PRIVATE, SCORES, SESSIONS
from memd.storage.side import list_side, side_pieces

if TYPE_CHECKING:
    from memd.model.settings import LimitSettings
    from memd.storage.files import Tree
    from memd.store.role.role import Role

WARN_SHARE = 0.9
LOOK_S, SESSIONS_LOOK_S = 1.0, 30.0
BELIEVED_S = 31 * 86_400.0  # a record dated further ahead than this was written by a clock that was wrong
_PUT_LINE = f'"what":"{PUT}"'.encode()
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(slots=True)
class Scorings:
    """How many scorings this UTC day has had. A clock that goes back gives no fresh allowance."""

    day: str = ""
    count: int = 0

    @classmethod
    def read(cls, tree: Tree, now_s: float, waiting: Mapping[str, int]) -> Scorings:
        """Return the count that the score records tell, `waiting` ones by file added."""
        files = [one.name for one in list_side(tree, SCORES) if one.is_file and one.name.endswith(".jsonl")]
        names = {*(f"{SCORES}/{name}" for name in files), *waiting}
        # A clock that went back gives no fresh allowance; one that had jumped years ahead takes none away.
        days = (name.rpartition("/")[2].removesuffix(".jsonl") for name in names)
        latest = to_day(now_s + BELIEVED_S)
        day = max([to_day(now_s), *(one for one in days if _DAY.fullmatch(one) and one <= latest)])
        name = f"{SCORES}/{day}.jsonl"
        held = sum(piece.count(b"\n") - piece.count(_PUT_LINE) for piece in side_pieces(tree, name))
        return cls(day, held + waiting.get(name, 0))

    def check(self, limits: LimitSettings, now_s: float) -> None:
        """Raise LimitExceededError where the day's scorings are used up."""
        self._turn(now_s)
        if self.count >= limits.scorings_per_day:
            what = f"scorings on {self.day} (UTC)"
            raise ScoringsUsedError(what, self.count + 1, limits.scorings_per_day)

    def add(self, now_s: float) -> None:
        """Count one."""
        self._turn(now_s)
        self.count += 1

    def drop(self) -> None:
        """Take one back that could not be written."""
        self.count = max(0, self.count - 1)

    def _turn(self, now_s: float) -> None:
        today = to_day(now_s)
        if today > self.day:
            self.day, self.count = today, 0


def check_role(role: Role, limits: LimitSettings, added_bytes: int, more: int = 1) -> None:
    """Raise LimitExceededError where `more` memories, of this size together, have no room in their role."""
    count = len(role.compiled.memories)
    if count + more > limits.role_memories:
        what = f"memories of role {role.name!r}"
        raise RoleMemoriesError(what, count + more, limits.role_memories)
    total = role.file.bytes + role.file.extra_bytes + role.unsaved.waiting_bytes + added_bytes
    if total > limits.role_bytes:
        named = largest_of_role(role)
        what = f"directory of role {role.name!r}"
        raise RoleFullError(what, total, limits.role_bytes, named)


def largest_of_role(role: Role) -> str:
    """Return the largest files of a role's directory where they outweigh its memories, else its largest memories."""
    if role.file.extra_bytes > role.file.bytes:
        return largest_files(role.file.beside)
    largest = sorted(role.compiled.memories.values(), key=lambda one: -len(one.content))[:3]
    return ", ".join(f"{one.id[:8]} ({len(one.content)} characters)" for one in largest)


def largest_files(sizes: Sequence[tuple[str, int]]) -> str:
    """Return the three largest of files that come largest first."""
    return ", ".join(f"{name} ({size} bytes)" for name, size in sizes[:3])


@dataclass(slots=True)
class Sizes:
    """The sizes below a directory, looked at again after `look_s`.

    `added_bytes` came since that look; `unwritten` notes found no room.
    """

    folder: str
    look_s: float
    files: list[tuple[str, int]] = field(default_factory=list)
    until_s: float = 0.0
    added_bytes: int = 0
    unwritten: int = 0

    def look(self, tree: Tree, now_s: float) -> list[tuple[str, int]]:
        """Return the files with their bytes, largest first; `now_s` is monotonic."""
        if now_s >= self.until_s:
            self.added_bytes = 0
            self.files, self.until_s = sizes_of(tree, self.folder), now_s + self.look_s
        return self.files


def sizes_of(tree: Tree, folder: str) -> list[tuple[str, int]]:
    """Return the files below a directory with their bytes, largest first: all but temporaries."""
    return sorted(tree.sizes(folder), key=lambda one: -one[1])


def check_memory_dir(sizes: list[tuple[str, int]], limits: LimitSettings, added_bytes: int) -> None:
    """Raise LimitExceededError where `.memory/` has no room for so many bytes more."""
    total = sum(size for _, size in sizes) + added_bytes
    if total > limits.memory_dir_bytes:
        named = largest_files(sizes)
        raise MemoryDirFullError(PRIVATE, total, limits.memory_dir_bytes, named)


def check_sessions(files: Sequence[tuple[str, int]], limits: LimitSettings, added_bytes: int) -> None:
    """Raise LimitExceededError where sessions in all have no room for so many bytes more."""
    total = sum(size for _, size in files) + added_bytes
    if total > limits.sessions_bytes:
        named = largest_files(files)
        raise SessionsFullError(SESSIONS, total, limits.sessions_bytes, named)
