"""What a verb is: a typed request, a typed reply and a function from one to the other, declared once.

From the declaration follow what a frame is decoded into and refused by, and the OpenRPC document with the schema of what
is answered. No door copies a field.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import UNSET, Meta, UnsetType

from memd.formats import requests
from memd.model.progress import Told
from memd.service.care.following import Following
from memd.service.care.indexing import Indexing
from memd.service.memory.egress import told_to_model
from memd.service.memory.ingress import look_at_request
from memd.service.workspace import Workspace
from memd.service.writing.journal import submitted
from memd.verbs.misfits import typed_of

Request = requests.Request  # a scene is one, and stands below
Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound="Reply")


class Nothing(Request):
    """A request without parameters."""


class Reply(msgspec.Struct, kw_only=True):
    """What is answered. A field that is UNSET is not sent."""

    remarks: Annotated[list[str], Meta(description="what became of the request on its way")] | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Process:
    """Who answers; `pid` is None where no daemon runs and a command answers for itself."""

    version: str
    pid: int | None
    workspace: str
    socket: str


@dataclass(frozen=True, slots=True)
class Service:
    """What a verb works on."""

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
        """Return how far long work is, by its name."""
        index = {"index": self.indexing.under_way} if self.indexing.under_way else {}
        return {**self.working, **index}

    async def look_once(self) -> None:
        """Where no daemon follows the files, find out how they and the index stand."""
        if self.following is None and not self.indexing.looked:
            await self.indexing.look_once(self.workspace.tree)


@dataclass(frozen=True, slots=True)
class Verb:
    """One declaration. `reply` is None where a method still answers a plain dict."""

    name: str
    request: type[Request]
    call: Callable[[Service, Any], Awaitable[Any]]
    summary: str
    writes: bool = False
    reply: type[Reply] | None = None

    async def answer(self, service: Service, asked: Any) -> dict[str, Any]:
        """Look at what is asked, carry it out, and look at what is told to a model."""
        remarks: list[str] = []
        if self.writes:
            given = msgspec.to_builtins(asked)  # as a client would send it; what it did not say is not there
            looked, remarks = await look_at_request(service.workspace, self.name, given)
            asked = asked if looked is given else typed_of(self.request, looked)
            submitted.set(False)
        reply: dict[str, Any] = msgspec.to_builtins(await self.call(service, asked))
        if self.writes:
            await service.workspace.settled()
        if remarks:
            reply = {**reply, "remarks": [*reply.get("remarks", ()), *remarks]}
        return await told_to_model(service.workspace, self.name, reply) if asked.reader == "model" else reply


VERBS: dict[str, Verb] = {}


def verb(
    name: str, *, writes: bool = False
) -> Callable[[Callable[[Service, Q], Awaitable[R]]], Callable[[Service, Q], Awaitable[R]]]:
    """Declare the method of this name: its request and reply are the function's own types, its summary the first line."""

    def declared(function: Callable[[Service, Q], Awaitable[R]]) -> Callable[[Service, Q], Awaitable[R]]:
        kinds = get_type_hints(function)
        reply = kinds.pop("return")
        (request,) = (kind for kind in kinds.values() if issubclass(kind, Request))
        if name in VERBS:
            raise TypeError(f"{name} is declared twice")
        summary = (function.__doc__ or "").partition("\n")[0]
        VERBS[name] = Verb(name, request, function, summary, writes, reply)
        return function

    return declared
