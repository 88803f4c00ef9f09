"""What the tools answer, as types: the protocol's replies without what an agent has no use for."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

R = TypeVar("R", bound="Reply")

BEGIN_CHARS = 120


class Reply(BaseModel):
    """A reply; other keys of the protocol's are left out."""

    model_config = ConfigDict(extra="ignore")


class Recalled(Reply):
    """A memory that came to mind."""

    id: str
    kind: str = Field(description="episodic, semantic, trait, goal, entry (of a book) or page")
    role: str = ""
    score: float = 0.0
    reasons: list[str] = []
    text: str = Field("", description=f"its first {BEGIN_CHARS} characters; `content` has all of it")


class Passed(Reply):
    """A memory that did not come to mind, and what stopped it."""

    id: str
    why: str
    detail: str = ""
    text: str = ""


class TriggerReply(Reply):
    """What comes to mind."""

    content: str = Field(description="the block to read; empty where nothing comes to mind")
    role: str
    activated: list[Recalled] = Field([], description="what stands in the block, with the id to update or forget it by")
    in_window: list[str] = Field([], description="ids that this session was told lately, and is not told again")
    dropped_for_room: list[str] = Field([], description="ids that did not fit; a larger budget_chars would show them")
    refused: list[Passed] = Field([], description="with `explain`: what was considered and did not come")
    notes: list[str] = []


class Hit(Reply):
    """A document that has what was looked for."""

    kind: str
    role: str = ""
    id: str
    name: str = Field(description="the file it stands in")
    title: str = ""
    snippet: str = Field(description="the place, with the words marked **so**")
    score: float
    time: str = ""
    tags: list[str] = []


class IndexState(Reply):
    """How far the full-text index is."""

    behind: int
    state: str


class SearchReply(Reply):
    """The best documents, and how many there are."""

    hits: list[Hit]
    total: int
    index: IndexState | None = None


class Past(Reply):
    """A state that a memory was in."""

    how: str
    at: str = ""
    id: str = ""
    content: str = ""


class MemoryReply(Reply):
    """One memory as it stands."""

    id: str
    role: str
    kind: str
    content: str
    name: str = ""
    keys: list[str] = []
    tags: list[str] = []
    topics: list[str] = []
    time: str = ""
    validity: str = ""
    priority: int = 0
    constant: bool = False
    disabled: bool = False
    score: float | None = None
    source: str = ""
    file: str = ""
    digest: str = Field(
        "", description="of the record as it stands; give it to memory_update to be sure of no other change"
    )
    history: list[Past] = []
    remarks: list[str] = []


class Dimension(Reply):
    """One of the six dimensions of the gate."""

    value: float
    given: bool
    basis: str


class Relation(Reply):
    """An older memory that the text has to do with."""

    to: str
    relation: str = Field(alias="is", description="duplicate, refinement or contradiction")
    why: str = ""
    content: str = ""


class Receipt(Reply):
    """Where it stands, and the digest to prove it by."""

    file: str
    digest: str


class RememberReply(Reply):
    """Whether the text is kept, and why."""

    stored: bool = Field(description="true only if this text is kept now")
    id: str | None = Field(None, description="the memory's; of a duplicate, the older one's")
    role: str
    kind: str = ""
    content: str = Field("", description="the text as it is kept")
    verdict: str = Field(
        description="stored, refined, superseding, redacted; not stored: duplicate, quarantined (a person decides), refused"
    )
    total: float = Field(description="0 to 10; 7 and more is kept")
    reason: str = ""
    hint: str = ""
    remarks: list[str] = []
    relation: Relation | None = None
    supersedes: str | None = None
    review: str | None = Field(None, description="of a quarantined text: the id a person decides by")
    dimensions: dict[str, Dimension] = Field({}, description="where it was refused: what the total is made of")
    receipt: Receipt | None = None


class ForgetReply(Reply):
    """Where the memory went."""

    id: str
    role: str
    archived: str | None = Field(None, description="the archive's file; memory.restore brings it back")
    erased: bool
    remains: str = ""
    also_in: list[str] = Field([], description="files of the user's own that have the text too")
    remarks: list[str] = []


class Section(Reply):
    """One section of a system prompt."""

    name: str
    title: str
    content: str


class SnapshotReply(Reply):
    """What always holds."""

    digest: str
    sections: list[Section]


class SessionsReply(Reply):
    """Sessions, or what was said in them; `shape` says which keys there are."""

    shape: str = Field(description="discover: hits; scroll: events; read: begins and ends; browse: sessions")
    session: str = ""
    hits: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    begins: list[dict[str, Any]] = []
    ends: list[dict[str, Any]] = []
    between: int = 0
    earlier: int = 0
    later: int = 0
    sessions: list[dict[str, Any]] = []
    total: int | None = None


def reply_of(kind: type[R], raw: dict[str, Any], **more: Any) -> R:
    """Return a typed reply of the protocol's reply."""
    known = {key: value for key, value in {**raw, **more}.items() if value is not None}
    return kind.model_validate(known)
