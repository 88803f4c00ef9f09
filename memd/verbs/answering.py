"""How a method is answered: what is asked is looked at, carried out, and looked at again before a model is told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from memd.errors import BadParamsError
from memd.service.memory.egress import told_to_model
from memd.service.screening import look_at_request
from memd.store.writing.journal import submitted

if TYPE_CHECKING:
    from memd.verbs.declared import Service, Verb


async def answered(verb: Verb, service: Service, asked: Any) -> dict[str, Any]:
    """Return the reply to a typed request, by the names on the wire. What it rests on is durable when this returns."""
    remarks: list[str] = []
    if verb.writes:
        given = msgspec.to_builtins(asked)  # as a client would send it; what it did not say is not there
        looked, remarks = await look_at_request(service.store, verb.name, given)
        asked = asked if looked is given else typed_of(verb.request, looked)
        submitted.set(False)
    reply: dict[str, Any] = msgspec.to_builtins(await verb.call(service, asked))
    if verb.writes:
        await service.store.writer.settled()
    if remarks:
        reply = {**reply, "remarks": [*reply.get("remarks", ()), *remarks]}
    return await told_to_model(service.store, verb.name, reply) if asked.reader == "model" else reply


# What does not fit a declaration, in words: which parameter, and what it must be. msgspec's own are for programmers.
#
# Source
#     The messages of msgspec's validation errors: "Expected `int` >= 1 - at `$.limit`" and their like.

T = TypeVar("T", bound=msgspec.Struct)

_PLACE = re.compile(r"^(?P<said>.*?)(?: - at `(?:key in )?\$\.?(?P<place>[^`]*)`)?$", re.DOTALL)
_KINDS = {
    "int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false", "array": "a list",
    "object": "an object", "null": "nothing",
}  # fmt: skip
_RULES: tuple[tuple[str, str], ...] = (
    (r"Expected `(?:int|float)`(?: \| `?null`?)? >= (\S+)", "it must be at least {0}"),
    (r"Expected `(?:int|float)`(?: \| `?null`?)? <= (\S+)", "it must be at most {0}"),
    (r"Expected `str` of length >= 1", "it is empty"),
    (r"Expected `str` of length >= (\d+)", "it must have at least {0} characters"),
    (r"Expected `str` of length <= (\d+)", "it must have at most {0} characters"),
    (r"Expected `(?:array|object)` of length >= (\d+)", "there must be at least {0}"),
    (r"Expected `(?:array|object)` of length <= (\d+)", "there may be at most {0}"),
)
_PATTERN = re.compile(r"Expected `str` matching regex '\^\((.*)\)\??\$'")
_KIND = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_MISSING = re.compile(r"Object missing required field `([^`]+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `([^`]*)`")


def misfit(message: str) -> str:
    """Return one of msgspec's messages as a sentence that begins with the parameter it is about."""
    found = _PLACE.match(message)
    said, place = (found["said"], found["place"] or "") if found else (message, "")
    below = f"{place}." if place else ""
    if missing := _MISSING.fullmatch(said):
        return f"{below}{missing[1]}: it is missing"
    if unknown := _UNKNOWN.fullmatch(said):
        return f"there is no parameter {below + unknown[1]!r:.82}"
    return f"{place}: {_worded(said)}" if place else _worded(said)


def _worded(said: str) -> str:
    for pattern, words in _RULES:
        if found := re.fullmatch(pattern, said):
            return words.format(*found.groups())
    if found := _PATTERN.fullmatch(said):
        return f"it must be one of {', '.join(found[1].split('|'))}"
    if found := _KIND.fullmatch(said):
        return f"it must be {_kinds(found[1])}, not {_kinds(found[2])}"
    return f"it does not fit: {said}"


def _kinds(names: str) -> str:
    return " or ".join(_KINDS.get(one.strip(), one.strip()) for one in names.split("|") if one.strip() != "null")


def typed_of(kind: type[T], values: Any) -> T:
    """Return values as their type, or raise BadParamsError naming the one that does not fit."""
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise BadParamsError(misfit(str(error))) from None
