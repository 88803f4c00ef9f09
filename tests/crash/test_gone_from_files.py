"""What went from a role's file, by whatever hand, can be had back: an outdated save, a file, a directory, a process that died."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.store.opening import open_workspace
from memd.store.ports import Ports
from memd.store.recover import recoverable
from tests.support import Folder

SISTER, CELLO = "My sister Ottoline lives in Kiruna.", "I play the cello."
LATER_S = 60.0


def opened(
    folder: Folder, work: Callable[[Local], Awaitable[Any]], *, writes: bool = True, later_s: float = 0.0
) -> Any:
    """Do something in a process of its own, as it were, so much later by the clock."""

    async def run() -> Any:
        place, real = Place(str(folder.path), "", ""), Ports()
        ports = Ports(lambda: real.now() + later_s, real.monotonic, real.new_id)
        holder = {"pid": 1, "what": "test"} if writes else None
        store = await open_workspace(place.workspace, holder=holder, ports=ports)
        try:
            return await work(Local(store, service_of(store, place, daemon=False)))
        finally:
            await store.close()

    return asyncio.run(run())


def remember(*texts: str) -> Callable[[Local], Awaitable[None]]:
    async def work(service: Local) -> None:
        for text in texts:
            await service.call("remember", role="main", content=text, explicit=True)

    return work


async def held(service: Local) -> list[str]:
    return sorted(one["content"] for one in (await service.call("memory.list", role="main"))["memories"])


async def dropped(service: Local) -> list[str]:
    if service.store.writer.running:
        await service.store.writer.flush(5.0)
    return sorted(one["entry"]["content"] for one in (await recoverable(service.store))["dropped"])


@pytest.fixture
def path(workspace: Folder) -> Any:
    return workspace.path / "roles/main/memory.json"


def test_the_next_process_answers_an_outdated_save(workspace: Folder, path: Any) -> None:
    opened(workspace, remember(CELLO))
    before = path.read_bytes()
    opened(workspace, remember(SISTER))
    path.write_bytes(before)
    assert opened(workspace, dropped, writes=False) == [SISTER], "a reader tells it"
    opened(workspace, remember("I like tea."))
    assert SISTER in opened(workspace, held)


def test_what_went_while_nobody_looked_is_noted_once(workspace: Folder, path: Any) -> None:
    opened(workspace, remember(CELLO))
    before = path.read_bytes()
    opened(workspace, remember(SISTER))
    path.write_bytes(before)
    for _ in range(2):
        assert opened(workspace, held, later_s=LATER_S) == [CELLO]
    audit = (workspace.path / ".memory/audit.jsonl").read_text("utf-8")
    assert audit.count("removed_in_file") == audit.count("Ottoline") == 1
    (workspace.path / ".memory/wal.jsonl").unlink()
    assert opened(workspace, dropped, writes=False) == [SISTER]


@pytest.mark.parametrize("count", [51, 301, 700])
def test_all_that_went_from_a_file_can_be_had_back(workspace: Folder, path: Any, count: int) -> None:
    workspace.write("main", *(f"Fact {n} of many." for n in range(count)))

    async def emptied(service: Local) -> int:
        assert len(await held(service)) > 0
        path.write_text("{}", "utf-8")
        await service.call("memory.list", role="main")
        return len(await dropped(service))

    assert opened(workspace, emptied) == count


def test_a_role_whose_directory_went_can_be_had_back(workspace: Folder, path: Any) -> None:
    workspace.write("main", SISTER, CELLO)

    async def removed(service: Local) -> list[str]:
        await held(service)
        shutil.rmtree(path.parent)
        await service.call("role.list")
        return await dropped(service)

    assert opened(workspace, removed) == [CELLO, SISTER]


def test_a_role_that_was_renamed_has_lost_nothing(workspace: Folder, path: Any) -> None:
    workspace.write("main", SISTER)

    async def renamed(service: Local) -> list[str]:
        await held(service)
        path.parent.rename(path.parent.with_name("kai"))
        await service.call("role.list")
        return await dropped(service)

    assert opened(workspace, renamed) == []
