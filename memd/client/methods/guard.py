"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.guard import GuardRuling


class GuardMethods:
    """The methods `guard.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def check(
        self,
        *,
        tool: str = "",
        input: Mapping[str, Any] | str | None = None,
        message: str = "",
        role: str = "main",
        session: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> GuardRuling:
        """Rule on a tool call or a message: should it be a remember?

        tool: the tool's name as the agent knows it
        input: the tool's input
        message: a user's message instead
        role: a role's name, alias or uuid
        session: violations are counted by session
        """
        found: GuardRuling = typed(
            "guard.check", "guard.GuardRuling", self._client.call("guard.check", **given(self.check, locals()))
        )
        return found


class AsyncGuardMethods:
    """The methods `guard.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def check(
        self,
        *,
        tool: str = "",
        input: Mapping[str, Any] | str | None = None,
        message: str = "",
        role: str = "main",
        session: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> GuardRuling:
        """Rule on a tool call or a message: should it be a remember?

        tool: the tool's name as the agent knows it
        input: the tool's input
        message: a user's message instead
        role: a role's name, alias or uuid
        session: violations are counted by session
        """
        found: GuardRuling = typed(
            "guard.check", "guard.GuardRuling", await self._client.call("guard.check", **given(self.check, locals()))
        )
        return found
