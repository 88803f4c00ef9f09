"""What is wrong with records that can be read: keys that no text can have, memories that nothing can bring to mind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from memd.errors import Fault
from memd.service.care.check_links import Links
from memd.text.analysis import tokens
from memd.text.characters import squeeze

if TYPE_CHECKING:
    from memd.formats.role_memory import Element
    from memd.formats.role_reader import Entry, Parsed
    from memd.model.memory import Memory

LINE_BYTES = 4096  # of a line that are kept for its column; a file on one line has columns of no use to anybody


def record_faults(parsed: Parsed, name: str, most_chars: int, withheld: Callable[[Memory], str]) -> Iterator[Fault]:
    """Yield what is wrong with each record of a file that was read, at its line.

    `withheld` says why a memory may not stand in a prompt, "" where it may.
    """
    places = _Places(parsed)
    links = Links(entry.memory for entry in parsed.entries)
    for entry in parsed.entries:
        value = entry.element.value()
        for key, code, why in (*_of_record(entry, value, most_chars), *links.faults(entry.memory, value)):
            line, column = places.of(entry.element, key)
            yield Fault(name, line, column, why, code)
        why = withheld(entry.memory)
        if why:
            line, column = places.of(entry.element, "")
            yield Fault(name, line, column, f"{entry.memory.id[:60]}: {why}", "memory.withheld")


def _of_record(entry: Entry, value: dict[str, Any], most_chars: int) -> Iterator[tuple[str, str, str]]:
    memory = entry.memory
    said = memory.id[:60]
    for key in value.get("keywords") or ():
        if isinstance(key, str) and not squeeze(key):
            yield "keywords", "memory.dead_key", f"{key!r} of {said} is a key that no text can have"
    if _is_silent(memory):
        yield "", "memory.silent", f"nothing can bring {said} to mind: it has no key and no telling word"
    if len(memory.content) > most_chars:
        why = f"{said} has {len(memory.content)} characters, the limit is {most_chars}"
        yield "", "limit.memory_chars", why


def _is_silent(memory: Memory) -> bool:
    if memory.constant or memory.disabled or memory.keys:
        return False
    return not any(tokens(text) for text in (memory.text, *memory.topics, *memory.tags))


class _Places:
    """Where records stand in their file, counted once from its beginning."""

    def __init__(self, parsed: Parsed) -> None:
        self.starts: dict[int, tuple[int, int]] = {}
        line, tail = 1, b""  # `tail` is the line as far as it has come
        for literal, array in zip_longest(parsed.document.literals, parsed.document.arrays):
            pieces: list[tuple[bytes, Element | None]] = [(literal, None)]
            if array is not None:
                pieces += [(array.inner, None)] if not array.elements else []
                for number, element in enumerate(array.elements):
                    pieces += [(b",", None)] if number else []
                    pieces += [(element.raw[: element.start], element), (element.raw[element.start :], None)]
            for piece, element in pieces:
                line += piece.count(b"\n")
                tail = piece.rpartition(b"\n")[2] if b"\n" in piece else (tail + piece)[-LINE_BYTES:]
                if element is not None:
                    self.starts[id(element)] = (line, _column(tail))

    def of(self, element: Element, key: str) -> tuple[int, int]:
        """Return line and column (from 1) of a record, or of a member of it."""
        line, column = self.starts[id(element)]
        member = re.search(rb'"' + key.encode() + rb'"[ \t\r\n]*:', element.body) if key else None
        if not member:
            return line, column
        before = element.body[: member.start()]
        inside = before.rpartition(b"\n")
        if not inside[1]:
            return line, column + len(before.decode("utf-8", "replace"))
        return line + before.count(b"\n"), _column(inside[2])


def _column(tail: bytes) -> int:
    return len(tail.decode("utf-8", "replace").removeprefix("\ufeff")) + 1
