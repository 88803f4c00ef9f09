"""A large memory.json follows the log when it is quiet: whatever comes between the two, what was acknowledged is there."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, local, service_of
from memd.storage.layout import LOG
from memd.storage.system import System
from memd.store.opening import open_workspace
from memd.store.ports import Ports
from memd.store.store import Store
from tests.crash.history.seam import Seam
from tests.support import Daemon, Folder, memd, stride, until

PADDING_BYTES = 3_000_000  # the file follows after two seconds of quiet, and at latest after half a minute
SECRET = "Quill keeps her spare key below the third flowerpot. 第三个花盆下面。"
Call = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def large(tmp_path: Path) -> Folder:
    """A workspace whose role `main` has a large file of few memories: a field memd does not know makes it so."""
    folder = Folder.make(tmp_path / "m", demo=False)
    folder.settings(gate__relations=False, limits__role_bytes=10**8)
    folder.write("main", "Anna is a baker. 安娜是面包师。", "Bert sails. 贝特航海。", "Cleo sings. 克莱奥唱歌。")
    held = folder.load("main")
    folder.file("main").write_text(json.dumps({**held, "padding": "x" * PADDING_BYTES}, ensure_ascii=False), "utf-8")
    return folder


@asynccontextmanager
async def opened(
    folder: Folder, system: System | None = None, ports: Ports | None = None
) -> AsyncIterator[tuple[Store, Call]]:
    holder = {"pid": 1, "what": "test"}
    store = await open_workspace(str(folder.path), holder=holder, system=system, ports=ports)
    try:
        yield store, Local(store, service_of(store, Place(str(folder.path), "", ""), daemon=False)).call
    finally:
        await store.close()


async def remembered(call: Call, text: str) -> str:
    reply = await call("remember", role="main", content=text, explicit=True, kind="semantic")
    assert reply["stored"], reply
    return str(reply["id"])


async def changed(call: Call, *, erases: bool = True) -> None:
    """Change the three memories of the file, and add some: all of it is acknowledged when this returns."""
    await call("memory.update", role="main", id="id-00000", content="Anna is a smith. 安娜是铁匠。")
    await call("memory.forget", role="main", id="id-00001")
    kept = await remembered(call, "Dora builds boats. 朵拉造船。")
    await call("memory.update", role="main", id=kept, content="Dora builds bridges. 朵拉造桥。")
    await remembered(call, "Emil climbs. 埃米尔爬山。")
    if erases:
        await call("memory.forget", role="main", id="id-00002", erase=True)


AFTER = ["Anna is a smith. 安娜是铁匠。", "Dora builds bridges. 朵拉造桥。", "Emil climbs. 埃米尔爬山。"]


def served_to_a_reader(folder: Folder) -> list[str]:
    """What a process that takes no lock makes of the files and the log."""

    async def read() -> list[str]:
        async with local(Place(str(folder.path), "", ""), writes=False) as here:
            return [one["content"] for one in (await here.call("memory.list", role="main"))["memories"]]

    return sorted(asyncio.run(read()))


def test_a_reply_comes_before_the_file_and_the_log_has_it(large: Folder) -> None:
    async def talk() -> None:
        before = large.file("main").read_bytes()
        async with opened(large) as (store, call):
            for number in range(20):
                await remembered(call, f"Fact number {number} is about herons.")
            assert large.file("main").read_bytes() == before, "the file is not written for every one"
            assert (large.path / LOG).read_text("utf-8").count("herons") >= 20
            assert store.writer.depth
        assert sum("herons" in one for one in large.contents("main")) == 20, "closing brings it there"

    asyncio.run(talk())


def test_a_burst_is_one_exchange_of_the_file(large: Folder) -> None:
    exchanged: list[str] = []

    class Counting(System):
        def exchange(self, one: str, other: str, *, at: int) -> None:
            exchanged.append(other)
            super().exchange(one, other, at=at)

    async def talk() -> None:
        async with opened(large, Counting()) as (store, call):
            for number in range(60):
                await remembered(call, f"Fact number {number} is about herons.")
                await asyncio.sleep(0.02)
            end = time.monotonic() + 20
            while store.writer.depth:
                assert time.monotonic() < end
                await asyncio.sleep(0.05)

    asyncio.run(talk())
    assert exchanged.count("memory.json") == 1
    assert sum("herons" in one for one in large.contents("main")) == 60


def test_a_kill_at_any_step_between_the_log_and_the_file_loses_nothing(large: Folder, tmp_path: Path) -> None:
    """The file, the log, the archive: killed at each change of the disk that bringing them together makes."""
    held, kills = tmp_path / "held", 0
    shutil.copytree(large.path, held)
    while killed_at(large, kills):
        kills += stride(1, 2)
        assert served_to_a_reader(large) == AFTER, f"step {kills}: files and log"
        asyncio.run(settled(large))
        assert sorted(large.contents("main")) == AFTER, f"step {kills}: the files"
        assert "克莱奥" not in "".join(
            one.read_text("utf-8", "replace") for one in large.path.rglob("*") if one.is_file() and one.name != "lock"
        ), f"step {kills}: erased"
        assert len(large.load("main")["padding"]) == PADDING_BYTES
        assert not [
            one.name for one in large.file("main").parent.iterdir() if "tmp" in one.name or "conflict" in one.name
        ]
        (large.path / LOG).unlink()
        assert served_to_a_reader(large) == AFTER, f"step {kills}: the files alone"
        shutil.rmtree(large.path)
        shutil.copytree(held, large.path)
    assert kills >= 8, "write, sync, rename, exchange, sync of the directory, the marks, the lines"


def killed_at(folder: Folder, step: int) -> bool:
    """Acknowledge changes, then be killed at a step of the flush; False where there are not so many."""
    pid = os.fork()
    if pid == 0:
        asyncio.run(until_killed(folder, step + 1))
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, -signal.SIGKILL), status
    return status == -signal.SIGKILL


async def until_killed(folder: Folder, step: int) -> None:
    system = Seam()
    store = await open_workspace(str(folder.path), holder={"pid": 1, "what": "test"}, system=system)
    call = Local(store, service_of(store, Place(str(folder.path), "", ""), daemon=False)).call
    await changed(call)
    system.arm(step, ())
    reply = await call("flush")
    assert (reply["held"], reply["waiting"]) == ({}, 0), reply


async def settled(folder: Folder) -> None:
    async with opened(folder) as (_, call):
        assert (await call("flush"))["held"] == {}


def test_kills_again_and_again_before_the_file_follows_lose_nothing(large: Folder, short_dir: Path) -> None:
    large.trust()
    daemon = Daemon(large, short_dir / "s")
    said: list[str] = []
    for number in range(3):
        daemon.start()
        with daemon.client() as client:
            listed = client.call("memory.list", role="main", limit=1000)["memories"]
            assert {one["content"] for one in listed} >= set(said), "the next process serves it at once"
            for more in range(5):
                said.append(f"Life {number} fact {more} is about cranes.")
                assert client.call("remember", role="main", content=said[-1], explicit=True)["stored"]
        daemon.kill()
        assert set(served_to_a_reader(large)) >= set(said)
    daemon.start()
    daemon.stop()
    contents = large.contents("main")
    assert [contents.count(one) for one in said] == [1] * len(said), "stopping brings everything there, once"


def test_an_editor_that_saves_before_the_file_follows_keeps_both(large: Folder) -> None:
    async def talk() -> None:
        async with opened(large) as (_, call):
            await changed(call, erases=False)
            theirs = large.load("main")
            theirs["semantic"][0]["keywords"] = ["anvil"]
            theirs["semantic"][2]["content"] = "Cleo hums. 克莱奥哼歌。"
            fresh = large.file("main").with_suffix(".new")
            fresh.write_text(json.dumps(theirs, ensure_ascii=False), "utf-8")
            os.replace(fresh, large.file("main"))
            both = sorted([*AFTER, "Cleo hums. 克莱奥哼歌。"])
            assert sorted([one["content"] for one in (await call("memory.list", role="main"))["memories"]]) == both
            await call("flush")
            assert sorted(large.contents("main")) == both
            (anna,) = [one for one in large.records("main") if one["id"] == "id-00000"]
            assert (anna["content"], anna["keywords"]) == (AFTER[0], ["anvil"])

    asyncio.run(talk())


async def flushed(call: Call) -> dict[str, Any]:
    """What a flush answers once nothing came after it began: memd's own notes of a memory may be acknowledged meanwhile."""
    told: dict[str, Any] = {}
    for _ in range(20):
        told = await call("flush")
        if told["held"] or not told["waiting"]:
            break
        await asyncio.sleep(0.05)
    return told


def test_a_flush_answers_when_the_file_has_it_and_says_what_holds_it(large: Folder) -> None:
    async def talk() -> None:
        async with opened(large) as (_, call):
            await remembered(call, "Gerda keeps bees.")
            assert await flushed(call) == {"held": {}, "waiting": 0}
            assert "Gerda keeps bees." in large.contents("main")
            lock = large.path / ".git/index.lock"
            lock.parent.mkdir()
            lock.touch()
            await remembered(call, "Hugo keeps goats.")
            began = time.monotonic()
            held = (await call("flush"))["held"]
            assert time.monotonic() - began < 3, "what git holds is not waited for"
            assert "index.lock" in held["role:main"]
            lock.unlink()
            assert (await call("flush"))["held"] == {}, "and what was in trouble is tried at once"
            assert "Hugo keeps goats." in large.contents("main")

    asyncio.run(talk())


def test_what_is_erased_waits_for_no_quiet(large: Folder) -> None:
    async def talk() -> None:
        async with opened(large) as (_, call):
            kept = await remembered(call, SECRET)
            await call("memory.forget", role="main", id=kept, erase=True)
            end, number = time.monotonic() + 15, 0
            while "flowerpot" in (large.path / LOG).read_text("utf-8"):
                assert time.monotonic() < end, "others who write do not keep it there"
                number += 1
                await remembered(call, f"Fact number {number} is about herons.")
                await asyncio.sleep(0.05)
            assert "flowerpot" not in large.file("main").read_text("utf-8")

    asyncio.run(talk())


def test_a_long_log_waits_for_no_quiet(large: Folder) -> None:
    """So that a start has little to do again, and `.memory/` does not fill up."""

    async def talk() -> None:
        slow = Ports(monotonic=lambda: time.monotonic() / 50)  # two seconds of quiet would be a hundred
        async with opened(large, ports=slow) as (_, call):
            kept = await remembered(call, "Storks nest here. 鹳在这里筑巢。")
            before, number, end = large.file("main").stat().st_ino, 0, time.monotonic() + 60
            while large.file("main").stat().st_ino == before:
                assert time.monotonic() < end
                number += 1  # what it was and what it is stand in the log: 7 kB
                content = f"Storks nest here {number}. 鹳在这里筑巢。" + "y" * 3500
                await call("memory.update", role="main", id=kept, content=content)
            assert (large.path / LOG).stat().st_size > 600_000, "before that it waited"

    asyncio.run(talk())
    assert sum("Storks" in one for one in large.contents("main")) == 1


def test_a_stop_leaves_nothing_in_the_log_alone(large: Folder, short_dir: Path) -> None:
    daemon = Daemon(large, short_dir / "s")
    daemon.start()
    for number in range(10):
        daemon.call("remember", role="main", content=f"Fact {number} is about geese.", explicit=True)
    before = large.file("main").stat().st_ino
    until(lambda: daemon.call("status")["log"]["waiting"], 5, "it waits for quiet")
    assert large.file("main").stat().st_ino == before
    daemon.stop()
    assert sum("geese" in one for one in large.contents("main")) == 10


def test_who_reads_the_files_has_them_written_first(large: Folder, short_dir: Path) -> None:
    """memd flush, check, the hook before a commit and backup; the hook names what was staged before that."""
    git = ["git", "-C", str(large.path), "-c", "init.defaultBranch=main"]
    subprocess.run([*git, "init", "-q"], check=True)
    daemon = Daemon(large, short_dir / "s")
    daemon.start()
    number = 0

    def is_written_by(*words: str) -> str:
        nonlocal number
        number += 1
        daemon.call("remember", role="main", content=f"Fact number {number} is about swans.", explicit=True)
        assert f"Fact number {number} is about swans." not in large.contents("main")
        told = memd(*words, cwd=large.path, check=False).stderr
        assert f"Fact number {number} is about swans." in large.contents("main"), words
        return told

    is_written_by("flush")
    is_written_by("check")
    is_written_by("backup", str(short_dir / "b.bundle"))
    subprocess.run([*git, "add", "-A"], check=True)
    assert "roles/main/memory.json has more since it was staged" in is_written_by("git", "pre-commit")
    subprocess.run([*git, "add", "-A"], check=True)
    assert "has more since" not in memd("git", "pre-commit", cwd=large.path, check=False).stderr
    daemon.stop()
