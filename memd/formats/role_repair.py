"""Mend what is certain in a memory.json: blank keys go, a second record with the same id gets an id of its own.

Nothing else is touched, and nothing is ever taken away that says anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from memd.formats.json_style import Style
from memd.formats.role_memory import Document, Element, patched


class Mended(NamedTuple):
    """The document as it should be, and a sentence for each change."""

    document: Document
    changes: tuple[str, ...]


def mend(document: Document, new_ids: Iterator[str]) -> Mended:
    """Return the document mended; `new_ids` gives ids that nothing has."""
    seen: set[str] = set()
    changes: list[str] = []
    arrays = []
    for array in document.arrays:
        elements = tuple(_mended(element, seen, new_ids, document.style, changes) for element in array.elements)
        arrays.append(array._replace(elements=elements))
    return Mended(replace(document, arrays=tuple(arrays)), tuple(changes))


def _mended(element: Element, seen: set[str], new_ids: Iterator[str], style: Style, changes: list[str]) -> Element:
    try:
        value: Any = element.value()
    except (ValueError, RecursionError):
        return element
    if not isinstance(value, dict):
        return element
    changed = dict(value)
    memory_id = value.get("id")
    if isinstance(memory_id, str) and memory_id:
        if memory_id in seen:
            changed["id"] = next(new_ids)
            changes.append(f"the second record with the id {memory_id[:60]!r} has the id {changed['id']} now")
        seen.add(str(changed["id"]))
    keys = value.get("keywords")
    if isinstance(keys, list) and any(isinstance(key, str) and not key.strip() for key in keys):
        changed["keywords"] = [key for key in keys if not isinstance(key, str) or key.strip()]
        changes.append(f"blank keys of {str(changed.get('id', 'a record'))[:60]} are gone")
    return patched(element, changed, style) if changed != value else element
