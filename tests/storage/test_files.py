"""Files below one directory: never outside it, never through a link, whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memd.errors import NotRegularError, StorageFullError, StorageReadOnlyError, TooLargeError
from memd.storage.files import Tree
from memd.storage.replace import append, create, exchange, replace
from memd.storage.system import System


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    (tmp_path / "root").mkdir()
    return Tree(str(tmp_path / "root"))


def inside(tree: Tree) -> list[str]:
    return sorted(os.listdir(tree.path))


@pytest.mark.parametrize("name", ["../out", "a/../../out", "..", ".", "a/", "/etc/passwd", "a//b"])
def test_a_name_leads_nowhere_but_below_the_root(tree: Tree, tmp_path: Path, name: str) -> None:
    (tmp_path / "out").write_text("secret")
    os.makedirs(f"{tree.path}/a", exist_ok=True)
    for act in (tree.read, lambda name: append(tree, name, b"x"), lambda name: replace(tree, name, b"x"), tree.remove):
        with pytest.raises((NotRegularError, FileNotFoundError)):
            act(name)
    assert (tmp_path / "out").read_text() == "secret"


def test_links_and_pipes_are_refused_at_every_step_of_a_path(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/file").write_text("secret")
    os.symlink(tmp_path / "out", f"{tree.path}/dir")
    os.symlink(tmp_path / "out/file", f"{tree.path}/link")
    os.mkfifo(f"{tree.path}/pipe")
    for name in ("dir/file", "link", "pipe"):
        with pytest.raises(NotRegularError):
            tree.read(name)
    for name in ("link", "pipe"):
        with pytest.raises(NotRegularError):
            exchange(tree, name, b"x")
    assert (tmp_path / "out/file").read_text() == "secret"


def test_a_link_swapped_in_again_and_again_never_leads_outside(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/file").write_text("outside")
    os.mkdir(f"{tree.path}/real")
    Path(f"{tree.path}/real/file").write_text("inside")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(f"{tree.path}/real", f"{tree.path}/kept")
            os.symlink(tmp_path / "out", f"{tree.path}/real")
            os.unlink(f"{tree.path}/real")
            os.rename(f"{tree.path}/kept", f"{tree.path}/real")

    swapper = threading.Thread(target=swap)
    swapper.start()
    found = set()
    for _ in range(5000):
        try:
            found.add(tree.read("real/file")[0])
        except (NotRegularError, FileNotFoundError):
            continue
    stop.set()
    swapper.join()
    assert found <= {b"inside"}


def test_an_exchange_returns_what_was_there_and_keeps_the_mode(tree: Tree) -> None:
    path = Path(f"{tree.path}/f")
    path.write_bytes(b"one")
    path.chmod(0o640)
    displaced = exchange(tree, "f", b"two")
    assert (displaced.data, path.read_bytes(), path.stat().st_mode & 0o777) == (b"one", b"two", 0o640)
    assert displaced.identity == tree.identify("f")
    assert tree.read(displaced.temporary)[0] == b"one"
    tree.remove(displaced.temporary)
    assert exchange(tree, "new", b"x").temporary == ""
    assert inside(tree) == ["f", "new"]


def test_whether_a_file_is_open_elsewhere_is_known(tree: Tree) -> None:
    Path(f"{tree.path}/f").write_bytes(b"x")
    assert tree.open_elsewhere("f") is False
    with open(f"{tree.path}/f", "rb"):
        assert tree.open_elsewhere("f") is True


class NoExchange(System):
    def exchange(self, one: str, other: str, *, at: int) -> None:
        raise OSError(errno.EINVAL, "no such call here")

    def rename_new(self, one: str, other: str, *, at: int) -> None:
        os.link(one, other, src_dir_fd=at, dst_dir_fd=at)
        os.unlink(one, dir_fd=at)


def test_a_file_system_without_exchange_is_served_too(tmp_path: Path) -> None:
    tree = Tree(str(tmp_path), NoExchange())
    create(tree, "f", b"one")
    displaced = exchange(tree, "f", b"two")
    assert (displaced.data, (tmp_path / "f").read_bytes()) == (b"one", b"two")
    with pytest.raises(FileExistsError):
        create(tree, "f", b"three")


def test_an_append_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    class Full(System):
        def write(self, handle: int, data: bytes | memoryview) -> int:
            if len(data) > 4:
                return os.write(handle, data[:4])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "log").write_bytes(b"first\n")
    with pytest.raises(StorageFullError):
        append(Tree(str(tmp_path), Full()), "log", b"second\n")
    assert (tmp_path / "log").read_bytes() == b"first\n"


def test_a_missing_last_newline_is_written_before_the_next_line(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"by a person")
    append(Tree(str(tmp_path)), "log", b"by memd\n")
    assert (tmp_path / "log").read_bytes() == b"by a person\nby memd\n"


def test_a_file_over_the_limit_is_not_read(tree: Tree) -> None:
    Path(f"{tree.path}/f").write_bytes(b"x" * 101)
    with pytest.raises(TooLargeError):
        tree.read("f", 100)


def test_a_directory_that_cannot_be_written_is_told_as_read_only(tmp_path: Path) -> None:
    class ReadOnly(System):
        def open(self, name: str, flags: int, mode: int = 0o600, *, at: int | None = None) -> int:
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            return super().open(name, flags, mode, at=at)

    (tmp_path / "root").mkdir()
    with pytest.raises(StorageReadOnlyError):
        replace(Tree(str(tmp_path / "root"), ReadOnly()), "f", b"x")
    assert os.listdir(tmp_path / "root") == []


class MakingLate(System):
    """A system on which another thread has made every directory a moment before, and not synced its name."""

    def __init__(self) -> None:
        self.synced: list[int] = []

    def make_dir(self, name: str, *, at: int) -> None:
        with contextlib.suppress(FileExistsError):
            super().make_dir(name, at=at)
        raise FileExistsError

    def sync(self, handle: int) -> None:
        self.synced.append(os.fstat(handle).st_ino)
        super().sync(handle)


def test_a_directory_that_another_made_is_durable_before_it_is_used(tmp_path: Path) -> None:
    system = MakingLate()
    tree = Tree(str(tmp_path), system)
    tree.make_dirs("one/two")
    assert system.synced == [tmp_path.stat().st_ino, (tmp_path / "one").stat().st_ino]
    tree.make_dirs("one/two")
    assert len(system.synced) == 2, "once is enough"


def test_a_file_as_large_as_the_limit_is_read_and_one_byte_more_is_not(tree: Tree) -> None:
    Path(f"{tree.path}/f").write_bytes(b"x" * 100)
    assert tree.read("f", 100)[0] == b"x" * 100
    with pytest.raises(TooLargeError):
        tree.read("f", 99)


def test_a_file_that_is_written_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "f"

    class Written(System):
        """A system on which somebody writes the second half behind the first read."""

        times = 0

        def read(self, handle: int, size: int) -> bytes:
            data = super().read(handle, size)
            if not self.times:
                path.write_bytes(b"the whole of it")
            self.times += 1
            return data

    path.write_bytes(b"the whole")
    tree = Tree(str(tmp_path), Written())
    data, identity = tree.read("f")
    assert (data, identity) == (b"the whole of it", tree.identify("f"))


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's own")
def test_large_blocks_that_were_freed_are_given_back_to_the_system() -> None:
    """A process that reads a file of ten megabytes in many threads, again and again, ends no larger than it began."""
    code = """
import threading
from memd.storage.system import bound_heap
def resident_kb():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
def read(keep):
    blocks = []
    for number in range(40):
        blocks.append(bytearray(900_000))
        keep.append(bytearray(1_000))
assert bound_heap()
kept, begun = [], resident_kb()
for _ in range(6):
    threads = [threading.Thread(target=read, args=(kept,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(resident_kb() - begun)
"""
    grown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(grown.stdout) < 12_000


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's own")
def test_what_was_freed_between_what_is_in_use_is_given_back_when_asked_for() -> None:
    code = """
from memd.storage.system import bound_heap, release_heap
def resident_kb():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
assert bound_heap()
blocks = [bytes(10_000) for _ in range(3_000)]
kept = blocks[::20]
blocks.clear()
begun = resident_kb()
assert release_heap()
print(begun - resident_kb())
"""
    given = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(given.stdout) > 15_000


def test_the_sizes_of_a_directory_are_of_its_files_at_any_depth_and_not_of_temporaries(tree: Tree) -> None:
    os.makedirs(f"{tree.path}/a/b")
    for name, size in (("a/f", 3), ("a/b/g", 5), ("a/.f.0123.memd-tmp", 7), ("h", 11)):
        Path(f"{tree.path}/{name}").write_bytes(b"x" * size)
    os.symlink("f", f"{tree.path}/a/link")
    assert sorted(tree.sizes("a")) == [("a/b/g", 5), ("a/f", 3)]
    assert ("h", 11) in tree.sizes(".")
    assert tree.sizes("nowhere") == []
