"""link: relate two memories of a role, or say that one takes the other's place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memd.engine.keep.succeed import also_taking, digests_of, taken_by
from memd.errors import BadParamsError, SupersedeCircleError
from memd.model.change import Change
from memd.model.memory import Memory
from memd.service.memory.records import find, raw_of, with_id
from memd.service.role import Role
from memd.service.workspace import Workspace

RELATIONS = ("related", "supersedes")


async def link(
    workspace: Workspace, role_name: str, memory_id: str, to: str, relation: str, covers: Sequence[str] = ()
) -> dict[str, Any]:
    """Relate two memories of a role: `related` both ways, or the first `supersedes` the other, or what it `covers` of it."""
    if relation not in RELATIONS:
        raise BadParamsError(f"relation: {relation!r} is none of {', '.join(RELATIONS)}")
    role = await workspace.role(role_name)
    async with role.turn:
        await workspace.refresh(role)
        one, other = find(role, memory_id), find(role, to)
        if one.id == other.id:
            raise BadParamsError("a memory cannot be linked to itself")
        made = _related(role, one, other) if relation == "related" else _superseding(role, one, other, covers)
        changes = [change for change in made if change.before != change.after]
        done = workspace.commit(lambda _: changes, at_s=workspace.ports.now()) if changes else None
    if done:
        await done
    return {"role": role.name, "id": one.id, "to": other.id, "relation": relation}


def _related(role: Role, one: Memory, other: Memory) -> list[Change]:
    changes: list[Change] = []
    for memory, peer in ((one, other), (other, one)):
        before = raw_of(role, memory)
        after = with_id(before, memory.id)
        after["related"] = list(dict.fromkeys([*after.get("related", []), peer.id]))
        changes.append(Change(role.name, memory.kind, memory.id, before, after))
    return changes


def _superseding(role: Role, one: Memory, other: Memory, covers: Sequence[str]) -> list[Change]:
    """Return the change of the successor, which alone says so; none where it says so already."""
    memories = role.compiled.memories
    if role.compiled.succession.names(other.id, one.id, memories):
        raise SupersedeCircleError(other.id, one.id, role.name)
    if strange := set(covers) - set(digests_of(other)):
        raise BadParamsError(f"covers: {min(strange)[:40]!r} is the digest of no statement of {other.id}")
    taken = also_taking(one, other, memories, covers)
    if taken == taken_by(one):
        return []
    before = raw_of(role, one)
    return [Change(role.name, one.kind, one.id, before, taken.put_into(with_id(before, one.id)))]
