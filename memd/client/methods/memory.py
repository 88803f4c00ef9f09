"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Literal

from msgspec import UNSET, UnsetType

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.corrections import ForgottenMemory, Proof, RestoredMemory, UpdatedMemory
    from memd.client.types.links import LinkedMemory, UndoneDecision
    from memd.client.types.memories import FoundMemory, Memories


class MemoryMethods:
    """The methods `memory.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

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
        found: ForgottenMemory = typed(
            "memory.forget",
            "corrections.ForgottenMemory",
            self._client.call("memory.forget", **given(self.forget, locals())),
        )
        return found

    def get(
        self, *, role: str, id: str, history: bool = False, reader: Literal["person", "model"] = "person"
    ) -> FoundMemory:
        """Return one memory with its record and digest.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        history: also its earlier texts, what took whose place, and what it was and will be worth
        """
        found: FoundMemory = typed(
            "memory.get", "memories.FoundMemory", self._client.call("memory.get", **given(self.get, locals()))
        )
        return found

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
        found: LinkedMemory = typed(
            "memory.link", "links.LinkedMemory", self._client.call("memory.link", **given(self.link, locals()))
        )
        return found

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
        found: Memories = typed(
            "memory.list", "memories.Memories", self._client.call("memory.list", **given(self.list, locals()))
        )
        return found

    def restore(self, *, role: str, id: str, reader: Literal["person", "model"] = "person") -> RestoredMemory:
        """Bring a forgotten memory back.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        """
        found: RestoredMemory = typed(
            "memory.restore",
            "corrections.RestoredMemory",
            self._client.call("memory.restore", **given(self.restore, locals())),
        )
        return found

    def undo(self, *, role: str, id: str, reader: Literal["person", "model"] = "person") -> UndoneDecision:
        """Take back the last decision about a memory.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        """
        found: UndoneDecision = typed(
            "memory.undo", "links.UndoneDecision", self._client.call("memory.undo", **given(self.undo, locals()))
        )
        return found

    def update(
        self,
        *,
        role: str,
        id: str,
        content: str | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        keys: builtins.list[str] | UnsetType | None = UNSET,
        tags: builtins.list[str] | UnsetType | None = UNSET,
        topics: builtins.list[str] | UnsetType | None = UNSET,
        emotions: builtins.list[str] | UnsetType | None = UNSET,
        priority: int | UnsetType | None = UNSET,
        constant: bool | UnsetType | None = UNSET,
        disabled: bool | UnsetType | None = UNSET,
        validity: str | UnsetType | None = UNSET,
        expires_at: float | str | UnsetType | None = UNSET,
        event_start: str | UnsetType | None = UNSET,
        event_end: str | UnsetType | None = UNSET,
        relevance_weight: float | UnsetType | None = UNSET,
        emotional_weight: float | UnsetType | None = UNSET,
        decay_per_day: float | UnsetType | None = UNSET,
        digest: str = "",
        source: Literal["user", "agent", "tool", "file-edit", "import"] = "agent",
        reader: Literal["person", "model"] = "person",
    ) -> UpdatedMemory:
        """Change fields of one memory.

        role: a role's name, alias or uuid. id: a memory's id, or its first characters. content: the new text. name: a
        trait's name. keys: the new keys, in place of all it has. tags: the new tags, in place of all it has. topics:
        the new topics, in place of all it has. emotions: the new feelings, in place of all it has. priority: its
        weight in recall. constant: it always comes to mind. disabled: it never comes to mind. validity: how long it
        holds: short, medium, long; 短期, 中期, 长期. expires_at: when it expires: seconds, milliseconds or ISO 8601.
        event_start: when what it tells happened or will: a day, or ISO 8601. event_end: the end of that; a day is
        meant whole. relevance_weight: how much its relevance counts. emotional_weight: how much feelings count.
        decay_per_day: the share of its weight that a day takes. digest: refuse unless the record still has this
        digest. source: who says so.
        """
        found: UpdatedMemory = typed(
            "memory.update",
            "corrections.UpdatedMemory",
            self._client.call("memory.update", **given(self.update, locals())),
        )
        return found

    def verify(self, *, role: str, id: str, digest: str = "", reader: Literal["person", "model"] = "person") -> Proof:
        """Prove that a memory is on disk, as told, and since when.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        digest: what the receipt said; else the score records are asked
        """
        found: Proof = typed(
            "memory.verify", "corrections.Proof", self._client.call("memory.verify", **given(self.verify, locals()))
        )
        return found


class AsyncMemoryMethods:
    """The methods `memory.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def forget(
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
        found: ForgottenMemory = typed(
            "memory.forget",
            "corrections.ForgottenMemory",
            await self._client.call("memory.forget", **given(self.forget, locals())),
        )
        return found

    async def get(
        self, *, role: str, id: str, history: bool = False, reader: Literal["person", "model"] = "person"
    ) -> FoundMemory:
        """Return one memory with its record and digest.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        history: also its earlier texts, what took whose place, and what it was and will be worth
        """
        found: FoundMemory = typed(
            "memory.get", "memories.FoundMemory", await self._client.call("memory.get", **given(self.get, locals()))
        )
        return found

    async def link(
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
        found: LinkedMemory = typed(
            "memory.link", "links.LinkedMemory", await self._client.call("memory.link", **given(self.link, locals()))
        )
        return found

    async def list(
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
        found: Memories = typed(
            "memory.list", "memories.Memories", await self._client.call("memory.list", **given(self.list, locals()))
        )
        return found

    async def restore(self, *, role: str, id: str, reader: Literal["person", "model"] = "person") -> RestoredMemory:
        """Bring a forgotten memory back.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        """
        found: RestoredMemory = typed(
            "memory.restore",
            "corrections.RestoredMemory",
            await self._client.call("memory.restore", **given(self.restore, locals())),
        )
        return found

    async def undo(self, *, role: str, id: str, reader: Literal["person", "model"] = "person") -> UndoneDecision:
        """Take back the last decision about a memory.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        """
        found: UndoneDecision = typed(
            "memory.undo", "links.UndoneDecision", await self._client.call("memory.undo", **given(self.undo, locals()))
        )
        return found

    async def update(
        self,
        *,
        role: str,
        id: str,
        content: str | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        keys: builtins.list[str] | UnsetType | None = UNSET,
        tags: builtins.list[str] | UnsetType | None = UNSET,
        topics: builtins.list[str] | UnsetType | None = UNSET,
        emotions: builtins.list[str] | UnsetType | None = UNSET,
        priority: int | UnsetType | None = UNSET,
        constant: bool | UnsetType | None = UNSET,
        disabled: bool | UnsetType | None = UNSET,
        validity: str | UnsetType | None = UNSET,
        expires_at: float | str | UnsetType | None = UNSET,
        event_start: str | UnsetType | None = UNSET,
        event_end: str | UnsetType | None = UNSET,
        relevance_weight: float | UnsetType | None = UNSET,
        emotional_weight: float | UnsetType | None = UNSET,
        decay_per_day: float | UnsetType | None = UNSET,
        digest: str = "",
        source: Literal["user", "agent", "tool", "file-edit", "import"] = "agent",
        reader: Literal["person", "model"] = "person",
    ) -> UpdatedMemory:
        """Change fields of one memory.

        role: a role's name, alias or uuid. id: a memory's id, or its first characters. content: the new text. name: a
        trait's name. keys: the new keys, in place of all it has. tags: the new tags, in place of all it has. topics:
        the new topics, in place of all it has. emotions: the new feelings, in place of all it has. priority: its
        weight in recall. constant: it always comes to mind. disabled: it never comes to mind. validity: how long it
        holds: short, medium, long; 短期, 中期, 长期. expires_at: when it expires: seconds, milliseconds or ISO 8601.
        event_start: when what it tells happened or will: a day, or ISO 8601. event_end: the end of that; a day is
        meant whole. relevance_weight: how much its relevance counts. emotional_weight: how much feelings count.
        decay_per_day: the share of its weight that a day takes. digest: refuse unless the record still has this
        digest. source: who says so.
        """
        found: UpdatedMemory = typed(
            "memory.update",
            "corrections.UpdatedMemory",
            await self._client.call("memory.update", **given(self.update, locals())),
        )
        return found

    async def verify(
        self, *, role: str, id: str, digest: str = "", reader: Literal["person", "model"] = "person"
    ) -> Proof:
        """Prove that a memory is on disk, as told, and since when.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        digest: what the receipt said; else the score records are asked
        """
        found: Proof = typed(
            "memory.verify",
            "corrections.Proof",
            await self._client.call("memory.verify", **given(self.verify, locals())),
        )
        return found
