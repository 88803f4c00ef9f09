"""Work is acknowledged once it is in the log: in order, together, or not at all; the log is told what the files have."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from memd.errors import StorageFullError
from memd.model.change import Line
from memd.storage.files import Tree
from memd.storage.layout import AUDIT, DECLARATIVE
from memd.storage.system import System
from memd.storage.wal import Log
from memd.store.writing.journal import BATCH_RECORDS, Journal

AT = "2026-11-21T00:00:00Z"
Steps = Callable[[Journal], Awaitable[None]]


class FullOnce(System):
    """A disk that has no room for the first write that is to be synced, where `full` says so."""

    def __init__(self, *, full: bool) -> None:
        self.full = full

    def sync_data(self, handle: int) -> None:
        if self.full:
            self.full = False
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        super().sync_data(handle)


def with_journal(path: Path, steps: Steps, *, full: bool = False) -> list[int]:
    """Run steps, and return the numbers that were heard of as acknowledged."""
    heard: list[int] = []
    log = Log(Tree(str(path), FullOnce(full=full)), "stamp")

    async def run() -> None:
        await steps(Journal(log, lambda n, _: heard.append(n)))

    asyncio.run(run())
    log.close()
    return heard


def submitted(journal: Journal, count: int, undone: list[int] | None = None) -> list[asyncio.Future[None]]:
    def one(n: int) -> asyncio.Future[None]:
        roll_back = (lambda: None) if undone is None else (lambda: undone.append(n))
        return journal.submit(n, AT, [Line(AUDIT, f"{n}\n", "")], roll_back)

    return [one(journal.reserve()) for _ in range(count)]


def test_what_waits_behind_a_refused_batch_was_decided_on_it_and_is_refused_with_it(tmp_path: Path) -> None:
    count, undone = BATCH_RECORDS + 6, list[int]()

    async def steps(journal: Journal) -> None:
        replies = await asyncio.gather(*submitted(journal, count, undone), return_exceptions=True)
        assert [type(one) for one in replies] == [StorageFullError] * count
        assert undone == list(range(count, 0, -1)), "the newest is undone first"
        await asyncio.gather(*submitted(journal, 1))

    assert with_journal(tmp_path, steps, full=True) == [count + 1]
    assert [one.n for one in Log(Tree(str(tmp_path)), "stamp").records] == [count + 1]


def test_a_burst_is_acknowledged_in_the_order_of_its_numbers_and_the_next_process_counts_on(tmp_path: Path) -> None:
    async def steps(journal: Journal) -> None:
        await asyncio.gather(*submitted(journal, BATCH_RECORDS * 2 + 1))

    count = BATCH_RECORDS * 2 + 1
    assert with_journal(tmp_path, steps) == list(range(1, count + 1))
    assert with_journal(tmp_path, steps) == list(range(count + 1, count * 2 + 1))


def test_the_log_is_told_how_far_the_files_are_and_no_further(tmp_path: Path) -> None:
    async def steps(journal: Journal) -> None:
        await asyncio.gather(*submitted(journal, 3))
        for n, parts in ((1, [AUDIT, DECLARATIVE]), (2, [AUDIT]), (3, [AUDIT])):
            journal.expect(n, parts)
        journal.part_done(AUDIT, 2)
        await journal.advance()
        assert (journal.depth, journal.log.applied, journal.log.parts) == (3, 0, {AUDIT: 2})
        assert [journal.has(AUDIT, n) for n in (1, 2, 3)] == [True, True, False]
        assert not journal.has(DECLARATIVE, 1)
        journal.part_done(DECLARATIVE, 1)
        await journal.advance()
        assert (journal.depth, journal.log.applied) == (1, 2)
        assert journal.has(DECLARATIVE, 2)
        journal.part_done(AUDIT, 3)
        await journal.advance()
        assert (journal.depth, journal.log.applied) == (0, 3)

    with_journal(tmp_path, steps)
    log = Log(Tree(str(tmp_path)), "stamp")
    assert (log.applied, log.parts) == (3, {})


def test_what_is_submitted_together_is_synced_at_once_though_others_have_their_turn(tmp_path: Path) -> None:
    syncs: list[int] = []

    class Counting(System):
        def sync_data(self, handle: int) -> None:
            syncs.append(handle)
            super().sync_data(handle)

    log = Log(Tree(str(tmp_path), Counting()), "stamp")

    async def run() -> None:
        journal = Journal(log, lambda *_: None)
        replies = []
        with journal.together():
            for _ in range(3):
                replies += submitted(journal, 1)
                await asyncio.sleep(0.02)
            assert (syncs, [one.done() for one in replies]) == ([], [False] * 3)
        await asyncio.gather(*replies)
        assert len(syncs) == 1

    asyncio.run(run())
    log.close()


def test_what_is_missing_is_told_by_place_up_to_a_number(tmp_path: Path) -> None:
    async def steps(journal: Journal) -> None:
        journal.expect(1, {AUDIT, DECLARATIVE})
        journal.expect(2, {AUDIT})
        journal.expect(3, {DECLARATIVE})
        assert (journal.missing(0), journal.missing(1), journal.depth) == (set(), {AUDIT, DECLARATIVE}, 3)
        journal.part_done(DECLARATIVE, 1)
        assert (journal.missing(2), journal.missing(3)) == ({AUDIT}, {AUDIT, DECLARATIVE})
        journal.part_done(AUDIT, 2)
        await journal.advance()
        assert (journal.missing(2), journal.missing(3), journal.depth) == (set(), {DECLARATIVE}, 1)
        journal.part_done(DECLARATIVE, 3)
        await journal.advance()
        assert (journal.missing(3), journal.depth, journal.log.applied) == (set(), 0, 3)

    with_journal(tmp_path, steps)
