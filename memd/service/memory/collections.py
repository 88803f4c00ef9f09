"""traits.update and goals.update: put by name or by what is said; all are replaced only when that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from memd.errors import BadMemoryError, BadParamsError, MemoryUnknownError
from memd.formats.entry import to_memory
from memd.formats.entry_writer import Provenance, changed_record, new_record
from memd.model.change import Change
from memd.model.memory import Kind, Memory
from memd.service.memory.archiving import removals
from memd.service.memory.records import find, view
from memd.service.role import Role
from memd.service.workspace import Workspace
from memd.text.fold import fingerprint


async def update_all(
    workspace: Workspace,
    role_name: str,
    kind: Kind,
    items: Sequence[Mapping[str, Any]],
    *,
    replace_all: bool,
    source: str,
) -> dict[str, Any]:
    """Put each item over the one it names, or as a new one; `source`: who says so. `replace_all`: the others are archived."""
    role = await workspace.role(role_name)
    async with role.turn:
        await workspace.refresh(role)
        now_s = workspace.ports.now()
        changes: list[Change] = []
        if not items and not replace_all:
            raise BadParamsError("nothing to update was given")
        for item in items:
            named = [change.id for change in changes]
            changes.append(_put(workspace, role, kind, item, named, source=source, now_s=now_s))
        for change in changes:
            to_memory(change.after or {}, kind, change.id)
        gone = _others(role, kind, {change.id for change in changes}) if replace_all else []
        removed = partial(removals, workspace, role, gone, "replaced", now_s=now_s)
        done = workspace.commit(lambda n: [*changes, *removed(n)], at_s=now_s)
        reply = {
            "role": role.name,
            "added": [change.id for change in changes if change.before is None],
            "updated": [change.id for change in changes if change.before is not None],
            "archived": [memory.id for memory in gone],
            "memories": [view(one) for one in role.compiled.memories.values() if one.kind is kind],
        }
    await done
    return reply


def _put(
    workspace: Workspace,
    role: Role,
    kind: Kind,
    item: Mapping[str, Any],
    named: Sequence[str],
    *,
    source: str,
    now_s: float,
) -> Change:
    """Return the change that an item makes; `named` are the ids that others have made their own."""
    ms = role.document.style.ms
    fields = {key: value for key, value in item.items() if key != "id" and value is not None}
    if not str(fields.get("content", "")).strip():
        raise BadMemoryError("a value is empty")
    older = _match(role, kind, item, named)
    if older is None:
        memory_id = workspace.ports.new_id()
        record = new_record(kind, memory_id, fields, Provenance(source), score=None, now_s=now_s, ms=ms)
        return Change(role.name, kind, memory_id, None, record)
    if older.id in named:
        raise BadParamsError(f"{older.id} is named twice")
    before = role.raw(kind, older.id)
    if before is None:
        raise MemoryUnknownError(role.name, older.id)
    base = dict(before) if before.get("id") else {"id": older.id, **before}
    after = {**changed_record(base, kind, fields, now_s=now_s, ms=ms), "source": source}
    return Change(role.name, kind, older.id, before, after)


def _match(role: Role, kind: Kind, item: Mapping[str, Any], used: Sequence[str]) -> Memory | None:
    """Return the memory an item is a new state of: by id, by name, or by saying the same."""
    if item.get("id"):
        named = find(role, str(item["id"]))
        if named.kind is not kind:
            raise BadParamsError(f"{named.id} is of kind {named.kind.value}, not {kind.value}")
        return named
    mine = [one for one in role.compiled.memories.values() if one.kind is kind and one.id not in used]
    name = fingerprint(str(item.get("name") or ""))
    if name:
        return next((one for one in mine if fingerprint(one.name) == name), None)
    said = fingerprint(str(item.get("content", "")))
    return next((one for one in mine if fingerprint(one.content) == said), None)


def _others(role: Role, kind: Kind, kept: set[str]) -> list[Memory]:
    return [one for one in role.compiled.memories.values() if one.kind is kind and one.id not in kept]
