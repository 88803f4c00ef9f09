"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct, field

from memd.client.types.plain.declared import Reply
from memd.client.types.plain.judged import JudgedDimension


class SaidMessage(Struct, kw_only=True, omit_defaults=True):
    """One message."""

    content: str
    speaker: str = "user"
    """User, assistant or tool."""


class ProposedRemember(Struct, kw_only=True, omit_defaults=True):
    """The parameters of the remember that is proposed, ready to send."""

    role: str
    content: str
    source: str | None = None
    """Where the speaker is one of these."""
    explicit: bool | None = None
    """The user asked for it."""
    session: str | None = None


class ProposedRelation(Struct, kw_only=True, omit_defaults=True):
    """The memory that a proposal concerns."""

    to: str
    """Its id."""
    relation: str = field(name="is")
    """How it stands to it."""
    content: str
    """What it says."""


class Proposal(Struct, kw_only=True, omit_defaults=True):
    """A statement that is worth remembering."""

    content: str
    kind: str
    total: float
    dimensions: dict[str, JudgedDimension]
    reason: str
    remember: ProposedRemember
    relation: ProposedRelation | None = None


class Proposals(Reply, kw_only=True):
    """What of a conversation is worth remembering."""

    role: str
    looked_at: int
    """How many statements."""
    total: int
    """How many of them are worth it; the first `limit` are told."""
    proposals: list[Proposal]
    """The best first."""
