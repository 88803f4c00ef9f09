"""What the server asks for: a daemon somewhere, and the role that is meant where none is named."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from memd.errors import BadParamsError, MemdError, RoleUnknownError
from memd.model.projects import MARK

EVERY_ROLE = "*"
PAGE = 1000  # roles that are asked for at once


class Caller(Protocol):
    """Whoever answers the methods of docs/protocol.md."""

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call, or raise a MemdError."""
        ...


class Asker(Caller, Protocol):
    """Who also tells what changes."""

    def events(self) -> AsyncIterator[dict[str, Any]]:
        """Yield what changes, for ever; `subscribed` with `anew` where something may have been missed before it."""
        ...


@dataclass(frozen=True, slots=True)
class InProject:
    """Asks the person's own workspace, and for a project whose memory is in another one that one; `reach` gives the way to it."""

    own: Caller
    place: Mapping[str, str]
    reach: Callable[[str], Caller]

    @property
    def without(self) -> str | None:
        """Why the person's own was asked without a daemon; None where one answered."""
        found: str | None = getattr(self.own, "without", None)
        return found

    @property
    def workspace(self) -> str:
        """The person's own."""
        return str(getattr(self.own, "workspace", ""))

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call, wherever its answer lies."""
        if params.get("role") != f"{MARK}{self.place.get('project', '')}":
            return await self.own.call(method, **params)
        from memd.engine.scope import routed  # noqa: PLC0415  not at every start

        path, routed_params = routed(await self.own.call("role.of", **self.place), method, params)
        return await (self.reach(path) if path else self.own).call(method, **routed_params)


@dataclass(frozen=True, slots=True)
class Desk:
    """Asks in the name of one role, unless a call names another. `place`: what the client's directory says of itself."""

    asker: Caller
    own_role: str = ""
    place: Mapping[str, str] = field(default_factory=dict)

    @property
    def trouble(self) -> str | None:
        """Why no daemon could be started for the last call, "" where none was tried; None where one answered."""
        found: str | None = getattr(self.asker, "without", None)
        return found

    @property
    def workspace(self) -> str:
        """Whose memory it is, as its path; "" where who is asked does not say."""
        return str(getattr(self.asker, "workspace", ""))

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the answer to a call as a model may read it; what is empty is not sent."""
        given = {key: value for key, value in params.items() if value not in (None, "", [], {})}
        return await self.asker.call(method, reader="model", **given)

    async def role(self, named: str = "") -> str:
        """Return the role that is meant: the one named, the server's own, or the one that the client's directory gets.

        An address goes to the daemon as it is: only there it is understood, and one of nobody or of two refused.
        """
        if named or self.own_role:
            return named or self.own_role
        try:
            return str((await self.asker.call("role.of", **self.place))["address"])
        except MemdError as error:
            if error.code != RoleUnknownError.code:
                raise
        names = [one["name"] for one in await self.roles()]
        raise BadParamsError(f"role: say which one is meant: {', '.join(names) or 'there is none yet'}")

    async def known(self, address: str) -> dict[str, Any]:
        """Return the role that an address means, as the daemon understands addresses."""
        return await self.asker.call("role.get", role=address)

    async def roles(self) -> list[dict[str, Any]]:
        """Return the roles with their counts."""
        found: list[dict[str, Any]] = []
        while True:
            reply = await self.asker.call("role.list", limit=PAGE, offset=len(found))
            found += reply["roles"]
            if not reply["roles"] or len(found) >= reply["total"]:
                return found
