"""kill -9 during bursts of remembers: nothing acknowledged is lost, nothing doubled, every file readable."""

from __future__ import annotations

import collections
import json
import random
import socket
import threading
import time
from pathlib import Path

import pytest

from tests.support import Daemon, Folder, until


def burst(path: Path, texts: list[str], acknowledged: list[str]) -> None:
    """Send remembers without waiting, and note every one that was acknowledged until the connection breaks."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.settimeout(10)
        frames = [
            json.dumps(
                {
                    "jsonrpc": "2.0",
                    "id": number,
                    "method": "remember",
                    "params": {"role": "main", "content": text, "explicit": True, "kind": "semantic"},
                }
            )
            for number, text in enumerate(texts)
        ]
        try:
            client.sendall(("\n".join(frames) + "\n").encode())
            with client.makefile("rb") as replies:
                for line in replies:
                    reply = json.loads(line)
                    assert reply["result"]["stored"], reply
                    acknowledged.append(texts[reply["id"]])
        except (ConnectionError, TimeoutError):
            return


def check(folder: Folder, acknowledged: list[str]) -> None:
    counted = collections.Counter(folder.contents("main"))
    lost = [text for text in acknowledged if not counted[text]]
    doubled = [text for text, times in counted.items() if times > 1]
    assert not lost, f"{len(lost)} of {len(acknowledged)} acknowledged are lost: {lost[:3]}"
    assert not doubled, f"doubled: {doubled[:3]}"
    lines = (folder.path / ".memory/declarative.md").read_text("utf-8").split("\n")
    written = collections.Counter(line.split(" #其他")[0].partition(" ")[2].partition(" ")[2][6:] for line in lines)
    assert all(written[text] == 1 for text in acknowledged), "declarative.md has each once"
    assert not list((folder.path / "roles/main").glob("*conflict*"))


def wait_for(acknowledged: list[str], enough: int, sender: threading.Thread) -> None:
    """Some are acknowledged before the kill, however slow the machine is."""
    until(lambda: len(acknowledged) >= enough or not sender.is_alive(), 30, "some are acknowledged")


def rounds(folder: Folder, path: Path, count: int, seed: int) -> int:
    chance = random.Random(seed)
    folder.settings(limits__scorings_per_day=10**6, gate__relations=False, gate__scan=False)
    folder.trust("gate.scan")
    acknowledged: list[str] = []
    daemon = Daemon(folder, path)
    for number in range(count):
        daemon.start()
        texts = [f"Round {number} entry {n} has the code {chance.getrandbits(48):x}." for n in range(60)]
        sender = threading.Thread(target=burst, args=(path, texts, acknowledged))
        sender.start()
        wait_for(acknowledged, len(acknowledged) + chance.randint(0, 25), sender)
        time.sleep(chance.uniform(0.0, 0.05))  # the kill must come at a moment nobody chose
        daemon.kill()
        sender.join()
    daemon.start()
    daemon.stop()
    check(folder, acknowledged)
    left = [one.name for one in (folder.path / "roles/main").iterdir() if one.name.endswith(".memd-tmp")]
    assert not left
    return len(acknowledged)


def test_no_acknowledged_memory_is_lost_by_kills(workspace: Folder, short_dir: Path) -> None:
    assert rounds(workspace, short_dir / "s", 8, seed=1) > 20


@pytest.mark.torture
@pytest.mark.timeout(1200)
def test_no_acknowledged_memory_is_lost_by_two_hundred_kills(workspace: Folder, short_dir: Path) -> None:
    print("acknowledged:", rounds(workspace, short_dir / "s", 200, seed=2))
