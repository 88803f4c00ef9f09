"""Editors save memory.json while the daemon writes it: no save is lost, no record of the daemon's is lost for good."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from memd.client import Client
from tests.support import Daemon, Folder, memd, until

# One process, as an editor is one: it reads, changes one record, and saves in its own manner.
EDITOR = """
import json, os, random, sys, time
path, style, saves, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
chance = random.Random(seed)

def atomic(text):
    with open(path + ".swap", "w") as file:
        file.write(text)
    os.replace(path + ".swap", path)

def truncating(text):
    with open(path, "w") as file:
        half = len(text) // 2
        file.write(text[:half])
        file.flush()
        time.sleep(chance.uniform(0, 0.004))
        file.write(text[half:])

def appending(text):
    # In place without truncation: the file is opened for update and written over from the start, then cut.
    with open(path, "r+") as file:
        time.sleep(chance.uniform(0, 0.004))
        file.write(text)
        file.truncate()

def vim(text):
    os.rename(path, path + "~")
    time.sleep(chance.uniform(0, 0.003))
    with open(path, "w") as file:
        file.write(text)
    os.unlink(path + "~")

save = {"atomic": atomic, "truncating": truncating, "appending": appending, "vim": vim}[style]
number = 0
while number < saves:
    try:
        with open(path) as file:
            document = json.load(file)
    except (ValueError, FileNotFoundError):
        continue
    document["semantic"].append({"id": f"edit-{style}-{number:05d}", "content": f"{style} edit {number}"})
    save(json.dumps(document, ensure_ascii=False, indent=2) + "\\n")
    print(number, flush=True)
    number += 1
    time.sleep(chance.uniform(0, 0.02))
"""


def remembering(path: Path, stop: threading.Event, acknowledged: list[str], pause_s: float = 0.004) -> None:
    with Client(str(path), deadline_s=30) as client:
        number = 0
        while not stop.is_set():
            text = f"The daemon's record {number} is {random.getrandbits(40):x}."
            reply = client.call("remember", role="main", content=text, explicit=True, kind="semantic")
            assert reply["stored"]
            acknowledged.append(text)
            number += 1
            time.sleep(pause_s)


def race(folder: Folder, path: Path, style: str, saves: int) -> dict[str, Any]:
    folder.write("main", "The first record.")
    folder.settings(
        limits__scorings_per_day=10**6, limits__role_memories=10**6, gate__relations=False, gate__scan=False
    )
    folder.trust("gate.scan")
    daemon = Daemon(folder, path)
    daemon.start()
    stop, acknowledged = threading.Event(), list[str]()
    writer = threading.Thread(target=remembering, args=(path, stop, acknowledged))
    writer.start()
    editor = subprocess.run(
        [sys.executable, "-c", EDITOR, str(folder.file("main")), style, str(saves), "7"],
        capture_output=True,
        text=True,
        timeout=110,
        check=True,
    )
    assert len(editor.stdout.split()) == saves
    stop.set()
    writer.join()
    try:
        until(lambda: is_settled(daemon), 20, "everything is in the files")
        ids = {one["id"] for one in folder.records("main")}
        contents = set(folder.contents("main"))
        lost_edits = [n for n in range(saves) if f"edit-{style}-{n:05d}" not in ids]
        lost_records = [text for text in acknowledged if text not in contents]
        recovered = memd_recover(folder)
        return {
            "saves": saves,
            "remembered": len(acknowledged),
            "lost_edits": lost_edits,
            "lost_records": lost_records,
            "gone": [text for text in lost_records if text not in recovered],
            "copies": [one.name for one in (folder.path / "roles/main").glob("*conflict*")],
            "temporaries": [one for one in os.listdir(folder.path / "roles/main") if one.endswith(".memd-tmp")],
        }
    finally:
        daemon.stop()


def is_settled(daemon: Daemon) -> bool:
    """Nothing waits for a file, and no save is still to be answered."""
    status = daemon.call("status")
    return status["log"]["waiting"] == 0 and not any(role["waiting"] for role in status["roles"])


def memd_recover(folder: Folder) -> str:
    return memd("recover", "--list", "--json", "-w", str(folder.path)).stdout


@pytest.mark.parametrize("style", ["atomic", "truncating", "appending", "vim"])
def test_no_save_and_no_record_is_lost(workspace: Folder, short_dir: Path, style: str) -> None:
    result = race(workspace, short_dir / "s", style, 40)
    assert result["lost_edits"] == []
    assert result["gone"] == []
    assert result["remembered"] > 5


@pytest.mark.torture
@pytest.mark.timeout(300)
@pytest.mark.parametrize("style", ["atomic", "truncating", "appending", "vim"])
def test_three_hundred_saves(workspace: Folder, short_dir: Path, style: str) -> None:
    result = race(workspace, short_dir / "s", style, 300)
    print(style, json.dumps({key: value if isinstance(value, int) else len(value) for key, value in result.items()}))
    assert result["lost_edits"] == []
    assert result["gone"] == []
