"""The fields of the Whoosh index, and writing to it. Imported only where an index is opened: Whoosh is slow to load.

The analysis is memd's own: a document comes with its weighted terms, and Whoosh keeps postings, not opinions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from whoosh import columns, fields, formats, index
from whoosh.filedb.filestore import RamStorage
from whoosh.reading import IndexReader, SegmentReader

SEGMENTS = 6  # more than this are merged
TERMS, WORDS, KEY, NAME, ROLE, KIND, TAG, DAY = "terms", "words", "key", "name", "role", "kind", "tag", "day"
AT, CALLED = "at", "called"  # of a document: its time in seconds, 0 where it has none, and its key
MEMORY_MB = 96  # of postings before they are sorted onto disk


class Weighted(fields.FieldType):  # type: ignore[misc]
    """Terms that come with their weights; the length of a document is the sum of them."""

    def __init__(self) -> None:
        self.format = formats.Existence()
        self.analyzer = None
        self.scorable, self.stored, self.unique, self.indexed = True, False, False, True
        self.multitoken_query, self.vector, self.column_type = "default", None, None

    def index(self, value: Mapping[str, float], **_: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        """Yield each term with its length, weight and no further value."""
        for term, weight in value.items():
            yield term.encode("utf-8", "replace"), max(1, round(weight)), weight, b""


class Exact(fields.FieldType):  # type: ignore[misc]
    """Values as they are."""

    def __init__(self) -> None:
        self.format = formats.Existence()
        self.analyzer = None
        self.scorable, self.stored, self.unique, self.indexed = False, False, False, True
        self.multitoken_query, self.vector, self.column_type = "default", None, None

    def index(self, value: Iterable[str], **_: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        """Yield each value once."""
        for one in set(value):
            yield one.encode("utf-8", "replace"), 1, 1.0, b""


def schema() -> fields.Schema:
    """Return the fields of every document; `shown` is what an answer needs of it, `at` and `called` put many in order."""
    exact = {name: Exact() for name in (WORDS, KEY, NAME, ROLE, KIND, TAG, DAY)}
    order = {AT: fields.COLUMN(columns.NumericColumn("d", 0.0)), CALLED: fields.COLUMN(columns.VarBytesColumn())}
    return fields.Schema(terms=Weighted(), shown=fields.STORED(), **exact, **order)


def make_index(path: str) -> Any:
    """Make an empty index in an empty directory."""
    return index.create_in(path, schema())


def open_index(path: str) -> Any:
    """Open an index for writing, whose files were verified: opening one runs pickle."""
    return index.open_dir(path)


def open_copy(files: dict[str, bytes]) -> Any:
    """Open an index for reading from the very bytes that were verified: what happens to its files cannot reach it."""
    storage = RamStorage()
    storage.files.update(files)
    return storage.open_index()


def merge_policy(writer: Any, segments: list[Any]) -> list[Any]:
    """Keep the number of segments bounded: merge the small ones, and all where they outgrow the largest."""
    if len(segments) < SEGMENTS:
        return segments
    ordered = sorted(segments, key=lambda one: int(one.doc_count_all()))
    largest = ordered.pop()
    if sum(int(one.doc_count_all()) for one in ordered) * 2 > largest.doc_count_all():
        ordered.append(largest)
    for segment in ordered:
        reader = SegmentReader(writer.storage, writer.schema, segment)
        writer.add_reader(reader)
        reader.close()
    return [one for one in segments if one not in ordered]


def leaves(reader: IndexReader) -> list[tuple[Any, int]]:
    """Return the segments of a reader, each with the number of its first document."""
    return [(leaf, offset) for leaf, offset in reader.leaf_readers()]


def drop(writer: Any, keys: Iterable[str]) -> int:
    """Delete the documents with these keys; return how many there were."""
    wanted = [key.encode("utf-8", "replace") for key in keys]
    if not wanted:
        return 0
    count = 0
    with writer.reader() as reader:
        for leaf, offset in leaves(reader):
            for key in wanted:
                if (KEY, key) not in leaf:
                    continue
                for number in leaf.postings(KEY, key).all_ids():
                    writer.delete_document(number + offset)
                    count += 1
    return count
