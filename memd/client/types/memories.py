"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.client.types.views import Aging, JudgedTotal, ListedMemory, MemoryView, Past, Reply


class Trait(Struct, kw_only=True, omit_defaults=True):
    """A trait by its name."""

    name: str
    value: str
    keys: list[str] | None = None
    priority: int | None = None
    confidence: float | None = None
    constant: bool | None = None


class Goal(Struct, kw_only=True, omit_defaults=True):
    """A goal, by its id or by what it says."""

    value: str
    id: str | None = None
    keys: list[str] | None = None
    priority: int | None = None
    constant: bool | None = None


class RefusedPut(Struct, kw_only=True, omit_defaults=True):
    """One that was not put: the gate's floor stopped it, or it waits for a person."""

    name: str | None = None
    value: str
    total: float
    """0 to 10."""
    reason: str
    hint: str
    """What would change it."""
    review: str | None = None
    """Under which it waits for a person, for review.decide."""


class UpdatedCollection(Reply, kw_only=True):
    """All traits, or all goals, of a role, and what became of them; by ids."""

    role: str
    added: list[str]
    updated: list[str]
    archived: list[str]
    scores: dict[str, JudgedTotal]
    """By id."""
    refused: list[RefusedPut] | None = None
    """Those that were not put."""
    memories: list[MemoryView]
    """All of the kind, as they are now."""


class ConflictSide(Struct, kw_only=True, omit_defaults=True):
    """One of two memories that conflict."""

    id: str
    content: str
    at: str | None = None
    """Since when it is remembered."""


class ConflictView(Struct, kw_only=True, omit_defaults=True):
    """Two memories of which one may not hold any more; both come to mind meanwhile."""

    id: str
    role: str
    newer: ConflictSide
    older: ConflictSide
    why: str
    sure: float | None = None
    """How sure it is that they conflict, 0 to 1."""


class SettledConflict(Reply, kw_only=True):
    """A conflict that a person settled."""

    id: str
    role: str
    standing: list[str]
    """Ids of the memories that hold."""
    hint: str
    """How it is taken back."""


class UpdatedMemory(MemoryView, kw_only=True):
    """A memory as it is now."""

    role: str
    digest: str
    """Of the record's canonical JSON."""


class ForgottenMemory(Reply, kw_only=True):
    """A memory that is gone."""

    id: str
    role: str
    archived: str | None
    """The archive's file that has it."""
    erased: bool
    remains: str | None = None
    """What erasing does not reach."""
    also_in: list[str] | None = None
    """Files that have the text too, 20 at most."""


class RestoredMemory(MemoryView, kw_only=True):
    """A memory that is back."""

    role: str


class Declared(Struct, kw_only=True, omit_defaults=True):
    """The line that told of a memory when it was stored."""

    file: str
    line: int
    at: str
    """Day and time."""


class Proof(Reply, kw_only=True):
    """What the files say of a memory."""

    id: str
    role: str
    on_disk: bool
    state: str
    """In its file; in the log, not in its file yet; in the archive."""
    file: str
    digest: str
    """Of the record in its file; empty where it is not there."""
    told: str
    """The digest that was given, or that the score records have."""
    as_told: bool | None
    """Null where nothing is known."""
    declared: Declared | None
    since: str | None = None
    superseded_by: str | None = None
    """What took its place."""
    content: str | None = None


class MeantRemember(Struct, kw_only=True, omit_defaults=True):
    """The parameters of the remember that was meant, ready to send."""

    role: str
    content: str
    source: str
    explicit: bool | None = None
    kind: str | None = None
    name: str | None = None
    """A trait's name."""
    keys: list[str] | None = None
    tags: list[str] | None = None
    validity: str | None = None
    session: str | None = None


class GuardRuling(Reply, kw_only=True):
    """What is to be done with a call, or after a message."""

    action: str
    why: str
    target: str
    """The files or the tool concerned."""
    hint: str
    """What to do instead."""
    remember: list[MeantRemember]
    commands: list[str]
    """The same as lines for a shell."""
    violations: int
    """How many the session has by now; 0 where this is none."""
    allowed: int
    """How many a session may have."""


class LinkedMemory(Reply, kw_only=True):
    """Two memories that are related."""

    role: str
    id: str
    to: str
    relation: str


class PlaceTaken(Struct, kw_only=True, omit_defaults=True):
    """What a memory had taken the place of."""

    supersedes: list[str]
    covers: list[str]
    """Digests of the statements; none: all of them."""


class UndoneDecision(Reply, kw_only=True):
    """A decision that was taken back."""

    id: str
    role: str
    took_back: str
    """Supersede, refine, duplicate, fold, constant, archive, both hold, keep, drop or judge again."""
    standing: list[MemoryView]
    """The memories that stand by it."""
    by: str | None = None
    """Who had taken the place."""
    had: PlaceTaken | None = None
    stored: str | None = None
    """What stands by itself now."""
    archived: str | None = None
    """What stood for those that are back."""
    hint: str
    """How it is done again."""


class CommittedChange(Struct, kw_only=True, omit_defaults=True):
    """What one commit made of a memory."""

    commit: str
    """Its id; empty: not committed yet."""
    at: str
    author: str
    subject: str
    """The first line of its message."""
    how: str
    """Settled: a merge chose."""
    before: str
    """Its text, cut at 4,000 characters."""
    after: str
    fields: list[str]
    """Keys of its record that changed, but for the text."""
    withheld: str | None = None
    """Why these texts stay out of prompts."""


class Commits(Reply, kw_only=True):
    """What git has of a memory, back to the commit that it came with."""

    role: str
    id: str
    file: str
    changes: list[CommittedChange]
    looked: int
    """Commits of its file that were looked at."""
    whole: bool
    """Down to the one that it came with."""
    why: str
    """Nothing can be told: no git program, no repository, git refuses, the record has no id of its own, its file was never committed."""
    detail: str
    """What git said where it refuses."""


class JudgedAgain(Struct, kw_only=True, omit_defaults=True):
    """What became of a text that words judged alone."""

    offer: str
    """The id that the provisional reply told."""
    provisional: bool
    """It is still to be judged again."""
    was: str
    """What words said, as `verdict` has it."""
    became: str
    """Stands, stored, superseding, refined, duplicate, redacted, waiting or dropped; empty: not judged yet."""
    why: str
    at: str
    """Since when it is so."""
    memory: str | None = None
    """That has it now."""
    inbox: str | None = None
    """Under which it waits."""


class FoundMemory(MemoryView, kw_only=True):
    """A memory with its record; or, by the id of an offer that words judged alone and that is none, its text and what became of it."""

    judged: JudgedAgain | None = None
    """Where a provisional verdict was asked for."""
    role: str
    record: dict[str, Any] | None = None
    """As its file has it; not for a model where it is withheld."""
    digest: str
    """Of the record's canonical JSON."""
    file: str
    access_count: int
    """How often it came to mind."""
    last_access: str | None = None
    expired: bool | None = None
    """Its time is over."""
    withheld: str | None = None
    """Why it stays out of prompts."""
    history: list[Past] | None = None
    """Oldest first."""
    aging: Aging | None = None
    """With `history`."""


class Memories(Reply, kw_only=True):
    """Some of a role's memories."""

    role: str
    total: int
    """How many there are with such a kind and tag."""
    memories: list[ListedMemory]
    as_of: str | None = None
    """The time that was asked about."""
    notes: list[str] | None = None
    """What nobody can tell of then."""


class HeldText(Struct, kw_only=True, omit_defaults=True):
    """A text that waits: what its file says of it, which may be a stranger's, so that any but the text may be lacking."""

    id: str | None = None
    role: str | None = None
    kind: str | None = None
    content: str
    fields: dict[str, str | int | bool | list[str]] | None = None
    """What else would be stored."""
    why: str
    """What is found in it."""
    source: str | None = None
    """Who offered it."""
    session: str | None = None
    at: str | None = None
    """Since when it waits."""
    chars: int
    """Of the text as JSON."""


class WaitingText(Struct, kw_only=True, omit_defaults=True):
    """A text in the inbox: it was offered, and was not sure to be worth keeping."""

    id: str
    role: str | None = None
    kind: str | None = None
    content: str
    fields: dict[str, str | int | bool | list[str]] | None = None
    """What else would be stored."""
    total: float
    """As it was judged, 0 to 10."""
    why: str
    """It was not kept."""
    source: str | None = None
    """Who offered it."""
    session: str | None = None
    at: str | None = None
    """Since when it waits."""


class WithheldMemory(Struct, kw_only=True, omit_defaults=True):
    """A memory in a role's file that does not stand in prompts."""

    id: str
    role: str
    content: str
    why: str


class Reviews(Reply, kw_only=True):
    """What waits for a person, by kinds: of each the same part, `limit` after `offset`."""

    total: int
    """How many there are of all kinds that were asked for."""
    totals: dict[str, int]
    """Of each kind, by its key."""
    held: list[HeldText]
    """Oldest first."""
    waiting: list[WaitingText] | None = None
    """The inbox, nearest to the edge first."""
    conflicts: list[ConflictView] | None = None
    """Memories that say otherwise than others, the latest first."""
    withheld: list[WithheldMemory] | None = None
    """Where `memories` was asked."""
