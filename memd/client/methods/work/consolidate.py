"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.work.consolidation import ConsolidatedSessions, PassesView, PassTakenBack
    from memd.client.types.work.packs import AppliedPack, PacksView, StatedFact


class ConsolidateMethods:
    """The methods `consolidate.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def apply(
        self,
        *,
        pack: str,
        statements: builtins.list[StatedFact],
        inbox: bool = False,
        dry_run: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> AppliedPack:
        """Take a model's statements: what the turns prove is judged like all that is said, what none proves is refused.

        pack: a pack's id, as it was given
        inbox: nothing is kept at once: all that is worth it waits in the inbox
        dry_run: only say what would become of it
        """
        found: AppliedPack = typed(
            "consolidate.apply",
            "work.packs.AppliedPack",
            self._client.call("consolidate.apply", **given(self.apply, locals())),
        )
        return found

    def list(
        self, *, id: str = "", limit: int = 20, before: str = "", reader: Literal["person", "model"] = "person"
    ) -> PassesView:
        """List the passes, or show one.

        id: a pass's id, or its first characters; all without it
        limit: how many, the newest first
        before: only those that came before this one
        """
        found: PassesView = typed(
            "consolidate.list",
            "work.consolidation.PassesView",
            self._client.call("consolidate.list", **given(self.list, locals())),
        )
        return found

    def pack(
        self,
        *,
        session: str = "",
        role: str = "",
        max_turns: int = 80,
        max_bytes: int = 32000,
        limit: int = 8,
        reader: Literal["person", "model"] = "person",
    ) -> PacksView:
        """Give the turns that were not looked at, numbered, with what is known and the form of an answer, for a model to say what they tell.

        session: one session; all without it
        role: a role's name, alias or uuid; all roles without it
        max_turns: turns of one pack
        max_bytes: bytes of one pack's turns, about
        limit: how many packs
        """
        found: PacksView = typed(
            "consolidate.pack",
            "work.packs.PacksView",
            self._client.call("consolidate.pack", **given(self.pack, locals())),
        )
        return found

    def run(
        self,
        *,
        session: str = "",
        role: str = "",
        inbox: bool = False,
        dry_run: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> ConsolidatedSessions:
        """Make memories of what was said in sessions since the last pass, or say what would become of it.

        session: one session; all without it
        role: a role's name, alias or uuid; all roles without it
        inbox: nothing is kept at once: all that is worth it waits in the inbox
        dry_run: only say what would become of it
        """
        found: ConsolidatedSessions = typed(
            "consolidate.run",
            "work.consolidation.ConsolidatedSessions",
            self._client.call("consolidate.run", **given(self.run, locals())),
        )
        return found

    def undo(self, *, id: str, reader: Literal["person", "model"] = "person") -> PassTakenBack:
        """Take a pass back as a whole; what was changed since is left, and told.

        id: a pass's id, or its first characters
        """
        found: PassTakenBack = typed(
            "consolidate.undo",
            "work.consolidation.PassTakenBack",
            self._client.call("consolidate.undo", **given(self.undo, locals())),
        )
        return found


class AsyncConsolidateMethods:
    """The methods `consolidate.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def apply(
        self,
        *,
        pack: str,
        statements: builtins.list[StatedFact],
        inbox: bool = False,
        dry_run: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> AppliedPack:
        """Take a model's statements: what the turns prove is judged like all that is said, what none proves is refused.

        pack: a pack's id, as it was given
        inbox: nothing is kept at once: all that is worth it waits in the inbox
        dry_run: only say what would become of it
        """
        found: AppliedPack = typed(
            "consolidate.apply",
            "work.packs.AppliedPack",
            await self._client.call("consolidate.apply", **given(self.apply, locals())),
        )
        return found

    async def list(
        self, *, id: str = "", limit: int = 20, before: str = "", reader: Literal["person", "model"] = "person"
    ) -> PassesView:
        """List the passes, or show one.

        id: a pass's id, or its first characters; all without it
        limit: how many, the newest first
        before: only those that came before this one
        """
        found: PassesView = typed(
            "consolidate.list",
            "work.consolidation.PassesView",
            await self._client.call("consolidate.list", **given(self.list, locals())),
        )
        return found

    async def pack(
        self,
        *,
        session: str = "",
        role: str = "",
        max_turns: int = 80,
        max_bytes: int = 32000,
        limit: int = 8,
        reader: Literal["person", "model"] = "person",
    ) -> PacksView:
        """Give the turns that were not looked at, numbered, with what is known and the form of an answer, for a model to say what they tell.

        session: one session; all without it
        role: a role's name, alias or uuid; all roles without it
        max_turns: turns of one pack
        max_bytes: bytes of one pack's turns, about
        limit: how many packs
        """
        found: PacksView = typed(
            "consolidate.pack",
            "work.packs.PacksView",
            await self._client.call("consolidate.pack", **given(self.pack, locals())),
        )
        return found

    async def run(
        self,
        *,
        session: str = "",
        role: str = "",
        inbox: bool = False,
        dry_run: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> ConsolidatedSessions:
        """Make memories of what was said in sessions since the last pass, or say what would become of it.

        session: one session; all without it
        role: a role's name, alias or uuid; all roles without it
        inbox: nothing is kept at once: all that is worth it waits in the inbox
        dry_run: only say what would become of it
        """
        found: ConsolidatedSessions = typed(
            "consolidate.run",
            "work.consolidation.ConsolidatedSessions",
            await self._client.call("consolidate.run", **given(self.run, locals())),
        )
        return found

    async def undo(self, *, id: str, reader: Literal["person", "model"] = "person") -> PassTakenBack:
        """Take a pass back as a whole; what was changed since is left, and told.

        id: a pass's id, or its first characters
        """
        found: PassTakenBack = typed(
            "consolidate.undo",
            "work.consolidation.PassTakenBack",
            await self._client.call("consolidate.undo", **given(self.undo, locals())),
        )
        return found
