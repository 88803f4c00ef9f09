"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.client.types.plain.declared import Reply
from memd.client.types.work.consolidation import PassView


class StatedFact(Struct, kw_only=True, omit_defaults=True):
    """A statement of a model's."""

    text: str
    """One fact, in the words of the turns."""
    turns: list[int]
    """The numbers of the turns that say it."""


class PackTurn(Struct, kw_only=True, omit_defaults=True):
    """A turn of a conversation."""

    n: int
    """Its number, by which a statement names it."""
    speaker: str
    """User or agent."""
    at: str
    text: str
    """Keys and tokens are redacted."""
    seen: bool | None = None
    """It was looked at before, and proves something only with another turn."""


class KnownMemory(Struct, kw_only=True, omit_defaults=True):
    """A memory that may say already what the turns tell."""

    id: str
    text: str


class PackView(Struct, kw_only=True, omit_defaults=True):
    """What a model is given."""

    pack: str
    """Its id: an answer names it."""
    session: str
    role: str
    instructions: str
    turns: list[PackTurn]
    known: list[KnownMemory]
    form: dict[str, Any]
    """JSON schema of the answer."""


class PacksView(Reply, kw_only=True):
    """Packs, oldest first."""

    packs: list[PackView]
    skipped: dict[str, str]
    """Sessions that were left out, each with the reason."""
    left: int
    """Messages that have no pack yet."""


class UnprovedFact(Struct, kw_only=True, omit_defaults=True):
    """A statement that was refused, as no turn proves it."""

    text: str
    turns: list[int]
    why: str


class AppliedPack(Reply, kw_only=True):
    """What became of an answer."""

    would: bool
    """It was only tried."""
    pack: str
    session: str
    role: str
    settled: bool
    """Its turns are done with; where nothing was proved they are not."""
    already: bool
    """Its turns were looked at before: nothing was done."""
    passes: list[PassView]
    unproved: list[UnprovedFact]
