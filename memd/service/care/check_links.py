"""What is wrong with who took whose place in a memory.json: notes that nobody backs, circles, conflicts, what is not there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from memd.engine.keep.succeed import digests_of
from memd.engine.recall.succession import Succession

if TYPE_CHECKING:
    from memd.model.memory import Memory

SHOWN = 60


class Links:
    """The memories of one file, and who names whom."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self.memories = {one.id: one for one in memories}
        self.succession = Succession()
        for one in self.memories.values():
            self.succession.put(one)

    def faults(self, memory: Memory, value: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Yield what is wrong with the links of a record: the member, the code, and a sentence."""
        said = memory.id[:SHOWN]
        note = value.get("supersededBy")
        if isinstance(note, str) and note and memory.id not in self._named_by(note):
            yield "supersededBy", "memory.unbacked", f"{said} says that {note[:SHOWN]!r} took its place, which does not"
        for other in memory.supersedes:
            if other == memory.id or self.succession.names(other, memory.id, self.memories):
                why = f"{said} and {other[:SHOWN]!r} take each other's place, so neither does"
                yield "supersedes", "memory.circle", why
        if gone := [one for one in memory.supersedes if one not in self.memories]:
            more = f", and {len(gone) - 1} more that are not" if len(gone) > 1 else ""
            yield "supersedes", "memory.lost_link", f"{said} names {gone[0][:SHOWN]!r}, which is not in this file{more}"
        if lost := self._lost_covers(memory):
            yield "covers", "memory.lost_cover", f"{said} covers {len(lost)} statements that are not there any more"
        # What somebody doubts is settled in `memd review`; here is what two successors say of one memory.
        doubts = {*memory.conflicts, *self.succession.doubted.get(memory.id, ())}
        rivals = [one for one in self.succession.standing(memory, self.memories).rivals if one > memory.id]
        rivals = [one for one in rivals if one not in doubts]
        for rival in rivals:
            yield "supersedes", "memory.conflict", f"{said} and {rival[:SHOWN]!r} took the place of the same memory"

    def _named_by(self, memory_id: str) -> tuple[str, ...]:
        return self.memories[memory_id].supersedes if memory_id in self.memories else ()

    def _lost_covers(self, memory: Memory) -> set[str]:
        named = [self.memories[one] for one in memory.supersedes if one in self.memories]
        if not memory.covers or len(named) < len(memory.supersedes):
            return set()
        return set(memory.covers) - {digest for one in named for digest in digests_of(one)}
