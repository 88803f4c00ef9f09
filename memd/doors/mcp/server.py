"""The server: tools, resources and prompts put together, and errors told as sentences with code and hint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, GetPromptResult, InputRequiredResult, Resource, TextContent, Tool

from memd import __version__
from memd.doors.mcp.asking import NOWHERE, Asker, Desk
from memd.doors.mcp.calling import Tools
from memd.doors.mcp.older import OlderClients
from memd.doors.mcp.prompts import Prompts, told
from memd.doors.mcp.resources import Resources
from memd.doors.mcp.wording import INSTRUCTIONS, sentence_of
from memd.errors import BadParamsError, MemdError


class MemoryServer(MCPServer[Any]):
    """An MCP server over a daemon. `bus` and `older` tell clients what changed."""

    def __init__(self, asker: Asker, own_role: str = "", place: Mapping[str, str] = NOWHERE) -> None:
        self.desk = Desk(asker, own_role, place)
        self.bus, self.older = InMemorySubscriptionBus(), OlderClients()
        self.tools = Tools(self.desk)
        super().__init__(
            "memd", title="memd", description="The user's long-term memory", instructions=INSTRUCTIONS,
            version=__version__,
            subscriptions=self.bus, middleware=[self.older], log_level="WARNING",
        )  # fmt: skip
        self.roles = Resources(self.desk)
        self.roles.give_to(self)
        Prompts(self.desk).give_to(self)

    async def list_tools(self) -> list[Tool]:
        """Return the tools; the SDK does not look at their values, the daemon does."""
        return [Tool.model_validate(one) for one in self.tools.listed]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; what is refused is a result that says so."""
        if name not in self.tools.schemas:
            return await super().call_tool(name, arguments, context)  # which says that there is none
        try:
            text, structure = await self.tools.call(name, arguments)
        except MemdError as error:
            return refusal(error, name)
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structure)

    async def run_over(self, frames: Any, answers: Any) -> None:
        """Serve a client whose frames and answers come and go by these streams."""
        await self._lowlevel_server.run(frames, answers, self._lowlevel_server.create_initialization_options())

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Fill a prompt; what it does not take or lacks is told by name."""
        prompts = {one.name: one.arguments or [] for one in await self.list_prompts()}
        if name not in prompts:
            raise wrong(f"no prompt {name!r:.60}; the prompts are {', '.join(prompts)}")
        given, known = set(arguments or {}), {one.name for one in prompts[name]}
        if lacking := [one.name for one in prompts[name] if one.required and one.name not in given]:
            raise wrong(f"{name} needs {', '.join(lacking)}")
        if given - known:
            raise wrong(f"{name} has no argument {min(given - known)!r:.60}; it has {', '.join(sorted(known))}")
        return await super().get_prompt(name, arguments, context)

    async def list_resources(self) -> list[Resource]:
        """Return the resources there are: the curated files, and two of each role."""
        return [*await super().list_resources(), *await self.roles.of_roles()]


def refusal(error: MemdError, tool: str) -> CallToolResult:
    """Return an error of a tool's call as a result that an agent can act on."""
    return CallToolResult(content=[TextContent(type="text", text=sentence_of(error, tool))], is_error=True)


def wrong(sentence: str) -> MCPError:
    """Return the error of a request that does not fit."""
    return told(BadParamsError(sentence))
