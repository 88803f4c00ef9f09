"""A backup has every byte of the workspace, says so only when it is proved, and never harms what is there."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from pathlib import Path

import pytest

from tests.flow.repositories import begun
from tests.support import Daemon, Folder, memd


def contents(path: Path) -> dict[str, bytes]:
    """Every file by name, git's own and the lock left out."""
    return {
        str(one.relative_to(path)): one.read_bytes()
        for one in sorted(path.rglob("*"))
        if one.is_file() and ".git" not in one.relative_to(path).parts and one.name != "lock"
    }


def odd_files(path: Path) -> None:
    (path / "页面.md").write_text("一页。\r\n第二行。\r\n", "utf-8")
    (path / 'a "b" \\ c.md').write_bytes(b"quoted\n")
    (path / "two\nlines.md").write_bytes(b"x")
    (path / "carriage\r.md").write_bytes(b"x")
    (path / "node_modules").mkdir()
    (path / "node_modules/kept.js").write_bytes(b"x")
    with open(bytes(path) + b"/bad\xff.md", "wb") as file:
        file.write(b"not UTF-8 in its name")
    (path / "tool.sh").write_text("#!/bin/sh\n", "utf-8")
    (path / "tool.sh").chmod(0o755)
    (path / ".memory").mkdir(exist_ok=True)
    (path / ".memory/review.jsonl").write_text("{}\n", "utf-8")
    (path / "deep/er").mkdir(parents=True)
    (path / "deep/er/bytes.bin").write_bytes(bytes(range(256)))


@pytest.mark.parametrize("form", ["bundle", "tar.gz", "tar"])
def test_what_is_restored_is_what_was_there_to_the_byte(tmp_path: Path, form: str) -> None:
    if form == "bundle":
        folder: Folder = begun(tmp_path / "memory")
    else:
        folder = Folder.make(tmp_path / "memory", demo=False)
    odd_files(folder.path)
    file = tmp_path / f"b.{form}"
    done = json.loads(memd("backup", str(file), "-w", str(folder.path), "--json").stdout)
    assert done["form"] == ("git bundle" if form == "bundle" else "tar")
    assert sorted(os.listdir(tmp_path)) == sorted([file.name, "home", "memory"])
    memd("backup", str(file), "--verify")
    memd("backup", str(file), "--restore", str(tmp_path / "again"))
    assert contents(tmp_path / "again") == contents(folder.path)
    assert os.access(tmp_path / "again/tool.sh", os.X_OK)


def test_a_restored_repository_has_its_history_and_its_unfinished_work(tmp_path: Path) -> None:
    repository = begun(tmp_path / "memory")
    repository.put("main", {"id": "1", "content": "committed"})
    head = repository.commit("one")
    repository.git("branch", "other")
    repository.put("main", {"id": "1", "content": "not committed"})
    before = repository.git("status", "--porcelain")
    memd("backup", str(tmp_path / "b"), "-w", str(repository.path))
    assert repository.git("status", "--porcelain") == before
    assert "memd/backup" not in repository.git("for-each-ref")
    memd("backup", str(tmp_path / "b"), "--restore", str(tmp_path / "again"))
    again = type(repository)(tmp_path / "again")
    assert again.git("rev-parse", "HEAD").strip() == head
    assert again.git("branch", "--format=%(refname:short)").split() == ["main", "other"]
    assert again.git("status", "--porcelain") == before
    assert again.contents("main") == ["not committed"]
    assert "memd/backup" not in again.git("for-each-ref")


def test_what_is_checked_out_and_what_is_put_away_come_back(tmp_path: Path) -> None:
    repository = begun(tmp_path / "memory")
    repository.git("branch", "alpha")
    (repository.path / "MEMORY.md").write_text("- put away\n", "utf-8")
    repository.git("stash", "-q")
    memd("backup", str(tmp_path / "one"), "-w", str(repository.path))
    memd("backup", str(tmp_path / "one"), "--restore", str(tmp_path / "again"))
    again = type(repository)(tmp_path / "again")
    assert again.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert "put away" in again.git("stash", "show", "-p")
    repository.git("checkout", "-q", "--detach")
    repository.put("main", {"id": "1", "content": "on no branch"})
    head = repository.commit("detached")
    done = json.loads(memd("backup", str(tmp_path / "two"), "-w", str(repository.path), "--json").stdout)
    shown = json.loads(memd("backup", str(tmp_path / "two"), "--restore", str(tmp_path / "third"), "--json").stdout)
    third = type(repository)(tmp_path / "third")
    assert third.git("rev-parse", "HEAD").strip() == head
    assert third.status("symbolic-ref", "-q", "HEAD") == 1
    assert shown["commits"] == done["commits"]
    assert not (repository.path / ".git/refs/memd").exists(), "nothing is written into what is backed up"


def test_a_shallow_clone_and_a_part_of_a_repository_say_what_is_missing(tmp_path: Path) -> None:
    repository = begun(tmp_path / "memory")
    repository.commit("two")
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.path}", str(tmp_path / "shallow"))
    ran = memd("backup", str(tmp_path / "b1"), "-w", str(tmp_path / "shallow"))
    assert "shallow" in ran.stdout
    outer = type(repository)(tmp_path / "outer")
    outer.path.mkdir()
    outer.git("init", "-q")
    memd("init", str(outer.path / "inner"))
    assert "a part of the repository" in memd("backup", str(tmp_path / "b2"), "-w", str(outer.path / "inner")).stdout


def test_what_was_just_remembered_is_in_the_backup(daemon: Daemon, tmp_path: Path) -> None:
    daemon.call("remember", role="main", content="我住在厦门。", source="user", explicit=True)
    env = {"MEMD_SOCKET": str(daemon.socket)}
    memd("backup", str(tmp_path / "b.tar"), "-w", str(daemon.folder.path), env=env)
    memd("backup", str(tmp_path / "b.tar"), "--restore", str(tmp_path / "again"))
    assert "我住在厦门。" in Folder(tmp_path / "again").contents("main")


@pytest.mark.parametrize("form", ["bundle", "tar"])
@pytest.mark.parametrize("harm", ["cut", "flipped", "empty", "text"])
def test_a_damaged_backup_is_told_and_restores_nothing(tmp_path: Path, form: str, harm: str) -> None:
    folder: Folder = begun(tmp_path / "m") if form == "bundle" else Folder.make(tmp_path / "m", demo=False)
    file = tmp_path / "b"
    memd("backup", str(file), "-w", str(folder.path))
    data = file.read_bytes()
    at = len(data) - len(data) // 4 if form == "bundle" else data.index(b"# memd") if b"# memd" in data else 3000
    harmed = {
        "cut": data[: len(data) // 2],
        "flipped": data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :],
        "empty": b"",
        "text": b"hello\n",
    }[harm]
    file.write_bytes(harmed)
    for arguments in (["--verify"], ["--restore", str(tmp_path / "again")]):
        ran = memd("backup", str(file), *arguments, check=False)
        assert ran.returncode == 65, ran.stderr
        assert "Try:" in ran.stderr
    assert not (tmp_path / "again").exists()


def test_nothing_that_is_there_is_written_over(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "m", demo=False)
    file = tmp_path / "b.tar"
    file.write_text("older", "utf-8")
    assert memd("backup", str(file), "-w", str(folder.path), check=False).returncode == 65
    assert file.read_text("utf-8") == "older"
    inside = folder.path / "b.tar"
    assert memd("backup", str(inside), "-w", str(folder.path), check=False).returncode == 65
    assert not inside.exists()
    file.unlink()
    memd("backup", str(file), "-w", str(folder.path))
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_text("x", "utf-8")
    assert memd("backup", str(file), "--restore", str(tmp_path / "full"), check=False).returncode == 65
    assert os.listdir(tmp_path / "full") == ["x"]


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/../../evil", ".git/hooks/pre-commit", ".GIT/config", "a//b"])
def test_a_backup_from_a_stranger_writes_nothing_outside(tmp_path: Path, name: str) -> None:
    file = tmp_path / "b.tar"
    data = b"evil"
    digest = hashlib.sha256(data).hexdigest()
    manifest = json.dumps({"memd_backup": 1, "files": {name: digest}}).encode()
    with tarfile.open(file, "w") as tar:
        for member, content in (("memd-backup.json", manifest), (name, data)):
            one = tarfile.TarInfo(member)
            one.size = len(content)
            tar.addfile(one, io.BytesIO(content))
    ran = memd("backup", str(file), "--restore", str(tmp_path / "again"), check=False)
    assert ran.returncode == 65
    assert not (tmp_path / "evil").exists()
    assert not (tmp_path / "again").exists()


def test_links_are_left_out_and_told(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "m", demo=False)
    (folder.path / "link.md").symlink_to("/etc/passwd")
    ran = memd("backup", str(tmp_path / "b.tar"), "-w", str(folder.path))
    assert "link.md" in ran.stdout


def test_a_place_that_will_not_do_is_told_as_such(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "memory")
    file = tmp_path / "b"
    memd("backup", str(file), "-w", str(folder.path))
    for words in (["--restore", str(folder.path)], ["--restore", str(file)], ["-w", str(folder.path)]):
        ran = memd("backup", str(file), *words, check=False)
        assert (ran.returncode, "Name another place" in ran.stderr) == (65, True), words
