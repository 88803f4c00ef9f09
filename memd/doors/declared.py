"""What a method of the protocol is, and what it works on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from memd.doors import params as p
from memd.service.care.following import Following
from memd.service.care.indexing import Indexing
from memd.service.care.status import Process
from memd.service.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Service:
    """What a method works on."""

    workspace: Workspace
    process: Process
    indexing: Indexing
    following: Following | None = None

    async def look_once(self) -> None:
        """Where no daemon follows the files, find out how they and the index stand."""
        if self.following is None and not self.indexing.looked:
            await self.indexing.look_once(self.workspace.tree)


@dataclass(frozen=True, slots=True)
class Method:
    """A declaration: the parameters' type is their check and their documentation."""

    name: str
    params: type[p.Params]
    call: Callable[[Service, Any], Awaitable[dict[str, Any]]]
    summary: str
    writes: bool = False
