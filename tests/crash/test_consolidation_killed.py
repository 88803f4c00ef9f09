"""A pass that is killed at any step is there as a whole or not at all, and the next one keeps nothing twice."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import errno
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.errors import MemdError, StorageError
from memd.formats.records import read_lines
from memd.store.opening import open_workspace
from tests.crash.test_every_step import CHANGING, Failing, failing_with, killing
from tests.service.test_verbs import work
from tests.support import Folder, tried

pytestmark = pytest.mark.slice

Make = Callable[[], Folder]
SAID = ("My sister Ana lives in Lisbon.", "我对花生过敏。", "The standup is at 9:45 on Mondays.")
LATER = "The standup has moved to 10:15 on Mondays."


@pytest.fixture
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Return what makes a workspace with a session that nobody has looked at."""
    first = Folder.make(tmp_path_factory.mktemp("w") / "m", demo=False)
    first.write("main")

    async def steps(service: Local) -> None:
        await service.call("session.open", session="talk", role="main")
        events = [{"kind": "message", "speaker": "user", "content": text} for text in (*SAID, LATER)]
        await service.call("session.append", session="talk", events=events)

    work(first, steps)

    def copy() -> Folder:
        path = Path(tmp_path_factory.mktemp("c")) / "m"
        shutil.copytree(first.path, path)
        return Folder(path)

    return copy


async def consolidated(folder: Folder, system: Failing | None) -> bool:
    """Consolidate; tell whether it was acknowledged."""
    place = Place(str(folder.path), "", "")
    store = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"}, system=system)
    try:
        service = Local(store, service_of(store, place, daemon=False))
        if system:
            system.counts = collections.Counter()
        try:
            return bool((await service.call("consolidate.run"))["passes"])
        except (MemdError, OSError):
            return False
    finally:
        with contextlib.suppress(StorageError, OSError):
            await store.close(deadline_s=1.0)


def look(folder: Folder, *, acknowledged: bool) -> int:
    """Open again as after a crash, look at every file, finish the work; return how many passes were whole before that."""
    work(folder, lambda service: service.call("status"))
    standing = sorted(folder.contents("main"))
    steps = {0: [], 1: sorted(SAID), 2: sorted((*SAID, LATER))}
    whole = next((step for step, texts in steps.items() if texts == standing), None)
    assert whole is not None, standing
    assert whole == 2 or not acknowledged, "acknowledged means there"
    reports = list((folder.path / ".memory/consolidations").glob("*.json"))
    assert len(reports) == whole
    file = folder.path / ".memory/offered.jsonl"
    lines = [line.value or {} for line in read_lines(file.read_bytes())] if file.exists() else []
    ids = [one for line in lines for one in line["ids"]]
    assert sorted(ids) == sorted(str(one["id"]) for one in folder.records("main")), "what is kept is what was offered"
    work(folder, lambda service: service.call("consolidate.run"))
    assert sorted(folder.contents("main")) == steps[2], "nothing twice, and nothing lost"
    assert not [one.name for one in folder.path.rglob("*") if "memd-tmp" in one.name or "conflict" in one.name]
    return whole


def steps_of_one(make: Make) -> list[tuple[str, int]]:
    counting = Failing("none", 0, killing)
    assert asyncio.run(consolidated(make(), counting))
    assert counting.counts is not None
    return [(name, number) for name, times in sorted(counting.counts.items()) for number in range(1, times + 1)]


def killed_at(folder: Folder, name: str, at: int) -> bool:
    """Consolidate in a process of its own that is killed at a step; tell whether it came to its end."""
    pid = os.fork()
    if pid == 0:
        status = 44
        try:
            done = asyncio.run(consolidated(folder, Failing(name, at, killing)))
            status = 43 if done else 42
        finally:
            os._exit(status)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (-signal.SIGKILL, 42, 43)
    return code == 43


def test_a_kill_at_any_step_leaves_whole_passes_and_the_next_keeps_nothing_twice(make: Make) -> None:
    outcomes = set()
    for name, at in tried([one for one in steps_of_one(make) if one[0] in CHANGING]):
        folder = make()
        outcomes.add(look(folder, acknowledged=killed_at(folder, name, at)))
    assert outcomes == {0, 1, 2}, "kills came before, between and after the steps"


def test_a_disk_that_is_full_at_any_step_leaves_whole_passes(make: Make) -> None:
    outcomes = set()
    for name, at in tried([one for one in steps_of_one(make) if one[0] in ("write", "sync_data", "exchange")]):
        folder = make()
        acknowledged = asyncio.run(consolidated(folder, Failing(name, at, failing_with(errno.ENOSPC))))
        outcomes.add(look(folder, acknowledged=acknowledged))
    assert outcomes
