"""A snapshot as an engine holds it: curated memory frozen for a run, ready for a system prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class PromptSection(NamedTuple):
    """One section of a system prompt; as a text, its title as a heading and its content."""

    name: str
    title: str
    content: str

    def __str__(self) -> str:
        return f"## {self.title}\n\n{self.content}"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`digest` names it for good: equal content has an equal digest, and equal sections byte for byte."""

    digest: str
    sections: tuple[PromptSection, ...]

    @classmethod
    def of_reply(cls, reply: Mapping[str, Any]) -> Snapshot:
        """Return the snapshot of a reply to snapshot.take or snapshot.sections."""
        found = (PromptSection(one["name"], one["title"], one["content"]) for one in reply["sections"])
        return cls(reply["digest"], tuple(found))

    def as_prompt_sections(self) -> list[str]:
        """Return the sections as texts for a system prompt, in their order."""
        return [str(one) for one in self.sections]
