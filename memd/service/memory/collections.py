"""traits.update and goals.update: put by name or by what is said; all are replaced only when that is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memd.errors import BadMemoryError, BadParamsError, MemoryUnknownError
from memd.formats.entry import to_memory
from memd.formats.entry_writer import Provenance, changed_record, new_record
from memd.model.change import Change, Operation
from memd.model.memory import Kind, Memory
from memd.model.scores import Verdict
from memd.service.memory.archiving import removals
from memd.service.memory.offers import Offer, RememberRequest, dimensions, score_line, weigh
from memd.service.memory.records import find, view
from memd.service.memory.screening import make_ready
from memd.service.role import Role
from memd.service.workspace import Workspace
from memd.text.fold import fingerprint


@dataclass(slots=True)
class _Puts:
    """What is to be put: a change for each item, and how each was judged."""

    changes: list[Change] = field(default_factory=list)
    judged: list[tuple[str, Offer, Verdict]] = field(default_factory=list)


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
    await make_ready(workspace)
    async with role.turn:
        await workspace.refresh(role)
        now_s = workspace.ports.now()
        if not items and not replace_all:
            raise BadParamsError("nothing to update was given")
        puts = _Puts()
        for item in items:
            _put(workspace, role, kind, item, puts, source=source, now_s=now_s)
            await asyncio.sleep(0)  # each is judged; others have their turn between two
        changes = puts.changes
        gone = _others(role, kind, {change.id for change in changes}) if replace_all else []

        def build(n: int) -> list[Operation]:
            removed = removals(workspace, role, gone, "replaced", n, now_s)
            lines = [score_line(workspace, role, n, offer, told, one, now_s) for one, offer, told in puts.judged]
            return [*changes, *removed, *lines]

        done = workspace.commit(build, at_s=now_s)
        reply = {
            "role": role.name,
            "added": [change.id for change in changes if change.before is None],
            "updated": [change.id for change in changes if change.before is not None],
            "archived": [memory.id for memory in gone],
            "scores": {memory_id: _told(verdict) for memory_id, _, verdict in puts.judged},
            "memories": [view(one) for one in role.compiled.memories.values() if one.kind is kind],
        }
    await done
    return reply


def _put(
    workspace: Workspace,
    role: Role,
    kind: Kind,
    item: Mapping[str, Any],
    puts: _Puts,
    *,
    source: str,
    now_s: float,
) -> None:
    """Add what puts one item in its place, or raise BadMemoryError or BadParamsError."""
    ms = role.document.style.ms
    fields = {key: value for key, value in item.items() if key != "id" and value is not None}
    if not str(fields.get("content", "")).strip():
        raise BadMemoryError("a value is empty")
    older = _match(role, kind, item, [change.id for change in puts.changes])
    if older is not None and older.id in {change.id for change in puts.changes}:
        raise BadParamsError(f"{older.id} is named twice")
    offer, verdict = _scored(workspace, role, kind, fields)
    if older is None:
        memory_id = workspace.ports.new_id()
        before = None
        after = new_record(kind, memory_id, fields, Provenance(source), score=verdict.total, now_s=now_s, ms=ms)
    else:
        memory_id = older.id
        before = role.raw(kind, older.id)
        if before is None:
            raise MemoryUnknownError(role.name, older.id)
        base = dict(before) if before.get("id") else {"id": older.id, **before}
        after = changed_record(base, kind, fields, now_s=now_s, ms=ms) | {"score": verdict.total, "source": source}
    to_memory(after, kind, memory_id)
    puts.changes.append(Change(role.name, kind, memory_id, before, after))
    puts.judged.append((memory_id, offer, verdict))


def _scored(workspace: Workspace, role: Role, kind: Kind, fields: Mapping[str, Any]) -> tuple[Offer, Verdict]:
    """Judge what is put as remember judges what it is told explicitly: it is kept, and its score is told and kept with it."""
    content = str(fields["content"])
    request = RememberRequest(role.name, content, kind.value, explicit=True, put=True)
    offer = Offer(request, content, kind, {"validity": str(fields.get("validity") or ""), "tags": []}, {}, None)
    return offer, weigh(workspace, role, offer)[0]


def _told(verdict: Verdict) -> dict[str, Any]:
    return {
        "total": verdict.total,
        "computed_total": verdict.computed_total,
        "band": verdict.band.value,
        "dimensions": dimensions(verdict),
    }


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
