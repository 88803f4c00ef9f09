"""Merge changes of records into a document that others have edited, record by record and key by key.

A person's edit stands where both changed the same thing; what was wanted comes back as a conflict, to be kept beside
the file. A record that only one side touched takes that side's form.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.formats.json_style import same
from memd.model.change import Change, Conflict

if TYPE_CHECKING:
    from memd.formats.role_memory import Document
    from memd.model.memory import Kind

MISSING = object()

Record = dict[str, Any]


class Merged(NamedTuple):
    """The document with the changes in it, and those that would not go in."""

    document: Document
    conflicts: tuple[Conflict, ...]


def merge_changes(document: Document, changes: Iterable[Change]) -> Merged:
    """Return the document with every change merged. Merging twice is merging once."""
    chains: dict[tuple[Kind, str], list[list[Change]]] = {}
    for change in changes:
        of_key = chains.setdefault((change.kind, change.id), [])
        if change.firm:
            of_key[:] = [[change]]  # nothing that came before matters any more
        elif of_key and equal(of_key[-1][-1].after, change.before):
            of_key[-1].append(change)
        else:
            of_key.append([change])
    before = {key: element.value() for key, element in document.find(frozenset(chains)).items()}
    edits: dict[tuple[Kind, str], Record | None] = {}
    conflicts: list[Conflict] = []
    for key, of_key in chains.items():
        now = before.get(key)
        for chain in of_key[_reached(of_key, now) :]:
            now, conflict = _merge_chain(chain, now)
            if conflict:
                conflicts.append(conflict)
        if not equal(now, before.get(key)):
            edits[key] = now
    return Merged(document.with_records(edits) if edits else document, tuple(conflicts))


def _reached(chains: list[list[Change]], now: Record | None) -> int:
    """Return the last chain that the file has reached already: what came before it was done, and overtaken."""
    return max((at for at, chain in enumerate(chains) if any(equal(now, one.after) for one in chain)), default=0)


def _merge_chain(chain: list[Change], now: Record | None) -> tuple[Record | None, Conflict | None]:
    """Merge changes that follow one another as the one change they come to; any state among them is one of ours."""
    net = Change(chain[0].role, chain[0].kind, chain[0].id, chain[0].before, chain[-1].after)
    if chain[0].firm or any(equal(now, change.after) for change in chain):
        return net.after, None  # what follows an erasure was made of nothing, whatever stood there
    value, why = merge_record(net.before, net.after, now)
    return value, Conflict(net, now, why) if why else None


def merge_record(before: Record | None, after: Record | None, now: Record | None) -> tuple[Record | None, str]:
    """Return what a record becomes, and why a part of the change found no place ("" where all of it did)."""
    if after is None:
        if now is None or equal(now, before):
            return None, ""
        return now, "it was edited meanwhile, so it stays"
    if before is None:
        # Standing already: the change went in before, and whatever differs now was edited later.
        return (after if now is None else now), ""
    if now is None:
        return None, "it was removed meanwhile"
    result, lost = dict(now), []
    for key in {**before, **after}:
        ours, theirs, base = after.get(key, MISSING), now.get(key, MISSING), before.get(key, MISSING)
        if equal(ours, base) or equal(ours, theirs):
            continue
        if not equal(theirs, base):
            lost.append(key)
        elif ours is MISSING:
            result.pop(key, None)
        else:
            result[key] = ours
    return result, f"{', '.join(lost)} changed on both sides" if lost else ""


def equal(one: Any, other: Any) -> bool:
    """Tell whether two records say the same; the order of their members does not count."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    return same(one, other)


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
        back = now[key] is not None if change.firm else equal(now[key], change.before)
        if back and (change.firm or not equal(change.before, change.after)):
            again.append(change)
            now[key] = change.after
    return [change for change in again if not equal(standing[change.kind, change.id], now[change.kind, change.id])]
