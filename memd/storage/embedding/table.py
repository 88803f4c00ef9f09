"""The vectors of texts: rows of 8-bit numbers in memory and in one flat file, each row with a check of its own.

The file is derived: what is damaged of it is left out and embedded again. A row is a window of a text; the windows of one
text stand together. `levels` of a row: mean and deviation of its cosines with the background's questions in English and in
Chinese, then with the statements, so that a cosine can be judged without the background.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from memd.storage.embedding.model import Floats

MAGIC = b"memd vectors 1\n"
DIGEST_BYTES, CHECK_BYTES = 16, 8
LEVELS = 8
LONGEST = 8192  # numbers of a vector
MOST_ROWS = 200_000  # of a workspace: about 90 MB with the packaged model
FORGOTTEN_DAYS = 60  # a text that no role had for so long is forgotten
CHUNK = 1024
STEPS = 127


class Rows(NamedTuple):
    """The windows of one text, as they are kept."""

    chinese: bool
    numbers: Any  # int8, a window a row
    scales: Any
    levels: Any  # float32, LEVELS a window


def packed(vectors: Floats) -> tuple[Any, Any]:
    """Return vectors as 8-bit numbers, and what each row is to be multiplied with."""
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-9) / STEPS
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def unpacked(numbers: Any, scales: Any) -> Floats:
    """Return the vectors of rows, but for what rounding took."""
    vectors: Floats = numbers.astype(np.float32) * scales[:, None]
    return vectors


class Table:
    """Rows of texts by digest. `version` grows when rows come to lie elsewhere; `changed`: the file is another."""

    def __init__(self, length: int) -> None:
        self.length, self.version, self.changed = length, 0, False
        self._records = np.zeros(64, dtype=_record(length))
        self._used = 0
        self._places: dict[bytes, tuple[int, int]] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._places

    @property
    def rows(self) -> int:
        """How many windows there are."""
        return sum(count for _, count in self._places.values())

    def place(self, digest: bytes) -> tuple[int, int] | None:
        """Return where the rows of a text begin, and how many there are."""
        return self._places.get(digest)

    def put(self, digest: bytes, rows: Rows, day: int) -> None:
        """Keep the windows of a text that has none yet, as far as there is room."""
        count = len(rows.numbers)
        if digest in self._places or self._used + count > MOST_ROWS:
            return
        if self._used + count > len(self._records):
            grown = np.zeros(max(self._used + count, len(self._records) * 5 // 4), dtype=self._records.dtype)
            grown[: self._used] = self._records[: self._used]
            self._records = grown
        new = self._records[self._used : self._used + count]
        new["text"] = np.frombuffer(digest, dtype=f"V{DIGEST_BYTES}")[0]
        new["at"], new["of"], new["chinese"], new["day"] = np.arange(count), count, rows.chinese, day
        new["scale"], new["levels"], new["row"] = rows.scales, rows.levels, rows.numbers
        self._places[digest] = (self._used, count)
        self._used += count
        self.changed = True

    def drop(self, digests: Iterable[bytes]) -> None:
        """Let go of texts; the room is used again after `pack`."""
        for digest in digests:
            if self._places.pop(digest, None) is not None:
                self.changed = True

    def keep(self, digests: Container[bytes]) -> None:
        """Let go of all but these texts, and have the file written anew."""
        self.drop([one for one in self._places if one not in digests])
        self.changed = True

    def see(self, digests: Iterable[bytes], day: int) -> None:
        """Note that a role has these texts today."""
        for digest in digests:
            begin, count = self._places.get(digest, (0, 0))
            self._records["day"][begin : begin + count] = day

    def get(self, digest: bytes) -> Rows:
        """Return the windows of a text."""
        begin, count = self._places[digest]
        part = self._records[begin : begin + count]
        return Rows(bool(part["chinese"][0]), part["row"], part["scale"], part["levels"])

    def cosines(self, at: Any, vector: Floats) -> Floats:
        """Return how near rows are to a vector, by their places."""
        rows, scales = self._records["row"], self._records["scale"]
        found = np.empty(len(at), dtype=np.float32)
        for begin in range(0, len(at), CHUNK):
            part = at[begin : begin + CHUNK]
            found[begin : begin + CHUNK] = (rows[part].astype(np.float32) @ vector) * scales[part]
        return found

    def levels(self, at: Any) -> tuple[Any, Any]:
        """Return the levels of rows, and which of them are of Chinese texts."""
        return self._records["levels"][at], self._records["chinese"][at] != 0

    def measured(self, levels_of: Any) -> None:
        """Measure every row anew against another background."""
        for begin in range(0, self._used, CHUNK):
            part = self._records[begin : min(self._used, begin + CHUNK)]
            part["levels"] = levels_of(unpacked(part["row"], part["scale"]))
        self.changed = True

    def pack(self) -> None:
        """Close the gaps of what was dropped."""
        if self._used == self.rows:
            return
        keep = [row for begin, count in self._places.values() for row in range(begin, begin + count)]
        self._records = self._records[np.array(keep, dtype=np.int64)]
        self._used = len(keep)
        at = 0
        for digest, (_, count) in self._places.items():
            self._places[digest] = (at, count)
            at += count
        self.version += 1

    def dump(self, key: str, background: str) -> bytes:
        """Return the bytes of the file."""
        self.pack()
        self.changed = False
        records = self._records[: self._used]
        width = records.dtype.itemsize - CHECK_BYTES
        body = bytearray(records.tobytes())
        for begin in range(0, len(body), width + CHECK_BYTES):
            body[begin + width : begin + width + CHECK_BYTES] = _check(body[begin : begin + width])
        head = b"%s%s %s %d\n" % (MAGIC, key.encode(), background.encode(), self.length)
        return head + _check(head) + bytes(body)


def load_table(data: bytes, key: str, day: int) -> tuple[Table, str] | None:
    """Return the table of a file and the background it was measured against; None where another model made it.

    A row that is damaged is left out, with its text; so are texts that nobody had for FORGOTTEN_DAYS.
    """
    end = data.find(b"\n", len(MAGIC)) + 1
    head, body = data[:end], data[end + CHECK_BYTES :]
    if not data.startswith(MAGIC) or not end or data[end : end + CHECK_BYTES] != _check(head):
        return None
    made_by, background, length = head[len(MAGIC) :].decode("ascii", "replace").split()
    if made_by != key or not 0 < int(length) <= LONGEST:
        return None
    table = Table(int(length))
    kind = _record(table.length)
    whole = np.frombuffer(body[: len(body) // kind.itemsize * kind.itemsize], dtype=kind)
    for begin, count in _whole_texts(whole, body):
        part = whole[begin : begin + count]
        if int(part["day"][0]) + FORGOTTEN_DAYS >= day:
            rows = Rows(bool(part["chinese"][0]), part["row"], part["scale"], part["levels"])
            table.put(part["text"][0].tobytes(), rows, int(part["day"][0]))
    table.changed = len(table) == 0 or table.rows != len(whole)
    return table, background


def _whole_texts(records: Any, body: bytes) -> Iterator[tuple[int, int]]:
    """Yield where a text begins and how many rows it has, of those texts of which every row is sound."""
    size = records.dtype.itemsize
    texts, at, of = records["text"], records["at"].tolist(), records["of"].tolist()
    begin = 0
    while begin < len(records):
        end = begin + 1
        while end < len(records) and texts[end] == texts[begin]:
            end += 1
        rows = range(begin, end)
        in_order = [at[row] for row in rows] == list(range(end - begin)) and of[begin] == end - begin
        if in_order and all(_is_sound(body[row * size : (row + 1) * size]) for row in rows):
            yield begin, end - begin
        begin = end


def _record(length: int) -> Any:
    return np.dtype([
        ("text", f"V{DIGEST_BYTES}"), ("at", "u1"), ("of", "u1"), ("chinese", "u1"), ("room", "u1"), ("day", "<u4"),
        ("scale", "<f4"), ("levels", "<f4", (LEVELS,)), ("row", "i1", (length,)), ("check", f"V{CHECK_BYTES}"),
    ])  # fmt: skip


def _check(data: bytes | bytearray) -> bytes:
    return hashlib.blake2b(data, digest_size=CHECK_BYTES).digest()


def _is_sound(record: bytes) -> bool:
    return record[-CHECK_BYTES:] == _check(record[:-CHECK_BYTES])
