"""One scene against one role: gather the candidates of every strategy.

A strategy is a function from a compiled role and a scene to evidence; a new one is one line in STRATEGIES.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import partial

from memd.engine.recall import semantics
from memd.engine.recall.fields import weights_of
from memd.engine.recall.keywords import Keys
from memd.engine.recall.lexicon import Lexicon
from memd.engine.recall.temporal import is_expired
from memd.model.memory import Memory
from memd.model.scene import Candidate, Evidence, Refused, Scene, Strategy
from memd.model.settings import TriggerSettings

KEY_SCORE = 0.75  # what one key says that one memory has
FAINT = 0.05  # below this a strategy has said nothing
OLDER_MESSAGE = 0.8  # what a key counts in the message before the newest, and again for each further back


@dataclass(slots=True)
class Compiled:
    """A role's memories with the indexes that recall needs. Changed by put and drop only."""

    memories: dict[str, Memory] = field(default_factory=dict)
    lexicon: Lexicon = field(default_factory=Lexicon)
    keys: Keys = field(default_factory=Keys)
    constants: set[str] = field(default_factory=set)

    def put(self, memory: Memory, weights: dict[str, float] | None = None) -> None:
        """Hold a memory, with its terms where they are known already."""
        self.memories[memory.id] = memory
        self.lexicon.put(memory.id, weights_of(memory) if weights is None else weights)
        self.keys.put(memory.id, memory.keys)
        if memory.constant:
            self.constants.add(memory.id)
        else:
            self.constants.discard(memory.id)

    def drop(self, memory_id: str) -> None:
        """Forget a memory."""
        self.memories.pop(memory_id, None)
        self.lexicon.drop(memory_id)
        self.keys.drop(memory_id)
        self.constants.discard(memory_id)


@dataclass(frozen=True, slots=True)
class Asking:
    """A scene put to one role. `least`: what a strategy alone must say to be heard; `heard`: who has spoken already."""

    role: Compiled
    scene: Scene
    least: float
    heard: Collection[str]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The role's constants, the candidates with evidence, and those that may not come at all."""

    constants: list[Candidate]
    candidates: list[Candidate]
    barred: list[Refused]


def by_keys(asking: Asking) -> Iterable[tuple[str, Evidence]]:
    """Yield the memories whose keys stand in the scene. A key that many memories share says little of each."""
    role = asking.role
    doubts: dict[str, float] = {}
    words: dict[str, dict[str, None]] = {}
    share = 1.0
    many = max(len(role.memories) * 0.2, 4.0)
    for text in reversed(asking.scene.messages):
        for owner, keys in role.keys.scan(text).items():
            for key in keys:
                if key in words.setdefault(owner, {}):
                    continue
                words[owner][key] = None
                telling = max(0.4, 1.0 - 0.6 * (role.keys.owners(key) - 1) / many)
                doubts[owner] = doubts.get(owner, 1.0) * (1.0 - KEY_SCORE * share * telling)
        share *= OLDER_MESSAGE
    for owner, doubt in doubts.items():
        yield owner, Evidence(Strategy.KEYWORD, 1.0 - doubt, partial(_named, tuple(words[owner])))


def by_meaning(asking: Asking) -> Iterable[tuple[str, Evidence]]:
    """Yield the memories that share the scene's telling words."""
    lexicon = asking.role.lexicon
    terms = semantics.scene_terms(asking.scene.messages, asking.scene.topic)
    memories, heard = asking.role.memories, asking.heard
    for key, score in semantics.recall(lexicon, terms, least=asking.least, always=heard).items():
        if score * memories[key].relevance_weight >= asking.least or (score >= FAINT and key in heard):
            yield key, Evidence(Strategy.SEMANTIC, score, partial(semantics.reason, lexicon, key, terms))


STRATEGIES: tuple[tuple[str, Callable[[Asking], Iterable[tuple[str, Evidence]]]], ...] = (
    ("keyword", by_keys),
    ("semantic", by_meaning),
)


def gather(
    role: Compiled,
    name: str,
    scene: Scene,
    settings: TriggerSettings,
    *,
    weight: float = 1.0,
    own: bool = True,
    faint: bool = False,
) -> Gathered:
    """Return what speaks for the memories of a role. `faint`: also those that can only be refused, to explain them."""
    found: dict[str, Candidate] = {}
    least = FAINT if faint else max(FAINT, min(0.99, settings.relevance_threshold / max(weight, 0.01)))
    for setting, strategy in STRATEGIES:
        if getattr(settings, setting):
            for key, evidence in strategy(Asking(role, scene, least, found.keys())):
                candidate = found.get(key)
                if candidate is None:
                    candidate = found[key] = Candidate(name, role.memories[key], weight, own)
                candidate.evidence.append(evidence)
    constants: list[Candidate] = []
    for key in role.constants if own else ():
        candidate = found.pop(key) if key in found else Candidate(name, role.memories[key], weight, own)
        candidate.evidence.insert(0, Evidence(Strategy.CONSTANT, 1.0, lambda: "constant"))
        candidate.relevance = candidate.score = 1.0
        constants.append(candidate)
    constants.sort(key=lambda one: (-one.memory.priority, one.key))
    barred = [refusal for one in [*constants, *found.values()] if (refusal := _barred(one, scene.now_s))]
    gone = {one.candidate.key for one in barred}
    return Gathered(
        [one for one in constants if one.key not in gone],
        [one for one in found.values() if one.key not in gone],
        barred,
    )


def _named(keys: tuple[str, ...]) -> str:
    return "key " + ", ".join(repr(key) for key in keys[:4])


def _barred(candidate: Candidate, now_s: float) -> Refused | None:
    memory = candidate.memory
    if memory.disabled:
        return Refused(candidate, "disabled", "its record says so")
    if memory.superseded_by:
        return Refused(candidate, "superseded", f"{memory.superseded_by} took its place")
    if is_expired(memory, now_s):
        return Refused(candidate, "expired", "its validity has ended")
    return None
