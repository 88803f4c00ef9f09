"""What git writes: conflict markers in a file of text, and the few settings of a `.git/config` that memd asks for.

Of a record only the fields in question stand between markers, each with its line; of a record on one line, the record.

Units
    `size` is the number of characters of a marker; git's is 7.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from memd.formats.json_style import Style, dump_value, members_of
from memd.formats.role_memory import Element


class Sides(NamedTuple):
    """How the two sides are called, how long a marker is, and whether the base is shown between them (diff3)."""

    ours: str = "ours"
    theirs: str = "theirs"
    size: int = 7
    with_base: bool = False


class Contested(NamedTuple):
    """A field as the base and both sides have it; None where it is not there, else a list of the one value."""

    field: str
    base: list[Any] | None
    ours: list[Any] | None
    theirs: list[Any] | None


def between(sides: Sides, base: str, ours: str, theirs: str, newline: str = "\n") -> str:
    """Return the lines of both sides with markers around them; each part is whole lines, or nothing."""
    parts = [f"{'<' * sides.size} {sides.ours}{newline}{ours}"]
    parts += [f"{'|' * sides.size} base{newline}{base}"] if sides.with_base else []
    parts += [f"{'=' * sides.size}{newline}{theirs}", f"{'>' * sides.size} {sides.theirs}{newline}"]
    return "".join(parts)


def contested_element(element: Element, fields: Sequence[Contested], style: Style, sides: Sides) -> Element:
    """Return a record, merged but for some fields, with both forms of each of these between markers."""
    body = element.body.decode("utf-8", "surrogatepass")
    wide = "\n" in body.partition('"')[0]
    text = _by_fields(body, fields, style, sides) if wide else _by_record(body, fields, style, sides)
    lead, tail = element.raw[: element.start], element.raw[element.stop :]
    raw = text.encode("utf-8", "surrogatepass")
    return Element(lead + raw + tail, len(lead), len(lead) + len(raw), element.id)


def _by_fields(body: str, fields: Sequence[Contested], style: Style, sides: Sides) -> str:
    contested = {one.field: one for one in fields}
    members = members_of(body)
    lead, closing = members[0].lead, members[-1].tail
    rest = [one for one in members if one.key not in contested]
    last = contested.get(members[-1].key)
    ordered = members
    if last and rest and None in (last.base if sides.with_base else [], last.ours, last.theirs):
        # The last line has no comma: a field that is not there on one side cannot be the last one.
        ordered = [one for one in members if one is not rest[-1]] + [rest[-1]]
    base = lead.rpartition("\n")[2]
    pieces: list[str] = []
    for number, member in enumerate(ordered):
        comma = "," if number < len(ordered) - 1 else ""
        if member.key not in contested:
            pieces.append(f"{base}{member.head}{member.value}{comma}{style.newline}")
            continue
        one = contested[member.key]
        forms = [
            "" if value is None else f"{base}{_line(one.field, value[0], style, base)}{comma}{style.newline}"
            for value in (one.base, one.ours, one.theirs)
        ]
        pieces.append(between(sides, forms[0], forms[1], forms[2], style.newline))
    return "{" + style.newline + "".join(pieces) + closing.rpartition("\n")[2] + "}"


def _line(field: str, value: Any, style: Style, base: str) -> str:
    head = json.dumps(field, ensure_ascii=style.ascii) + style.colon
    return head + dump_value(value, style, base, inline=False)


def _by_record(body: str, fields: Sequence[Contested], style: Style, sides: Sides) -> str:
    record = json.loads(body)
    forms = []
    for which in ("base", "ours", "theirs"):
        form = dict(record)
        for one in fields:
            value = getattr(one, which)
            form.pop(one.field, None)
            if value is not None:
                form[one.field] = value[0]
        forms.append(dump_value(form, style, "", inline=True) + style.newline)
    return style.newline + between(sides, forms[0], forms[1], forms[2], style.newline)  # a marker begins its line


# Read values out of a git configuration file, and which merges its attributes name; includes are not followed.
#
# Source
#     git-config(1), "Syntax"; gitattributes(5), "Description".

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_VALUE = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


def read_git_config(text: str) -> dict[str, str]:
    """Return the last value of each key, as `section.subsection.key`; lines that are none are passed over."""
    found: dict[str, str] = {}
    section = ""
    for line in re.sub(r"\\\r?\n", "", text).splitlines():
        rest = line.strip()
        while head := _SECTION.match(rest):
            inner = re.sub(r"\\(.)", r"\1", head[2]) if head[2] is not None else None
            section = head[1].lower() if inner is None else f"{head[1].lower()}.{inner}"
            rest = rest[head.end() :].strip()
        value = _VALUE.match(rest) if rest[:1] not in ("", "#", ";") else None
        if section and value:
            found[f"{section}.{value[1].lower()}"] = "true" if value[2] is None else _plain(value[2])
    return found


def merge_names(text: str) -> set[str]:
    """Return the merge drivers that a file of attributes names; a line that begins with # is a comment."""
    lines = [line.split() for line in text.splitlines() if line.strip()[:1] not in ("", "#")]
    return {one.removeprefix("merge=") for words in lines for one in words[1:] if one.startswith("merge=")}


def _plain(value: str) -> str:
    """Return a value without its quotes, escapes and comment; blanks outside quotes go from the end."""
    said: list[str] = []
    quoted, kept, at = False, 0, 0
    while at < len(value):
        char = value[at]
        if char == "\\" and at + 1 < len(value):
            at += 1
            said.append(_ESCAPES.get(value[at], value[at]))
            kept = len(said)
        elif char == '"':
            quoted = not quoted
            kept = len(said)
        elif char in "#;" and not quoted:
            break
        else:
            said.append(char)
            if quoted or not char.isspace():
                kept = len(said)
        at += 1
    return "".join(said[:kept])
