"""Objects of requests and replies: what is asked of memories: lists, one, its history, links, corrections, conflicts, traits, goals, the inbox, the guard."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from memd.protocol.fields import Part, Reply, Share, Words, listed
from memd.protocol.views import Aging, JudgedTotal, ListedMemory, MemoryView, Past


class Trait(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A trait by its name."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    value: Annotated[str, Meta(min_length=1, max_length=100_000)]
    keys: Words | None = None
    priority: Annotated[int, Meta(ge=0, le=100)] | None = None
    confidence: Share | None = None
    constant: bool | None = None


class Goal(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A goal, by its id or by what it says."""

    value: Annotated[str, Meta(min_length=1, max_length=100_000)]
    id: str | None = None
    keys: Words | None = None
    priority: Annotated[int, Meta(ge=0, le=100)] | None = None
    constant: bool | None = None


class RefusedPut(Part, kw_only=True):
    """One that was not put: the gate's floor stopped it, or it waits for a person."""

    name: str | None = None
    value: str
    total: Annotated[float, Meta(description="0 to 10")]
    reason: str
    hint: Annotated[str, Meta(description="what would change it")]
    review: Annotated[str, Meta(description="under which it waits for a person, for review.decide")] | None = None


class UpdatedCollection(Reply, kw_only=True):
    """All traits, or all goals, of a role, and what became of them; by ids."""

    role: str
    added: list[str]
    updated: list[str]
    archived: list[str]
    scores: Annotated[dict[str, JudgedTotal], Meta(description="by id")]
    refused: Annotated[list[RefusedPut], Meta(description="those that were not put")] | None = None
    memories: Annotated[list[MemoryView], Meta(description="all of the kind, as they are now")]


class ConflictSide(Part):
    """One of two memories that conflict."""

    id: str
    content: str
    at: Annotated[str, Meta(description="since when it is remembered")] | None = None


class ConflictView(Part, kw_only=True):
    """Two memories of which one may not hold any more; both come to mind meanwhile."""

    id: str
    role: str
    newer: ConflictSide
    older: ConflictSide
    why: str
    sure: Annotated[float, Meta(description="how sure it is that they conflict, 0 to 1")] | None = None


class SettledConflict(Reply):
    """A conflict that a person settled."""

    id: str
    role: str
    standing: Annotated[list[str], Meta(description="ids of the memories that hold")]
    hint: Annotated[str, Meta(description="how it is taken back")]


class UpdatedMemory(MemoryView, kw_only=True):
    """A memory as it is now."""

    role: str
    digest: Annotated[str, Meta(description="of the record's canonical JSON")]


class ForgottenMemory(Reply, kw_only=True):
    """A memory that is gone."""

    id: str
    role: str
    archived: Annotated[str, Meta(description="the archive's file that has it")] | None
    erased: bool
    remains: Annotated[str, Meta(description="what erasing does not reach")] | None = None
    also_in: Annotated[list[str], Meta(description="files that have the text too, 20 at most")] | None = None


class RestoredMemory(MemoryView, kw_only=True):
    """A memory that is back."""

    role: str


class Declared(Part):
    """The line that told of a memory when it was stored."""

    file: str
    line: int
    at: Annotated[str, Meta(description="day and time")]


class Proof(Reply, kw_only=True):
    """What the files say of a memory."""

    id: str
    role: str
    on_disk: bool
    state: Annotated[str, Meta(description="in its file; in the log, not in its file yet; in the archive")]
    file: str
    digest: Annotated[str, Meta(description="of the record in its file; empty where it is not there")]
    told: Annotated[str, Meta(description="the digest that was given, or that the score records have")]
    as_told: Annotated[bool, Meta(description="null where nothing is known")] | None
    declared: Declared | None
    since: str | None = None
    superseded_by: Annotated[str, Meta(description="what took its place")] | None = None
    content: str | None = None


class MeantRemember(Part, kw_only=True):
    """The parameters of the remember that was meant, ready to send."""

    role: str
    content: str
    source: Annotated[str, listed("user", "agent")]
    explicit: bool | None = None
    kind: str | None = None
    name: Annotated[str, Meta(description="a trait's name")] | None = None
    keys: list[str] | None = None
    tags: list[str] | None = None
    validity: str | None = None
    session: str | None = None


class GuardRuling(Reply):
    """What is to be done with a call, or after a message."""

    action: Annotated[str, listed("allow", "redirect", "ask_remember", "deny")]
    why: str
    target: Annotated[str, Meta(description="the files or the tool concerned")]
    hint: Annotated[str, Meta(description="what to do instead")]
    remember: list[MeantRemember]
    commands: Annotated[list[str], Meta(description="the same as lines for a shell")]
    violations: Annotated[int, Meta(description="how many the session has by now; 0 where this is none")]
    allowed: Annotated[int, Meta(description="how many a session may have")]


class LinkedMemory(Reply):
    """Two memories that are related."""

    role: str
    id: str
    to: str
    relation: str


class PlaceTaken(Part):
    """What a memory had taken the place of."""

    supersedes: list[str]
    covers: Annotated[list[str], Meta(description="digests of the statements; none: all of them")]


class UndoneDecision(Reply, kw_only=True):
    """A decision that was taken back."""

    id: str
    role: str
    took_back: Annotated[
        str,
        Meta(description="supersede, refine, duplicate, fold, constant, archive, both hold, keep, drop or judge again"),
    ]
    standing: Annotated[list[MemoryView], Meta(description="the memories that stand by it")]
    by: Annotated[str, Meta(description="who had taken the place")] | None = None
    had: PlaceTaken | None = None
    stored: Annotated[str, Meta(description="what stands by itself now")] | None = None
    archived: Annotated[str, Meta(description="what stood for those that are back")] | None = None
    hint: Annotated[str, Meta(description="how it is done again")]


class CommittedChange(Part, kw_only=True):
    """What one commit made of a memory."""

    commit: Annotated[str, Meta(description="its id; empty: not committed yet")]
    at: str
    author: str
    subject: Annotated[str, Meta(description="the first line of its message")]
    how: Annotated[str, listed("made", "changed", "settled"), Meta(description="settled: a merge chose")]
    before: Annotated[str, Meta(description="its text, cut at 4,000 characters")]
    after: str
    fields: Annotated[list[str], Meta(description="keys of its record that changed, but for the text")]
    withheld: Annotated[str, Meta(description="why these texts stay out of prompts")] | None = None


class Commits(Reply):
    """What git has of a memory, back to the commit that it came with."""

    role: str
    id: str
    file: str
    changes: list[CommittedChange]
    looked: Annotated[int, Meta(description="commits of its file that were looked at")]
    whole: Annotated[bool, Meta(description="down to the one that it came with")]
    why: Annotated[
        str,
        listed("", "no_git", "no_repository", "refused", "no_id", "not_committed"),
        Meta(
            description="nothing can be told: no git program, no repository, git refuses, the record has no id of its own, its file was never committed",
        ),
    ]
    detail: Annotated[str, Meta(description="what git said where it refuses")]


class JudgedAgain(Part, kw_only=True):
    """What became of a text that words judged alone."""

    offer: Annotated[str, Meta(description="the id that the provisional reply told")]
    provisional: Annotated[bool, Meta(description="it is still to be judged again")]
    was: Annotated[str, Meta(description="what words said, as `verdict` has it")]
    became: Annotated[
        str,
        Meta(
            description="stands, stored, superseding, refined, duplicate, redacted, waiting or dropped; empty: not judged yet"
        ),
    ]
    why: str
    at: Annotated[str, Meta(description="since when it is so")]
    memory: Annotated[str, Meta(description="that has it now")] | None = None
    inbox: Annotated[str, Meta(description="under which it waits")] | None = None


class FoundMemory(MemoryView, kw_only=True):
    """A memory with its record; or, by the id of an offer that words judged alone and that is none, its text and what became of it."""

    judged: Annotated[JudgedAgain | None, Meta(description="where a provisional verdict was asked for")] = None

    role: str
    record: (
        Annotated[dict[str, Any], Meta(description="as its file has it; not for a model where it is withheld")] | None
    ) = None
    digest: Annotated[str, Meta(description="of the record's canonical JSON")]
    file: str
    access_count: Annotated[int, Meta(description="how often it came to mind")]
    last_access: str | None = None
    expired: Annotated[bool, Meta(description="its time is over")] | None = None
    withheld: Annotated[str, Meta(description="why it stays out of prompts")] | None = None
    history: Annotated[list[Past], Meta(description="oldest first")] | None = None
    aging: Annotated[Aging | None, Meta(description="with `history`")] = None


class Memories(Reply):
    """Some of a role's memories."""

    role: str
    total: Annotated[int, Meta(description="how many there are with such a kind and tag")]
    memories: list[ListedMemory]
    as_of: Annotated[str, Meta(description="the time that was asked about")] | None = None
    notes: Annotated[list[str], Meta(description="what nobody can tell of then")] | None = None


class HeldText(Part, kw_only=True):
    """A text that waits: what its file says of it, which may be a stranger's, so that any but the text may be lacking."""

    id: str | None = None
    role: str | None = None
    kind: str | None = None
    content: str
    fields: Annotated[dict[str, str | int | bool | list[str]], Meta(description="what else would be stored")] | None = (
        None
    )
    why: Annotated[str, Meta(description="what is found in it")]
    source: Annotated[str, Meta(description="who offered it")] | None = None
    session: str | None = None
    at: Annotated[str, Meta(description="since when it waits")] | None = None
    chars: Annotated[int, Meta(description="of the text as JSON")]


class WaitingText(Part, kw_only=True):
    """A text in the inbox: it was offered, and was not sure to be worth keeping."""

    id: str
    role: str | None = None
    kind: str | None = None
    content: str
    fields: Annotated[dict[str, str | int | bool | list[str]], Meta(description="what else would be stored")] | None = (
        None
    )
    total: Annotated[float, Meta(description="as it was judged, 0 to 10")]
    why: Annotated[str, Meta(description="it was not kept")]
    source: Annotated[str, Meta(description="who offered it")] | None = None
    session: str | None = None
    at: Annotated[str, Meta(description="since when it waits")] | None = None


class WithheldMemory(Part):
    """A memory in a role's file that does not stand in prompts."""

    id: str
    role: str
    content: str
    why: str


class Reviews(Reply):
    """What waits for a person, by kinds: of each the same part, `limit` after `offset`."""

    total: Annotated[int, Meta(description="how many there are of all kinds that were asked for")]
    totals: Annotated[dict[str, int], Meta(description="of each kind, by its key")]
    held: Annotated[list[HeldText], Meta(description="oldest first")]
    waiting: Annotated[list[WaitingText], Meta(description="the inbox, nearest to the edge first")] | None = None
    conflicts: (
        Annotated[list[ConflictView], Meta(description="memories that say otherwise than others, the latest first")]
        | None
    ) = None
    withheld: Annotated[list[WithheldMemory], Meta(description="where `memories` was asked")] | None = None
