"""The verbs of what other programs remember: take it in, take it back, give it out.

The foreign file is read by who has it: its records and books come here. What comes in is planned first, then stored as acknowledged
operations; taking it back archives the records and takes the books out.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from memd.errors import (
    BadParamsError,
    Fault,
    FileChangedError,
    LongBookError,
    RejectedFileError,
    RoleFullError,
    RoleMemoriesError,
    RoleUnknownError,
)
from memd.formats.books import BOOK_BYTES
from memd.formats.foreign import lorebooks
from memd.formats.foreign.agent_files import ARRAYS, dump_management
from memd.formats.role_memory import shell_of
from memd.formats.strict_json import read_json
from memd.formats.times import to_ms
from memd.model.memory import Kind
from memd.model.trust import PAST
from memd.protocol.fields import Request, RoleName
from memd.protocol.roles import Exported, Imported, ImportedMemory
from memd.service.care.importing import (
    IMPORTED,
    MARK,
    UNDONE,
    Batch,
    archive_imported,
    archive_lines,
    gathered,
    keep_uuid,
    looked_at,
    owned_books,
    planned,
    planned_book,
    take_out,
    write_book,
)
from memd.storage.layout import archive_file, books_dir
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store

FORMS = ("memory", "management", "world-info", "card-v2")
PART_CHARS = 400_000  # of an export in one reply


class Import(Request):
    """One batch of an import, or with `undo` the whole of it taken back. A book comes in parts, the last without `more`."""

    import_id: Annotated[str, Meta(min_length=1, max_length=80, description="the same for all batches")]
    role: RoleName | None = None
    source: Annotated[str, Meta(max_length=500, description="the file it comes from")] = ""
    memories: Annotated[list[ImportedMemory], Meta(max_length=200)] = []  # what a batch holds up others for
    book: Annotated[str, Meta(max_length=200, description="a book's title")] = ""
    text: Annotated[str, Meta(max_length=64_000_000, description="the book as World Info, or a part of it")] = ""
    at: Annotated[int, Meta(ge=0, description="characters of the book in the parts before")] = 0
    more: Annotated[bool, Meta(description="further parts follow")] = False
    dry_run: Annotated[bool, Meta(description="plan, and change nothing")] = False
    undo: Annotated[bool, Meta(description="take this import back")] = False
    uuid: Annotated[
        str, Meta(max_length=200, description="characterUuid of the file; a role without memories takes it")
    ] = ""


class Export(Request):
    """A role's memories, or one of its books."""

    role: RoleName
    form: Annotated[
        str, Meta(pattern="^(memory|management|world-info|card-v2)$", description="what other programs read it")
    ] = "memory"
    book: Annotated[str, Meta(max_length=200, description="which book, for world-info and card-v2")] = ""
    offset: Annotated[int, Meta(ge=0)] = 0
    digest: Annotated[str, Meta(max_length=64, description="of the whole that a later part is asked of")] = ""
    whole: Annotated[bool, Meta(description="all in one reply, however long")] = False


@verb(
    "import",
    writes=True,
    errors=(
        FileChangedError,
        LongBookError,
        RejectedFileError,
        RoleFullError,
        RoleMemoriesError,
    ),
)
async def import_batch(service: Service, asked: Import) -> Imported:
    """Take in what another program remembered, or take it back."""
    if asked.undo:
        return await _undo(service.store, asked.import_id)
    if asked.role is None:
        raise BadParamsError("role: say which role the memories come to")
    store = service.store
    role = await store.role(asked.role)
    batch = Batch(asked.import_id, [(Kind(one.kind), one.whole()) for one in asked.memories])
    if asked.book:
        key = f"{asked.import_id}/{role.name}/{asked.book}"
        text = gathered(store, key, asked.book, asked.text, at=asked.at, more=asked.more)
        if asked.more:
            return Imported(import_id=asked.import_id, role=role.name, waiting=len(text))
        batch = replace(batch, book=(asked.book, text))
    batch, remarks = await looked_at(store, role, batch)
    async with role.turn:
        await store.refresh(role)
        plan = planned(store, role, batch)
        books = await asyncio.to_thread(planned_book, store, role, batch, plan) if batch.book else []
        told = {"taken": plan.taken, "refused": plan.refused, "books": [{"name": name} for name, _ in books]}
        whole = {"import_id": asked.import_id, "role": role.name, "dry_run": asked.dry_run, **told}
        reply = msgspec.convert(whole, Imported)
        reply.remarks = remarks or None
        if asked.uuid:
            reply.uuid = await keep_uuid(store, role, asked.uuid, dry_run=asked.dry_run)
        if asked.dry_run or not (plan.changes or books):
            return reply
        for name, data in books:
            await asyncio.to_thread(write_book, store, role, name, data)
        now_s = store.ports.now()
        value = {
            "what": IMPORTED, "import": asked.import_id, "role": role.name, "from": asked.source[:200],
            "memories": len(plan.changes),
            "books": [{"name": name, "digest": hashlib.sha256(data).hexdigest()} for name, data in books],
        }  # fmt: skip
        done = store.commit(lambda n: [*plan.changes, store.record(archive_file(now_s), n, value, now_s)], at_s=now_s)
    await done
    return reply


@verb("export")
async def export_part(service: Service, asked: Export) -> Exported:
    """Give out memories or a book in a form others read.

    A later part of a whole that is not held any more is refused: parts of two states are never put together.
    """
    store = service.store
    if asked.form not in FORMS:
        raise BadParamsError(f"form: {asked.form[:40]!r} is none of {', '.join(FORMS)}")
    role = await store.role(asked.role)
    key, digest = f"{role.name}/{asked.form}/{asked.book}", asked.digest
    text = store.transfers.exports.get(key, {}).get(digest) if digest else None
    if text is None:
        if digest:
            raise BadParamsError("digest: this export is no longer held; begin anew at offset 0")
        text = await _exported(store, role, asked.form, asked.book)
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        store.transfers.exports = {key: {digest: text}} if len(text) > PART_CHARS else {}
    part = text[asked.offset :] if asked.whole else text[asked.offset : asked.offset + PART_CHARS]
    rest = asked.offset + len(part)
    following = rest if rest < len(text) else None
    return Exported(role=role.name, form=asked.form, content=part, next=following, chars=len(text), digest=digest)


async def _undo(store: Store, import_id: str) -> Imported:
    """Archive the memories that came with an import, as they are now, and move its unchanged books aside.

    Errors: BadParamsError where no such import is known, or it was taken back already.
    """
    if import_id.startswith(f"{PAST}-"):
        from memd.service.capture.undoing_past import undo_past  # noqa: PLC0415  no other import needs it

        gone = await undo_past(store, import_id)
        return Imported(import_id=import_id, archived=gone.archived, books=[], kept=gone.left, sessions=gone.sessions)
    lines = await asyncio.to_thread(archive_lines, store)
    mine = [one for one in lines if one.get("import") == import_id]
    if not any(one["what"] == IMPORTED for one in mine):
        raise BadParamsError(f"no import is known as {import_id[:60]!r}")
    archived, kept = 0, []
    for name in sorted({str(one.get("role")) for one in mine if one["what"] == IMPORTED}):
        try:
            archived += await archive_imported(store, await store.role(name), import_id)
        except RoleUnknownError:
            kept.append(f"the role {name} is gone")
    owned = {name: one["digest"] for name, one in owned_books(lines).items() if one["import"] == import_id}
    if mine[-1]["what"] == UNDONE and not (archived or owned):
        raise BadParamsError(f"the import {import_id[:60]!r} was taken back already")
    books = [name for name, digest in owned.items() if await asyncio.to_thread(take_out, store, name, digest)]
    kept += [name for name in owned if name not in books]
    now_s = store.ports.now()
    note = {"what": UNDONE, "import": import_id, "books": [{"name": name} for name in books]}
    await store.commit(lambda n: [store.record(archive_file(now_s), n, note, now_s)], at_s=now_s)
    return Imported(import_id=import_id, archived=archived, books=[*books], kept=kept)


# What goes out: in a form that other programs read. What came in goes out again.


async def _exported(store: Store, role: Role, form: str, book: str) -> str:
    """Return a role's memories, or one of its books, in a form; BadParamsError where it has no such book."""
    async with role.turn:
        await store.refresh(role)
        if form not in ("memory", "management"):
            return await asyncio.to_thread(_book, store, role, form, book)
        kinds = {memory.id: memory.kind for memory in role.compiled.memories.values()}
        standing, uses = role.standing(), dict(store.recalled.uses.get(role.name, {}))
        return await asyncio.to_thread(lambda: _memories(_records(kinds, standing, uses), role, form))


def _records(
    kinds: dict[str, Kind], standing: dict[str, Callable[[], dict[str, Any]]], uses: dict[str, tuple[int, float]]
) -> list[tuple[Kind, dict[str, Any]]]:
    """Return the records as they are, with the uses that lie beside them."""
    found: list[tuple[Kind, dict[str, Any]]] = []
    for key, read in standing.items():
        record = {"id": key, **{name: value for name, value in read().items() if name != MARK}}
        if key in uses:
            count, last_s = uses[key]
            before = record.get("accessCount")
            record["accessCount"] = count + (before if isinstance(before, int) else 0)
            record["lastAccessed"] = to_ms(last_s)
        found.append((kinds[key], record))
    return found


def _memories(records: list[tuple[Kind, dict[str, Any]]], role: Role, form: str) -> str:
    if form == "management":
        return json.dumps(dump_management(records), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    arrays = {name: [record for kind, record in records if kind is wanted] for name, wanted in ARRAYS.items()}
    shell = shell_of(role.file.document)  # with what its file has beside the records, its characterUuid above all
    shell["characterUuid"] = shell.get("characterUuid") or role.own.profile.uuid or role.name
    whole = {"characterUuid": None, **shell, **arrays}
    return json.dumps(whole, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _book(store: Store, role: Role, form: str, book: str) -> str:
    folder = books_dir(role.name)
    known = sorted(one.name.removesuffix(".json") for one in store.tree.entries(folder) if one.name.endswith(".json"))
    if not book and len(known) == 1:
        book = known[0]
    if book not in known:
        raise BadParamsError(f"book: the role {role.name!r} has {', '.join(known) or 'none'}; say which with `book`")
    name = f"{folder}/{book}.json"
    try:
        data = store.tree.read(name, BOOK_BYTES)[0]
    except FileNotFoundError:
        raise BadParamsError(f"book: {name} is gone") from None
    value = read_json(data, name)
    _, found = lorebooks.lorebook_of(value)
    if found is None:
        raise RejectedFileError(Fault(name, 1, 1, "this is no lorebook of a form memd knows", "book.unknown"))
    if form == "world-info":
        return data.decode("utf-8-sig") if found is value else json.dumps(found, ensure_ascii=False, indent=2) + "\n"
    return json.dumps(lorebooks.from_world_info(found, book), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
