"""Mend what is certain in a memory.json: blank keys go, a second record with the same id gets an id of its own, and a
`supersededBy` that nobody backs goes.

Nothing else is touched, and nothing is ever taken away that says anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.formats.role_memory import Document, Element, patched
from memd.text.fold import squeeze

if TYPE_CHECKING:
    from memd.formats.json_style import Style
    from memd.formats.role_reader import Parsed


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
