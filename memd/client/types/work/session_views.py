"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from memd.client.types.plain.declared import Reply


class Origin(Struct, kw_only=True, omit_defaults=True):
    """Where a session comes from."""

    session: str
    how: str
    """Resume or fork."""
    at: str
    """The event after which it goes another way."""


class SessionView(Reply, kw_only=True):
    """What a session comes to."""

    session: str
    file: str
    events: int
    visible: int
    """Events that a model is shown again."""
    closed: bool
    kinds: dict[str, int]
    """How many events of each kind there are."""
    usage: dict[str, float]
    """Input_tokens, output_tokens, ..., cost, calls; no zeros."""
    last_at: str
    runs: list[str]
    bytes: int
    role: str | None = None
    title: str | None = None
    origin: Origin | None = field(default=None, name="from")
    engine: str | None = None
    opened_at: str | None = None
    damaged: int | None = None
    """Lines that cannot be read."""
    foreign: int | None = None
    """Lines that somebody else wrote."""
    twice: int | None = None
    """Lines that stand there again."""


class AppendedEvent(Struct, kw_only=True, omit_defaults=True):
    """An event that was appended."""

    id: str
    seq: int
    """Its place in the session, from 1."""
    raw_tool_call: dict[str, Any] | None = None
    """A tool call that was written as text, and what became of it."""
