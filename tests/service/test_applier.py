"""What is acknowledged while files are written is written after it, and none of it twice."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path

from memd.daemon import Local
from memd.model.change import Change, Line
from memd.model.memory import Kind
from memd.storage.system import System
from memd.store.opening import open_workspace
from memd.store.store import Store
from memd.store.writing.lines import Appended
from tests.service.test_verbs import work
from tests.support import Folder

NAME = "archive/2001-01.jsonl"
LINES = [f'{{"line":{n}}}\n' for n in range(3)]


async def all_in_the_files(store: Store) -> None:
    async with asyncio.timeout(20):
        while store.writer.depth:
            await asyncio.sleep(0.005)


def test_a_line_that_comes_while_lines_are_written_is_written_after_them(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        held = service.store

        def said(text: str) -> asyncio.Future[None]:
            return held.commit(lambda _: [Line(NAME, text, "")], at_s=0.0)

        first: list[asyncio.Future[None]] = []

        def meanwhile(name: str, appended: Appended) -> None:
            if name == NAME and LINES[0] in appended.text and applier is not None:
                n = held.writer.journal.reserve()
                applier.take(n, (Line(NAME, LINES[1], ""),))

        applier = held.writer.applier
        assert applier is not None
        applier.on_lines.append(meanwhile)
        first.append(said(LINES[0]))
        await first[0]
        async with asyncio.timeout(20):
            while held.writer.waiting_lines("archive"):
                await asyncio.sleep(0.005)
        await said(LINES[2])

    work(workspace, steps)
    assert (workspace.path / NAME).read_text("utf-8") == "".join(LINES)


class HalfDone(System):
    """A disk on which the first sync of one file fails when its bytes are there, and they cannot be taken back."""

    def __init__(self, path: Path) -> None:
        self.path, self.fails = path, ["sync", "truncate"]

    def _goes_wrong(self, handle: int, step: str) -> None:
        if step in self.fails and self.path.exists() and self.path.stat().st_ino == os.fstat(handle).st_ino:
            self.fails.remove(step)
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def sync_data(self, handle: int) -> None:
        self._goes_wrong(handle, "sync")
        super().sync_data(handle)

    def truncate(self, handle: int, size: int) -> None:
        self._goes_wrong(handle, "truncate")
        super().truncate(handle, size)


def test_lines_of_which_nobody_knows_whether_they_are_there_are_there_once(workspace: Folder) -> None:
    async def run() -> None:
        disk = HalfDone(workspace.path / NAME)
        held = await open_workspace(str(workspace.path), holder={"pid": 1, "what": "test"}, system=disk)
        await held.commit(lambda _: [Line(NAME, text, "# Head\n") for text in LINES], at_s=0.0)
        await all_in_the_files(held)
        assert not disk.fails
        await held.close()

    asyncio.run(run())
    assert (workspace.path / NAME).read_text("utf-8") == "# Head\n" + "".join(LINES)


def test_what_is_erased_is_not_written_to_a_log_after_it(workspace: Folder) -> None:
    """Its line waits for a log that cannot be written; the erasure waits for the line."""
    declared = workspace.path / ".memory/declarative.md"
    declared.mkdir(parents=True)

    async def steps(service: Local) -> None:
        held = service.store
        made = await service.call("remember", role="main", content="The zebracrossing is closed.", explicit=True)
        await service.call("memory.forget", role="main", id=made["id"], erase=True)
        async with asyncio.timeout(20):
            while "older lines" not in held.writer.trouble.get("erase", ""):
                await asyncio.sleep(0.005)
        declared.rmdir()
        await all_in_the_files(held)

    work(workspace, steps)
    for path in workspace.path.rglob("*"):
        assert not path.is_file() or b"zebracrossing" not in path.read_bytes(), path


def test_what_is_erased_leaves_its_file_before_it_leaves_the_logs(workspace: Folder) -> None:
    """A person broke the file: it stays as it is, and the logs with it, until it can be written."""
    workspace.write("main")
    declared = workspace.path / ".memory/declarative.md"

    async def steps(service: Local) -> None:
        held = service.store
        made = await service.call("remember", role="main", content="The zebracrossing is closed.", explicit=True)
        await all_in_the_files(held)
        whole = workspace.file("main").read_bytes()
        workspace.file("main").write_bytes(whole[:-9])
        await service.call("memory.forget", role="main", id=made["id"], erase=True)
        async with asyncio.timeout(20):
            while "still in its file" not in held.writer.trouble.get("erase", ""):
                await asyncio.sleep(0.005)
        assert "zebracrossing" in declared.read_text("utf-8")
        workspace.file("main").write_bytes(whole)
        await all_in_the_files(held)

    work(workspace, steps)
    assert workspace.contents("main") == []
    assert "zebracrossing" not in declared.read_text("utf-8")


class Unsyncing(System):
    """A disk on which the names of one directory cannot be made durable while `fails`."""

    def __init__(self, path: Path) -> None:
        self.path, self.fails = path, True

    def sync(self, handle: int) -> None:
        if self.fails and self.path.stat().st_ino == os.fstat(handle).st_ino:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().sync(handle)


def test_what_is_visible_and_not_durable_stays_in_the_log_until_it_is(workspace: Folder) -> None:
    workspace.write("main")

    async def run() -> None:
        disk = Unsyncing(workspace.file("main").parent)
        held = await open_workspace(str(workspace.path), holder={"pid": 1, "what": "test"}, system=disk)
        change = Change("main", Kind.SEMANTIC, "m1", None, {"id": "m1", "content": "It is there."})
        await held.commit(lambda _: [change], at_s=0.0)
        async with asyncio.timeout(20):
            while "role:main" not in held.writer.trouble:
                await asyncio.sleep(0.005)
        assert workspace.contents("main") == ["It is there."]
        assert held.writer.depth == 1
        disk.fails = False
        await all_in_the_files(held)
        assert held.writer.trouble == {}
        await held.close()

    asyncio.run(run())
