"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.hooks import AttendedEvent


class HookMethods:
    """The methods `hook.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def event(
        self,
        *,
        agent: str,
        event: Literal["start", "prompt", "tool", "stop", "compact", "end"],
        session: str = "",
        key: str = "",
        source: str = "",
        message: str = "",
        reply: str = "",
        tool: str = "",
        input: Mapping[str, Any] | str = "",
        until_ms: int = 0,
        role: str = "",
        project: str = "",
        named: str = "",
        mark: str = "",
        shared: bool = False,
        chinese: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> AttendedEvent:
        """Answer an agent's hook, and keep what was said.

        agent: claude, codex, gemini, vscode, or another. event: what happened. session: the agent's id of the
        conversation. key: the agent's id of the turn or the call. source: why a window begins or is compacted.
        message: the prompt. reply: what the agent answered at the end of a turn. tool: the tool's name as the agent
        knows it. input: of the tool: an object, or a text such as a patch. until_ms: when the asker goes, in ms since
        1970: later it is told nothing; 0: it stays. role: else the directory that the agent works in decides.
        project: of that directory, host/owner/name by its origin. named: the role that its .memd-role names. mark: of
        that file's place and what it says. shared: the person's own workspace sent the hook here: what they say of
        themselves is kept there. chinese: the person reads Chinese, as the agent's locale says.
        """
        found: AttendedEvent = typed(
            "hook.event", "hooks.AttendedEvent", self._client.call("hook.event", **given(self.event, locals()))
        )
        return found


class AsyncHookMethods:
    """The methods `hook.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def event(
        self,
        *,
        agent: str,
        event: Literal["start", "prompt", "tool", "stop", "compact", "end"],
        session: str = "",
        key: str = "",
        source: str = "",
        message: str = "",
        reply: str = "",
        tool: str = "",
        input: Mapping[str, Any] | str = "",
        until_ms: int = 0,
        role: str = "",
        project: str = "",
        named: str = "",
        mark: str = "",
        shared: bool = False,
        chinese: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> AttendedEvent:
        """Answer an agent's hook, and keep what was said.

        agent: claude, codex, gemini, vscode, or another. event: what happened. session: the agent's id of the
        conversation. key: the agent's id of the turn or the call. source: why a window begins or is compacted.
        message: the prompt. reply: what the agent answered at the end of a turn. tool: the tool's name as the agent
        knows it. input: of the tool: an object, or a text such as a patch. until_ms: when the asker goes, in ms since
        1970: later it is told nothing; 0: it stays. role: else the directory that the agent works in decides.
        project: of that directory, host/owner/name by its origin. named: the role that its .memd-role names. mark: of
        that file's place and what it says. shared: the person's own workspace sent the hook here: what they say of
        themselves is kept there. chinese: the person reads Chinese, as the agent's locale says.
        """
        found: AttendedEvent = typed(
            "hook.event", "hooks.AttendedEvent", await self._client.call("hook.event", **given(self.event, locals()))
        )
        return found
