"""What of a session a model is shown again: the visible tail, within its limits, with nothing torn apart.

Pure. A tool's result never comes without its call where the call was visible, so that no interface refuses the history.

Units
    chars are characters of what an entry says: its text, or its arguments and result as JSON.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from memd.formats.curated import entries_of, without_comments, without_entries
from memd.formats.strict_json import dumps
from memd.model.runs import PromptSection
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


# What a model is told of the moment it runs in, and of the files it is given: as sections of a system prompt.
#
# Equal values give equal bytes.
#
# Source
#     docs/design/origins.md#the-blueprint-of-an-engine: the runtime context has UTC time, local time and zone; a snapshot is rendered as prompt sections.

TITLES = {"MEMORY.md": "Memory", "USER.md": "User"}


class Frozen(NamedTuple):
    """A snapshot: its canonical bytes as text, and their sha256."""

    text: str
    digest: str


def freeze(texts: Mapping[str, str], withheld: Mapping[str, Sequence[str]]) -> Frozen:
    """Return the snapshot of curated files by name; of each, the entries withheld from prompts."""
    files = [
        {"name": name, "text": texts[name], **({"withheld": list(withheld[name])} if withheld.get(name) else {})}
        for name in sorted(texts)
    ]
    text = json.dumps({"memd": "snapshot", "version": 1, "files": files}, ensure_ascii=False, indent=2) + "\n"
    return Frozen(text, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def sections_of(snapshot: Mapping[str, Any]) -> list[PromptSection]:
    """Return the sections of a stored snapshot: one for each file that says something."""
    found: list[PromptSection] = []
    for file in snapshot.get("files", ()):
        name, text = str(file.get("name", "")), str(file.get("text", ""))
        text = without_entries(text, [str(one) for one in file.get("withheld", ())])
        title = TITLES.get(name, name)
        if entries_of(text):
            found.append(PromptSection(name, title, _for_prompt(text, title)))
    return found


def runtime_section(now: datetime, zone: str) -> PromptSection:
    """Return the section of time: `now` with its zone; `zone` as it is called."""
    utc = now.astimezone(UTC)
    offset = now.strftime("%z")
    lines = [
        f"- UTC time: {utc:%Y-%m-%dT%H:%M:%SZ}",
        f"- Local time: {now:%Y-%m-%d %H:%M:%S} ({now:%A})",
        f"- Time zone: {zone} (UTC{offset[:3]}:{offset[3:5]})" if offset else f"- Time zone: {zone}",
    ]
    return PromptSection("runtime", "Runtime context", "\n".join(lines))


def _for_prompt(text: str, title: str) -> str:
    """Return a curated text without comments, which are for people, and without a heading that says the title again."""
    bare = without_comments(text.replace("\r\n", "\n")).strip()
    first, _, rest = bare.partition("\n")
    if first.startswith("#") and first.strip("# ").casefold() == title.casefold():
        bare = rest.strip()
    return re.sub(r"\n{3,}", "\n\n", bare)
