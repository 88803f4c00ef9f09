"""What room there is, and limits that stop a request, each with its figures; `.memory/` gives up its oldest notes for more."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.errors import (
    LimitExceededError,
    MemoryDirFullError,
    RoleFullError,
    RoleMemoriesError,
    ScoringsUsedError,
    SessionsFullError,
    StorageError,
)
from memd.formats.times import to_day
from memd.model.change import Line, Operation
from memd.model.memory import PUT
from memd.storage.layout import AUDIT, LOG, PRIVATE, SCORES, SESSIONS
from memd.storage.listing import list_side, side_pieces

if TYPE_CHECKING:
    from memd.model.settings import LimitSettings
    from memd.storage.files import Tree
    from memd.store.in_force import InForce
    from memd.store.ports import Ports
    from memd.store.role.role import Role
    from memd.store.store import Store


# Limits that stop a request, each with its figures and the largest items.

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


# What is used of each limit.


async def limits_used(store: Store) -> dict[str, Any]:
    """Return each limit with what is used of it, and from 90 % on a warning with the largest items."""
    limits = store.settings.limits
    sizes = await asyncio.to_thread(sizes_of, store.tree, PRIVATE)
    sessions = await asyncio.to_thread(sizes_of, store.tree, SESSIONS)
    used: list[tuple[str, int, int, str]] = [
        ("memory_dir_bytes", sum(size for _, size in sizes), limits.memory_dir_bytes, largest_files(sizes)),
        ("sessions_bytes", sum(size for _, size in sessions), limits.sessions_bytes, largest_files(sessions)),
        ("scorings_per_day", store.room.scorings.count, limits.scorings_per_day, ""),
    ]
    for role in list(store.roles.values()):
        own = store.settings_of(role).limits
        largest = ""
        if role.file.bytes + role.file.extra_bytes >= own.role_bytes * WARN_SHARE:
            await store.roles.open(role)
            largest = largest_of_role(role)
        used.append((f"role_bytes {role.name}", role.file.bytes + role.file.extra_bytes, own.role_bytes, largest))
        used.append((f"role_memories {role.name}", role.count, own.role_memories, ""))
    shown = {name: _view(got, limit, largest) for name, got, limit, largest in used}
    if store.room.memory_dir.unwritten:
        shown["memory_dir_bytes"]["unwritten"] = store.room.memory_dir.unwritten
    return shown


def _view(got: int, limit: int, largest: str) -> dict[str, Any]:
    near = got >= limit * WARN_SHARE
    return {"used": got, "limit": limit, "warning": near, **({"largest": largest} if near and largest else {})}


LOG_LIMITS, LEAST_LOG_BYTES = 2, 1_000_000  # a burst may fill the log for a moment: it empties itself into the files
ROTATED = "audit-"
_REFUSED = re.compile(r'"what":"(?:refused|duplicate|violation|score_far_apart)"')


@dataclass(slots=True)
class Room:
    """`scorings` of this day; `memory_dir` are the sizes of `.memory/` as they were at the last look."""

    tree: Tree
    ports: Ports
    in_force: InForce
    scorings: Scorings = field(default_factory=Scorings)
    memory_dir: Sizes = field(default_factory=lambda: Sizes(PRIVATE, LOOK_S))

    def make(self, added_bytes: int) -> None:
        """See that `.memory/` has room for so many bytes more, or raise LimitExceededError with the largest files.

        It gives up rotated audit first, then old score records. Who only reads may not call it.
        """
        limits = self.in_force.settings.limits
        sizes = self.memory_dir.look(self.tree, self.ports.monotonic())
        try:
            check_memory_dir(sizes, limits, added_bytes)
        except LimitExceededError:
            for name in self.too_many(added_bytes):
                with suppress(StorageError):
                    self.tree.remove(name)
            self.memory_dir.files = sizes = sizes_of(self.tree, PRIVATE)
            check_memory_dir(sizes, limits, added_bytes)

    @staticmethod
    def check_role(role: Role, limits: LimitSettings, added_bytes: int, more: int = 1) -> None:
        """Raise LimitExceededError where `more` memories, of this size together, have no room in their role."""
        check_role(role, limits, added_bytes, more)

    def too_many(self, added_bytes: int) -> list[str]:
        """Return the files of `.memory/` that must go for so many bytes more, in their order: rotated audit, old scores."""
        sizes = dict(sizes_of(self.tree, PRIVATE))
        excess = sum(sizes.values()) + added_bytes - self.in_force.settings.limits.memory_dir_bytes
        chosen: list[str] = []
        for name in self._given_up():
            if excess <= 0:
                break
            chosen.append(name)
            excess -= sizes.get(name, 0)
        return chosen

    def fitting(self, operations: list[Operation], log_bytes: int, trouble: Mapping[str, str]) -> list[Operation]:
        """Return what is to be committed, notes of refusals left out, and counted, where `.memory/` has no room for them.

        LimitExceededError where the log itself has outgrown the limit twice: what it has cannot be brought into the files,
        and `trouble` says which.
        """
        most = self.in_force.settings.limits.memory_dir_bytes
        if log_bytes > max(LOG_LIMITS * most, LEAST_LOG_BYTES):
            what, named = f"{LOG} waits for other files", ", ".join(trouble) or LOG
            raise MemoryDirFullError(what, log_bytes, most, named)
        notes = [one for one in operations if isinstance(one, Line) and _is_of_a_refusal(one)]
        if not notes:
            return operations
        try:
            self.make(sum(len(one.text.encode("utf-8", "surrogatepass")) for one in notes))
        except LimitExceededError:
            self.memory_dir.unwritten += len(notes)
            return [one for one in operations if one not in notes]
        return operations

    def _given_up(self) -> Iterator[str]:
        """Yield what of `.memory/` may be deleted for room, in its order; the present audit and the day's scores stay."""
        rotated = [
            f"{PRIVATE}/{one.name}" for one in list_side(self.tree, PRIVATE) if one.is_file and ROTATED in one.name
        ]
        yield from sorted(rotated)
        scores = sorted(f"{SCORES}/{one.name}" for one in list_side(self.tree, SCORES) if one.is_file)
        yield from (name for name in scores[:-1] if self.scorings.day not in name)


def _is_of_a_refusal(line: Line) -> bool:
    return line.name.startswith(SCORES) or (line.name == AUDIT and _REFUSED.search(line.text) is not None)
