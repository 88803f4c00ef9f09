"""What of a memory is indexed, and how much each field weighs."""

from __future__ import annotations

from memd.model.memory import Memory
from memd.text.analysis import tokens

CONTENT, KEYS, TOPICS, TAGS = 1.0, 2.0, 1.5, 1.0


def weights_of(memory: Memory) -> dict[str, float]:
    """Return the terms of a memory with their weights over all fields."""
    weights: dict[str, float] = {}
    for texts, weight in (
        ((memory.text,), CONTENT),
        (memory.keys, KEYS),
        (memory.topics, TOPICS),
        (memory.tags, TAGS),
    ):
        for text in texts:
            for term in tokens(text):
                weights[term] = weights.get(term, 0.0) + weight
    return weights
