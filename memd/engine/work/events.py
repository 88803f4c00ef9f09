"""What an event must say to be what it claims, and what is made of it before it is written.

Pure. `checked` takes what a client sent and returns what will stand in the session, or raises.

Errors
    BadEventError, naming the event by its place in the request (from 1) and the field.
Source
    docs/learning.md#3-sessions; roles of messages as in the chat interfaces of the model vendors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memd.engine.work.toolcall import find_raw_call
from memd.errors import BadEventError
from memd.formats.strict_json import StrictError, dumps, loads
from memd.formats.times import to_seconds
from memd.model.sessions import RESERVED, SPEAKERS, USAGE_KEYS, EventKind

TEXT_CHARS = 900_000  # of one event: a frame of the protocol has 1 MiB
NAME_CHARS = 200
COMMON = ("kind", "run", "at", "context_visible", "data")
# What each kind may say; what stands before the bar must be there.
FIELDS: dict[EventKind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    EventKind.MESSAGE: (("speaker", "content"), ("name",)),
    EventKind.TOOL_CALL: (("tool",), ("call_id", "arguments", "iteration")),
    EventKind.TOOL_RESULT: ((), ("tool", "call_id", "content", "is_error")),
    EventKind.USAGE: ((), (*USAGE_KEYS, "model")),
    EventKind.PROMPT_SNAPSHOT: ((), ("digest", "content")),
    EventKind.INJECTED: (("memories",), ("role",)),
    EventKind.EVIDENCE: (("content",), ("task", "status")),
    EventKind.FALLBACK: (("action",), ("of", "content")),
    EventKind.NOTE: (("content",), ()),
}
SHORT = ("tool", "call_id", "name", "model", "task", "status", "action", "of", "role", "digest", "run")


def checked(raw: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return an event as it may be written: its kind, then what it says; raise BadEventError."""

    def bad(why: str) -> BadEventError:
        return BadEventError(number, why)

    kind = _kind(raw, bad)
    must, may = FIELDS[kind]
    unknown = [key for key in raw if key not in (*COMMON, *must, *may)]
    if unknown:
        raise bad(f"a {kind} has no field {unknown[0]!r:.62}; put what is yours in `data`")
    silent = raw.get("speaker") == "assistant" and raw.get("content") == ""  # a turn of tool calls alone
    missing = [key for key in must if raw.get(key) in (None, "") and not (key == "content" and silent)]
    if missing:
        raise bad(f"a {kind} needs `{missing[0]}`")
    try:
        dumps(dict(raw)).encode("utf-8")
    except (UnicodeEncodeError, ValueError, TypeError, RecursionError) as error:
        raise bad(f"it cannot be written as JSON: {type(error).__name__}") from None
    event: dict[str, Any] = {"kind": kind.value}
    for key, value in raw.items():
        if key != "kind" and value is not None:
            event[key] = _field(kind, key, value, bad)
    return event


def _kind(raw: Mapping[str, Any], bad: Callable[[str], BadEventError]) -> EventKind:
    try:
        kind = EventKind(raw.get("kind", EventKind.MESSAGE))
    except ValueError:
        raise bad(f"{raw.get('kind')!r:.62} is no kind of event; the kinds are {', '.join(FIELDS)}") from None
    if kind in RESERVED:
        raise bad(f"{kind} is written by memd alone")
    return kind


def _field(kind: EventKind, key: str, value: Any, bad: Callable[[str], BadEventError]) -> Any:
    if key in SHORT and (not isinstance(value, str) or len(value) > NAME_CHARS):
        raise bad(f"`{key}` must be a text of at most {NAME_CHARS} characters")
    if key in ("context_visible", "is_error") and not isinstance(value, bool):
        raise bad(f"`{key}` must be true or false")
    if key == "speaker" and value not in SPEAKERS:
        raise bad(f"`speaker` must be one of {', '.join(SPEAKERS)}")
    if key == "content" and not isinstance(value, str):
        if kind is not EventKind.TOOL_RESULT:
            raise bad("`content` must be a text")
        value = dumps(value)
    if key == "at" and to_seconds(value) is None:
        raise bad("`at` must be a time: ISO 8601, or seconds since the epoch")
    if key in (*USAGE_KEYS, "iteration") and not _is_count(value):
        raise bad(f"`{key}` must be a number, not below 0")
    if key == "memories" and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise bad("`memories` must be a list of ids")
    if isinstance(value, (str, dict, list)) and _size(value) > TEXT_CHARS:
        raise bad(f"`{key}` is longer than {TEXT_CHARS} characters")
    return value


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 10**15


def _size(value: Any) -> int:
    return len(value) if isinstance(value, str) else len(dumps(value))


def _parsed(arguments: str) -> Any:
    """Return a leaked call's arguments as the object they are, else as the text they were written in."""
    try:
        value = loads(arguments.encode("utf-8", "surrogatepass"))
    except StrictError:
        return arguments[:4000]
    return value if isinstance(value, dict) and len(arguments) <= 4000 else arguments[:4000]


def marked(event: Mapping[str, Any], fallback: str) -> dict[str, Any]:
    """Return an assistant's message with the tool call that leaked into its text named, and what is done about it.

    `fallback`: mark, replace or hide; it is recorded with the call, in the past tense.
    """
    result = dict(event)
    if event.get("kind") != EventKind.MESSAGE or event.get("speaker") != "assistant":
        return result
    call = find_raw_call(str(event.get("content", "")))
    if call is None:
        return result
    done = {"mark": "marked", "replace": "replaced", "hide": "hidden"}[fallback]
    result["raw_tool_call"] = {
        "form": call.form,
        "tool": call.tool,
        "arguments": _parsed(call.arguments),
        "start": call.start,
        "stop": call.stop,
        "fallback": done,
    }
    if fallback == "hide":
        result.setdefault("context_visible", False)
    return result
