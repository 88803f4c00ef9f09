"""The bytes of a file of text to the text, and what is odd about it: what no reader of any kind can read is told by its line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memd.errors import Fault, RejectedFileError
from memd.formats.strict_json import line_and_column

LINE_CHARS = 100_000  # a longer line is told: no person wrote it, and no editor likes it

_MARKER = re.compile(r"^(?:<{7} .*|={7}|>{7} .*)\r?$", re.MULTILINE)


def unicode_of(name: str, data: bytes) -> str:
    """Return the characters of a file, or raise RejectedFileError with the line and the character that is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        begin = data.rfind(b"\n", 0, error.start) + 1
        column = len(data[begin : error.start].decode("utf-8", "replace")) + 1
        why = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise RejectedFileError(Fault(name, line, column, why, "text.not_utf8")) from None


def decoded(name: str, data: bytes) -> str:
    """Return the text of a file, or raise RejectedFileError with the line that is not UTF-8 or is a git conflict."""
    text = unicode_of(name, data)
    conflict = _conflict_in(text)
    if conflict >= 0:
        raise RejectedFileError(Fault(name, *line_and_column(text, conflict), "a git conflict", "file.conflict_marker"))
    nul = text.find("\0")
    if nul >= 0:
        why = "a NUL character: this is not a text"
        raise RejectedFileError(Fault(name, *line_and_column(text, nul), why, "text.nul"))
    return text


def _conflict_in(text: str) -> int:
    """Return where git's three markers begin, in their order, or -1: one alone may be a quotation or a heading's line."""
    if "<<<<<<< " not in text:
        return -1
    wanted, begun = "<=>", -1
    for marker in _MARKER.finditer(text):
        if marker[0][0] == "<":
            wanted, begun = "=>", marker.start()
        elif marker[0][0] == wanted[:1] and begun >= 0:
            wanted = wanted[1:]
            if not wanted:
                return begun
    return -1


def oddities(name: str, text: str) -> Iterator[Fault]:
    """Yield what is odd about a text that serves all the same: a byte order mark, CR LF, lines nobody can read."""
    if text.startswith("\ufeff"):
        yield Fault(name, 1, 1, "the file begins with a byte order mark", "text.bom")
    at = text.find("\r\n")
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        yield Fault(name, line, at - text.rfind("\n", 0, at), "lines end with CR LF", "text.crlf")
    if len(text) > LINE_CHARS:
        for number, one in enumerate(text.split("\n"), 1):
            if len(one) > LINE_CHARS:
                yield Fault(name, number, LINE_CHARS + 1, f"this line has {len(one)} characters", "text.long_line")
