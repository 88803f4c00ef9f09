"""A role's memories with the indexes that recall needs. Changed by put and drop only."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from memd.engine.recall.dialogue import Turns, turns_of
from memd.engine.recall.fields import weights_of
from memd.engine.recall.lexicon import Lexicon
from memd.engine.recall.lore.entries import Lore
from memd.engine.recall.temporal import days_in
from memd.model.emotion import Emotion, emotion_of
from memd.model.lore import Entry
from memd.model.memory import Kind, Memory


@dataclass(slots=True)
class Compiled:
    """Memories by id; their words, keys, feelings, the dates they name, and which are constant or goals."""

    memories: dict[str, Memory] = field(default_factory=dict)
    lexicon: Lexicon = field(default_factory=Lexicon)
    lore: Lore = field(default_factory=Lore)
    constants: set[str] = field(default_factory=set)
    dates: dict[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    feelings: dict[str, tuple[Emotion, ...]] = field(default_factory=dict)
    temporal: set[str] = field(default_factory=set)
    goals: set[str] = field(default_factory=set)
    _turns: Turns | None = None

    def put(self, memory: Memory, weights: dict[str, float] | None = None) -> None:
        """Hold a memory, with its terms where they are known already."""
        self._changed(self.memories.get(memory.id))
        self._changed(memory)
        self.memories[memory.id] = memory
        self.lexicon.put(memory.id, weights_of(memory) if weights is None else weights)
        if memory.keys:
            self.lore.put(entry_of(memory))
        else:
            self.lore.drop(memory.id)
        _hold(self.dates, memory.id, days_in(memory))
        _hold(self.feelings, memory.id, tuple(one for word in memory.emotions if (one := emotion_of(word))))
        for held, belongs in (
            (self.constants, memory.constant),
            (self.temporal, memory.trigger_type == "temporal"),
            (self.goals, memory.kind is Kind.GOAL),
        ):
            if belongs:
                held.add(memory.id)
            else:
                held.discard(memory.id)

    @property
    def turns(self) -> Turns:
        """The memories that are turns of a conversation."""
        if self._turns is None:
            self._turns = turns_of(self.memories)
        return self._turns

    def drop(self, memory_id: str) -> None:
        """Forget a memory."""
        self._changed(self.memories.pop(memory_id, None))
        self.lexicon.drop(memory_id)
        self.lore.drop(memory_id)
        self.dates.pop(memory_id, None)
        self.feelings.pop(memory_id, None)
        self.constants.discard(memory_id)
        self.temporal.discard(memory_id)
        self.goals.discard(memory_id)

    def _changed(self, memory: Memory | None) -> None:
        if memory is not None and memory.session and memory.speaker:
            self._turns = None


def entry_of(memory: Memory) -> Entry:
    """Return a memory as an entry: it has no part in recursion unless its record says so, and no budget of its own."""
    if memory.lore is not None:
        return replace(memory.lore, id=memory.id, keys=memory.keys, ignore_budget=True)
    return Entry(memory.id, memory.keys, ignore_budget=True, exclude_recursion=True, prevent_recursion=True)


def _hold(held: dict[str, Any], key: str, found: tuple[Any, ...]) -> None:
    if found:
        held[key] = found
    else:
        held.pop(key, None)
