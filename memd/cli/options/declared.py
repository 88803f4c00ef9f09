"""The parameters of each method as they are declared, without importing what declares them: that is the whole house.

Source
    parameters.json, which `make docs` makes of the declarations in memd.verbs; a test fails where it is stale.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

if TYPE_CHECKING:
    from importlib.machinery import SourceFileLoader

TABLE = os.path.join(os.path.dirname(__file__), "parameters.json")
Kind = Literal["text", "whole", "number", "flag", "object"]  # an object is nothing that one option could say


class Parameter(NamedTuple):
    """A parameter: `words` say what it is; `choices` are all the texts it may be; `low` and `high` are included."""

    name: str
    kind: Kind
    words: str = ""
    required: bool = False
    default: Any = None
    many: bool = False
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


def parameters_of(method: str) -> dict[str, Parameter]:
    """Return the parameters of a method by name, as its request has them in order."""
    return {
        name: Parameter(name, **{**said, "choices": tuple(said.get("choices", ()))})
        for name, said in _table()[method].items()
    }


@cache
def _table() -> dict[str, dict[str, dict[str, Any]]]:
    brought = cast(
        "SourceFileLoader", __spec__.loader
    )  # whatever brought this module, a zip too; pkgutil costs a millisecond
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(brought.get_data(TABLE))
    return found
