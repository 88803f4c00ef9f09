"""The same server over HTTP, with the official SDK (the one part of memd that imports it): on a port of this machine, for who has the token."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import uvicorn
from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
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
from memd.doors.listening import HOST, bind_port
from memd.doors.mcp.answers import ABOUT, NAME, TITLE, Answers, RefusedError
from memd.doors.mcp.asking import Asker, Desk
from memd.doors.mcp.resources import LISTING, changed
from memd.doors.mcp.texts import INSTRUCTIONS

PATH = "/mcp"
NAMES = (HOST, "localhost")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]


async def serve_http(asker: Asker, own_role: str, port: int, token: str, ready: Callable[[str], None]) -> None:
    """Serve on a port of the loopback interface; 0 takes a free one. With a token, only who sends it is answered."""
    quieten()
    server = MemoryServer(asker, own_role)
    listener = bind_port(port)
    own = [f"{name}:{listener.getsockname()[1]}" for name in NAMES]
    # By a name of this machine alone, and from no web page but one that this very server would have served.
    security = TransportSecuritySettings(allowed_hosts=own, allowed_origins=[f"http://{one}" for one in own])
    app: Any = server.streamable_http_app(streamable_http_path=PATH, host=HOST, transport_security=security)
    if token:
        app = Guarded(app, token)
    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="on")
    ready(f"http://{HOST}:{listener.getsockname()[1]}{PATH}")
    async with following(server):
        await uvicorn.Server(config).serve(sockets=[listener])


def quieten() -> None:
    """Leave the diary of every request to who asks for it: clients show what a server writes there as trouble."""
    for name in ("mcp", "memd.doors.mcp"):
        logging.getLogger(name).setLevel(logging.WARNING)


class Guarded:
    """An application that answers only requests with the token."""

    def __init__(self, app: Any, token: str) -> None:
        self.app, self.expected = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with 401."""
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        ours = scope["type"] == "http" and scope["path"].startswith(
            PATH
        )  # elsewhere is nothing, which clients may find out
        scheme, _, token = given.strip().partition(b" ")
        if not ours or (scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self.expected)):
            await self.app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 401, "headers": [(b"www-authenticate", b"Bearer")]})
        await send({"type": "http.response.body", "body": b"memd: send the token of MEMD_MCP_TOKEN\n"})


# What the daemon says has changed, told to the clients of the SDK's server.


@asynccontextmanager
async def following(server: MemoryServer) -> AsyncIterator[None]:
    """Tell the server's clients of changes while this is entered."""
    task = asyncio.create_task(_follow(server))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})  # to await the task itself would hide that this one is cancelled, too
        if not task.cancelled():
            task.result()  # what it failed of


async def _follow(server: MemoryServer) -> None:
    async for happening in server.asker.events():
        for uri in await changed(server.desk, happening):
            event = ResourcesListChanged() if uri == LISTING else ResourceUpdated(uri)
            await server.bus.publish(event)
            await server.older.tell(event)


# Clients get the same answers as on standard input; the SDK checks what comes and goes by its own types.

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


# Clients of the protocol before 2026-07-28: they subscribe by `resources/subscribe`, and are told on their own channel.
#
# The SDK serves `subscriptions/listen` only. The agents in use still begin with `initialize`, so this answers for it.

logger = logging.getLogger(__name__)

MOST_CLIENTS = 128  # the longest silent goes first; an HTTP client may go without a word
TELL_S = 5.0
JOINS = "notifications/initialized"
SUBSCRIBE, UNSUBSCRIBE = "resources/subscribe", "resources/unsubscribe"


@dataclass(slots=True)
class _Older:
    session: ServerSession
    uris: set[str] = field(default_factory=set)


class OlderClients:
    """A middleware that knows the connections of older clients and what each of them follows."""

    def __init__(self) -> None:
        # By the client's own words at the handshake, one object for each connection; its session keeps it alive.
        self.clients: dict[int, _Older] = {}

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Answer for subscriptions; pass everything else on."""
        if ctx.method in (SUBSCRIBE, UNSUBSCRIBE) and ctx.session.client_params is not None:
            uri = (ctx.params or {}).get("uri")
            if not isinstance(uri, str) or not uri:
                raise MCPError(INVALID_PARAMS, f"{ctx.method} needs the uri of a resource")
            uris = self._client(ctx.session).uris
            (uris.add if ctx.method == SUBSCRIBE else uris.discard)(uri)
            return {}
        result = await call_next(ctx)
        if ctx.method == JOINS and ctx.session.client_params is not None:
            self._client(ctx.session)
        if ctx.method == "initialize" and isinstance(result, dict):
            result["capabilities"]["resources"] = {"subscribe": True, "listChanged": True}
        return result

    async def tell(self, event: ServerEvent) -> None:
        """Tell everybody whom it concerns; a client that cannot be told is let go."""
        for key, client in list(self.clients.items()):
            if isinstance(event, ResourceUpdated) and event.uri in client.uris:
                telling = client.session.send_resource_updated(event.uri)
            elif isinstance(event, ResourcesListChanged):
                telling = client.session.send_resource_list_changed()
            else:
                continue
            try:
                async with asyncio.timeout(TELL_S):
                    await telling
            except Exception as error:  # a transport may end in any way, and it is not the others' fault
                logger.info("a client could not be told: %s", type(error).__name__)
                self.clients.pop(key, None)

    def _client(self, session: ServerSession) -> _Older:
        key = id(session.client_params)
        client = self.clients.pop(key, None) or _Older(session)
        self.clients[key] = client  # the newest last
        while len(self.clients) > MOST_CLIENTS:
            self.clients.pop(next(iter(self.clients)))
        return client
