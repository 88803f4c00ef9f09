"""A role's memories or one of its books, in a form that other programs read. What came in goes out again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from memd.errors import BadParamsError, Fault, RejectedFileError
from memd.formats.books import BOOK_BYTES
from memd.formats.foreign import lorebooks
from memd.formats.foreign.agent_files import ARRAYS, dump_management
from memd.formats.role_memory import shell_of
from memd.formats.strict_json import read_json
from memd.formats.times import to_ms
from memd.service.care.importing import MARK
from memd.storage.layout import books_dir

if TYPE_CHECKING:
    from memd.model.memory import Kind
    from memd.store.role.role import Role
    from memd.store.store import Store

FORMS = ("memory", "management", "world-info", "card-v2")


async def exported(store: Store, role: Role, form: str, book: str) -> str:
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
