"""How replies show what came to mind."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from memd.verbs.declared import Reply

Said = Literal[
    "episodic", "semantic", "trait", "goal", "entry", "page", "said"
]  # an entry is of a book; said: a quote of a session
Speaker = Literal["system", "user", "assistant"]


class ScoreParts(Struct, forbid_unknown_fields=True, kw_only=True):
    """What a score is made of: said x weight x link is the relevance, relevance x priority x age the score."""

    said: Annotated[float, Meta(description="what the strategies come to together, 0 to 1: each halves the doubt left")]
    weight: Annotated[float, Meta(description="the memory's own relevanceWeight, 0 to 1")]
    link: Annotated[float, Meta(description="of the link it came by; 1 of the role's own")]
    relevance: Annotated[
        float, Meta(description="the product; of what is always told 1, of one that conflicts that of the other")
    ]
    threshold: (
        Annotated[float, Meta(description="what relevance had to reach; not of what is always told, nor in a profile")]
        | UnsetType
    ) = UNSET
    priority: Annotated[float, Meta(description="what its priority leaves, 0.6 to 1")]
    age: Annotated[float, Meta(description="what its age and its decay leave, 0.6 to 1")]
    score: Annotated[float, Meta(description="what it is ranked by; 0 of what was stopped before it was ranked")]


class MeasuredBound(Struct, forbid_unknown_fields=True):
    """What the rule that stopped something measured."""

    what: Literal["relevance", "likelihood", "characters", "tokens", "memories", "turns"]
    value: Annotated[float, Meta(description="what it has, or takes")]
    bound: Annotated[float, Meta(description="what it would have had to reach, or what is left; turns: after so many")]
    of: Annotated[float, Meta(description="of how many in all")] | UnsetType = UNSET


class Activated(Struct, forbid_unknown_fields=True, kw_only=True):
    """A memory that came to mind, an entry of a book, a page with keys, or a quote of what was said in an earlier session."""

    id: str
    role: Annotated[str, Meta(description="whose it is: the role's, or that of one it is linked to")]
    kind: Said
    book: Annotated[str, Meta(description="of an entry: the title of its book")] | UnsetType = UNSET
    title: str | UnsetType = UNSET
    event: Annotated[str, Meta(description="of a memory: when what it tells happened or will")] | UnsetType = UNSET
    score: Annotated[float, Meta(description="what it is ranked by")]
    relevance: Annotated[float, Meta(description="of a memory: what its strategies come to")] | UnsetType = UNSET
    reasons: Annotated[list[str], Meta(description="why it came, as sentences")]
    strategies: Annotated[
        dict[str, float], Meta(description="constant, keyword, semantic, temporal, emotional, conflict: 0 to 1")
    ]
    step: Annotated[int, Meta(description="of an entry: 1 by the messages, more by entries before")] | UnsetType = UNSET
    place: Annotated[str, Meta(description="of an entry: where its book wants it in the prompt")] | UnsetType = UNSET
    order: (
        Annotated[int | float | bool, Meta(description="of an entry: its rank at that place, as its book has it")]
        | UnsetType
    ) = UNSET
    chars: Annotated[int, Meta(description="what it takes of the block")]
    text: str
    source: Annotated[str, Meta(description="who said so; of an entry book, of a page page")]
    session: Annotated[str, Meta(description="of a quote: where it was said")] | UnsetType = UNSET
    at: Annotated[str, Meta(description="of a quote: when it was said")] | UnsetType = UNSET
    asked: Annotated[str, Meta(description="of a quote: the question that it answers")] | UnsetType = UNSET
    conflicts_with: Annotated[list[str], Meta(description="what took the same place")] | UnsetType = UNSET
    covered_by: Annotated[list[str], Meta(description="what took the place of a part of it")] | UnsetType = UNSET
    parts: Annotated[ScoreParts, Meta(description="of a memory, with `explain`")] | UnsetType = UNSET


class Refused(Struct, forbid_unknown_fields=True, kw_only=True):
    """What something spoke for and that did not come."""

    id: str
    role: str
    kind: Said
    book: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    why: Annotated[str, Meta(description="the rule that stopped it, as docs/trigger.md lists them")]
    detail: Annotated[str, Meta(description="the same with its figures")]
    reasons: Annotated[list[str], Meta(description="what spoke for it")]
    strategies: Annotated[dict[str, float], Meta(description="the same in figures, 0 to 1")]
    parts: Annotated[ScoreParts, Meta(description="of a memory")] | UnsetType = UNSET
    measured: Annotated[MeasuredBound, Meta(description="where it was stopped by a figure")] | UnsetType = UNSET
    text: Annotated[str, Meta(description="its beginning; a note where it is withheld")]


class Counts(Struct, forbid_unknown_fields=True):
    """How many there were; the activated and the refused are the candidates."""

    candidates: int
    activated: int
    refused: int
    silent: Annotated[int, Meta(description="nothing spoke for them")]
    by_strategy: Annotated[
        dict[str, int], Meta(description="activated, by what spoke for them; book for entries, said for quotes")
    ]


class TimeRead(Struct, forbid_unknown_fields=True):
    """A time that the newest message speaks of."""

    words: str
    from_s: Annotated[float, Meta(description="seconds since 1970")]
    to_s: Annotated[float, Meta(description="not included")]


class EmotionRead(Struct, forbid_unknown_fields=True):
    """The feeling that was given, or read from the newest message."""

    name: str
    words: Annotated[list[str], Meta(description="that say so")]


class AtDepth(Struct, forbid_unknown_fields=True):
    """Entries that stand among the messages."""

    depth: Annotated[int, Meta(description="messages after them; 0 is the end")]
    role: Speaker
    entries: list[str]


class Places(Struct, forbid_unknown_fields=True):
    """Entries of books by the place that they want."""

    before: str
    after: str
    at_depth: list[AtDepth]
    elsewhere: Annotated[dict[str, list[str]], Meta(description="by the name of the place")]


class Recalled(Reply, forbid_unknown_fields=True, kw_only=True):
    """The block for the prompt, what came and why, and the figures."""

    role: str
    content: Annotated[str, Meta(description="the block; empty where nothing comes")]
    position: Annotated[Speaker, Meta(description="where the block belongs")]
    fence: Annotated[str, Meta(description="what marks the block's ends and does not occur between them")]
    activated: list[Activated]
    counts: Counts
    dropped_for_room: Annotated[list[str], Meta(description="ids of those that had no room")]
    times: list[TimeRead] | UnsetType = UNSET
    emotion: EmotionRead | UnsetType = UNSET
    turn: Annotated[int, Meta(description="of the session")] | UnsetType = UNSET
    in_window: Annotated[list[str], Meta(description="ids that the session's window has")] | UnsetType = UNSET
    books: Annotated[Places, Meta(description="with books.apart: what is not in the block")] | UnsetType = UNSET
    withheld: Annotated[list[str], Meta(description="ids of what may not stand in a prompt")] | UnsetType = UNSET
    as_of: Annotated[str, Meta(description="the time that was asked about")] | UnsetType = UNSET
    notes: (
        Annotated[list[str], Meta(description="what is wrong with a link, a template, …; what nobody can tell of then")]
        | UnsetType
    ) = UNSET
    refused: Annotated[list[Refused], Meta(description="with `explain`: `explain_limit` of them")] | UnsetType = UNSET
    elapsed_ms: float
    cached: Annotated[bool, Meta(description="asked a moment ago, and nothing changed since")] | UnsetType = UNSET
