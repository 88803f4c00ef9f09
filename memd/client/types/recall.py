"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from memd.client.types.views import Reply, SectionView


class Context(Reply, kw_only=True):
    """The sections of a system prompt, and the messages of the history."""

    snapshot: str
    """Digest of the curated memory that stands first."""
    sections: list[SectionView]
    messages: list[dict[str, Any]]
    """Events, oldest first, as session.history has them."""
    cut: bool | None = None
    """There is more before the first message."""
    activated: list[Activated]
    """Memories that came to mind."""
    dropped_for_room: list[str]
    """Ids of those that had no room."""
    chars: int
    """Of all together."""
    session: str | None = None
    role: str | None = None
    over_budget: int | None = None
    """Characters more than the budget."""


class CuratedOperation(Struct, kw_only=True, omit_defaults=True):
    """One of several edits."""

    action: Literal["add", "replace", "remove"]
    content: str = ""
    old_text: str = ""


class EntryText(Struct, kw_only=True, omit_defaults=True):
    """An entry of a curated file."""

    n: int
    """Counted from 1."""
    text: str


class CuratedView(Reply, kw_only=True):
    """A curated file by entry, and what is used of its limit."""

    file: str
    digest: str
    form: str
    """Bullets, paragraphs or sections."""
    chars: int
    """All but the white space around it."""
    limit: int
    """Characters that tools may write."""
    usage: str
    """Chars of limit, in words."""
    entries: list[EntryText]
    warning: str | None = None
    """It is nearly full."""


class ReadCurated(CuratedView, kw_only=True):
    """A curated file with its text."""

    text: str
    missing: bool
    """There is no such file."""
    withheld: list[str] | None = None
    """Entries that stay out of prompts."""


class EditedCurated(CuratedView, kw_only=True):
    """A curated file as it was left."""

    changed: bool


class TakenSnapshot(Reply, kw_only=True):
    """The curated memory, frozen."""

    digest: str
    file: str
    stored: bool
    """False where it was stored before."""
    sections: list[SectionView]
    faults: list[str] | None = None
    """Of curated files that cannot be read."""


class FrozenFile(Struct, kw_only=True, omit_defaults=True):
    """A curated file as a snapshot has it."""

    name: str
    text: str


class SnapshotSections(Reply, kw_only=True):
    """A stored snapshot, as a model may read it."""

    digest: str
    file: str
    sections: list[SectionView]
    files: list[FrozenFile]


class ProfileLine(Struct, kw_only=True, omit_defaults=True):
    """A memory in a profile."""

    id: str
    role: str
    """Whose it is: the role's, or that of one it is linked to."""
    kind: str
    """Episodic, semantic, trait or goal."""
    text: str
    time: str | None = None
    """Since when it is remembered."""
    event: str | None = None
    """When what it tells happened or will, for a reader."""
    source: str | None = None
    """Who said so."""
    worth: float
    """0 to 1, by which it got its room: weight, use, age."""
    conflicts_with: list[str] | None = None
    """What says otherwise."""


class ProfilePart(Struct, kw_only=True, omit_defaults=True):
    """A part of a profile, the newest first."""

    name: str
    title: str
    """In the language of what is asked or known."""
    memories: list[ProfileLine]


class ProposedLine(Struct, kw_only=True, omit_defaults=True):
    """What USER.md might have: nobody writes it there but a person."""

    id: str
    """Of the memory that says so."""
    what: str
    """Identity, preference, health, home or work."""
    text: str


class ProfileView(Reply, kw_only=True):
    """What holds of a subject now, or held."""

    role: str
    subject: str
    """As it was asked; empty: the user."""
    of: str
    """Of whom it is."""
    several: list[str] | None = None
    """Whom the words may mean, where that is not one."""
    content: str
    """The block for a prompt; empty where nothing is known."""
    fence: str
    """What marks the block's ends and does not occur between them."""
    parts: list[ProfilePart]
    known: int
    """Memories that hold and are of the subject."""
    shown: int
    left_out: int
    """Those of them that had no room, repeat another or are withheld."""
    delicate: int
    """Left out beside them, as they are private of somebody else."""
    withheld: list[str] | None = None
    """Ids of what may not stand in a prompt."""
    waiting: int
    """Texts of the inbox that may be of the subject: nothing of them is in it."""
    proposed: list[ProposedLine] | None = None
    """For USER.md, if a person likes."""
    as_of: str | None = None
    """The time that was asked about."""
    notes: list[str] | None = None
    """What is wrong with a link; what nobody can tell of then."""
    elapsed_ms: float


class ScoreParts(Struct, kw_only=True, omit_defaults=True):
    """What a score is made of: said x weight x link is the relevance, relevance x priority x age the score."""

    said: float
    """What the strategies come to together, 0 to 1: each halves the doubt left."""
    weight: float
    """The memory's own relevanceWeight, 0 to 1."""
    link: float
    """Of the link it came by; 1 of the role's own."""
    relevance: float
    """The product; of what is always told 1, of one that conflicts that of the other."""
    threshold: float | None = None
    """What relevance had to reach; not of what is always told, nor in a profile."""
    priority: float
    """What its priority leaves, 0.6 to 1."""
    age: float
    """What its age and its decay leave, 0.6 to 1."""
    score: float
    """What it is ranked by; 0 of what was stopped before it was ranked."""


class MeasuredBound(Struct, kw_only=True, omit_defaults=True):
    """What the rule that stopped something measured."""

    what: str
    value: float
    """What it has, or takes."""
    bound: float
    """What it would have had to reach, or what is left; turns: after so many."""
    of: float | None = None
    """Of how many in all."""


class Activated(Struct, kw_only=True, omit_defaults=True):
    """A memory that came to mind, an entry of a book, a page with keys, or a quote of what was said in an earlier session."""

    id: str
    role: str
    """Whose it is: the role's, or that of one it is linked to."""
    kind: str
    book: str | None = None
    """Of an entry: the title of its book."""
    title: str | None = None
    event: str | None = None
    """Of a memory: when what it tells happened or will."""
    score: float
    """What it is ranked by."""
    relevance: float | None = None
    """Of a memory: what its strategies come to."""
    reasons: list[str]
    """Why it came, as sentences."""
    strategies: dict[str, float]
    """Constant, keyword, semantic, temporal, emotional, conflict: 0 to 1."""
    step: int | None = None
    """Of an entry: 1 by the messages, more by entries before."""
    place: str | None = None
    """Of an entry: where its book wants it in the prompt."""
    order: int | float | bool | None = None
    """Of an entry: its rank at that place, as its book has it."""
    chars: int
    """What it takes of the block."""
    text: str
    source: str
    """Who said so; of an entry book, of a page page."""
    session: str | None = None
    """Of a quote: where it was said."""
    at: str | None = None
    """Of a quote: when it was said."""
    asked: str | None = None
    """Of a quote: the question that it answers."""
    conflicts_with: list[str] | None = None
    """What took the same place."""
    covered_by: list[str] | None = None
    """What took the place of a part of it."""
    parts: ScoreParts | None = None
    """Of a memory, with `explain`."""


class Refused(Struct, kw_only=True, omit_defaults=True):
    """What something spoke for and that did not come."""

    id: str
    role: str
    kind: str
    book: str | None = None
    title: str | None = None
    why: str
    """The rule that stopped it, as docs/trigger.md lists them."""
    detail: str
    """The same with its figures."""
    reasons: list[str]
    """What spoke for it."""
    strategies: dict[str, float]
    """The same in figures, 0 to 1."""
    parts: ScoreParts | None = None
    """Of a memory."""
    measured: MeasuredBound | None = None
    """Where it was stopped by a figure."""
    text: str
    """Its beginning; a note where it is withheld."""


class Counts(Struct, kw_only=True, omit_defaults=True):
    """How many there were; the activated and the refused are the candidates."""

    candidates: int
    activated: int
    refused: int
    silent: int
    """Nothing spoke for them."""
    by_strategy: dict[str, int]
    """Activated, by what spoke for them; book for entries, said for quotes."""


class TimeRead(Struct, kw_only=True, omit_defaults=True):
    """A time that the newest message speaks of."""

    words: str
    from_s: float
    """Seconds since 1970."""
    to_s: float
    """Not included."""


class EmotionRead(Struct, kw_only=True, omit_defaults=True):
    """The feeling that was given, or read from the newest message."""

    name: str
    words: list[str]
    """That say so."""


class AtDepth(Struct, kw_only=True, omit_defaults=True):
    """Entries that stand among the messages."""

    depth: int
    """Messages after them; 0 is the end."""
    role: str
    entries: list[str]


class Places(Struct, kw_only=True, omit_defaults=True):
    """Entries of books by the place that they want."""

    before: str
    after: str
    at_depth: list[AtDepth]
    elsewhere: dict[str, list[str]]
    """By the name of the place."""


class Recalled(Reply, kw_only=True):
    """The block for the prompt, what came and why, and the figures."""

    role: str
    content: str
    """The block; empty where nothing comes."""
    position: str
    """Where the block belongs."""
    fence: str
    """What marks the block's ends and does not occur between them."""
    activated: list[Activated]
    counts: Counts
    dropped_for_room: list[str]
    """Ids of those that had no room."""
    times: list[TimeRead] | None = None
    emotion: EmotionRead | None = None
    turn: int | None = None
    """Of the session."""
    in_window: list[str] | None = None
    """Ids that the session's window has."""
    books: Places | None = None
    """With books.apart: what is not in the block."""
    withheld: list[str] | None = None
    """Ids of what may not stand in a prompt."""
    as_of: str | None = None
    """The time that was asked about."""
    notes: list[str] | None = None
    """What is wrong with a link, a template, …; what nobody can tell of then."""
    refused: list[Refused] | None = None
    """With `explain`: `explain_limit` of them."""
    elapsed_ms: float
    cached: bool | None = None
    """Asked a moment ago, and nothing changed since."""
