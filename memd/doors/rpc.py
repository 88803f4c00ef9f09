"""JSON-RPC 2.0: a frame to a request, a request to a method, an error to its number.

Source
    The JSON-RPC 2.0 specification; numbers from -32000 down are memd's own, one for each family of codes.
"""

# ruff: noqa: F401  a module of verbs declares them when it is imported

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from memd import PROTOCOL, __version__
from memd.errors import (
    BadFrameError,
    BadParamsError,
    BadRequestError,
    InternalError,
    MemdError,
    MethodUnknownError,
    by_code,
)
from memd.formats.strict_json import StrictError, dumps, loads
from memd.protocol.fields import Part
from memd.verbs.answering import answered, typed_of
from memd.verbs.care import exchange, happenings, roles, settings, statistics, status, upkeep
from memd.verbs.declared import VERBS, Service, Verb
from memd.verbs.memory import (
    collections,
    consolidation,
    corrections,
    guard,
    links,
    memories,
    proposals,
    remembering,
    reviews,
)
from memd.verbs.recall import context, curated, recall, searches
from memd.verbs.sessions import hooks, session_search, sessions
from memd.verbs.work import learning, run_events, runs, skills, tasks

logger = logging.getLogger(__name__)
METHODS: dict[str, Verb] = VERBS  # of the protocol: all verbs
LONG_BYTES = 65_536

PARSE, INVALID, UNKNOWN, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
# The longest code that begins a code decides.
NUMBERS = {
    "frame": PARSE,
    "request": INVALID,
    "method": UNKNOWN,
    "params": PARAMS,
    "internal": INTERNAL,
    "name": -32001,
    "role": -32002,
    "memory": -32003,
    "secret": -32003,
    "order": -32003,
    "review": -32003,
    "score": -32004,
    "template": -32005,
    "limit": -32006,
    "settings": -32007,
    "file": -32008,
    "workspace": -32009,
    "storage": -32010,
    "storage.full": -32011,
    "storage.read_only": -32012,
    "daemon": -32013,
    "client": -32014,
    "socket": -32015,
    "entry": -32016,
    "embeddings": -32017,
    "query": -32016,
    "index": -32017,
    "session": -32018,
    "run": -32019,
    "task": -32020,
    "skill": -32021,
    "learning": -32021,
    "curated": -32022,
    "snapshot": -32022,
    "git": -32023,
    "backup": -32024,
    "hook": -32025,
    "service": -32026,
    "extra": -32027,
    "trust": -32028,
    "protocol": -32029,
    "consolidation": -32030,
    "setup": -32031,
}


# Families of methods whose requests depend on one another: those of one connection are carried out in order.
IN_ORDER = ("run", "task", "learning", "skill", "curated", "snapshot", "context", "consolidate")


@dataclass(frozen=True, slots=True)
class Request:
    """A checked request. `id` is None for a notification, which gets no reply.

    Requests of the same `role` are answered in order; one that is `serial` begins when those before it have ended.
    """

    id: str | int | float | None
    method: Verb | None
    params: Any
    is_notification: bool
    role: str
    serial: bool = False


def number_of(code: str) -> int:
    """Return the JSON-RPC number of a code."""
    return NUMBERS.get(code) or NUMBERS.get(code.split(".", maxsplit=1)[0], INTERNAL)


def read_request(frame: bytes) -> Request | dict[str, Any]:
    """Return the request of a frame, or the reply that says what is wrong with it."""
    try:
        value = _decoded(frame)
    except StrictError as error:
        return error_reply(None, BadFrameError(f"this frame is not strict JSON: {error.why}"))
    request_id: Any = None
    try:
        if not isinstance(value, dict):
            raise BadRequestError("a request is one JSON object")
        request_id = _id_of(value)
        return _checked(value, request_id)
    except MemdError as error:
        return error_reply(request_id, error)


def _decoded(frame: bytes) -> Any:
    """Return what a frame says. Of a long one, the collector need not look at every part while there are more to come."""
    collects = len(frame) > LONG_BYTES and gc.isenabled()
    if collects:
        gc.disable()
    try:
        return loads(frame)
    finally:
        if collects:
            gc.enable()


async def answer(service: Service, request: Request) -> dict[str, Any]:
    """Carry a request out and return its reply. What nobody foresaw is an internal error, told in the log."""
    try:
        if request.method is None:
            result = discover()
        else:
            result = await answered(request.method, service, request.params)
        return {"jsonrpc": "2.0", "id": request.id, "result": result}
    except MemdError as error:
        return error_reply(request.id, error)
    except Exception as error:
        logger.exception("%s failed", request.method.name if request.method else "rpc.discover")
        return error_reply(request.id, InternalError(f"internal error: {type(error).__name__}"))


def error_reply(request_id: Any, error: MemdError) -> dict[str, Any]:
    """Return the reply for an error: number, sentence, stable code, hint."""
    return {
        "jsonrpc": "2.0",
        "id": request_id,
        "error": {
            "code": number_of(error.code),
            "message": str(error),
            "data": {"code": error.code, "hint": error.hint},
        },
    }


def _parts(of: type[Part] = Part) -> Iterator[type[Part]]:
    """Yield every object of a reply."""
    for one in of.__subclasses__():
        yield one
        yield from _parts(one)


def _sent(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a key of a reply as it is sent: what is None by default is not there then."""
    if schema.get("default", ...) is not None:
        return schema
    rest = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    others = {key: one for key, one in schema.items() if key not in ("anyOf", "default")}
    return others | (rest[0] if len(rest) == 1 else {"anyOf": rest} if rest else {})


def dump_reply(reply: dict[str, Any]) -> bytes:
    """Return one line. Text that UTF-8 cannot carry is escaped rather than lost."""
    return dumps(reply).encode("utf-8", "backslashreplace") + b"\n"


def convert(method: Verb, raw: Any) -> Any:
    """Return typed parameters, or raise BadParamsError naming the one that does not fit."""
    return typed_of(method.request, raw)


EVENT = {
    "name": "event",
    "after": "subscribe",
    "params": "an object with `topic`",
    "x-schemas": {
        "recalls": {"$ref": "#/components/schemas/RecentRecall"},
        "verdicts": {"$ref": "#/components/schemas/RecentVerdicts"},
    },
}


def discover() -> dict[str, Any]:
    """Return the OpenRPC document, made from the declarations that check the parameters."""
    types: list[type] = [method.request for method in METHODS.values()]
    types += [method.reply for method in METHODS.values()]
    schemas, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    for reply in _parts():
        for name, one in components.get(reply.__name__, {}).get("properties", {}).items():
            components[reply.__name__]["properties"][name] = _sent(one)
    results = {method.name: schema for method, schema in zip(METHODS.values(), schemas[len(METHODS) :], strict=True)}
    methods: list[dict[str, Any]] = []
    for method, schema in zip(METHODS.values(), schemas, strict=False):
        declared = components[schema["$ref"].rpartition("/")[2]]
        required = declared.get("required", [])
        methods.append(
            {
                "name": method.name,
                "summary": method.summary,
                "paramStructure": "by-name",
                "params": [
                    {"name": name, "required": name in required, "schema": one}
                    for name, one in declared.get("properties", {}).items()
                ],
                "result": {"name": "result", "schema": results[method.name]},
                "errors": [{"$ref": f"#/components/errors/{_component(one.code)}"} for one in method.may_raise],
                "x-writes": method.writes,
            }
        )
    return {
        "openrpc": "1.3.2",
        "info": {"title": "memd", "version": __version__, "x-protocol": PROTOCOL},
        "methods": methods,
        "components": {"schemas": components, "errors": _errors()},
        "x-notifications": [EVENT],
    }


def _errors() -> dict[str, Any]:
    """Return every error there is, by its code."""
    return {
        _component(code): {
            "code": number_of(code),
            "message": kind.__doc__,
            "data": {"code": code, "hint": kind.hint},
        }
        for code, kind in sorted(by_code().items())
    }


def _component(code: str) -> str:
    """Return what an error is called among the components, where a name may have no dot."""
    return code.replace(".", "-")


def _checked(value: dict[str, Any], request_id: Any) -> Request:
    unknown = [key for key in value if key not in ("jsonrpc", "id", "method", "params")]
    if value.get("jsonrpc") != "2.0":
        raise BadRequestError('"jsonrpc" must be "2.0"')
    if unknown:
        raise BadRequestError(f"unknown member {unknown[0][:40]!r}")
    name, raw = value.get("method"), value.get("params", {})
    if not isinstance(name, str):
        raise BadRequestError('"method" must be a text')
    if not isinstance(raw, dict):
        raise BadParamsError("parameters are given by name, in an object")
    if name == "rpc.discover":
        return Request(request_id, None, None, "id" not in value, "")
    if name not in METHODS:
        raise MethodUnknownError(name)
    method = METHODS[name]
    serial = name.partition(".")[0] in (*IN_ORDER, "session")
    return Request(request_id, method, convert(method, raw), "id" not in value, _order_of(name, raw), serial)


def _order_of(name: str, raw: dict[str, Any]) -> str:
    """Return what requests share whose order counts: a role, a session, or all that runs and tasks come to."""
    family = name.partition(".")[0]
    if family == "session":
        return f"session {raw.get('session', '')}"
    if family in IN_ORDER:
        return "work"
    role = raw.get("role")
    return role if isinstance(role, str) else ""


def _id_of(value: dict[str, Any]) -> str | int | float | None:
    request_id = value.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, (str, int, float, type(None))):
        raise BadRequestError('"id" must be a text or a number')
    return request_id
