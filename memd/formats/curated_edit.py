"""Edit MEMORY.md and USER.md entry by entry, in the style the file has: bullets, paragraphs, or hermes' `§` entries.

Pure. An entry is one bullet with its continuation lines, one paragraph, or what stands between two `§`. Headings, comments,
rules and code fences are nobody's entries and stay. What is not touched keeps its bytes.

Errors
    CuratedUnknownError, CuratedAmbiguousError: nothing was changed; a batch is done whole or not at all.
Source
    hermes' memory tool: add, replace and remove by a unique piece of text (facts on the seed systems, C.2).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memd.errors import BadParamsError, CuratedAmbiguousError, CuratedUnknownError

SEPARATOR = "\n§\n"
PREVIEW_CHARS, PREVIEWS = 80, 5

_BULLET = re.compile(r"(?P<mark>[ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]+)\S")
_NO_ENTRY = re.compile(r"[ \t]*(?:#{1,6}[ \t].*|[-=*_]{3,}|<!--.*-->|§)[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")


class Entry(NamedTuple):
    """One entry: where its text stands in the file (its bullet included), and what it says."""

    start: int
    stop: int
    text: str


class Edit(NamedTuple):
    """One change: add, replace or remove; `old_text` is a piece that only one entry has."""

    action: str
    content: str = ""
    old_text: str = ""


def form_of(text: str) -> str:
    """Return how a file is written: sections (`§`), bullets or paragraphs; bullets where it has no entry."""
    if SEPARATOR in text.replace("\r\n", "\n"):
        return "sections"
    found = entries_of(text)
    return "paragraphs" if found and not any(_BULLET.match(text, one.start) for one in found) else "bullets"


def entries_of(text: str) -> list[Entry]:
    """Return the entries in order."""
    if SEPARATOR in text:
        return _sections(text)
    found: list[Entry] = []
    at, fenced, fresh = 0, False, True
    commented = False
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        start, at = at, at + len(line)
        if _FENCE.match(line):
            fenced, fresh = not fenced, True
            continue
        if commented or (bare.startswith("<!--") and "-->" not in bare):
            commented, fresh = "-->" not in bare, True
            continue
        if fenced or not bare or _NO_ENTRY.fullmatch(line.rstrip("\r\n")):
            fresh = True
            continue
        stop = start + len(line.rstrip("\r\n"))
        if fresh or _BULLET.match(line):
            found.append(Entry(start, stop, ""))
            fresh = False
        else:
            found[-1] = Entry(found[-1].start, stop, "")
    return [one._replace(text=_said(text[one.start : one.stop])) for one in found]


def _sections(text: str) -> list[Entry]:
    found: list[Entry] = []
    at = 0
    for part in text.split(SEPARATOR):
        inner = part.strip()
        if inner:
            start = at + part.index(inner)
            found.append(Entry(start, start + len(inner), inner))
        at += len(part) + len(SEPARATOR)
    return found


def _said(raw: str) -> str:
    bullet = _BULLET.match(raw)
    if bullet:
        raw = raw[bullet.end("mark") :]
    return "\n".join(line.strip() for line in raw.splitlines())


def edited(text: str, name: str, edits: Sequence[Edit]) -> str:
    """Return the text with every edit made, in order."""
    for edit in edits:
        text = _ACTIONS[edit.action](text, name, edit) if edit.action in _ACTIONS else _unknown(edit)
    return text


def _unknown(edit: Edit) -> str:
    raise BadParamsError(f"action: {edit.action!r:.40} is not add, replace or remove")


def _add(text: str, name: str, edit: Edit) -> str:
    said = _content(edit, name)
    found = entries_of(text)
    if any(one.text == said for one in found):
        return text
    form, end = form_of(text), "\r\n" if "\r\n" in text else "\n"
    if form == "sections":
        return f"{text.rstrip()}{SEPARATOR}{said}" + ("\n" if text.endswith("\n") else "")
    if form == "paragraphs":
        stop = found[-1].stop
        return f"{text[:stop]}{end}{end}{_lines(said, '', end)}{text[stop:] or end}"
    bullets = [one for one in found if _BULLET.match(text, one.start)]
    if bullets:
        last = bullets[-1]
        mark = _next_mark(_mark(text, last))
        return f"{text[: last.stop]}{end}{mark}{_lines(said, ' ' * len(mark), end)}{text[last.stop :] or end}"
    head = text.rstrip()
    return f"{head}{end + end if head else ''}- {_lines(said, '  ', end)}{end}"


def _replace(text: str, name: str, edit: Edit) -> str:
    said, one = _content(edit, name), _only(text, name, edit.old_text)
    if SEPARATOR in text:
        return text[: one.start] + said + text[one.stop :]
    mark, end = _mark(text, one), "\r\n" if "\r\n" in text else "\n"
    return text[: one.start] + mark + _lines(said, " " * len(mark), end) + text[one.stop :]


def _remove(text: str, name: str, edit: Edit) -> str:
    one = _only(text, name, edit.old_text)
    if SEPARATOR in text:
        kept = [other.text for other in _sections(text) if other.start != one.start]
        return SEPARATOR.join(kept) + ("\n" if text.endswith("\n") and kept else "")
    stop = text.find("\n", one.stop)
    before, after = text[: one.start], text[stop + 1 :] if stop >= 0 else ""
    if before.endswith("\n\n") and (after.startswith("\n") or not after):
        after = after.removeprefix("\n")
    return before + after


_ACTIONS = {"add": _add, "replace": _replace, "remove": _remove}


def _content(edit: Edit, name: str) -> str:
    said = "\n".join(line.rstrip() for line in edit.content.replace("\r\n", "\n").strip().split("\n"))
    bullet = _BULLET.match(said)
    said = said[bullet.end("mark") :] if bullet else said
    if not said:
        raise BadParamsError(f"content: there is nothing to write to {name}")
    if SEPARATOR in f"\n{said}\n" or "\0" in said:
        raise BadParamsError("content: a line of `§` and a NUL cannot be part of an entry")
    return said


def _only(text: str, name: str, piece: str) -> Entry:
    """Return the entry that has a piece; of entries that say the same, the first."""
    wanted = piece.replace("\r\n", "\n").strip()
    if not wanted:
        raise BadParamsError("old_text: name a piece of the entry that is meant")
    fits = [one for one in entries_of(text) if wanted in one.text or wanted in text[one.start : one.stop]]
    if not fits:
        raise CuratedUnknownError(name, wanted)
    if len({one.text for one in fits}) > 1:
        shown = "; ".join(repr(one.text[:PREVIEW_CHARS]) for one in fits[:PREVIEWS])
        raise CuratedAmbiguousError(len(fits), name, wanted, shown)
    return fits[0]


def _mark(text: str, one: Entry) -> str:
    bullet = _BULLET.match(text, one.start)
    return bullet["mark"] if bullet else ""


def _next_mark(mark: str) -> str:
    """Return the bullet of the entry behind one: the same, or the next number."""
    number = re.search(r"\d+", mark)
    return mark if number is None else mark.replace(number[0], str(int(number[0]) + 1), 1)


def _lines(said: str, indent: str, end: str) -> str:
    first, *rest = said.split("\n")
    # A blank line would end the entry: the next line would be another one's.
    return end.join([first, *(f"{indent}{line}" for line in rest if line.strip())])
