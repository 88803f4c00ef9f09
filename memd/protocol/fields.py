"""What requests and replies have in common: kinds of fields with their bounds, and the line that says what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct

T = TypeVar("T")
RoleName = Annotated[str, Meta(min_length=1, max_length=200, description="a role's name, alias or uuid")]
MaybeRole = Annotated[str, Meta(max_length=200, description="a role's name, alias or uuid; all roles without it")]
MemoryId = Annotated[str, Meta(min_length=1, max_length=200, description="a memory's id, or its first characters")]
Words = Annotated[list[Annotated[str, Meta(min_length=1, max_length=500)]], Meta(max_length=100)]
Who = Annotated[str, Meta(pattern="^(user|agent|tool|file-edit|import)$", description="who says so")]
Share = Annotated[float, Meta(ge=0, le=1)]
Message = Annotated[str, Meta(max_length=1_000_000)]

# What an agent did: sessions, runs, tasks, skills.
WORDS_CHARS = 20_000  # of one text in a task's file, which is read and written whole
Name = Annotated[str, Meta(min_length=1, max_length=400)]
MaybeName = Annotated[str, Meta(max_length=400)]
Short = Annotated[str, Meta(max_length=500)]
Saying = Annotated[str, Meta(max_length=WORDS_CHARS, description="what the person says")]
Digest = Annotated[str, Meta(max_length=64, description="sha256 of the text this is meant for")]
Skill = Annotated[str, Meta(min_length=1, max_length=64)]
When = Annotated[float | str, Meta(description="seconds, milliseconds or ISO 8601")]
Event = dict[str, Any]  # of a session: what its kind says, and whatever else somebody put into it
Events = Annotated[list[Event], Meta(max_length=1000)]
Total = Annotated[int, Meta(description="how many there are, this part among them")]


class Request(Struct, forbid_unknown_fields=True, kw_only=True):
    """What is asked; parameters that nobody declared are refused."""

    reader: Annotated[
        str, Meta(pattern="^(person|model)$", description="model: what may not stand in a prompt is withheld")
    ] = "person"


class Paged(Request):
    """Which part of a list."""

    limit: Annotated[int, Meta(ge=1, le=1000, description="how many at once")] = 1000
    offset: Annotated[int, Meta(ge=0, le=1_000_000, description="how many to pass over")] = 0

    def part(self, listed: Sequence[T]) -> list[T]:
        """Return the part of a list that is asked for."""
        return list(listed[self.offset : self.offset + self.limit])


def listed(*values: str) -> Meta:
    """Return what a text of a reply is one of, today: a client takes what a newer daemon says in its place too."""
    return Meta(extra_json_schema={"enum": [*values]})


MemoryKind = Annotated[str, listed("episodic", "semantic", "trait", "goal")]


class Part(Struct, omit_defaults=True):
    """An object within a reply. What is None by default is not sent then."""


class Reply(Part, kw_only=True):
    """What is answered. What is None by default is not sent then."""

    remarks: Annotated[list[str], Meta(description="what became of the request on its way")] | None = None


class SectionView(Part):
    """A section of a prompt."""

    name: str
    title: str
    content: str
