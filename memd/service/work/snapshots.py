"""snapshot.take and snapshot.sections: curated memory frozen, stored once by its digest, and rendered for prompts."""

from __future__ import annotations

import hashlib
from typing import Any

from memd.engine.work.runtime import Frozen, freeze, sections_of
from memd.errors import RejectedFileError, SnapshotBrokenError, SnapshotUnknownError, StorageError
from memd.formats.curated_edit import entries_of, other_lines
from memd.formats.strict_json import StrictError, loads
from memd.model.change import Operation, Put
from memd.model.scan import Danger
from memd.model.work.snapshot import PromptSection
from memd.service.memory.records import LEAST_PREFIX
from memd.service.memory.screening import make_ready
from memd.service.workspace import Workspace
from memd.storage.layout import CURATED, SNAPSHOTS, snapshot_file
from memd.storage.side import identify_side, list_side

DIGEST_CHARS = 64


async def freeze_now(workspace: Workspace) -> tuple[Frozen, list[str]]:
    """Return the snapshot of the curated files as they are, and what could not be read of them."""
    await make_ready(workspace)
    texts: dict[str, str] = {}
    faults: list[str] = []
    for name in CURATED:
        try:
            texts[name] = workspace.texts.read(workspace.tree, name) or ""
        except (RejectedFileError, StorageError) as error:
            faults.append(str(error))
            texts[name] = ""
    withheld = {name: _withheld(workspace, text) for name, text in texts.items()}
    return freeze(texts, withheld), faults


def _withheld(workspace: Workspace, text: str) -> list[str]:
    """Return the entries that may not stand in a prompt before a person has approved them."""
    if not workspace.settings.gate.scan:
        return []
    quarantine, orders = workspace.keeping.quarantine, workspace.keeping.learned.orders

    def is_unsafe(piece: str) -> bool:
        dangers = [x for x in quarantine.look(piece, orders).found if x.danger is not Danger.SECRET and not x.mild]
        return bool(dangers) and not quarantine.is_approved(piece)

    others = other_lines(text)
    found = [piece for piece in (*(one.text for one in entries_of(text)), *others) if is_unsafe(piece)]
    if is_unsafe(" ".join(line.lstrip("# ") for line in others)):  # an order that goes over several lines
        found += [line for line in others if line not in found]
    return found


def storing(workspace: Workspace, frozen: Frozen) -> list[Operation]:
    """Return what stores a snapshot: nothing where it is stored already."""
    name = snapshot_file(frozen.digest)
    if name in workspace.texts.held or identify_side(workspace.tree, name) is not None:
        return []
    return [Put(name, None, frozen.text)]


async def take_snapshot(workspace: Workspace) -> dict[str, Any]:
    """Freeze the curated files and store the snapshot; equal content has equal bytes, and is stored once."""
    frozen, faults = await freeze_now(workspace)
    operations = storing(workspace, frozen)
    if operations:
        await workspace.commit(lambda _: operations, at_s=workspace.ports.now())
    reply = {"digest": frozen.digest, "file": snapshot_file(frozen.digest), "stored": bool(operations)}
    reply |= {"sections": shown(sections_of(loads(frozen.text.encode())))}
    return {**reply, "faults": faults} if faults else reply


async def sections(workspace: Workspace, digest: str) -> dict[str, Any]:
    """Return the prompt sections of a stored snapshot, by its digest or the beginning of it."""
    whole = _whole(workspace, digest)
    name = snapshot_file(whole)
    text = workspace.texts.read(workspace.tree, name)
    if text is None:
        raise SnapshotUnknownError(digest)
    data = text.encode("utf-8", "surrogatepass")
    if hashlib.sha256(data).hexdigest() != whole:
        raise SnapshotBrokenError(name)
    try:
        value = loads(data)
        found = shown(sections_of(value))
    except (StrictError, AttributeError, TypeError):
        raise SnapshotBrokenError(name) from None
    return {"digest": whole, "file": name, "sections": found, "files": value.get("files", [])}


def _whole(workspace: Workspace, digest: str) -> str:
    if len(digest) == DIGEST_CHARS and all(char in "0123456789abcdef" for char in digest):
        return digest
    stored = [entry.name for entry in list_side(workspace.tree, SNAPSHOTS) if entry.is_file]
    stored += [name.rpartition("/")[2] for name in workspace.texts.names(SNAPSHOTS)]
    fits = {name.removesuffix(".json") for name in stored if len(digest) >= LEAST_PREFIX and name.startswith(digest)}
    if len(fits) != 1:
        raise SnapshotUnknownError(digest)
    return fits.pop()


def shown(found: list[PromptSection]) -> list[dict[str, str]]:
    """Return sections as replies tell them."""
    return [{"name": one.name, "title": one.title, "content": one.content} for one in found]
