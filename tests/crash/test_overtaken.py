"""What a later record has overtaken is not done again after a kill: a part is in its place, or it is not."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.errors import MemoryUnknownError
from memd.storage.layout import archive_file
from memd.store.opening import open_workspace
from memd.store.store import Store
from tests.support import Folder

BLOCKED = ".memory/declarative.md"  # a directory in its place: what is meant for it waits in the log
FIRST, SECOND = "Alpha is one. 甲是一。", "Alpha is TWO. 甲是二。"
Call = Callable[..., Awaitable[dict[str, Any]]]


async def opened(folder: Folder) -> tuple[Store, Call]:
    place = Place(str(folder.path), "", "")
    store = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"})
    return store, Local(store, service_of(store, place)).call


async def written(store: Store) -> None:
    """Wait until nothing but the blocked lines is to be written."""
    async with asyncio.timeout(20):
        while store.roles["main"].unsaved.pending or store.writer.waiting_lines("archive"):
            await asyncio.sleep(0.005)


async def forgotten(call: Call, one: str) -> None:
    await call("memory.forget", role="main", id=one)


async def updated(call: Call, one: str) -> None:
    await call("memory.update", role="main", id=one, content=SECOND)


async def erased(call: Call, one: str) -> None:
    await call("memory.forget", role="main", id=one, erase=True)


async def brought_back(call: Call, one: str) -> None:
    await forgotten(call, one)
    await call("memory.restore", role="main", id=one)
    await updated(call, one)


async def nothing(call: Call, one: str) -> None:
    await call("memory.get", role="main", id=one)


LATER = [
    pytest.param(nothing, [FIRST], id="the first state stands where nothing came later"),
    pytest.param(updated, [SECOND], id="an update is not taken back"),
    pytest.param(forgotten, [], id="what was forgotten stays forgotten"),
    pytest.param(erased, [], id="what was erased stays erased"),
    pytest.param(brought_back, [SECOND], id="what was restored and changed stays so"),
]


@pytest.mark.parametrize(("later", "left"), LATER)
@pytest.mark.parametrize("each", [True, False], ids=["each in its file", "all at once"])
def test_a_kill_takes_back_nothing_that_a_later_record_did(
    tmp_path: Path, later: Callable[[Call, str], Awaitable[None]], left: list[str], each: bool
) -> None:
    folder = Folder.make(tmp_path / "m", demo=False)
    (folder.path / BLOCKED).mkdir(parents=True)
    pid = os.fork()
    if pid == 0:
        asyncio.run(until_killed(folder, later, each=each))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    shutil.rmtree(folder.path / BLOCKED)
    served = asyncio.run(serving(folder))
    assert served == left
    assert folder.contents("main") == left
    assert asyncio.run(serving(folder, fresh=True)) == left, "the files alone say the same"
    declared = (folder.path / BLOCKED).read_text("utf-8") if (folder.path / BLOCKED).exists() else ""
    assert declared.count(FIRST) == (0 if later is erased else 1)
    assert not list((folder.path / "roles/main").glob("*conflict*"))


async def until_killed(folder: Folder, later: Callable[[Call, str], Awaitable[None]], *, each: bool) -> None:
    workspace, call = await opened(folder)
    kept = await call("remember", role="main", content=FIRST, explicit=True, kind="semantic")
    if each:
        await written(workspace)
    await later(call, kept["id"])
    await written(workspace)
    os.kill(os.getpid(), signal.SIGKILL)


async def serving(folder: Folder, *, fresh: bool = False) -> list[str]:
    """What is served: by the next process, until all is in the files; or from the files without a log."""
    if fresh:
        (folder.path / ".memory/wal.jsonl").unlink()
    workspace, call = await opened(folder)
    served = [one["content"] for one in (await call("memory.list", role="main"))["memories"]]
    await workspace.close()
    workspace, call = await opened(folder)
    assert [one["content"] for one in (await call("memory.list", role="main"))["memories"]] == served
    await workspace.close()
    return served


def test_nobody_is_shown_what_is_being_erased(tmp_path: Path) -> None:
    """What was forgotten waits for the archive; erased, it is not served from there, by the daemon, the next, or a reader."""
    folder = Folder.make(tmp_path / "m", demo=False)
    blocked = folder.path / archive_file(time.time())
    blocked.mkdir(parents=True)

    async def shown(*, writes: bool) -> int:
        store = await open_workspace(str(folder.path), holder={"pid": 1, "what": "test"} if writes else None)
        try:
            call = Local(store, service_of(store, Place(str(folder.path), "", ""))).call
            return int((await call("memory.list", role="main", forgotten=True))["total"])
        finally:
            await store.close()

    async def forgets_and_erases() -> None:
        _, call = await opened(folder)
        kept = await call("remember", role="main", content=FIRST, explicit=True, kind="semantic")
        await forgotten(call, kept["id"])
        assert (await call("memory.list", role="main", forgotten=True))["total"] == 1
        await erased(call, kept["id"])
        assert (await call("memory.list", role="main", forgotten=True))["total"] == 0
        with pytest.raises(MemoryUnknownError):
            await call("memory.restore", role="main", id=kept["id"])
        os.kill(os.getpid(), signal.SIGKILL)

    pid = os.fork()
    if pid == 0:
        asyncio.run(forgets_and_erases())
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    assert asyncio.run(shown(writes=False)) == asyncio.run(shown(writes=True)) == 0
    blocked.rmdir()
    assert asyncio.run(shown(writes=True)) == 0
    assert not [path for path in folder.path.rglob("*") if path.is_file() and FIRST.encode() in path.read_bytes()]
