"""What the daemon says has changed, told to the clients of the SDK's server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated

from memd.doors.mcp.updates import LISTING, changed

if TYPE_CHECKING:
    from memd.doors.mcp.http.server import MemoryServer


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
