"""What of a session a model is shown again: the visible tail, within its limits, with nothing torn apart.

Pure. A tool's result never comes without its call where the call was visible, so that no interface refuses the history.

Units
    chars are characters of what an entry says: its text, or its arguments and result as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from memd.formats.strict_json import dumps
from memd.model.work.session import Event, EventKind

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
    while cut and len(taken) > 1 and taken[0]["kind"] == EventKind.TOOL_RESULT:
        total -= chars_of(taken.pop(0))
    return Tail(taken, total, cut)


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
