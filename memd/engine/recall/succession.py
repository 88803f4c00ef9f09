"""Which memories others took the place of, in whole or in part, as the successors alone say it.

A memory is superseded while a live one of its role names it: one that is there, is not disabled, and has begun and not ended.
One that is superseded itself still counts, or every second change would bring back the oldest. A successor with `covers`
takes the place of those statements only. Memories that name each other in a circle take nobody's place in it: nothing
is lost by a slip of the pen.

Units
    seconds since the epoch.
Source
    docs/design/origins.md#what-memd-decides; statements and their digests: memd/text/clauses.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf

from memd.model.memory import Memory
from memd.text.clauses import Clause, clauses, digest_of, rest_of

MOST = 1000  # memories that are followed from one


@dataclass(slots=True)
class Succession:
    """Who is named by whom, and which of those who name others end at a time. Owned by Compiled."""

    named: dict[str, set[str]] = field(default_factory=dict)
    doubted: dict[str, set[str]] = field(default_factory=dict)  # who conflicts with it, by their own word
    turning: dict[str, tuple[float, ...]] = field(default_factory=dict)  # when their word begins and ends to count
    now_s: float = -inf

    def put(self, memory: Memory) -> None:
        """Hold what a memory says of others."""
        for one in memory.supersedes:
            if one != memory.id:
                self.named.setdefault(one, set()).add(memory.id)
        for one in memory.conflicts:
            if one != memory.id:
                self.doubted.setdefault(one, set()).add(memory.id)
        if (memory.supersedes or memory.conflicts) and (bounds := _bounds(memory)):
            self.turning[memory.id] = bounds

    def drop(self, memory: Memory) -> None:
        """Forget what a memory says of others."""
        for held, ids in ((self.named, memory.supersedes), (self.doubted, memory.conflicts)):
            for one in ids:
                names = held.get(one, set())
                names.discard(memory.id)
                if not names:
                    held.pop(one, None)
        self.turning.pop(memory.id, None)

    def pass_time(self, now_s: float) -> list[str]:
        """Let it be later, or earlier; return those who name others and began or ended, or hold again, by that."""
        before_s, self.now_s = self.now_s, now_s
        return [
            one for one, bounds in self.turning.items() if any((at_s <= before_s) != (at_s <= now_s) for at_s in bounds)
        ]

    def concerned(self, memory_id: str, memories: Mapping[str, Memory]) -> set[str]:
        """Return a memory with all whose standing may hang on it: those it names, and others who name these."""
        reached = set(self._reached([memory_id], memories))
        reached = reached.union(*(self.named.get(one, ()) for one in reached))
        doubting = {one for told in reached if told in memories for one in memories[told].conflicts}
        return reached.union(doubting, *(self.doubted.get(one, ()) for one in reached))

    def concerns_others(self, memory: Memory) -> bool:
        """Tell whether how others stand may hang on a memory."""
        return bool(memory.supersedes or memory.conflicts or memory.id in self.doubted)

    def successors(self, memory_id: str, memories: Mapping[str, Memory], now_s: float | None = None) -> list[Memory]:
        """Return the live memories that take a memory's place, in whole or in part, the newest last."""
        names = self.named.get(memory_id)
        if not names:
            return []
        at_s = self.now_s if now_s is None else now_s
        live = [memories[one] for one in names if one in memories and is_live(memories[one], at_s)]
        memory = memories.get(memory_id)
        if live and memory is not None and memory.supersedes and is_live(memory, at_s):
            behind = set(self._reached([memory_id], memories, at_s))
            live = [one for one in live if one.id not in behind]
        return sorted(live, key=_age)

    def ended(self, memory: Memory, memories: Mapping[str, Memory]) -> list[tuple[Clause, str]]:
        """Return the statements of a memory that others took the place of, each with the newest that did; none where one
        took the place of all of it, which is all that memory then has to say."""
        live = self.successors(memory.id, memories)
        if not live or not all(one.covers for one in live):
            return []
        taken = [(one, [heir.id for heir in live if one.digest in heir.covers]) for one in clauses(memory.content)]
        found = [(one, heirs[-1]) for one, heirs in taken if heirs]
        return found if memory.holds or len({heir for _, heir in found}) > 1 else []

    def names(self, memory_id: str, other: str, memories: Mapping[str, Memory]) -> bool:
        """Tell whether a memory names another, or names one that does."""
        return memory_id != other and other in self._reached([memory_id], memories)

    def standing(self, memory: Memory, memories: Mapping[str, Memory], now_s: float | None = None) -> Memory:
        """Return a memory with what follows for it from the word of others."""
        bare = self._without_rivals(memory, memories, now_s)
        if bare.superseded_by or not (bare.supersedes or bare.conflicts or bare.id in self.doubted):
            return bare
        found = dict.fromkeys((*self._rivals(bare, memories, now_s), *self._doubts(bare, memories, now_s)))
        rivals = tuple(one for one in found if one not in bare.beside and bare.id not in memories[one].beside)
        if not rivals:
            return bare
        return replace(bare, rivals=rivals, earlier=any(_is_newer(memories[one], bare) for one in rivals))

    def _without_rivals(self, memory: Memory, memories: Mapping[str, Memory], now_s: float | None) -> Memory:
        bare = memory.as_written()
        live = self.successors(memory.id, memories, now_s)
        if not live:
            return bare
        whole = [one for one in live if not one.covers]
        if whole:
            return replace(bare, superseded_by=whole[-1].id)
        named = frozenset().union(*(one.covers for one in live))
        all_of_it = digest_of(bare.content)
        parts = (one.digest for one in clauses(bare.content))
        covered = tuple(dict.fromkeys(one for one in parts if one in named or all_of_it in named))
        if not covered:
            return bare
        taking = [one for one in live if not {*covered, all_of_it}.isdisjoint(one.covers)]
        left = rest_of(bare.content, covered)
        if not left:
            return replace(bare, superseded_by=taking[-1].id)
        return replace(bare, holds=left, covered=covered, covered_by=tuple(one.id for one in taking))

    def _rivals(self, memory: Memory, memories: Mapping[str, Memory], now_s: float | None) -> tuple[str, ...]:
        """Return those who took the place of the same as a standing memory did, and stand too."""
        if all(len(self.named.get(one, ())) < 2 for one in memory.supersedes):
            return ()
        found: dict[str, None] = {}
        for older in memory.supersedes:
            live = self.successors(older, memories, now_s)
            if all(one.id != memory.id for one in live):
                continue
            for other in live:
                if other.id != memory.id and _overlap(memory, other) and not self._is_gone(other, memories, now_s):
                    found[other.id] = None
        return tuple(found)

    def _doubts(self, memory: Memory, memories: Mapping[str, Memory], now_s: float | None) -> list[str]:
        """Return those that a live memory says otherwise than, or that say so of it, and live too."""
        at_s = self.now_s if now_s is None else now_s
        if not is_live(memory, at_s):
            return []
        told = [one for one in (*memory.conflicts, *sorted(self.doubted.get(memory.id, ()))) if one != memory.id]
        return [
            one
            for one in told
            if one in memories and is_live(memories[one], at_s) and not self._is_gone(memories[one], memories, now_s)
        ]

    def _is_gone(self, memory: Memory, memories: Mapping[str, Memory], now_s: float | None) -> bool:
        return bool(self._without_rivals(memory, memories, now_s).superseded_by)

    def _reached(
        self, start: Iterable[str], memories: Mapping[str, Memory], live_at_s: float | None = None
    ) -> dict[str, None]:
        """Return the memories and all that they name, and so on; with a time, only by the word of those live then."""
        found = dict.fromkeys(start)
        waiting = list(found)
        while waiting and len(found) < MOST:
            memory = memories.get(waiting.pop())
            if memory is None or (live_at_s is not None and not is_live(memory, live_at_s)):
                continue
            for one in memory.supersedes:
                if one not in found:
                    found[one] = None
                    waiting.append(one)
        return found


def is_live(memory: Memory, now_s: float) -> bool:
    """Tell whether a memory's word on others counts: it is not disabled, its time is not over, and what it tells has begun.

    What will be so from next year on takes no place before; until then both are told.
    """
    begun = memory.held is None or memory.held.start_s is None or memory.held.start_s <= now_s
    return begun and not memory.disabled and (memory.expires_s is None or memory.expires_s > now_s)


def _bounds(memory: Memory) -> tuple[float, ...]:
    begins_s = memory.held.start_s if memory.held else None
    return tuple(one for one in (begins_s, memory.expires_s) if one is not None)


def _age(memory: Memory) -> tuple[float, str]:
    return (-inf if memory.when_s is None else memory.when_s, memory.id)


def _is_newer(one: Memory, other: Memory) -> bool:
    """Tell which of two rivals came later: who names the other did, whatever was edited in them since."""
    if other.id in one.conflicts or one.id in other.conflicts:
        return other.id in one.conflicts
    return _age(one) > _age(other)


def _overlap(one: Memory, other: Memory) -> bool:
    return not one.covers or not other.covers or bool(set(one.covers) & set(other.covers))
