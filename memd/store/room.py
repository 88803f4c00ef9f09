"""What room there is: in `.memory/`, which gives up its oldest notes for more, and in the day, for scorings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.errors import LimitExceededError, MemoryDirFullError, StorageError
from memd.model.change import Line, Operation
from memd.storage.layout import AUDIT, LOG, PRIVATE, SCORES
from memd.storage.side import list_side
from memd.store.limits import LOOK_S, Scorings, Sizes, check_memory_dir, check_role, sizes_of

if TYPE_CHECKING:
    from memd.model.settings import LimitSettings
    from memd.storage.files import Tree
    from memd.store.in_force import InForce
    from memd.store.ports import Ports
    from memd.store.role.role import Role

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
