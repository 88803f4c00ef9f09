"""Serving on a port of this machine, for who has the token."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from memd.doors.listening import HOST, bind_port
from memd.doors.mcp.http.following import following
from memd.doors.mcp.http.server import MemoryServer

if TYPE_CHECKING:
    from memd.doors.mcp.asking import Asker

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
