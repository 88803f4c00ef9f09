"""Tables for people: whole where they go into a file or a pipe, fitted to the terminal where there is one.

In a terminal a column of text is cut behind a word, or goes on in the next line where all of it matters; what an answer needs of
a memory's id, and the day of a time, stand for the whole. Where the columns together are still too wide, the last of them
stand in further lines of a row, indented and lined up there. Elsewhere nothing is cut, and every column stands.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

# How wide a text is in a terminal, and where it may be broken: between words, in Chinese and Japanese between characters.
#
# Units
#     columns of a terminal: two for a wide character (East Asian Width W or F), none for what stands on the one before it.
# Source
#     Unicode: East Asian Width (UAX 11), line breaking (UAX 14), of which the classes OP and CL as far as people use them.

ELLIPSIS = "…"
OPENING = frozenset("([{（［｛【〔《〈「『“‘")
CLOSING = frozenset(")]}）］｝】〕》〉」』”’,.;:!?，。、；：？！．…%％")
LOOSE = ",;:，；：、—–-("  # what no cut text ends in
HANGUL = (("\u1100", "\u11ff"), ("\u3130", "\u318f"), ("\ua960", "\ua97f"), ("\uac00", "\ud7ff"))
JOINED = ("\u1160", "\u11ff")  # vowels and finals that stand on the consonant before them


class Unit(NamedTuple):
    """A piece of a text that is not broken, from a place in it to another."""

    start: int
    end: int


def width(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) if text.isascii() else sum(map(columns_of, text))


def columns_of(char: str) -> int:
    """Return how many columns a character takes: 0, 1 or 2."""
    if char < "\u0300":
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf") or JOINED[0] <= char <= JOINED[1]:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def units_of(text: str) -> Iterator[Unit]:
    """Yield what a text may be broken into; white space lies between them."""
    start = -1  # of the unit under way
    for at, char in enumerate(text):
        if char.isspace():
            if start >= 0:
                yield Unit(start, at)
            start = -1
        elif start < 0:
            start = at
        elif _may_break(text[at - 1], char):
            yield Unit(start, at)
            start = at
    if start >= 0:
        yield Unit(start, len(text))


def _may_break(before: str, char: str) -> bool:
    """Tell whether a line may end between two characters that no space parts."""
    if not columns_of(char) or char in CLOSING or before in OPENING:
        return False
    return _stands_alone(char) or _stands_alone(before)


def _stands_alone(char: str) -> bool:
    """Tell whether a character is a word's worth by itself: all wide ones but Hangul, which has spaces."""
    return columns_of(char) == 2 and not any(first <= char <= last for first, last in HANGUL)


def short(text: str, columns: int) -> str:
    """Return a text on one line, cut to so many columns behind a word; within it only where no word fits.

    It is indented as it was, and has single spaces otherwise.
    """
    text = text[: len(text) - len(text.lstrip(" "))] + " ".join(text.split())
    if width(text) <= columns:
        return text
    kept = 0
    for one in units_of(text):
        if width(text[: one.end]) > columns - 1:
            break
        kept = one.end
    found = text[:kept].rstrip(LOOSE) if kept else ""
    return (found or _within(text, columns - 1).rstrip()) + ELLIPSIS


def _within(text: str, columns: int) -> str:
    """Return as many characters as fit, each with what stands on it."""
    used = 0
    for at, char in enumerate(text):
        used += columns_of(char)
        if used > columns:
            return text[:at]
    return text


def pieces(text: str, columns: int) -> list[str]:
    """Return a text in pieces of so many columns at most, wherever that breaks it; a path behind a slash."""
    found = []
    while width(text) > columns:
        first = _within(text, columns) or text[:1]
        first = first[: first.rfind("/") + 1] or first  # a path is broken where one of its names ends
        found.append(first)
        text = text[len(first) :]
    return [*found, text]


def broken(text: str, columns: int, hang: int = 0) -> list[Unit]:
    """Return the lines one line of text is broken into, as places; all but the first have `hang` columns less.

    What is longer than a line and has no place to break, an address or a path, stays whole: it can still be copied.
    """
    lines: list[Unit] = []
    start = end = 0
    room = columns
    for one in units_of(text):
        if end > start and width(text[start : one.end]) > room and text[start:end].strip():
            lines.append(Unit(start, end))
            start, room = one.start, columns - hang
        end = one.end
    return [*lines, Unit(start, end)]


GAP, INDENT = 2, 4
LEAST = 30  # columns of a text that is cut; one that would get fewer has a line of its own
ID_CHARS = 8
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,}")


class Column(NamedTuple):
    """The head of a column. `cut`: in a terminal its texts may be cut; `goes_on`: they go on in the next line."""

    name: str
    cut: bool = False
    goes_on: bool = False


class Brief(NamedTuple):
    """A cell of which a terminal shows less than a program wants."""

    whole: str
    shown: str


def cut_text(name: str) -> Column:
    """Return the head of texts of which the beginning is enough."""
    return Column(name, cut=True)


def whole_text(name: str) -> Column:
    """Return the head of texts that a person wants whole."""
    return Column(name, goes_on=True)


def handle(memory_id: str) -> Brief:
    """Return an id; in a terminal what is enough of a random one."""
    return Brief(memory_id, memory_id[:ID_CHARS] if _UUID.fullmatch(memory_id) else memory_id)


def day(at: Any) -> Brief:
    """Return a time; in a terminal its day where the reader is."""
    whole = str(at or "")
    try:
        return Brief(whole, datetime.fromisoformat(whole).astimezone().strftime("%Y-%m-%d"))
    except (ValueError, OverflowError, OSError):
        return Brief(whole, whole[:10])


@dataclass(frozen=True)
class Table:
    """Rows of cells under heads; without heads, a list."""

    heads: tuple[Column, ...]
    rows: list[tuple[Any, ...]]
    headed: bool = True
    indent: int = 0

    def lines(self, columns: int | None) -> tuple[list[str], list[str]]:
        """Return the lines of its head and of its rows, for a terminal of so many columns; None: for no terminal."""
        rows = [[_cell(cell, columns) for cell in row] for row in self.rows]
        kept = [
            at for at in range(len(self.heads)) if (columns is None and self.headed) or any(row[at] for row in rows)
        ]
        natural = {at: max((width(row[at]) for row in (self._head(), *rows)), default=0) for at in kept}
        room = None if columns is None else max(columns - self.indent, LEAST)
        groups = [_Group([(at, natural[at]) for at in kept], 0)] if room is None else self._grouped(natural, room)
        head = [line for one in groups for line in one.lines(self._head(), self.heads)] if self.headed else []
        body = [line for row in rows for one in groups for line in one.lines(row, self.heads)]
        margin = " " * self.indent
        return [margin + line for line in head], [margin + line for line in body]

    def mapped(self, change: Callable[[str], str]) -> Table:
        """Return the table with every cell changed."""
        rows = [tuple(_mapped(cell, change) for cell in row) for row in self.rows]
        return replace(self, rows=rows)

    def _head(self) -> list[str]:
        return [one.name if self.headed else "" for one in self.heads]

    def _grouped(self, natural: dict[int, int], room: int) -> list[_Group]:
        """Return which columns stand in which line of a row, and how wide each is."""
        groups: list[list[int]] = [[]]
        for at in natural:
            margin = INDENT if len(groups) > 1 else 0
            if (
                groups[-1]
                and sum(self._least(one, natural[one]) + GAP for one in [*groups[-1], at]) - GAP > room - margin
            ):
                groups.append([])
            groups[-1].append(at)
        made = []
        for number, group in enumerate(groups):
            margin = INDENT if number else 0
            made.append(_Group(self._widths(group, natural, room - margin), margin))
        return made

    def _least(self, at: int, natural: int) -> int:
        head = self.heads[at]
        return min(natural, max(LEAST, width(head.name))) if head.cut or head.goes_on else natural

    def _widths(self, group: list[int], natural: dict[int, int], room: int) -> list[tuple[int, int]]:
        """Return the columns of one line with their widths: what is scarce is shared by those that can do with less."""
        left = room - GAP * (len(group) - 1)
        given = {at: natural[at] for at in group if not (self.heads[at].cut or self.heads[at].goes_on)}
        left -= sum(given.values())
        open_ = sorted((at for at in group if at not in given), key=lambda at: natural[at])
        for number, at in enumerate(open_):
            given[at] = min(natural[at], max(left // (len(open_) - number), 1))
            left -= given[at]
        return [(at, min(given[at], room)) for at in group]


class _Group(NamedTuple):
    """The columns that stand in one line, each with its width, and how far that line is indented."""

    columns: list[tuple[int, int]]
    margin: int

    def lines(self, row: Sequence[str], heads: Sequence[Column]) -> list[str]:
        """Return the lines of a row; none where nothing stands in it."""
        if self.margin and not any(row[at] for at, _ in self.columns):
            return []
        cells = [_fitted(row[at], size, goes_on=heads[at].goes_on) for at, size in self.columns]
        shown = []
        for number in range(max((len(one) for one in cells), default=0)):
            parts = [one[number] if number < len(one) else "" for one in cells]
            padded = (part + " " * (size - width(part)) for part, (_, size) in zip(parts, self.columns, strict=True))
            shown.append((" " * self.margin + (" " * GAP).join(padded)).rstrip())
        return shown


def _fitted(cell: str, columns: int, *, goes_on: bool) -> list[str]:
    """Return a cell in the lines it takes."""
    if width(cell) <= columns:
        return [cell]
    if not goes_on:
        return [short(cell, columns)]
    return [piece for one in broken(cell, columns) for piece in pieces(cell[one.start : one.end], columns)]


def _mapped(cell: Any, change: Callable[[str], str]) -> Any:
    return Brief(change(cell.whole), change(cell.shown)) if isinstance(cell, Brief) else change(str(cell))


def _cell(cell: Any, columns: int | None) -> str:
    chosen = (cell.whole if columns is None else cell.shown) if isinstance(cell, Brief) else str(cell)
    return " ".join(chosen.split()) if columns else " ".join(chosen.splitlines()).replace("\t", " ")


def table(heads: Sequence[str | Column], rows: Iterable[Sequence[Any]]) -> Table:
    """Return a table. What is only named is never cut; `cut_text` and `whole_text` say what may be."""
    return Table(tuple(_column(one) for one in heads), [tuple(row) for row in rows])


def listing(rows: Iterable[Sequence[Any]], *columns: Column, indent: int = 0) -> Table:
    """Return rows without a head."""
    return Table(columns, [tuple(row) for row in rows], headed=False, indent=indent)


def first_of(heads: Sequence[str | Column], rows: Sequence[Sequence[Any]], most: int | None) -> list[Table | str]:
    """Return the first rows as a table, and how many more there are; all of them where `most` is None."""
    left = 0 if most is None else len(rows) - most
    more = [f"  and {left} more: --verbose shows them, --json too"] if left > 0 else []
    return [table(heads, rows if most is None else rows[:most]), *more]


def _column(head: str | Column) -> Column:
    return head if isinstance(head, Column) else Column(head)
