"""Power cuts at any moment: the workspace opens, and what was acknowledged is there.

Every call to the disk of a life with every writing verb is recorded. Two things are proved of the record: the order (the
log's bytes are synced before the reply; a file and its name are synced before the log says that the file has its part), and
what follows from it: from the state after a cut at any moment, with any part of what was not synced, the next process serves
everything that was acknowledged before the cut.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.doors.rpc import METHODS
from memd.formats.operations import load_operation, parts_of
from memd.storage.layout import AUDIT, LOG, SESSIONS
from memd.store.opening import open_workspace
from tests.crash.disk import ALL_OF_IT, NOTHING_OF_IT, Disk, Recording
from tests.crash.promises import LIFE, Call, Deed, Known, World
from tests.support import Folder, examples

pytestmark = pytest.mark.slice

Lucky = Callable[[int], bool]


async def live(folder: Path, system: Recording, known: Known) -> None:
    """Call every verb, one after the other, and note in the record when each was begun and acknowledged."""
    place = Place(str(folder), "", "")
    store = await open_workspace(
        place.workspace, holder={"pid": 1, "what": "test"}, state_dir=f"{folder}-state", system=system
    )
    service = Local(store, service_of(store, place))
    try:
        for number, deed in enumerate(LIFE):
            system.disk.say(f"begun {deed.name}")
            reply = await service.call(deed.method, **deed.given(known))
            system.disk.say(f"done {deed.name}")
            if deed.tells:
                told = reply[deed.key]
                known[deed.tells] = told[0]["id"] if isinstance(told, list) else told
            if number % 7 == 6:
                while store.writer.depth:  # some are in the files when the next begins, most are not
                    await asyncio.sleep(0.005)
    finally:
        await store.close()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Disk, Known]:
    return record(tmp_path_factory.mktemp("life"))


def record(path: Path, forgets: frozenset[str] = frozenset()) -> tuple[Disk, Known]:
    folder = Folder.make(path / "m", demo=False)
    (folder.path / "MEMORY.md").write_text("# Memory\n\n- A line that a person wrote. 一个人写的。\n", "utf-8")
    system, known = Recording(folder.path, forgets), Known()
    asyncio.run(live(folder.path, system, known))
    return system.disk, known


def test_every_verb_that_writes_is_in_the_life() -> None:
    writing = {name for name, method in METHODS.items() if method.writes}
    assert writing == {deed.method for deed in LIFE}


def moments(disk: Disk) -> dict[str, int]:
    """Return how many steps there were before each mark."""
    return {step.label: at + 1 for at, step in enumerate(disk.steps) if step.what == "said"}


def promised(disk: Disk, until: int) -> list[Deed]:
    """Return the deeds that were acknowledged within so many steps and that no later one has begun to change."""
    said = {label for label, at in moments(disk).items() if at <= until}
    return [one for one in LIFE if one.holds and f"done {one.name}" in said and f"begun {one.until}" not in said]


async def broken(path: Path, known: Known, deeds: list[Deed]) -> list[str]:
    """Open a workspace as the next process does, and return the deeds whose promise does not hold."""
    store = await open_workspace(str(path), holder={"pid": 1, "what": "test"})
    try:
        assert not store.writer.read_only, store.writer.read_only
        call: Call = Local(store, service_of(store, Place(str(path), "", ""))).call
        world = World(call, path, known)
        return [one.name for one in deeds if one.holds and not await one.holds(world)]
    finally:
        await store.close()


def cut(disk: Disk, known: Known, until: int, lucky: Lucky, path: Path) -> list[str]:
    """Return which promises a power cut after so many steps breaks."""
    disk.lay_out(path, until, lucky)
    try:
        failed = asyncio.run(broken(path, known, promised(disk, until)))
        assert b"A line that a person wrote" in (path / "MEMORY.md").read_bytes(), "a person's line is never lost"
        return failed
    finally:
        shutil.rmtree(path)


def test_after_a_cut_right_behind_any_reply_all_that_was_acknowledged_is_there(
    recorded: tuple[Disk, Known], tmp_path: Path
) -> None:
    disk, known = recorded
    replies = [at for label, at in moments(disk).items() if label.startswith("done")]
    failed = {at: cut(disk, known, at, NOTHING_OF_IT, tmp_path / "cut") for at in replies}
    assert not {at: names for at, names in failed.items() if names}


def test_after_a_cut_at_any_moment_with_any_part_of_what_was_not_synced_all_is_there(
    recorded: tuple[Disk, Known], tmp_path: Path
) -> None:
    seed = int(os.environ.get("MEMD_CUT_SEED", "1"))
    check_cuts(recorded, tmp_path, random.Random(seed), examples(40))


@pytest.mark.torture
@pytest.mark.timeout(1800)
def test_power_cuts_at_every_moment(recorded: tuple[Disk, Known], tmp_path: Path) -> None:
    disk, known = recorded
    for until in range(len(disk.steps) + 1):
        for lucky in (NOTHING_OF_IT, ALL_OF_IT):
            assert not cut(disk, known, until, lucky, tmp_path / "cut"), f"a cut after {until} steps"
    check_cuts(recorded, tmp_path, random.Random(2), 1000)


def check_cuts(recorded: tuple[Disk, Known], path: Path, chance: random.Random, count: int) -> None:
    disk, known = recorded
    for _ in range(count):
        until = chance.randrange(len(disk.steps) + 1)
        share, seed = chance.choice((0.1, 0.5, 0.9)), chance.getrandbits(32)
        lucky: Lucky = lambda at, share=share, seed=seed: random.Random(seed + at).random() < share  # type: ignore[misc]  # noqa: E731
        failed = cut(disk, known, until, lucky, path / "cut")
        assert not failed, f"a cut after {until} of {len(disk.steps)} steps, {share} lucky by {seed}: {failed}"


def test_the_order_is_kept(recorded: tuple[Disk, Known]) -> None:
    assert list(out_of_order(recorded[0])) == []


@pytest.mark.parametrize("forgets", ["data", "file", "directory"])
def test_a_sync_that_is_left_out_is_noticed(tmp_path: Path, forgets: str) -> None:
    disk, known = record(tmp_path, frozenset({forgets}))
    assert list(out_of_order(disk))
    last = moments(disk)[f"done {LIFE[-1].name}"]
    if forgets == "data":
        assert cut(disk, known, last, NOTHING_OF_IT, tmp_path / "cut")


def out_of_order(disk: Disk) -> Iterator[str]:
    """Yield what was said too early: a reply before its bytes were durable, or that a place has what it may lose."""
    replay = _Replay(disk)
    for at, step in enumerate(disk.steps):
        if step.what == "said" and step.label.startswith("done"):
            yield from (f"{step.label}: {what}" for what in replay.of_log(at))
        elif step.what == "write" and step.node in replay.logs:
            yield from replay.heard(at, step.data)
        elif step.what == "entries":
            replay.named(step.node, step.entries)


class _Replay:
    """Follows the record: what the names mean at each step, and which records and marks stand in the log."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.folders = {node: dict(entries) for node, entries in disk.first_folders.items()}
        self.logs: set[int] = set()
        self.records: dict[
            str, dict[int, int]
        ] = {}  # by place: the number of each record with a part for it, and the step

    def named(self, folder: int, entries: tuple[tuple[str, int | None], ...]) -> None:
        here = self.folders.setdefault(folder, {})
        for name, node in entries:
            if node is None:
                here.pop(name, None)
            else:
                here[name] = node
        if (log := self.node(LOG)) is not None:
            self.logs.add(log)

    def node(self, name: str) -> int | None:
        node: int | None = 0
        for part in name.split("/"):
            node = self.folders.get(node, {}).get(part) if node is not None else None
        return node

    def of_log(self, at: int) -> Iterator[str]:
        """Yield what of the log is not durable: its acknowledged lines, or its own name."""
        way = self.way(LOG)
        for _, step in self.disk.unsynced(at):
            if step.node in self.logs and step.what == "write" and any(map(is_a_verbs, step.data.splitlines())):
                yield "the log's bytes are not synced"
            elif step.what == "entries" and (step.node, True) in ((f, n in dict(step.entries)) for f, n in way):
                yield f"the log's name is not synced in {step.node}"

    def way(self, name: str) -> list[tuple[int, str]]:
        """Return each directory on the way to a name, with the part of the name in it."""
        found, node = [], 0
        for part in name.split("/"):
            found.append((node, part))
            node = self.folders.get(node, {}).get(part, -1)
        return found

    def heard(self, at: int, data: bytes) -> Iterator[str]:
        for line in data.splitlines():
            value: dict[str, Any] = json.loads(line)
            if "ops" in value:
                operations = (load_operation(raw) for raw in value["ops"])
                for part in {part for one in operations if one for part in parts_of(one)}:
                    self.records.setdefault(part, {}).setdefault(value["n"], at)
            elif "applied" in value:
                yield from self.lacking(at, self.whole(value["applied"]) | value.get("parts", {}))

    def whole(self, applied: int) -> dict[str, int]:
        """Return the number of the last record that each place has, where all up to a number are applied."""
        return {part: max(old) for part, here in self.records.items() if (old := [n for n in here if n <= applied])}

    def lacking(self, at: int, parts: dict[str, int]) -> Iterator[str]:
        """Yield which of these places may lose after a cut what the log says they have.

        What a place is being given of records behind that number may be lost, if what it had before lies on the disk.
        """
        unsynced = dict(self.disk.unsynced(at))
        for part, n in parts.items():
            here = self.records.get(part, {})
            steps = self.steps_of(place_of(part), at)
            begins = min((step for number, step in here.items() if number > n), default=at)
            written = (one for one in steps if one >= here.get(n, 0) and self.disk.steps[one].what != "entries")
            has = any(one not in unsynced for one in written)
            for step in steps:
                if step in unsynced and (step < begins or not has):
                    yield f"{part} is said to be there up to {n}, and {unsynced[step].what} {step} is not synced"

    def steps_of(self, name: str, at: int) -> list[int]:
        """Return the steps before one that wrote a file that has had a name, or a name on the way to it."""
        way, steps = self.way(name), self.disk.steps[:at]
        named = [
            n
            for n, one in enumerate(steps)
            if any(one.node == node and part in dict(one.entries) for node, part in way)
        ]
        folder, last = way[-1]
        had = {dict(steps[n].entries).get(last) for n in named if steps[n].node == folder} | {self.node(name)}
        written = [n for n, one in enumerate(steps) if one.what in ("write", "truncate") and one.node in had]
        return sorted((*named, *written))


def is_a_verbs(line: bytes) -> bool:
    """Tell whether a line of the log is what a verb waits for, and not a note that nobody was promised."""
    operations = [load_operation(raw) for raw in json.loads(line).get("ops", ())]
    parts = {part for one in operations if one for part in parts_of(one)}
    return any(part != AUDIT and not part.startswith(SESSIONS) for part in parts)


def place_of(part: str) -> str:
    """Return the file that a part is in."""
    kind, _, name = part.partition(":")
    if kind == "role":
        return f"roles/{name}/memory.json"
    return name if kind == "text" else part
