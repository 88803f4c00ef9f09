"""Updates: what the daemon says has changed, told to clients as resources to read again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent

from memd.doors.mcp.resources import CURATED, ROLES, uris_of
from memd.errors import MemdError

if TYPE_CHECKING:
    from memd.doors.mcp.server import MemoryServer

logger = logging.getLogger(__name__)


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
    async for happening in server.desk.asker.events():
        role = str(happening.get("role") or "")
        words = await _addresses(server, role) if role else []
        for event in await _everything(server) if happening.get("anew") else events_of(happening, words):
            await server.bus.publish(event)
            await server.older.tell(event)


async def _addresses(server: MemoryServer, role: str) -> list[str]:
    """Return every word by which a client may have asked for a role; its name alone where it is gone."""
    try:
        return [str(one) for one in (await server.desk.known(role))["addresses"]]
    except MemdError:
        return [role]


def events_of(happening: dict[str, Any], addresses: Sequence[str] = ()) -> list[ServerEvent]:
    """Return what a change means for the resources; `addresses` are those of its role, beside the name."""
    topic, role = happening.get("topic"), str(happening.get("role") or "")
    of_role = [event for one in dict.fromkeys((role, *addresses)) for event in _of_role(one)]
    if topic == "curated":
        return [ResourceUpdated(uri) for name, uri in CURATED.items() if name == happening.get("name")]
    if topic == "role":
        return [ResourcesListChanged(), ResourceUpdated(ROLES), *of_role]
    if topic == "memory" or (topic == "file" and role):
        return [ResourceUpdated(ROLES), *of_role]
    return []


async def _everything(server: MemoryServer) -> list[ServerEvent]:
    """Return that all has changed: while the daemon was away, nobody knows what did."""
    try:
        known = await server.desk.roles()
        names = [word for one in known for word in await _addresses(server, one["name"])]
    except MemdError as error:
        logger.info("the roles could not be listed: %s", error)
        names = []
    fixed = [ResourceUpdated(uri) for uri in (*CURATED.values(), ROLES)]
    return [ResourcesListChanged(), *fixed, *(event for name in names for event in _of_role(name))]


def _of_role(role: str) -> list[ServerEvent]:
    # Clients are told by the address they asked for: as listed, or as a person would write a Chinese name.
    plain = (f"{ROLES}/{role}", f"{ROLES}/{role}/memories")
    return [ResourceUpdated(uri) for uri in dict.fromkeys((*uris_of(role), *plain))]
