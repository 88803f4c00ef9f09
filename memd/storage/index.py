"""The full-text index on disk: verified before it is opened, read here, thrown away at any fault.

It lies in the user's cache directory, never in a workspace: opening one runs pickle, and a workspace may be a
stranger's. Every one of its files must have the digest that the manifest tells, or it is not opened.

Units
    Scores are BM25 over the gains that the caller gives. Document numbers are the reader's own.
Errors
    BadIndexError where it cannot be used, whatever the cause; the caller builds another.
Source
    docs/design/substrate.md#whoosh: twelve kinds of damage raised eight types of exception.
"""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memd.errors import BadIndexError, StorageError
from memd.formats.derived import Manifest, Sum, dump_cache, load_manifest
from memd.model.search import Document
from memd.storage.replace import replace
from memd.text.characters import is_cjk

if TYPE_CHECKING:
    from memd.storage.files import Tree

FOLDER = "index"
MANIFEST = "index/manifest"
MANIFEST_BYTES = 1 << 30
WRITELOCK = "MAIN_WRITELOCK"
K1_SPACED, B_SPACED = 0.9, 0.3
K1_CJK, B_CJK = 1.2, 0.75
LAST = "\U0010ffff"


class Found(NamedTuple):
    """A document as the index holds it, and the digest it was indexed under."""

    number: int
    document: Document
    digest: bytes


def make_ready() -> None:
    """Import what a reader needs, so that the first search need not wait for it. Blocks."""
    from memd.storage import index_schema  # noqa: F401, PLC0415  a start does not wait for it either


def read_manifest(tree: Tree) -> Manifest:
    """Return the manifest of a cache directory, or raise BadIndexError."""
    try:
        manifest = load_manifest(tree.read(MANIFEST, MANIFEST_BYTES)[0])
    except FileNotFoundError:
        raise BadIndexError("there is none yet") from None
    except (StorageError, OSError, ValueError) as error:
        raise BadIndexError(str(error)) from None
    if manifest is None:
        raise BadIndexError("its manifest is damaged or of another version")
    return manifest


def write_manifest(tree: Tree, manifest: Manifest) -> None:
    """Put a manifest in its place."""
    replace(tree, MANIFEST, dump_cache(manifest))


def sums_of(tree: Tree, folder: str) -> dict[str, Sum]:
    """Return sizes and digests of the index's files. Blocks."""
    return {name: _sum(data) for name, data in _files(tree, folder)}


def verified(tree: Tree) -> Manifest:
    """Return the manifest of an index whose every file is as it tells, or raise BadIndexError. Blocks."""
    manifest = read_manifest(tree)
    try:
        sums = sums_of(tree, _folder_of(manifest))
    except (StorageError, OSError, ValueError) as error:
        raise BadIndexError(str(error)) from None
    if sums != manifest.sums:
        raise BadIndexError("its files are not those of its manifest")
    return manifest


def open_reader(tree: Tree) -> tuple[Manifest, Reader]:
    """Verify and open the index of a cache directory, or raise BadIndexError. Blocks.

    The reader keeps the bytes that were verified: a file that is cut or changed later cannot reach it.
    """
    manifest = read_manifest(tree)
    try:
        files = dict(_files(tree, _folder_of(manifest)))
    except (StorageError, OSError, ValueError) as error:
        raise BadIndexError(str(error)) from None
    if {name: _sum(data) for name, data in files.items()} != manifest.sums:
        raise BadIndexError("its files are not those of its manifest")
    try:
        return manifest, Reader(files)
    except Exception as error:  # whoosh raises what its pickles and structs raise
        raise BadIndexError(f"it cannot be opened: {type(error).__name__}") from None


def _folder_of(manifest: Manifest) -> str:
    folder = manifest.folder
    if "/" in folder or folder in ("", ".", ".."):
        raise BadIndexError("its manifest names no folder of its own")
    return f"{FOLDER}/{folder}"


def _files(tree: Tree, folder: str) -> Iterator[tuple[str, bytes]]:
    for entry in tree.entries(folder):
        if not entry.is_file:
            raise BadIndexError(f"{entry.name} in it is not a file")  # a link would be opened unverified
        if entry.name != WRITELOCK:
            yield entry.name, tree.read(f"{folder}/{entry.name}", 1 << 40)[0]


def _sum(data: bytes) -> Sum:
    return len(data), hashlib.sha256(data).digest()


class Reader:
    """One generation of the index; close it when another takes its place.

    Its files have one position each, so threads take turns: hold `turn` around whatever asks it more than one thing.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        from memd.storage import index_schema  # noqa: PLC0415  whoosh takes 0.2 s to import; few calls need it

        self.turn = threading.RLock()
        self._reader = index_schema.open_copy(files).reader()
        self._leaves = index_schema.leaves(self._reader)
        self._lengths: list[list[int]] = [[] for _ in self._leaves]
        self._newest: list[int] = []
        total = float(self._reader.field_length("terms"))
        self.average = total / max(1, int(self._reader.doc_count_all()))

    def close(self) -> None:
        """Let go of the index's files."""
        self._reader.close()

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return int(self._reader.doc_count())

    def holders(self, terms: Iterable[str]) -> dict[str, int]:
        """Return how many documents have each term."""
        with self.turn:
            return {term: int(self._reader.doc_frequency("terms", term.encode("utf-8", "replace"))) for term in terms}

    def having(self, field: str, values: Iterable[str]) -> set[int]:
        """Return the documents that have any of these values in a field."""
        found: set[int] = set()
        for value in values:
            found.update(self._holding(field, value))
        return found

    def having_all(self, terms: Collection[str]) -> AbstractSet[int]:
        """Return the documents that have every one of these terms."""
        rarest = sorted(
            terms, key=lambda term: int(self._reader.doc_frequency("terms", term.encode("utf-8", "replace")))
        )
        found: set[int] | None = None
        for term in rarest:
            here = set(self._holding("terms", term))
            found = here if found is None else found & here
            if not found:
                return set()
        return found if found is not None else self.everything

    @cached_property
    def everything(self) -> frozenset[int]:
        """Every document's number."""
        return frozenset(self._reader.all_doc_ids())

    def values(self, field: str, prefix: str, fits: Callable[[str], bool]) -> list[str]:
        """Return the values of a field that begin so and fit."""
        found: list[str] = []
        for raw in self._reader.expand_prefix(field, prefix.encode("utf-8", "replace")):
            value = bytes(raw).decode("utf-8", "replace")
            if fits(value):
                found.append(value)
        return found

    def scores(self, gains: Mapping[str, float], within: Collection[int] | None = None) -> dict[int, float]:
        """Return the BM25 sum of every document that has a term; `gains` are idf times the term's own weight."""
        found: dict[int, float] = {}
        get = found.get
        for at, (leaf, offset) in enumerate(self._leaves):
            lengths = self._leaf_lengths(at)
            for term, gain in gains.items():
                raw = term.encode("utf-8", "replace")
                if ("terms", raw) not in leaf:
                    continue
                k1, b = (K1_CJK, B_CJK) if is_cjk(term[0]) else (K1_SPACED, B_SPACED)
                flat, slope, most = k1 * (1 - b), k1 * b / (self.average or 1.0), gain * (k1 + 1)
                matcher = leaf.postings("terms", raw)
                while matcher.is_active():
                    inner = matcher.id()
                    number = inner + offset
                    if within is None or number in within:
                        weight = matcher.weight()
                        found[number] = get(number, 0.0) + most * weight / (weight + flat + slope * lengths[inner])
                    matcher.next()
        return found

    def read(self, numbers: Iterable[int]) -> Iterator[Found]:
        """Yield documents by their numbers."""
        for number in numbers:
            *shown, digest = self._reader.stored_fields(number)["shown"]
            yield Found(number, Document(*shown), digest)

    def newest(self) -> list[int]:
        """Return every document in the order of their times, the newest first; those of one time, or without one, by their keys."""
        if not self._newest and self.documents:
            at, called = (self._reader.column_reader(field, translate=False) for field in ("at", "called"))
            order = [(-at[number], called[number], number) for number in self.everything]
            self._newest = [number for *_, number in sorted(order)]
        return self._newest

    def number_at(self, keys: Iterable[str]) -> set[int]:
        """Return the numbers of the documents with these keys."""
        return self.having("key", keys)

    def days(self, after: str, before: str) -> list[str]:
        """Return the days (YYYY-MM-DD) that documents have, from one to another, both included."""
        known = sorted(self.values("day", "", lambda _: True))
        return known[bisect_left(known, after) : bisect_left(known, before + LAST)]

    def _holding(self, field: str, value: str) -> Iterator[int]:
        raw = value.encode("utf-8", "replace")
        for leaf, offset in self._leaves:
            if (field, raw) in leaf:
                for number in leaf.postings(field, raw).all_ids():
                    yield number + offset

    def _leaf_lengths(self, at: int) -> list[int]:
        leaf = self._leaves[at][0]
        if not self._lengths[at]:
            self._lengths[at] = [leaf.doc_field_length(n, "terms") for n in range(leaf.doc_count_all())]
        return self._lengths[at]
