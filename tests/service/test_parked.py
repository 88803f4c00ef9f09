"""What was exchanged out of a role's directory goes only when nobody can write to it, and what was written to it is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memd.formats.role_memory import Document
from memd.formats.role_reader import load
from memd.storage.files import Tree
from memd.storage.system import System
from memd.store.role.parts import Parked
from memd.store.writing.parked import GRACE_S, keep_aside, sweep

TEMPORARY = "roles/main/.memory.json.0123456789abcdef.memd-tmp"


def document(*contents: str) -> Document:
    records = [{"id": f"m{n}", "content": text} for n, text in enumerate(contents)]
    return load(json.dumps({"semantic": records}).encode(), "f", "main").document


class Unsure(System):
    """A system that cannot say whether a file is open elsewhere."""

    def is_open_elsewhere(self, handle: int) -> None:
        return None


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "roles/main").mkdir(parents=True)
    found = tmp_path / TEMPORARY
    found.write_bytes(document("one").dump())
    return found


def parked(since_s: float = 0.0) -> list[Parked]:
    return [Parked(TEMPORARY, document("one"), since_s)]


def test_a_file_that_somebody_has_open_stays(tmp_path: Path, path: Path) -> None:
    tree = Tree(str(tmp_path))
    with path.open("ab"):
        assert sweep(tree, "main", parked(), 1e6).left == parked()
    assert path.exists()
    swept = sweep(tree, "main", parked(), 1e6)
    assert (swept.left, swept.late, swept.kept, path.exists()) == ([], [], [], False)


def test_where_the_system_cannot_say_a_file_stays_for_a_while(tmp_path: Path, path: Path) -> None:
    tree = Tree(str(tmp_path), Unsure())
    assert sweep(tree, "main", parked(100.0), 100.0 + GRACE_S - 0.1).left
    assert path.exists()
    assert not sweep(tree, "main", parked(100.0), 100.0 + GRACE_S).left
    assert not path.exists()


def test_what_an_editor_wrote_to_it_late_is_told_and_stays_until_it_is_merged(tmp_path: Path, path: Path) -> None:
    path.write_bytes(document("changed", "added").dump())
    swept = sweep(Tree(str(tmp_path)), "main", parked(), 1e6)
    ((_, changes),) = swept.late
    assert [(one.id, (one.after or {})["content"]) for one in changes] == [("m0", "changed"), ("m1", "added")]
    assert path.exists()


def test_what_cannot_be_read_is_kept_beside_the_file(tmp_path: Path, path: Path) -> None:
    path.write_bytes(b'{"semantic": [ {"id": ')
    swept = sweep(Tree(str(tmp_path)), "main", parked(), 1e6)
    (name,) = swept.kept
    assert (tmp_path / name).read_bytes() == b'{"semantic": [ {"id": '
    assert not path.exists()
    assert sweep(Tree(str(tmp_path)), "main", parked(), 1e6).left == [], "what is gone needs no looking after"


def test_the_same_broken_text_twice_is_kept_and_leaves_no_temporary(tmp_path: Path, path: Path) -> None:
    tree = Tree(str(tmp_path))
    for _ in range(2):
        path.write_bytes(b"{ broken")
        assert (tmp_path / keep_aside(tree, "main", TEMPORARY, b"{ broken")).read_bytes() == b"{ broken"
        assert not path.exists()
