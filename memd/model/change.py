"""What happens to one record of one role: the unit of the log, of merging and of undo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memd.model.memory import Kind


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
    """A line to stand once in a log of the workspace; `header` begins the file where it does not exist."""

    name: str
    text: str
    header: str = ""


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
