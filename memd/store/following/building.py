"""Bring the index on disk up to the files: all of them, or those that changed. Blocks; the daemon runs it in a child.

The files are read here and nowhere asked for: whoever wants an index of this workspace gets the one its files make.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.recall.lexicon import document_weights
from memd.errors import BadIndexError, RejectedFileError, StorageError
from memd.formats.derived import IndexedFile, Manifest
from memd.formats.documents import digest_of, documents_of, is_searched, limit_of, session_documents
from memd.formats.times import to_day
from memd.model.files import Purpose, Told, purpose_of, role_of, untold
from memd.model.names import is_name
from memd.storage.files import Identity, Tree
from memd.storage.index import FOLDER, sums_of, verified, write_manifest
from memd.storage.listing import walk
from memd.storage.lock import alone
from memd.text.analysis import LONGEST, words
from memd.text.characters import is_cjk

if TYPE_CHECKING:
    from memd.model.search import Document

TOLD_EACH = 100  # documents between two words of how far it is


@dataclass(slots=True)
class Built:
    """What a build came to."""

    files: int = 0
    read: int = 0
    put: int = 0
    dropped: int = 0
    documents: int = 0
    fresh: bool = False
    bytes: int = 0
    took_s: float = 0.0
    why: str = ""

    def view(self) -> dict[str, Any]:
        """Return it for a reply."""
        return {
            "documents": self.documents, "files": self.files, "read": self.read, "put": self.put,
            "dropped": self.dropped, "fresh": self.fresh, "bytes": self.bytes, "took_s": round(self.took_s, 3),
            "why": self.why,
        }  # fmt: skip


class _Wanted(NamedTuple):
    """What is asked of a build."""

    names: Collection[str] | None
    fresh: bool
    role_bytes: int
    told: Told


@dataclass(slots=True)
class _Written:
    """How far a build is, in bytes of files: read, and then as much again written."""

    told: Told
    of: int
    done: int = 0

    def read(self, size: int, number: int, count: int) -> None:
        """Hear of a document of a file of this size."""
        if number % TOLD_EACH == 0:
            self.told(self.done + size * number // count, 2 * self.of, "reading")

    def finish(self, size: int) -> None:
        """Hear that a file is read."""
        self.done += size
        self.told(self.done, 2 * self.of, "reading")

    def write(self) -> None:
        """Hear that all is read, and goes to the disk now."""
        self.told(self.of, 2 * self.of, "writing")


@dataclass(slots=True)
class _Change:
    """What of one file is other than the index has it."""

    name: str
    identity: Identity
    puts: list[tuple[Document, bytes]] = field(default_factory=list)
    drops: list[str] = field(default_factory=list)
    documents: dict[str, bytes] = field(default_factory=dict)
    prefix: bytes = b""
    lines: int = 0


def build(
    tree: Tree,
    cache_dir: str,
    *,
    names: Collection[str] | None,
    fresh: bool,
    role_bytes: int,
    now_s: float,
    told: Told = untold,
) -> Built:
    """Bring the index up to the files. `names`: only these may have changed; `fresh`: from nothing.

    `told` hears of bytes of files, and as much again for writing what was made of them.
    """
    begun_s = time.monotonic()
    if os.path.lexists(f"{cache_dir}/{FOLDER}") and not os.path.isdir(f"{cache_dir}/{FOLDER}"):
        os.unlink(f"{cache_dir}/{FOLDER}")  # whatever took its place: the cache is ours
    os.makedirs(f"{cache_dir}/{FOLDER}", mode=0o700, exist_ok=True)
    cache = Tree(cache_dir)
    try:
        with alone(f"{cache_dir}/{FOLDER}"):
            built = _build(tree, cache, _Wanted(names, fresh, role_bytes, told), now_s)
    finally:
        cache.close()
    built.took_s = time.monotonic() - begun_s
    return built


def _build(tree: Tree, cache: Tree, wanted: _Wanted, now_s: float) -> Built:
    built, names = Built(), wanted.names
    manifest: Manifest | None = None
    if wanted.fresh:
        built.why = "asked for"
    else:
        try:
            manifest = verified(cache)
        except BadIndexError as error:
            built.why = str(error)
    built.fresh = manifest is None
    held = dict(manifest.files) if manifest else {}
    listed = _listed(tree, None if manifest is None else names)
    gone = [
        name for name in (held if names is None or manifest is None else names) if name in held and name not in listed
    ]
    changes = _changes(tree, listed, held, wanted, built)
    folder = manifest.folder if manifest else f"g{time.time_ns():x}"
    path = f"{cache.path}/{FOLDER}/{folder}"
    if manifest is None:
        os.makedirs(path, mode=0o700)
    drops = [key for name in gone for key in held[name].documents]
    for name in gone:
        del held[name]
    pages = _Written(wanted.told, sum(one[2] for name, one in listed.items() if not _stands(held.get(name), one)))
    _write(path, manifest is None, drops, changes, held, built, pages)
    sums = sums_of(cache, f"{FOLDER}/{folder}")
    done = Manifest(folder, sums, held, now_s)
    write_manifest(cache, done)
    _clear(cache, folder)
    built.files, built.documents = len(held), done.documents
    built.bytes = sum(size for size, _ in sums.values())
    return built


def _listed(tree: Tree, names: Collection[str] | None) -> dict[str, Identity]:
    if names is None:
        return {name: state for name, state in walk(tree).files.items() if _is_indexed(name)}
    states = ((name, tree.identify(name)) for name in names if _is_indexed(name))
    return {name: state for name, state in states if state is not None}


def _is_indexed(name: str) -> bool:
    return is_searched(name) and (purpose_of(name) is not Purpose.MEMORY or is_name(role_of(name)))


def _stands(known: IndexedFile | None, identity: Identity) -> bool:
    return known is not None and known.identity == tuple(identity)


def _changes(
    tree: Tree, listed: Mapping[str, Identity], held: dict[str, IndexedFile], wanted: _Wanted, built: Built
) -> Iterator[_Change]:
    for name, identity in listed.items():
        known = held.get(name)
        if _stands(known, identity):
            continue
        limit = wanted.role_bytes if purpose_of(name) is Purpose.MEMORY else limit_of(name)
        try:
            data, state = tree.read(name, limit)
            grown = _grown(name, data, known)
            found = documents_of(name, data).documents if grown is None else grown
        except (RejectedFileError, StorageError, FileNotFoundError):
            continue  # what was indexed of it last stands; `memd check` tells about it
        built.read += 1
        change = _Change(name, state, prefix=_prefix(name, data), lines=data.count(b"\n"))
        before = dict(known.documents) if known else {}
        if grown is not None:
            change.documents, before = before, {}
        for document in found:
            digest = digest_of(document)
            was = before.pop(document.key, None)
            change.documents[document.key] = digest
            if was != digest:
                change.puts.append((document, digest))
                change.drops.extend([document.key] if was is not None else [])
        change.drops.extend(before)
        yield change


def _prefix(name: str, data: bytes) -> bytes:
    """Return a digest of a session's bytes, by which it is known again when it has grown."""
    return hashlib.blake2b(data, digest_size=16).digest() if purpose_of(name) is Purpose.SESSION else b""


def _grown(name: str, data: bytes, known: IndexedFile | None) -> tuple[Document, ...] | None:
    """Return the documents behind those that are indexed, where a session has only grown; None where it has not."""
    if known is None or not known.prefix or purpose_of(name) is not Purpose.SESSION:
        return None
    size = known.identity[2]
    if len(data) <= size or data[size - 1 : size] != b"\n" or _prefix(name, data[:size]) != known.prefix:
        return None
    return session_documents(name, data[size:], known.lines + 1).documents


def _write(
    path: str,
    fresh: bool,
    drops: Iterable[str],
    changes: Iterator[_Change],
    held: dict[str, IndexedFile],
    built: Built,
    pages: _Written,
) -> None:
    from memd.storage import index_schema  # noqa: PLC0415  whoosh takes 0.2 s to import

    index = index_schema.make_index(path) if fresh else index_schema.open_index(path)
    writer = index.writer(limitmb=index_schema.MEMORY_MB)
    touched = False
    try:
        gone = list(drops)
        for change in changes:
            gone.extend(change.drops)
            for number, (document, digest) in enumerate(change.puts):
                writer.add_document(**fields_of(document, digest))
                built.put += 1
                pages.read(change.identity[2], number, len(change.puts))
            pages.finish(change.identity[2])
            held[change.name] = IndexedFile(change.identity, change.documents, change.prefix, change.lines)
        if gone:
            built.dropped = index_schema.drop(writer, gone)  # of what stood before; what was put now stays
        touched = bool(built.put or built.dropped)
        pages.write()
        if touched:
            writer.commit(mergetype=index_schema.merge_policy)
        else:
            writer.cancel()
    except BaseException:
        with contextlib.suppress(Exception):
            writer.cancel()
        raise


def fields_of(document: Document, digest: bytes) -> dict[str, Any]:
    """Return what the index holds of a document."""
    terms = document_weights(document, unigrams=False)
    spoken = {word[:LONGEST] for text in document.texts for word in words(text) if not is_cjk(word[0])}
    return {
        "terms": terms,
        "words": spoken - terms.keys(),  # a word that is its own stem is found there
        "key": (document.key,),
        "name": (document.name,),
        "role": (document.role,) if document.role else (),
        "kind": (document.kind,),
        "tag": tuple(tag.casefold() for tag in document.tags),
        "day": (to_day(document.when_s),) if document.when_s is not None else (),
        "at": document.when_s or 0.0,
        "called": document.key.encode("utf-8", "replace"),
        "shown": (
            document.key, document.kind, document.name, document.role, document.id, document.title, document.text,
            document.keys, document.topics, document.tags, document.when_s, document.line, digest,
        ),
    }  # fmt: skip


def _clear(cache: Tree, kept: str) -> None:
    """Remove the folders of earlier indexes; a reader that has one open keeps its files."""
    for entry in cache.entries(FOLDER):
        path = f"{cache.path}/{FOLDER}/{entry.name}"
        if entry.is_dir and entry.name != kept:
            shutil.rmtree(path, ignore_errors=True)
        elif not entry.is_dir and entry.name != "manifest":
            with contextlib.suppress(OSError):
                os.unlink(path)
