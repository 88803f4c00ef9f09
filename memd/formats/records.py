"""Lines of memd's own logs and of sessions: one JSON object each, with a checksum of the rest as its last member.

A line is good when its checksum fits. A torn or altered line is told apart from a good one without trusting any
length or header, so one bad line never costs another. In a session's file others may write too: there a JSON object without a
checksum, or whose checksum does not fit because somebody edited the line, is foreign: it is read, and told as such.

Source
    CRC-32 (ISO 3309) as in zlib, 8 hex digits; the key of a record is (w, n): writer and number.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from memd.formats.strict_json import DEPTH, StrictError, dumps, loads
from memd.model.sessions import Event, EventKind

_TAIL = b',"c":"'
KEYS = ("w", "n", "i", "at", "kind", "c")
_decode = msgspec.json.Decoder().decode


class Read(NamedTuple):
    """One line: where it starts and ends, what it says or None, and whether memd wrote it."""

    start: int
    stop: int
    value: dict[str, Any] | None
    foreign: bool = False


def read_events(data: bytes | bytearray, at: int = 0) -> Iterator[Read]:
    """Yield every line from an offset on, blank ones too; a last one without its end counts where it is whole."""
    while at < len(data):
        found = data.find(b"\n", at)
        end = found if found >= 0 else len(data)
        value, foreign = read_event(bytes(data[at:end]))
        yield Read(at, end + (found >= 0), value, foreign)
        at = end + 1


def read_event(line: bytes) -> tuple[dict[str, Any] | None, bool]:
    """Return what a line without its end says, None where it says nothing, and whether it is foreign."""
    body, _, tail = line.rstrip(b"\r").rpartition(_TAIL)
    if body and tail == b'%08x"}' % zlib.crc32(body):
        try:
            value = _decode(line)  # memd wrote it, strictly: what it holds need not be proved again
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None, False
        return (value, False) if isinstance(value, dict) else (None, False)
    try:
        value = loads(line.removeprefix(b"\xef\xbb\xbf"))
    except StrictError:
        return None, False
    return (value, True) if isinstance(value, dict) else (None, False)


def to_event(seq: int, value: dict[str, Any], *, foreign: bool) -> Event:
    """Return an event of a line's object; a foreign one is a message where it has a speaker and a text."""
    said = {key: one for key, one in value.items() if key not in KEYS}
    kind, at = value.get("kind"), value.get("at", value.get("timestamp"))
    if foreign:
        speaker = value.get("speaker") or value.get("role") or ""
        if "speaker" not in said and isinstance(speaker, str):
            said["speaker"] = speaker
        if not isinstance(kind, str):
            kind = EventKind.MESSAGE if isinstance(value.get("content"), str) and speaker else EventKind.NOTE
    return Event(seq, event_id(value, seq), str(kind), str(at or ""), said, foreign)


def event_id(value: dict[str, Any], seq: int) -> str:
    """Return what an event is known by: writer, number, and place among those written together; a foreign one's place."""
    if "w" in value and "n" in value:
        part = f"-{value['i']}" if "i" in value else ""
        return f"{value['w']}-{value['n']}{part}"
    return f"line-{seq}"


LOG_DEPTH = 8  # a record of the log holds records of files


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
