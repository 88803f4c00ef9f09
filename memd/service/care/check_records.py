"""What is wrong with records that can be read: keys that no text can have, memories that nothing can bring to mind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memd.errors import Fault
from memd.formats.role_memory import Element
from memd.formats.role_reader import Entry, Parsed
from memd.model.memory import Memory
from memd.text.analysis import tokens
from memd.text.fold import squeeze


def record_faults(parsed: Parsed, name: str, most_chars: int) -> Iterator[Fault]:
    """Yield what is wrong with each record of a file that was read, at its line."""
    places = _Places(parsed)
    known = {entry.memory.id for entry in parsed.entries}
    for entry in parsed.entries:
        value = entry.element.value()
        for key, code, why in _of_record(entry, value, known, most_chars):
            line, column = places.of(entry.element, key)
            yield Fault(name, line, column, why, code)


def _of_record(entry: Entry, value: dict[str, Any], known: set[str], most_chars: int) -> Iterator[tuple[str, str, str]]:
    memory = entry.memory
    said = memory.id[:60]
    for key in value.get("keywords") or ():
        if isinstance(key, str) and not squeeze(key):
            yield "keywords", "memory.dead_key", f"{key!r} of {said} is a key that no text can have"
    if _is_silent(memory):
        yield "", "memory.silent", f"nothing can bring {said} to mind: it has no key and no telling word"
    for key in ("supersedes", "supersededBy"):
        other = value.get(key)
        if isinstance(other, str) and other and other not in known:
            yield key, "memory.lost_link", f"{said} names {other[:60]!r}, which is not in this file"
    if len(memory.content) > most_chars:
        why = f"{said} has {len(memory.content)} characters, the limit is {most_chars}"
        yield "", "limit.memory_chars", why


def _is_silent(memory: Memory) -> bool:
    if memory.constant or memory.disabled or memory.keys:
        return False
    return not any(tokens(text) for text in (memory.text, *memory.topics, *memory.tags))


class _Places:
    """Where records stand in their file; asked in the order of the file, so that each part is counted once."""

    def __init__(self, parsed: Parsed) -> None:
        self.starts: dict[int, int] = {}
        self.data = parsed.document.dump()
        self.counted = (0, 1)
        at = 0
        for literal, array in zip(parsed.document.literals, parsed.document.arrays, strict=False):
            at += len(literal)
            for element in array.elements:
                self.starts[id(element)] = at + element.start
                at += len(element.raw) + 1
            at += len(array.inner) if not array.elements else -1

    def of(self, element: Element, key: str) -> tuple[int, int]:
        """Return line and column (from 1) of a record, or of a key in it."""
        at = self.starts[id(element)]
        inner = element.body.find(f'"{key}"'.encode()) if key else -1
        at += max(inner, 0)
        known, line = self.counted if self.counted[0] <= at else (0, 1)
        line += self.data.count(b"\n", known, at)
        self.counted = (at, line)
        begin = self.data.rfind(b"\n", 0, at) + 1
        return line, len(self.data[begin:at].decode("utf-8", "replace")) + 1
