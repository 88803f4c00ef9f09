"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.work.context import Context


class ContextMethods:
    """The methods `context.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def render(
        self,
        *,
        run: str = "",
        session: str = "",
        role: str = "",
        message: str = "",
        snapshot: str = "",
        budget_chars: int = 0,
        max_messages: int = 0,
        now: float | str | None = None,
        zone: str = "",
        record: bool = True,
        reader: Literal["person", "model"] = "person",
    ) -> Context:
        """Put together what a model is given next.

        run: of this run: its snapshot, session and role
        session: of this session: its history
        role: whose memory is asked
        message: the newest message; else the session's last of the user
        snapshot: a stored one; else the run's, else the files as they are
        budget_chars: how many characters all together may have; 0 is no limit
        max_messages: how many messages; 0 is what memd.toml says
        now: the time it is; else the clock: seconds, milliseconds or ISO 8601
        zone: time zone: a name, or an offset such as +08:00
        record: note in the run what was injected
        """
        found: Context = typed(
            "context.render",
            "work.context.Context",
            self._client.call("context.render", **given(self.render, locals())),
        )
        return found


class AsyncContextMethods:
    """The methods `context.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def render(
        self,
        *,
        run: str = "",
        session: str = "",
        role: str = "",
        message: str = "",
        snapshot: str = "",
        budget_chars: int = 0,
        max_messages: int = 0,
        now: float | str | None = None,
        zone: str = "",
        record: bool = True,
        reader: Literal["person", "model"] = "person",
    ) -> Context:
        """Put together what a model is given next.

        run: of this run: its snapshot, session and role
        session: of this session: its history
        role: whose memory is asked
        message: the newest message; else the session's last of the user
        snapshot: a stored one; else the run's, else the files as they are
        budget_chars: how many characters all together may have; 0 is no limit
        max_messages: how many messages; 0 is what memd.toml says
        now: the time it is; else the clock: seconds, milliseconds or ISO 8601
        zone: time zone: a name, or an offset such as +08:00
        record: note in the run what was injected
        """
        found: Context = typed(
            "context.render",
            "work.context.Context",
            await self._client.call("context.render", **given(self.render, locals())),
        )
        return found
