"""Tables for people: whole where they go into a file or a pipe, fitted to the terminal where there is one.

In a terminal a column of text is cut behind a word, or goes on in the next line where all of it matters; what an answer needs of
a memory's id, and the day of a time, stand for the whole. Where the columns together are still too wide, the last of them
stand in further lines of a row, indented and lined up there. Elsewhere nothing is cut, and every column stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from memd.cli.widths import broken, pieces, short, width

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
