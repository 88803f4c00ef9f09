"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.collections import Goal, UpdatedCollection


class GoalsMethods:
    """The methods `goals.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

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
        found: UpdatedCollection = typed(
            "goals.update",
            "collections.UpdatedCollection",
            self._client.call("goals.update", **given(self.update, locals())),
        )
        return found


class AsyncGoalsMethods:
    """The methods `goals.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def update(
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
        found: UpdatedCollection = typed(
            "goals.update",
            "collections.UpdatedCollection",
            await self._client.call("goals.update", **given(self.update, locals())),
        )
        return found
