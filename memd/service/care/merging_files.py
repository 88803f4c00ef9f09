"""Merge three states of one of memd's files, as git hands them to a merge driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.merge import MISSING
from memd.engine.merge_branches import Branches, UnmergeableError, merge_branches
from memd.engine.merge_text import merge_branch_text
from memd.errors import RejectedFileError
from memd.formats.conflict_markers import Contested, Sides, contested_element
from memd.formats.role_memory import Document, arranged, new_document
from memd.formats.role_reader import load
from memd.model.files import role_of

if TYPE_CHECKING:
    from memd.model.memory import Kind

MEMORY, CURATED = "memory", "curated"


class MergedFile(NamedTuple):
    """The bytes of the merged file, whether a person must settle something in them, and what else they may want to know."""

    data: bytes
    clean: bool
    notes: tuple[str, ...] = ()


def merge_file(form: str, states: tuple[bytes, bytes, bytes], name: str, sides: Sides) -> MergedFile | None:
    """Return the merge of base, ours and theirs; None where lines must do. `form`: MEMORY or CURATED."""
    base, ours, theirs = states
    if form == CURATED:
        try:
            text = merge_branch_text(base.decode(), ours.decode(), theirs.decode(), sides)
        except UnicodeDecodeError:
            return None
        return MergedFile(text.text.encode(), text.whole)
    try:
        documents = [_document(data, name) for data in (base, ours, theirs)]
        merged = merge_branches(documents[0], documents[1], documents[2])
    except (RejectedFileError, UnmergeableError):
        return None
    data = _marked(merged, sides).dump()
    return MergedFile(data, not merged.clashes, merged.notes)


def _document(data: bytes, name: str) -> Document:
    if not data.strip():
        return new_document("")  # a file that one side does not have
    return load(data, name, role_of(name)).document


def _marked(merged: Branches, sides: Sides) -> Document:
    """Return the document with the fields that both sides changed between markers."""
    document = merged.document
    for kind in {of for of, _ in merged.clashes}:
        (array,) = (array for array in document.arrays if array.kind is kind)
        elements = [
            contested_element(one, _contested(merged, kind, one.id), document.style, sides)
            if (kind, one.id) in merged.clashes
            else one
            for one in array.elements
        ]
        document = arranged(document, kind, elements)
    return document


def _contested(merged: Branches, kind: Kind, memory_id: str) -> list[Contested]:
    return [
        Contested(one.field, _form(one.base), _form(one.ours), _form(one.theirs))
        for one in merged.clashes[kind, memory_id]
    ]


def _form(value: Any) -> list[Any] | None:
    return None if value is MISSING else [value]
