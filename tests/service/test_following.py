"""Following without events: where nobody can listen, scans come often instead, and find the same."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from memd.daemon import WALKS
from memd.doors.rpc import METHODS, convert
from memd.doors.watcher import Watcher
from memd.storage.files import RACY_NS
from memd.storage.machine import kind_in
from memd.storage.system import System
from memd.store.following import following as following_module
from memd.store.following.builds import Builds
from memd.store.following.following import Following
from memd.store.following.hearing import Hearing, Hints, untold
from memd.store.following.indexing import Indexing
from memd.store.opening import open_workspace
from memd.verbs.answering import answered
from memd.verbs.declared import Process, Service
from memd.verbs.recall.searches import Search, find
from tests.support import Folder

pytestmark = pytest.mark.demo

MOUNTS = """\
22 1 0:20 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:25 / /home/nora/far\\040away rw shared:2 - nfs4 server:/x rw
31 22 0:26 / /home/nora/far rw shared:3 - ext4 /dev/sdb1 rw
"""


async def until(condition: Callable[[], Awaitable[bool]], seconds: float) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.05)


def test_without_events_the_scans_find_every_change(workspace: Folder) -> None:
    async def follow() -> tuple[str, int, int]:
        opened = await open_workspace(str(workspace.path), holder={"pid": 1, "what": "test"})
        indexing = Indexing(Builds(str(workspace.path), ""), opened.library, opened.roles, opened.ports.monotonic)
        following = Following(opened, opened.library, indexing, Hearing(opened.ports.monotonic))
        task = asyncio.create_task(following.run())

        async def found(word: str, count: int) -> bool:
            return bool((await find(opened, indexing, Search(query=word)))["total"] == count)

        page = workspace.path / "notes/a.md"
        page.parent.mkdir()
        page.write_text("axolotl one\n", "utf-8")
        await until(lambda: found("axolotl", 1), 10)
        page.write_text("two 斑马\n", "utf-8")
        await until(lambda: found("axolotl", 0), 10)
        await until(lambda: found("斑马", 1), 10)
        page.unlink()
        await until(lambda: found("斑马", 0), 10)
        following.stop()
        await task
        indexing.close()
        await opened.close()
        return following.hearing.mode, following.hearing.restarts, following.reconciled.missed

    assert asyncio.run(follow()) == ("polling", 0, 0)


class Counting(System):
    """The system, with the names of what is looked at noted."""

    def __init__(self) -> None:
        self.looked: list[str] = []

    def stat(self, name: str, *, at: int | None = None) -> os.stat_result:
        self.looked.append(name)
        return super().stat(name, at=at)


@pytest.mark.skipif(sys.platform != "linux", reason="only there the system tells of a change before it is done")
@pytest.mark.parametrize("count", [5, 40])
def test_who_asks_all_roles_looks_at_the_files_of_those_that_changed_alone(tmp_path: Path, count: int) -> None:
    folder, system = Folder.make(tmp_path / "m", demo=False), Counting()
    for number in range(count):
        folder.write(f"role{number}", f"Heron number {number}.")

    async def ask() -> None:
        opened = await open_workspace(str(folder.path), holder={"pid": 1, "what": "test"}, system=system)
        indexing = Indexing(Builds(str(folder.path), ""), opened.library, opened.roles, opened.ports.monotonic)
        hearing = Hearing(opened.ports.monotonic)
        hearing.watch = Watcher(opened.path, hearing.hear, opened.tree.place)
        following = Following(opened, opened.library, indexing, hearing)
        task = asyncio.create_task(following.run())
        await opened.library.loaded.wait()
        service = Service(opened, Process("", None, "", ""), indexing, WALKS, following)

        async def looked(word: str, total: int) -> list[str]:
            system.looked.clear()
            assert (await find(opened, indexing, Search(query=word)))["total"] == total
            roles = await answered(METHODS["role.list"], service, convert(METHODS["role.list"], {}))
            assert roles["total"] == count + 1
            return [one for name in system.looked if (one := name.rpartition("/")[2]) in ("memory.json", "role.toml")]

        await asyncio.sleep(2 * RACY_NS / 1e9)
        await looked("heron", count)
        assert await looked("heron", count) == []
        folder.write("role3", "Heron 3 and egret.")
        assert "memory.json" in await looked("egret", 1)
        await asyncio.sleep(2 * RACY_NS / 1e9)
        await looked("heron", count)
        assert await looked("egret", 1) == []
        hearing.hear(Hints(lost=True))
        assert len(await looked("heron", count)) >= count
        following.stop()
        await task
        indexing.close()
        await opened.close()

    asyncio.run(ask())


def test_who_stops_while_everything_is_taken_in_for_the_first_time_is_not_kept_waiting(
    workspace: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LOOK_S", "POLL_S"):
        monkeypatch.setattr(following_module, name, 3600.0)

    async def follow() -> None:
        opened = await open_workspace(str(workspace.path), holder={"pid": 1, "what": "test"})
        indexing = Indexing(Builds(str(workspace.path), ""), opened.library, opened.roles, opened.ports.monotonic)
        following = Following(opened, opened.library, indexing, Hearing(opened.ports.monotonic))
        task = asyncio.create_task(following.run())
        await asyncio.sleep(0)  # it has begun
        following.stop()
        await asyncio.wait_for(task, 60)
        indexing.close()
        await opened.close()

    asyncio.run(follow())


def test_a_network_file_system_is_known_by_the_longest_mount_point() -> None:
    assert kind_in(MOUNTS, "/home/nora/far away/memory") == "nfs4"
    assert kind_in(MOUNTS, "/home/nora/far/memory") == "ext4"
    assert kind_in(MOUNTS, "/home/nora/farther") == "ext4"


def test_a_change_is_missed_only_where_neither_it_nor_a_directory_above_was_told() -> None:
    assert untold({"a.md", "x/b.md", "y/c.md"}, {"a.md", "x/"}) == {"y/c.md"}
    assert untold({"a.md"}, set()) == {"a.md"}
