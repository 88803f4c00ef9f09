"""Limits that stop a request, each with its figures and the largest items."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.errors import LimitExceededError
from memd.formats.times import to_day
from memd.model.settings import LimitSettings
from memd.service.role import Role
from memd.storage.files import Tree
from memd.storage.layout import PRIVATE, SCORES
from memd.storage.side import list_side, side_pieces

if TYPE_CHECKING:
    from memd.service.workspace import Workspace

WARN_SHARE = 0.9
LOG_NAME = "wal.jsonl"
LOOK_S = 1.0
BELIEVED_S = 31 * 86_400.0  # a record dated further ahead than this was written by a clock that was wrong
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
        held = sum(piece.count(b"\n") for piece in side_pieces(tree, name))
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
    sizes = await asyncio.to_thread(memory_dir_sizes, workspace.tree)
    used: list[tuple[str, int, int, str]] = [
        ("memory_dir_bytes", sum(size for _, size in sizes), limits.memory_dir_bytes, largest_files(sizes)),
        ("scorings_per_day", workspace.scorings.count, limits.scorings_per_day, ""),
    ]
    for role in workspace.roles.values():
        own = workspace.settings_of(role).limits
        largest = largest_of_role(role) if role.bytes + role.extra_bytes >= own.role_bytes * WARN_SHARE else ""
        used.append((f"role_bytes {role.name}", role.bytes + role.extra_bytes, own.role_bytes, largest))
        used.append((f"role_memories {role.name}", len(role.compiled.memories), own.role_memories, ""))
    return {name: _view(got, limit, largest) for name, got, limit, largest in used}


def _view(got: int, limit: int, largest: str) -> dict[str, Any]:
    near = got >= limit * WARN_SHARE
    return {"used": got, "limit": limit, "warning": near, **({"largest": largest} if near and largest else {})}


@dataclass(slots=True)
class MemoryDir:
    """The sizes of `.memory/`, looked at again after LOOK_S."""

    sizes: list[tuple[str, int]] = field(default_factory=list)
    until_s: float = 0.0

    def look(self, tree: Tree, now_s: float) -> list[tuple[str, int]]:
        """Return the files with their bytes, largest first; `now_s` is monotonic."""
        if now_s >= self.until_s:
            self.sizes, self.until_s = memory_dir_sizes(tree), now_s + LOOK_S
        return self.sizes


def memory_dir_sizes(tree: Tree) -> list[tuple[str, int]]:
    """Return the files of `.memory/` with their bytes, largest first; the log is not counted, it empties itself."""
    sizes = [(name, size) for name, size in tree.sizes(PRIVATE) if not name.endswith(LOG_NAME)]
    return sorted(sizes, key=lambda one: -one[1])


def check_memory_dir(sizes: list[tuple[str, int]], limits: LimitSettings, added_bytes: int) -> None:
    """Raise LimitExceededError where `.memory/` has no room for so many bytes more."""
    total = sum(size for _, size in sizes) + added_bytes
    if total > limits.memory_dir_bytes:
        named = largest_files(sizes)
        limit = limits.memory_dir_bytes
        raise LimitExceededError("memory_dir_bytes", PRIVATE, total, limit, unit="bytes", largest=named)
