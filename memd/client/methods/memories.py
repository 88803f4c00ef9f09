"""Made from the declarations by `make docs`: change those, not this."""

# mypy: disable-error-code=empty-body

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Literal

from msgspec import UNSET, UnsetType

from memd.client.asking import Asks, K, method

if TYPE_CHECKING:
    from memd.protocol.keeping import DecidedReview
    from memd.protocol.memories import (
        Commits,
        ForgottenMemory,
        FoundMemory,
        Goal,
        LinkedMemory,
        Memories,
        Proof,
        RestoredMemory,
        Reviews,
        SettledConflict,
        Trait,
        UndoneDecision,
        UpdatedCollection,
        UpdatedMemory,
    )
    from memd.protocol.roles import Upkeep


class GitMethods(Asks[K]):
    """The methods `git.*`."""

    @method("git.commits")
    def commits(self, *, role: str, id: str, limit: int = 20, reader: Literal["person", "model"] = "person") -> Commits:
        """Tell which commits of git changed a memory, with its text before and after.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        limit: how many changes, the newest first
        """


class GoalsMethods(Asks[K]):
    """The methods `goals.*`."""

    @method("goals.update")
    def update(
        self,
        *,
        role: str,
        goals: list[Goal],
        replace_all: bool = False,
        explicit: bool = False,
        source: Literal["user", "agent", "tool", "file-edit", "import"] = "agent",
        reader: Literal["person", "model"] = "person",
    ) -> UpdatedCollection:
        """Put goals by id or by what they say.

        role: a role's name, alias or uuid
        replace_all: archive the goals that are not named
        explicit: the user asked for it: kept whatever its total, which is at least 8
        source: who says so
        """


class MemoryMethods(Asks[K]):
    """The methods `memory.*`."""

    @method("memory.forget")
    def forget(
        self,
        *,
        role: str,
        id: str,
        reason: str = "",
        erase: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> ForgottenMemory:
        """Archive a memory, or erase its text.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        reason: why
        erase: remove the text from every file of memd's, the archive too
        """

    @method("memory.get")
    def get(
        self, *, role: str, id: str, history: bool = False, reader: Literal["person", "model"] = "person"
    ) -> FoundMemory:
        """Return one memory with its record and digest.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        history: also its earlier texts, what took whose place, and what it was and will be worth
        """

    @method("memory.link")
    def link(
        self,
        *,
        role: str,
        id: str,
        to: str,
        relation: Literal["related", "supersedes"] = "related",
        covers: builtins.list[str] = [],
        reader: Literal["person", "model"] = "person",
    ) -> LinkedMemory:
        """Relate two memories of a role.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        to: a memory's id, or its first characters
        covers: digests of the statements it takes the place of
        """

    @method("memory.list")
    def list(
        self,
        *,
        role: str,
        kind: Literal["episodic", "semantic", "trait", "goal"] | None = None,
        tag: str = "",
        limit: int = 100,
        offset: int = 0,
        forgotten: bool = False,
        as_of: float | str | None = None,
        order: Literal["file", "newest", "oldest", "score", "worth", "key"] = "file",
        query: str = "",
        about: str = "",
        after: str = "",
        before: str = "",
        state: Literal["all", "holds", "past", "always", "off"] = "all",
        figures: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> Memories:
        """List memories, or forgotten ones.

        role: a role's name, alias or uuid. kind: only of this kind. tag: only memories with this tag. limit: how many
        at once. offset: how many to pass over. forgotten: list what is in the archive instead. as_of: those that were
        known then, as they were: a time, or a day's end. order: by time, by score or by what they are worth now
        (highest first), by their first key, or as they stand in the file. query: only what this search finds, the
        best first unless another order is asked; of forgotten ones, what has all its words. about: only what names
        this person or thing, as profile's subject; me: the user. after: from this year, month, day or moment on.
        before: before this year, month, day or moment. state: holds: it may come to mind; past: another took its
        place, or its time is over; always: it always comes; off: it never does. figures: also what each is worth, how
        often it came to mind, and what it is related to.
        """

    @method("memory.restore")
    def restore(self, *, role: str, id: str, reader: Literal["person", "model"] = "person") -> RestoredMemory:
        """Bring a forgotten memory back.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        """

    @method("memory.undo")
    def undo(self, *, role: str, id: str, reader: Literal["person", "model"] = "person") -> UndoneDecision:
        """Take back the last decision about a memory.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        """

    @method("memory.update")
    def update(
        self,
        *,
        role: str,
        id: str,
        name: str | UnsetType | None = UNSET,
        keys: builtins.list[str] | UnsetType | None = UNSET,
        tags: builtins.list[str] | UnsetType | None = UNSET,
        topics: builtins.list[str] | UnsetType | None = UNSET,
        emotions: builtins.list[str] | UnsetType | None = UNSET,
        priority: int | UnsetType | None = UNSET,
        constant: bool | UnsetType | None = UNSET,
        validity: str | UnsetType | None = UNSET,
        event_start: str | UnsetType | None = UNSET,
        event_end: str | UnsetType | None = UNSET,
        content: str | UnsetType = UNSET,
        disabled: bool | UnsetType | None = UNSET,
        expires_at: float | str | UnsetType | None = UNSET,
        relevance_weight: float | UnsetType | None = UNSET,
        emotional_weight: float | UnsetType | None = UNSET,
        decay_per_day: float | UnsetType | None = UNSET,
        digest: str = "",
        source: Literal["user", "agent", "tool", "file-edit", "import"] = "agent",
        reader: Literal["person", "model"] = "person",
    ) -> UpdatedMemory:
        """Change fields of one memory.

        role: a role's name, alias or uuid. id: a memory's id, or its first characters. name: a trait's name. keys:
        words that bring it to mind, all of them. tags: words it is filed under, all of them. topics: what it is
        about, all of it. emotions: feelings that go with it; of a new one they are else read from the text. priority:
        its priority in recall; else that of its kind. constant: it always comes to mind. validity: how long it holds:
        short, medium, long; 短期, 中期, 长期. event_start: when what it tells happened or will: a day, a month, a year, or
        ISO 8601. event_end: the end of that; a day is meant whole. content: the new text. disabled: it never comes to
        mind. expires_at: when it expires: seconds, milliseconds or ISO 8601. relevance_weight: how much its relevance
        counts. emotional_weight: how much feelings count. decay_per_day: the share of its weight that a day takes.
        digest: refuse unless the record still has this digest. source: who says so.
        """

    @method("memory.verify")
    def verify(self, *, role: str, id: str, digest: str = "", reader: Literal["person", "model"] = "person") -> Proof:
        """Prove that a memory is on disk, as told, and since when.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        digest: what the receipt said; else the score records are asked
        """


class ReviewMethods(Asks[K]):
    """The methods `review.*`."""

    @method("review.decide")
    def decide(
        self,
        *,
        id: str,
        verdict: Literal["approve", "keep", "drop"],
        content: str = "",
        role: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> DecidedReview:
        """Keep, edit or drop a text that waits.

        id: a memory's id, or its first characters
        verdict: approve and keep are one: it is stored as a person says so
        content: an edited text to keep instead
        role: the id is of a memory of this role
        """

    @method("review.list")
    def list(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        role: str = "",
        memories: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> Reviews:
        """List what waits for a person.

        limit: how many at once
        offset: how many to pass over
        role: a role's name, alias or uuid; all roles without it
        memories: also memories in files that are withheld from prompts; all are looked through, which takes a while
        """

    @method("review.settle")
    def settle(
        self,
        *,
        id: str,
        holds: Literal["newer", "older", "both"],
        role: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> SettledConflict:
        """Say which of two memories that conflict holds, or that both do.

        id: the conflict's id, or one of either memory
        holds: newer takes the older one's place; older sends the newer to the archive; both are not asked again
        role: a role's name, alias or uuid; all roles without it
        """


class TraitsMethods(Asks[K]):
    """The methods `traits.*`."""

    @method("traits.update")
    def update(
        self,
        *,
        role: str,
        traits: list[Trait],
        replace_all: bool = False,
        explicit: bool = False,
        source: Literal["user", "agent", "tool", "file-edit", "import"] = "agent",
        reader: Literal["person", "model"] = "person",
    ) -> UpdatedCollection:
        """Put traits by name.

        role: a role's name, alias or uuid
        replace_all: archive the traits that are not named
        explicit: the user asked for it: kept whatever its total, which is at least 8
        source: who says so
        """


class UpkeepMethods(Asks[K]):
    """The methods `upkeep.*`."""

    @method("upkeep.plan")
    def plan(
        self, *, limit: int = 1000, offset: int = 0, role: str = "", reader: Literal["person", "model"] = "person"
    ) -> Upkeep:
        """Say what upkeep would do.

        limit: how many of each kind at once
        offset: how many to pass over
        role: a role's name, alias or uuid; all roles without it
        """

    @method("upkeep.run")
    def run(
        self, *, limit: int = 1000, offset: int = 0, role: str = "", reader: Literal["person", "model"] = "person"
    ) -> Upkeep:
        """Archive what expired, make room, fold; propose the rest.

        limit: how many of each kind at once
        offset: how many to pass over
        role: a role's name, alias or uuid; all roles without it
        """
