"""One writer at a time: who lost its lock to another writes nothing more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.errors import WorkspaceBusyError
from memd.storage.files import Tree
from memd.storage.lock import Holder, Lock, holder_of
from memd.storage.wal import Log, Record

RECORD = Record(1, "2026-11-21T00:00:00Z", ())
LOCK = ".memory/lock"


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    (tmp_path / "root").mkdir()
    opened = Tree(str(tmp_path / "root"))
    yield opened
    opened.close()


def locked(tree: Tree, what: str) -> Lock:
    lock = Lock(tree)
    lock.acquire({"pid": os.getpid(), "what": what})
    return lock


def test_the_second_is_told_who_is_there_and_the_lock_is_free_when_it_is_let_go(tree: Tree) -> None:
    first = locked(tree, "first")
    with pytest.raises(WorkspaceBusyError, match="first"):
        locked(tree, "second")
    assert holder_of(tree.path) == Holder(os.getpid(), "first")
    first.release()
    assert holder_of(tree.path) is None
    locked(tree, "second").release()


def test_a_lock_whose_file_was_removed_is_taken_again_by_its_holder(tree: Tree) -> None:
    lock = locked(tree, "first")
    os.unlink(f"{tree.path}/{LOCK}")
    lock.ensure()
    with pytest.raises(WorkspaceBusyError, match="first"):
        locked(tree, "second")
    lock.release()


def test_who_lost_its_lock_to_another_does_not_begin_the_log_again(tree: Tree) -> None:
    lock = locked(tree, "first")
    log = Log(tree, "stamp", lock)
    log.append([RECORD])
    for name in os.listdir(f"{tree.path}/.memory"):
        os.unlink(f"{tree.path}/.memory/{name}")
    other = locked(tree, "second")
    with pytest.raises(WorkspaceBusyError):
        lock.ensure()
    with pytest.raises(WorkspaceBusyError):
        log.append([RECORD._replace(n=2)])
    assert not os.path.exists(f"{tree.path}/.memory/wal.jsonl")
    other.release()
