"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.work.skills import Effects, FoundSkill, Skills


class SkillMethods:
    """The methods `skill.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def effects(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        skill: str = "",
        recompute: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> Effects:
        """Tell how each version does, from receipts.

        limit: how many at once
        offset: how many to pass over
        recompute: count the receipts again, and compare
        """
        found: Effects = typed(
            "skill.effects", "work.skills.Effects", self._client.call("skill.effects", **given(self.effects, locals()))
        )
        return found

    def get(self, *, skill: str, version: int = 0, reader: Literal["person", "model"] = "person") -> FoundSkill:
        """Return a skill with its versions and effects.

        version: which; 0 is the one in use
        """
        found: FoundSkill = typed(
            "skill.get", "work.skills.FoundSkill", self._client.call("skill.get", **given(self.get, locals()))
        )
        return found

    def list(self, *, limit: int = 1000, offset: int = 0, reader: Literal["person", "model"] = "person") -> Skills:
        """List published skills with how they do.

        limit: how many at once
        offset: how many to pass over
        """
        found: Skills = typed(
            "skill.list", "work.skills.Skills", self._client.call("skill.list", **given(self.list, locals()))
        )
        return found


class AsyncSkillMethods:
    """The methods `skill.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def effects(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        skill: str = "",
        recompute: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> Effects:
        """Tell how each version does, from receipts.

        limit: how many at once
        offset: how many to pass over
        recompute: count the receipts again, and compare
        """
        found: Effects = typed(
            "skill.effects",
            "work.skills.Effects",
            await self._client.call("skill.effects", **given(self.effects, locals())),
        )
        return found

    async def get(self, *, skill: str, version: int = 0, reader: Literal["person", "model"] = "person") -> FoundSkill:
        """Return a skill with its versions and effects.

        version: which; 0 is the one in use
        """
        found: FoundSkill = typed(
            "skill.get", "work.skills.FoundSkill", await self._client.call("skill.get", **given(self.get, locals()))
        )
        return found

    async def list(
        self, *, limit: int = 1000, offset: int = 0, reader: Literal["person", "model"] = "person"
    ) -> Skills:
        """List published skills with how they do.

        limit: how many at once
        offset: how many to pass over
        """
        found: Skills = typed(
            "skill.list", "work.skills.Skills", await self._client.call("skill.list", **given(self.list, locals()))
        )
        return found
