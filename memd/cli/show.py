"""Print replies: JSON for programs, tables and sentences for people. Control characters never reach a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import click

from memd.formats.records import pretty


def emit(reply: dict[str, Any], as_json: bool, text: str) -> None:
    """Print a reply as JSON, or the text made of it."""
    click.echo(pretty(reply) if as_json else clean(text))


def clean(text: str) -> str:
    """Return the text without control characters other than newline and tab."""
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs"))


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a plain table whose columns line up, wide characters counted as two."""
    lines = [[str(cell).replace("\n", " ") for cell in row] for row in (head, *rows)]
    widths = [max(width(line[column]) for line in lines) for column in range(len(head))]
    shown: list[str] = []
    for line in lines:
        cells = [cell + " " * (size - width(cell)) for cell, size in zip(line, widths, strict=True)]
        shown.append("  ".join(cells).rstrip())
    return "\n".join(shown)


def width(text: str) -> int:
    """Return how many columns a text takes in a terminal."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def short(text: str, columns: int) -> str:
    """Return the text cut to so many columns."""
    text = text.replace("\n", " ")
    if width(text) <= columns:
        return text
    kept, used = [], 1
    for char in text:
        used += width(char)
        if used > columns:
            break
        kept.append(char)
    return "".join(kept) + "…"
