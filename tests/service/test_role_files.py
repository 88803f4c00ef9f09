"""A role's file is written against people who save it at any moment, and neither side loses a word."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memd.formats.role_memory import Document
from memd.formats.role_reader import load
from memd.model.change import Change
from memd.model.memory import Kind
from memd.storage.files import Tree
from memd.storage.system import System
from memd.store.writing.role_files import Known, read, write
from memd.store.writing.targets import HeldError

NAME = "roles/main/memory.json"
OURS = Change("main", Kind.SEMANTIC, "ours", None, {"id": "ours", "content": "by memd"})


def text_of(*contents: str) -> bytes:
    records = [{"id": f"m{n}", "content": text} for n, text in enumerate(contents)]
    return (json.dumps({"semantic": records}, indent=2) + "\n").encode()


class Saving(System):
    """A system on which a person does something right before each of the first exchanges."""

    def __init__(self, *deeds: Callable[[], object]) -> None:
        self.deeds = list(deeds)

    def exchange(self, one: str, other: str, *, at: int) -> None:
        if self.deeds:
            self.deeds.pop(0)()
        super().exchange(one, other, at=at)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / NAME
    found.parent.mkdir(parents=True)
    found.write_bytes(text_of("one"))
    return found


def known(tree: Tree) -> Known:
    data, identity = tree.read(NAME)
    return Known(load(data, NAME, "main").document, identity, "main")


def contents(document: Document | bytes) -> list[Any]:
    value = json.loads(document if isinstance(document, bytes) else document.dump())
    return [one["content"] for one in value["semantic"]]


def test_a_change_goes_into_the_file_and_the_old_one_is_kept_for_who_has_it_open(tmp_path: Path, path: Path) -> None:
    tree = Tree(str(tmp_path))
    written = write(tree, "main", known(tree), [OURS])
    assert contents(path.read_bytes()) == ["one", "by memd"] == contents(written.document)
    assert (written.incoming, written.conflicts, written.identity) == (None, [], tree.identify(NAME))
    ((parked),) = written.parked
    assert contents((tmp_path / parked.temporary).read_bytes()) == ["one"]


@pytest.mark.parametrize("saves", [1, 2, 3])
def test_a_save_between_the_look_and_the_exchange_stands_beside_ours(tmp_path: Path, path: Path, saves: int) -> None:
    """Each save adds to what stands in that moment."""

    def added() -> None:
        value = json.loads(path.read_bytes())
        number = len(value["semantic"])
        value["semantic"].append({"id": f"p{number}", "content": "by a person"})
        path.write_text(json.dumps(value), "utf-8")

    tree = Tree(str(tmp_path), Saving(*[added] * saves))
    written = write(tree, "main", known(tree), [OURS])
    assert sorted(contents(path.read_bytes())) == sorted(["one", "by memd", *["by a person"] * saves])
    assert written.incoming is not None
    assert contents(written.incoming.document) == contents(path.read_bytes())


def test_a_buffer_that_is_saved_twice_does_not_take_back_what_another_saved(tmp_path: Path, path: Path) -> None:
    """The first editor's save is out of the file for a moment; the second opens it then."""
    buffer: list[dict[str, Any]] = []

    def added(name: str, *, anew: bool) -> None:
        if anew:
            buffer[:] = json.loads(path.read_bytes())["semantic"]
        buffer.append({"id": name, "content": name})
        path.write_text(json.dumps({"semantic": buffer}), "utf-8")

    deeds = (("p1", True), ("p2", True), ("p3", False))
    tree = Tree(str(tmp_path), Saving(*(lambda name=name, anew=anew: added(name, anew=anew) for name, anew in deeds)))
    written = write(tree, "main", known(tree), [OURS])
    assert sorted(contents(path.read_bytes())) == ["by memd", "one", "p1", "p2", "p3"]
    assert {one.id for one in written.again} == {"p1"}


@pytest.mark.parametrize("saves", [1, 2, 3])
def test_a_buffer_of_before_that_is_saved_again_and_again_does_not_take_our_change_out(
    tmp_path: Path, path: Path, saves: int
) -> None:
    buffer = json.loads(path.read_bytes())["semantic"]

    def saved() -> None:
        buffer.append({"id": f"p{len(buffer)}", "content": "by a person"})
        path.write_text(json.dumps({"semantic": buffer}), "utf-8")

    tree = Tree(str(tmp_path), Saving(*[saved] * saves))
    write(tree, "main", known(tree), [OURS])
    assert sorted(contents(path.read_bytes())) == sorted(["one", "by memd", *["by a person"] * saves])


def test_a_file_that_is_away_for_a_moment_gets_what_was_wanted_when_it_is_back(tmp_path: Path, path: Path) -> None:
    def moved() -> None:
        path.rename(path.with_name("aside"))
        path.with_name("aside").rename(path)
        path.write_bytes(text_of("one", "by a person"))
        raise FileNotFoundError

    tree = Tree(str(tmp_path), Saving(moved))
    write(tree, "main", known(tree), [OURS])
    assert contents(path.read_bytes()) == ["one", "by a person", "by memd"]


def test_an_outdated_save_does_not_take_back_what_was_written_a_moment_ago(tmp_path: Path, path: Path) -> None:
    tree = Tree(str(tmp_path))
    before = path.read_bytes()
    first = write(tree, "main", known(tree), [OURS])
    path.write_bytes(before)
    again = write(tree, "main", Known(first.document, first.identity, "main", stale=True), [], [OURS])
    assert contents(path.read_bytes()) == ["one", "by memd"]
    assert [one.id for one in again.again] == ["ours"]


def test_a_broken_file_is_left_alone(tmp_path: Path, path: Path) -> None:
    tree = Tree(str(tmp_path))
    good = known(tree)
    path.write_bytes(b"{ broken")
    with pytest.raises(HeldError):
        write(tree, "main", good, [OURS])
    assert path.read_bytes() == b"{ broken"
    assert [one.name for one in path.parent.iterdir()] == ["memory.json"]
    reading = read(tree, "main", 1000)
    assert (reading.parsed, reading.same) == (None, False)
    assert reading.rejected is not None


def test_a_file_broken_in_the_moment_of_the_exchange_goes_back_to_its_place(tmp_path: Path, path: Path) -> None:
    tree = Tree(str(tmp_path), Saving(lambda: path.write_bytes(b"{ broken")))
    with pytest.raises(HeldError):
        write(tree, "main", known(tree), [OURS])
    assert path.read_bytes() == b"{ broken"
