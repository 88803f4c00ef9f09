"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct, field

from memd.client.types.plain.declared import Reply
from memd.client.types.plain.judged import JudgedDimension


class MeantRemember(Struct, kw_only=True, omit_defaults=True):
    """The parameters of the remember that was meant, ready to send."""

    role: str
    content: str
    source: str
    explicit: bool | None = None
    kind: str | None = None
    name: str | None = None
    """A trait's name."""
    keys: list[str] | None = None
    tags: list[str] | None = None
    validity: str | None = None
    session: str | None = None


class GuardRuling(Reply, kw_only=True):
    """What is to be done with a call, or after a message."""

    action: str
    why: str
    target: str
    """The files or the tool concerned."""
    hint: str
    """What to do instead."""
    remember: list[MeantRemember]
    commands: list[str]
    """The same as lines for a shell."""
    violations: int
    """How many the session has by now; 0 where this is none."""
    allowed: int
    """How many a session may have."""


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
    proposals: list[Proposal]
    """The best first."""
