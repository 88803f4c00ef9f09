"""The write-ahead log: one synced line for what was acknowledged, until the files have it.

    {"memd":"wal","version":1,"writer":"5f0c21aa","n":40,"c":"…"}      the head: who writes, and the number before the first
    {"n":41,"at":"2026-11-21T03:10:00Z","ops":[…],"c":"…"}             acknowledged work
    {"applied":41,"parts":{"role:main":44},"c":"…"}                    the files have all of 41 and what is before it,
                                                                       and of later records what concerns role main, up to 44

A torn tail and damaged lines are moved to quarantine. Numbers never repeat for one writer: a log that vanished begins
with a new writer.

Errors
    StorageError and its kin: then nothing of the batch is acknowledged. After a failed sync the file is not trusted
    again: what it held is written to a new one (fsync may drop what it could not write; ATC '20, pp. 753-767).
"""

from __future__ import annotations

import contextlib
import errno
import secrets
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.errors import StorageReadOnlyError
from memd.formats.operations import load_operation, parts_of
from memd.formats.records import dump_record, load_record, read_lines
from memd.storage.files import Tree, translated, write_all
from memd.storage.layout import LOG, PRIVATE, QUARANTINE
from memd.storage.replace import append_to, create, open_append, replace

if TYPE_CHECKING:
    from memd.model.change import Operation
    from memd.storage.lock import Lock

CHECKPOINT_BYTES = 256 * 1024
KEPT_BYTES = 128 * 1024  # of finished records, for `memd recover` and for what a kill leaves behind
SYNC_FAILURES = 2  # in a row; then memd only reads until it is started again
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Record(NamedTuple):
    """One acknowledged batch: its number, its time, and its operations as JSON objects."""

    n: int
    at: str
    ops: tuple[dict[str, Any], ...]

    def dump(self) -> bytes:
        """Return the line."""
        return dump_record({"n": self.n, "at": self.at, "ops": list(self.ops)})


class Held(NamedTuple):
    """What a log file holds; `damaged` are the bytes that are no whole line of it."""

    writer: str
    last: int
    applied: int
    parts: dict[str, int]
    records: tuple[Record, ...]
    damaged: bytes

    def pending(self, record: Record) -> tuple[Operation, ...]:
        """Return the operations of a record of which some place may lack its part."""
        return pending_of(record, self.applied, self.parts)


def pending_of(record: Record, applied: int, parts: Mapping[str, int]) -> tuple[Operation, ...]:
    """Return what of a record is not in the files for certain.

    A place that has a later record has this one too, and may have been changed since: that is not done again.
    """
    if record.n <= applied:
        return ()
    found = (one for raw in record.ops if (one := load_operation(raw)) is not None)
    return tuple(one for one in found if any(parts.get(part, 0) < record.n for part in parts_of(one)))


def read_log(data: bytes) -> Held:
    """Return what the bytes of a log hold."""
    writer, last, applied = "", 0, 0
    records: list[Record] = []
    damaged: list[bytes] = []
    parts: dict[str, int] = {}
    whole: set[int] = set()  # records that a log of before was told to be in the files as a whole
    for line in read_lines(data):
        match line.value:
            case {"memd": "wal", "writer": str(writer), "n": int(n)}:
                last = applied = n
            case {"n": int(n), "at": str(at), "ops": list(ops)} if all(isinstance(one, dict) for one in ops):
                records.append(Record(n, at, tuple(ops)))
                last = max(last, n)
            case {"applied": int(n), **more}:
                applied = max(applied, n)
                _take_marks(more, parts, whole)
            case _:
                damaged.append(data[line.start : line.stop])
    for record in records:
        if record.n in whole:
            for raw in record.ops:
                operation = load_operation(raw)
                for part in parts_of(operation) if operation else ():
                    parts[part] = max(record.n, parts.get(part, 0))
    last = max([last, applied, *parts.values(), *whole])
    beyond = {part: n for part, n in parts.items() if n > applied}
    return Held(writer, last, applied, beyond, tuple(records), b"".join(damaged))


def _take_marks(more: Mapping[Any, Any], parts: dict[str, int], whole: set[int]) -> None:
    marks, done = more.get("parts"), more.get("done")
    for part, n in marks.items() if isinstance(marks, dict) else ():
        if isinstance(part, str) and isinstance(n, int):
            parts[part] = max(n, parts.get(part, 0))
    whole.update(one for one in (done if isinstance(done, list) else ()) if isinstance(one, int))


class Log:
    """The log of one workspace, held by its one writer. Not thread-safe: one caller at a time."""

    def __init__(self, tree: Tree, stamp: str, lock: Lock | None = None) -> None:
        """Open the log, or begin one. `stamp` names what goes to quarantine; `lock` must still be held to begin again."""
        self.tree, self.lock = tree, lock
        self.handle: int | None = None
        self.sync_failures = 0
        self._bytes = 0
        self._shortened = (0, 0)  # how far the files were when it was last to be shortened, and its length after that
        try:
            data = tree.read(LOG)[0]
        except FileNotFoundError:
            data = b""
        held = read_log(data)
        self.writer = held.writer or secrets.token_hex(4)
        self.last, self.applied, self.parts = held.last, held.applied, dict(held.parts)
        self.records = list(held.records)
        self.quarantined = self._quarantine(held.damaged, stamp) if held.damaged else ""
        if held.damaged or not held.writer:
            self._rewrite()
        self._open()

    def pending(self, record: Record) -> tuple[Operation, ...]:
        """Return the operations of a record of which some place may lack its part."""
        return pending_of(record, self.applied, self.parts)

    def append(self, records: list[Record]) -> None:
        """Write these records with one sync. They are acknowledged if this returns, and not at all if it raises."""
        self._write(b"".join(record.dump() for record in records), sync=True)
        self.records.extend(records)
        self.last = max(self.last, records[-1].n)

    def mark_applied(self, n: int, parts: Mapping[str, int]) -> None:
        """Note that the files have everything up to a number, and how far beyond it these places are. Needs no sync.

        Where the note is lost, what it tells is done again: a part that is done twice is done once.
        """
        beyond = {part: to for part, to in parts.items() if to > n}
        self._write(dump_record({"applied": n, **({"parts": beyond} if beyond else {})}), sync=False)
        self.applied = n
        self.parts = {part: to for part, to in (self.parts | beyond).items() if to > n}

    def checkpoint(self) -> None:
        """Shorten a long log: what is pending stays, and the newest of what is finished."""
        applied, bytes_then = self._shortened
        if self.size() < CHECKPOINT_BYTES or (self.applied == applied and self.size() < bytes_then + KEPT_BYTES):
            return  # of what waits for a file nothing can go: it is not looked at again for every note
        size, kept = 0, []
        for record in reversed(self.records):
            size += len(record.dump())
            if size <= KEPT_BYTES or self.pending(record):
                kept.append(record)
        if len(kept) < len(self.records):
            self.records = kept[::-1]
            self._begin_again()
        self._shortened = self.applied, self.size()

    def scrub(self, role: str, memory_id: str, until: int) -> None:
        """Rewrite the log without what it has about one memory up to a number, and about what it was held as before."""
        lines = [str(op.get("text")) for one in self.records for op in one.ops if op.get("do") == "line"]
        said = [load_record(text.encode()) or {} for text in lines if memory_id in text]
        told = (one.get("inbox") or one.get("id") for one in said if one.get("memory") == memory_id)
        marks = {memory_id, *(str(one) for one in told if one)}

        def kept(op: dict[str, Any]) -> bool:
            about = op.get("do") == "change" and op.get("role") == role and op.get("id") == memory_id
            return not about and not (op.get("do") == "line" and any(mark in str(op.get("text")) for mark in marks))

        self.records = [
            one if one.n > until else one._replace(ops=tuple(op for op in one.ops if kept(op))) for one in self.records
        ]
        self._begin_again()

    def edit(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Rewrite the log with every operation as it is after a change."""
        edited = [one._replace(ops=tuple(change(op) for op in one.ops)) for one in self.records]
        if edited != self.records:
            self.records = edited
            self._begin_again()

    def size(self) -> int:
        """Return the bytes of the file, as it was last written or begun: for any thread, while another writes."""
        return self._bytes

    def close(self) -> None:
        """Let go of the file."""
        handle, self.handle = self.handle, None
        if handle is not None:
            self.tree.system.close(handle)

    def _write(self, data: bytes, *, sync: bool) -> None:
        with translated(LOG):
            handle = self._ready()
            size = self.tree.system.fstat(handle).st_size
            try:
                if sync:
                    append_to(self.tree, handle, size, data)
                    self.sync_failures = 0
                else:
                    write_all(self.tree, handle, data)
                self._bytes = size + len(data)
            except OSError as error:
                if not sync:
                    with contextlib.suppress(OSError):
                        self.close()  # what stands behind is torn at worst; the next write begins a new file
                elif error.errno not in NO_ROOM:
                    self.sync_failures += 1
                    with contextlib.suppress(OSError):
                        self.close()
                raise

    def _ready(self) -> int:
        """Return a handle to write to; begin again where the file was distrusted, removed or replaced."""
        if self.sync_failures >= SYNC_FAILURES:
            raise StorageReadOnlyError(LOG, "the log could not be trusted after failed syncs")
        if self.handle is not None:
            state = self.tree.identify(LOG)
            if state is not None and state.inode == self.tree.system.fstat(self.handle).st_ino:
                return self.handle
        self._begin_again()
        if self.handle is None:
            raise StorageReadOnlyError(LOG, "the log cannot be opened")
        return self.handle

    def _begin_again(self) -> None:
        if self.lock is not None:
            self.lock.ensure()
        self._rewrite()
        self._open()

    def _rewrite(self) -> None:
        first = min([self.applied, self.records[0].n - 1]) if self.records else self.last
        head = {"memd": "wal", "version": 1, "writer": self.writer, "n": first}
        lines = [dump_record(head), *(record.dump() for record in self.records)]
        if self.last > first:
            applied = self.applied if self.records else self.last
            lines.append(dump_record({"applied": applied, "parts": self.parts}))
        self.tree.make_dirs(PRIVATE)
        replace(self.tree, LOG, b"".join(lines))

    def _open(self) -> None:
        with translated(LOG), self.tree.directory(LOG) as (at, leaf):
            old, self.handle = self.handle, open_append(self.tree, leaf, at)
            self._bytes = self.tree.system.fstat(self.handle).st_size
            if old is not None:
                self.tree.system.close(old)

    def _quarantine(self, data: bytes, stamp: str) -> str:
        self.tree.make_dirs(QUARANTINE)
        name = f"{QUARANTINE}/wal.jsonl.{stamp}-{secrets.token_hex(2)}"
        create(self.tree, name, data)
        return name
