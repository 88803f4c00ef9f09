"""Write one JSON record the way its file is written: indentation, separators, escapes, line ends, form of times.

A changed record keeps the bytes of every member that did not change, number spellings included.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

_INDENT = re.compile(r"\s*\{(\r?\n)([ \t]+)\"")
_COLON = re.compile(r"\"\s*:([ \t]?)")
_COMMA = re.compile(r"[\"\d\]}el],([ \t]?)[\"{\[\d]")
_MS_TIME = re.compile(r'"(?:timestamp|updatedAt|createdAt|lastSyncedAt|lastAccessed)"\s*:\s*(\d|")')
_BLANK = re.compile(r"[ \t\r\n]*")
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # the C scanner tells where a value ends


@dataclass(frozen=True, slots=True)
class Style:
    """How a file is written. `unit` is one step of indentation, None for one line."""

    unit: str | None = "  "
    newline: str = "\n"
    colon: str = ": "
    comma: str = ","
    ascii: bool = False
    ms: bool = False


def style_of(text: str) -> Style:
    """Return the style found in a JSON text."""
    indent = _INDENT.match(text.removeprefix("\ufeff"))
    colon, comma, time = _COLON.search(text), _COMMA.search(text), _MS_TIME.search(text)
    return Style(
        unit=indent[2] if indent else None,
        newline=indent[1] if indent else "\n",
        colon=":" + (colon[1] if colon else (" " if indent else "")),
        comma="," if indent else "," + (comma[1] if comma else ""),
        ascii=text.isascii() and re.search(r"\\u[0-9a-fA-F]{4}", text) is not None,
        ms=time is not None and time[1] != '"',
    )


def dump_value(value: Any, style: Style, base: str, *, inline: bool) -> str:
    """Return JSON of a value whose first line stands after `base` blanks."""
    if inline or style.unit is None:
        comma = ", " if style.unit is not None else style.comma
        return json.dumps(
            value,
            ensure_ascii=style.ascii,
            allow_nan=False,
            separators=(comma, style.colon),
        )
    text = json.dumps(
        value,
        ensure_ascii=style.ascii,
        allow_nan=False,
        indent=style.unit,
        separators=(",", style.colon),
    )
    return text.replace("\n", style.newline + base)


@dataclass(slots=True)
class Member:
    """One member of an object: its key, and what stands around and in it."""

    key: str
    lead: str
    head: str  # the key, the colon and the blanks between
    value: str
    tail: str

    def __str__(self) -> str:
        return self.lead + self.head + self.value + self.tail


def patch_object(text: str, after: dict[str, Any], style: Style) -> str:
    """Return the object's text with the members of `after`: unchanged ones to the byte, new ones at the end."""
    members = members_of(text)
    old = {member.key: _scan(member.value, 0)[0] for member in members}
    if not members:
        return dump_value(after, style, "", inline=style.unit is None)
    closing, last_lead = members[-1].tail, members[-1].lead
    base = last_lead.rpartition("\n")[2]
    wide = "\n" in last_lead
    kept = [member for member in members if member.key in after]
    for member in kept:
        if not _same(old[member.key], after[member.key]):
            inline = not wide or ("\n" not in member.value and member.value[:1] in "[{" and len(member.value) > 2)
            member.value = dump_value(after[member.key], style, base, inline=inline)
    for key, value in after.items():
        if key not in old:
            head = json.dumps(key, ensure_ascii=style.ascii) + style.colon
            lead = last_lead if wide or len(members) > 1 else style.comma[1:]
            kept.append(Member(key, lead, head, dump_value(value, style, base, inline=not wide), ""))
    if not kept:
        return "{}"
    for member in kept:
        member.tail = member.tail if member is not members[-1] else ""
    kept[0].lead = members[0].lead
    kept[-1].tail = closing
    return "{" + ",".join(map(str, kept)) + "}"


def members_of(text: str) -> list[Member]:
    """Return the members of an object's text, each with its own bytes."""
    found: list[Member] = []
    at = 1
    while True:
        key_at = _blank(text, at)
        if text[key_at] == "}":
            return found
        key, key_end = _scan(text, key_at)
        value_at = _blank(text, _blank(text, key_end) + 1)
        _, value_end = _scan(text, value_at)
        stop = _blank(text, value_end)
        found.append(
            Member(
                key,
                text[at:key_at],
                text[key_at:value_at],
                text[value_at:value_end],
                text[value_end:stop],
            )
        )
        if text[stop] == "}":
            return found
        at = stop + 1


def _same(one: Any, other: Any) -> bool:
    # True == 1 in Python, not in JSON; 1 == 1.0 in both.
    if type(one) is bool or type(other) is bool:
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other) and isinstance(one, str) == isinstance(other, str)


same = _same


# Where the members of a JSON object and the items of an array stand in a text, and the text with one put in or taken out.
#
# Pure. The text must be JSON that was checked already. Everything that is not put in or taken out keeps its bytes, and what
# was put in at an end and is taken out again leaves no trace.


class Part(NamedTuple):
    """A member or an item: where its key (an item: its value) begins, its value begins, and its value ends."""

    key: str
    start: int
    value: int
    stop: int


def parts_of(text: str, at: int) -> list[Part]:
    """Return the members of the object, or the items of the array, that begins at a place."""
    closing = "}" if text[at] == "{" else "]"
    found: list[Part] = []
    place = _blank(text, at + 1)
    while text[place] != closing:
        start = value = place
        key = ""
        if closing == "}":
            key, end = _scan(text, place)
            value = _blank(text, _blank(text, end) + 1)
        _, stop = _scan(text, value)
        found.append(Part(key, start, value, stop))
        place = _blank(text, stop)
        if text[place] == ",":
            place = _blank(text, place + 1)
    return found


def member(text: str, at: int, key: str) -> Part | None:
    """Return the member of an object that has a key."""
    return next((one for one in parts_of(text, at) if one.key == key), None)


def put_last(text: str, at: int, new: str, style: Style, level: int) -> str:
    """Return the text with a member or an item as the last of the object or array at a place; `level` counts from 1."""
    parts = parts_of(text, at)
    if parts:
        lead = text[_after_comma(text, at, parts, len(parts) - 1) : parts[-1].start]
        if len(parts) == 1 and "\n" not in lead and style.unit is None:
            lead = style.comma[1:]
        return f"{text[: parts[-1].stop]},{lead}{new}{text[parts[-1].stop :]}"
    end = _blank(text, at + 1)
    if style.unit is None and "\n" not in text[at:end]:
        return text[:end] + new + text[end:]
    unit = style.unit or ""
    begin, close = style.newline + unit * level, style.newline + unit * (level - 1)
    return text[:end] + begin + new + close + text[end:]


def take_out(text: str, at: int, number: int) -> str:
    """Return the text without one member or item of the object or array at a place."""
    parts = parts_of(text, at)
    one = parts[number]
    if len(parts) == 1:
        lead = text[at + 1 : one.start]
        line = lead.rfind("\n")
        if line > 0 and lead[line - 1] == "\r":
            line -= 1
        kept = lead[:line] if line >= 0 else lead
        return text[: at + 1] + kept + text[_blank(text, one.stop) :]
    if number == len(parts) - 1:
        return text[: parts[number - 1].stop] + text[one.stop :]
    return text[: _after_comma(text, at, parts, number)] + text[_blank(text, one.stop) + 1 :]


def _after_comma(text: str, at: int, parts: list[Part], number: int) -> int:
    """Return where a part's lead begins: behind the comma before it, or behind the bracket."""
    return _blank(text, parts[number - 1].stop) + 1 if number else at + 1


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
