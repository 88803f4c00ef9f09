"""The folder and the daemon are one: whatever way a file changes, the next answers know, and memd says how it is."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.errors import RemoteError
from tests import forking
from tests.bench.notes import cpu_s
from tests.support import Daemon, Folder, until

pytestmark = pytest.mark.demo

SOON_S = 5.0


@pytest.fixture
def followed(workspace: Folder, short_dir: Path) -> Iterator[Daemon]:
    """A daemon that has read everything once."""
    workspace.settings(daemon__gone_exit_s=0.5)
    running = Daemon(workspace, short_dir / "s")
    running.start()
    until(lambda: running.call("status")["watcher"]["reconciled"]["scans"], 10, "the first scan")
    yield running
    running.stop()


def names(daemon: Daemon, query: str, **more: Any) -> list[str]:
    return [hit["name"] for hit in daemon.call("search", query=query, limit=100, **more)["hits"]]


def write(folder: Folder, name: str, text: str) -> Path:
    path = folder.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_a_page_is_found_as_it_is_written_changed_moved_and_removed(followed: Daemon) -> None:
    folder = followed.folder
    page = write(folder, "notes/kiln.md", "The porcupine sleeps. 豪猪在睡觉。\n")
    until(lambda: names(followed, "porcupine") == ["notes/kiln.md"], SOON_S, "a new page in a new directory")
    assert names(followed, "豪猪") == ["notes/kiln.md"]
    assert names(followed, '"豪猪在睡"') == ["notes/kiln.md"]
    page.write_text("The hedgehog sleeps.\n", "utf-8")
    until(lambda: names(followed, "hedgehog") == ["notes/kiln.md"], SOON_S, "an edit")
    assert names(followed, "porcupine") == []
    page.rename(folder.path / "notes/other.md")
    until(lambda: names(followed, "hedgehog") == ["notes/other.md"], SOON_S, "a rename")
    (folder.path / "notes/other.md").unlink()
    until(lambda: names(followed, "hedgehog") == [], SOON_S, "a removal")


def test_directories_that_come_and_go_take_their_pages_with_them(followed: Daemon, tmp_path: Path) -> None:
    folder = followed.folder
    outside = tmp_path / "outside"
    for number in range(5):
        (outside / f"deep/{number}").mkdir(parents=True)
        (outside / f"deep/{number}/page.md").write_text(f"armadillo {number}\n", "utf-8")
    outside.rename(folder.path / "moved")
    until(lambda: len(names(followed, "armadillo")) == 5, SOON_S, "a directory moved in")
    (folder.path / "moved").rename(folder.path / "renamed")
    until(lambda: all(n.startswith("renamed/") for n in names(followed, "armadillo")) and len(names(followed, "armadillo")) == 5,
          SOON_S, "a directory renamed")  # fmt: skip
    (folder.path / "renamed/deep/3/page.md").write_text("capybara\n", "utf-8")
    until(lambda: names(followed, "capybara") == ["renamed/deep/3/page.md"], SOON_S, "an edit under the new name")
    (folder.path / "renamed").rename(tmp_path / "away")
    until(lambda: names(followed, "armadillo capybara") == [], SOON_S, "a directory moved out")
    os.makedirs(folder.path / "a/b/c")
    write(folder, "a/b/c/d.md", "pangolin\n")
    until(lambda: names(followed, "pangolin") == ["a/b/c/d.md"], SOON_S, "mkdir -p and a write at once")


def test_what_is_empty_broken_or_gone_for_a_moment_does_not_count(followed: Daemon) -> None:
    folder = followed.folder
    page = write(folder, "notes/otter.md", "The otter swims.\n")
    until(lambda: names(followed, "otter") == ["notes/otter.md"], SOON_S, "the page")
    seen: list[bool] = []
    for state in (b"", b"The ott\xff", None):
        if state is None:
            page.unlink()
        else:
            page.write_bytes(state)
        end = time.monotonic() + 0.06
        while time.monotonic() < end:
            seen.append(names(followed, "swims") == ["notes/otter.md"])
        page.write_text("The otter swims.\n", "utf-8")
    assert all(seen)
    page.write_bytes(b"The otter swims.\nand \xff dives\n")
    until(
        lambda: "notes/otter.md:2:5: text.not_utf8" in str(followed.call("status")["rejected"]), SOON_S, "a rejection"
    )
    assert names(followed, "swims") == ["notes/otter.md"], "the last good state serves"
    page.write_text("The otter hibernates.\n", "utf-8")
    until(lambda: not followed.call("status")["rejected"], SOON_S, "the rejection to end")
    assert names(followed, "hibernates") == ["notes/otter.md"]


def test_nothing_outside_is_read_and_nothing_strange_stops_the_watching(followed: Daemon, tmp_path: Path) -> None:
    folder = followed.folder
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "page.md").write_text("wolverine\n", "utf-8")
    os.symlink(secret, folder.path / "linked")
    os.symlink(secret / "page.md", folder.path / "page.md")
    os.symlink("/proc", folder.path / "proc")
    os.mkfifo(folder.path / "pipe.md")
    Path(os.fsdecode(os.fsencode(folder.path) + b"/\xff\xfe.md")).write_text("wolverine\n", "utf-8")
    write(folder, ".hidden/page.md", "wolverine\n")
    write(folder, "notes/.#lock.md", "wolverine\n")
    write(folder, "notes/plan.md~", "wolverine\n")
    write(folder, "notes/4913", "wolverine\n")
    write(folder, "notes/plan.conflict-20260101T000000Z-0123abcd.md", "wolverine\n")
    write(folder, "notes/after.md", "badger\n")
    until(lambda: names(followed, "badger") == ["notes/after.md"], SOON_S, "the page after all that")
    assert names(followed, "wolverine") == []
    assert followed.call("status")["watcher"]["mode"] == "events"


def test_a_branch_switch_of_many_files_is_in_the_answers(followed: Daemon) -> None:
    folder = followed.folder

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(folder.path), "-c", "user.name=t", "-c", "user.email=t@t", *words], check=True,
                       capture_output=True)  # fmt: skip

    git("init", "-q", "-b", "one")
    for number in range(200):
        write(folder, f"notes/{number:03d}.md", f"first side {number} lemur\n")
    git("add", "-A")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "two")
    for number in range(200):
        write(folder, f"notes/{number:03d}.md", f"second side {number} tapir\n")
    git("commit", "-qam", "two")
    for branch, there, gone in (("one", "lemur", "tapir"), ("two", "tapir", "lemur")) * 3:
        git("checkout", "-q", branch)
        until(lambda t=there: followed.call("search", query=t)["total"] == 200, 10, f"{there} everywhere")  # type: ignore[misc]
        assert followed.call("search", query=gone)["total"] == 0
    assert not followed.call("status")["rejected"]


@pytest.mark.slice
def test_events_lost_while_the_daemon_was_stopped_are_made_good(followed: Daemon) -> None:
    folder = followed.folder
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 20_000:
        pytest.skip("this system's queue is too long to overflow in a test")
    assert followed.process is not None
    write(folder, "many/first.md", "vicuna first\n")
    until(lambda: names(followed, "vicuna") == ["many/first.md"], SOON_S, "the directory is watched")
    followed.process.send_signal(signal.SIGSTOP)
    try:
        (folder.path / "many").mkdir(exist_ok=True)
        for number in range(limit // 2 + 500):  # each is made, written and closed: three events
            write(folder, f"many/{number:05d}.md", f"vicuna {number}\n")
    finally:
        followed.process.send_signal(signal.SIGCONT)
    wanted = limit // 2 + 501
    until(lambda: followed.call("search", query="vicuna")["total"] == wanted, 20, "every file")


def test_settings_are_followed_and_a_faulty_file_leaves_the_last_good(followed: Daemon) -> None:
    folder = followed.folder
    folder.settings(injection__budget_chars=123)
    assert followed.call("config.get", key="injection.budget_chars")["settings"] == {"injection": {"budget_chars": 123}}
    assert len(followed.call("trigger", role="nora", message="kiln firing")["content"]) <= 123
    good = (folder.path / "memd.toml").read_text("utf-8")
    (folder.path / "memd.toml").write_text(good.replace("budget_chars = 123", "budget_chars = -1"), "utf-8")
    assert len(followed.call("trigger", role="nora", message="kiln firing")["content"]) <= 123
    (fault,) = followed.call("status")["rejected"]
    assert fault.startswith("memd.toml:")
    assert "settings.value" in fault
    (folder.path / "memd.toml").unlink()
    assert "file.missing" in str(followed.call("status")["rejected"])
    (folder.path / "memd.toml").write_text(good, "utf-8")
    assert followed.call("status")["rejected"] == []
    reply = followed.call("config.set", key="gate.keep_from", value=6)
    assert reply["file"] == "memd.toml"
    text = (folder.path / "memd.toml").read_text("utf-8")
    assert "keep_from = 6.0" in text
    assert text.count("#") == good.count("#")


def test_a_role_has_settings_of_its_own(followed: Daemon) -> None:
    (followed.folder.path / "roles/nora/role.toml").write_text(
        "[trigger]\nmax_semantic = 0\nmax_episodic = 0\n", "utf-8"
    )
    kinds = {one["kind"] for one in followed.call("trigger", role="nora", message="kiln firing Tomasz")["activated"]}
    assert not kinds & {"semantic", "episodic"}
    assert followed.call("trigger", role="阿远", message="咖啡")["activated"]
    followed.call("config.set", key="trigger.max_semantic", value=1, role="nora")
    found = followed.call("trigger", role="nora", message="kiln firing Tomasz")["activated"]
    assert [one["kind"] for one in found].count("semantic") == 1
    with pytest.raises(Exception, match="whole workspace"):
        followed.call("config.set", key="daemon.max_clients", value=3, role="nora")


def test_what_a_role_sets_is_taken_out_again(followed: Daemon) -> None:
    own = followed.folder.path / "roles/nora/role.toml"
    own.write_text("# mine\n[trigger]\nmax_semantic = 0  # none\n", "utf-8")
    again = {"key": "trigger.max_semantic", "role": "nora"}
    found = followed.call("config.set", **again, unset=True)
    assert (found["before"], found["value"], found["was_set"]) == (0, 2, True)
    assert own.read_text("utf-8") == "# mine\n[trigger]\n# none\n"
    assert followed.call("config.get", role="nora")["own"] == {"trigger": {}}
    assert followed.call("config.set", **again, unset=True)["was_set"] is False
    assert own.read_text("utf-8") == "# mine\n[trigger]\n# none\n"
    for wrong in ({}, {"value": 1, "unset": True}):
        with pytest.raises(Exception, match="either a value or unset"):
            followed.call("config.set", **again, **wrong)
    before = (followed.folder.path / "memd.toml").read_text("utf-8")
    followed.call("config.set", key="gate.keep_from", value=6)
    assert followed.call("config.set", key="gate.keep_from", unset=True)["value"] == 7.0
    after = (followed.folder.path / "memd.toml").read_text("utf-8")
    assert after == before.replace("keep_from = 7.0               # from here", "# from here")


def test_the_daemon_ends_when_its_workspace_is_gone_and_not_before(workspace: Folder, short_dir: Path) -> None:
    workspace.settings(daemon__gone_exit_s=8.0)
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    away = workspace.path.with_name("away")
    workspace.path.rename(away)
    until(lambda: daemon.call("status")["state"] == "workspace gone", SOON_S, "it is told")
    with pytest.raises(Exception, match="no longer at"):
        daemon.call("remember", role="main", content="I am allergic to peanuts.", explicit=True)
    away.rename(workspace.path)
    until(lambda: daemon.call("status")["state"] == "serving", SOON_S, "it is back")
    write(workspace, "notes/back.md", "okapi\n")
    until(lambda: names(daemon, "okapi") == ["notes/back.md"], SOON_S, "the watching goes on")
    workspace.path.rename(away)
    assert daemon.process is not None
    assert daemon.process.wait(40) == 0
    assert not workspace.path.exists(), "nothing is made anew"
    daemon.stop()


def test_the_status_proves_that_events_come(followed: Daemon) -> None:
    until(lambda: "heard_s_ago" in followed.call("status")["watcher"], SOON_S, "the probe")
    watcher = followed.call("status")["watcher"]
    assert (watcher["mode"], watcher["restarts"], watcher["missed"]) == ("events", 0, 0)
    assert watcher["folders"] == sum(1 for _ in _folders(followed.folder.path))


def _folders(path: Path) -> Iterator[str]:
    for folder, below, _ in os.walk(path):
        below[:] = [one for one in below if not one.startswith(".")]
        yield folder


def test_a_memory_saved_by_an_editor_is_found_by_phrase_at_once(followed: Daemon) -> None:
    file = followed.folder.file("nora")
    document = json.loads(file.read_text("utf-8"))
    document["semantic"].append({"id": "new", "content": "The quokka likes cobalt glaze. 短尾矮袋鼠喜欢钴蓝。"})
    file.write_text(json.dumps(document, ensure_ascii=False, indent=2), "utf-8")
    for query in ("quokka", '"likes cobalt glaze"', "quok*", "短尾矮袋鼠", '"喜欢钴蓝"'):
        hits = followed.call("search", query=query, role="nora")["hits"]
        assert [hit["id"] for hit in hits][:1] == ["new"], query


def test_what_is_dropped_into_a_role_or_into_memory_counts_at_once(followed: Daemon) -> None:
    folder = followed.folder
    folder.settings(limits__role_bytes=200_000, limits__memory_dir_bytes=200_000)
    (folder.path / "roles/nora/photo.bin").write_bytes(b"x" * 170_000)
    until(lambda: followed.call("status")["limits"]["role_bytes nora"]["warning"], SOON_S, "a warning from 90 % on")
    assert "photo.bin (170000 bytes)" in followed.call("status")["limits"]["role_bytes nora"]["largest"]
    (folder.path / "roles/nora/photo.bin").write_bytes(b"x" * 190_000)
    until(
        lambda: followed.call("status")["limits"]["role_bytes nora"]["used"] > 200_000, SOON_S, "it is over the limit"
    )
    with pytest.raises(RemoteError, match=r"photo\.bin") as refused:
        followed.call("remember", role="nora", content="Tomasz is allergic to peanuts.", explicit=True)
    assert refused.value.code == "limit.role_bytes"
    (folder.path / ".memory/dump.bin").write_bytes(b"x" * 250_000)
    time.sleep(1.1)  # the sizes of .memory/ are believed for a second
    with pytest.raises(RemoteError, match=r"dump\.bin") as refused:
        followed.call("remember", role="main", content="I am allergic to peanuts.", explicit=True)
    assert refused.value.code == "limit.memory_dir_bytes"
    (folder.path / ".memory/dump.bin").unlink()
    time.sleep(1.1)
    (folder.path / "roles/nora/photo.bin").unlink()
    until(lambda: not followed.call("status")["limits"]["role_bytes nora"]["warning"], SOON_S, "room again")
    assert followed.call("remember", role="nora", content="Tomasz is allergic to peanuts.", explicit=True)["stored"]


def test_a_directory_replaced_by_a_link_or_a_file_takes_its_pages_with_it(followed: Daemon, tmp_path: Path) -> None:
    folder = followed.folder
    write(folder, "notes/a.md", "axolotl\n")
    write(folder, "plans/b.md", "axolotl\n")
    until(lambda: len(names(followed, "axolotl")) == 2, SOON_S, "both pages")
    (folder.path / "notes").rename(tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", folder.path / "notes")
    (folder.path / "plans/b.md").unlink()
    (folder.path / "plans").rmdir()
    (folder.path / "plans").write_text("x")
    until(lambda: names(followed, "axolotl") == [], SOON_S, "nothing of them")
    write(folder, "other/c.md", "axolotl\n")
    until(lambda: names(followed, "axolotl") == ["other/c.md"], SOON_S, "the watching goes on")


@pytest.mark.parametrize("what", ["link", "pipe", "directory"])
def test_a_page_that_becomes_something_else_is_no_page_any_more(followed: Daemon, tmp_path: Path, what: str) -> None:
    page = write(followed.folder, "notes/a.md", "axolotl\n")
    until(lambda: names(followed, "axolotl") == ["notes/a.md"], SOON_S, "the page")
    page.unlink()
    if what == "link":
        (tmp_path / "secret.md").write_text("axolotl", "utf-8")
        os.symlink(tmp_path / "secret.md", page)
    elif what == "pipe":
        os.mkfifo(page)
    else:
        page.mkdir()
    for query in ("axolotl", '"axolotl"', "axol*"):
        until(lambda q=query: names(followed, q) == [], SOON_S, query)  # type: ignore[misc]


def test_a_role_that_goes_takes_its_memories_and_costs_nothing_more(followed: Daemon, tmp_path: Path) -> None:
    folder = followed.folder
    folder.write("guest", "The axolotl visits.")
    until(lambda: names(followed, "axolotl"), SOON_S, "the role")
    (folder.path / "roles/guest").rename(tmp_path / "guest")
    for query in ("axolotl", '"axolotl visits"'):
        until(lambda q=query: names(followed, q) == [], SOON_S, query)  # type: ignore[misc]
    os.symlink(tmp_path / "guest", folder.path / "roles/guest")
    assert followed.call("search", query="kiln")["total"] > 0
    assert "role.not_a_directory" in str(followed.call("status")["rejected"]) or names(followed, "axolotl") == []
    until(lambda: not followed.call("status")["index"]["behind"], 60, "the index")
    assert followed.process is not None
    used = cpu_s(followed.process.pid)
    time.sleep(3)
    assert cpu_s(followed.process.pid) - used < 1.0, "no loop"


def test_touches_and_own_writes_are_not_missed_changes(workspace: Folder, short_dir: Path) -> None:
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    page = write(workspace, "notes/a.md", "axolotl\n")
    until(lambda: names(daemon, "axolotl") == ["notes/a.md"], SOON_S, "the page")
    os.utime(page)
    os.chmod(page, 0o600)
    os.symlink("/etc/hosts", workspace.path / "hosts.md")
    (workspace.path / "roles/bad name").mkdir()
    (workspace.path / "roles/bad name/memory.json").write_text("{}")
    daemon.call("remember", role="main", content="I am allergic to peanuts.", explicit=True)
    assert daemon.process is not None
    daemon.stop()
    daemon.start()
    status = daemon.call("status")
    until(lambda: daemon.call("status")["watcher"]["reconciled"]["scans"] >= 1, SOON_S, "a scan")
    assert (status["watcher"]["missed"], status["watcher"]["restarts"]) == (0, 0)
    until(lambda: not daemon.call("status")["index"]["behind"], 60, "the index")
    built = daemon.call("status")["index"]["built_at"]
    time.sleep(4)
    assert daemon.call("status")["index"]["built_at"] == built, "nothing to build is not built"
    daemon.stop()


def test_a_setting_made_while_an_editor_saves_loses_neither(followed: Daemon) -> None:
    path = followed.folder.path / "memd.toml"
    good = path.read_text("utf-8")
    made = refused = 0
    for number in range(40):
        with path.open("w", encoding="utf-8") as file:
            file.write(good[:100])
            file.flush()
            try:
                followed.call("config.set", key="daemon.max_clients", value=50 + number)
                made += 1
            except RemoteError as error:
                refused += error.code in ("file.changed", "settings.bad")
            file.write(good[100:])
        text = path.read_text("utf-8")
        assert text.count("#") == good.count("#")
    assert made + refused == 40
    assert refused
    assert not [one for one in os.listdir(followed.folder.path) if "memd-tmp" in one]


def test_a_diary_that_nobody_reads_stops_nothing(workspace: Folder, short_dir: Path) -> None:
    """The pipe holds a page of memory, and is not read before the end."""
    reads, writes = os.pipe()
    size = fcntl.fcntl(writes, fcntl.F_SETPIPE_SZ, 4096)
    daemon = Daemon(workspace, short_dir / "s")
    daemon.process = forking.start("up", "-w", str(workspace.path), "--socket", str(daemon.socket), stderr=writes)
    os.close(writes)
    until(daemon.answers, 20, "the daemon answers")
    for number in range(200):
        workspace.settings(injection__budget_chars=1000 + number)
        daemon.call("status")
    assert daemon.call("ping")["pong"]
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.process.wait(30) == 0
    with open(reads, "rb") as diary:
        assert len(diary.read()) > size - 200, "no line more had room"
