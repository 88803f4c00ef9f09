"""The calls to the operating system: what it refuses is heard, and what it lacks is made up for."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.storage import system as module
from memd.storage.system import System


def broken_disk(*_: object) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    handle = System().open(str(tmp_path), os.O_RDONLY | os.O_DIRECTORY)
    yield handle
    os.close(handle)


@pytest.mark.skipif(not hasattr(os, "fdatasync"), reason="this system syncs in another way")
@pytest.mark.parametrize(("call", "step"), [("fsync", "sync"), ("fdatasync", "sync_data")])
def test_a_disk_that_cannot_be_synced_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, step: str
) -> None:
    with (tmp_path / "f").open("wb") as file:
        getattr(System(), step)(file.fileno())
        monkeypatch.setattr(os, call, broken_disk)
        with pytest.raises(OSError, match="Input/output"):
            getattr(System(), step)(file.fileno())


def test_a_link_is_never_followed(tmp_path: Path, folder: int) -> None:
    (tmp_path / "f").write_text("x")
    (tmp_path / "link").symlink_to("f")
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        System().open("link", os.O_RDONLY, at=folder)
    assert os.path.islink(tmp_path / "link")
    assert System().stat("link", at=folder).st_ino != System().stat("f", at=folder).st_ino


@pytest.mark.parametrize("has_call", [True, False], ids=["with renameat2", "without it"])
def test_a_name_that_is_taken_is_never_renamed_over(
    tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch, has_call: bool
) -> None:
    if not has_call:
        monkeypatch.setattr(module, "_rename_call", lambda: None)
    for name in ("one", "other"):
        (tmp_path / name).write_text(name)
        (tmp_path / f"{name}-dir").mkdir()
        (tmp_path / f"{name}-dir" / name).write_text("inside")
    for suffix in ("", "-dir"):
        with pytest.raises(FileExistsError):
            System().rename_new(f"one{suffix}", f"other{suffix}", at=folder)
        System().rename_new(f"one{suffix}", f"new{suffix}", at=folder)
    assert sorted(set(os.listdir(tmp_path)) - {"home"}) == ["new", "new-dir", "other", "other-dir"]
    assert ((tmp_path / "new").read_text(), (tmp_path / "other").read_text()) == ("one", "other")
    assert os.listdir(tmp_path / "new-dir") == ["one"]


def test_a_process_is_told_from_a_later_one_and_from_one_that_has_ended() -> None:
    system = System()
    mine = system.process_mark(os.getpid())
    assert mine
    assert mine == system.process_mark(os.getpid())
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has asked how
    assert system.process_mark(pid) == ""
    os.waitpid(pid, 0)
    assert system.process_mark(pid) == ""
