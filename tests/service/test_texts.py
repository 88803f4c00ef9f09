"""A text is known as it was said last, until its file has that; what is undone is known as it was before."""

from __future__ import annotations

from pathlib import Path

from memd.model.change import Put
from memd.storage.files import Tree
from memd.store.writing.text_files import Texts

NAME = "MEMORY.md"


def test_what_was_said_last_holds_until_the_file_has_that(tmp_path: Path) -> None:
    tree, texts = Tree(str(tmp_path)), Texts()
    assert texts.read(tree, NAME) is None
    (tmp_path / NAME).write_text("in the file", "utf-8")
    assert texts.read(tree, NAME) == "in the file"
    texts.hold(1, [Put(NAME, None, "one"), Put("tasks/t.toml", None, "task"), Put("tasks/gone.toml", "x", None)])
    texts.hold(2, [Put(NAME, "one", "two")])
    texts.settle(NAME, 1)
    assert texts.read(tree, NAME) == "two", "the file has the first, and not yet the second"
    texts.settle(NAME, 2)
    assert texts.read(tree, NAME) == "in the file"
    assert (texts.names("tasks"), texts.names("task")) == (["tasks/t.toml"], [])
    assert texts.read(tree, "tasks/gone.toml") is None


def test_what_is_undone_is_known_as_it_was_before(tmp_path: Path) -> None:
    tree, texts = Tree(str(tmp_path)), Texts()
    texts.hold(1, [Put(NAME, None, "one")])
    undo = texts.hold(2, [Put(NAME, "one", "two"), Put(NAME, "two", "three"), Put("USER.md", None, "new")])
    assert texts.read(tree, NAME) == "three"
    undo()
    assert (texts.read(tree, NAME), texts.read(tree, "USER.md")) == ("one", None)
    texts.settle(NAME, 1)
    assert texts.held == {}
