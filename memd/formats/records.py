"""Lines of memd's own logs: one JSON object each, with a checksum of the rest as its last member.

A line is good when its checksum fits. A torn or altered line is told apart from a good one without trusting any
length or header, so one bad line never costs another.

Source
    CRC-32 (ISO 3309) as in zlib, 8 hex digits; the key of a record is (w, n): writer and number.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from memd.formats.strict_json import DEPTH, StrictError, dumps, loads

LOG_DEPTH = 8  # a record of the log holds records of files
_TAIL = b',"c":"'


class Line(NamedTuple):
    """One line of a log: where it starts, and its object, or None where it is damaged."""

    start: int
    stop: int
    value: dict[str, Any] | None


def dump_record(value: dict[str, Any]) -> bytes:
    """Return one line with its checksum and newline. The object must not be empty, nor have a member `c`."""
    body = dumps(value).encode("utf-8")[:-1]
    return body + _TAIL + f"{zlib.crc32(body):08x}".encode() + b'"}\n'


def load_record(line: bytes) -> dict[str, Any] | None:
    """Return the object of one line, or None if it is not whole."""
    body, _, tail = line.rstrip(b"\r\n").rpartition(_TAIL)
    if not body or tail != f'{zlib.crc32(body):08x}"}}'.encode():
        return None
    try:
        value = loads(body + b"}", depth=DEPTH + LOG_DEPTH)
    except StrictError:
        return None
    return value if isinstance(value, dict) else None


def read_lines(data: bytes) -> Iterator[Line]:
    """Yield every line of a log; the last one without a newline is damaged by definition."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        if end < 0:
            yield Line(at, len(data), None)
            return
        line = data[at : end + 1]
        if line.strip():
            yield Line(at, end + 1, load_record(line))
        at = end + 1


def pretty(value: Any) -> str:
    """Return JSON for a person: two spaces, text unescaped."""
    return json.dumps(value, ensure_ascii=False, indent=2)
