"""Which candidates come to mind, and in what order.

Relevance is what the strategies say together (each halves the doubt the others left), times the memory's own weight and
that of the link it came by; below the threshold it is refused. Score is relevance times priority and decay, and orders
what is left. The threshold is asked before decay, so that an old memory with its own key still comes.

A memory that conflicts with one that comes is told beside it, whatever the scene says of it: one alone would be told as if
nobody doubted it. It comes as part of the other: it takes none of the places of its kind, but needs room like everything
else, and the newer of the two is offered room first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from memd.engine.recall.temporal import decay
from memd.model.lore import FINAL
from memd.model.scene import Candidate, Evidence, Measured, Refused, Strategy

if TYPE_CHECKING:
    from memd.engine.recall.compiled import Compiled
    from memd.model.lore import Fate
    from memd.model.memory import Kind, Memory

Key = tuple[str, str]
Place = tuple[float, int, Key]

AGE_FLOOR = 0.6  # what any age leaves of a score
INHERITED = frozenset({Strategy.KEYWORD, Strategy.SEMANTIC})  # by who takes a memory's place
PRIORITY_FLOOR = 0.6  # what priority 0 leaves of a score; 100 leaves all


def combined(evidence: Iterable[Evidence]) -> float:
    """Return what evidence says together, 0 to 1."""
    doubt = 1.0
    for one in evidence:
        doubt *= 1.0 - min(one.score, 0.99)
    return 1.0 - doubt


def relevance(candidate: Candidate) -> float:
    """Return the combined evidence, 0 to 1, as far as memory and link count."""
    return combined(candidate.evidence) * candidate.memory.relevance_weight * candidate.weight


def rank(
    candidates: Iterable[Candidate],
    *,
    threshold: float,
    now_s: float,
    use_decay: bool,
    used: Callable[[Candidate], float | None] = lambda _: None,
) -> tuple[list[Candidate], list[Refused]]:
    """Return the candidates above the threshold, best first, and those below it. `used`: when one last came, or None."""
    above: list[Candidate] = []
    below: list[Refused] = []
    for candidate in candidates:
        candidate.relevance = relevance(candidate)
        memory = candidate.memory
        candidate.age = age_of(memory, now_s, used(candidate)) if use_decay else 1.0
        candidate.priority = priority_of(memory)
        candidate.score = candidate.relevance * candidate.priority * candidate.age
        if candidate.relevance < threshold:
            detail = f"relevance {candidate.relevance:.2f} is below the threshold {threshold:.2f}"
            measured = Measured("relevance", candidate.relevance, threshold)
            below.append(Refused(candidate, "below threshold", detail, measured))
        else:
            above.append(candidate)
    above.sort(key=place_of)
    return above, below


def age_of(memory: Memory, now_s: float, used_s: float | None) -> float:
    """Return what age leaves of a score."""
    return AGE_FLOOR + (1 - AGE_FLOOR) * decay(memory, now_s, used_s)


def priority_of(memory: Memory) -> float:
    """Return what priority leaves of a score."""
    return PRIORITY_FLOOR + (1 - PRIORITY_FLOOR) * memory.priority / 100


def place_of(candidate: Candidate) -> Place:
    """Return by what candidates stand in order, the best first."""
    return -candidate.score, -candidate.memory.priority, candidate.key


def is_settled(chosen: Collection[Candidate], cut: Mapping[Kind, Place], allowed: Mapping[Kind, int]) -> bool:
    """Tell whether what was cut off would have found no place: before the first of it as many of its kind came as may."""
    plain = [one for one in chosen if not one.memory.rivals and one.evidence[0].strategy is not Strategy.CONSTANT]
    came = {
        kind: sum(one.memory.kind is kind and place_of(one) < first for one in plain) for kind, first in cut.items()
    }
    return all(came[kind] >= allowed[kind] for kind in cut)


def rivals_of(role: Compiled, candidates: Collection[Candidate], now_s: float) -> list[Candidate]:
    """Return the rivals of a role's candidates that are none themselves."""
    found: dict[str, Candidate] = {}
    heard = {one.memory.id for one in candidates}
    for one in candidates:
        for rival in one.memory.rivals:
            if rival not in heard and rival not in found and rival in role.memories:
                found[rival] = Candidate(one.role, role.at(rival, now_s), one.weight, one.own)
    return list(found.values())


def why_barred(memory: Memory, now_s: float) -> tuple[str, str] | None:
    """Return why a memory may not come whatever speaks for it."""
    if memory.disabled:
        return "disabled", "its record says so"
    if memory.superseded_by:
        return "superseded", f"{memory.superseded_by} took its place"
    return ("expired", "its validity has ended") if memory.is_expired(now_s) else None


def barred_by(candidate: Candidate, now_s: float, stopped: dict[str, tuple[Fate, str]]) -> Refused | None:
    """Return the refusal of a candidate that may not come; `stopped`: what the rules of keys refuse."""
    memory = candidate.memory
    if why := why_barred(memory, now_s):
        return Refused(candidate, *why)
    fate = stopped.get(memory.id)
    if fate and (fate[0] in FINAL or not candidate.evidence):
        return Refused(candidate, fate[0].value, fate[1])
    return None


def heir_of(role: Compiled, key: str, now_s: float) -> str:
    """Return who took a memory's place at last, or a part's, "" where nobody did that is there."""
    part = role.parts.memories.get(key)
    heir, passed = (part or role.at(key, now_s)).superseded_by, {key}
    while heir in role.memories and heir not in passed and (later := role.at(heir, now_s).superseded_by):
        passed.add(heir)
        heir = later
    return heir if heir in role.memories and heir not in passed else ""


def is_mute(role: Compiled, now_s: float, key: str) -> bool:
    """Tell whether a memory may not come, and hands nothing on to one that took its place."""
    memory = role.memories.get(key)
    return memory is not None and why_barred(memory, now_s) is not None and not heir_of(role, key, now_s)


def hand_on(role: Compiled, found: dict[str, list[Evidence]], now_s: float) -> None:
    """Let who took a memory's place answer what it answered: "I moved to Berlin" says less of where one lives than the text
    that it ended. Of keys and of meaning only: times and feelings are of the old text itself. Where several took the place of
    a memory's parts, what it means is asked of each part."""
    for key in sorted(key for key in found if role.texts[key].superseded_by):
        heir = heir_of(role, key, now_s)
        if not heir:
            continue
        own = found.setdefault(heir, [])
        for one in found[key]:
            if one.strategy is Strategy.SEMANTIC and key in role.parts.ids:
                continue
            beside = max((held.score for held in own if held.strategy is one.strategy), default=0.0)
            if one.strategy in INHERITED and one.score > beside:
                own[:] = [held for held in own if held.strategy is not one.strategy]
                own.append(one._replace(say=partial(_handed, one, key)))
        if not own:
            del found[heir]


def _handed(one: Evidence, key: str) -> str:
    return f"{one.reason}; it took the place of {key[:8]}"


def along(
    came: Iterable[Candidate], rivals: Iterable[Candidate], below: list[Refused], is_new: Callable[[Candidate], bool]
) -> tuple[dict[Key, Candidate], list[Refused]]:
    """Return the rivals of those that come, each as strong as what it comes with, and who is still refused.

    `rivals` are those nothing speaks for; those that too little speaks for are among the refused (`below`). Who `is_new` no
    more, as it stands in the window already, does not come again.
    """
    present = list(came)
    keys = {one.key for one in present}
    at_hand = {one.key: one for one in (*rivals, *(one.candidate for one in below))}
    found: dict[Key, Candidate] = {}
    for one in present:
        for rival in one.memory.rivals:
            other = at_hand.get((one.role, rival))
            if other is None or other.key in keys or other.key in found or not is_new(other):
                continue
            say = partial("conflicts with {}, which comes to mind".format, one.memory.id)
            other.evidence.append(Evidence(Strategy.CONFLICT, min(one.relevance, 1.0), say))
            other.relevance, other.score = one.relevance, one.score
            found[other.key] = other
    return found, [one for one in below if one.candidate.key not in found]


def with_rivals(candidate: Candidate, others: Mapping[Key, Candidate]) -> list[Candidate]:
    """Return a candidate with its rivals among others, the newest first."""
    rivals = (others.get((candidate.role, one)) for one in candidate.memory.rivals)
    return sorted([candidate, *(one for one in rivals if one is not None)], key=by_time)


def by_time(candidate: Candidate) -> tuple[bool, float]:
    """Return by what rivals are ordered: the newest first."""
    return candidate.memory.earlier, -(candidate.memory.when_s or 0.0)
