"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct, field

from memd.client.types.plain.declared import Reply
from memd.client.types.plain.judged import JudgedDimension, NearText


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


class Conflicting(Struct, kw_only=True, omit_defaults=True):
    """A memory that the text perhaps contradicts: both are told until a person settles it."""

    id: str
    """Of the conflict, for review.settle."""
    to: str
    """The memory's id."""
    sure: float
    """0 to 1."""
    content: str
    """The memory's."""


class StatementTold(Struct, kw_only=True, omit_defaults=True):
    """One statement of a text of several: the best of them decides. Of a text that was split, each has its own verdict."""

    text: str
    """Its beginning."""
    total: int | float
    """0 to 10, one decimal."""
    verdict: str | None = None
    """Where the text was split, and so is what follows."""
    reason: str | None = None
    hint: str | None = None
    """What would change it."""
    id: str | None = None
    """Of the memory that is meant."""
    kind: str | None = None
    """Of what is kept."""
    receipt: Receipt | None = None
    supersedes: str | None = None
    """The memory whose place it takes."""
    conflict: Conflicting | None = None
    """What it perhaps contradicts."""
    review: str | None = None
    """What waits for a person, for review.decide."""
    inbox: str | None = None
    """Under which it waits in the inbox, for review.decide."""
    offer: str | None = None
    """Of a provisional verdict, as in the reply."""


class ToldAgain(Struct, kw_only=True, omit_defaults=True):
    """What waited in the inbox and left it, as the same was told in another session on another day."""

    inbox: str
    """The id under which it waited."""
    since: str
    """When it was told before."""


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
    statements: list[StatementTold] | None = None
    """Of a text of several."""
    provisional: bool | None = None
    """Judged by words alone, as the model had no time; it is judged again."""


class Remembered(_Judged, kw_only=True):
    """What became of a text."""

    verdict: str
    """Of a text that was split, the most serious of its statements."""
    reason: str
    hint: str
    """What would change it."""
    receipt: Receipt | None
    """Null where nothing was written."""
    ids: list[str] | None = None
    """Where the text was to be split: of all memories."""
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
    conflict: Conflicting | None = None
    """What it perhaps contradicts."""
    holds: str | None = None
    """What of that still holds, where a part was replaced."""
    review: str | None = None
    """What waits for a person, for review.decide."""
    inbox: str | None = None
    """Under which it waits in the inbox, for review.decide."""
    offer: str | None = None
    """Of a provisional verdict: by it memory.get tells what becomes of the text."""
    told_again: ToldAgain | None = None
    """It waited, and is kept as it was told again."""
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
    near_edge: list[NearText] | None = None
    """What waits near the gate's edge in the role, the nearest first."""
    relation: RelationTold | None = None
    found: list[DangerFound] | None = None
    inferred: list[Inferred] | None = None
    """What would be found out of the text."""
