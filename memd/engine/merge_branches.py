"""Merge two branches of one of memd's files, as git hands them to a merge driver: a memory.json record by record and field by field.

What one side changed is as that side has it. A record that one side removed and the other changed stays, as changed. Of
lists that both grew, the additions of both stand. A field that both changed differently is a clash, for a person to
settle. The order is ours, or theirs where only theirs was put in another; what is new stands behind what it stood behind.

Errors
    UnmergeableError where the files differ in more than their records.
Source
    docs/git.md#how-branches-merge; three-way merge as in git, with the record and the field in place of the line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memd.engine.merge import MISSING, Record, equal
from memd.engine.merge_text import merge_branch_text, merge_lines
from memd.errors import RejectedFileError
from memd.formats.git_files import Contested, Sides, contested_element
from memd.formats.json_style import patch_object
from memd.formats.role_memory import ARRAYS, KEYS, Array, Document, Element, arranged, new_document, patched, restyled
from memd.formats.role_reader import load
from memd.formats.strict_json import is_texts
from memd.formats.times import to_seconds
from memd.model.files import role_of
from memd.model.memory import Kind

Key = tuple[str, bytes, int]  # a record's id; or the bytes of one that has none, and which of its twins it is

CLOCKS = frozenset({"updatedAt", "lastSyncedAt", "lastAccessed"})  # set by programs: the later one stands
NAMES = frozenset({"supersedes", "covers"})  # whose place a memory takes: what both sides named stands, or went
SETTLED = frozenset({"supersededBy", "score"})  # decided by memd: as the side decided that was changed later


class UnmergeableError(Exception):
    """These two cannot be merged by records; lines may do."""


class Clash(NamedTuple):
    """One field as the base and both sides have it; MISSING where it is not there."""

    field: str
    base: Any
    ours: Any
    theirs: Any


class Branches(NamedTuple):
    """The merged document, with the elements that have clashes, and what a person may want to know."""

    document: Document
    clashes: dict[tuple[Kind, str], tuple[Clash, ...]]
    notes: tuple[str, ...]


def merge_branches(base: Document, ours: Document, theirs: Document) -> Branches:
    """Return ours with what theirs did since the base. A field with a clash is as ours has it."""
    merging = _Merging(base, ours, theirs)
    document = _framed(base, ours, theirs)
    for kind in Kind:
        elements = merging.of_kind(kind)
        if elements is not None:
            document = arranged(document, kind, elements)
    return Branches(document, merging.clashes, tuple(merging.notes))


class _Merging:
    def __init__(self, base: Document, ours: Document, theirs: Document) -> None:
        self.base, self.ours, self.theirs = base, ours, theirs
        self.same_style = ours.style == theirs.style
        self.clashes: dict[tuple[Kind, str], tuple[Clash, ...]] = {}
        self.notes: list[str] = []

    def of_kind(self, kind: Kind) -> list[Element] | None:
        """Return the merged records of a kind, None where they are as ours has them."""
        base, ours, theirs = (_keyed(document, kind) for document in (self.base, self.ours, self.theirs))
        if _bodies(theirs) == _bodies(base):
            return None
        found: dict[Key, Element] = {}
        for key in {**ours, **theirs}:
            element = self._settled(kind, key, base.get(key), ours.get(key), theirs.get(key))
            if element is not None:
                found[key] = element
        order = _order(*([key for key in side if key in found] for side in (base, ours, theirs)))
        merged = [found[key] for key in order]
        return None if merged == list(ours.values()) else merged

    def _settled(
        self, kind: Kind, key: Key, base: Element | None, ours: Element | None, theirs: Element | None
    ) -> Element | None:
        if theirs is None or ours is None:
            standing = ours or theirs
            if standing is None or base is None or not _same(standing, base):
                if standing is not None and base is not None:
                    self.notes.append(f"{kind.value} {key[0]}: changed on one side and removed on the other; it stays")
                return standing if ours else self._taken(standing)
            return None
        if _same(ours, theirs) or (base is not None and _same(theirs, base)):
            return ours
        if base is not None and _same(ours, base):
            return self._taken(theirs)
        mine, other = ours.value(), theirs.value()
        value, clashes = merge_fields(base.value() if base else {}, mine, other)
        if clashes:
            self.clashes[kind, key[0]] = clashes
        return ours if equal(value, mine) and not clashes else patched(ours, value, self.ours.style)

    def _taken(self, element: Element | None) -> Element | None:
        """Return a record of theirs in the form our file has."""
        if element is None or self.same_style:
            return element
        return restyled(element, self.ours.style)


def merge_fields(base: Record, ours: Record, theirs: Record) -> tuple[Record, tuple[Clash, ...]]:
    """Return a record with the changes of both sides, and the fields that both changed differently."""
    result: Record = {}
    clashes: list[Clash] = []
    for key in {**ours, **theirs}:
        was, mine, other = base.get(key, MISSING), ours.get(key, MISSING), theirs.get(key, MISSING)
        if equal(mine, was):
            value = other
        elif equal(other, was) or equal(other, mine):
            value = mine
        else:
            value = _settle(key, (was, mine, other), ours, theirs)
            if value is MISSING:
                clashes.append(Clash(key, was, mine, other))
                value = other if mine is MISSING else mine
        if value is not MISSING and not (key in NAMES and value == []):
            result[key] = value
    return result, tuple(clashes)


def _settle(key: str, values: tuple[Any, Any, Any], ours: Record, theirs: Record) -> Any:
    """Return what a field becomes that both sides changed, MISSING where a person must say."""
    was, mine, other = _named(values) if key in NAMES else values
    if MISSING in (mine, other) or any(value is None for value in (mine, other)):
        return MISSING
    if key in CLOCKS:
        times = to_seconds(mine), to_seconds(other)
        return MISSING if None in times else (mine if times[0] >= times[1] else other)  # type: ignore[operator]
    if key in SETTLED:
        first, second = (_changed(ours), str(mine)), (_changed(theirs), str(other))
        return mine if first >= second else other
    if is_texts(mine) and is_texts(other) and (was is MISSING or is_texts(was)):
        before = [] if was is MISSING else was
        kept = [one for one in mine if one in other or one not in before]
        return kept + [one for one in other if one not in mine and one not in before]
    if isinstance(mine, dict) and isinstance(other, dict) and (was is MISSING or isinstance(was, dict)):
        before_that: Record = was if isinstance(was, dict) else {}
        value, clashes = merge_fields(before_that, mine, other)
        return MISSING if clashes else value
    return MISSING


def _named(values: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """Return what each side names as a list: one id is a list of one, nothing is an empty one."""
    was, mine, other = ([] if one in (MISSING, None) else [one] if isinstance(one, str) else one for one in values)
    return was, mine, other


def _changed(record: Mapping[str, Any]) -> float:
    times = (to_seconds(record.get(key)) for key in ("updatedAt", "timestamp"))
    return next((time for time in times if time is not None), 0.0)


def _keyed(document: Document, kind: Kind) -> dict[Key, Element]:
    found: dict[Key, Element] = {}
    for array in document.arrays:
        if array.kind is not kind:
            continue
        for element in array.elements:
            twin = 0
            while (key := (element.id, b"" if element.id else element.body, twin)) in found:
                twin += 1
            found[key] = element
    return found


def _bodies(elements: Mapping[Key, Element]) -> list[bytes]:
    return [element.body for element in elements.values()]


def _same(one: Element, other: Element) -> bool:
    if one.body == other.body:
        return True
    return bool(one.id and other.id) and equal(one.value(), other.value())


def _order(base: list[Key], ours: list[Key], theirs: list[Key]) -> list[Key]:
    """Return all keys of both sides in one order. All three have only what the merge keeps."""
    mine, other = set(ours), set(theirs)
    common = [[key for key in side if key in mine and key in other] for side in (base, ours, theirs)]
    lead, rest = (theirs, ours) if common[0] == common[1] != common[2] else (ours, theirs)
    of_lead = set(lead)
    behind: dict[Key | None, list[Key]] = {}
    before: Key | None = None
    for key in rest:
        if key in of_lead:
            before = key
        else:
            behind.setdefault(before, []).append(key)
    return _woven(lead, set(rest), behind)


def _woven(lead: Sequence[Key], rest: set[Key], behind: dict[Key | None, list[Key]]) -> list[Key]:
    """Return the keys of one side with those of the other behind what they stood behind; at one place, by id."""
    order: list[Key] = []
    waiting = behind.get(None, [])
    for key in lead:
        if key in rest:
            order += waiting
            waiting = behind.get(key, [])
            order.append(key)
            continue
        early = next((at for at, one in enumerate(waiting) if one > key), len(waiting))
        order += [*waiting[:early], key]
        waiting = waiting[early:]
    return order + waiting


def _framed(base: Document, ours: Document, theirs: Document) -> Document:
    """Return ours with what theirs changed beside the records."""
    was, mine, other = (_beside(document) for document in (base, ours, theirs))
    if equal(other, mine) or equal(other, was):
        return ours
    value, clashes = merge_fields(was, mine, other)
    if clashes:
        raise UnmergeableError(f"both sides changed {', '.join(clash.field for clash in clashes)}")
    # The arrays of ours stay, whatever theirs did to their keys: what is in them is merged by record.
    value |= {KEYS[array.kind]: [] for array in ours.arrays}
    whole = _shell(ours)
    inner = whole.strip()
    shell = load(whole.replace(inner, patch_object(inner, value, ours.style)).encode(), "memory.json", "").document
    of_kind = {array.kind: array for array in ours.arrays}
    arrays = tuple(of_kind.get(array.kind, array) for array in shell.arrays)
    return Document(shell.literals, arrays, ours.style)


def _beside(document: Document) -> Record:
    """Return what a file has beside its arrays."""
    found: Record = json.loads(_shell(document))
    return {key: value for key, value in found.items() if key not in ARRAYS}


def _shell(document: Document) -> str:
    """Return the file without its records."""
    empty = tuple(Array(array.kind, (), b"") for array in document.arrays)
    return Document(document.literals, empty, document.style).dump().decode().removeprefix("\ufeff")


MEMORY, CURATED, LINES = "memory", "curated", "lines"


class MergedFile(NamedTuple):
    """The bytes of the merged file, whether a person must settle something in them, and what else they may want to know."""

    data: bytes
    clean: bool
    notes: tuple[str, ...] = ()


def merge_file(form: str, states: tuple[bytes, bytes, bytes], name: str, sides: Sides) -> MergedFile | None:
    """Return the merge of base, ours and theirs; None where lines must do. `form`: MEMORY, CURATED, or LINES of a log."""
    base, ours, theirs = states
    if form == LINES:
        return MergedFile(merge_lines(base, ours, theirs), clean=True)
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
