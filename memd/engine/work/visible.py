"""What of a session a model is shown again: the visible tail, within its limits, with nothing torn apart.

Pure. A tool's result never comes without its call where the call was visible, so that no interface refuses the history.

Units
    chars are characters of what an entry says: its text, or its arguments and result as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from memd.formats.strict_json import dumps
from memd.model.sessions import Event, EventKind

SHOWN = ("speaker", "name", "content", "tool", "call_id", "arguments", "is_error", "run")


class Tail(NamedTuple):
    """Entries oldest first, their characters together, and whether older ones were left out."""

    entries: list[dict[str, Any]]
    chars: int
    cut: bool


def tail_of(newest_first: Iterable[Event], most: int, chars: int) -> Tail:
    """Return the newest visible events within the limits; `chars` 0 is no limit. The newest one always comes."""
    taken: list[dict[str, Any]] = []
    total, cut = 0, False
    for event in newest_first:
        entry = entry_of(event)
        size = chars_of(entry)
        if len(taken) >= most or (chars and taken and total + size > chars):
            cut = True
            break
        taken.append(entry)
        total += size
    taken.reverse()
    if cut:
        taken = _whole(taken)
    return Tail(taken, sum(map(chars_of, taken)), cut)


def _whole(taken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return entries without the results whose calls were cut off; the newest entry always stays."""
    calls: set[Any] = set()
    kept: list[dict[str, Any]] = []
    for one in taken[:-1]:
        if one["kind"] == EventKind.TOOL_CALL:
            calls.add(one.get("call_id"))
        orphan = one["kind"] == EventKind.TOOL_RESULT and one.get("call_id") not in calls
        if not orphan or (not one.get("call_id") and kept):
            kept.append(one)
    return [*kept, taken[-1]]


def entry_of(event: Event) -> dict[str, Any]:
    """Return an event as a history shows it."""
    entry: dict[str, Any] = {"id": event.id, "seq": event.seq, "kind": event.kind, "at": event.at}
    entry |= {key: event.said[key] for key in SHOWN if key in event.said}
    call = event.said.get("raw_tool_call")
    if isinstance(call, dict):
        entry["raw_tool_call"] = {key: call[key] for key in ("form", "tool", "arguments", "fallback") if key in call}
        if call.get("fallback") == "replaced":
            entry["content"] = without_raw_call(event.said)
    return entry


def chars_of(entry: dict[str, Any]) -> int:
    """Return how many characters an entry says."""
    total = 0
    for key in ("content", "arguments"):
        value = entry.get(key)
        if value is not None:
            total += len(value) if isinstance(value, str) else len(dumps(value))
    return total


def without_raw_call(said: Mapping[str, Any]) -> str:
    """Return a message's text with a note in the place of a tool call that was written as text."""
    text, call = str(said.get("content", "")), said.get("raw_tool_call")
    start, stop = (call.get("start"), call.get("stop")) if isinstance(call, dict) else (None, None)
    if call is None or not isinstance(start, int) or not isinstance(stop, int):
        return text
    named = f" of {call['tool']}" if call.get("tool") else ""
    return f"{text[:start]}[a tool call{named} was written here as text]{text[stop:]}"
