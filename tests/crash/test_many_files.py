"""Thousands of files and directories, made while nobody looks: nothing is missed, and watching costs nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.bench.notes import cpu_s
from tests.support import Daemon, Folder, until

FILES, FOLDERS, SWITCHED = 30_000, 10_000, 500


def handles(daemon: Daemon) -> int:
    assert daemon.process is not None
    return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))


def is_up(daemon: Daemon) -> bool:
    index = daemon.call("status")["index"]
    return index["state"] == "ready" and not index["behind"]


def found(daemon: Daemon, word: str) -> int:
    return int(daemon.call("search", query=word)["total"])


@pytest.mark.torture
@pytest.mark.timeout(900)
def test_thousands_of_files_and_directories(workspace: Folder, short_dir: Path) -> None:
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    until(lambda: is_up(daemon), 60, "the first index")
    assert daemon.process is not None
    pid = daemon.process.pid
    before = handles(daemon)

    daemon.process.send_signal(signal.SIGSTOP)
    for number in range(FILES):
        if number % 300 == 0:
            folder = workspace.path / f"made/{number // 300:03d}"
            folder.mkdir(parents=True)
        (folder / f"{number:05d}.md").write_text(f"# {number}\n\nwalrus number{number} 海象\n", "utf-8")
    daemon.process.send_signal(signal.SIGCONT)
    begun = time.monotonic()
    while found(daemon, "walrus") < FILES:  # seldom, so that asking does not become the work
        assert time.monotonic() - begun < 60
        time.sleep(0.2)
    plain_s = time.monotonic() - begun
    behind = daemon.call("search", query="walrus")["index"]["behind"]
    until(lambda: is_up(daemon), 300, "every file in the index")
    print(f"\n{FILES:,} files made while stopped: plain search {plain_s:.1f} s, behind then {behind:,},"
          f" index {time.monotonic() - begun:.1f} s")  # fmt: skip
    assert daemon.call("search", query='"walrus number29999"')["total"] == 1

    begun = time.monotonic()
    for number in range(FOLDERS):
        (workspace.path / f"tree/{number % 100:02d}/{number:05d}").mkdir(parents=True)
    until(lambda: daemon.call("status")["watcher"]["folders"] >= FOLDERS, 60, "every directory is watched")
    (workspace.path / "tree/77/09977/page.md").write_text("manatee\n", "utf-8")
    edited = time.monotonic()
    until(lambda: found(daemon, "manatee") == 1, 10, "a page in the last directory")
    print(
        f"{FOLDERS:,} directories: watched {edited - begun:.1f} s after, an edit found {1000 * (time.monotonic() - edited):.0f} ms after"
    )

    until(lambda: is_up(daemon), 300, "the index")
    time.sleep(3)
    used, begun = cpu_s(pid), time.monotonic()
    time.sleep(60)
    idle = 100 * (cpu_s(pid) - used) / (time.monotonic() - begun)
    watcher = daemon.call("status")["watcher"]
    print(f"idle CPU {idle:.2f} %, handles {before} -> {handles(daemon)}, {watcher}")
    assert handles(daemon) <= before + 2
    assert watcher["missed"] == 0
    daemon.stop()


@pytest.mark.torture
@pytest.mark.timeout(600)
def test_twenty_branch_switches(workspace: Folder, short_dir: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(workspace.path), "-c", "user.name=t", "-c", "user.email=t@t", *words],
                       check=True, capture_output=True)  # fmt: skip

    git("init", "-q", "-b", "one")
    workspace.write("main", "The branch one says lemur.")
    for number in range(SWITCHED):
        path = workspace.path / f"notes/{number:03d}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"first side {number} lemur\n", "utf-8")
    git("add", "-A")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "two")
    workspace.write("main", "The branch two says tapir.")
    for number in range(SWITCHED):
        (workspace.path / f"notes/{number:03d}.md").write_text(f"second side {number} tapir\n", "utf-8")
    git("commit", "-qam", "two")
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    until(lambda: is_up(daemon), 60, "the first index")
    times: list[float] = []
    for turn in range(20):
        branch, word, gone = (("one", "lemur", "tapir"), ("two", "tapir", "lemur"))[turn % 2]
        git("checkout", "-q", branch)
        begun = time.monotonic()
        assert word in daemon.call("trigger", role="main", message=f"{word} {branch}")["content"]
        until(lambda w=word: found(daemon, w) == SWITCHED + 1, 20, "every page")  # type: ignore[misc]
        times.append(time.monotonic() - begun)
        assert found(daemon, gone) == 0
    begun = time.monotonic()
    until(lambda: is_up(daemon), 120, "the index")
    print(f"\n20 switches of {SWITCHED} files: agreed after {sorted(times)[10]:.2f} s (median), {max(times):.2f} s (longest);"
          f" index {time.monotonic() - begun:.1f} s after the last")  # fmt: skip
    assert daemon.call("search", query='"second side"')["total"] == SWITCHED
    daemon.stop()
