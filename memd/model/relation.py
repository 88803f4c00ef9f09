"""How a new statement stands to an old one.

Source
    docs/remember.md#what-it-is-to-what-is-known: duplicates update the older memory, contradictions supersede it with a link.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Relation(StrEnum):
    """The four ways."""

    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    REFINEMENT = "refinement"
    UNRELATED = "unrelated"


# How sure a judgement must be; a false merge is the worst error.
SURE = {Relation.DUPLICATE: 0.74, Relation.CONTRADICTION: 0.55, Relation.REFINEMENT: 0.5, Relation.UNRELATED: 0.0}
# Words alone must be surer: they take what is alike for the same.
SURE_BY_WORDS = {**SURE, Relation.CONTRADICTION: 0.62}
DOUBTED = 0.36  # from which a contradiction that is not sure is worth asking a person


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgement on a pair: how sure it is (0 to 1), and what it rests on, as a sentence part."""

    relation: Relation
    sure: float
    why: str
    old_in_new: float = 0.0  # how much of the old statement the new one says, 0 to 1
    doubt: float = 0.0  # how likely it contradicts the old one, whatever is likeliest, 0 to 1
