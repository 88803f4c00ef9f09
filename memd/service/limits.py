"""Limits that stop a request, each with its figures and the largest items."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.errors import LimitExceededError, StorageError
from memd.formats.times import to_day
from memd.model.change import Line, Operation
from memd.model.settings import LimitSettings
from memd.service.role import Role
from memd.storage.files import Tree
from memd.storage.layout import AUDIT, LOG, PRIVATE, SCORES, SESSIONS
from memd.storage.side import list_side, side_pieces

if TYPE_CHECKING:
    from memd.service.workspace import Workspace

WARN_SHARE = 0.9
LOOK_S, SESSIONS_LOOK_S = 1.0, 30.0
LOG_LIMITS, LEAST_LOG_BYTES = 2, 1_000_000  # a burst may fill the log for a moment: it empties itself into the files
ROTATED = "audit-"
BELIEVED_S = 31 * 86_400.0  # a record dated further ahead than this was written by a clock that was wrong
PUT = "put"  # a scoring of what a verb was given to store: none of the day's
_PUT_LINE = f'"what":"{PUT}"'.encode()
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_REFUSED = re.compile(r'"what":"(?:refused|duplicate|violation|score_far_apart)"')


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
            raise LimitExceededError("scorings", what, self.count + 1, limits.scorings_per_day, unit="scorings")

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
        raise LimitExceededError("role_memories", what, count + more, limits.role_memories, unit="memories")
    total = role.bytes + role.extra_bytes + role.waiting_bytes + added_bytes
    if total > limits.role_bytes:
        named = largest_of_role(role)
        what = f"directory of role {role.name!r}"
        raise LimitExceededError("role_bytes", what, total, limits.role_bytes, unit="bytes", largest=named)


def largest_of_role(role: Role) -> str:
    """Return the largest files of a role's directory where they outweigh its memories, else its largest memories."""
    if role.extra_bytes > role.bytes:
        return largest_files(role.beside)
    largest = sorted(role.compiled.memories.values(), key=lambda one: -len(one.content))[:3]
    return ", ".join(f"{one.id[:8]} ({len(one.content)} characters)" for one in largest)


def largest_files(sizes: Sequence[tuple[str, int]]) -> str:
    """Return the three largest of files that come largest first."""
    return ", ".join(f"{name} ({size} bytes)" for name, size in sizes[:3])


async def limits_used(workspace: Workspace) -> dict[str, Any]:
    """Return each limit with what is used of it, and from 90 % on a warning with the largest items."""
    limits = workspace.settings.limits
    sizes = await asyncio.to_thread(sizes_of, workspace.tree, PRIVATE)
    sessions = await asyncio.to_thread(sizes_of, workspace.tree, SESSIONS)
    used: list[tuple[str, int, int, str]] = [
        ("memory_dir_bytes", sum(size for _, size in sizes), limits.memory_dir_bytes, largest_files(sizes)),
        ("sessions_bytes", sum(size for _, size in sessions), limits.sessions_bytes, largest_files(sessions)),
        ("scorings_per_day", workspace.scorings.count, limits.scorings_per_day, ""),
    ]
    for role in workspace.roles.values():
        own = workspace.settings_of(role).limits
        largest = largest_of_role(role) if role.bytes + role.extra_bytes >= own.role_bytes * WARN_SHARE else ""
        used.append((f"role_bytes {role.name}", role.bytes + role.extra_bytes, own.role_bytes, largest))
        used.append((f"role_memories {role.name}", len(role.compiled.memories), own.role_memories, ""))
    shown = {name: _view(got, limit, largest) for name, got, limit, largest in used}
    if workspace.memory_dir.unwritten:
        shown["memory_dir_bytes"]["unwritten"] = workspace.memory_dir.unwritten
    return shown


def _view(got: int, limit: int, largest: str) -> dict[str, Any]:
    near = got >= limit * WARN_SHARE
    return {"used": got, "limit": limit, "warning": near, **({"largest": largest} if near and largest else {})}


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
        limit = limits.memory_dir_bytes
        raise LimitExceededError("memory_dir_bytes", PRIVATE, total, limit, unit="bytes", largest=named)


def room_in_memory_dir(workspace: Workspace, added_bytes: int) -> None:
    """See that `.memory/` has room for so many bytes more, or raise LimitExceededError with the largest files.

    It gives up rotated audit first, then old score records.
    """
    limits, tree = workspace.settings.limits, workspace.tree
    sizes = workspace.memory_dir.look(tree, workspace.ports.monotonic())
    try:
        check_memory_dir(sizes, limits, added_bytes)
    except LimitExceededError:
        _ = workspace.journal  # who only reads deletes nothing
        for name in too_many(workspace, added_bytes):
            with suppress(StorageError):
                tree.remove(name)
        workspace.memory_dir.files = sizes = sizes_of(tree, PRIVATE)
        check_memory_dir(sizes, limits, added_bytes)


def too_many(workspace: Workspace, added_bytes: int) -> list[str]:
    """Return the files of `.memory/` that must go for so many bytes more, in their order: rotated audit, old scores."""
    sizes = dict(sizes_of(workspace.tree, PRIVATE))
    excess = sum(sizes.values()) + added_bytes - workspace.settings.limits.memory_dir_bytes
    chosen: list[str] = []
    for name in _given_up(workspace.tree, workspace.scorings.day):
        if excess <= 0:
            break
        chosen.append(name)
        excess -= sizes.get(name, 0)
    return chosen


def _given_up(tree: Tree, day: str) -> Iterator[str]:
    """Yield what of `.memory/` may be deleted for room, in its order; the present audit and the day's scores stay."""
    rotated = [f"{PRIVATE}/{one.name}" for one in list_side(tree, PRIVATE) if one.is_file and ROTATED in one.name]
    yield from sorted(rotated)
    scores = sorted(f"{SCORES}/{one.name}" for one in list_side(tree, SCORES) if one.is_file)
    yield from (name for name in scores[:-1] if day not in name)


def fitting(workspace: Workspace, operations: list[Operation]) -> list[Operation]:
    """Return what is to be committed, notes of refusals left out, and counted, where `.memory/` has no room for them.

    LimitExceededError where the log itself has outgrown the limit twice: what it has cannot be brought into the files.
    """
    limits = workspace.settings.limits
    held = workspace.log.size() if workspace.log else 0
    if held > max(LOG_LIMITS * limits.memory_dir_bytes, LEAST_LOG_BYTES):
        named = ", ".join(workspace.trouble) or LOG
        most = limits.memory_dir_bytes
        raise LimitExceededError(
            "memory_dir_bytes", f"{LOG} waits for other files", held, most, unit="bytes", largest=named
        )
    notes = [one for one in operations if isinstance(one, Line) and _is_of_a_refusal(one)]
    if not notes:
        return operations
    try:
        room_in_memory_dir(workspace, sum(len(one.text.encode("utf-8", "surrogatepass")) for one in notes))
    except LimitExceededError:
        workspace.memory_dir.unwritten += len(notes)
        return [one for one in operations if one not in notes]
    return operations


def _is_of_a_refusal(line: Line) -> bool:
    return line.name.startswith(SCORES) or (line.name == AUDIT and _REFUSED.search(line.text) is not None)


def check_sessions(files: Sequence[tuple[str, int]], limits: LimitSettings, added_bytes: int) -> None:
    """Raise LimitExceededError where sessions in all have no room for so many bytes more."""
    total = sum(size for _, size in files) + added_bytes
    if total > limits.sessions_bytes:
        named = largest_files(files)
        limit = limits.sessions_bytes
        raise LimitExceededError("sessions_bytes", SESSIONS, total, limit, unit="bytes", largest=named)
