"""Which candidates come to mind, and in what order.

Relevance is what the strategies say together (each halves the doubt the others left), times the memory's own weight and
that of the link it came by; below the threshold it is refused. Score is relevance times priority and decay, and orders
what is left. The threshold is asked before decay, so that an old memory with its own key still comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memd.engine.recall.temporal import decay
from memd.model.scene import Candidate, Refused

AGE_FLOOR = 0.6  # what any age leaves of a score
PRIORITY_FLOOR = 0.6  # what priority 0 leaves of a score; 100 leaves all


def relevance(candidate: Candidate) -> float:
    """Return the combined evidence, 0 to 1."""
    doubt = 1.0
    for one in candidate.evidence:
        doubt *= 1.0 - min(one.score, 0.99)
    return (1.0 - doubt) * candidate.memory.relevance_weight * candidate.weight


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
        age = AGE_FLOOR + (1 - AGE_FLOOR) * decay(memory, now_s, used(candidate)) if use_decay else 1.0
        priority = PRIORITY_FLOOR + (1 - PRIORITY_FLOOR) * memory.priority / 100
        candidate.score = candidate.relevance * priority * age
        if candidate.relevance < threshold:
            detail = f"relevance {candidate.relevance:.2f} is below the threshold {threshold:.2f}"
            below.append(Refused(candidate, "below threshold", detail))
        else:
            above.append(candidate)
    above.sort(key=lambda one: (-one.score, -one.memory.priority, one.key))
    return above, below
