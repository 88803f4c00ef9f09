"""check --secrets: keys, tokens and passwords in any text file, told by kind and place, never by what they are. Reads only."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from memd.engine.keep.scan.secrets import find_secrets
from memd.errors import Fault

CODE = "secret.found"
BINARY_BYTES = 8192  # a NUL in so many first bytes: not a text
BLOCK_CHARS = 20_000
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|([nrtbf"/\\]))')
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


def secrets_in(name: str, data: bytes) -> list[Fault]:
    """Return a finding for each secret in a file's bytes, at its line and column; none where it is no text."""
    if b"\0" in data[:BINARY_BYTES]:
        return []
    text = data.decode("utf-8-sig", "replace")
    of_lines = name.endswith((".json", ".jsonl"))
    found: list[Fault] = []
    for start, stop in _lines(text) if of_lines else _paragraphs(text):
        block = text[start:stop]
        plain, places = _unescaped(block) if of_lines and "\\" in block else (block, [])
        for one in find_secrets(plain):
            at = start + (_place(places, one.start) if places else one.start)
            line = text.count("\n", 0, at) + 1
            column = at - (text.rfind("\n", 0, at) + 1) + 1
            found.append(Fault(name, line, column, f"{one.why}: take it out, and change it where it is used", CODE))
    return found


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield each line: one record of a log, one value of a file that people read."""
    start = 0
    while start < len(text):
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield what belongs together: up to a blank line, or to the end of a line where it is long."""
    start = 0
    while start < len(text):
        end = _PARAGRAPH.search(text, start)
        stop = end.end() if end else len(text)
        if stop - start > BLOCK_CHARS:
            line = text.find("\n", start + BLOCK_CHARS, stop)
            stop = line + 1 if line >= 0 else stop
        yield start, stop
        start = stop


def _unescaped(block: str) -> tuple[str, list[tuple[int, int]]]:
    """Return JSON text as a person reads it, and where its pieces stood: places in it beside places in the block.

    Without this a key behind `\\n` would seem to begin with an n, and 密码 in its escaped form would say nothing.
    """
    pieces: list[str] = []
    places: list[tuple[int, int]] = [(0, 0)]
    length = last = 0
    for match in _ESCAPE.finditer(block):
        char = chr(int(match[1], 16)) if match[1] else match[2] if match[2] in '"/\\' else " "
        piece = block[last : match.start()] + (" " if char in "\n\r" else char)
        pieces.append(piece)
        length, last = length + len(piece), match.end()
        places.append((length, last))
    pieces.append(block[last:])
    return "".join(pieces), places


def _place(places: list[tuple[int, int]], at: int) -> int:
    here, there = places[bisect_right(places, (at, len(places) * 1_000_000)) - 1]
    return there + at - here
