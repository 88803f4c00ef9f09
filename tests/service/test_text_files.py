"""Whole texts on their way into files that people change, or take away, meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.model.change import Put
from memd.service.writing.text_files import put_text
from memd.storage.files import Tree

BEFORE, AFTER = "- One. 一。\n", "- One. 一。\n- Two. 二。\n"


@pytest.mark.parametrize("name", ["MEMORY.md", "tasks/t.toml"])
def test_a_file_that_a_person_removed_stays_removed_and_the_edit_is_kept_beside_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "tasks").mkdir()
    tree = Tree(str(tmp_path))
    stood = put_text(tree, name, [Put(name, BEFORE, AFTER)])
    assert (stood.text, (tmp_path / name).exists()) == (None, False)
    assert (tmp_path / stood.conflict).read_text("utf-8") == AFTER
    tree.close()


def test_what_was_to_go_and_was_changed_meanwhile_stays(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text(AFTER, "utf-8")
    tree = Tree(str(tmp_path))
    stood = put_text(tree, "MEMORY.md", [Put("MEMORY.md", BEFORE, None)])
    assert (stood.text, stood.conflict) == (AFTER, "")
    assert (tmp_path / "MEMORY.md").read_text("utf-8") == AFTER
    tree.close()
