"""Long work tells how far it is: a bar on a terminal, nothing in a pipe, and sums instead of thousands of rows."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from memd.config import place_of
from memd.daemon import local
from memd.storage.files import Tree
from memd.store.following import building
from memd.verbs.care import upkeep
from tests.cli.screens import BAR, Seen, bars_after, columns_of, on_screen
from tests.support import Daemon, Folder, memd, until

AT_ONCE, NEVER = (bars_after, {"seconds": 0}), (bars_after, {"seconds": 3600})
WORK = [
    ("Importing", ["import", "{foreign}", "--role", "main"]),
    ("Building the index", ["rebuild"]),
    ("Checking", ["check"]),
    ("Looking for secrets", ["check", "--secrets"]),
    ("Backing up", ["backup", "{backup}"]),
    ("Proving", ["backup", "{proved}", "--verify"]),
    ("Restoring", ["backup", "{proved}", "--restore", "{restored}"]),
    ("Upkeep", ["upkeep"]),
    ("Syncing", ["sync"]),
]


def git(path: Path, *words: str) -> None:
    own = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *own, *words], cwd=path, check=True, capture_output=True)


def foreign(path: Path, count: int) -> str:
    records = [{"content": f"Lamp number {number} of the studio.", "keywords": ["lamp"]} for number in range(count)]
    bad = [{"content": ""} for _ in range(8)]
    document = {"characterUuid": "x", "episodic": [], "semantic": [*records, *bad], "traits": [], "goals": []}
    path.write_text(json.dumps(document), "utf-8")
    return str(path)


def shown(seen: Seen) -> list[str]:
    """Every state of every line, without what styles it."""
    return [one.strip() for one in re.split(r"[\r\n]", BAR.sub("", seen.raw))]


def taken_away(path: Path) -> None:
    (path / "backup").unlink(missing_ok=True)
    shutil.rmtree(path / "restored", ignore_errors=True)


@pytest.mark.parametrize(("label", "words"), WORK, ids=[label for label, _ in WORK])
def test_a_bar_on_a_terminal_and_nothing_in_a_pipe(
    daemon: Daemon, tmp_path: Path, label: str, words: list[str]
) -> None:
    if label == "Syncing":
        git(tmp_path, "init", "--bare", "--quiet", "there.git")
        git(daemon.folder.path, "init", "--quiet")
        git(daemon.folder.path, "remote", "add", "origin", str(tmp_path / "there.git"))
    env = {"MEMD_SOCKET": str(daemon.socket)}
    named = {name: str(tmp_path / name) for name in ("backup", "proved", "restored")}
    if "{proved}" in words:
        memd("backup", named["proved"], "-w", str(daemon.folder.path), env=env)
    given = [word.format(foreign=foreign(tmp_path / "memory.json", 700), **named) for word in words]
    given += ["-w", str(daemon.folder.path)]
    seen = on_screen(60, *given, before=AT_ONCE, **env)
    assert [one for one in shown(seen) if label in one][-1].endswith("100%")
    assert [one for one in shown(seen) if columns_of(one) > 60 and "/" not in one] == []
    assert seen.raw.rindex("\x1b[?25h") > seen.raw.rindex("\x1b[?25l"), "the cursor is there again"
    taken_away(tmp_path)
    assert label not in on_screen(60, *given, before=NEVER, **env).raw
    taken_away(tmp_path)
    piped = memd(*given, check=False, env=env)
    assert label not in piped.stdout + piped.stderr
    assert "\x1b" not in piped.stdout + piped.stderr


def test_without_a_daemon_there_is_a_bar_too(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "w")
    for label, words in (("Building the index", ("rebuild",)), ("Upkeep", ("upkeep",))):
        seen = on_screen(60, *words, "-w", str(folder.path), before=AT_ONCE)
        assert seen.status == 0
        assert [one for one in shown(seen) if label in one][-1].endswith("100%")


def test_work_that_fails_leaves_the_cursor_and_its_error(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "w", demo=False)
    (tmp_path / "there").write_text("x")
    seen = on_screen(60, "backup", str(tmp_path / "there"), "-w", str(folder.path), before=AT_ONCE)
    assert seen.status == 65
    assert "never written over" in " ".join(seen.raw.split())
    assert seen.raw.rindex("\x1b[?25h") > seen.raw.rindex("\x1b[?25l")


def test_an_import_says_how_many_of_what_and_the_first_of_each(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "w", demo=False)
    words = ["import", foreign(tmp_path / "memory.json", 300), "--role", "main", "-w", str(folder.path)]
    short = memd(*words, "--dry-run", check=False)
    assert short.returncode == 1
    assert "300 would come in, 8 refused" in short.stdout
    assert "  300 semantic\n" in short.stdout
    assert short.stdout.count("Lamp number") == 5
    assert "    and 295 more\n" in short.stdout
    assert "  8 refused, " in short.stdout
    assert "    and 3 more\n" in short.stdout
    assert "--verbose" in short.stdout
    whole = memd(*words, "--dry-run", "--verbose", check=False).stdout
    assert whole.count("Lamp number") == 300
    assert "--verbose" not in whole
    reply = json.loads(memd(*words, "--dry-run", "--json", check=False).stdout)
    assert (len(reply["files"][0]["taken"]), reply["refused"]) == (300, 8)
    assert [one["number"] for one in reply["files"][0]["refused"]] == list(range(300, 308))
    came = memd(*words, check=False).stdout
    assert came.count("Lamp number") == 5
    assert "To take it back: memd import --undo " in came


def test_on_a_terminal_many_findings_of_one_code_are_told_by_the_first(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "w", demo=False)
    (folder.path / "notes").mkdir()
    for number in range(30):
        (folder.path / f"notes/{number:02}.md").write_bytes(b"one\0two\n")
    words = ("check", "-w", str(folder.path))
    piped = memd(*words, check=False)
    code = piped.stdout.split()[1]
    assert piped.stdout.count(code) == 30
    on_one = on_screen(80, *words)
    assert on_one.raw.count(f": {code} ") == 20
    assert f"and 10 more {code}: --verbose shows them" in on_one.raw
    assert on_screen(80, *words, "--verbose").raw.count(f": {code} ") == 30


def test_a_build_tells_bytes_read_and_as_many_to_write(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "w", demo=False)
    folder.write("main", *(f"Lamp number {number}." for number in range(250)))
    heard: list[tuple[int, int, str]] = []
    tree = Tree(str(folder.path))
    try:
        building.build(
            tree, str(tmp_path / "cache-of-it"), names=None, fresh=True, role_bytes=10**7, now_s=0.0,
            told=lambda done, of, step: heard.append((done, of, step)),
        )  # fmt: skip
    finally:
        tree.close()
    assert len({of for _, of, _ in heard}) == 1
    assert [done for done, _, _ in heard] == sorted(done for done, _, _ in heard)
    assert heard[-1] == (heard[0][1] // 2, heard[0][1], "writing")
    assert len(heard) > 4, "also within one file"


def test_ping_tells_how_far_a_rebuild_is_and_nothing_when_nothing_is_under_way(daemon: Daemon) -> None:
    daemon.folder.write("main", *(f"Lamp number {number} of the studio." for number in range(1500)))
    told: list[dict[str, Any]] = []
    with daemon.client(120) as asking, daemon.client() as client:
        work = Thread(target=asking.call, args=("rebuild",))
        work.start()
        while work.is_alive():
            told.append(client.call("ping").get("under_way", {}))
            work.join(0.02)  # a child that builds is nicer than who asks without a pause
        work.join()
        until(lambda: "under_way" not in client.call("ping"), 20, "it is done")
    steps = [one["index"] for one in told if one]
    assert steps, "it was seen under way"
    assert {one["step"] for one in steps} <= {"reading", "writing"}
    assert all(0 <= one["done"] <= one["of"] for one in steps)


def test_upkeep_tells_a_hundred_parts_a_role(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "w", demo=False)
    folder.write("main", *(f"Lamp number {number}." for number in range(60)), expiresAt="2020-01-01T00:00:00Z")
    heard: list[tuple[int, int, str]] = []

    async def work() -> None:
        async with local(place_of(str(folder.path)), writes=True) as opened:
            await upkeep.run(opened.store, told=lambda *said: heard.append(said))
            with opened.service.telling("upkeep") as told:
                told(25, 100, "main")
                pong = await opened.call("ping")
                assert pong["under_way"] == {"upkeep": {"done": 25, "of": 100, "step": "main"}}
            assert "under_way" not in await opened.call("ping")

    asyncio.run(work())
    assert heard == [(0, 100, "main"), (41, 100, "main"), (83, 100, "main"), (100, 100, "main")]
