"""How findings of `memd check` are printed: a line each, with the source line below, as JSON, as GitHub's annotations.

Source
    GitHub's workflow commands: `::error file=F,line=L,col=C,title=T::message`, with what each part escapes.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from memd.cli.show import clean
from memd.cli.tables import columns_of
from memd.errors import StorageError
from memd.formats.records import pretty
from memd.storage.machine import read_unlinked

Finding = dict[str, Any]
COLUMNS = 100  # characters of a source line that are shown, around the place that is meant, where there is no terminal
BEFORE = 0.4  # of them, before that place
MARGIN, LEAST_COLUMNS = 9, 10
KEPT_FILES = 8
MOST_BYTES = 1 << 26
HIDDEN = frozenset({"secret.found", "memory.withheld"})  # what stands there must not stand in a log as well
LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def concise(findings: list[Finding], _: int | None = None) -> Iterator[str]:
    """Yield PATH:LINE:COLUMN: CODE message."""
    for one in findings:
        text = f"{one['file']}:{one['line']}:{one['column']}: {one['code']} {one['message']}"
        yield clean(text).replace("\n", " ")


def with_source(findings: list[Finding], columns: int | None = None) -> Iterator[str]:
    """Yield the same, and below it the source line with a mark under the place; `columns`: of the terminal."""
    lines: dict[str, list[str]] = {}
    for one, said in zip(findings, concise(findings), strict=True):
        yield said
        if one["code"] in HIDDEN:
            continue
        if one["path"] not in lines:
            if len(lines) >= KEPT_FILES:
                lines.clear()
            lines[one["path"]] = _lines_of(one["path"])
        yield from _excerpt(lines[one["path"]], one["line"], one["column"], columns)


def for_github(findings: list[Finding], _: int | None = None) -> Iterator[str]:
    """Yield annotations, each with its file as the repository that is checked out has it."""
    above = os.path.realpath(os.environ.get("GITHUB_WORKSPACE") or ".")
    for one in findings:
        path = os.path.relpath(one["path"], above)
        name = one["file"] if path.startswith("..") else path
        place = f"file={_property(name)},line={one['line']},col={one['column']},title={_property(one['code'])}"
        yield clean(f"::{LEVELS[one['severity']]} {place}::{_message(one['message'])}")


FORMATS: dict[str, Callable[[list[Finding], int | None], Iterator[str]]] = {
    "concise": concise,
    "text": with_source,
    "github": for_github,
}


def as_json(reply: dict[str, Any]) -> str:
    """Return the whole reply for programs."""
    shown = [{key: value for key, value in one.items() if key != "path"} for one in reply["findings"]]
    return pretty({**reply, "findings": shown})


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def _lines_of(path: str) -> list[str]:
    """Return the lines of a file as `check` counts them, [] where it cannot be read."""
    try:
        return read_unlinked(path, MOST_BYTES).decode("utf-8-sig", "replace").split("\n")
    except (OSError, StorageError):
        return []


def _excerpt(lines: list[str], line: int, column: int, columns: int | None) -> Iterator[str]:
    """Yield a source line, cut around its column, and a mark below that column; wide characters take two."""
    if not 1 <= line <= len(lines) or not lines[line - 1].strip():
        return
    source = lines[line - 1].rstrip("\r")
    at = min(max(column - 1, 0), len(source))
    chars = COLUMNS
    if columns is not None:
        wide = 1 if source.isascii() else 2
        chars = max((columns - MARGIN - 2) // wide, LEAST_COLUMNS)
    first = max(0, at - int(chars * BEFORE)) if len(source) > chars else 0
    lead = "…" if first else ""
    shown = lead + "".join(map(_visible, source[first : first + chars]))
    shown += "…" if len(source) > first + chars else ""
    margin = f"{line:>6} | "
    yield f"{margin}{shown}".rstrip()
    blank = sum(map(columns_of, shown[: at - first + len(lead)]))
    yield f"{' ' * (len(margin) - 2)}| {' ' * blank}^"


def _visible(char: str) -> str:
    """Return a character as it may stand in a terminal, one for one, so that columns stay columns."""
    if char == "\t":
        return " "
    return "·" if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char
