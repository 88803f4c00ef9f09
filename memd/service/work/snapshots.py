"""Snapshots: curated memory frozen, stored once by its digest, and rendered for prompts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.work.visible import Frozen, freeze, sections_of
from memd.errors import RejectedFileError, SnapshotBrokenError, SnapshotUnknownError, StorageError
from memd.errors.remembering import LEAST_PREFIX
from memd.formats.curated import without_entries
from memd.formats.strict_json import StrictError, loads
from memd.model.change import Operation, Put
from memd.service.memory.egress import withheld_pieces, without_secrets
from memd.storage.layout import CURATED, SNAPSHOTS, snapshot_file
from memd.storage.listing import identify_side, list_side

if TYPE_CHECKING:
    from memd.model.runs import PromptSection
    from memd.store.store import Store

DIGEST_CHARS = 64


async def freeze_now(store: Store) -> tuple[Frozen, list[str]]:
    """Return the snapshot of the curated files as they are, without secrets, and what could not be read of them."""
    texts: dict[str, str] = {}
    faults: list[str] = []
    for name in CURATED:
        try:
            texts[name] = store.texts.read(store.tree, name) or ""
        except (RejectedFileError, StorageError) as error:
            faults.append(str(error))
            texts[name] = ""
    plain = {name: await without_secrets(store, text) for name, text in texts.items()}
    withheld = {name: await withheld_pieces(store, text) for name, text in plain.items()}
    return freeze(plain, withheld), faults


def storing(store: Store, frozen: Frozen) -> list[Operation]:
    """Return what stores a snapshot: nothing where it is stored already."""
    name = snapshot_file(frozen.digest)
    if name in store.texts.held or identify_side(store.tree, name) is not None:
        return []
    return [Put(name, None, frozen.text)]


class Taken(NamedTuple):
    """A snapshot that was taken; `stored`: just now. `faults`: what could not be read of the files."""

    digest: str
    stored: bool
    sections: list[PromptSection]
    faults: list[str]


async def take_snapshot(store: Store) -> Taken:
    """Freeze the curated files and store the snapshot; equal content has equal bytes, and is stored once."""
    frozen, faults = await freeze_now(store)
    operations = storing(store, frozen)
    if operations:
        await store.commit(lambda _: operations, at_s=store.ports.now())
    return Taken(frozen.digest, bool(operations), sections_of(loads(frozen.text.encode())), faults)


class StoredSnapshot(NamedTuple):
    """A snapshot as a model may read it; `files` have `name` and `text`."""

    digest: str
    file: str
    sections: list[PromptSection]
    files: list[dict[str, str]]


async def stored_snapshot(store: Store, digest: str) -> StoredSnapshot:
    """Return a stored snapshot, by its digest or the beginning of it."""
    whole = _whole(store, digest)
    name = snapshot_file(whole)
    text = store.texts.read(store.tree, name)
    if text is None:
        raise SnapshotUnknownError(digest)
    data = text.encode("utf-8", "surrogatepass")
    if hashlib.sha256(data).hexdigest() != whole:
        raise SnapshotBrokenError(name)
    try:
        value = loads(data)
        files = [
            _File(str(one.get("name", "")), str(one.get("text", "")), one.get("withheld", ())) for one in value["files"]
        ]
    except (StrictError, AttributeError, KeyError, TypeError):
        raise SnapshotBrokenError(name) from None
    safe = [{"name": one.name, "text": await _safe(store, one)} for one in files]
    return StoredSnapshot(whole, name, sections_of({"files": safe}), safe)


class _File(NamedTuple):
    name: str
    text: str
    withheld: Sequence[str]


async def _safe(store: Store, file: _File) -> str:
    """Return a stored text as a model may read it.

    It may have been stored by a stranger, or before it was known to be unsafe: it is looked at as it is now.
    """
    text = await without_secrets(store, file.text)
    stored = [str(one) for one in file.withheld]
    return without_entries(text, [*stored, *await withheld_pieces(store, text)])


def _whole(store: Store, digest: str) -> str:
    if len(digest) == DIGEST_CHARS and all(char in "0123456789abcdef" for char in digest):
        return digest
    stored = [entry.name for entry in list_side(store.tree, SNAPSHOTS) if entry.is_file]
    stored += [name.rpartition("/")[2] for name in store.texts.names(SNAPSHOTS)]
    fits = {name.removesuffix(".json") for name in stored if len(digest) >= LEAST_PREFIX and name.startswith(digest)}
    if len(fits) != 1:
        raise SnapshotUnknownError(digest)
    return fits.pop()
