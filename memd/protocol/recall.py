"""Objects of requests and replies: what came to mind: a trigger, a context, a profile, the curated files."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from memd.protocol.fields import Part, Reply, SectionView, listed
from memd.protocol.views import Recallable


class Context(Reply, kw_only=True):
    """The sections of a system prompt, and the messages of the history."""

    snapshot: Annotated[str, Meta(description="digest of the curated memory that stands first")]
    sections: list[SectionView]
    messages: Annotated[list[dict[str, Any]], Meta(description="events, oldest first, as session.history has them")]
    cut: Annotated[bool, Meta(description="there is more before the first message")] | None = None
    activated: Annotated[list[Activated], Meta(description="memories that came to mind")]
    dropped_for_room: Annotated[list[str], Meta(description="ids of those that had no room")]
    chars: Annotated[int, Meta(description="of all together")]
    session: str | None = None
    role: str | None = None
    over_budget: Annotated[int, Meta(description="characters more than the budget")] | None = None


class CuratedOperation(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One of several edits."""

    action: Annotated[str, Meta(pattern="^(add|replace|remove)$")]
    content: Annotated[str, Meta(max_length=100_000)] = ""
    old_text: Annotated[str, Meta(max_length=100_000)] = ""


class EntryText(Part):
    """An entry of a curated file."""

    n: Annotated[int, Meta(description="counted from 1")]
    text: str


class CuratedView(Reply, kw_only=True):
    """A curated file by entry, and what is used of its limit."""

    file: str
    digest: str
    form: Annotated[str, Meta(description="bullets, paragraphs or sections")]
    chars: Annotated[int, Meta(description="all but the white space around it")]
    limit: Annotated[int, Meta(description="characters that tools may write")]
    usage: Annotated[str, Meta(description="chars of limit, in words")]
    entries: list[EntryText]
    warning: Annotated[str, Meta(description="it is nearly full")] | None = None


class ReadCurated(CuratedView, kw_only=True):
    """A curated file with its text."""

    text: str
    missing: Annotated[bool, Meta(description="there is no such file")]
    withheld: Annotated[list[str], Meta(description="entries that stay out of prompts")] | None = None


class EditedCurated(CuratedView, kw_only=True):
    """A curated file as it was left."""

    changed: bool


class TakenSnapshot(Reply, kw_only=True):
    """The curated memory, frozen."""

    digest: str
    file: str
    stored: Annotated[bool, Meta(description="false where it was stored before")]
    sections: list[SectionView]
    faults: Annotated[list[str], Meta(description="of curated files that cannot be read")] | None = None


class FrozenFile(Part):
    """A curated file as a snapshot has it."""

    name: str
    text: str


class SnapshotSections(Reply):
    """A stored snapshot, as a model may read it."""

    digest: str
    file: str
    sections: list[SectionView]
    files: list[FrozenFile]


class ProfileLine(Part, kw_only=True):
    """A memory in a profile."""

    id: str
    role: Annotated[str, Meta(description="whose it is: the role's, or that of one it is linked to")]
    kind: Annotated[str, Meta(description="episodic, semantic, trait or goal")]
    text: str
    time: Annotated[str, Meta(description="since when it is remembered")] | None = None
    event: Annotated[str, Meta(description="when what it tells happened or will, for a reader")] | None = None
    source: Annotated[str, Meta(description="who said so")] | None = None
    worth: Annotated[float, Meta(description="0 to 1, by which it got its room: weight, use, age")]
    conflicts_with: Annotated[list[str], Meta(description="what says otherwise")] | None = None


class ProfilePart(Part, kw_only=True):
    """A part of a profile, the newest first."""

    name: Annotated[
        str,
        listed(
            "who", "people", "places", "work", "health", "preferences", "rules", "plans", "projects", "recent", "other"
        ),
    ]
    title: Annotated[str, Meta(description="in the language of what is asked or known")]
    memories: list[ProfileLine]


class ProposedLine(Part, kw_only=True):
    """What USER.md might have: nobody writes it there but a person."""

    id: Annotated[str, Meta(description="of the memory that says so")]
    what: Annotated[str, Meta(description="identity, preference, health, home or work")]
    text: str


class ProfileView(Reply, kw_only=True):
    """What holds of a subject now, or held."""

    role: str
    subject: Annotated[str, Meta(description="as it was asked; empty: the user")]
    of: Annotated[Annotated[str, listed("user", "role", "named")], Meta(description="of whom it is")]
    several: Annotated[list[str], Meta(description="whom the words may mean, where that is not one")] | None = None
    content: Annotated[str, Meta(description="the block for a prompt; empty where nothing is known")]
    fence: Annotated[str, Meta(description="what marks the block's ends and does not occur between them")]
    parts: list[ProfilePart]
    known: Annotated[int, Meta(description="memories that hold and are of the subject")]
    shown: int
    left_out: Annotated[int, Meta(description="those of them that had no room, repeat another or are withheld")]
    delicate: Annotated[int, Meta(description="left out beside them, as they are private of somebody else")]
    withheld: Annotated[list[str], Meta(description="ids of what may not stand in a prompt")] | None = None
    waiting: Annotated[int, Meta(description="texts of the inbox that may be of the subject: nothing of them is in it")]
    proposed: Annotated[list[ProposedLine], Meta(description="for USER.md, if a person likes")] | None = None
    as_of: Annotated[str, Meta(description="the time that was asked about")] | None = None
    notes: Annotated[list[str], Meta(description="what is wrong with a link; what nobody can tell of then")] | None = (
        None
    )
    elapsed_ms: float


class ScoreParts(Part, kw_only=True):
    """What a score is made of: said x weight x link is the relevance, relevance x priority x age the score."""

    said: Annotated[float, Meta(description="what the strategies come to together, 0 to 1: each halves the doubt left")]
    weight: Annotated[float, Meta(description="the memory's own relevanceWeight, 0 to 1")]
    link: Annotated[float, Meta(description="of the link it came by; 1 of the role's own")]
    relevance: Annotated[
        float, Meta(description="the product; of what is always told 1, of one that conflicts that of the other")
    ]
    threshold: (
        Annotated[float, Meta(description="what relevance had to reach; not of what is always told, nor in a profile")]
        | None
    ) = None
    priority: Annotated[float, Meta(description="what its priority leaves, 0.6 to 1")]
    age: Annotated[float, Meta(description="what its age and its decay leave, 0.6 to 1")]
    score: Annotated[float, Meta(description="what it is ranked by; 0 of what was stopped before it was ranked")]


class MeasuredBound(Part):
    """What the rule that stopped something measured."""

    what: Annotated[str, listed("relevance", "likelihood", "characters", "tokens", "memories", "turns")]
    value: Annotated[float, Meta(description="what it has, or takes")]
    bound: Annotated[float, Meta(description="what it would have had to reach, or what is left; turns: after so many")]
    of: Annotated[float, Meta(description="of how many in all")] | None = None


class Activated(Part, kw_only=True):
    """A memory that came to mind, an entry of a book, a page with keys, or a quote of what was said in an earlier session."""

    id: str
    role: Annotated[str, Meta(description="whose it is: the role's, or that of one it is linked to")]
    kind: Recallable
    book: Annotated[str, Meta(description="of an entry: the title of its book")] | None = None
    title: str | None = None
    event: Annotated[str, Meta(description="of a memory: when what it tells happened or will")] | None = None
    score: Annotated[float, Meta(description="what it is ranked by")]
    relevance: Annotated[float, Meta(description="of a memory: what its strategies come to")] | None = None
    reasons: Annotated[list[str], Meta(description="why it came, as sentences")]
    strategies: Annotated[
        dict[str, float], Meta(description="constant, keyword, semantic, temporal, emotional, conflict: 0 to 1")
    ]
    step: Annotated[int, Meta(description="of an entry: 1 by the messages, more by entries before")] | None = None
    place: Annotated[str, Meta(description="of an entry: where its book wants it in the prompt")] | None = None
    order: (
        Annotated[int | float | bool, Meta(description="of an entry: its rank at that place, as its book has it")]
        | None
    ) = None
    chars: Annotated[int, Meta(description="what it takes of the block")]
    text: str
    source: Annotated[str, Meta(description="who said so; of an entry book, of a page page")]
    session: Annotated[str, Meta(description="of a quote: where it was said")] | None = None
    at: Annotated[str, Meta(description="of a quote: when it was said")] | None = None
    asked: Annotated[str, Meta(description="of a quote: the question that it answers")] | None = None
    conflicts_with: Annotated[list[str], Meta(description="what took the same place")] | None = None
    covered_by: Annotated[list[str], Meta(description="what took the place of a part of it")] | None = None
    parts: Annotated[ScoreParts | None, Meta(description="of a memory, with `explain`")] = None


class Refused(Part, kw_only=True):
    """What something spoke for and that did not come."""

    id: str
    role: str
    kind: Recallable
    book: str | None = None
    title: str | None = None
    why: Annotated[str, Meta(description="the rule that stopped it, as docs/trigger.md lists them")]
    detail: Annotated[str, Meta(description="the same with its figures")]
    reasons: Annotated[list[str], Meta(description="what spoke for it")]
    strategies: Annotated[dict[str, float], Meta(description="the same in figures, 0 to 1")]
    parts: Annotated[ScoreParts | None, Meta(description="of a memory")] = None
    measured: Annotated[MeasuredBound | None, Meta(description="where it was stopped by a figure")] = None
    text: Annotated[str, Meta(description="its beginning; a note where it is withheld")]


class Counts(Part):
    """How many there were; the activated and the refused are the candidates."""

    candidates: int
    activated: int
    refused: int
    silent: Annotated[int, Meta(description="how many had nothing to do with the scene")]
    by_strategy: Annotated[
        dict[str, int], Meta(description="activated, by what spoke for them; book for entries, said for quotes")
    ]


class TimeRead(Part):
    """A time that the newest message speaks of."""

    words: str
    from_s: Annotated[float, Meta(description="seconds since 1970")]
    to_s: Annotated[float, Meta(description="not included")]


class EmotionRead(Part):
    """The feeling that was given, or read from the newest message."""

    name: str
    words: Annotated[list[str], Meta(description="that say so")]


class AtDepth(Part):
    """Entries that stand among the messages."""

    depth: Annotated[int, Meta(description="messages after them; 0 is the end")]
    role: Annotated[str, listed("system", "user", "assistant")]
    entries: list[str]


class Places(Part):
    """Entries of books by the place that they want."""

    before: str
    after: str
    at_depth: list[AtDepth]
    elsewhere: Annotated[dict[str, list[str]], Meta(description="by the name of the place")]


class Recalled(Reply, kw_only=True):
    """The block for the prompt, what came and why, and the figures."""

    role: str
    content: Annotated[str, Meta(description="the block; empty where nothing comes")]
    position: Annotated[
        Annotated[str, listed("system", "user", "assistant")], Meta(description="where the block belongs")
    ]
    fence: Annotated[str, Meta(description="what marks the block's ends and does not occur between them")]
    activated: list[Activated]
    counts: Counts
    dropped_for_room: Annotated[list[str], Meta(description="ids of those that had no room")]
    times: list[TimeRead] | None = None
    emotion: EmotionRead | None = None
    turn: Annotated[int, Meta(description="of the session")] | None = None
    in_window: Annotated[list[str], Meta(description="ids that the session's window has")] | None = None
    books: Annotated[Places | None, Meta(description="with books.apart: what is not in the block")] = None
    withheld: Annotated[list[str], Meta(description="ids of what may not stand in a prompt")] | None = None
    as_of: Annotated[str, Meta(description="the time that was asked about")] | None = None
    notes: (
        Annotated[list[str], Meta(description="what is wrong with a link, a template, …; what nobody can tell of then")]
        | None
    ) = None
    refused: Annotated[list[Refused], Meta(description="with `explain`: `explain_limit` of them")] | None = None
    elapsed_ms: float
    cached: Annotated[bool, Meta(description="asked a moment ago, and nothing changed since")] | None = None
