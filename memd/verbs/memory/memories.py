"""The verbs that look at memories: one, many, and the proof that one is on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import UNSET, Meta, Struct, UnsetType

from memd.engine.keep.aging import is_expired
from memd.errors import MemoryAmbiguousError, MemoryUnknownError, RejectedFileError, StorageError
from memd.formats.entry import to_memory
from memd.formats.promptx import line_key
from memd.formats.records import read_lines
from memd.formats.role_reader import load
from memd.formats.times import to_exact_iso, to_iso, to_seconds
from memd.model.memory import Kind, Memory
from memd.service.memory.egress import whys_withheld
from memd.service.memory.history import Past, forgotten_of, history_of
from memd.service.memory.records import digest_of, find, raw_of, resolve
from memd.service.screening import know_provisional
from memd.storage.layout import ARCHIVE, DECLARATIVE, DECLARED, SCORES, memory_file
from memd.storage.side import list_side, read_side
from memd.text.fold import fold
from memd.verbs.declared import Reply, Request, Service, verb
from memd.verbs.fields import RoleName
from memd.verbs.memory.memory_views import MemoryView, OfMemory, view_of

if TYPE_CHECKING:
    from memd.storage.files import Tree


class GetMemory(OfMemory):
    """One memory; with `history`, what it was before."""

    history: Annotated[bool, Meta(description="also its earlier texts, and what took whose place")] = False


class ListMemories(Request):
    """Which memories, and how many at once."""

    role: RoleName
    kind: Annotated[str, Meta(pattern="^(episodic|semantic|trait|goal)$", description="only of this kind")] | None = (
        None
    )
    tag: Annotated[str, Meta(description="only memories with this tag")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="how many at once")] = 100
    offset: Annotated[int, Meta(ge=0, description="how many to pass over")] = 0
    forgotten: Annotated[bool, Meta(description="list what is in the archive instead")] = False
    as_of: (
        Annotated[float | str, Meta(description="those that were known then, as they were: a time, or a day's end")]
        | None
    ) = None
    order: Annotated[
        str,
        Meta(
            pattern="^(file|newest|oldest|score|key)$",
            description="by time, by score (highest first), by their first key, or as they stand in the file",
        ),
    ] = "file"


class VerifyMemory(OfMemory):
    """A memory, and the digest that was told of it, if it is at hand."""

    digest: Annotated[
        str, Meta(max_length=64, description="what the receipt said; else the score records are asked")
    ] = ""


class JudgedAgain(Struct, kw_only=True):
    """What became of a text that words judged alone."""

    offer: Annotated[str, Meta(description="the id that the provisional reply told")]
    provisional: Annotated[bool, Meta(description="it is still to be judged again")]
    was: Annotated[str, Meta(description="what words said, as `verdict` has it")]
    became: Annotated[
        str,
        Meta(
            description="stands, stored, superseding, refined, duplicate, redacted, waiting or dropped; empty: not judged yet"
        ),
    ]
    why: str
    at: Annotated[str, Meta(description="since when it is so")]
    memory: Annotated[str, Meta(description="that has it now")] | UnsetType = UNSET
    inbox: Annotated[str, Meta(description="under which it waits")] | UnsetType = UNSET


class FoundMemory(MemoryView, kw_only=True):
    """A memory with its record; or, by the id of an offer that words judged alone and that is none, its text and what became of it."""

    judged: Annotated[JudgedAgain, Meta(description="where a provisional verdict was asked for")] | UnsetType = UNSET

    role: str
    record: (
        Annotated[dict[str, Any], Meta(description="as its file has it; not for a model where it is withheld")]
        | UnsetType
    ) = UNSET
    digest: Annotated[str, Meta(description="of the record's canonical JSON")]
    file: str
    access_count: Annotated[int, Meta(description="how often it came to mind")]
    last_access: str | UnsetType = UNSET
    expired: Annotated[bool, Meta(description="its time is over")] | UnsetType = UNSET
    withheld: Annotated[str, Meta(description="why it stays out of prompts")] | UnsetType = UNSET
    history: Annotated[list[Past], Meta(description="oldest first")] | UnsetType = UNSET


class ListedMemory(MemoryView, kw_only=True):
    """A memory among others."""

    expired: Annotated[bool, Meta(description="its time is over")] | UnsetType = UNSET
    forgotten_at: str | UnsetType | None = UNSET
    reason: Annotated[str, Meta(description="why it was forgotten")] | UnsetType = UNSET
    withheld: Annotated[str, Meta(description="why it stays out of prompts")] | UnsetType = UNSET


class Memories(Reply):
    """Some of a role's memories."""

    role: str
    total: Annotated[int, Meta(description="how many there are with such a kind and tag")]
    memories: list[ListedMemory]
    as_of: Annotated[str, Meta(description="the time that was asked about")] | UnsetType = UNSET
    notes: Annotated[list[str], Meta(description="what nobody can tell of then")] | UnsetType = UNSET


class Declared(Struct):
    """The line that told of a memory when it was stored."""

    file: str
    line: int
    at: Annotated[str, Meta(description="day and time")]


class Proof(Reply, kw_only=True):
    """What the files say of a memory."""

    id: str
    role: str
    on_disk: bool
    state: Annotated[str, Meta(description="in its file; in the log, not in its file yet; in the archive")]
    file: str
    digest: Annotated[str, Meta(description="of the record in its file; empty where it is not there")]
    told: Annotated[str, Meta(description="the digest that was given, or that the score records have")]
    as_told: Annotated[bool, Meta(description="null where nothing is known")] | None
    declared: Declared | None
    since: str | UnsetType = UNSET
    superseded_by: Annotated[str, Meta(description="what took its place")] | UnsetType = UNSET
    content: str | UnsetType = UNSET


@verb(
    "memory.get",
    errors=(
        MemoryAmbiguousError,
        MemoryUnknownError,
    ),
)
async def get_memory(service: Service, asked: GetMemory) -> FoundMemory:
    """Return one memory with its record and digest."""
    store = service.store
    role = await store.role(asked.role)
    await know_provisional(store)
    told = store.keeping.provisional.find(role.name, asked.id)
    async with role.turn:
        await store.refresh(role)
        has_it = told.get("memory", "") if told and asked.id not in role.compiled.memories else ""
        if told and has_it not in role.compiled.memories and told["id"] not in role.compiled.memories:
            return _text_of(role.name, told)
        memory = find(role, has_it if has_it in role.compiled.memories else asked.id)
        record = raw_of(role, memory)
        count, last_s = store.recalled.uses.get(role.name, {}).get(memory.id, (0, None))
        found = view_of(
            memory,
            FoundMemory,
            role=role.name,
            record=record,
            digest=digest_of(record),
            file=memory_file(role.name),
            access_count=count,
            last_access=to_iso(last_s) if last_s is not None else UNSET,
            expired=is_expired(memory, store.ports.now()) or UNSET,
            history=history_of(role, memory) if asked.history else UNSET,
            judged=_judged(told) if told else UNSET,
        )
    (why,) = await whys_withheld(store, role.name, [memory])
    found.withheld = why or UNSET
    return found


def _text_of(role: str, told: Mapping[str, Any]) -> FoundMemory:
    """Return a text that is no memory, and what became of it."""
    kind = str(told.get("kind") or Kind.SEMANTIC)
    return FoundMemory(
        id=told["id"], kind=kind, content=str(told.get("content", "")), priority=0, constant=False, role=role,
        digest="", file="", access_count=0, judged=_judged(told),
    )  # fmt: skip


def _judged(told: Mapping[str, Any]) -> JudgedAgain:
    held = "became" not in told
    return JudgedAgain(
        offer=told["id"],
        provisional=held,
        was=str(told.get("verdict" if held else "was", "")),
        became="" if held else told["became"],
        why="words judged it alone, and it is judged again" if held else str(told.get("why", "")),
        at=str(told.get("at", "")),
        memory=told.get("memory") or UNSET,
        inbox=told.get("inbox") or UNSET,
    )


@verb("memory.list")
async def list_memories(service: Service, asked: ListMemories) -> Memories:
    """List memories, or forgotten ones."""
    store = service.store
    role = await store.role(asked.role)
    async with role.turn:
        await store.refresh(role)
        at_s = None if asked.as_of is None else store.pasts.moment(asked.as_of, store.settings_of(role).trigger.zone)
        then = await store.pasts.then(role, at_s)
        if asked.forgotten:
            archived = then.archived if then else await forgotten_of(store, role.name)
            known = [_Known(_as_it_was(line), line) for line in archived.values()]
        else:
            known = [_Known(memory) for memory in (then or role).compiled.memories.values()]
        fitting = [one for one in known if _fits(one.memory, asked)]
        chosen = _ordered(fitting, asked.order)[asked.offset : asked.offset + asked.limit]
        now_s = store.ports.now() if at_s is None else at_s
        views = [_listed(one, now_s) for one in chosen]
    whys = await whys_withheld(store, role.name, [one.memory for one in chosen])
    for view, why in zip(views, whys, strict=True):
        view.withheld = why or UNSET
    told = Memories(role=role.name, total=len(fitting), memories=views)
    if then is not None:
        told.as_of, told.notes = to_exact_iso(then.at_s), then.notes() or UNSET
    return told


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


class _Known(NamedTuple):
    """A memory, with the archive's line of one that is forgotten."""

    memory: Memory
    line: Mapping[str, Any] | None = None

    @property
    def at_s(self) -> float | None:
        """When it was remembered, or forgotten."""
        if self.line is None:
            return self.memory.when_s
        at = self.line.get("at")
        return to_seconds(at) if isinstance(at, str) else None


def _as_it_was(line: Mapping[str, Any]) -> Memory:
    return to_memory(line["entry"], Kind(line["kind"]), line["id"])


def _listed(one: _Known, now_s: float) -> ListedMemory:
    if one.line is not None:
        said = {"forgotten_at": one.line.get("at"), "reason": one.line.get("reason", "")}
        return view_of(one.memory, ListedMemory, **said)
    return view_of(one.memory, ListedMemory, expired=is_expired(one.memory, now_s) or UNSET)


def _fits(memory: Memory, asked: ListMemories) -> bool:
    return (not asked.kind or memory.kind == asked.kind) and (not asked.tag or asked.tag in memory.tags)


def _ordered(known: list[_Known], order: str) -> list[_Known]:
    """Return memories in an order; what has no time, score or key comes last."""
    values: dict[str, Callable[[_Known], Any]] = {
        "newest": lambda one: one.at_s,
        "oldest": lambda one: one.at_s,
        "score": lambda one: one.memory.score,
        "key": lambda one: fold(one.memory.keys[0]) if one.memory.keys else None,
    }
    value = values.get(order)
    if value is None:
        return known
    told = sorted((one for one in known if value(one) is not None), key=value, reverse=order == "score")
    return [*(told[::-1] if order == "newest" else told), *(one for one in known if value(one) is None)]


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
