"""What the typed methods do: send what was given, and return the reply as the declared type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from memd.errors import ReplyMisfitError


class Asked(ABC):
    """A client that blocks."""

    @abstractmethod
    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call."""


class AsyncAsked(ABC):
    """A client that awaits."""

    @abstractmethod
    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call."""


def given(method: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a call, from the local names of its method. What stands at its default is not sent."""
    from msgspec import to_builtins  # noqa: PLC0415  a client that only uses `call` does without it

    defaults = method.__kwdefaults__ or {}
    told = {name: value for name, value in values.items() if name != "self"}
    sent = {name: value for name, value in told.items() if name not in defaults or not _same(value, defaults[name])}
    return {name.removesuffix("_"): to_builtins(value) for name, value in sent.items()}


def typed(method: str, kind: str, reply: dict[str, Any]) -> Any:
    """Return a reply as its type, which is named by its module in memd.client.types; ReplyMisfitError where it is none."""
    from msgspec import ValidationError, convert  # noqa: PLC0415  as above

    module, _, name = kind.rpartition(".")
    try:
        return convert(reply, getattr(import_module(f"memd.client.types.{module}"), name))
    except ValidationError as error:
        raise ReplyMisfitError(method, str(error)) from None


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and value == default)
