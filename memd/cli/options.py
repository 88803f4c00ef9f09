"""Options and arguments of a command, made of the parameters of the method it asks.

The parameters are read from parameters.json, which `make docs` makes of the declarations in memd.verbs: to import what declares them
is to import the whole house. A test fails where the table is stale.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, cast

import click

if TYPE_CHECKING:
    from importlib.machinery import SourceFileLoader


# The parameters of each method as they are declared, without importing what declares them: that is the whole house.
#
# Source
#     parameters.json, which `make docs` makes of the declarations in memd.verbs; a test fails where it is stale.

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


# Options and arguments of a command, made of the request of the method that it asks.
#
# A command says only which parameters are arguments and in which order, which it leaves out, and where a person needs other
# words than the protocol. A parameter that a method learns is an option of its commands without a line of theirs.
#
# What a parameter becomes
#     text            --its-name TEXT; with alternatives, one of them
#     whole, number   --its-name N; its bounds stand in the help, and whoever answers keeps them
#     flag            --its-name; --no-its-name where it holds unless told; both where it is open
#     several         as often as needed; the option is named in the singular: keys, --key
#     object          nothing: a command that can give it reads it in its own way

F = TypeVar("F", bound=Callable[..., Any])

TYPES = {"text": str, "whole": int, "number": float, "flag": bool}
AS_DECLARED: Any = object()
QUOTED = re.compile(r"`([a-z_]+)`")  # another parameter
ASKED = "asked_method"  # what a command's function bears


class Given(NamedTuple):
    """How a command gives a parameter; what is None is as declared, and a default that is None is none."""

    names: tuple[str, ...] = ()
    words: str | None = None
    metavar: str | None = None
    default: Any = AS_DECLARED
    required: bool | None = None
    many: bool | None = None
    free: bool = False  # any text goes, and whoever answers says what it may be


class Asked(NamedTuple):
    """Which method a command asks, and which of its parameters it leaves out."""

    method: str
    left_out: frozenset[str]


def given(
    *names: str,
    words: str | None = None,
    metavar: str | None = None,
    default: Any = AS_DECLARED,
    required: bool | None = None,
    many: bool | None = None,
    free: bool = False,
) -> Given:
    """Say how a parameter is given where its declaration alone would not do; names are options as they are typed."""
    return Given(names, words, metavar, default, required, many, free)


class _Declared:
    """A part of a command line that was declared with a method."""

    parameter: Parameter

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return a value as requests have it: several are a list."""
        found = super().process_value(ctx, value)  # type: ignore[misc]  # click's, beside this
        return list(found) if isinstance(found, tuple) else found


class DeclaredOption(_Declared, click.Option):
    """An option that was declared with a method."""

    def __init__(self, *names: Any, parameter: Parameter, **said: Any) -> None:
        super().__init__(*names, **said)
        self.parameter = parameter


class DeclaredArgument(_Declared, click.Argument):
    """An argument that was declared with a method."""

    def __init__(self, *names: Any, parameter: Parameter, **said: Any) -> None:
        super().__init__(*names, **said)
        self.parameter = parameter


def asks(
    method: str, *arguments: str, without: Sequence[str] = (), only: Sequence[str] | None = None, **ways: Given
) -> Callable[[F], F]:
    """Give a command the parameters of a method: those named are arguments in their order, the rest options.

    Each arrives under the parameter's own name. Those in `without` are left out, and with `only` all others; `ways` say
    how some are given.
    """
    known = parameters_of(method)
    if strange := {*arguments, *without, *(only or ()), *ways} - known.keys():
        raise TypeError(f"{method} has no {', '.join(sorted(strange))}")
    left_out = {*without, *(known.keys() - {*only, *arguments} if only is not None else ())}

    def offered(function: F) -> F:
        options = [one for one in known.values() if one.name not in {*arguments, *left_out} and one.kind != "object"]
        typed = {name: (ways.get(name, Given()).metavar or name.upper()) for name in arguments}
        typed |= {one.name: _names(one, ways.get(one.name, Given()))[0] for one in options}
        for one in reversed(options):
            function = _option(one, ways.get(one.name, Given()), typed)(function)
        for name in reversed(arguments):
            function = _argument(known[name], ways.get(name, Given()))(function)
        setattr(function, ASKED, Asked(method, frozenset(left_out)))
        return function

    return offered


def _argument(one: Parameter, way: Given) -> Callable[[F], F]:
    required = _required(one, way)
    many = _many(one, way)
    word = way.metavar or one.name.upper()
    shown = (word if required else f"[{word}]") + ("..." if many else "")
    said: dict[str, Any] = {"nargs": -1} if many else {} if required else {"default": _default(one, way)}
    return click.argument(
        one.name, cls=DeclaredArgument, parameter=one, metavar=shown, required=required, type=_type(one, way), **said
    )


def _option(one: Parameter, way: Given, typed: dict[str, str]) -> Callable[[F], F]:
    default, required, many = _default(one, way), _required(one, way), _many(one, way)
    said: dict[str, Any] = {"help": _help(one, way, typed)}
    if one.kind == "flag":
        said |= {"is_flag": True, "default": default} | ({"flag_value": False} if default is True else {})
    else:
        said |= {"type": _type(one, way), "metavar": way.metavar, "required": required, "multiple": many}
        said |= {} if required or many else {"default": default}
    return click.option(*_names(one, way), one.name, cls=DeclaredOption, parameter=one, **said)


def _names(one: Parameter, way: Given) -> tuple[str, ...]:
    """Return an option as it is typed."""
    if way.names:
        return way.names
    name = (one.name.removesuffix("s") if _many(one, way) else one.name).replace("_", "-")
    if one.kind != "flag" or one.default is False:
        return (f"--{name}",)
    return (f"--no-{name}",) if one.default else (f"--{name}/--not-{name}",)


def _help(one: Parameter, way: Given, typed: dict[str, str]) -> str:
    """Return what a person reads of an option: a sentence, what it is unless given, and from where to where it goes."""
    words = one.words if way.words is None else way.words
    if way.free and one.choices:
        words += f": {', '.join(one.choices)}"
    words = QUOTED.sub(lambda found: typed.get(found[1], found[0]), words)
    sentence = f"{words[:1].upper()}{words[1:]}"
    sentence += "." if sentence and sentence[-1] not in ".…" else ""
    default = _default(one, way)
    figures = [f"default: {default}"] if default and one.kind != "flag" else []
    figures += [bounds] if (bounds := _bounds(one)) else []
    figures += ["as often as needed"] if _many(one, way) else []
    return f"{sentence} [{'; '.join(figures)}]".strip() if figures else sentence


def _default(one: Parameter, way: Given) -> Any:
    return one.default if way.default is AS_DECLARED else way.default


def _required(one: Parameter, way: Given) -> bool:
    return one.required if way.required is None else way.required


def _many(one: Parameter, way: Given) -> bool:
    return one.many if way.many is None else way.many


def _bounds(one: Parameter) -> str:
    """Return from where to where a number goes; that it is not below nothing goes without saying."""
    if one.low is not None and one.high is not None:
        return f"{one.low:g} to {one.high:.16g}"
    if one.high is not None:
        return f"at most {one.high:.16g}"
    return f"at least {one.low:g}" if one.low is not None and one.low > 0 else ""


def _type(one: Parameter, way: Given) -> Any:
    return click.Choice(one.choices) if one.choices and not way.free else TYPES[one.kind]
