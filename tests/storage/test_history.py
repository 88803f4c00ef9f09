"""What git has under way in a workspace, seen from its files alone."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.storage.files import Tree
from memd.storage.history import git_work

HOUR_S = 3600.0


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    (tmp_path / ".git").mkdir()
    opened = Tree(str(tmp_path))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("age_s", "seen"),
    [(0.0, "index.lock"), (HOUR_S, ""), (-HOUR_S, "")],
    ids=["made now", "of an hour ago", "of a clock that was an hour ahead"],
)
def test_a_lock_counts_while_a_living_git_may_have_made_it(tree: Tree, age_s: float, seen: str) -> None:
    lock = Path(tree.path, ".git/index.lock")
    lock.touch()
    made_s = time.time() - age_s
    os.utime(lock, (made_s, made_s))
    assert git_work(tree, tree.system) == seen


def test_a_merge_under_way_is_seen_whatever_its_age(tree: Tree) -> None:
    assert git_work(tree, tree.system) == ""
    merging = Path(tree.path, ".git/MERGE_HEAD")
    merging.touch()
    os.utime(merging, (1.0, 1.0))
    assert git_work(tree, tree.system) == "MERGE_HEAD"
