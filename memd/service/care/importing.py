"""What of an import can come in: a plan for its records and its book, and why the others cannot; and what takes it back.

Records say which import they came with; books are written under the role's books/, never over one that is there. Taken back,
its memories go to the archive and its books out of the role's books; what is not its own stays.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from memd.engine.keep.leaves import changed, texts_in
from memd.errors import (
    BadMemoryError,
    BadParamsError,
    FileChangedError,
    LimitExceededError,
    LongBookError,
    LongMemoryError,
    MemdError,
    OrderRefusedError,
    RejectedFileError,
    RoleMemoriesError,
    SecretRefusedError,
)
from memd.formats.books import load_book
from memd.formats.entry import derived_id, named_ids, to_memory
from memd.formats.records import read_lines
from memd.formats.role_memory import new_document, with_character_uuid
from memd.formats.strict_json import StrictError, dumps, loads
from memd.model.change import Change, Operation
from memd.model.names import stem_of
from memd.service.event_times import times_of_record
from memd.service.memory.records import archive_line
from memd.service.screening import firm_orders, ready
from memd.storage.layout import ARCHIVE, STATE, books_dir, memory_file
from memd.storage.listing import folder_pieces
from memd.storage.replace import create, replace_if
from memd.store.reading.discovery import addresses_of
from memd.store.room import check_role

if TYPE_CHECKING:
    from memd.model.memory import Kind, Memory
    from memd.model.settings import LimitSettings
    from memd.storage.files import Tree
    from memd.store.role.role import Role
    from memd.store.store import Store

MARK = "importId"  # of a record: the import it came with
BOOK_CHARS = 64_000_000
IMPORTED, UNDONE = "imported", "import undone"  # what lines of the archive say


@dataclass(frozen=True, slots=True)
class Batch:
    """A part of an import. Records are raw, each with its kind; a book is its title and its text.

    `judged`: the records without secrets, or why they may not come in, where they were looked at.
    """

    import_id: str
    memories: Sequence[tuple[Kind, dict[str, Any]]] = ()
    book: tuple[str, str] | None = None
    judged: Sequence[dict[str, Any] | MemdError] = ()


@dataclass(slots=True)
class Plan:
    """What comes in as changes, what is told of each record, and how many bytes they take."""

    changes: list[Change]
    taken: list[dict[str, Any]]
    refused: list[dict[str, Any]]
    size: int = 0
    ids: set[str] = field(default_factory=set)
    known_as: dict[str, str] = field(default_factory=dict)  # from ids of the file to those the memories have here


async def looked_at(store: Store, role: Role, batch: Batch) -> tuple[Batch, list[str]]:
    """Return a batch that was looked at, without secrets, and what a reply says of them."""
    if not store.settings_of(role).gate.scan:
        return batch, []
    records = [record for _, record in batch.memories]
    judged = await judged_records(store, role, records)
    taken = sum(one is not raw for one, raw in zip(judged, records, strict=True) if isinstance(one, dict))
    remarks = [f"a secret was taken out of {taken} records"] if taken else []
    batch = replace(batch, judged=judged)
    if batch.book is None:
        return batch, remarks
    title, text = batch.book
    plain = await plain_book(store, role, text)
    remarks += ["a secret was taken out of the book"] if plain != text else []
    return replace(batch, book=(title, plain)), remarks


async def keep_uuid(store: Store, role: Role, wanted: str, *, dry_run: bool) -> str:
    """Give a role that remembers nothing yet the characterUuid of the file its memories come from; return the one it has.

    A role that remembers something keeps its own, and so does one that would then share an address with another.
    """
    empty = not (
        role.compiled.memories or role.file.document.has_records() or role.unsaved.overlay or role.unsaved.pending
    )
    others = [one for one in store.roles.values() if one is not role]
    taken = [one for one in others if wanted in addresses_of(one.name, one.own.profile, one.file.character_uuid)]
    if wanted == role.file.character_uuid or not empty or taken or role.file.rejected or dry_run:
        return role.file.character_uuid
    _ = store.writer.journal  # a workspace that is only read takes in nothing
    with contextlib.suppress(FileChangedError):
        async with role.file_lock:
            await asyncio.to_thread(_write_uuid, store.tree, role, wanted)
        await store.refresh(role)
    return role.file.character_uuid


def _write_uuid(tree: Tree, role: Role, uuid: str) -> None:
    name = memory_file(role.name)
    try:
        known = tree.read(name)[0]
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):
            create(tree, name, new_document(uuid).dump(), 0o644)
        return
    if known == role.file.document.dump():
        replace_if(tree, name, with_character_uuid(role.file.document, uuid).dump(), known)


def gathered(store: Store, key: str, title: str, text: str, *, at: int, more: bool) -> str:
    """Return a book with the parts of it that came before; the oldest of many unfinished books are let go.

    `at`: characters in the parts before; BadParamsError where others are here.
    """
    parts = store.transfers.book_parts
    before = parts.pop(key, "") if at else ""
    if len(before) != at:
        raise BadParamsError(f"at: {len(before)} characters of {title!r} are here, not {at}; begin anew at 0")
    whole = before + text
    if len(whole) > BOOK_CHARS:
        raise LongBookError("this book", len(whole), BOOK_CHARS)
    if more:
        parts[key] = whole
        while sum(map(len, parts.values())) > 2 * BOOK_CHARS:
            parts.pop(next(iter(parts)))
    return whole


def planned(store: Store, role: Role, batch: Batch) -> Plan:
    """Return what of the records can come in, and why the others cannot."""
    plan = _examined(store, role, batch)
    for change in plan.changes:
        _rename_links(change.after or {}, change.id, plan.known_as)
    return plan


def _examined(store: Store, role: Role, batch: Batch) -> Plan:
    plan = Plan([], [], [])
    limits = store.settings_of(role).limits
    seen: dict[str, str] = {}
    turns = {_told(one): one.id for one in role.compiled.memories.values() if one.is_turn}
    twins: dict[tuple[Kind, str], int] = {}
    for number, (kind, given) in enumerate(batch.memories):
        raw = given
        try:
            if batch.judged:
                raw = _or_raise(batch.judged[number])
            content = str(raw.get("content") or raw.get("value") or "")
            twins[kind, content] = twins.get((kind, content), 0) + 1
            memory = to_memory(raw, kind, derived_id(f"import:{role.name}", kind, content, twins[kind, content]))
            if len(memory.content) > limits.memory_chars and limits.long_memory == "refuse":
                raise LongMemoryError("this memory", len(memory.content), limits.memory_chars)
            told = _told(memory)
            older = (
                turns.get(told, "") if memory.is_turn else role.prints.find(memory.text) or seen.get(memory.text, "")
            )
            if older:
                plan.known_as[memory.id] = older
                plan.refused.append(_refusal(number, kind, memory.text, "duplicate", f"memory {older} says the same"))
                continue
            memory_id, note = _free_id(role, memory.id, kind, content, plan)
            plan.known_as[memory.id] = memory_id
            record = {"id": ""} | raw | {"id": memory_id, MARK: batch.import_id}  # the id stands first
            record |= times_of_record(store, role, raw, memory)
            record.setdefault("source", "import")
            _make_room(role, plan, record, limits)
        except MemdError as error:
            said = store.keeping.quarantine.without_secrets(str(raw.get("content", raw.get("value", ""))))
            plan.refused.append(_refusal(number, kind, said, error.code, str(error)))
            continue
        seen[memory.text] = turns[told] = memory_id
        plan.ids.add(memory_id)
        plan.changes.append(Change(role.name, kind, memory_id, None, record))
        plan.taken.append({"number": number, "kind": kind.value, "id": memory_id, "text": memory.text[:120], **note})
    return plan


def _make_room(role: Role, plan: Plan, record: dict[str, Any], limits: LimitSettings) -> None:
    """Count a record in, or raise LimitExceededError where the role has no room for it."""
    plan.size += len(dumps(record).encode()) + 64
    check_role(role, limits, plan.size)
    if len(role.compiled.memories) + len(plan.changes) >= limits.role_memories:
        raise RoleMemoriesError("this role", len(plan.changes), limits.role_memories)


def _told(memory: Memory) -> tuple[object, ...]:
    """Return by what a turn of a session is known again: two may say the same."""
    return memory.session, memory.speaker, memory.turn, memory.text


def _rename_links(record: dict[str, Any], memory_id: str, known_as: dict[str, str]) -> None:
    """Let a record name those whose place it takes by the ids they have here."""
    named = named_ids(record.get("supersedes"))
    renamed = [one for one in dict.fromkeys(known_as.get(one, one) for one in named) if one != memory_id]
    if named and renamed != list(named):
        record["supersedes"] = renamed


def _or_raise(judged: dict[str, Any] | MemdError) -> dict[str, Any]:
    if isinstance(judged, MemdError):
        raise judged
    return judged


def _refusal(number: int, kind: Kind, text: str, why: str, detail: str) -> dict[str, Any]:
    return {"number": number, "kind": kind.value, "text": text[:120], "why": why, "detail": detail}


def _free_id(role: Role, memory_id: str, kind: Kind, content: str, plan: Plan) -> tuple[str, dict[str, Any]]:
    """Return an id nobody has: the record's own, or one made of what it says."""
    if memory_id not in role.compiled.memories and memory_id not in plan.ids:
        return memory_id, {}
    for number in range(1, 1000):
        other = derived_id(f"import:{role.name}:{memory_id}", kind, content, number)
        if other not in role.compiled.memories and other not in plan.ids:
            return other, {"was": memory_id}
    raise BadMemoryError(f"the id {memory_id} is taken")


def planned_book(store: Store, role: Role, batch: Batch, plan: Plan) -> list[tuple[str, bytes]]:
    """Return the book's file and bytes, or nothing where it is there already or cannot be read. Blocks."""
    if batch.book is None:
        return []
    title, text = batch.book
    stem = stem_of(title)
    data = text.encode("utf-8", "replace")
    try:
        book = load_book(data, f"{stem}.json")
        limits = store.settings_of(role).limits
        check_role(role, limits, plan.size + len(data))
    except RejectedFileError as error:
        plan.refused.append({"book": title, "why": error.code, "detail": str(error)})
        return []
    except LimitExceededError as error:
        plan.refused.append({"book": title, "why": error.code, "detail": str(error)})
        return []
    plan.refused += [{"book": title, "why": fault.code, "detail": fault.why} for fault in book.faults]
    for number in range(1, 100):
        name = f"{books_dir(role.name)}/{stem}{f'-{number}' if number > 1 else ''}.json"
        if store.tree.identify(name) is None:
            return [(name, data)]
        if _is_same(store, name, data):
            if name not in owned_books(archive_lines(store)):
                return [(name, data)]  # it was written by an import that was cut off before it could say so
            plan.refused.append({"book": title, "why": "duplicate", "detail": f"{name} is the same"})
            return []
    plan.refused.append({"book": title, "why": "name.taken", "detail": f"there are too many books named {stem}"})
    return []


def _is_same(store: Store, name: str, data: bytes) -> bool:
    identity = store.tree.identify(name)
    return identity is not None and identity.size == len(data) and store.tree.read(name, len(data) + 1)[0] == data


def write_book(store: Store, role: Role, name: str, data: bytes) -> None:
    """Put a book among the role's, where nothing of its name is. Blocks."""
    _ = store.writer.journal  # a workspace that is only read takes in nothing
    store.tree.make_dirs(books_dir(role.name))
    with contextlib.suppress(FileExistsError):
        create(store.tree, name, data, 0o644)


def archive_lines(store: Store) -> list[dict[str, Any]]:
    """Return what the archive says of imports and of their undoing, oldest first. Blocks."""
    texts = chain(folder_pieces(store.tree, ARCHIVE), ["".join(store.writer.waiting_lines(ARCHIVE)).encode()])
    found = (line.value for data in texts for line in read_lines(data))
    return [one for one in found if one and one.get("what") in (IMPORTED, UNDONE)]


def owned_books(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the books that imports brought and that were not taken out again: by file, the import and the digest."""
    owned: dict[str, dict[str, Any]] = {}
    for line in lines:
        for book in line.get("books") or ():
            name = str(book.get("name"))
            if line["what"] == IMPORTED:
                owned[name] = {"import": line.get("import"), "digest": str(book.get("digest"))}
            else:
                owned.pop(name, None)
    return owned


# What an import brings is looked at, beside the event loop: record by record, and a book as a whole.

AT_ONCE = 250  # records that are looked at together: so many are known at once


async def judged_records(
    store: Store, role: Role, records: Sequence[dict[str, Any]]
) -> list[dict[str, Any] | MemdError]:
    """Return each record without secrets, or why it may not come in."""
    judged: list[dict[str, Any] | MemdError] = []
    for at in range(0, len(records), AT_ONCE):
        some = records[at : at + AT_ONCE]
        await ready(store, texts_in(list(some)))
        judged += [_judged(store, role, one) for one in some]
    return judged


def _judged(store: Store, role: Role, raw: dict[str, Any]) -> dict[str, Any] | MemdError:
    plain: dict[str, Any] = changed(raw, store.keeping.quarantine.without_secrets)
    if plain is not raw and store.settings_of(role).gate.secrets == "refuse":
        return SecretRefusedError("a secret")
    why = firm_orders(store, raw)
    return OrderRefusedError("record", why) if why else plain


async def plain_book(store: Store, role: Role, text: str) -> str:
    """Return a book without secrets, in its own bytes where it has none; SecretRefusedError where settings say so."""
    quarantine = store.keeping.quarantine
    plain = await quarantine.looks.beside(text, _plain, text, quarantine.plain)
    if plain != text and store.settings_of(role).gate.secrets == "refuse":
        raise SecretRefusedError("a secret in the book")
    return plain


def _plain(text: str, plain_of: Callable[[str], str]) -> str:
    try:
        book = loads(text.encode("utf-8", "replace"))
    except (StrictError, RecursionError):  # no JSON: it is refused where it is read
        return text
    plain = changed(book, plain_of)
    return text if plain is book else json.dumps(plain, ensure_ascii=False, indent=2) + "\n"


ASIDE = f"{STATE}/undone"
ARCHIVED_AT_ONCE = 150  # memories archived in one operation: nobody waits for more
BOOK_BYTES = 1 << 28


async def archive_imported(store: Store, role: Role, import_id: str) -> int:
    """Archive a role's memories of an import; return how many."""
    async with role.turn:
        await store.refresh(role)
        kinds = {memory.id: memory.kind for memory in role.compiled.memories.values()}
        standing = role.standing()
        records = await asyncio.to_thread(_of_import, standing, import_id)
        changes = [Change(role.name, kinds[key], key, record, None) for key, record in records.items()]
        for at in range(0, len(changes), ARCHIVED_AT_ONCE):
            await _commit(store, role, changes[at : at + ARCHIVED_AT_ONCE])
    return len(changes)


def _of_import(standing: Any, import_id: str) -> dict[str, dict[str, Any]]:
    records = ((key, read()) for key, read in standing.items())
    return {key: record for key, record in records if record.get(MARK) == import_id}


async def _commit(store: Store, role: Role, changes: list[Change]) -> None:
    now_s = store.ports.now()

    def build(n: int) -> list[Operation]:
        gone = [(one.kind, one.id, one.before or {}) for one in changes]
        lines = [archive_line(store, role, one, "its import was undone", (n, i), now_s) for i, one in enumerate(gone)]
        return [*changes, *lines]

    await store.commit(build, at_s=now_s)


def take_out(store: Store, name: str, digest: str) -> bool:
    """Move a book that is as it was imported out of the role's books; tell whether it is out. Blocks."""
    folder = name.rpartition("/")[0]
    if not (folder.startswith("roles/") and folder.endswith("/books")) or store.tree.identify(name) is None:
        return False
    data = store.tree.read(name, BOOK_BYTES)[0]
    if hashlib.sha256(data).hexdigest() != digest:
        return False
    store.tree.make_dirs(ASIDE)
    aside = f"{ASIDE}/{digest[:12]}-{name.rpartition('/')[2]}"
    if store.tree.identify(aside) is None:
        create(store.tree, aside, data)
    store.tree.remove(name)
    return True
