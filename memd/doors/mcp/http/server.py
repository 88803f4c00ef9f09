"""The same answers behind the official SDK's server, which checks what comes and goes by its own types."""

from __future__ import annotations

from typing import Any, TypeVar

from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)
from pydantic import BaseModel

from memd import __version__
from memd.doors.mcp.answers import ABOUT, NAME, TITLE, Answers, RefusedError
from memd.doors.mcp.asking import Asker, Desk
from memd.doors.mcp.http.older import OlderClients
from memd.doors.mcp.wording import INSTRUCTIONS

R = TypeVar("R", bound=BaseModel)
Context = ServerRequestContext[Any, Any]
Page = PaginatedRequestParams | None


class MemoryServer(Server[Any]):
    """An MCP server over a daemon. `bus` and `older` tell clients what changed."""

    def __init__(self, asker: Asker, own_role: str = "") -> None:
        self.asker, self.desk = asker, Desk(asker, own_role)
        self.bus, self.older = InMemorySubscriptionBus(), OlderClients()
        self.answers = Answers(self.desk)
        super().__init__(
            NAME, title=TITLE, description=ABOUT, instructions=INSTRUCTIONS, version=__version__,
            on_list_tools=self._tools, on_call_tool=self._call, on_list_resources=self._resources,
            on_list_resource_templates=self._templates, on_read_resource=self._read, on_list_prompts=self._prompts,
            on_get_prompt=self._prompt, on_completion=self._completed,
            on_subscriptions_listen=ListenHandler(self.bus),
        )  # fmt: skip
        self.middleware.append(self.older)

    async def run_over(self, frames: Any, answers: Any) -> None:
        """Serve a client whose frames and answers come and go by these streams."""
        await self.run(frames, answers, self.create_initialization_options())

    async def _tools(self, _: Context, params: Page) -> ListToolsResult:
        return await self._answer("tools/list", params, ListToolsResult)

    async def _call(self, _: Context, params: CallToolRequestParams) -> CallToolResult:
        return await self._answer("tools/call", params, CallToolResult)

    async def _resources(self, _: Context, params: Page) -> ListResourcesResult:
        return await self._answer("resources/list", params, ListResourcesResult)

    async def _templates(self, _: Context, params: Page) -> ListResourceTemplatesResult:
        return await self._answer("resources/templates/list", params, ListResourceTemplatesResult)

    async def _read(self, _: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        return await self._answer("resources/read", params, ReadResourceResult)

    async def _prompts(self, _: Context, params: Page) -> ListPromptsResult:
        return await self._answer("prompts/list", params, ListPromptsResult)

    async def _prompt(self, _: Context, params: GetPromptRequestParams) -> GetPromptResult:
        return await self._answer("prompts/get", params, GetPromptResult)

    async def _completed(self, _: Context, params: CompleteRequestParams) -> CompleteResult:
        return await self._answer("completion/complete", params, CompleteResult)

    async def _answer(self, method: str, params: BaseModel | None, kind: type[R]) -> R:
        given = params.model_dump(by_alias=True, mode="json", exclude_none=True) if params else {}
        try:
            return kind.model_validate(await self.answers.answer(method, given))
        except RefusedError as error:
            raise MCPError(error.number, str(error), error.data) from None
