"""`runs`, `sessions` and `archive` may lie elsewhere, where this machine has granted it; no other link is followed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from memd.config import place_of
from memd.errors import NotRegularError, TrustUnknownError
from memd.storage.files import Tree
from memd.storage.listing import walk
from memd.storage.replace import append, create, exchange, replace
from memd.store.trust import Trust
from tests.support import Daemon, Folder, until

NAMES = ("runs", "sessions", "archive")


def moved_out(folder: Folder, disk: Path) -> Folder:
    """Put the three directories on another disk, links in their place."""
    for name in NAMES:
        (disk / name).mkdir(parents=True)
        there = folder.path / name
        if there.is_dir():
            there.rmdir()
        there.symlink_to(disk / name)
    return folder


@pytest.fixture
def linked(tmp_path: Path) -> Folder:
    folder = moved_out(Folder.make(tmp_path / "memory", demo=False), tmp_path / "磁盘")
    folder.write("main", "The kiln is cone 6.", "The glaze shop closes at noon.")
    return folder


def tree_of(folder: Folder) -> Tree:
    tree = Tree(str(folder.path))
    Trust(place_of(str(folder.path)).state).look(tree)
    return tree


def work_on(daemon: Daemon, number: int) -> None:
    daemon.call("memory.forget", role="main", id=f"id-{number:05d}", reason="done")
    daemon.call("session.open", session=f"s{number}", role="main")
    said: list[dict[str, Any]] = [{"kind": "message", "speaker": "user", "content": f"Word 词{number} of the session."}]
    daemon.call("session.append", session=f"s{number}", events=said)
    daemon.call("run.start", run=f"r{number}", session=f"s{number}", asked="Fire the kiln.")
    daemon.call("run.complete", run=f"r{number}", summary=f"Fired {number}.")


def test_where_it_is_granted_all_that_is_written_and_read_there_works_also_after_a_kill(
    linked: Folder, tmp_path: Path, short_dir: Path
) -> None:
    linked.trust("links")
    disk = tmp_path / "磁盘"
    daemon = Daemon(linked, short_dir / "s")
    daemon.start()
    try:
        work_on(daemon, 0)
        daemon.kill()
        daemon.start()
        work_on(daemon, 1)
        until(lambda: daemon.call("status")["log"]["waiting"] == 0, 60, "everything is in the files")
        assert {one.name for one in disk.rglob("*") if one.is_file()} >= {"s0.jsonl", "s1.jsonl", "r0.md", "r1.md"}
        assert sum(one.read_text("utf-8").count('"forgotten"') for one in (disk / "archive").glob("*.jsonl")) == 2
        assert not [one for one in disk.rglob("*") if ".memd-tmp" in one.name]
        assert [one["id"] for one in daemon.call("memory.list", role="main", forgotten=True)["memories"]]
        assert daemon.call("memory.restore", role="main", id="id-00000")
        assert daemon.call("run.get", run="r0")["summary"] == "Fired 0."
        until(lambda: daemon.call("search", query="词1", kind="session")["total"], 60, "the session is found")
        status = daemon.call("status")
        assert (status["rejected"], status["held"], status["trust"]["said"]) == ([], {}, "")
    finally:
        daemon.stop()
    tree = tree_of(linked)
    listing = walk(tree)
    assert {name.partition("/")[0] for name in listing.files} >= set(NAMES)
    assert (listing.linked, listing.odd) == ([], {})
    assert sum(size for _, size in tree.sizes("runs")) > 0
    tree.close()


def test_a_running_daemon_takes_in_what_lies_there_when_it_is_granted_and_hears_of_changes(
    daemon: Daemon, tmp_path: Path
) -> None:
    folder, disk = daemon.folder, tmp_path / "disk"
    (disk / "2026-10").mkdir(parents=True)
    (disk / "2026-10/old.md").write_text("---\nrun: old\n---\nThe zirconium crucible cracked.\n", "utf-8")
    (folder.path / "runs").symlink_to(disk)
    assert daemon.call("search", query="zirconium")["total"] == 0
    folder.trust("runs")
    until(lambda: daemon.call("search", query="zirconium")["total"], 60, "what lies there is found")
    (disk / "2026-10/new.md").write_text("---\nrun: new\n---\nThe tantalum rod bent.\n", "utf-8")
    until(lambda: daemon.call("search", query="tantalum")["total"], 60, "a change there is heard of")


def test_every_step_of_the_disk_goes_there_and_no_other_link_is_followed(linked: Folder, tmp_path: Path) -> None:
    linked.trust("links.archive")
    tree, disk = tree_of(linked), tmp_path / "磁盘" / "archive"
    tree.make_dirs("archive/2026-11")
    create(tree, "archive/2026-11/a.jsonl", b"1\n")
    append(tree, "archive/2026-11/a.jsonl", b"2\n")
    assert exchange(tree, "archive/2026-11/a.jsonl", b"3\n").data == b"1\n2\n"
    replace(tree, "archive/top.jsonl", b"4\n")
    assert (disk / "2026-11/a.jsonl").read_bytes() == b"3\n"
    assert [one.name for one in tree.entries("archive") if one.is_file] == ["top.jsonl"]
    assert [(one.name, one.is_dir) for one in tree.entries(".") if one.name in NAMES] == [
        ("archive", True),
        ("runs", False),
        ("sessions", False),
    ]
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("k")
    (disk / "inner").symlink_to(secret)
    (disk / "one").symlink_to(secret / "key")
    (linked.path / "roles/linked").symlink_to(secret)
    for name in (
        "archive/inner/key",
        "archive/one",
        "roles/linked/key",
        "runs/x",
        "sessions/x",
        "archive/../secret/key",
    ):
        with pytest.raises(NotRegularError):
            tree.read(name)
        with pytest.raises(NotRegularError):
            replace(tree, name if "/key" in name or "/x" in name else f"{name}/new", b"x")
    assert (secret / "key").read_text() == "k"
    assert sorted(walk(tree).linked) == ["archive/inner", "archive/one", "roles/linked", "runs", "sessions"]
    tree.close()


def test_a_link_that_leads_elsewhere_later_is_followed_no_more(linked: Folder, tmp_path: Path) -> None:
    linked.trust("links")
    tree = tree_of(linked)
    other = tmp_path / "other"
    other.mkdir()
    (linked.path / "runs").unlink()
    (linked.path / "runs").symlink_to(other)
    with pytest.raises(NotRegularError):
        create(tree, "runs/a.md", b"x")
    assert os.listdir(other) == []
    (linked.path / "runs").unlink()
    (linked.path / "runs").mkdir()
    create(tree, "runs/a.md", b"x")  # a directory of the workspace's own is used as ever
    assert (linked.path / "runs/a.md").read_bytes() == b"x"
    tree.close()


@pytest.mark.parametrize("where", ["nowhere", "a file", "the workspace", "above it", "a repository", "everybody's"])
def test_a_link_to_what_must_not_be_used_cannot_be_granted(linked: Folder, tmp_path: Path, where: str) -> None:
    file, repository, open_to_all = tmp_path / "file", tmp_path / "r/.git/x", tmp_path / "open"
    file.write_text("x")
    repository.mkdir(parents=True)
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    target = {
        "nowhere": tmp_path / "gone", "a file": file, "the workspace": linked.path / "roles", "above it": tmp_path,
        "a repository": repository, "everybody's": open_to_all,
    }[where]  # fmt: skip
    (linked.path / "runs").unlink()
    (linked.path / "runs").symlink_to(target)
    with pytest.raises(TrustUnknownError, match="cannot be granted"):
        linked.trust("runs")
    linked.trust("sessions", "archive")
    tree = tree_of(linked)
    assert set(tree.links) == {"sessions", "archive"}
    tree.close()
