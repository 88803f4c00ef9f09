"""What a foreign file holds: memories as raw records, a book, and what could not be taken and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memd.model.memory import Kind


@dataclass(slots=True)
class Foreign:
    """`refused` pairs a place in the file with the reason. `role` is whom the file says it belongs to, "" where it does not."""

    form: str
    memories: list[tuple[Kind, dict[str, Any]]] = field(default_factory=list)
    books: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    role: str = ""
