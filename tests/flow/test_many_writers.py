"""Many requests at once: everything acknowledged is there once."""

from __future__ import annotations

import asyncio
import collections
import json
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memd.client import AsyncClient
from tests import forking
from tests.support import Daemon, Folder, examples, memd, until

pytestmark = pytest.mark.demo


def test_each_of_a_thousand_pipelined_remembers_is_a_memory(workspace: Folder, short_dir: Path) -> None:
    workspace.settings(limits__scorings_per_day=2000)
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    texts = [f"Customer {n} has the contract number {n * 7919}." for n in range(examples(1000))]
    frames = [
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": n,
                "method": "remember",
                "params": {"role": "main", "content": text, "explicit": True},
            }
        )
        for n, text in enumerate(texts)
    ]
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(daemon.socket))
        client.settimeout(60)
        client.sendall(("\n".join(frames) + "\n").encode())
        with client.makefile("rb") as lines:
            replies = [json.loads(next(lines)) for _ in texts]
    assert [reply["id"] for reply in replies] == list(range(len(texts))), "one role's answers come in order"
    assert all(reply["result"]["stored"] for reply in replies)
    assert daemon.stop() == 0
    assert collections.Counter(workspace.contents("main")) == collections.Counter(texts)
    assert {one["id"] for one in workspace.records("main")} == {reply["result"]["id"] for reply in replies}


def test_sixty_four_clients_lose_nothing_and_get_their_own_answers(workspace: Folder, short_dir: Path) -> None:
    workspace.settings(limits__scorings_per_day=5000, gate__relations=False)
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()

    async def client(number: int) -> list[str]:
        async with AsyncClient(str(daemon.socket), deadline_s=60) as connected:
            lines = range(examples(20))
            texts = [f"Client {number} wrote line {n} with mark {number * 1000 + n}." for n in lines]
            replies = await asyncio.gather(
                *(connected.call("remember", role="main", content=text, explicit=True) for text in texts)
            )
            for text, reply in zip(texts, replies, strict=True):
                shown = await connected.call("memory.get", role="main", id=reply["id"])
                assert shown["content"] == text
            return texts

    async def everybody() -> list[str]:
        return [text for texts in await asyncio.gather(*(client(n) for n in range(64))) for text in texts]

    texts = asyncio.run(everybody())
    daemon.stop()
    assert collections.Counter(workspace.contents("main")) == collections.Counter(texts)


def test_two_writers_without_a_daemon_lose_nothing(workspace: Folder) -> None:
    workspace.settings(gate__relations=False)

    each = examples(20)

    def write(number: int) -> None:
        for n in range(each):
            text = f"Writer {number} added fact {n} of his own."
            memd("remember", "main", text, "--explicit", "-w", str(workspace.path), "--json")

    with ThreadPoolExecutor() as writers:
        list(writers.map(write, (1, 2)))
    contents = collections.Counter(workspace.contents("main"))
    assert len(contents) == 2 * each
    assert set(contents.values()) == {1}


def test_a_second_daemon_is_told_who_holds_the_workspace(daemon: Daemon) -> None:
    result = memd("up", "-w", str(daemon.folder.path), check=False)
    assert result.returncode == 75
    assert daemon.process is not None
    assert f"process {daemon.process.pid}," in result.stderr


def test_twenty_daemons_at_once_are_one(workspace: Folder, short_dir: Path) -> None:
    path = short_dir / "s"
    started = [forking.start("up", "-w", str(workspace.path), "--socket", str(path)) for _ in range(20)]
    until(lambda: sum(one.poll() is None for one in started) <= 1, 60, "all but one gave up")
    serving = [one for one in started if one.poll() is None]
    assert len(serving) == 1
    assert {one.returncode for one in started if one.poll() is not None} == {75}
    running = Daemon(workspace, path)
    until(path.exists, 60, "it listens")
    assert running.call("ping")["pid"] == serving[0].pid
    serving[0].send_signal(signal.SIGTERM)
    assert serving[0].wait(20) == 0


def test_an_edit_by_another_process_is_in_the_next_trigger(daemon: Daemon) -> None:
    before = daemon.call("trigger", role="nora", message="Where is the spare key of the van?")
    assert not any("spare key" in one["text"] for one in before["activated"])
    path = daemon.folder.file("nora")
    text = path.read_text("utf-8")
    changed = text.replace(
        '"The van is a Citroen Jumpy', '"The spare key of the van hangs behind the clock. It is a Citroen Jumpy'
    )
    assert changed != text
    path.write_text(changed, "utf-8")
    after = daemon.call("trigger", role="nora", message="Where is the spare key of the van?")
    assert any("behind the clock" in one["text"] for one in after["activated"])


def test_what_was_remembered_is_in_the_next_trigger_and_in_the_file_soon(daemon: Daemon) -> None:
    daemon.call("remember", role="阿远", content="阿远的新手机号尾号是 8846，只给家里人。", source="user")
    reply = daemon.call("trigger", role="阿远", message="新手机号是多少？")
    assert any("8846" in one["text"] for one in reply["activated"])
    until(lambda: any("8846" in text for text in daemon.folder.contents("阿远")), 5, "it is in memory.json")
    declared = daemon.folder.path / ".memory/declarative.md"
    until(lambda: declared.exists() and "8846" in declared.read_text("utf-8"), 5, "its line is in declarative.md")
