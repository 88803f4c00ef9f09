"""The methods as they are declared, read once for what is made of them: pages, and the client's typed methods.

Nothing here names a method, a field or a bound: all of it comes from the requests and replies of memd.verbs.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import get_annotations
from typing import Any

import msgspec
from msgspec import inspect

from memd.doors.rpc import METHODS
from memd.protocol.fields import Part, Reply, Request
from memd.verbs.declared import Verb

COMMON = (Request, Reply)  # what every request and every reply has is told once


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a key of what is answered. `default` is a value, or UNSET where what is not given is not there."""

    name: str
    kind: inspect.Type
    words: str
    required: bool
    default: Any = msgspec.UNSET
    attribute: str = ""  # what Python calls it, where a key is a word of the language


@dataclass(frozen=True, slots=True)
class Shape:
    """A declared object: its own fields, and what it has from others."""

    cls: type
    words: str
    bases: tuple[type, ...]
    own: tuple[Field, ...]


def methods() -> list[Verb]:
    """Return every method, by family, and those without a family first."""
    return sorted(METHODS.values(), key=lambda method: (family_of(method.name), method.name))


def family_of(name: str) -> str:
    """Return the first word of a method's name, "" where it is one word."""
    return name.rpartition(".")[0]


def shape_of(cls: type) -> Shape:
    """Return a Struct or dataclass as it is declared."""
    bases = tuple(base for base in cls.__bases__ if is_shape(base))
    inherited = {name for base in bases for name in names_of(base)}
    redeclared = get_annotations(cls)
    own = [one for one in all_fields(cls) if one.name not in inherited or one.name in redeclared]
    words = (cls.__doc__ or "").partition("\n")[0]
    return Shape(cls, "" if words.startswith(f"{cls.__name__}(") else words, bases, tuple(own))


def all_fields(cls: type) -> list[Field]:
    """Return what an object has, with what comes from others."""
    told = inspect.type_info(cls)
    if not isinstance(told, (inspect.StructType, inspect.DataclassType)):
        raise TypeError(f"{cls.__name__} is no object that somebody declared")
    return [_field(one, of_reply=issubclass(cls, Part)) for one in told.fields]


def names_of(cls: type) -> list[str]:
    """Return the names of all an object has."""
    return [one.name for one in all_fields(cls)]


def is_shape(cls: type) -> bool:
    """Tell whether this is an object that somebody declared."""
    return cls not in (msgspec.Struct, Part) and (issubclass(cls, msgspec.Struct) or dataclasses.is_dataclass(cls))


def parameters(method: Verb) -> list[Field]:
    """Return a method's own parameters: those that must be given first, and without what all methods take."""
    common = names_of(Request)
    own = [one for one in all_fields(method.request) if one.name not in common]
    return sorted(own, key=lambda one: not one.required)


def within(kind: inspect.Type) -> Iterator[type]:
    """Yield the objects that a type speaks of, outermost first."""
    if isinstance(kind, inspect.Metadata):
        yield from within(kind.type)
    elif isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from within(one)
    elif isinstance(kind, inspect.DictType):
        yield from within(kind.value_type)
    elif isinstance(kind, (inspect.ListType, inspect.VarTupleType)):
        yield from within(kind.item_type)
    elif isinstance(kind, (inspect.StructType, inspect.DataclassType)):
        yield kind.cls


def choices(kind: inspect.Type) -> list[str]:
    """Return the texts that a text may be, where its pattern lists them."""
    if isinstance(kind, inspect.Metadata):
        return sorted((kind.extra_json_schema or {}).get("enum", []), key=lambda one: not one) or choices(kind.type)
    if isinstance(kind, inspect.LiteralType):
        return [str(one) for one in kind.values]
    if isinstance(kind, inspect.EnumType):
        return [str(one.value) for one in kind.cls]
    pattern = kind.pattern if isinstance(kind, inspect.StrType) else None
    if not pattern or not pattern.startswith("^(") or not pattern.endswith((")$", ")?$")):
        return []
    listed = pattern[2:].removesuffix("$").removesuffix("?").removesuffix(")").split("|")
    plain = all(one.replace("-", "").replace("_", "").isalnum() for one in listed if one)
    listed += [""] if pattern.endswith("?$") else []
    return sorted(listed, key=lambda one: not one) if plain else []


def _field(told: inspect.Field, *, of_reply: bool) -> Field:
    default, kind = told.default, told.type
    if told.default_factory is not msgspec.NODEFAULT:
        default = told.default_factory()
    unset = default is msgspec.NODEFAULT or (of_reply and default is None)
    kind = _but_null(kind) if of_reply and default is None else kind  # it is not sent
    default = msgspec.UNSET if unset else _plain(default)
    return Field(told.encode_name, kind, _words(kind), told.required, default, told.name)


def _but_null(kind: inspect.Type) -> inspect.Type:
    if isinstance(kind, inspect.Metadata):
        return inspect.Metadata(_but_null(kind.type), kind.extra_json_schema, kind.extra)
    if not isinstance(kind, inspect.UnionType):
        return kind
    left = tuple(one for one in kind.types if not isinstance(one, inspect.NoneType))
    return left[0] if len(left) == 1 else inspect.UnionType(left)


def _plain(default: Any) -> Any:
    return json.loads(msgspec.json.encode(default))


def _words(kind: inspect.Type) -> str:
    """Return the description of a type, or of a part of it that may be missing."""
    if isinstance(kind, inspect.Metadata):
        return str((kind.extra_json_schema or {}).get("description", "")) or _words(kind.type)
    if isinstance(kind, inspect.UnionType):
        return next((words for one in kind.types if (words := _words(one))), "")
    return ""
