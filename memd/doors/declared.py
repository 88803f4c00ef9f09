"""What a method of the protocol is, and what it works on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from memd.doors import params as p
from memd.model.progress import Told
from memd.service.care.following import Following
from memd.service.care.indexing import Indexing
from memd.service.care.status import Process
from memd.service.memory.egress import told_to_model
from memd.service.memory.ingress import look_at_request
from memd.service.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Service:
    """What a method works on."""

    workspace: Workspace
    process: Process
    indexing: Indexing
    following: Following | None = None
    working: dict[str, dict[str, Any]] = field(default_factory=dict)

    @contextmanager
    def telling(self, name: str) -> Iterator[Told]:
        """Give what tells how far work of this name is, until it is done."""

        def told(done: int, of: int, step: str) -> None:
            self.working[name] = {"done": done, "of": of, "step": step}

        try:
            yield told
        finally:
            self.working.pop(name, None)

    def under_way(self) -> dict[str, Any]:
        """Return how far long work is, by its name; nothing where there is none."""
        index = {"index": self.indexing.under_way} if self.indexing.under_way else {}
        shown = {**self.working, **index}
        return {"under_way": shown} if shown else {}

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

    async def answer(self, service: Service, params: Any) -> dict[str, Any]:
        """Look at what is given, carry it out, and look at what is told to a model."""
        remarks: list[str] = []
        if self.writes:
            given = p.plain_of(params)
            looked, remarks = await look_at_request(service.workspace, self.name, given)
            params = params if looked is given else p.typed_of(self.params, looked)
        reply = await self.call(service, params)
        if remarks:
            reply = {**reply, "remarks": [*reply.get("remarks", ()), *remarks]}
        return await told_to_model(service.workspace, self.name, reply) if params.reader == "model" else reply
