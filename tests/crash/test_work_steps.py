"""Every step of an agent's work fails once, in every way: what was acknowledged is in the files, whole, and once."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import errno
import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.errors import MemdError, StorageError
from memd.formats.front_matter import split
from memd.storage.system import System
from memd.store.opening import open_workspace
from tests.crash.test_every_step import Failing, failing_with, killing
from tests.support import Folder, stride

KEPT = "- A line that a person wrote. 一个人写的。"
ADDED = "The build needs Node 20. 构建需要 Node 20。"


async def work_once(folder: Folder, system: Failing | None) -> list[str]:
    """Do a little of everything; return what was acknowledged. The system is armed once the workspace is open."""
    place = Place(str(folder.path), "", "")
    store = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"}, system=system)
    done: list[str] = []
    try:
        if system:
            system.counts = collections.Counter()
        with contextlib.suppress(MemdError, OSError):
            await steps(Local(store, service_of(store, place)), done)
    finally:
        with contextlib.suppress(StorageError, OSError):
            await store.close(deadline_s=1.0)
    return done


async def steps(service: Local, done: list[str]) -> None:
    await service.call("curated.add", file="memory", content=ADDED)
    done.append("curated")
    await service.call("task.open", title="Report", task="report")
    done.append("task")
    await service.call("run.start", run="r1", task="report", role="main", asked="Write it. 写报告。")
    done.append("start")
    await service.call(
        "run.event", run="r1", events=[{"kind": "tool_call", "tool": "ls"}, {"kind": "note", "content": "n"}]
    )
    done.append("event")
    await service.call("run.complete", run="r1", summary="Written. 写好了。")
    done.append("complete")
    await service.call("task.accept", task="report", words="好")
    done.append("accept")


def look(folder: Folder, done: list[str]) -> None:
    """Open again as after a crash, and look at every file."""
    asyncio.run(nothing(folder))
    memory = (folder.path / "MEMORY.md").read_text("utf-8")
    assert KEPT in memory, "a person's line is never lost"
    assert memory.count(ADDED) <= 1
    said = events(folder)
    receipt = next(iter(folder.path.glob("runs/2*/r1.md")), None)
    task = folder.path / "tasks/report.toml"
    if "curated" in done:
        assert memory.count(ADDED) == 1
    if "task" in done:
        assert 'title = "Report"' in task.read_text("utf-8")
    if "start" in done:
        assert said.count("run_started") == 1
    if "event" in done:
        assert (said.count("tool_call"), said.count("note")) == (1, 1)
    if "complete" in done:
        assert receipt is not None
        assert split(receipt.read_text("utf-8"), "r1.md").header["state"] == "completed"
        assert said.count("run_completed") == 1
    if "accept" in done:
        assert receipt is not None
        assert split(receipt.read_text("utf-8"), "r1.md").header["acceptance"] == "accepted"
        assert 'state = "accepted"' in task.read_text("utf-8")
        assert (folder.path / "learning/candidates/report.toml").exists()
    left = [one for one in folder.path.rglob("*") if ".memd-tmp" in one.name or ".conflict-" in one.name]
    assert not left


def events(folder: Folder) -> list[str]:
    """The kinds of the events of the run's session; a torn line is nobody's."""
    found = []
    for path in folder.path.glob("sessions/*/r1.jsonl"):
        for line in path.read_bytes().splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line)["kind"])
    return found


async def nothing(folder: Folder) -> None:
    store = await open_workspace(str(folder.path), holder={"pid": 1, "what": "test"})
    await store.close()


@pytest.fixture
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Folder]:
    def made() -> Folder:
        folder = Folder.make(tmp_path_factory.mktemp("w") / "m", demo=False)
        (folder.path / "MEMORY.md").write_text(f"# Memory\n\n{KEPT}\n", "utf-8")
        return folder

    return made


def calls_of(make: Callable[[], Folder]) -> list[tuple[str, int]]:
    counting = Failing("none", 0, killing)
    assert len(asyncio.run(work_once(make(), counting))) == 6
    assert counting.counts is not None
    return [(name, number) for name, times in sorted(counting.counts.items()) for number in range(1, times + 1)]


WRITES = ("write", "sync", "sync_data", "exchange", "rename_new", "rename", "unlink", "make_dir")


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EROFS])
def test_whatever_step_fails_what_was_acknowledged_is_in_the_files(make: Callable[[], Folder], number: int) -> None:
    for name, at in every(calls_of(make), step=stride(3, 9)):
        folder = make()
        done = asyncio.run(work_once(folder, Failing(name, at, failing_with(number))))
        try:
            look(folder, done)
        except AssertionError as error:
            raise AssertionError(f"{name} number {at}: {error}; acknowledged: {done}") from error


def test_a_kill_at_any_step_loses_nothing_that_was_acknowledged(make: Callable[[], Folder]) -> None:
    for name, at in every(calls_of(make), step=stride(3, 9)):
        folder = make()
        told = killed(folder, Failing(name, at, killing))
        try:
            look(folder, told)
        except AssertionError as error:
            raise AssertionError(f"killed at {name} number {at}: {error}; acknowledged: {told}") from error


def every(calls: list[tuple[str, int]], step: int) -> list[tuple[str, int]]:
    """The calls that change the disk, one in so many."""
    return [one for one in calls if one[0] in WRITES][::step]


def killed(folder: Folder, system: System) -> list[str]:
    """Work in a child that is killed, and return what it had acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover  the child is killed
        try:
            asyncio.run(telling(folder, system, writing))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read().decode().split()
    os.waitpid(child, 0)
    return told


async def telling(folder: Folder, system: Any, writing: int) -> None:  # pragma: no cover  as above
    class Told(list[str]):
        def append(self, word: str) -> None:
            os.write(writing, f"{word} ".encode())

    place = Place(str(folder.path), "", "")
    store = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"}, system=system)
    system.counts = collections.Counter()
    with contextlib.suppress(MemdError, OSError):
        await steps(Local(store, service_of(store, place)), Told())
    with contextlib.suppress(StorageError, OSError):
        await store.close(deadline_s=1.0)
