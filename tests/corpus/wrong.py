"""Wrong requests of every method, made of its declaration: each parameter missing, of another kind, too long, too large."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memd.doors.rpc import discover

OTHER_KINDS: tuple[Any, ...] = ("", 7, 1.5, True, [], {}, None, "x" * 90, -1, [[1]], {"a": 1})
LONGEST = 500  # a bound above this is tried in other tests: a corpus is read by people


def wrong_requests() -> list[list[Any] | str]:
    """Return requests whose parameters alone are wrong."""
    return [
        ["no.such", {}],
        *(
            line
            for method in sorted(discover()["methods"], key=lambda one: str(one["name"]))
            for line in _wrong(method)
        ),
    ]


def _wrong(method: dict[str, Any]) -> Iterator[list[Any]]:
    name, params = method["name"], method["params"]
    usual = {one["name"]: _fitting(one["schema"]) for one in params if one["required"]}
    yield [name, {**usual, "nothing_of_that_name": 1}]
    for one in params:
        if one["required"]:
            yield [name, {key: value for key, value in usual.items() if key != one["name"]}]
        for value in _unfit(one["schema"]):
            yield [name, {**usual, one["name"]: value}]


def _choices(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return list(schema.get("anyOf", [schema]))


def _fitting(schema: dict[str, Any]) -> Any:
    kind = _choices(schema)[0].get("type")
    return {"string": "no-such", "array": [], "object": {}, "integer": 1, "number": 1, "boolean": True}.get(
        str(kind), "x"
    )


def _unfit(schema: dict[str, Any]) -> Iterator[Any]:
    choices = _choices(schema)
    kinds = {one.get("type") for one in choices}
    if not kinds or None in kinds:
        return  # it takes anything, or one of memd's own shapes
    if "string" not in kinds:
        yield "text"
    if "boolean" not in kinds:
        yield True
    if not kinds & {"object"}:
        yield {"a": 1}
    for one in choices:
        if one.get("pattern"):
            yield "none of these"
        if one.get("minLength"):
            yield ""
        if one.get("maxLength", LONGEST + 1) <= LONGEST:
            yield "x" * (one["maxLength"] + 1)
        if "minimum" in one:
            yield one["minimum"] - 1
        if "maximum" in one:
            yield one["maximum"] + 1
