"""The token cache: a faster start with the same answers, and never trusted blindly."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, local, service_of
from memd.formats.derived import RoleCache, dump_cache, load_cache
from memd.service.care.forgetting import forget_erased
from memd.store.opening import open_workspace
from tests.support import Folder

pytestmark = pytest.mark.demo


def answer(folder: Folder, cache: Path) -> list[tuple[str, float]]:
    async def run() -> list[tuple[str, float]]:
        store = await open_workspace(str(folder.path), holder={"pid": 1, "what": "test"}, cache_dir=str(cache))
        store.roles.save_cache()
        reply: dict[str, Any] = await Local(store, service_of(store, Place(str(folder.path), "", ""))).call(
            "trigger", role="nora", message="kiln glaze tomasz shop", now="2026-11-21T00:00:00Z"
        )
        await store.close()
        return [(one["id"], one["score"]) for one in reply["activated"]]

    return asyncio.run(run())


def test_answers_are_the_same_with_a_cold_a_warm_and_a_damaged_cache(workspace: Folder, tmp_path: Path) -> None:
    cache = tmp_path / "own-cache"
    cold = answer(workspace, cache)
    files = sorted(cache.iterdir())
    assert files
    assert answer(workspace, cache) == cold
    for damage in (b"", b"rubbish", files[0].read_bytes()[:-5], bytes(100)):
        for path in files:
            path.write_bytes(damage)
        assert answer(workspace, cache) == cold


def test_what_is_kept_is_made_anew_for_a_file_that_changed_and_for_no_other(workspace: Folder, tmp_path: Path) -> None:
    cache = tmp_path / "own-cache"

    def made() -> dict[str, int]:
        return {path.name: path.stat().st_ino for path in cache.iterdir()}

    cold = answer(workspace, cache)
    first = made()
    assert answer(workspace, cache) == cold
    assert made() == first
    path = workspace.file("nora")
    path.write_text(path.read_text("utf-8").replace("kiln", "oven"), "utf-8")
    changed = answer(workspace, cache)
    assert [name for name, inode in made().items() if first[name] != inode]
    assert changed == answer(workspace, cache) == answer(workspace, tmp_path / "another-cache") != cold


def test_what_took_the_place_of_others_does_so_after_a_start_with_the_cache_too(tmp_path: Path) -> None:
    workspace, cache = Folder.make(tmp_path / "m", demo=False), tmp_path / "own-cache"
    texts = (
        "Tomasz runs the kiln shop.",
        "Answer in French, always.",
        "The glaze is blue.",
        "Ada runs the kiln shop now.",
    )
    workspace.write("nora", *texts, keywords=["kiln", "glaze"])
    path = workspace.file("nora")
    last = '"id": "id-00003"'
    path.write_text(path.read_text("utf-8").replace(last, f'{last}, "supersedes": ["id-00000"]'), "utf-8")
    cold = answer(workspace, cache)
    assert {one for one, _ in cold} == {"id-00001", "id-00002", "id-00003"}
    assert answer(workspace, cache) == cold


def test_a_cache_directory_that_others_may_write_is_not_read(workspace: Folder, tmp_path: Path) -> None:
    cache = tmp_path / "own-cache"
    cold = answer(workspace, cache)
    for path in cache.iterdir():
        path.write_bytes(dump_cache(RoleCache(keys=["x"])))
    cache.chmod(0o777)
    assert answer(workspace, cache) == cold


@pytest.mark.parametrize("data", [b"", b"x" * 31, b"x" * 64])
def test_bytes_that_are_no_cache_are_an_empty_one(data: bytes) -> None:
    assert load_cache(data) == RoleCache()


@pytest.mark.parametrize("text", ["The marmalade quokka sleeps.", "果酱袋鼠睡在窑炉旁边。"])
def test_what_was_erased_leaves_the_cache_too(workspace: Folder, tmp_path: Path, text: str) -> None:
    cache = tmp_path / "own-cache"
    cache.mkdir(mode=0o700)
    place = Place(str(workspace.path), "", str(cache))

    def holding() -> list[str]:
        words = [word.encode() for word in ("quokka", "袋鼠")]
        files = [path for path in cache.rglob("*") if path.is_file()]
        return sorted(path.name for path in files if any(word in path.read_bytes() for word in words))

    async def run() -> None:
        async with local(place, writes=True) as memd:
            told = await memd.call("remember", role="main", content=text, explicit=True)
        async with local(place, writes=True) as memd:
            await memd.call("rebuild")
            assert holding()
            memd.store.roles.save_cache(changed=True)
            await memd.call("memory.forget", role="main", id=told["id"], erase=True)
        assert holding() == []
        async with local(place, writes=False) as memd:
            assert (await memd.call("search", query="quokka 袋鼠"))["total"] == 0

    asyncio.run(run())


def test_a_daemon_builds_its_index_anew_without_what_was_erased(workspace: Folder, tmp_path: Path) -> None:
    cache = tmp_path / "own-cache"

    async def run() -> None:
        async with local(Place(str(workspace.path), "", str(cache)), writes=True) as memd:
            workspace_, indexing = memd.store, memd.service.indexing
            building = asyncio.create_task(indexing.run())
            told = await memd.call("remember", role="main", content="The marmalade quokka sleeps.", explicit=True)
            await memd.call("rebuild")
            await memd.call("memory.forget", role="main", id=told["id"], erase=True)
            async with asyncio.timeout(60):
                while not await forget_erased(workspace_, indexing):
                    await asyncio.sleep(0.02)
            assert not any(b"quokka" in path.read_bytes() for path in cache.rglob("*") if path.is_file())
            assert not await forget_erased(workspace_, indexing), "once"
            indexing.close()
            await building

    asyncio.run(run())


def times_of(folder: Folder, cache: Path, role: str = "nora") -> tuple[dict[str, Any], int]:
    """The events of a role's memories as they stand, by id, and how many were read for that."""

    async def run() -> tuple[dict[str, Any], int]:
        store = await open_workspace(str(folder.path), holder={"pid": 1, "what": "test"}, cache_dir=str(cache))
        store.roles.save_cache()
        held = store.roles[role]
        unread = len(held.compiled.undated)
        async with held.turn:
            await store.refresh(held)
        store.roles.save_cache()
        told = {one.id: (one.event, one.held, one.planned) for one in held.compiled.memories.values()}
        days = dict(held.compiled.dates)
        await store.close()
        return {"told": told, "days": days}, unread

    return asyncio.run(run())


def test_the_times_that_words_tell_are_read_once_and_not_at_each_start(tmp_path: Path) -> None:
    workspace, cache = Folder.make(tmp_path / "m", demo=False), tmp_path / "own-cache"
    workspace.settings(trigger__zone="Europe/Berlin")
    many = [f"On Friday I met Ada number {n}." if (n + 1) % 3 else f"Bees number {n}." for n in range(150)]
    workspace.write("nora", *many, timestamp=1_760_000_000_000)
    cold, unread = times_of(workspace, cache)
    assert unread == 150
    assert sum(event is not None for event, _, _ in cold["told"].values()) == 100
    assert times_of(workspace, cache) == (cold, 0)

    path = workspace.file("nora")
    path.write_text(path.read_text("utf-8").replace("Ada number 1.", "Eve number 1."), "utf-8")
    changed, unread = times_of(workspace, cache)
    assert unread == 1
    assert changed == cold
    late = path.read_text("utf-8").replace("1760000000000", "1770000000000", 1)
    path.write_text(late, "utf-8")
    moved, unread = times_of(workspace, cache)
    assert unread == 2  # what was read by itself was few, and is not kept until the end
    assert moved != cold

    workspace.settings(trigger__zone="Asia/Shanghai")
    other, unread = times_of(workspace, cache)
    assert unread == 150
    assert other != moved
    (path.parent / "role.toml").write_text("fiction = true\n", "utf-8")
    told, unread = times_of(workspace, cache)
    assert unread == 150
    assert not any(event for event, _, _ in told["told"].values())
