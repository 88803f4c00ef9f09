"""Where the members of a JSON object and the items of an array stand in a text, and the text with one put in or taken out.

Pure. The text must be JSON that was checked already. Everything that is not put in or taken out keeps its bytes, and what
was put in at an end and is taken out again leaves no trace.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memd.formats.json_style import Style

_BLANK = re.compile(r"[ \t\r\n]*")
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # the C scanner tells where a value ends


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
