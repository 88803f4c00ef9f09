"""A role's memories with the indexes that recall needs. Changed by put and drop only."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from memd.engine.recall.dialogue import Turns, turns_of
from memd.engine.recall.lexicon import Lexicon, weights_of
from memd.engine.recall.lore.entries import Lore
from memd.engine.recall.succession import Succession
from memd.engine.recall.temporal import days_in
from memd.model.memory import Kind, Memory
from memd.model.scene import Emotion, emotion_of
from memd.text.standing import is_standing

if TYPE_CHECKING:
    from memd.text.clauses import Clause

V = TypeVar("V")


@dataclass(slots=True)
class Parts:
    """The statements that others took the place of, while the rest of their memory holds or went to somebody else: each as a
    memory of its own that its heir superseded. `ids` are those of one memory."""

    memories: dict[str, Memory] = field(default_factory=dict)
    ids: dict[str, list[str]] = field(default_factory=dict)

    def put(self, memory: Memory, ended: Sequence[tuple[Clause, str]], lexicon: Lexicon) -> None:
        """Hold what of a memory others took the place of, in place of what was held of it, with its words in the lexicon."""
        self.drop(memory.id, lexicon)
        for clause, heir in ended:
            part = Memory(
                f"{memory.id}#{clause.digest}", memory.kind, clause.said, memory.name, when_s=memory.when_s,
                relevance_weight=memory.relevance_weight, superseded_by=heir,
            )  # fmt: skip
            self.memories[part.id] = part
            lexicon.put(part.id, weights_of(part))
            self.ids.setdefault(memory.id, []).append(part.id)

    def drop(self, memory_id: str, lexicon: Lexicon) -> None:
        """Forget what is held of a memory."""
        for one in self.ids.pop(memory_id, ()):
            self.memories.pop(one, None)
            lexicon.drop(one)


@dataclass(slots=True)
class Compiled:
    """Memories by id, as they stand; their words, keys, feelings, the dates they name, and which are constant or goals.

    `partial` are those of which others took the place of a part, `undated` those whose own words are not read for times yet.
    """

    memories: dict[str, Memory] = field(default_factory=dict)
    lexicon: Lexicon = field(default_factory=Lexicon)
    lore: Lore = field(default_factory=Lore)
    constants: set[str] = field(default_factory=set)
    dates: dict[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    feelings: dict[str, tuple[Emotion, ...]] = field(default_factory=dict)
    temporal: set[str] = field(default_factory=set)
    goals: set[str] = field(default_factory=set)
    undated: set[str] = field(default_factory=set)
    zone: str | None = None  # in which the words of what is dated were read
    partial: set[str] = field(default_factory=set)
    succession: Succession = field(default_factory=Succession)
    parts: Parts = field(default_factory=Parts)
    _turns: Turns | None = None

    def put(self, memory: Memory, weights: dict[str, float] | None = None) -> list[str]:
        """Hold a memory, with the terms of what is written in it where they are known; return the others that changed."""
        bare = memory.as_written()
        concerned = self._unlinked(bare.id)
        self._changed(bare)
        self.memories[bare.id] = bare
        self.succession.put(bare)
        standing = self.succession.standing(bare, self.memories)
        self._put(standing, weights if standing.text == bare.text else None)
        self._part(standing)
        if not (concerned or self.succession.concerns_others(bare)):
            return []
        return self._settled((concerned | self.succession.concerned(bare.id, self.memories)) - {bare.id})

    def load(self, memories: Sequence[Memory], lexicon: Lexicon, stands: Mapping[str, bool]) -> list[str]:
        """Hold memories where none are held, with the terms of what is written in them; return those that stand otherwise.

        `stands`: whether a memory stands in every conversation, of those of whom that is known.
        """
        self.lexicon = lexicon
        for memory in memories:
            self.memories[memory.id] = memory
            self.succession.put(memory)
            self._index(memory, stands.get(memory.id))
        naming = (one.id for one in memories if self.succession.concerns_others(one))
        concerned = set[str]().union(*(self.succession.concerned(one, self.memories) for one in naming))
        return self._settled(concerned)

    def drop(self, memory_id: str) -> list[str]:
        """Forget a memory; return the others that changed."""
        concerned = self._unlinked(memory_id)
        self.memories.pop(memory_id, None)
        self.lexicon.drop(memory_id)
        self.lore.drop(memory_id)
        self.dates.pop(memory_id, None)
        self.feelings.pop(memory_id, None)
        self.parts.drop(memory_id, self.lexicon)
        for held in (self.constants, self.temporal, self.goals, self.undated, self.partial):
            held.discard(memory_id)
        return self._settled(concerned - {memory_id})

    def date(self, memory: Memory) -> None:
        """Hold a memory with the times that its own words were found to tell."""
        self.undated.discard(memory.id)
        if self.memories.get(memory.id) is not memory:
            self.memories[memory.id] = memory
            _hold(self.dates, memory.id, days_in(memory))

    def pass_time(self, now_s: float) -> list[str]:
        """Let it be this time, in seconds since the epoch; return the memories that stand otherwise by that."""
        concerned: set[str] = set()
        for one in self.succession.pass_time(now_s):
            concerned |= self.succession.concerned(one, self.memories)
        return self._settled(concerned)

    def at(self, memory_id: str, now_s: float) -> Memory:
        """Return a memory as it stands at a time of a scene."""
        memory = self.memories[memory_id]
        if not self.succession.turning or now_s == self.succession.now_s:
            return memory
        names = self.succession.named.get(memory_id, ())
        doubts = (*self.succession.doubted.get(memory_id, ()), *memory.conflicts)
        if memory.supersedes or doubts or any(one in self.succession.turning for one in names):
            return self.succession.standing(memory, self.memories, now_s)
        return memory

    def _unlinked(self, memory_id: str) -> set[str]:
        """Take out what a memory says of others; return whom that concerns."""
        before = self.memories.get(memory_id)
        self._changed(before)
        if before is None or not self.succession.concerns_others(before):
            return set()
        concerned = self.succession.concerned(memory_id, self.memories)
        self.succession.drop(before)
        return concerned

    def _settled(self, concerned: set[str]) -> list[str]:
        """See how memories stand; return those that stand otherwise than before."""
        changed: list[str] = []
        for one in concerned:
            before = self.memories.get(one)
            if before is None:
                continue
            standing = self.succession.standing(before, self.memories)
            self._part(standing)
            if standing == before:
                continue
            changed.append(one)
            if standing.text != before.text:
                self._put(standing, None)
            else:
                self.memories[one] = standing
        return changed

    def _part(self, memory: Memory) -> None:
        """Hold what of a memory as it stands others took the place of."""
        if memory.id in self.succession.named or memory.id in self.parts.ids:
            self.parts.put(memory, self.succession.ended(memory, self.memories), self.lexicon)

    def _put(self, memory: Memory, weights: dict[str, float] | None) -> None:
        """Hold a memory as it stands in every index."""
        self.memories[memory.id] = memory
        self.lexicon.put(memory.id, weights_of(memory) if weights is None else weights)
        self._index(memory, None)

    def _index(self, memory: Memory, stands: bool | None) -> None:
        """Hold a memory as it stands in every index but that of its words; `stands`: None where it is to be judged."""
        if not memory.keys:
            self.lore.drop(memory.id)
        elif memory.lore is None:
            self.lore.put_plain(memory.id, memory.keys)
        else:
            self.lore.put(replace(memory.lore, id=memory.id, keys=memory.keys, ignore_budget=True))
        _hold(self.dates, memory.id, days_in(memory))
        _hold(self.feelings, memory.id, tuple(one for word in memory.emotions if (one := emotion_of(word))))
        for held, belongs in (
            (self.constants, memory.constant or (_stands(memory) if stands is None else stands)),
            (self.temporal, memory.trigger_type == "temporal"),
            (self.goals, memory.kind is Kind.GOAL),
            (self.undated, memory.undated is not None),
            (self.partial, bool(memory.holds)),
        ):
            if belongs:
                held.add(memory.id)
            else:
                held.discard(memory.id)

    @property
    def texts(self) -> Mapping[str, Memory]:
        """Return all whose words are held: the memories, and the parts of them that ended."""
        return ChainMap(self.memories, self.parts.memories) if self.parts.memories else self.memories

    def of_memories(self, said: Mapping[str, V]) -> Mapping[str, V]:
        """Return of what is said of texts that which is said of memories."""
        return {one: value for one, value in said.items() if one in self.memories} if self.parts.memories else said

    @property
    def turns(self) -> Turns:
        """The memories that are turns of a conversation."""
        if self._turns is None:
            self._turns = turns_of(self.memories)
        return self._turns

    def _changed(self, memory: Memory | None) -> None:
        if memory is not None and self._turns is not None and self._turns.concerns(memory):
            self._turns = None


def _stands(memory: Memory) -> bool:
    """Tell whether a memory tells how to be in every conversation, though its record does not say so."""
    return not (memory.ordinary or memory.is_of_world) and is_standing(memory.text, memory.source)


def _hold(held: dict[str, Any], key: str, found: tuple[Any, ...]) -> None:
    if found:
        held[key] = found
    else:
        held.pop(key, None)
