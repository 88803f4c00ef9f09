"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.collections import Trait, UpdatedCollection


class TraitsMethods:
    """The methods `traits.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

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
        found: UpdatedCollection = typed(
            "traits.update",
            "collections.UpdatedCollection",
            self._client.call("traits.update", **given(self.update, locals())),
        )
        return found


class AsyncTraitsMethods:
    """The methods `traits.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def update(
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
        found: UpdatedCollection = typed(
            "traits.update",
            "collections.UpdatedCollection",
            await self._client.call("traits.update", **given(self.update, locals())),
        )
        return found
