"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.upkeep import Upkeep


class UpkeepMethods:
    """The methods `upkeep.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def plan(
        self, *, limit: int = 1000, offset: int = 0, role: str = "", reader: Literal["person", "model"] = "person"
    ) -> Upkeep:
        """Say what upkeep would do.

        limit: how many of each kind at once
        offset: how many to pass over
        role: a role's name, alias or uuid; all roles without it
        """
        found: Upkeep = typed(
            "upkeep.plan", "upkeep.Upkeep", self._client.call("upkeep.plan", **given(self.plan, locals()))
        )
        return found

    def run(
        self, *, limit: int = 1000, offset: int = 0, role: str = "", reader: Literal["person", "model"] = "person"
    ) -> Upkeep:
        """Archive what expired, make room, fold; propose the rest.

        limit: how many of each kind at once
        offset: how many to pass over
        role: a role's name, alias or uuid; all roles without it
        """
        found: Upkeep = typed(
            "upkeep.run", "upkeep.Upkeep", self._client.call("upkeep.run", **given(self.run, locals()))
        )
        return found


class AsyncUpkeepMethods:
    """The methods `upkeep.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def plan(
        self, *, limit: int = 1000, offset: int = 0, role: str = "", reader: Literal["person", "model"] = "person"
    ) -> Upkeep:
        """Say what upkeep would do.

        limit: how many of each kind at once
        offset: how many to pass over
        role: a role's name, alias or uuid; all roles without it
        """
        found: Upkeep = typed(
            "upkeep.plan", "upkeep.Upkeep", await self._client.call("upkeep.plan", **given(self.plan, locals()))
        )
        return found

    async def run(
        self, *, limit: int = 1000, offset: int = 0, role: str = "", reader: Literal["person", "model"] = "person"
    ) -> Upkeep:
        """Archive what expired, make room, fold; propose the rest.

        limit: how many of each kind at once
        offset: how many to pass over
        role: a role's name, alias or uuid; all roles without it
        """
        found: Upkeep = typed(
            "upkeep.run", "upkeep.Upkeep", await self._client.call("upkeep.run", **given(self.run, locals()))
        )
        return found
