"""What makes a declared method one that asks: it sends what was given, and gives the reply as the declared type.

A method is declared once, by its signature and the words on it. On a client that blocks it returns the reply, on one that
awaits the coroutine of it: a type checker sees that from `Method`, by the kind of client that `Asks` is of.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property, wraps
from importlib import import_module
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast, overload

from memd.errors import ReplyMisfitError

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


class Blocking:
    """The kind of a client that blocks."""


class Awaiting:
    """The kind of a client that awaits."""


K = TypeVar("K", Blocking, Awaiting)


class Asks(Generic[K]):
    """Methods that ask through a client: itself, or those of a family."""

    def __init__(self, client: Asks[K]) -> None:
        self._client: Asks[K] = client

    def _ask(self, method: str, kind: str, params: dict[str, Any]) -> Any:
        """Call a method by its name; return its reply as the type of this name in memd.client.types."""
        return self._client._ask(method, kind, params)  # noqa: SLF001  a client is one of these


class Method(Protocol[P, R_co]):
    """A method as it is seen from a client of either kind."""

    @overload
    def __get__(self, asking: Asks[Blocking], owner: object) -> Callable[P, R_co]: ...

    @overload
    def __get__(self, asking: Asks[Awaiting], owner: object) -> Callable[P, Coroutine[Any, Any, R_co]]: ...


def method(name: str) -> Callable[[Callable[Concatenate[Any, P], R_co]], Method[P, R_co]]:
    """Return what makes a function without a body a method of this name in the protocol."""

    def declared(function: Callable[Concatenate[Any, P], R_co]) -> Method[P, R_co]:
        kind = function.__annotations__["return"]

        @wraps(function)
        def asked(asking: Asks[Any], *args: P.args, **params: P.kwargs) -> Any:
            function(asking, *args, **params)  # what does not fit its signature is a TypeError here
            return asking._ask(name, kind, given(function, params))  # noqa: SLF001  it is a method of it

        return cast("Method[P, R_co]", asked)

    return declared


def family(kind: str) -> Any:
    """Return what makes a family of methods where it is first asked for: `kind` is its module below methods, and its class."""
    module, _, name = kind.rpartition(".")

    def made(client: Asks[Any]) -> Any:
        return getattr(import_module(f"memd.client.methods.{module}"), name)(client)

    return cached_property(made)


def given(function: Callable[..., Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a call as they are sent: not those that stand at their defaults."""
    from msgspec import to_builtins  # noqa: PLC0415  a client that only uses `call` does without it

    defaults = getattr(function, "__kwdefaults__", None) or {}
    sent = {name: one for name, one in params.items() if name not in defaults or not _same(one, defaults[name])}
    return {name.removesuffix("_"): to_builtins(one) for name, one in sent.items()}


def typed(method: str, kind: str, reply: dict[str, Any]) -> Any:
    """Return a reply as the type of this name; ReplyMisfitError where it is none."""
    from msgspec import ValidationError, convert  # noqa: PLC0415  as above

    from memd.client import types  # noqa: PLC0415  as above

    try:
        return convert(reply, getattr(types, kind))
    except ValidationError as error:
        raise ReplyMisfitError(method, str(error)) from None


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and value == default)
