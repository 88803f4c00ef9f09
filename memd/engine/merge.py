"""Merge changes of records into a document that others have edited, record by record and key by key.

A person's edit stands where both changed the same thing; what was wanted comes back as a conflict, to be kept beside
the file. A record that only one side touched takes that side's form.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from memd.formats.json_style import same
from memd.formats.role_memory import Document
from memd.model.change import Change, Conflict

Record = dict[str, Any]


class Merged(NamedTuple):
    """The document with the changes in it, and those that would not go in."""

    document: Document
    conflicts: tuple[Conflict, ...]


def merge_changes(document: Document, changes: Iterable[Change]) -> Merged:
    """Return the document with every change merged in order. Merging twice is merging once."""
    wanted = list(changes)
    keys = frozenset((change.kind, change.id) for change in wanted)
    before = {key: element.value() for key, element in document.find(keys).items()}
    now: dict[Any, Record | None] = {key: before.get(key) for key in keys}
    conflicts: list[Conflict] = []
    for change in wanted:
        key = (change.kind, change.id)
        value, why = merge_record(change.before, change.after, now[key])
        if why:
            conflicts.append(Conflict(change, now[key], why))
        now[key] = value
    edits = {key: value for key, value in now.items() if not same(value, before.get(key))}
    return Merged(document.with_records(edits) if edits else document, tuple(conflicts))


def merge_record(before: Record | None, after: Record | None, now: Record | None) -> tuple[Record | None, str]:
    """Return what a record becomes, and why a part of the change found no place ("" where all of it did)."""
    if after is None:
        if now is None or same(now, before):
            return None, ""
        return now, "it was edited meanwhile, so it stays"
    if before is None:
        # Standing already: the change went in before, and whatever differs now was edited later.
        return (after if now is None else now), ""
    if now is None:
        return None, "it was removed meanwhile"
    result, lost = dict(now), []
    for key in {**before, **after}:
        ours, theirs, base = after.get(key), now.get(key), before.get(key)
        if same(ours, base) or same(ours, theirs):
            continue
        if not same(theirs, base):
            lost.append(key)
        elif key in after:
            result[key] = ours
        else:
            result.pop(key, None)
    return result, f"{', '.join(lost)} changed on both sides" if lost else ""


def diff(base: Document, other: Document, role: str) -> list[Change]:
    """Return the changes that lead from one document to another."""
    old = {(kind, element.id): element for kind, element in base.elements() if element.id}
    changes: list[Change] = []
    for kind, element in other.elements():
        if not element.id:
            continue
        was = old.pop((kind, element.id), None)
        if was is None:
            changes.append(Change(role, kind, element.id, None, element.value()))
        elif was is not element and was.body != element.body:
            changes.append(Change(role, kind, element.id, was.value(), element.value()))
    changes.extend(Change(role, kind, one, was.value(), None) for (kind, one), was in old.items())
    return changes


def undone(document: Document, recent: Iterable[Change]) -> list[Change]:
    """Return the recent changes that an outdated save has taken back, in order.

    Taken back means: what was new is missing, what was changed reads as before, what was removed is there again.
    """
    changes = list(recent)
    keys = frozenset((change.kind, change.id) for change in changes)
    now: dict[Any, Record | None] = dict.fromkeys(keys)
    now.update({key: element.value() for key, element in document.find(keys).items()})
    standing = dict(now)
    again: list[Change] = []
    for change in changes:
        key = (change.kind, change.id)
        if same(now[key], change.before) and not same(change.before, change.after):
            again.append(change)
            now[key] = change.after
    return [change for change in again if not same(standing[change.kind, change.id], now[change.kind, change.id])]
