"""Editors save MEMORY.md and USER.md while the daemon adds to them: what must hold is written below, and counted.

One editor for each file saves again and again, in one manner after another; a client adds entries through the daemon.
Each save puts in one entry of its own; some take out entries that have stood for longer than the guard of ten seconds.

A save is made from what its editor read. Where the daemon added meanwhile, the save lacks what it did not know: that is
no removal. A removal is made knowingly where the editor has read an entry and saves without it. Then, in the end:

- no *acknowledged* entry is lost: each that the daemon acknowledged is in its file, but for those removed knowingly;
- no *save* is lost: the entry that a save put in is in its file, but for those removed knowingly;
- nothing is *doubled*: no line of any of them stands twice, nor do the lines that stood there before;
- nothing was left over: no temporary file. A conflict copy may be made, where entries look like versions of one another;
  what counts is the file alone, so that nothing may be in the copy only.

What was removed knowingly and *came back* is counted, and no fault here: on a slow machine memd may have brought in within
the last ten seconds what the editor had seen for longer.

`TORTURE_SEED=N pytest -m torture tests/crash/test_curated_editors.py` repeats a run as far as two processes can be made to.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support import Daemon, Folder, until

HEAD = {"MEMORY.md": "# What is known 已知\n\n<!-- For people. -->\n\n", "USER.md": "# Who the user is\n\n"}

# One process for each file, as an editor is one. It prints what each save put in and what it knowingly took out.
EDITOR = r"""
import json, os, random, sys, time
path, saves, seed, late_share = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
chance = random.Random(seed)
AGED_S, MANY = 20.0, 150
seen = {}

def nap(most_s):
    time.sleep(chance.uniform(0, most_s))

def in_two(file, data):
    half = chance.randrange(len(data) + 1)
    file.write(data[:half])
    nap(0.004)
    file.write(data[half:])

def atomic(data):
    with open(path + ".swap", "wb") as file:
        file.write(data)
    os.replace(path + ".swap", path)

def truncating(data):
    with open(path, "r+b", buffering=0) as file:
        file.truncate(0)
        nap(0.004)
        in_two(file, data)

def vim(data):
    os.rename(path, path + "~")
    nap(0.004)
    with open(path, "wb", buffering=0) as file:
        in_two(file, data)
    os.unlink(path + "~")

def excl(data):
    os.unlink(path)
    nap(0.004)
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    with open(handle, "wb", buffering=0) as file:
        in_two(file, data)

def append(entry):
    with open(path, "ab", buffering=0) as file:
        nap(0.002)
        in_two(file, f"- {entry}\n".encode())

def late(entry):
    # It keeps its handle, and writes by it when the file behind the name has long been another.
    with open(path, "r+b", buffering=0) as file:
        data = file.read() + f"- {entry}\n".encode()
        time.sleep(chance.uniform(0.3, 1.5))
        file.seek(0)
        file.truncate(0)
        in_two(file, data)

for number in range(saves):
    entry = f"E save {number} {chance.getrandbits(40):x} 存"
    style = chance.choice(["atomic", "truncating", "vim", "excl", "append"])
    removed = []
    if chance.random() < late_share:
        style = "late"
        late(entry)
    elif style == "append":
        append(entry)
    else:
        lines = open(path, "rb").read().decode().split("\n")
        now = time.monotonic()
        for line in lines:
            seen.setdefault(line, now)
        aged = [line for line in lines if line.startswith("- ") and now - seen[line] > AGED_S]
        if aged and chance.random() < 0.3:
            removed = aged[:60] if len(lines) > MANY else [chance.choice(aged)]
        nap(0.02)  # a person types
        kept = [line for line in lines if line not in removed]
        {"atomic": atomic, "truncating": truncating, "vim": vim, "excl": excl}[style](
            ("\n".join(kept).rstrip("\n") + f"\n- {entry}\n").encode()
        )
    print(json.dumps([style, entry, [line[2:] for line in removed]]), flush=True)
    nap(0.06)
"""


def adding(daemon: Daemon, seed: int, stop: threading.Event, acknowledged: dict[str, list[str]]) -> None:
    chance = random.Random(seed)
    with daemon.client() as client:
        number = 0
        while not stop.is_set():
            name = chance.choice(list(HEAD))
            entry = f"D entry {number} {chance.getrandbits(40):x} 记"
            client.call("curated.add", file=name, content=entry)
            acknowledged[name].append(entry)
            number += 1
            time.sleep(chance.uniform(0, 0.05))


def race(folder: Folder, socket: Path, saves: int, seed: int, late_share: float = 0.01) -> dict[str, Any]:
    """Let editors and the daemon write both files; return what was counted, everything under its name."""
    folder.settings(limits__memory_md_chars=10**6, limits__user_md_chars=10**6)
    for name, head in HEAD.items():
        (folder.path / name).write_text(f"{head}- What stood there before. 原有\n", "utf-8")
    daemon = Daemon(folder, socket)
    daemon.start()
    stop = threading.Event()
    acknowledged: dict[str, list[str]] = {name: [] for name in HEAD}
    client = threading.Thread(target=adding, args=(daemon, seed, stop, acknowledged))
    client.start()
    try:
        editors = {
            name: subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    EDITOR,
                    str(folder.path / name),
                    str(saves // 2),
                    str(seed + at),
                    str(late_share),
                ],
                stdout=subprocess.PIPE,
                text=True,
            )
            for at, name in enumerate(HEAD)
        }
        said = {name: editor.communicate(timeout=900)[0] for name, editor in editors.items()}
        assert all(editor.returncode == 0 for editor in editors.values())
        stop.set()
        client.join()
        until(lambda: not left_behind(folder) and not daemon.call("status")["log"]["waiting"], 30, "all is merged")
    finally:
        stop.set()
        client.join()
        daemon.stop()
    found: dict[str, Any] = {"seed": seed, "styles": Counter(), "saves": 0, "acknowledged": 0, "removed": 0}
    for name, printed in said.items():
        count(found, name, folder, [json.loads(line) for line in printed.splitlines()], acknowledged[name])
    found["conflicts"] = [one.name for one in folder.path.glob("*.conflict-*")]
    found["left"] = left_behind(folder)
    return found


def count(
    found: dict[str, Any], name: str, folder: Folder, saved: list[tuple[str, str, list[str]]], acknowledged: list[str]
) -> None:
    lines = Counter((folder.path / name).read_text("utf-8").split("\n"))
    removed = {one for _, _, gone in saved for one in gone}
    here = {line.removeprefix("- ") for line in lines if line.startswith("- ")}
    found["saves"] += len(saved)
    found["acknowledged"] += len(acknowledged)
    found["removed"] += len(removed)
    found["styles"].update(style for style, _, _ in saved)
    found.setdefault("lost acknowledged", []).extend(
        one for one in acknowledged if one not in here and one not in removed
    )
    found.setdefault("lost saves", []).extend(
        [style, one] for style, one, _ in saved if one not in here and one not in removed
    )
    found.setdefault("doubled", []).extend(line for line, times in lines.items() if line and times > 1)
    found.setdefault("came back", []).extend(sorted(removed & here))
    if any(lines[line] != 1 for line in HEAD[name].split("\n") if line):
        found.setdefault("doubled", []).append(f"the head of {name}")


def left_behind(folder: Folder) -> list[str]:
    return [one for one in os.listdir(folder.path) if ".memd-tmp" in one]


FAULTS = ("lost acknowledged", "lost saves", "doubled", "left")


def shown(found: dict[str, Any]) -> str:
    counts = {key: len(value) if isinstance(value, list) else value for key, value in found.items()}
    return json.dumps({**counts, "shown": [found[fault][:5] for fault in FAULTS if found[fault]]}, ensure_ascii=False)


def test_a_hundred_saves_beside_a_daemon_that_adds(workspace: Folder, short_dir: Path) -> None:
    found = race(workspace, short_dir / "s", 100, seed=int(os.environ.get("TORTURE_SEED", "7")), late_share=0.04)
    print(shown(found))
    assert {fault: found[fault] for fault in FAULTS} == {fault: [] for fault in FAULTS}
    assert found["acknowledged"] > 5


@pytest.mark.torture
@pytest.mark.timeout(1200)
def test_two_thousand_saves_beside_a_daemon_that_adds(workspace: Folder, short_dir: Path) -> None:
    seed = int(os.environ.get("TORTURE_SEED", "0")) or random.randrange(1, 10**6)
    print(f"TORTURE_SEED={seed}")
    found = race(workspace, short_dir / "s", 2000, seed)
    print(shown(found))
    assert {fault: found[fault] for fault in FAULTS} == {fault: [] for fault in FAULTS}
    assert min(found["styles"].values()) > 5
    assert found["removed"] > 100
