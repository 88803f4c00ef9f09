"""The verbs that change one memory: its fields, and whether it is there; and the proof that it is on disk."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from memd.engine.keep.leaves import changed
from memd.errors import (
    BadMemoryError,
    BadParamsError,
    MemoryAmbiguousError,
    MemoryUnknownError,
    NotForgottenError,
    RejectedFileError,
    RoleFullError,
    RoleMemoriesError,
    StaleMemoryError,
    StorageError,
)
from memd.formats.entry import changed_record, to_memory
from memd.formats.records import read_lines
from memd.formats.role_memory import line_key
from memd.formats.role_reader import load
from memd.formats.times import to_iso
from memd.model.change import Change, Erasure, Line, Operation
from memd.model.memory import VALIDITY_WORDS, Kind, Memory
from memd.protocol.fields import MemoryId, RoleName, Share, Who
from memd.protocol.memories import Declared, ForgottenMemory, Proof, RestoredMemory, UpdatedMemory
from memd.service.event_times import changed_times
from memd.service.inbox import erased
from memd.service.memory.decisions import brought_back
from memd.service.memory.history import erase_what_was_said, forgotten_of, said_by
from memd.service.memory.records import digest_of, find, raw_of, removals, resolve, with_id
from memd.service.screening import make_ready, remarks_on
from memd.storage.layout import ARCHIVE, AUDIT, DECLARATIVE, DECLARED, SCORES, archive_file, memory_file
from memd.storage.listing import list_side, read_side
from memd.store.writing.erasing import still_in
from memd.verbs.declared import Service, verb
from memd.verbs.memory.memory_views import OfMemory, Said, view_of

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.store.role.role import Role
    from memd.store.store import Store

MOST_TOLD = 20  # files that have an erased text and are not rewritten


class UpdateMemory(Said, kw_only=True):
    """What changes."""

    role: RoleName
    id: MemoryId
    content: Annotated[str, Meta(min_length=1, max_length=1_000_000, description="the new text")] | UnsetType = UNSET
    disabled: Annotated[bool, Meta(description="it never comes to mind")] | UnsetType | None = UNSET
    expires_at: (
        Annotated[float, Meta(description="when it expires: seconds, milliseconds or ISO 8601")]
        | str
        | UnsetType
        | None
    ) = UNSET
    relevance_weight: Annotated[Share, Meta(description="how much its relevance counts")] | UnsetType | None = UNSET
    emotional_weight: Annotated[Share, Meta(description="how much feelings count")] | UnsetType | None = UNSET
    decay_per_day: Annotated[Share, Meta(description="the share of its weight that a day takes")] | UnsetType | None = (
        UNSET
    )
    digest: Annotated[str, Meta(description="refuse unless the record still has this digest")] = ""
    source: Who = "agent"


class ForgetMemory(OfMemory):
    """Archive a memory, or erase its text."""

    reason: Annotated[str, Meta(max_length=500, description="why")] = ""
    erase: Annotated[bool, Meta(description="remove the text from every file of memd's, the archive too")] = False


class VerifyMemory(OfMemory):
    """A memory, and the digest that was told of it, if it is at hand."""

    digest: Annotated[
        str, Meta(max_length=64, description="what the receipt said; else the score records are asked")
    ] = ""


@verb(
    "memory.update",
    writes=True,
    errors=(
        BadMemoryError,
        MemoryAmbiguousError,
        MemoryUnknownError,
        StaleMemoryError,
    ),
)
async def update_memory(service: Service, asked: UpdateMemory) -> UpdatedMemory:
    """Change fields of one memory."""
    store = service.store
    role = await store.role(asked.role)
    fields = asked.said()
    if not fields:
        raise BadParamsError("nothing to change was given")
    if fields.get("validity") and fields["validity"] not in VALIDITY_WORDS:
        raise BadParamsError(f"validity: {fields['validity']!r} is none of {', '.join(VALIDITY_WORDS)}")
    async with role.turn:
        await store.refresh(role)
        memory = find(role, asked.id)
        before = raw_of(role, memory)
        if asked.digest and asked.digest != digest_of(before):
            raise StaleMemoryError(memory.id)
        now_s = store.ports.now()
        fields = changed_times(store, role, memory, fields, now_s)
        after = changed_record(
            with_id(before, memory.id), memory.kind, fields, now_s=now_s, ms=role.file.document.style.ms
        )
        after["source"] = asked.source
        _check(after, memory, store.settings_of(role).limits.memory_chars)
        done = store.commit(lambda _: [Change(role.name, memory.kind, memory.id, before, after)], at_s=now_s)
        updated = view_of(role.compiled.memories[memory.id], UpdatedMemory, role=role.name, digest=digest_of(after))
    await done
    return updated


@verb(
    "memory.forget",
    writes=True,
    errors=(
        MemoryAmbiguousError,
        MemoryUnknownError,
    ),
)
async def forget_memory(service: Service, asked: ForgetMemory) -> ForgottenMemory:
    """Archive a memory, or erase its text."""
    store = service.store
    role = await store.role(asked.role)
    unheard = ""
    if asked.erase:  # noted first, so that a kill in between costs no more than an index
        await make_ready(store)
        await asyncio.to_thread(store.roles.note_erasure, role.name)
        unheard = await erase_what_was_said(store, role, asked.id)
    async with role.turn:
        await store.refresh(role)
        now_s = store.ports.now()
        if asked.erase:
            done, gone = await _erase(store, role, asked.id, now_s)
            if unheard:
                gone.remains = f"{gone.remains} What hooks left while no daemon ran was not looked through: {unheard}."
        else:
            memory = find(role, asked.id)
            done = store.commit(lambda n: removals(store, role, [memory], asked.reason, n, now_s), at_s=now_s)
            gone = ForgottenMemory(id=memory.id, role=role.name, archived=archive_file(now_s), erased=False)
    await done
    if asked.erase:
        store.happenings.forget_recent()  # behind the last who may have told of it
    return gone


@verb(
    "memory.restore",
    writes=True,
    errors=(
        MemoryAmbiguousError,
        MemoryUnknownError,
        NotForgottenError,
        RoleFullError,
        RoleMemoriesError,
    ),
)
async def restore_memory(service: Service, asked: OfMemory) -> RestoredMemory:
    """Bring a forgotten memory back."""
    store = service.store
    role = await store.role(asked.role)
    async with role.turn:
        await store.refresh(role)
        archived = await forgotten_of(store, role.name)
        chosen = resolve(role.name, asked.id, tuple(dict.fromkeys([*archived, *role.compiled.memories])))
        if chosen in role.compiled.memories:
            raise NotForgottenError(chosen, _state(role.compiled.memories[chosen]), role.name)
        value = archived[chosen]
        now_s = store.ports.now()
        kind, remarks = Kind(value["kind"]), []
        entry = back = brought_back(value["entry"], kind, chosen, now_s)
        if store.settings_of(role).gate.scan:  # the archive may have it as a person once wrote it
            entry = changed(back, store.keeping.quarantine.without_secrets)
            remarks = remarks_on(key for key in entry if entry[key] is not back[key])
        if len(back) < len(value["entry"]):
            remarks.append("its time was over: it has no end any more")

        def build(n: int) -> list[Operation]:
            note = {"what": "restored", "role": role.name, "kind": kind.value, "id": chosen}
            return [
                Change(role.name, kind, chosen, None, entry),
                store.record(archive_file(now_s), n, note, now_s),
            ]

        done = store.commit(build, at_s=now_s)
        restored = view_of(role.compiled.memories[chosen], RestoredMemory, role=role.name, remarks=remarks or UNSET)
    await done
    return restored


def _check(record: dict[str, Any], older: Memory, limit_chars: int) -> None:
    memory = to_memory(record, older.kind, older.id)
    if len(memory.content) > limit_chars:
        raise BadMemoryError(f"the content has {len(memory.content)} characters, the limit is {limit_chars}")


async def _erase(
    store: Store, role: Role, memory_id: str, now_s: float
) -> tuple[asyncio.Future[None], ForgottenMemory]:
    chosen, kind, texts = await said_by(store, role, memory_id)
    text = texts[0] if texts else ""
    steps, told = erased(store, role.name, text, chosen, now_s), store.keeping.provisional.steps(store.record, now_s)
    for one in store.keeping.provisional.about(chosen):
        told.forget(one, chosen)

    def build(n: int) -> list[Operation]:
        line: Line = store.record(AUDIT, n, {"what": "erased", "role": role.name, "kind": kind.value}, now_s)
        return [Erasure(role.name, kind, chosen), line, *steps.operations(n), *told.operations(n)]

    def roll_back() -> None:
        steps.roll_back()
        told.roll_back()

    also = await asyncio.to_thread(still_in, store.tree, text) if text.strip() else []
    from memd.service.said import unsay  # noqa: PLC0415 - nothing else here needs it

    await unsay(store, role, text)
    done = store.commit(build, at_s=now_s, roll_back=roll_back)
    remains = "What git has committed stays in its history until you rewrite it."
    if also:
        remains += f" The text also stands in {len(also)} of your own files, which memd does not rewrite."
    return done, ForgottenMemory(
        id=chosen, role=role.name, archived=None, erased=True, remains=remains, also_in=also[:MOST_TOLD] or None
    )


def _state(memory: Memory) -> str:
    """Say how a memory stands that is not forgotten."""
    if memory.superseded_by:
        return f"memory {memory.superseded_by} took its place"
    if memory.covered_by:
        return f"memory {memory.covered_by[-1]} took the place of a part of it"
    return "it is disabled" if memory.disabled else "it is there"


@verb(
    "memory.verify",
    errors=(
        MemoryAmbiguousError,
        MemoryUnknownError,
    ),
)
async def verify_memory(service: Service, asked: VerifyMemory) -> Proof:
    """Prove that a memory is on disk, as told, and since when.

    Files are read anew; nothing is taken on trust. Without a digest the score records are asked what was told.
    """
    store = service.store
    role = await store.role(asked.role)
    async with role.turn:
        await store.refresh(role)
        known = role.compiled.memories
        archived = await forgotten_of(store, role.name)
        chosen = resolve(role.name, asked.id, (*known, *archived))
        memory = known.get(chosen)
        waiting = any(one.id == chosen for _, one in role.unsaved.pending)
    on_disk = await asyncio.to_thread(_on_disk, store.tree, role.name, chosen)
    told = asked.digest or await asyncio.to_thread(_told, store.tree, role.name, chosen)
    declared = await asyncio.to_thread(_declared, store.tree, chosen)
    state = "in its file" if on_disk else "in the log, not in its file yet" if waiting else ""
    if not state:
        state = "in the archive" if chosen in archived else ""
    if not state:
        raise MemoryUnknownError(role.name, asked.id)
    proof = Proof(
        id=chosen,
        role=role.name,
        on_disk=on_disk is not None,
        state=state,
        file=memory_file(role.name),
        digest=digest_of(on_disk) if on_disk else "",
        told=told,
        as_told=None if not told or on_disk is None else digest_of(on_disk) == told,
        declared=declared,
    )
    if memory is not None:
        proof.since = to_iso(memory.when_s) if memory.when_s is not None else ""
        proof.superseded_by, proof.content = memory.superseded_by, memory.content
    return proof


def _on_disk(tree: Tree, role: str, memory_id: str) -> dict[str, Any] | None:
    try:
        parsed = load(tree.read(memory_file(role))[0], memory_file(role), role)
    except (FileNotFoundError, StorageError, RejectedFileError):
        return None
    return next((one.element.value() for one in parsed.entries if one.memory.id == memory_id), None)


def _told(tree: Tree, role: str, memory_id: str) -> str:
    """Return the digest that the last score record of this memory has."""
    mark = memory_id.encode()
    for name in sorted((one.name for one in list_side(tree, SCORES) if one.is_file), reverse=True):
        data = read_side(tree, f"{SCORES}/{name}") or b""
        if mark not in data:
            continue
        lines = [one.value for one in read_lines(data) if one.value and one.value.get("id") == memory_id]
        for value in reversed(lines):
            if value.get("role") == role and isinstance(value.get("digest"), str):
                return str(value["digest"])
    return ""


def _declared(tree: Tree, memory_id: str) -> Declared | None:
    """Return the first line of declarative.md, or of an earlier year's, about a memory."""
    mark = line_key(memory_id) + " "
    years = sorted((f"{ARCHIVE}/{one.name}" for one in list_side(tree, ARCHIVE)), reverse=True)
    for name in (DECLARATIVE, *(one for one in years if one.startswith(DECLARED))):
        for number, line in enumerate((read_side(tree, name) or b"").decode("utf-8", "replace").split("\n"), 1):
            if mark in line:
                return Declared(name, number, line.removeprefix("- ")[:16])
    return None
