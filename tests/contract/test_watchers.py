"""What every watcher promises: hints of what changed by its name, none of what is nobody's, and none after the end.

Events are hints: more than one may tell of a change, and a directory may be told where its file would do.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from memd.doors.portable_watcher import COLLECT_S, LISTENERS, PortableWatcher
from memd.doors.watcher import Watcher
from memd.store.following.hearing import Hints, Watch
from tests.contract.watchers import ToldWatcher

QUIET_S = 0.3  # what was to be told was told
LATEST_S = 20.0


class World:
    """A folder, a watcher of it, and all that it said."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        self.said = Hints()
        self.watch: Watch
        if kind == "told":
            self.watch = ToldWatcher(self.said.join)
        else:
            make = Watcher if kind == "inotify" else PortableWatcher
            self.watch = make(str(path), self.said.join, lambda folder: str(path / folder))

    async def write(self, name: str, text: str = "x") -> None:
        (self.path / name).write_text(text)
        self._changed(name)

    async def replace(self, name: str, text: str) -> None:
        """Save as most editors do."""
        above, _, leaf = name.rpartition("/")
        swap = self.path / above / f".{leaf}.swp"
        swap.write_text(text)
        swap.replace(self.path / name)
        self._changed(name)

    async def remove(self, name: str) -> None:
        (self.path / name).unlink()
        self._changed(name)

    async def make(self, folder: str) -> None:
        (self.path / folder).mkdir(parents=True)
        self._folder(folder)

    async def move(self, folder: str, to: Path) -> None:
        (self.path / folder).rename(to)
        self._folder(folder)

    def _changed(self, name: str) -> None:
        if isinstance(self.watch, ToldWatcher):
            self.watch.changed(name)

    def _folder(self, folder: str) -> None:
        if isinstance(self.watch, ToldWatcher):
            self.watch.folder_changed(folder)

    async def until(self, told: Callable[[Hints], bool]) -> Hints:
        """Wait for something to be said, then until nothing more is; return all of it, and forget it."""
        async with asyncio.timeout(LATEST_S):
            while not told(self.said):
                await asyncio.sleep(0.005)
        await asyncio.sleep(QUIET_S)
        return self.forget()

    def forget(self) -> Hints:
        found = Hints()
        found.join(self.said)
        self.said.names.clear()
        self.said.folders.clear()
        self.said.lost = self.said.gone = self.said.alive = False
        return found


@pytest.fixture(params=["inotify", "portable", "told"])
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == "inotify" and sys.platform != "linux":
        pytest.skip("inotify is Linux's")
    return str(request.param)


def watching(path: Path, kind: str, steps: Callable[[World], Awaitable[None]], *folders: str) -> None:
    async def run() -> None:
        world = World(path, kind)
        assert world.watch.start()
        try:
            for folder in folders:
                (path / folder).mkdir(parents=True, exist_ok=True)
                world.watch.add(folder)
            await asyncio.sleep(QUIET_S)
            world.forget()
            await steps(world)
        finally:
            world.watch.stop()

    asyncio.run(run())


def test_what_was_heard_just_before_one_listener_takes_over_from_all_is_told(tmp_path: Path) -> None:
    folders = [f"d{number}" for number in range(LISTENERS + 1)]

    async def steps(world: World) -> None:
        assert isinstance(world.watch, PortableWatcher)
        for folder in folders:
            await world.make(folder)
            await asyncio.sleep(QUIET_S)  # what was heard of it is told
            world.forget()
            world.watch.add(folder)
            if folder == folders[-1]:
                await asyncio.sleep(0)  # the loop has it
                await world.write("d0/page.md")
                world.watch._open()
            else:
                await asyncio.sleep(2 * COLLECT_S)
        await world.until(lambda told: "d0/page.md" in told.names or "d0" in told.folders)

    watching(tmp_path, "portable", steps)


def test_what_is_made_changed_replaced_and_removed_is_told_by_its_name(tmp_path: Path, kind: str) -> None:
    async def steps(world: World) -> None:
        for name in ("MEMORY.md", "roles/main/memory.json", "notes/茶 日记.md"):
            for change in (world.write(name), world.write(name, "more"), world.replace(name, "y"), world.remove(name)):
                await change
                found = await world.until(lambda said, name=name: name in said.names)  # type: ignore[misc]
                assert found.names == {name}
                assert (found.folders, found.gone, found.lost) == (set(), False, False)

    watching(tmp_path, kind, steps, ".", "roles", "roles/main", "notes")


def test_what_is_hidden_temporary_or_of_no_use_is_not_told(tmp_path: Path, kind: str) -> None:
    async def steps(world: World) -> None:
        for name in (".hidden.md", ".MEMORY.md.0.memd-tmp", "notes/program.exe", "notes/.swap.md"):
            await world.write(name)
        await world.make("node_modules")
        await world.make(".cache")
        await world.write("USER.md")
        found = await world.until(lambda said: "USER.md" in said.names)
        assert (found.names, found.folders) == ({"USER.md"}, set())

    watching(tmp_path, kind, steps, ".", "notes")


def test_a_directory_that_comes_or_goes_is_told_and_what_is_below_once_it_is_added(tmp_path: Path, kind: str) -> None:
    async def steps(world: World) -> None:
        await world.make("notes/new")
        assert (await world.until(lambda said: "notes/new" in said.folders)).names == set()
        world.watch.add("notes/new")
        await asyncio.sleep(QUIET_S)
        world.forget()
        await world.write("notes/new/one.md")
        assert (await world.until(lambda said: bool(said.names))).names == {"notes/new/one.md"}
        await world.move("notes/new", tmp_path / "notes/other")
        found = await world.until(lambda said: "notes/new" in said.folders)
        assert found.names == set()
        (tmp_path / "notes/other/one.md").write_text("by nobody's old name")
        await asyncio.sleep(QUIET_S)
        assert "notes/new/one.md" not in world.forget().names

    watching(tmp_path, kind, steps, ".", "notes")


def test_a_link_to_a_directory_is_not_entered(tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "root").mkdir()

    async def steps(world: World) -> None:
        (world.path / "notes/link").symlink_to(outside)
        (outside / "one.md").write_text("x")
        await world.write("notes/two.md")
        found = await world.until(lambda said: "notes/two.md" in said.names)
        assert {one for one in found.names if "one.md" in one} == set()

    watching(tmp_path / "root", kind, steps, ".", "notes")


def test_a_root_that_goes_and_a_probe_that_is_touched_are_told(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "probe").write_text("")

    async def steps(world: World) -> None:
        world.watch.watch_probe("probe")
        (root / "probe").touch()
        world._changed("probe")
        found = await world.until(lambda said: said.alive)
        assert not found.gone
        await world.move(".", tmp_path / "moved") if kind == "told" else root.rename(tmp_path / "moved")
        await world.until(lambda said: said.gone)

    watching(root, kind, steps, ".")


def test_what_is_not_there_is_no_fault_and_nothing_is_told_after_the_end(tmp_path: Path, kind: str) -> None:
    async def steps(world: World) -> None:
        if kind != "told":
            world.watch.add("nowhere")
            await asyncio.sleep(QUIET_S)
        assert world.watch.fault == ""
        world.watch.stop()
        world.watch.add(".")
        await world.write("MEMORY.md")
        await asyncio.sleep(QUIET_S)
        assert not world.forget()
        assert world.watch.folders == 0
        assert world.watch.start(), "it can begin again"
        world.watch.add(".")
        await asyncio.sleep(QUIET_S)
        world.forget()
        await world.write("USER.md")
        await world.until(lambda said: "USER.md" in said.names)

    watching(tmp_path, kind, steps, ".")


def test_a_thousand_files_at_once_are_all_told_or_told_as_lost(tmp_path: Path, kind: str) -> None:
    async def steps(world: World) -> None:
        names = {f"notes/{number}.md" for number in range(1000)}
        for name in names:
            await world.write(name)
        await world.until(lambda said: said.lost or said.names >= names)

    watching(tmp_path, kind, steps, ".", "notes")


def test_directories_that_are_added_one_after_the_other_are_all_heard(tmp_path: Path, kind: str) -> None:
    async def steps(world: World) -> None:
        for number in range(30):
            await world.make(f"notes/n{number}")
            world.watch.add(f"notes/n{number}")
            await asyncio.sleep(0.03)
        await asyncio.sleep(QUIET_S)
        world.forget()
        names = {f"notes/n{number}/page.md" for number in range(30)}
        for name in names:
            await world.write(name)
        await world.until(lambda said: said.names >= names)

    watching(tmp_path, kind, steps, ".", "notes")
