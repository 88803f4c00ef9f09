"""The write-ahead log: what was acknowledged is there, what is damaged costs nothing else."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from memd.errors import StorageError, StorageFullError, StorageReadOnlyError
from memd.storage.files import Tree
from memd.storage.system import System
from memd.storage.wal import CHECKPOINT_BYTES, Log, Record, read_log


def record(n: int, text: str = "x") -> Record:
    return Record(n, "2026-11-21T00:00:00Z", ({"do": "line", "name": "a", "text": text, "header": ""},))


def log_of(path: Path, system: System | None = None) -> Log:
    return Log(Tree(str(path), system), "stamp")


def bytes_of(path: Path) -> bytes:
    return (path / ".memory/wal.jsonl").read_bytes()


def numbers(log: Log) -> list[int]:
    return [one.n for one in log.records]


def test_what_was_appended_is_there_after_opening_again(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(1), record(2, "汉")])
    log.mark_applied(1, frozenset())
    log.close()
    again = log_of(tmp_path)
    assert (numbers(again), again.last, again.applied, again.writer) == ([1, 2], 2, 1, log.writer)
    assert [again.is_pending(one) for one in again.records] == [False, True]


def test_a_tail_cut_at_any_byte_costs_only_its_own_line(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(1), record(2), record(3)])
    log.close()
    whole = bytes_of(tmp_path)
    second = whole.rindex(b'{"n":3')
    for cut in range(second, len(whole)):
        held = read_log(whole[:cut])
        assert [one.n for one in held.records] == [1, 2]
        assert held.damaged == whole[second:cut]


def test_a_damaged_line_in_the_middle_is_kept_aside_and_the_others_serve(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(1), record(2, "the damaged one"), record(3)])
    log.close()
    path = tmp_path / ".memory/wal.jsonl"
    path.write_bytes(path.read_bytes().replace(b"the damaged", b"the changed"))
    again = log_of(tmp_path)
    assert numbers(again) == [1, 3]
    assert b"the changed one" in (tmp_path / again.quarantined).read_bytes()
    again.append([record(4)])
    assert numbers(log_of(tmp_path)) == [1, 3, 4]


def test_a_log_that_vanished_begins_with_a_new_writer(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(1)])
    log.close()
    (tmp_path / ".memory/wal.jsonl").unlink()
    assert log_of(tmp_path).writer != log.writer


def test_a_log_removed_under_a_running_writer_is_written_again(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(1)])
    for name in os.listdir(tmp_path / ".memory"):
        (tmp_path / ".memory" / name).unlink()
    os.rmdir(tmp_path / ".memory")
    log.append([record(2)])
    log.close()
    assert numbers(log_of(tmp_path)) == [1, 2]


def test_a_checkpoint_keeps_what_is_pending_and_the_numbers(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(1, "pending")])
    log.append([record(n, "y" * 2000) for n in range(2, 200)])
    log.mark_applied(0, frozenset(range(2, 200)))
    assert log.size() > CHECKPOINT_BYTES
    log.checkpoint()
    assert log.size() < CHECKPOINT_BYTES
    log.close()
    again = log_of(tmp_path)
    assert numbers(again)[0] == 1
    assert [one.n for one in again.records if again.is_pending(one)] == [1]
    assert again.last == 199


class Syncless(System):
    def __init__(self, fail: list[int]) -> None:
        self.fail = fail

    def sync_data(self, handle: int) -> None:
        if self.fail:
            number = self.fail.pop(0)
            if number:
                raise OSError(number, os.strerror(number))
        super().sync_data(handle)


def test_a_failed_sync_acknowledges_nothing_and_its_file_is_not_trusted_again(tmp_path: Path) -> None:
    log = log_of(tmp_path, Syncless([0, errno.EIO, 0]))
    log.append([record(1)])
    inode = os.stat(tmp_path / ".memory/wal.jsonl").st_ino
    with pytest.raises(StorageError):
        log.append([record(2)])
    log.append([record(3)])
    assert os.stat(tmp_path / ".memory/wal.jsonl").st_ino != inode, "a new file, not the one whose pages are in doubt"
    log.close()
    assert numbers(log_of(tmp_path)) == [1, 3]


def test_two_failed_syncs_in_a_row_end_the_writing(tmp_path: Path) -> None:
    log = log_of(tmp_path, Syncless([errno.EIO, errno.EIO]))
    for _ in range(2):
        with pytest.raises(StorageError):
            log.append([record(1)])
    with pytest.raises(StorageReadOnlyError):
        log.append([record(1)])


def test_a_full_disk_refuses_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    log = log_of(tmp_path, Syncless([errno.ENOSPC] * 5))
    for _ in range(5):
        with pytest.raises(StorageFullError):
            log.append([record(1)])
    log.append([record(2)])
    log.close()
    assert numbers(log_of(tmp_path)) == [2]


def test_scrubbing_takes_one_memory_out_and_leaves_the_rest(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    change = {
        "do": "change",
        "role": "r",
        "kind": "goal",
        "id": "m1",
        "before": None,
        "after": {"id": "m1", "value": "secret"},
    }
    other = {**change, "id": "m10", "after": {"id": "m10", "value": "kept"}}
    log.append([Record(1, "t", (change, other)), record(2, "#id:m1 secret"), record(3)])
    log.scrub("r", "m1", 3)
    assert b"secret" not in bytes_of(tmp_path)
    assert b"kept" in bytes_of(tmp_path)
