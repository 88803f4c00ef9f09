"""What a change to the memories of a role is, and how a new statement stands to an old one."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memd.model.memory import Kind


# How a new statement stands to an old one.
#
# Source
#     docs/remember.md#what-it-is-to-what-is-known: duplicates update the older memory, contradictions supersede it with a link.


class Relation(StrEnum):
    """The four ways."""

    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    REFINEMENT = "refinement"
    UNRELATED = "unrelated"


# How sure a judgement must be; a false merge is the worst error.
SURE = {Relation.DUPLICATE: 0.74, Relation.CONTRADICTION: 0.7, Relation.REFINEMENT: 0.4, Relation.UNRELATED: 0.0}
# Words alone must be surer: they take what is alike for more.
SURE_BY_WORDS = {**SURE, Relation.CONTRADICTION: 0.57, Relation.REFINEMENT: 0.5}


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgement on a pair: how sure it is (0 to 1), and what it rests on, as a sentence part."""

    relation: Relation
    sure: float
    why: str
    old_in_new: float = 0.0  # how much of the old statement the new one says, 0 to 1
    doubt: float = 0.0  # how likely it contradicts the old one, whatever is likeliest, 0 to 1


@dataclass(frozen=True, slots=True)
class Change:
    """A record before and after, as raw JSON objects; None where there is none on that side."""

    role: str
    kind: Kind
    id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    firm: bool = False  # an erasure: it is done whatever was edited meanwhile

    def reversed(self) -> Change:
        """Return the change that undoes this one."""
        return Change(self.role, self.kind, self.id, self.after, self.before)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A change that could not be merged with what stands in the file: what was wanted, and what stands."""

    change: Change
    standing: dict[str, Any] | None
    why: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line to stand once in a log of the workspace; `header` begins the file where it does not exist.

    `value`: what the text is of, where whoever made it has it still.
    """

    name: str
    text: str
    header: str = ""
    value: dict[str, Any] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Erasure:
    """A memory whose text is to be removed from every file memd writes."""

    role: str
    kind: Kind
    id: str


@dataclass(frozen=True, slots=True)
class Put:
    """A whole text file before and after; None where there is none on that side."""

    name: str
    before: str | None
    after: str | None


Operation = Change | Line | Erasure | Put
