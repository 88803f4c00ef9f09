"""Read memory.json: the pieces of the document, and the records that can serve.

Errors
    RejectedFileError where the file as a whole cannot be read. A record that cannot is a fault; it is left out of the
    entries, and its bytes stay.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.errors import BadMemoryError, Fault, RejectedFileError
from memd.formats.entry import derived_id, to_memory
from memd.formats.json_style import style_of
from memd.formats.role_memory import ARRAYS, Array, Document, Element, patched
from memd.formats.strict_json import Oddities, fault_of, json_words, line_and_column
from memd.formats.texts import unicode_of
from memd.text.characters import squeeze

if TYPE_CHECKING:
    from memd.formats.json_style import Style
    from memd.model.memory import Kind, Memory


_BLANK = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_MARKER = re.compile(r"^(?:<{7,}|={7,}|>{7,})(?: |\r?$)", re.MULTILINE)


class Entry(NamedTuple):
    """A record that can serve."""

    memory: Memory
    element: Element


class Parsed(NamedTuple):
    """What a file held: the document, the records that serve, and what is wrong with the others."""

    document: Document
    entries: tuple[Entry, ...]
    faults: tuple[Fault, ...]


def load(data: bytes, name: str, role: str) -> Parsed:
    """Return what the bytes of a memory.json hold. `name` is for messages, `role` for records without an id."""
    return _Loader(unicode_of(name, data), name, role).load()


class _Loader:
    """One pass over the text. The C scanner reads values and tells where each ends."""

    def __init__(self, text: str, name: str, role: str) -> None:
        self.text, self.name, self.role = text, name, role
        self.oddities = Oddities()
        self.scan = self.oddities.decoder().scan_once  # type: ignore[attr-defined]
        self.faults: list[Fault] = []
        self.entries: list[Entry] = []
        self.seen: set[str] = set()
        self.twins: Counter[tuple[Kind, str]] = Counter()
        self.counted = (0, 1)
        self.literals: list[bytes] = []
        self.arrays: list[Array] = []

    def load(self) -> Parsed:
        try:
            self._object()
        except StopIteration as error:
            self._reject(error.value, "a value is missing or is not JSON")
        except json.JSONDecodeError as error:
            self._reject(error.pos, f"this is not JSON: {json_words(error.msg)}")
        except RecursionError:
            self._reject(0, "it is nested too deep")
        except ValueError as error:
            self._reject(0, str(error)[:120])
        document = Document(tuple(self.literals), tuple(self.arrays), style_of(self.text[:65_536]))
        return Parsed(document, tuple(self.entries), tuple(self.faults))

    def _reject(self, position: int, why: str) -> None:
        code = "json.syntax"
        marker = _MARKER.search(self.text)
        if marker:
            position, why, code = marker.start(), "a git conflict marker", "file.conflict_marker"
        elif not self.text.strip():
            position, why, code = 0, "the file is empty", "file.empty"
        line, column = line_and_column(self.text, position)
        raise RejectedFileError(Fault(self.name, line, column, why, code))

    def _skip(self, at: int) -> int:
        blank = _BLANK.match(self.text, at)
        return blank.end() if blank else at

    def _expect(self, at: int, char: str) -> int:
        at = self._skip(at)
        if self.text[at : at + 1] != char:
            self._reject(at, f"{char!r} was expected here")
        return at + 1

    def _object(self) -> None:
        at = self._expect(1 if self.text.startswith("\ufeff") else 0, "{")
        literal_at, keys = 0, set[str]()
        at = self._skip(at)
        more = self.text[at : at + 1] != "}"
        while more:
            key_at = self._skip(at)
            key, at = self.scan(self.text, key_at)
            if not isinstance(key, str) or key in keys:
                self._reject(
                    key_at,
                    "a key was expected here" if not isinstance(key, str) else f"{key!r} is here twice",
                )
            keys.add(key)
            at = self._skip(self._expect(at, ":"))
            if key in ARRAYS:
                start = self._expect(at, "[")
                self.literals.append(self.text[literal_at:start].encode())
                literal_at = at = self._array(ARRAYS[key], start)
                at += 1
            else:
                _, at = self.scan(self.text, at)
                for oddity in self.oddities.take():
                    self._reject(key_at, oddity)
            at = self._skip(at)
            more = self.text[at : at + 1] == ","
            at += more
        at = self._expect(at, "}")
        if self._skip(at) != len(self.text):
            self._reject(self._skip(at), "nothing may follow the object")
        self.literals.append(self.text[literal_at:].encode())

    def _array(self, kind: Kind, at: int) -> int:
        """Read the records up to the closing bracket, and return where that stands."""
        first = self._skip(at)
        if self.text[first : first + 1] == "]":
            self.arrays.append(Array(kind, (), self.text[at:first].encode()))
            return first
        elements: list[Element] = []
        while True:
            start = self._skip(at)
            value, stop = self._value(start)
            end = self._skip(stop)
            raw = self.text[at:end].encode("utf-8", "surrogatepass")
            lead, tail = start - at, end - stop
            elements.append(self._element(kind, value, Element(raw, lead, len(raw) - tail, ""), start))
            if self.text[end : end + 1] == "]":
                self.arrays.append(Array(kind, tuple(elements), b""))
                return end
            at = self._expect(end, ",")

    def _value(self, start: int) -> tuple[Any, int]:
        try:
            value, stop = self.scan(self.text, start)
        except RecursionError:
            self.oddities.take()
            self.oddities.found.append("nested too deep")
            return None, _after_value(self.text, start)
        return value, stop

    def _derived(self, kind: Kind, content: str) -> str:
        """Return an id for a record without one: of records that say the same, the first free one."""
        while True:
            found = derived_id(self.role, kind, content, self.twins[kind, content])
            self.twins[kind, content] += 1
            if found not in self.seen:
                return found

    def _place(self, position: int) -> tuple[int, int]:
        """Return line and column; positions come in order, so each part of the text is counted once."""
        known, line = self.counted
        line += self.text.count("\n", known, position)
        self.counted = (position, line)
        return line, position - self.text.rfind("\n", 0, position)

    def _element(self, kind: Kind, value: Any, element: Element, at: int) -> Element:
        try:
            for oddity in self.oddities.take():
                raise BadMemoryError(oddity)
            if not isinstance(value, dict):
                raise BadMemoryError("a record must be an object")
            fault = fault_of(value, element.raw.decode("utf-8", "surrogatepass"))
            if fault:
                raise BadMemoryError(fault)
            memory = to_memory(value, kind, "")
            if not memory.id:
                memory = replace(memory, id=self._derived(kind, memory.content))
            if memory.id in self.seen:
                self._leave_out(at, f"the id {memory.id[:80]!r} is used twice; the first stands", "memory.duplicate_id")
                return element
        except BadMemoryError as error:
            self._leave_out(at, str(error), "memory.bad")
            return element
        self.seen.add(memory.id)
        element = element._replace(id=memory.id)
        self.entries.append(Entry(memory, element))
        return element

    def _leave_out(self, at: int, why: str, code: str) -> None:
        line, column = self._place(at)
        self.faults.append(Fault(self.name, line, column, f"this record is left out: {why}", code))


def _after_value(text: str, at: int) -> int:
    """Return where a value ends that is nested too deep for the scanner."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth <= 0:
            return token.end()
    raise StopIteration(len(text))


# Mend what is certain in a memory.json: blank keys go, a second record with the same id gets an id of its own, and a
# `supersededBy` that nobody backs goes.
#
# Nothing else is touched, and nothing is ever taken away that says anything.


class Mended(NamedTuple):
    """The document as it should be, and a sentence for each change."""

    document: Document
    changes: tuple[str, ...]


def mend(parsed: Parsed, new_ids: Iterator[str]) -> Mended:
    """Return the document mended; `new_ids` gives ids that nothing has. The record that serves an id keeps it."""
    document = parsed.document
    served = {entry.memory.id: frozenset(entry.memory.supersedes) for entry in parsed.entries}
    changes: list[str] = []
    arrays = []
    for array in document.arrays:
        elements = tuple(_mended(element, served, new_ids, document.style, changes) for element in array.elements)
        arrays.append(array._replace(elements=elements))
    return Mended(replace(document, arrays=tuple(arrays)), tuple(changes))


def _mended(
    element: Element, served: Mapping[str, frozenset[str]], new_ids: Iterator[str], style: Style, changes: list[str]
) -> Element:
    """Return a record mended; one that cannot be written again as it is stays as it is."""
    try:
        value: Any = element.value()
        changed, said = _changes(value, element, served, new_ids)
        result = patched(element, changed, style) if said else element
    except (ValueError, RecursionError):
        return element
    changes.extend(said)
    return result


def _changes(
    value: Any, element: Element, served: Mapping[str, frozenset[str]], new_ids: Iterator[str]
) -> tuple[dict[str, Any], list[str]]:
    if not isinstance(value, dict):
        return {}, []
    changed, said = dict(value), []
    memory_id = value.get("id")
    if not element.id and isinstance(memory_id, str) and memory_id in served:
        changed["id"] = next(new_ids)
        said.append(f"the second record with the id {memory_id[:60]!r} has the id {changed['id']} now")
    keys = value.get("keywords")
    if isinstance(keys, list) and any(isinstance(key, str) and not squeeze(key) for key in keys):
        changed["keywords"] = [key for key in keys if not isinstance(key, str) or squeeze(key)]
        said.append(f"blank keys of {str(changed.get('id', 'a record'))[:60]!r} are gone")
    note = value.get("supersededBy")
    if isinstance(note, str) and note and element.id and element.id not in served.get(note, ()):
        del changed["supersededBy"]
        said.append(f"{element.id[:60]!r} is not superseded by {note[:60]!r}, which does not name it")
    return changed, said
