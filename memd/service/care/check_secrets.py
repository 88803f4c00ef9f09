"""check --secrets: keys, tokens and passwords in any text file, told by kind and place, never by what they are. Reads only."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterator

from memd.engine.keep.scan.secrets import find_secrets
from memd.errors import Fault

CODE = "secret.found"
BINARY_BYTES = 8192  # a NUL in so many first bytes: not a text
BLOCK_CHARS = 20_000
_MARKS = (  # the longer mark first: one begins as the other
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|([nrtbf"/\\]))')
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_BEGINS_WITH_COLON = re.compile(r"[ \t\r]*:")


def secrets_in(name: str, data: bytes) -> list[Fault]:
    """Return a finding for each secret in a file's bytes, at its line and column; none where it is no text."""
    text = _text_of(data)
    of_lines = name.endswith((".json", ".jsonl"))
    found: list[Fault] = []
    line = begin = last = 0  # how many lines end before `last`, and where the line that it is in begins
    for start, stop in _records(text) if of_lines else _paragraphs(text):
        block = text[start:stop].replace("\n", " ") if of_lines else text[start:stop]
        plain, places = _unescaped(block) if of_lines and "\\" in block else (block, [])
        for one in find_secrets(plain):
            at = start + (_place(places, one.start) if places else one.start)
            line += text.count("\n", last, at)
            begin = max(begin, text.rfind("\n", last, at) + 1)
            last = at
            why = f"{one.why}: take it out, and change it where it is used"
            found.append(Fault(name, line + 1, at - begin + 1, why, CODE))
    return found


def _text_of(data: bytes) -> str:
    """Return a file's text as its byte order mark says, else as UTF-8; "" where it is no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return "" if b"\0" in data[:BINARY_BYTES] else data.decode("utf-8-sig", "replace")


def _records(text: str) -> Iterator[tuple[int, int]]:
    """Yield each line, one record of a log; a key and its value on lines of their own belong together."""
    start = at = 0
    open_key = False
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        said = text[at:end].rstrip()
        open_key = said.endswith(":") if said else open_key
        at = end + 1
        goes_on = open_key or _BEGINS_WITH_COLON.match(text, at)
        if not goes_on or end - start > BLOCK_CHARS:
            yield start, end
            start, open_key = at, False
    if start < len(text):
        yield start, len(text)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield what belongs together: up to a blank line, or to the end of a line where it is long."""
    start = 0
    while start < len(text):
        end = _PARAGRAPH.search(text, start, start + BLOCK_CHARS)
        line = text.find("\n", start + BLOCK_CHARS) if end is None else 0
        stop = end.end() if end else line + 1 if line >= 0 else len(text)
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
