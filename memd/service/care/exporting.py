"""export: a role's memories or one of its books, in a form that other programs read. What came in goes out again."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from memd.errors import BadParamsError, StorageError
from memd.formats.books import BOOK_BYTES, read_json
from memd.formats.foreign import cards, lorebook_of
from memd.formats.foreign.role_memory import ARRAYS, dump_management
from memd.formats.times import to_ms
from memd.model.memory import Kind
from memd.service.care.importing import MARK
from memd.service.role import Role
from memd.service.workspace import Workspace
from memd.storage.layout import books_dir

FORMS = ("memory", "management", "world-info", "card-v2")
PART_CHARS = 400_000


async def give_out(workspace: Workspace, role_name: str, form: str, book: str, offset: int) -> dict[str, Any]:
    """Return what is exported from a character on; `next` is where the rest begins, null where there is none."""
    if form not in FORMS:
        raise BadParamsError(f"form: {form[:40]!r} is none of {', '.join(FORMS)}")
    role = await workspace.role(role_name)
    async with role.turn:
        await workspace.refresh(role)
        if form in ("memory", "management"):
            text = await asyncio.to_thread(_memories, _records(workspace, role), role, form)
        else:
            text = await asyncio.to_thread(_book, workspace, role, form, book)
    part = text[offset : offset + PART_CHARS]
    rest = offset + len(part)
    return {
        "role": role.name,
        "form": form,
        "content": part,
        "next": rest if rest < len(text) else None,
        "chars": len(text),
    }


def _records(workspace: Workspace, role: Role) -> list[tuple[Kind, dict[str, Any]]]:
    """Return the records as they are, with the uses that lie beside them."""
    uses = workspace.recalled.uses.get(role.name, {})
    found: list[tuple[Kind, dict[str, Any]]] = []
    for memory in role.compiled.memories.values():
        raw = role.raw(memory.kind, memory.id)
        if raw is None:
            continue
        record = {"id": memory.id, **{key: value for key, value in raw.items() if key != MARK}}
        if memory.id in uses:
            count, last_s = uses[memory.id]
            before = record.get("accessCount")
            record["accessCount"] = count + (before if isinstance(before, int) else 0)
            record["lastAccessed"] = to_ms(last_s)
        found.append((memory.kind, record))
    return found


def _memories(records: list[tuple[Kind, dict[str, Any]]], role: Role, form: str) -> str:
    if form == "management":
        return json.dumps(dump_management(records), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    arrays = {name: [record for kind, record in records if kind is wanted] for name, wanted in ARRAYS.items()}
    whole = {"characterUuid": role.profile.uuid or role.name, **arrays}
    return json.dumps(whole, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _book(workspace: Workspace, role: Role, form: str, book: str) -> str:
    folder = books_dir(role.name)
    known = sorted(
        one.name.removesuffix(".json") for one in workspace.tree.entries(folder) if one.name.endswith(".json")
    )
    if not book and len(known) == 1:
        book = known[0]
    if book not in known:
        raise BadParamsError(f"book: the role {role.name!r} has {', '.join(known) or 'none'}; say which with `book`")
    name = f"{folder}/{book}.json"
    try:
        data = workspace.tree.read(name, BOOK_BYTES)[0]
    except FileNotFoundError:
        raise BadParamsError(f"book: {name} is gone") from None
    value = read_json(data, name)
    _, found = lorebook_of(value)
    if found is None:
        raise StorageError(f"{name} is no lorebook")
    if form == "world-info":
        return data.decode("utf-8-sig") if found is value else json.dumps(found, ensure_ascii=False, indent=2) + "\n"
    return json.dumps(cards.from_world_info(found, book), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
