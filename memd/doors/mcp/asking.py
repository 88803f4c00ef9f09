"""What the server asks for: a daemon somewhere, and the role that is meant where none is named."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol

from memd.errors import BadParamsError

EVERY_ROLE = "*"
MAIN = "main"


class Asker(Protocol):
    """Whoever answers the methods of docs/protocol.md."""

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call, or raise a MemdError."""
        ...

    def events(self) -> AsyncIterator[dict[str, Any]]:
        """Yield what changes, for ever; `subscribed` with `anew` where something may have been missed before it."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """Asks in the name of one role, unless a call names another."""

    asker: Asker
    own_role: str = ""

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the answer to a call as a model may read it; what is empty is not sent."""
        given = {key: value for key, value in params.items() if value not in (None, "", [], {})}
        return await self.asker.call(method, reader="model", **given)

    async def role(self, named: str = "") -> str:
        """Return the role that is meant: the one named, the server's own, `main`, or the only one there is.

        An address goes to the daemon as it is: only there it is understood, and one of nobody or of two refused.
        """
        if named or self.own_role:
            return named or self.own_role
        names = [one["name"] for one in await self.roles()]
        if MAIN in names or len(names) == 1:
            return MAIN if MAIN in names else names[0]
        raise BadParamsError(f"role: say which one is meant: {', '.join(names) or 'there is none yet'}")

    async def known(self, address: str) -> dict[str, Any]:
        """Return the role that an address means, as the daemon understands addresses."""
        return await self.asker.call("role.get", role=address)

    async def roles(self) -> list[dict[str, Any]]:
        """Return the roles with their counts."""
        found: list[dict[str, Any]] = (await self.asker.call("role.list"))["roles"]
        return found
