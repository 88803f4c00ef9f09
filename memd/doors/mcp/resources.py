"""The resources: the curated files, the roles, and what each of them remembers, by addresses that begin with memd://."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.types import Resource

from memd.doors.mcp.wording import sentence_of
from memd.errors import MemdError

if TYPE_CHECKING:
    from memd.doors.mcp.asking import Desk

F = TypeVar("F", bound=Callable[..., Awaitable[str]])

MEMORY, USER, ROLES = "memd://curated/MEMORY.md", "memd://curated/USER.md", "memd://roles"
ROLE, MEMORIES = "memd://roles/{role}", "memd://roles/{role}/memories"
CURATED = {"MEMORY.md": MEMORY, "USER.md": USER}
MISSING = ("role", "name")
JSON = "application/json"
PAGE = 1000  # memories of a role that are told


class Resources:
    """The resources of one server."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def give_to(self, server: MCPServer[Any]) -> None:
        """Register what does not depend on which roles there are."""
        server.resource(MEMORY, name="MEMORY.md", title="Memory", mime_type="text/markdown",
                        description="What an agent should always know about the work.")(self.memory)  # fmt: skip
        server.resource(USER, name="USER.md", title="User", mime_type="text/markdown",
                        description="Who the user is.")(self.user)  # fmt: skip
        server.resource(ROLES, name="roles", title="Roles", mime_type=JSON,
                        description="The roles, with what each of them holds.")(self.all)  # fmt: skip
        server.resource(ROLE, name="role", title="A role", mime_type=JSON,
                        description="A role's profile: names, links, and how many memories it has of each kind.")(self.role)  # fmt: skip
        server.resource(MEMORIES, name="memories", title="A role's memories", mime_type=JSON,
                        description="A role's memories with their ids, at most 1,000.")(self.memories)  # fmt: skip

    async def memory(self) -> str:
        """Return MEMORY.md as it is."""
        return str((await self._ask("curated.read", file="memory"))["text"])

    async def user(self) -> str:
        """Return USER.md as it is."""
        return str((await self._ask("curated.read", file="user"))["text"])

    async def all(self) -> str:
        """Return the roles."""
        return _dump(await self._ask("role.list"))

    async def role(self, role: str) -> str:
        """Return one role's profile and counts, by any of its addresses."""
        return _dump(await self._ask("role.get", role=role))

    async def memories(self, role: str) -> str:
        """Return the memories of a role, so many as a client may want to read at once."""
        reply = await self._ask("memory.list", role=role, limit=PAGE)
        found, total = reply["memories"], reply["total"]
        told = {"role": reply["role"], "total": total, "memories": found}
        if len(found) < total:
            told["note"] = f"{total - len(found)} more are not here; memory_search and memory_trigger find them"
        return _dump(told)

    async def of_roles(self) -> list[Resource]:
        """Return two resources for each role; none while nobody can be asked, so that the others are listed."""
        try:
            roles = await self.desk.roles()
        except MemdError:
            return []
        found: list[Resource] = []
        for name in (one["name"] for one in roles):
            profile, memories = uris_of(name)
            found.append(Resource(uri=profile, name=name, title=f"Role {name}", mime_type=JSON))
            found.append(Resource(uri=memories, name=f"{name} memories", title=f"Memories of {name}", mime_type=JSON))
        return found

    async def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        try:
            return await self.desk.ask(method, **params)
        except MemdError as error:
            kind = ResourceNotFoundError if error.code.split(".")[0] in MISSING else ResourceError
            raise kind(sentence_of(error)) from None


def uris_of(role: str) -> tuple[str, str]:
    """Return the addresses of a role: its profile, its memories."""
    name = quote(role, safe="")
    return ROLE.format(role=name), MEMORIES.format(role=name)


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
