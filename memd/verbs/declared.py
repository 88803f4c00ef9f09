"""What a verb is: a typed request, a typed reply and a function from one to the other, declared once.

From the declaration follow what a frame is decoded into and refused by, and the OpenRPC document with the schema of what
is answered and the errors instead of it. No door copies a field.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from memd.errors import (
    BadFrameError,
    BadParamsError,
    BadRequestError,
    InternalError,
    MemdError,
    MemoryDirFullError,
    MethodUnknownError,
    OrderRefusedError,
    RoleAmbiguousError,
    RoleRejectedError,
    RoleUnknownError,
    SecretRefusedError,
    StorageError,
)
from memd.protocol.fields import Reply, Request

if TYPE_CHECKING:
    from memd.model.files import Told
    from memd.service.walks import Walks
    from memd.store.following.following import Following
    from memd.store.following.indexing import Indexing
    from memd.store.store import Store

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Reply)
Errors = tuple[type[MemdError], ...]

# What a method may raise without saying so, each with the errors below it.
OF_EVERY: Errors = (BadFrameError, BadRequestError, MethodUnknownError, BadParamsError, InternalError, StorageError)
OF_A_ROLE: Errors = (RoleUnknownError, RoleAmbiguousError, RoleRejectedError)  # where a parameter is a role
OF_WRITING: Errors = (SecretRefusedError, OrderRefusedError, MemoryDirFullError)


class Nothing(Request):
    """A request without parameters."""


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

    store: Store
    process: Process
    indexing: Indexing
    walks: Walks
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
        index = {"index": self.indexing.builds.under_way} if self.indexing.builds.under_way else {}
        return {**self.working, **index}

    async def look_once(self) -> None:
        """Where no daemon follows the files, find out how they and the index stand."""
        if self.following is None and not self.indexing.looked:
            await self.indexing.look_once(self.store.tree)


@dataclass(frozen=True, slots=True)
class Verb:
    """One declaration."""

    name: str
    request: type[Request]
    reply: type[Reply]
    call: Callable[[Service, Any], Awaitable[Any]]
    summary: str
    writes: bool = False
    errors: Errors = ()

    @property
    def may_raise(self) -> Errors:
        """The errors it may raise beyond those that every method may: those of a role, of writing, and its own."""
        of_a_role = OF_A_ROLE if "role" in self.request.__struct_fields__ else ()
        return tuple(dict.fromkeys((*of_a_role, *(OF_WRITING if self.writes else ()), *self.errors)))


VERBS: dict[str, Verb] = {}


def verb(
    name: str, *, writes: bool = False, errors: Errors = ()
) -> Callable[[Callable[[Service, Q], Awaitable[R]]], Callable[[Service, Q], Awaitable[R]]]:
    """Declare the method of this name: its request and reply are the function's own types, its summary the first line.

    `errors` are those it may raise beyond what every method, one with a role, one that writes, may.
    """

    def declared(function: Callable[[Service, Q], Awaitable[R]]) -> Callable[[Service, Q], Awaitable[R]]:
        request, reply = _kinds_of(function)
        if name in VERBS:
            raise TypeError(f"{name} is declared twice")
        summary = (function.__doc__ or "").partition("\n")[0]
        VERBS[name] = Verb(name, request, reply, function, summary, writes, errors)
        return function

    return declared


def _kinds_of(function: Callable[..., Any]) -> tuple[type[Any], type[Any]]:
    """Return the classes of a verb's request and reply, as its signature names them: its second parameter, its result."""
    _, asked, replied = function.__annotations__.values()
    names = vars(sys.modules[function.__module__])
    return names[asked], names[replied]
