"""The write-ahead log: one synced line for what was acknowledged, until the files have it.

    {"memd":"wal","version":1,"writer":"5f0c21aa","n":40,"c":"…"}      the head: who writes, and the number before the first
    {"n":41,"at":"2026-11-21T03:10:00Z","ops":[…],"c":"…"}             acknowledged work
    {"applied":41,"c":"…"}                                             everything up to here is in the files

A torn tail is moved to quarantine; a damaged line in the middle is skipped and counted. Numbers never repeat for one
writer: a log that vanished begins with a new writer.

Errors
    StorageError and its kin: then nothing of the batch is acknowledged. After a failed sync the file is not trusted
    again: what it held is written to a new one (fsync may drop what it could not write; ATC '20, pp. 753-767).
"""

from __future__ import annotations

import errno
import os
import secrets
from typing import Any, NamedTuple

from memd.errors import StorageError, StorageReadOnlyError
from memd.formats.records import dump_record, read_lines
from memd.storage.append import append_to, open_append
from memd.storage.files import Tree, translated
from memd.storage.layout import LOG, QUARANTINE
from memd.storage.replace import create, replace

CHECKPOINT_BYTES = 256 * 1024
KEPT_BYTES = 1024 * 1024  # of applied records, for `memd recover` and for an editor's late save
SYNC_FAILURES = 2


class Record(NamedTuple):
    """One acknowledged batch: its number, its time, and its operations as JSON objects."""

    n: int
    at: str
    ops: tuple[dict[str, Any], ...]

    def dump(self) -> bytes:
        """Return the line."""
        return dump_record({"n": self.n, "at": self.at, "ops": list(self.ops)})


class Held(NamedTuple):
    """What a log file holds."""

    writer: str
    last: int
    applied: int
    records: tuple[Record, ...]
    torn: bytes
    damaged: int


def read_log(data: bytes) -> Held:
    """Return what the bytes of a log hold."""
    writer, last, applied, damaged = "", 0, 0, 0
    records: list[Record] = []
    torn = b""
    for line in read_lines(data):
        match line.value:
            case {"memd": "wal", "writer": str(writer), "n": int(n)}:
                last = applied = n
            case {"n": int(n), "at": str(at), "ops": list(ops)}:
                records.append(Record(n, at, tuple(ops)))
                last = max(last, n)
            case {"applied": int(n)}:
                applied = max(applied, n)
            case _ if line.stop == len(data) and not data.endswith(b"\n"):
                torn = data[line.start :]
            case _:
                damaged += 1
    return Held(writer, last, min(applied, last), tuple(records), torn, damaged)


class Log:
    """The log of one workspace, held by its one writer. Not thread-safe: one caller at a time."""

    def __init__(self, tree: Tree, stamp: str) -> None:
        """Open the log, or begin one. `stamp` names what goes to quarantine."""
        self.tree = tree
        self.handle: int | None = None
        self.sync_failures = 0
        try:
            data = tree.read(LOG)[0]
        except FileNotFoundError:
            data = b""
        held = read_log(data)
        self.damaged = held.damaged
        self.quarantined = ""
        if held.torn or (held.damaged and not held.writer):
            self.quarantined = self._quarantine(held.torn or data, stamp)
        self.writer = held.writer or secrets.token_hex(4)
        self.last, self.applied = held.last, held.applied
        self.records = list(held.records)
        if held.torn or not held.writer:
            self._rewrite()
        self._open()

    def append(self, records: list[Record]) -> None:
        """Write these records with one sync. They are acknowledged if this returns, and not at all if it raises."""
        data = b"".join(record.dump() for record in records)
        self._write(data, sync=True)
        self.records.extend(records)
        self.last = max(self.last, records[-1].n)

    def mark_applied(self, n: int) -> None:
        """Note that the files have everything up to this number. Redo is idempotent, so this needs no sync."""
        if n > self.applied:
            self._write(dump_record({"applied": n}), sync=False)
            self.applied = n

    def checkpoint(self, *, force: bool = False, without: str = "") -> bool:
        """Shorten the log once everything is applied, keeping the newest records; tell whether it was done.

        `without`: an id whose records are left out, for erasing.
        """
        if self.applied < self.last or (not force and self.size() < CHECKPOINT_BYTES):
            return False
        if without:
            self.records = [one for one in self.records if without not in str(one.ops)]
        kept, size = 0, 0
        for record in reversed(self.records):
            size += len(record.dump())
            if size > (KEPT_BYTES if force else CHECKPOINT_BYTES // 2):
                break
            kept += 1
        self.records = self.records[len(self.records) - kept :]
        self._rewrite()
        self._open()
        return True

    def size(self) -> int:
        """Return the bytes of the file."""
        return self.tree.system.fstat(self.handle).st_size if self.handle is not None else 0

    def close(self) -> None:
        """Let go of the file."""
        handle, self.handle = self.handle, None
        if handle is not None:
            self.tree.system.close(handle)

    def _write(self, data: bytes, *, sync: bool) -> None:
        with translated(LOG):
            self._check_in_place()
            if self.handle is None:
                raise StorageReadOnlyError(LOG, "the log could not be trusted after failed syncs")
            size = self.tree.system.fstat(self.handle).st_size
            try:
                if sync:
                    append_to(self.tree, self.handle, size, data)
                elif self.tree.system.write(self.handle, data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError as error:
                if not sync:
                    self.tree.system.truncate(self.handle, size)
                elif error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                    self._distrust()
                raise

    def _distrust(self) -> None:
        """Leave a file whose sync failed: write what it held to a new one, or stop writing."""
        self.sync_failures += 1
        self.close()
        if self.sync_failures < SYNC_FAILURES:
            try:
                self._rewrite()
                self._open()
            except (OSError, StorageError):
                self.close()

    def _check_in_place(self) -> None:
        """Begin again where somebody removed or replaced the file."""
        if self.handle is None:
            return
        state = self.tree.identify(LOG)
        if state is None or state.inode != self.tree.system.fstat(self.handle).st_ino:
            self._rewrite()
            self._open()

    def _rewrite(self) -> None:
        first = self.records[0].n - 1 if self.records else self.last
        head = {"memd": "wal", "version": 1, "writer": self.writer, "n": first}
        lines = [dump_record(head), *(record.dump() for record in self.records)]
        if self.applied > first:
            lines.append(dump_record({"applied": self.applied}))
        replace(self.tree, LOG, b"".join(lines))

    def _open(self) -> None:
        self.close()
        with translated(LOG), self.tree.directory(LOG) as (at, leaf):
            self.handle = open_append(self.tree, leaf, at)

    def _quarantine(self, data: bytes, stamp: str) -> str:
        self.tree.make_dirs(QUARANTINE)
        name = f"{QUARANTINE}/wal.jsonl.{stamp}-{secrets.token_hex(2)}"
        create(self.tree, name, data)
        return name
