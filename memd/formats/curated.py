"""MEMORY.md and USER.md: their statements, and their entries to be added, replaced and removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memd.errors import BadParamsError, CuratedAmbiguousError, CuratedUnknownError
from memd.text import expressions as re

_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_RULE = re.compile(r"^\s*(?:#{1,6}\s.*|[-=*_]{3,}|<!--.*-->|```.*|§)\s*$")


def statements(text: str) -> list[str]:
    """Return the statements in order: one for each bullet, and one for each paragraph."""
    found: list[list[str]] = []
    fresh = True
    for line in text.splitlines():
        if not line.strip() or _RULE.match(line):
            fresh = True
        elif _ITEM.match(line):
            found.append([_ITEM.sub("", line).strip()])
            fresh = False
        elif fresh:
            found.append([line.strip()])
            fresh = False
        else:
            found[-1].append(line.strip())
    return [" ".join(parts) for parts in found]


# Edit MEMORY.md and USER.md entry by entry, in the style the file has: bullets, paragraphs, or hermes' `§` entries.
#
# Pure. An entry is one bullet with its continuation lines, one paragraph, or what stands between two `§`. Headings, comments,
# rules and code fences are nobody's entries and stay. What is not touched keeps its bytes.
#
# Errors
#     CuratedUnknownError, CuratedAmbiguousError: nothing was changed; a batch is done whole or not at all.
# Source
#     hermes' memory tool: add, replace and remove by a unique piece of text (docs/design/origins.md#hermes).

SEPARATOR = "\n§\n"
PREVIEW_CHARS, PREVIEWS = 80, 5
NOTE = "[withheld until a person has looked at it]"

_SEPARATOR = re.compile(r"\r?\n§[ \t]*(?:\r?\n|\Z)")
_BULLET = re.compile(r"(?P<mark>(?P<indent>[ \t]*)(?:[-*+]|\d{1,4}[.)])[ \t]+)\S")
_NO_ENTRY = re.compile(r"[ \t]*(?:#{1,6}[ \t].*|[-=*_]{3,}|<!--.*-->|§)[ \t]*")
_BEGINS_ODD = re.compile(r"[ \t]*(?:#{1,6}[ \t]|[-=*_]{3,}[ \t]*$|<!--|§[ \t]*$|```|~~~)")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_INDENT = re.compile(r"[ \t]+\S")


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
    if _SEPARATOR.search(text):
        return "sections"
    found = entries_of(text)
    return "paragraphs" if found and not any(_BULLET.match(text, one.start) for one in found) else "bullets"


def entries_of(text: str, form: str = "") -> list[Entry]:
    """Return the entries in order. `form`: as the file was written, where it does not show any more."""
    if form == "sections" or (not form and _SEPARATOR.search(text)):
        return _sections(text)
    return [one._replace(text=_said(text[one.start : one.stop])) for one in _Lines(text).entries]


def other_lines(text: str) -> list[str]:
    """Return the lines that are no part of an entry and are no comment: headings, code, what a comment left open hides."""
    if _SEPARATOR.search(text):
        return []
    return [line.strip() for line in _Lines(text).others if line.strip()]


class _Lines:
    """A file taken line by line. What is indented below a bullet belongs to it, whatever it looks like."""

    def __init__(self, text: str) -> None:
        self.entries: list[Entry] = []
        self.others: list[str] = []
        self.open = False  # an entry may go on
        self.bullet: str | None = None  # how far the bullet of the open entry is indented
        self.fenced = self.commented = False
        at = 1 if text.startswith("\ufeff") else 0
        for line in text[at:].splitlines(keepends=True):
            self._take(line, at)
            at += len(line)

    def _take(self, line: str, start: int) -> None:
        bare = line.strip()
        if self.commented or self.fenced:
            self.others.append(line)
            self.commented = self.commented and "-->" not in bare
            self.fenced = self.fenced and not _FENCE.match(line)
            return
        bullet = _BULLET.match(line)
        below = self.open and self.bullet is not None and bool(_INDENT.match(line))
        if below and (bullet is None or len(bullet["indent"]) > len(self.bullet or "")):
            self._go_on(line, start)
        elif bullet and not _NO_ENTRY.fullmatch(line.rstrip("\r\n")):
            self._begin(line, start, bullet["indent"])
        elif not bare:
            self.open = False
        elif _BEGINS_ODD.match(line.rstrip("\r\n")):
            self.open = False
            self.fenced = bool(_FENCE.match(line))
            self.commented = bare.startswith("<!--") and "-->" not in bare
            if without_comments(line).strip():
                self.others.append(line)
        elif self.open:
            self._go_on(line, start)
        else:
            self._begin(line, start, None)

    def _begin(self, line: str, start: int, bullet: str | None) -> None:
        self.entries.append(Entry(start, start + len(line.rstrip("\r\n")), ""))
        self.open, self.bullet = True, bullet

    def _go_on(self, line: str, start: int) -> None:
        self.entries[-1] = Entry(self.entries[-1].start, start + len(line.rstrip("\r\n")), "")


def without_comments(text: str) -> str:
    """Return a text without its comments; one that is left open is no comment."""
    kept, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin)) >= 0:
        kept.append(text[at:begin])
        at = end + 3
    return "".join([*kept, text[at:]])


def _sections(text: str) -> list[Entry]:
    found: list[Entry] = []
    at = 1 if text.startswith("\ufeff") else 0
    for mark in (*_SEPARATOR.finditer(text), None):
        stop = mark.start() if mark else len(text)
        inner = text[at:stop].strip()
        if inner:
            start = text.index(inner, at)
            found.append(Entry(start, start + len(inner), inner))
        at = mark.end() if mark else stop
    return found


def _said(raw: str) -> str:
    bullet = _BULLET.match(raw)
    if bullet:
        raw = raw[bullet.end("mark") :]
    return "\n".join(line.strip() for line in raw.splitlines())


def edited(text: str, name: str, edits: Sequence[Edit]) -> str:
    """Return the text with every edit made, in order, in the form it has at first."""
    form = form_of(text)
    for edit in edits:
        if edit.action not in _ACTIONS:
            raise BadParamsError(f"action: {edit.action!r:.40} is not add, replace or remove")
        text = _ACTIONS[edit.action](text, name, edit, form)
    return text


def _add(text: str, name: str, edit: Edit, form: str) -> str:
    said = _content(edit, name)
    found = entries_of(text, form)
    if any(one.text in (said, _said(said), _plain(said, "\n")) for one in found):
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    if form == "sections":
        head = text.rstrip()
        return f"{head}{f'{end}§{end}' if head else ''}{said}" + ("\n" if text.endswith("\n") else "")
    if form == "paragraphs" and found:
        stop = found[-1].stop
        return f"{text[:stop]}{end}{end}{_plain(said, end)}{text[stop:] or end}"
    bullets = [one for one in found if _BULLET.match(text, one.start)]
    if bullets:
        last = bullets[-1]
        mark = _next_mark(_mark(text, last))
        return f"{text[: last.stop]}{end}{mark}{_lines(said, ' ' * len(mark), end)}{text[last.stop :] or end}"
    head = text.rstrip()
    return f"{head}{end + end if head else ''}- {_lines(said, '  ', end)}{end}"


def _replace(text: str, name: str, edit: Edit, form: str) -> str:
    said, one = _content(edit, name), _only(text, name, edit.old_text, form)
    if form == "sections":
        return text[: one.start] + said + text[one.stop :]
    mark, end = _mark(text, one), "\r\n" if "\r\n" in text else "\n"
    fresh = mark + _lines(said, " " * len(mark), end) if mark else _plain(said, end)
    return text[: one.start] + fresh + text[one.stop :]


def _remove(text: str, name: str, edit: Edit, form: str) -> str:
    one = _only(text, name, edit.old_text, form)
    if form == "sections":
        kept = [text[other.start : other.stop] for other in _sections(text) if other.start != one.start]
        first = "\ufeff" if text.startswith("\ufeff") else ""
        separator = _SEPARATOR.search(text)
        return (
            first
            + (separator[0] if separator else SEPARATOR).join(kept)
            + ("\n" if text.endswith("\n") and kept else "")
        )
    stop = text.find("\n", one.stop)
    before, after = text[: one.start], text[stop + 1 :] if stop >= 0 else ""
    if before.endswith(("\n\n", "\n\r\n")) and (after.startswith(("\n", "\r\n")) or not after):
        after = after.removeprefix("\r").removeprefix("\n")
    return before + after


_ACTIONS = {"add": _add, "replace": _replace, "remove": _remove}


def _content(edit: Edit, name: str) -> str:
    said = "\n".join(line.rstrip() for line in edit.content.replace("\r\n", "\n").strip().split("\n"))
    bullet = _BULLET.match(said)
    said = said[bullet.end("mark") :] if bullet else said
    if not said:
        raise BadParamsError(f"content: there is nothing to write to {name}")
    if _SEPARATOR.search(f"\n{said}\n") or "\0" in said:
        raise BadParamsError("content: a line of `§` and a NUL cannot be part of an entry")
    return said


def _only(text: str, name: str, piece: str, form: str) -> Entry:
    """Return the entry that has a piece; of entries that say the same, the first."""
    wanted = piece.replace("\r\n", "\n").strip()
    if not wanted:
        raise BadParamsError("old_text: name a piece of the entry that is meant")
    fits = [
        one
        for one in entries_of(text, form)
        if wanted in one.text.replace("\r\n", "\n") or wanted in text[one.start : one.stop].replace("\r\n", "\n")
    ]
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


def _plain(said: str, end: str) -> str:
    """Return a paragraph in which no line begins like a heading, a rule, a comment or code: such a line is escaped."""
    lines = [line for line in said.split("\n") if line.strip()]
    return end.join(f"\\{line.lstrip()}" if _BEGINS_ODD.match(line) or _BULLET.match(line) else line for line in lines)


def without_entries(text: str, withheld: Sequence[str]) -> str:
    """Return a text with what waits for a person replaced by a note of it: entries, then lines, then pieces of lines."""
    if not withheld:
        return text
    barred, found, parts, at = set(withheld), set(), [], 0
    for one in entries_of(text):
        if one.text in barred:
            found.add(one.text)
            parts += [text[at : one.start], NOTE]
            at = one.stop
    lines = "".join([*parts, text[at:]]).split("\n")
    found.update(line.strip() for line in lines)
    text = "\n".join(NOTE if line.strip() in barred else line for line in lines)
    for piece in sorted(barred - found, key=len, reverse=True):
        text = text.replace(piece, NOTE)
    return text
