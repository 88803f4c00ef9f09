"""The parameters of each method for the command line, made from the declarations: memd/cli/parameters.json."""

from __future__ import annotations

import json
from typing import Any

from msgspec import UNSET, inspect

from memd.doors.rpc import METHODS
from memd.protocol.fields import Request
from tools import declarations

TABLE = "memd/cli/parameters.json"


def table() -> str:
    """Return the text of the table: a line a parameter, methods by name, parameters as they are declared."""
    methods = sorted(METHODS.values(), key=lambda method: method.name)
    return "{" + ",".join(f"\n{_dumped(one.name)}: {{{_lines(one.request)}}}" for one in methods) + "\n}\n"


def parameters_of(request: type) -> dict[str, dict[str, Any]]:
    """Return what is said of each parameter of a request, without what all requests have."""
    common = declarations.names_of(Request)
    return {one.name: _said(one) for one in declarations.all_fields(request) if one.name not in common}


def _lines(request: type) -> str:
    return ",".join(f"\n  {_dumped(name)}: {_dumped(said)}" for name, said in parameters_of(request).items())


def _said(one: declarations.Field) -> dict[str, Any]:
    kind, many = _single(one.kind)
    said: dict[str, Any] = {"kind": _kind(kind)}
    if one.words:
        said["words"] = one.words
    if one.required:
        said["required"] = True
    if many:
        said["many"] = True
    elif one.default not in (UNSET, None, "", {}):
        said["default"] = one.default
    if choices := [text for text in declarations.choices(kind) if text] if kind else []:
        said["choices"] = choices
    bounds = {"low": getattr(kind, "ge", None), "high": getattr(kind, "le", None)}
    return said | {word: bound for word, bound in bounds.items() if bound is not None}


def _single(kind: inspect.Type) -> tuple[inspect.Type | None, bool]:
    """Return what a type is once nothing is told apart from not given, and whether there are several of it."""
    if isinstance(kind, inspect.Metadata):
        return _single(kind.type)
    if isinstance(kind, inspect.UnionType):
        left = [one for one in kind.types if not isinstance(one, (inspect.NoneType, inspect.CustomType))]
        left = [one for one in left if "Unset" not in type(one).__name__]
        texts = [one for one in left if isinstance(one, inspect.StrType)]
        return _single(left[0]) if len(left) == 1 else (texts[0] if texts else None, False)
    if isinstance(kind, inspect.ListType):
        inner, _ = _single(kind.item_type)
        return inner, True
    return kind, False


def _kind(kind: inspect.Type | None) -> str:
    if isinstance(kind, (inspect.StrType, inspect.LiteralType, inspect.EnumType)):
        return "text"
    if isinstance(kind, inspect.BoolType):
        return "flag"
    if isinstance(kind, inspect.IntType):
        return "whole"
    return "number" if isinstance(kind, inspect.FloatType) else "object"


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
