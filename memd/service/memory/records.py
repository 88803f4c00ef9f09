"""Look at memories and change one: get, list, update, forget, restore."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Collection, Mapping
from itertools import chain
from typing import Any

from memd.engine.keep.aging import is_expired
from memd.engine.keep.leaves import changed
from memd.errors import (
    BadMemoryError,
    BadParamsError,
    MemoryAmbiguousError,
    MemoryUnknownError,
    NotForgottenError,
    StaleMemoryError,
)
from memd.errors.general import LEAST_PREFIX
from memd.formats.entry import to_memory
from memd.formats.entry_writer import changed_record
from memd.formats.records import read_lines
from memd.formats.strict_json import canonical
from memd.formats.times import to_iso, to_seconds
from memd.model.change import Change, Erasure, Line, Operation
from memd.model.memory import VALIDITY_WORDS, Kind, Memory
from memd.service.memory.archiving import brought_back, removals
from memd.service.memory.egress import marked_memories
from memd.service.memory.history import history_of
from memd.service.memory.ingress import remarks_on
from memd.service.role import Role
from memd.service.workspace import Workspace
from memd.service.writing.erasing import still_in
from memd.storage.layout import ARCHIVE, AUDIT, archive_file, memory_file
from memd.storage.side import folder_pieces
from memd.text.clauses import clauses
from memd.text.fold import fold


async def get(workspace: Workspace, role_name: str, memory_id: str, *, history: bool = False) -> dict[str, Any]:
    """Return one memory with its raw record and digest; with `history`, what it was before, oldest first."""
    role = await workspace.role(role_name)
    async with role.turn:
        await workspace.refresh(role)
        memory = find(role, memory_id)
        shown = {**view(memory), **_over(memory, workspace.ports.now()), "role": role.name}
        shown |= {**_used(workspace, role.name, memory.id), **_proof(role, memory)}
        shown |= {"history": history_of(role, memory)} if history else {}
    return (await marked_memories(workspace, role.name, [(shown, memory)]))[0]


def _over(memory: Memory, now_s: float) -> dict[str, Any]:
    """Return the mark of one whose time is over."""
    return {"expired": True} if is_expired(memory, now_s) else {}


def _used(workspace: Workspace, role: str, memory_id: str) -> dict[str, Any]:
    """Return how often a memory came to mind, and when last; that lies beside the versioned files."""
    count, last_s = workspace.recalled.uses.get(role, {}).get(memory_id, (0, None))
    return {"access_count": count, **({"last_access": to_iso(last_s)} if last_s is not None else {})}


async def list_memories(
    workspace: Workspace,
    role_name: str,
    *,
    kind: str,
    tag: str,
    limit: int,
    offset: int,
    forgotten: bool,
    order: str = "file",
) -> dict[str, Any]:
    """Return memories, or those that were forgotten, in an order: file, newest, oldest, score, key."""
    role = await workspace.role(role_name)
    async with role.turn:
        await workspace.refresh(role)
        if forgotten:
            archived = await asyncio.to_thread(archived_in, workspace, role.name, workspace.waiting_lines(ARCHIVE))
            views = [one for one in map(_archived_view, archived.values()) if _fits(one[1], kind, tag)]
            total, chosen = len(views), _ordered(views, order, _forgotten_s)[offset : offset + limit]
        else:
            fitting = [one for one in role.compiled.memories.values() if _fits(one, kind, tag)]
            ordered = _ordered([({}, one) for one in fitting], order, _when_s)[offset : offset + limit]
            now_s = workspace.ports.now()
            total = len(fitting)
            chosen = [({**view(one), **_over(one, now_s)}, one) for _, one in ordered]
    return {"role": role.name, "total": total, "memories": await marked_memories(workspace, role.name, chosen)}


def _fits(memory: Memory, kind: str, tag: str) -> bool:
    return (not kind or memory.kind == kind) and (not tag or tag in memory.tags)


_Shown = tuple[dict[str, Any], Memory]


def _when_s(one: _Shown) -> float | None:
    return one[1].when_s


def _forgotten_s(one: _Shown) -> float | None:
    at = one[0].get("forgotten_at")
    return to_seconds(at) if isinstance(at, str) else None


def _ordered(memories: list[_Shown], order: str, time_of: Callable[[_Shown], float | None]) -> list[_Shown]:
    """Return memories in an order; what has no time, score or key comes last."""
    values: dict[str, Callable[[_Shown], Any]] = {
        "newest": time_of,
        "oldest": time_of,
        "score": lambda one: one[1].score,
        "key": lambda one: fold(one[1].keys[0]) if one[1].keys else None,
    }
    value = values.get(order)
    if value is None:
        return memories
    told = sorted((one for one in memories if value(one) is not None), key=value, reverse=order == "score")
    return [*(told[::-1] if order == "newest" else told), *(one for one in memories if value(one) is None)]


async def update(
    workspace: Workspace, role_name: str, memory_id: str, fields: Mapping[str, Any], digest: str, source: str
) -> dict[str, Any]:
    """Change fields of a memory. `digest`, where given, must be that of the record as it is; `source`: who says so."""
    role = await workspace.role(role_name)
    if not fields:
        raise BadParamsError("nothing to change was given")
    if fields.get("validity") and fields["validity"] not in VALIDITY_WORDS:
        raise BadParamsError(f"validity: {fields['validity']!r} is none of {', '.join(VALIDITY_WORDS)}")
    async with role.turn:
        await workspace.refresh(role)
        memory = find(role, memory_id)
        before = raw_of(role, memory)
        if digest and digest != digest_of(before):
            raise StaleMemoryError(memory.id)
        now_s = workspace.ports.now()
        after = changed_record(with_id(before, memory.id), memory.kind, fields, now_s=now_s, ms=role.document.style.ms)
        after["source"] = source
        _check(after, memory.kind, memory.id, workspace.settings_of(role).limits.memory_chars)
        done = workspace.commit(lambda _: [Change(role.name, memory.kind, memory.id, before, after)], at_s=now_s)
        reply = {**view(role.compiled.memories[memory.id]), "role": role.name, "digest": digest_of(after)}
    await done
    return reply


async def forget(workspace: Workspace, role_name: str, memory_id: str, reason: str, *, erase: bool) -> dict[str, Any]:
    """Move a memory to the archive; with `erase`, remove its text from every file of memd's."""
    role = await workspace.role(role_name)
    async with role.turn:
        await workspace.refresh(role)
        now_s = workspace.ports.now()
        if erase:
            done, reply = await _erase(workspace, role, memory_id, now_s)
        else:
            memory = find(role, memory_id)
            done = workspace.commit(lambda n: removals(workspace, role, [memory], reason, n, now_s), at_s=now_s)
            reply = {"id": memory.id, "role": role.name, "archived": archive_file(now_s), "erased": False}
    await done
    return reply


async def restore(workspace: Workspace, role_name: str, memory_id: str) -> dict[str, Any]:
    """Bring a forgotten memory back from the archive."""
    role = await workspace.role(role_name)
    async with role.turn:
        await workspace.refresh(role)
        archived = await asyncio.to_thread(archived_in, workspace, role.name, workspace.waiting_lines(ARCHIVE))
        chosen = resolve(role.name, memory_id, tuple(dict.fromkeys([*archived, *role.compiled.memories])))
        if chosen in role.compiled.memories:
            raise NotForgottenError(chosen, _state(role.compiled.memories[chosen]), role.name)
        value = archived[chosen]
        now_s = workspace.ports.now()
        kind, remarks = Kind(value["kind"]), []
        entry = back = brought_back(value["entry"], kind, chosen, now_s)
        if workspace.settings_of(role).gate.scan:  # the archive may have it as a person once wrote it
            entry = changed(back, workspace.keeping.quarantine.without_secrets)
            remarks = remarks_on(key for key in entry if entry[key] is not back[key])
        if len(back) < len(value["entry"]):
            remarks.append("its time was over: it has no end any more")

        def build(n: int) -> list[Operation]:
            note = {"what": "restored", "role": role.name, "kind": kind.value, "id": chosen}
            return [
                Change(role.name, kind, chosen, None, entry),
                workspace.record(archive_file(now_s), n, note, now_s),
            ]

        done = workspace.commit(build, at_s=now_s)
        reply = {
            **view(role.compiled.memories[chosen]), "role": role.name, **({"remarks": remarks} if remarks else {}),
        }  # fmt: skip
    await done
    return reply


def find(role: Role, memory_id: str) -> Memory:
    """Return the memory with this id or a beginning of it."""
    found = role.compiled.memories.get(memory_id)
    return found or role.compiled.memories[resolve(role.name, memory_id, tuple(role.compiled.memories))]


def _state(memory: Memory) -> str:
    """Say how a memory stands that is not forgotten."""
    if memory.superseded_by:
        return f"memory {memory.superseded_by} took its place"
    if memory.covered_by:
        return f"memory {memory.covered_by[-1]} took the place of a part of it"
    return "it is disabled" if memory.disabled else "it is there"


def view(memory: Memory) -> dict[str, Any]:
    """Return a memory as replies show it: what is empty is left out."""
    shown: dict[str, Any] = {
        "id": memory.id,
        "kind": memory.kind.value,
        "name": memory.name,
        "content": memory.content,
        "keys": list(memory.keys),
        "tags": list(memory.tags),
        "topics": list(memory.topics),
        "emotions": list(memory.emotions),
        "time": to_iso(memory.when_s) if memory.when_s is not None else "",
        "priority": memory.priority,
        "constant": memory.constant,
        "disabled": memory.disabled,
        "validity": memory.validity,
        "score": memory.score,
        "source": memory.source,
        "session": memory.session,
        "run": memory.run,
        "supersedes": next(iter(memory.supersedes), ""),
        "supersedes_all": list(memory.supersedes),
        "superseded_by": memory.superseded_by,
        "covered": statements_of(memory, memory.covered),
        "covered_by": list(memory.covered_by),
        "holds": memory.holds,
        "conflicts_with": list(memory.rivals),
    }
    always = ("id", "kind", "content", "priority", "constant")
    return {key: value for key, value in shown.items() if key in always or value not in ("", [], None, False)}


def statements_of(memory: Memory, digests: Collection[str]) -> list[str]:
    """Return the statements of a memory that have these digests."""
    return [one.said for one in clauses(memory.content) if one.digest in digests] if digests else []


def digest_of(record: Mapping[str, Any]) -> str:
    """Return the sha256 of a record's canonical JSON."""
    return hashlib.sha256(canonical(record)).hexdigest()


def _proof(role: Role, memory: Memory) -> dict[str, Any]:
    raw = raw_of(role, memory)
    return {"record": raw, "digest": digest_of(raw), "file": memory_file(role.name)}


def raw_of(role: Role, memory: Memory) -> dict[str, Any]:
    """Return the record of a memory as it is now."""
    raw = role.raw(memory.kind, memory.id)
    if raw is None:
        raise MemoryUnknownError(role.name, memory.id)
    return raw


def with_id(record: Mapping[str, Any], memory_id: str) -> dict[str, Any]:
    """Return a copy of a record that has its id written in it."""
    return dict(record) if record.get("id") else {"id": memory_id, **record}


def _check(record: dict[str, Any], kind: Kind, memory_id: str, limit_chars: int) -> None:
    memory = to_memory(record, kind, memory_id)
    if len(memory.content) > limit_chars:
        raise BadMemoryError(f"the content has {len(memory.content)} characters, the limit is {limit_chars}")


def resolve(role: str, memory_id: str, known: tuple[str, ...]) -> str:
    """Return the one known id that begins like this, or raise MemoryUnknownError or MemoryAmbiguousError."""
    if memory_id in known:
        return memory_id
    fits = tuple(one for one in known if len(memory_id) >= LEAST_PREFIX and one.startswith(memory_id))
    if not fits:
        raise MemoryUnknownError(role, memory_id)
    if len(fits) > 1:
        raise MemoryAmbiguousError(memory_id, len(fits), ", ".join(fits[:5]))
    return fits[0]


async def _erase(
    workspace: Workspace, role: Role, memory_id: str, now_s: float
) -> tuple[asyncio.Future[None], dict[str, Any]]:
    archived = await asyncio.to_thread(archived_in, workspace, role.name, workspace.waiting_lines(ARCHIVE))
    known = tuple(dict.fromkeys([*role.compiled.memories, *archived]))
    chosen = resolve(role.name, memory_id, known)
    memory = role.compiled.memories.get(chosen)
    kind = memory.kind if memory else Kind(archived[chosen]["kind"])

    def build(n: int) -> list[Operation]:
        line: Line = workspace.record(AUDIT, n, {"what": "erased", "role": role.name, "kind": kind.value}, now_s)
        return [Erasure(role.name, kind, chosen), line]

    entry = archived.get(chosen, {}).get("entry") or {}
    text = memory.content if memory else str(entry.get("content", entry.get("value", "")))
    also = await asyncio.to_thread(still_in, workspace.tree, text) if text.strip() else []
    done = workspace.commit(build, at_s=now_s)
    remains = "What git has committed stays in its history until you rewrite it."
    if also:
        remains += f" The text also stands in {len(also)} of your own files, which memd does not rewrite."
    reply: dict[str, Any] = {"id": chosen, "role": role.name, "archived": None, "erased": True, "remains": remains}
    return done, {**reply, "also_in": also[:20]} if also else reply


def archived_in(workspace: Workspace, role: str, waiting: list[str]) -> dict[str, dict[str, Any]]:
    """Return what is forgotten and not restored, by id, the newest text of each."""
    found: dict[str, dict[str, Any]] = {}
    for data in chain(folder_pieces(workspace.tree, ARCHIVE), ["".join(waiting).encode()]):
        for line in read_lines(data):
            value = line.value or {}
            if value.get("role") != role or not isinstance(value.get("id"), str):
                continue
            if value.get("what") == "restored":
                found.pop(value["id"], None)
            elif isinstance(value.get("entry"), dict):
                found[value["id"]] = value
    return {one: value for one, value in found.items() if not workspace.is_being_erased(role, one)}


def _archived_view(value: Mapping[str, Any]) -> tuple[dict[str, Any], Memory]:
    memory = to_memory(value["entry"], Kind(value["kind"]), value["id"])
    return {**view(memory), "forgotten_at": value.get("at"), "reason": value.get("reason", "")}, memory
