"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class HappenedView(Struct, kw_only=True, omit_defaults=True):
    """One thing that memd did."""

    at: str
    what: str
    """Remembered, superseded, consolidated, forgotten with its reason, and others."""
    role: str
    id: str
    """Of the memory, the pass or the text of the inbox; empty where there is none."""
    text: str
    """Its first 300 characters."""
    undo: str | None = None
    """The words behind `memd` that take it back."""


class Log(Reply, kw_only=True):
    """What memd did lately, the newest first."""

    happened: list[HappenedView]
    more: bool
    """There is older."""
