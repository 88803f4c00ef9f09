"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class BecameView(Struct, kw_only=True, omit_defaults=True):
    """What became of one statement."""

    fate: str
    """Staged: it waits in the inbox."""
    id: str
    """Of the statement: the same whenever this turn is looked at."""
    turn: int
    """The event of the session that settles it, from 1."""
    at: str
    """When it was said."""
    total: float
    source: str
    why: str | None = None
    text: str | None = None
    """Where it is still known."""
    memory: str | None = None
    """The memory that has it now."""
    how: str | None = None
    """Stored, superseding, refined."""
    supersedes: str | None = None
    """The memory whose place it took."""
    inbox: str | None = None
    """Its id in the inbox."""
    lasting: str | None = None
    """Proposed for USER.md: identity, preference, health, home or work."""


class PassView(Struct, kw_only=True, omit_defaults=True):
    """One pass."""

    id: str
    """Of what was only tried: no such pass is kept."""
    at: str
    session: str
    role: str
    level: str
    """Auto, or inbox: all waits."""
    by: str
    """Person, model (at an endpoint that this machine names), memd by itself, or past: conversations that agents had kept."""
    first_turn: int
    last_turn: int
    turns: int
    """Messages that were looked at."""
    counts: dict[str, int]
    """Statements by what became of them; dropped: not worth a word."""
    undone: str | None = None
    """When it was taken back."""
    became: list[BecameView] | None = None


class ConsolidatedSessions(Reply, kw_only=True):
    """What became of what was said."""

    would: bool
    """It was only tried."""
    sessions: int
    """That were looked at."""
    passes: list[PassView]
    skipped: dict[str, str]
    """Sessions that were left out, each with the reason."""
    left: int
    """Messages that a trial did not come to."""


class PassesView(Reply, kw_only=True):
    """Passes, the newest first."""

    total: int
    """How many are kept, older and newer ones too."""
    passes: list[PassView]
    more: bool
    """There are older ones."""


class PassTakenBack(Reply, kw_only=True):
    """What was taken back, and what was left as somebody changed it since."""

    id: str
    role: str
    archived: list[str]
    """Memories that are in the archive now."""
    changed: list[str]
    """Memories that stand as they did before."""
    unstaged: list[str]
    """Texts that left the inbox."""
    left: dict[str, str]
    """What stays, each with the reason."""
    already: bool
    """It was taken back before."""
