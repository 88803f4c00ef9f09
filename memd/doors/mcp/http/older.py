"""Clients of the protocol before 2026-07-28: they subscribe by `resources/subscribe`, and are told on their own channel.

The SDK serves `subscriptions/listen` only. The agents in use still begin with `initialize`, so this answers for it.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

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
