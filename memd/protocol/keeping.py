"""Objects of requests and replies: what became of a text: remembered, scored, proposed, consolidated."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from memd.protocol.fields import MemoryKind, Message, Part, Reply, listed
from memd.protocol.views import Band, Computed, JudgedDimension, NearText, Rated

Verdict = Annotated[str, listed("stored", "superseding", "redacted", "refined", "duplicate", "quarantined", "refused")]


class BecameView(Part, kw_only=True):
    """What became of one statement."""

    fate: Annotated[
        Annotated[str, listed("kept", "staged", "known", "refused")], Meta(description="staged: it waits in the inbox")
    ]
    id: Annotated[str, Meta(description="of the statement: the same whenever this turn is looked at")]
    turn: Annotated[int, Meta(description="the event of the session that settles it, from 1")]
    at: Annotated[str, Meta(description="when it was said")]
    total: float
    source: str
    why: str | None = None
    text: Annotated[str, Meta(description="where it is still known")] | None = None
    memory: Annotated[str, Meta(description="the memory that has it now")] | None = None
    how: Annotated[str, Meta(description="stored, superseding, refined")] | None = None
    supersedes: Annotated[str, Meta(description="the memory whose place it took")] | None = None
    inbox: Annotated[str, Meta(description="its id in the inbox")] | None = None
    lasting: (
        Annotated[str, Meta(description="proposed for USER.md: identity, preference, health, home or work")] | None
    ) = None


class DroppedView(Part, kw_only=True):
    """A statement that was not worth keeping."""

    turn: Annotated[int, Meta(description="the event of the session that says it, from 1")]
    text: str


class PassedOverView(Part, kw_only=True):
    """What a person said that tells nothing that lasts."""

    turn: Annotated[int, Meta(description="the event of the session that says it, from 1")]
    text: str
    why: Annotated[
        str,
        Meta(
            description="a question, a request, of the moment, supposed or not decided, a joke, handed over, or others say so"
        ),
    ]


class PassView(Part, kw_only=True):
    """One pass."""

    id: Annotated[str, Meta(description="of what was only tried: no such pass is kept")]
    at: str
    session: str
    role: str
    level: Annotated[str, Meta(description="auto, or inbox: all waits")]
    by: Annotated[
        str,
        Meta(
            description="person, model (at an endpoint that this machine names), memd by itself, or past: conversations that agents had kept"
        ),
    ]
    first_turn: int
    last_turn: int
    turns: Annotated[int, Meta(description="messages that were looked at")]
    counts: Annotated[dict[str, int], Meta(description="statements by what became of them; dropped: not worth a word")]
    undone: Annotated[str, Meta(description="when it was taken back")] | None = None
    became: list[BecameView] | None = None
    dropped: (
        Annotated[
            list[DroppedView],
            Meta(
                description="of one pass that is shown, of one that was only tried, and where a run made few: what was not worth a word, as the session has it still"
            ),
        ]
        | None
    ) = None
    passed_over: (
        Annotated[
            list[PassedOverView],
            Meta(description="of such a pass: what a person said that tells nothing that lasts, and was not judged"),
        ]
        | None
    ) = None


class ConsolidatedSessions(Reply, kw_only=True):
    """What became of what was said."""

    would: Annotated[bool, Meta(description="it was only tried")]
    sessions: Annotated[int, Meta(description="that were looked at")]
    passes: list[PassView]
    skipped: Annotated[dict[str, str], Meta(description="sessions that were left out, each with the reason")]
    left: Annotated[int, Meta(description="messages that a trial did not come to")]


class PassesView(Reply, kw_only=True):
    """Passes, the newest first."""

    total: Annotated[int, Meta(description="how many are kept, older and newer ones too")]
    passes: list[PassView]
    more: Annotated[bool, Meta(description="there are older ones")]


class PassTakenBack(Reply, kw_only=True):
    """What was taken back, and what was left as somebody changed it since."""

    id: str
    role: str
    archived: Annotated[list[str], Meta(description="memories that are in the archive now")]
    changed: Annotated[list[str], Meta(description="memories that stand as they did before")]
    unstaged: Annotated[list[str], Meta(description="texts that left the inbox")]
    left: Annotated[dict[str, str], Meta(description="what stays, each with the reason")]
    already: Annotated[bool, Meta(description="it was taken back before")]


class SaidMessage(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One message."""

    content: Message
    speaker: Annotated[str, Meta(max_length=40, description="user, assistant or tool")] = "user"


class ProposedRemember(Part, kw_only=True):
    """The parameters of the remember that is proposed, ready to send."""

    role: str
    content: str
    source: Annotated[
        Annotated[str, listed("user", "agent", "tool")], Meta(description="where the speaker is one of these")
    ] | (None) = None
    explicit: Annotated[bool, Meta(description="the user asked for it")] | None = None
    session: str | None = None


class ProposedRelation(Part):
    """The memory that a proposal concerns."""

    to: Annotated[str, Meta(description="its id")]
    relation: Annotated[
        str, listed("duplicate", "contradiction", "refinement", "unrelated"), Meta(description="how it stands to it")
    ] = field(name="is")
    content: Annotated[str, Meta(description="what it says")]


class Proposal(Part, kw_only=True):
    """A statement that is worth remembering."""

    content: str
    kind: MemoryKind
    total: float
    dimensions: dict[str, JudgedDimension]
    reason: str
    remember: ProposedRemember
    relation: ProposedRelation | None = None


class Proposals(Reply):
    """What of a conversation is worth remembering."""

    role: str
    looked_at: Annotated[int, Meta(description="how many statements")]
    total: Annotated[int, Meta(description="how many of them are worth it; the first `limit` are told")]
    proposals: Annotated[list[Proposal], Meta(description="the best first")]


class GivenScore(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A dimension's value with the sentence it rests on."""

    value: float
    basis: Annotated[str, Meta(max_length=500)] = ""


class Receipt(Part):
    """Where a memory is written."""

    file: str
    digest: Annotated[str, Meta(description="of the record's canonical JSON")]


class RelationTold(Part, kw_only=True):
    """How a text stands to a memory."""

    to: Annotated[str, Meta(description="the memory's id")]
    relation: Annotated[str, listed("duplicate", "refinement", "contradiction")] = field(name="is")
    sure: Annotated[float, Meta(description="0 to 1")]
    why: str
    content: Annotated[str, Meta(description="the memory's")]
    covers: Annotated[list[str], Meta(description="its statements that are contradicted, where not all")] | None = None


class DangerFound(Part):
    """What a look at a text found."""

    danger: Annotated[str, listed("injection", "exfiltration", "secret", "invisible")]
    why: str


class Inferred(Part):
    """What memd found out of a text, which nobody had said."""

    what: Annotated[
        Annotated[str, listed("constant", "emotions", "tags")],
        Meta(description="the parameter that would have said so"),
    ]
    value: str
    why: str


class Conflicting(Part):
    """A memory that the text perhaps contradicts: both are told until a person settles it."""

    id: Annotated[str, Meta(description="of the conflict, for review.settle")]
    to: Annotated[str, Meta(description="the memory's id")]
    sure: Annotated[float, Meta(description="0 to 1")]
    content: Annotated[str, Meta(description="the memory's")]


class StatementTold(Part):
    """One statement of a text of several: the best of them decides. Of a text that was split, each has its own verdict."""

    text: Annotated[str, Meta(description="its beginning")]
    total: Rated
    verdict: Annotated[Verdict, Meta(description="where the text was split, and so is what follows")] | None = None
    reason: str | None = None
    hint: Annotated[str, Meta(description="what would change it")] | None = None
    id: Annotated[str, Meta(description="of the memory that is meant")] | None = None
    kind: Annotated[MemoryKind, Meta(description="of what is kept")] | None = None
    receipt: Receipt | None = None
    supersedes: Annotated[str, Meta(description="the memory whose place it takes")] | None = None
    conflict: Annotated[Conflicting | None, Meta(description="what it perhaps contradicts")] = None
    review: Annotated[str, Meta(description="what waits for a person, for review.decide")] | None = None
    inbox: Annotated[str, Meta(description="under which it waits in the inbox, for review.decide")] | None = None
    offer: Annotated[str, Meta(description="of a provisional verdict, as in the reply")] | None = None


class ToldAgain(Part):
    """What waited in the inbox and left it, as the same was told in another session on another day."""

    inbox: Annotated[str, Meta(description="the id under which it waited")]
    since: Annotated[str, Meta(description="when it was told before")]


class _Judged(Reply, kw_only=True):
    """A text's total with its dimensions, and what became or would become of it."""

    stored: Annotated[bool, Meta(description="this text is kept")]
    id: (
        Annotated[
            str, Meta(description="of the memory that is meant: the new one, or the older one it was joined with")
        ]
        | None
    )
    total: Rated
    computed_total: Computed
    band: Band
    dimensions: dict[str, JudgedDimension]
    statements: Annotated[list[StatementTold], Meta(description="of a text of several")] | None = None
    provisional: (
        Annotated[bool, Meta(description="judged by words alone, as the model had no time; it is judged again")] | None
    ) = None


class Remembered(_Judged, kw_only=True):
    """What became of a text."""

    verdict: Annotated[Verdict, Meta(description="of a text that was split, the most serious of its statements")]
    reason: str
    hint: Annotated[str, Meta(description="what would change it")]
    receipt: Annotated[Receipt | None, Meta(description="null where nothing was written")]
    ids: Annotated[list[str], Meta(description="where the text was to be split: of all memories")] | None = None
    kind: Annotated[MemoryKind, Meta(description="of what is kept")] | None = None
    content: Annotated[str, Meta(description="as it is kept")] | None = None
    event: Annotated[str, Meta(description="when what it tells happened or will")] | None = None
    redacted: Annotated[str, Meta(description="which secret was taken out")] | None = None
    supersedes: Annotated[str, Meta(description="the memory whose place it takes")] | None = None
    conflict: Annotated[Conflicting | None, Meta(description="what it perhaps contradicts")] = None
    holds: Annotated[str, Meta(description="what of that still holds, where a part was replaced")] | None = None
    review: Annotated[str, Meta(description="what waits for a person, for review.decide")] | None = None
    inbox: Annotated[str, Meta(description="under which it waits in the inbox, for review.decide")] | None = None
    offer: (
        Annotated[str, Meta(description="of a provisional verdict: by it memory.get tells what becomes of the text")]
        | None
    ) = None
    told_again: Annotated[ToldAgain | None, Meta(description="it waited, and is kept as it was told again")] = None
    relation: RelationTold | None = None
    found: list[DangerFound] | None = None
    inferred: Annotated[list[Inferred], Meta(description="what was found out of the text")] | None = None
    role: str


class Scored(_Judged, kw_only=True):
    """What would become of a text."""

    verdict: Annotated[
        str, listed("would store", "would supersede", "would refine", "duplicate", "would quarantine", "refused")
    ]
    reason: str
    hint: Annotated[str, Meta(description="what would change it")]
    receipt: Annotated[None, Meta(description="nothing was written")]
    near_edge: (
        Annotated[list[NearText], Meta(description="what waits near the gate's edge in the role, the nearest first")]
        | None
    ) = None
    relation: RelationTold | None = None
    found: list[DangerFound] | None = None
    inferred: Annotated[list[Inferred], Meta(description="what would be found out of the text")] | None = None


class DecidedReview(Reply, kw_only=True):
    """What became of it: of a text, what `remember` answered; of a memory, its role and its text."""

    id: str
    role: str | None = None
    verdict: Annotated[str, listed("approve", "keep", "drop")]
    remember: Remembered | None = None
    content: str | None = None
