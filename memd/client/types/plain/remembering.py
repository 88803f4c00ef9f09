"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct, field

from memd.client.types.plain.declared import Reply
from memd.client.types.plain.judged import JudgedDimension


class GivenScore(Struct, kw_only=True, omit_defaults=True):
    """A dimension's value with the sentence it rests on."""

    value: float
    basis: str = ""


class Receipt(Struct, kw_only=True, omit_defaults=True):
    """Where a memory is written."""

    file: str
    digest: str
    """Of the record's canonical JSON."""


class RelationTold(Struct, kw_only=True, omit_defaults=True):
    """How a text stands to a memory."""

    to: str
    """The memory's id."""
    relation: str = field(name="is")
    sure: float
    """0 to 1."""
    why: str
    content: str
    """The memory's."""
    covers: list[str] | None = None
    """Its statements that are contradicted, where not all."""


class DangerFound(Struct, kw_only=True, omit_defaults=True):
    """What a look at a text found."""

    danger: str
    why: str


class Inferred(Struct, kw_only=True, omit_defaults=True):
    """What memd found out of a text, which nobody had said."""

    what: str
    """The parameter that would have said so."""
    value: str
    why: str


class _Judged(Reply, kw_only=True):
    """A text's total with its dimensions, and what became or would become of it."""

    stored: bool
    """This text is kept."""
    id: str | None
    """Of the memory that is meant: the new one, or the older one it was joined with."""
    total: int | float
    """0 to 10, one decimal."""
    computed_total: float
    """Before it was raised to that of an explicit instruction."""
    band: str
    """Where the total falls."""
    dimensions: dict[str, JudgedDimension]


class Remembered(_Judged, kw_only=True):
    """What became of a text."""

    verdict: str
    reason: str
    hint: str
    """What would change it."""
    receipt: Receipt | None
    """Null where nothing was written."""
    kind: str | None = None
    """Of what is kept."""
    content: str | None = None
    """As it is kept."""
    event: str | None = None
    """When what it tells happened or will."""
    redacted: str | None = None
    """Which secret was taken out."""
    supersedes: str | None = None
    """The memory whose place it takes."""
    holds: str | None = None
    """What of that still holds, where a part was replaced."""
    review: str | None = None
    """What waits for a person, for review.decide."""
    relation: RelationTold | None = None
    found: list[DangerFound] | None = None
    inferred: list[Inferred] | None = None
    """What was found out of the text."""
    role: str


class Scored(_Judged, kw_only=True):
    """What would become of a text."""

    verdict: str
    reason: str
    hint: str
    """What would change it."""
    receipt: None
    """Nothing was written."""
    relation: RelationTold | None = None
    found: list[DangerFound] | None = None
    inferred: list[Inferred] | None = None
    """What would be found out of the text."""
