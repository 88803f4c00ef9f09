"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct, field

from memd.client.types.views import JudgedDimension, NearText, Reply


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


class DecidedReview(Reply, kw_only=True):
    """What became of it: of a text, what `remember` answered; of a memory, its role and its text."""

    id: str
    role: str | None = None
    verdict: str
    remember: Remembered | None = None
    content: str | None = None
