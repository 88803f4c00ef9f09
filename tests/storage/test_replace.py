"""A file in the place of another: durable when the call returns, and nobody's save lost."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memd.errors import FileChangedError
from memd.storage.files import Tree
from memd.storage.replace import (
    append,
    create,
    cut_torn,
    exchange,
    is_nobodys,
    replace,
    replace_if,
    swap_back,
    write_temporary,
)
from memd.storage.system import System
from tests.crash.disk import Recording

Deed = Callable[[Tree], object]


def swapped_back(tree: Tree) -> None:
    swap_back(tree, "d/old", exchange(tree, "d/old", b"ours").temporary)


DEEDS = [
    pytest.param(lambda tree: replace(tree, "d/old", b"new"), id="replaced"),
    pytest.param(lambda tree: replace(tree, "d/fresh", b"new"), id="replaced where nothing was"),
    pytest.param(lambda tree: create(tree, "d/fresh", b"new"), id="created"),
    pytest.param(lambda tree: exchange(tree, "d/old", b"new"), id="exchanged"),
    pytest.param(lambda tree: exchange(tree, "d/fresh", b"new"), id="exchanged where nothing was"),
    pytest.param(swapped_back, id="swapped back"),
    pytest.param(lambda tree: tree.rename("d/old", "d/other"), id="renamed"),
    pytest.param(lambda tree: append(tree, "d/old", b"more\n"), id="appended"),
    pytest.param(lambda tree: append(tree, "d/fresh", b"first\n"), id="appended to a new file"),
    pytest.param(lambda tree: cut_torn(tree, "d/old", [b"older\n"]), id="cut"),
    pytest.param(lambda tree: tree.make_dirs("d/e/f"), id="directories made"),
]


@pytest.mark.parametrize("deed", DEEDS)
def test_what_was_done_is_durable_when_the_call_returns(tmp_path: Path, deed: Deed) -> None:
    folder = tmp_path / "root"
    (folder / "d").mkdir(parents=True)
    (folder / "d/old").write_bytes(b"old")
    system = Recording(folder)
    tree = Tree(str(folder), system)
    deed(tree)
    assert system.disk.steps
    assert not list(system.disk.unsynced(len(system.disk.steps)))
    tree.close()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/f").write_bytes(b"known")
    return Tree(str(tmp_path / "root"))


def names(tree: Tree) -> list[str]:
    return sorted(os.listdir(tree.path))


def test_what_was_read_gives_way_and_what_somebody_saved_since_stands(tree: Tree) -> None:
    replace_if(tree, "f", b"ours", b"known")
    assert tree.read("f")[0] == b"ours"
    with pytest.raises(FileChangedError):
        replace_if(tree, "f", b"newer", b"known")
    assert (tree.read("f")[0], names(tree)) == (b"ours", ["f"])


def test_who_reads_a_file_in_that_moment_is_waited_for_and_is_no_reason_to_refuse(tree: Tree) -> None:
    reader = os.open(os.path.join(tree.path, "f"), os.O_RDONLY)
    done = threading.Timer(0.04, os.close, (reader,))
    done.start()
    replace_if(tree, "f", b"ours", b"known")
    done.join()
    assert tree.read("f")[0] == b"ours"


def test_a_save_over_ours_stands_and_the_save_before_it_is_kept_beside(tree: Tree) -> None:
    """Somebody saves before the exchange, and once more before it is undone."""
    path = Path(tree.path) / "f"

    class Saving(System):
        saves = [b"first", b"second"]  # noqa: RUF012  one test

        def exchange(self, one: str, other: str, *, at: int) -> None:
            if self.saves:
                path.write_bytes(self.saves.pop(0))
            super().exchange(one, other, at=at)

    tree.system = Saving()
    with pytest.raises(FileChangedError):
        replace_if(tree, "f", b"ours", b"known")
    assert path.read_bytes() == b"second"
    (copy,) = (name for name in names(tree) if name != "f")
    assert "conflict" in copy
    assert tree.read(copy)[0] == b"first"


def test_a_temporary_tells_what_of_it_is_nobodys_loss(tree: Tree) -> None:
    temporary = write_temporary(tree, "f", b"ours", 0o600, b"known")
    assert [is_nobodys(temporary, data) for data in (b"ours", b"known", b"a save")] == [True, True, False]
    without = write_temporary(tree, "f", b"ours", 0o600)
    assert [is_nobodys(without, data) for data in (b"ours", b"known")] == [True, False]


@pytest.mark.parametrize("step", ["write", "sync", "rename", "exchange"])
def test_whatever_step_fails_the_old_file_stands_and_no_temporary_remains(tree: Tree, step: str) -> None:
    class Broken(System):
        pass

    def fails(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    setattr(Broken, step, fails)
    tree.system = Broken()
    with pytest.raises(Exception, match="Input/output"):
        (exchange if step == "exchange" else replace)(tree, "f", b"new")
    assert (tree.read("f")[0], names(tree)) == (b"known", ["f"])


def test_a_directory_that_will_not_sync_is_told_where_the_swap_is_done(tmp_path: Path) -> None:
    class Unsyncing(System):
        def sync(self, handle: int) -> None:
            if os.path.isdir(f"/proc/self/fd/{handle}"):
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            super().sync(handle)

    (tmp_path / "f").write_bytes(b"known")
    displaced = exchange(Tree(str(tmp_path), Unsyncing()), "f", b"new")
    assert (displaced.durable, displaced.data, (tmp_path / "f").read_bytes()) == (False, b"known", b"new")


def test_without_an_exchange_a_save_that_came_meanwhile_stands(tree: Tree) -> None:
    class Without(System):
        """A file system that cannot exchange, on which somebody saves at that moment."""

        def exchange(self, one: str, other: str, *, at: int) -> None:
            (Path(tree.path) / other).write_bytes(b"a save")
            raise OSError(errno.EINVAL, "no such call here")

    tree.system = Without()
    with pytest.raises(FileExistsError):
        exchange(tree, "f", b"ours", b"known")
    assert (tree.read("f")[0], names(tree)) == (b"a save", ["f"])
