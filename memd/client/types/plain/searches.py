"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class Hit(Struct, kw_only=True, omit_defaults=True):
    """A document that was found."""

    kind: str
    role: str
    """Whose memory it is; empty where it is none."""
    id: str
    name: str
    """Its file."""
    title: str
    snippet: str
    """The best part, the words marked **so**."""
    score: float
    """0 to 1."""
    line: int
    """Of its file."""
    time: str | None = None
    event: str | None = None
    """When what it tells happened or will."""
    tags: list[str] | None = None
    superseded_by: str | None = None
    """What took its place."""
    earlier: bool | None = None
    """Its words are of then, others than now."""
    withheld: str | None = None
    """Why it may not stand in a prompt."""


class Searched(Struct, kw_only=True, omit_defaults=True):
    """How far the full-text index on disk was."""

    behind: int
    """Documents that it does not have as they are now."""
    state: str


class Found(Reply, kw_only=True):
    """The best documents."""

    hits: list[Hit]
    total: int
    """How many there are."""
    about: bool | None = None
    """The total is an estimate: of words that nearly everything has, only the newest are read."""
    index: Searched
    as_of: str | None = None
    """The time that was asked about."""
    notes: list[str] | None = None
    """What nobody can tell of then."""
    elapsed_ms: float
