"""The lines of a session: memd's own, with key and checksum, and those that others wrote into the same file.

A line with a fitting checksum is memd's. A JSON object without one, or whose checksum does not fit because somebody edited
the line, is foreign: it is read, and told as such. Any other line is torn; it is skipped, counted, and costs no other.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from memd.formats.strict_json import StrictError, loads
from memd.model.sessions import Event, EventKind

KEYS = ("w", "n", "i", "at", "kind", "c")
_TAIL = b',"c":"'
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
