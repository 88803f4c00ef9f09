"""The server: tools, resources and prompts put together, and errors told as sentences with code and hint."""

from __future__ import annotations

import json
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, GetPromptResult, InputRequiredResult, Resource, TextContent
from pydantic import ValidationError

from memd import __version__
from memd.doors.mcp.asking import Asker, Desk
from memd.doors.mcp.older import OlderClients
from memd.doors.mcp.prompts import Prompts, told
from memd.doors.mcp.resources import Resources
from memd.doors.mcp.tools import Tools
from memd.doors.mcp.wording import INSTRUCTIONS, sentence_of
from memd.errors import BadParamsError, MemdError


class MemoryServer(MCPServer[Any]):
    """An MCP server over a daemon. `bus` and `older` tell clients what changed."""

    def __init__(self, asker: Asker, own_role: str = "") -> None:
        self.desk = Desk(asker, own_role)
        self.bus, self.older = InMemorySubscriptionBus(), OlderClients()
        tools = Tools(self.desk).all()
        self.parameters = {one.name: list(one.parameters["properties"]) for one in tools}
        super().__init__(
            "memd", title="memd", description="The user's long-term memory", instructions=INSTRUCTIONS,
            version=__version__,
            tools=tools, subscriptions=self.bus, middleware=[self.older], log_level="WARNING",
        )  # fmt: skip
        self.roles = Resources(self.desk)
        self.roles.give_to(self)
        Prompts(self.desk).give_to(self)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; what memd or the tool's schema refuses is a result that says so."""
        try:
            self._check_names(name, arguments)
            check_texts(arguments)
            return await super().call_tool(name, arguments, context)
        except MemdError as error:
            return refusal(error, name)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, MemdError):
                return refusal(cause, name)
            if isinstance(cause, ValidationError):
                return refusal(BadParamsError(fault_of(cause)), name)
            raise

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

    def _check_names(self, name: str, arguments: dict[str, Any]) -> None:
        # The SDK leaves out what it does not know: a misspelt `role` would send the text to another role.
        known = self.parameters.get(name)
        unknown = [key for key in arguments if known is not None and key not in known]
        if unknown and known is not None:
            has = f"it has {', '.join(known)}" if known else "it takes none"
            raise BadParamsError(f"{name} has no parameter {unknown[0]!r:.60}; {has}")


def check_texts(arguments: dict[str, Any]) -> None:
    """Raise BadParamsError, naming the parameter, where a text has a character that no file of memd's may have."""
    for name, value in arguments.items():
        if "\0" in (value if isinstance(value, str) else "") or "\\u0000" in json.dumps(value):
            raise BadParamsError(f"{name}: it has a NUL character (U+0000); leave it out")


def refusal(error: MemdError, tool: str) -> CallToolResult:
    """Return an error of a tool's call as a result that an agent can act on."""
    return CallToolResult(content=[TextContent(type="text", text=sentence_of(error, tool))], is_error=True)


def wrong(sentence: str) -> MCPError:
    """Return the error of a request that does not fit."""
    return told(BadParamsError(sentence))


def fault_of(error: ValidationError) -> str:
    """Return what does not fit a tool's schema, without the values, which may be long."""
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
