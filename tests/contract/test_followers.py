"""Whatever hears of changes, or nothing: what the daemon serves is what the files say, soon."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import Daemon, Folder, until

pytestmark = pytest.mark.demo

KINDS = ["inotify", "watchfiles", "none"] if sys.platform == "linux" else ["watchfiles", "none"]

SCANNED_S = 100.0  # an event may be missed: the scan after a minute finds what it told of


@pytest.fixture(params=KINDS)
def followed(request: pytest.FixtureRequest, workspace: Folder, short_dir: Path) -> Iterator[Daemon]:
    workspace.settings(daemon__watcher=request.param)
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    until(lambda: daemon.call("status")["watcher"]["reconciled"]["scans"], 20, "the first scan")
    mode = daemon.call("status")["watcher"]["mode"]
    assert mode == ("polling" if request.param == "none" else "events")
    yield daemon
    daemon.stop()


def finds(daemon: Daemon, query: str) -> list[str]:
    return [one["name"] for one in daemon.call("search", query=query, kind="page")["hits"]]


def test_what_the_files_say_is_served(followed: Daemon, tmp_path: Path) -> None:
    folder = followed.folder.path
    (folder / "notes").mkdir(exist_ok=True)
    page = folder / "notes/heron.md"
    page.write_text("The heron stands in the canal.\n", "utf-8")
    until(lambda: finds(followed, "canal stands") == ["notes/heron.md"], 20, "a page that was made")

    swap = folder / "notes/.heron.swp"
    swap.write_text("那只苍鹭站在运河里。\n", "utf-8")
    os.replace(swap, page)
    until(lambda: finds(followed, "苍鹭") == ["notes/heron.md"] and not finds(followed, "canal stands"), 20, "a save")

    (tmp_path / "birds/rare").mkdir(parents=True)
    (tmp_path / "birds/rare/hoopoe.md").write_text("The hoopoe wears a crown.\n", "utf-8")
    shutil.move(tmp_path / "birds", folder / "birds")
    until(lambda: finds(followed, "wears crown") == ["birds/rare/hoopoe.md"], 20, "directories that came whole")
    (folder / "birds/rare/hoopoe.md").write_text("The hoopoe flew off.\n", "utf-8")
    until(lambda: finds(followed, "flew off") == ["birds/rare/hoopoe.md"], 20, "a change deep below what came")
    (folder / "birds").rename(folder / "fowl")
    until(lambda: finds(followed, "flew off") == ["fowl/rare/hoopoe.md"], 20, "a directory that was moved")
    shutil.rmtree(folder / "fowl")
    page.unlink()
    until(lambda: not finds(followed, "flew off") and not finds(followed, "苍鹭"), 20, "what was removed")

    path = followed.folder.file("nora")
    memories = json.loads(path.read_text("utf-8"))
    memories["semantic"][0]["content"] = "The lighthouse keeper is called Ingrid."
    path.write_text(json.dumps(memories, ensure_ascii=False, indent=2), "utf-8")
    told = [one["content"] for one in memories["semantic"]]
    until(
        lambda: "Ingrid" in followed.call("trigger", role="nora", message="Who is the lighthouse keeper?")["content"],
        20, "a memory that was edited",
    )  # fmt: skip
    listed = followed.call("memory.list", role="nora", kind="semantic", limit=100)["memories"]
    assert sorted(one["content"] for one in listed) == sorted(told)


def test_an_edit_is_in_the_very_next_search_of_all_and_list_of_roles(followed: Daemon) -> None:
    folder = followed.folder
    folder.write("ada", "The marmalade quokka sleeps.")
    folder.write("eve", "Nothing of that kind.")
    until(lambda: {"ada", "eve"} <= {one["name"] for one in followed.call("role.list", limit=100)["roles"]}, 20, "both")

    def found(query: str) -> list[str]:
        return [one["id"] for one in followed.call("search", query=query, kind="memory")["hits"]]

    for number in range(1, 40):
        word = f"zq{chr(97 + number % 26)}{chr(97 + number // 26)}rnt"
        assert not found(word)
        text = f"The {word} wakes." + " And sleeps." * (number % 3)
        if number % 2:
            folder.write("ada", text)
        else:
            swap = folder.file("ada").with_suffix(".swp")
            folder.write("eve", text)
            os.replace(folder.file("eve"), swap)
            os.replace(swap, folder.file("ada"))
            folder.write("eve", "Nothing of that kind.")
        assert found(word) == ["id-00000"]
        (folder.file("ada").parent / "role.toml").write_text(f'display_name = "Ada {number}"\n', "utf-8")
        names = {one["name"]: one["display_name"] for one in followed.call("role.list", limit=100)["roles"]}
        assert names["ada"] == f"Ada {number}"

    aside = folder.path / "roles/aside"
    folder.file("ada").parent.rename(aside)
    shutil.copytree(aside, folder.file("ada").parent)
    folder.write("ada", "The capybara swims.")
    until(lambda: found("capybara"), 20, "another directory in its place")
    folder.write("ada", "The pangolin rolls.")
    assert found("pangolin")


@pytest.mark.timeout(300)
def test_a_branch_that_is_switched_is_served(followed: Daemon) -> None:
    folder = followed.folder.path

    def git(*words: str) -> None:
        own = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)

    (folder / "notes").mkdir()
    git("init", "--quiet")
    git("add", "-A")
    git("commit", "--quiet", "-m", "one")
    git("switch", "--quiet", "-c", "other")
    for number in range(40):
        (folder / f"notes/page{number}.md").write_text(f"Walrus number {number}.\n", "utf-8")
    git("add", "-A")
    git("commit", "--quiet", "-m", "two")
    until(lambda: followed.call("search", query="walrus", limit=1)["total"] == 40, SCANNED_S, "forty pages")
    git("switch", "--quiet", "main")
    until(lambda: followed.call("search", query="walrus", limit=1)["total"] == 0, SCANNED_S, "the branch without them")
