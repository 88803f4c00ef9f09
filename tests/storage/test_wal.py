"""The write-ahead log: what was acknowledged is there, what is damaged costs nothing else."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from memd.errors import StorageError, StorageFullError, StorageReadOnlyError
from memd.formats.operations import parts_of
from memd.formats.records import dump_record
from memd.storage.files import Tree
from memd.storage.layout import AUDIT, DECLARATIVE, LOG
from memd.storage.system import System
from memd.storage.wal import CHECKPOINT_BYTES, Held, Log, Record, read_log


def record(n: int, text: str = "x", *names: str) -> Record:
    lines = [{"do": "line", "name": name, "text": text, "header": ""} for name in names or (AUDIT,)]
    return Record(n, "2026-11-21T00:00:00Z", tuple(lines))


def missing(held: Log | Held) -> dict[int, list[str]]:
    """What of each record some place may lack, by the place."""
    found = {one.n: [part for op in held.pending(one) for part in parts_of(op)] for one in held.records}
    return {n: parts for n, parts in found.items() if parts}


def log_of(path: Path, system: System | None = None) -> Log:
    return Log(Tree(str(path), system), "stamp")


def bytes_of(path: Path) -> bytes:
    return (path / ".memory/wal.jsonl").read_bytes()


def numbers(log: Log) -> list[int]:
    return [one.n for one in log.records]


def test_what_was_appended_is_there_after_opening_again(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(1), record(2, "汉")])
    log.mark_applied(1, {})
    log.close()
    again = log_of(tmp_path)
    assert (numbers(again), again.last, again.applied, again.writer) == ([1, 2], 2, 1, log.writer)
    assert missing(again) == {2: [AUDIT]}


def test_what_a_place_has_passed_is_not_pending_there_and_stays_pending_elsewhere(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(1, "x", AUDIT, DECLARATIVE), record(2, "x", AUDIT), record(3, "x", DECLARATIVE, AUDIT)])
    log.mark_applied(0, {AUDIT: 2})
    assert missing(log) == {1: [DECLARATIVE], 3: [DECLARATIVE, AUDIT]}
    log.close()
    assert missing(log_of(tmp_path)) == {1: [DECLARATIVE], 3: [DECLARATIVE, AUDIT]}
    again = log_of(tmp_path)
    again.mark_applied(1, {DECLARATIVE: 3})
    assert missing(again) == {3: [AUDIT]} == missing(read_log(bytes_of(tmp_path))), "marks add up"


def test_records_that_a_log_of_before_calls_done_are_done_and_with_them_what_they_overtook(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(1, "x", AUDIT, DECLARATIVE), record(2, "x", AUDIT), record(3, "x", AUDIT)])
    log.close()
    with (tmp_path / LOG).open("ab") as file:
        file.write(dump_record({"applied": 0, "done": [2]}))
    assert missing(log_of(tmp_path)) == {1: [DECLARATIVE], 3: [AUDIT]}


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
    log.append([record(1, "pending", DECLARATIVE)])
    log.append([record(n, "y" * 2000) for n in range(2, 200)])
    log.mark_applied(0, {AUDIT: 199})
    assert log.size() > CHECKPOINT_BYTES
    log.checkpoint()
    assert log.size() < CHECKPOINT_BYTES
    log.close()
    again = log_of(tmp_path)
    assert numbers(again)[0] == 1
    assert missing(again) == {1: [DECLARATIVE]}
    assert again.last == 199


def test_a_log_that_waits_for_one_file_is_shortened_as_soon_as_that_has_followed(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(n, "y" * 2000) for n in range(1, 300)])
    log.mark_applied(0, {})
    log.checkpoint()
    assert log.size() > CHECKPOINT_BYTES, "all of it waits"
    log.append([record(300, "y")])
    log.mark_applied(300, {AUDIT: 300})
    log.checkpoint()
    assert log.size() < CHECKPOINT_BYTES
    log.close()
    again = log_of(tmp_path)
    assert (missing(again), again.last, again.applied) == ({}, 300, 300)


class Gone(System):
    """A system on which nothing can be asked of a handle: another thread has just closed it."""

    broken = False

    def fstat(self, handle: int) -> os.stat_result:
        if self.broken:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return super().fstat(handle)


def test_the_length_of_the_log_is_known_while_another_thread_begins_it_again(tmp_path: Path) -> None:
    system = Gone()
    log = log_of(tmp_path, system)
    assert log.size() == len(bytes_of(tmp_path))
    log.append([record(1)])
    log.mark_applied(1, {})
    system.broken = True
    assert log.size() == len(bytes_of(tmp_path))
    system.broken = False
    log.close()
    assert log_of(tmp_path).size() == len(bytes_of(tmp_path))


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


def test_scrubbing_reaches_the_record_it_is_asked_up_to_and_none_behind_it(tmp_path: Path) -> None:
    """What is said of the same memory later is of a memory that came anew."""
    log = log_of(tmp_path)
    of_it = {"do": "change", "role": "r", "kind": "goal", "id": "m1", "before": None}
    log.append([Record(n, "t", ({**of_it, "after": {"id": "m1", "value": f"state {n}"}},)) for n in (1, 2, 3)])
    log.scrub("r", "m1", 2)
    held = read_log(bytes_of(tmp_path))
    assert {one.n: len(one.ops) for one in held.records} == {1: 0, 2: 0, 3: 1}
    assert b"state 2" not in bytes_of(tmp_path)


def test_scrubbing_leaves_the_memory_of_another_role_that_has_the_same_id(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    of_it = {"do": "change", "kind": "goal", "id": "m1", "before": None, "after": {"id": "m1", "value": "x"}}
    log.append([Record(1, "t", ({**of_it, "role": "r"}, {**of_it, "role": "other"}))])
    log.scrub("r", "m1", 1)
    (held,) = read_log(bytes_of(tmp_path)).records
    assert [one["role"] for one in held.ops] == ["other"]


def test_a_sync_that_succeeds_makes_good_for_one_that_failed(tmp_path: Path) -> None:
    log = log_of(tmp_path, Syncless([errno.EIO, 0, errno.EIO, 0]))
    for n in (1, 3):
        with pytest.raises(StorageError):
            log.append([record(n)])
        log.append([record(n + 1)])
    log.close()
    assert numbers(log_of(tmp_path)) == [2, 4]


def test_a_log_that_was_replaced_is_not_written_into_nobodys_file(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(1)])
    other = tmp_path / "other"
    other.write_bytes(bytes_of(tmp_path))
    other.replace(tmp_path / LOG)
    log.append([record(2)])
    log.close()
    assert numbers(log_of(tmp_path)) == [1, 2]


def test_what_was_applied_stays_so_and_a_number_that_was_ever_named_is_not_given_again(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.append([record(1), record(2), record(3, "damaged")])
    log.mark_applied(2, {AUDIT: 3})
    log.close()
    with (tmp_path / LOG).open("ab") as file:
        file.write(dump_record({"applied": 1}))
    held = read_log(bytes_of(tmp_path).replace(b"damaged", b"changed"))
    assert ([one.n for one in held.records], held.applied, held.last, held.parts) == ([1, 2], 2, 3, {AUDIT: 3})
