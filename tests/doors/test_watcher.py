"""What changes below a workspace is heard by its present name, and nothing of a directory that went elsewhere."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from memd.doors.watcher import Watcher
from memd.store.following.hearing import Hints

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


class Heard:
    """A watcher of a folder, and all that it said."""

    def __init__(self, path: Path) -> None:
        self.said = Hints()
        self.watcher = Watcher(str(path), self.said.join, lambda folder: str(path / folder))

    async def until(self, condition: Callable[[Hints], bool]) -> Hints:
        async with asyncio.timeout(20):
            while not condition(self.said):
                await asyncio.sleep(0.005)
        found = Hints()
        found.join(self.said)
        self.said.names.clear()
        self.said.folders.clear()
        return found


def watching(path: Path, steps: Callable[[Heard], Awaitable[None]], *folders: str) -> None:
    async def run() -> None:
        heard = Heard(path)
        assert heard.watcher.start()
        try:
            for folder in folders:
                (path / folder).mkdir(parents=True, exist_ok=True)
                heard.watcher.add(folder)
            await steps(heard)
        finally:
            heard.watcher.stop()

    asyncio.run(run())


def test_a_change_is_heard_by_its_name_and_what_is_hidden_or_temporary_is_not(tmp_path: Path) -> None:
    async def steps(heard: Heard) -> None:
        (tmp_path / "roles/main/.hidden").write_text("x")
        (tmp_path / "roles/main/.memory.json.0.memd-tmp").write_text("x")
        (tmp_path / "roles/main/memory.json").write_text("{}")
        (tmp_path / "MEMORY.md").write_text("x")
        found = await heard.until(lambda said: {"roles/main/memory.json", "MEMORY.md"} <= said.names)
        assert found.names == {"roles/main/memory.json", "MEMORY.md"}
        (tmp_path / "MEMORY.md").unlink()
        assert (await heard.until(lambda said: bool(said.names))).names == {"MEMORY.md"}

    watching(tmp_path, steps, ".", "roles/main")


def test_what_went_elsewhere_is_heard_no_more_and_its_neighbour_still_is(tmp_path: Path) -> None:
    async def steps(heard: Heard) -> None:
        (tmp_path / "roles/main").rename(tmp_path / "elsewhere")
        await heard.until(lambda said: "roles/main" in said.folders)
        assert heard.watcher.folders == 2
        (tmp_path / "elsewhere/memory.json").write_text("{}")
        (tmp_path / "roles/mainly/memory.json").write_text("{}")
        found = await heard.until(lambda said: "roles/mainly/memory.json" in said.names)
        assert found.names == {"roles/mainly/memory.json"}

    watching(tmp_path, steps, "roles", "roles/main", "roles/main/books", "roles/mainly")


def test_a_root_that_goes_and_a_probe_that_is_touched_are_told(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "probe").write_text("")

    async def steps(heard: Heard) -> None:
        heard.watcher.watch_probe("probe")
        (root / "probe").chmod(0o600)
        await heard.until(lambda said: said.alive)
        assert not heard.said.gone
        root.rename(tmp_path / "moved")
        await heard.until(lambda said: said.gone)

    watching(root, steps, ".")


def test_a_directory_that_is_not_there_is_no_fault_and_nothing_is_heard_after_the_end(tmp_path: Path) -> None:
    async def steps(heard: Heard) -> None:
        heard.watcher.add("nowhere")
        assert (heard.watcher.fault, heard.watcher.folders) == ("", 1)
        heard.watcher.stop()
        heard.watcher.add(".")
        assert heard.watcher.folders == 0

    watching(tmp_path, steps, ".")


def test_more_changes_than_the_system_keeps_are_told_as_lost(tmp_path: Path) -> None:
    kept = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if kept > 20_000:
        pytest.skip(f"this system keeps {kept} events")

    async def steps(heard: Heard) -> None:
        for number in range(kept // 2 + 2):  # each is made, and closed after writing
            (tmp_path / f"{number}.md").touch()
        await heard.until(lambda said: said.lost)

    watching(tmp_path, steps, ".")
