"""Every step of one verdict fails once: task, receipt, candidate and session go together, before or after, never in between."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import errno
import os
import shutil
import signal
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.errors import MemdError, StorageError
from memd.formats.receipt_file import is_sealed, load_receipt
from memd.formats.records import read_events
from memd.store.opening import open_workspace
from tests.crash.test_every_step import CHANGING, Failing, failing_with, killing
from tests.service.test_verbs import work
from tests.support import Folder, tried

pytestmark = pytest.mark.slice

Make = Callable[[], Folder]


@pytest.fixture
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Return what makes a workspace with a task that waits for a word on its run."""
    first = Folder.make(tmp_path_factory.mktemp("w") / "m", demo=False)

    async def steps(service: Local) -> None:
        await service.call("task.open", title="Fix it", task="t")
        await service.call("run.start", run="r1", task="t", asked="Fix it. 修好", skills=["fix@1"])
        await service.call("run.complete", run="r1", summary="Done.")
        await service.call("curated.add", content="The build needs Node 18.")

    work(first, steps)

    def copy() -> Folder:
        path = Path(tmp_path_factory.mktemp("c")) / "m"
        shutil.copytree(first.path, path)
        return Folder(path)

    return copy


async def judged(folder: Folder, system: Failing | None) -> bool:
    """Accept the task and change a curated entry; tell whether the verdict was acknowledged."""
    place = Place(str(folder.path), "", "")
    store = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"}, system=system)
    try:
        service = Local(store, service_of(store, place))
        if system:
            system.counts = collections.Counter()
        with contextlib.suppress(MemdError, OSError):
            await service.call("curated.replace", old_text="Node 18", content="The build needs Node 20.")
        try:
            return bool((await service.call("task.accept", task="t", words="好"))["candidate"])
        except (MemdError, OSError):
            return False
    finally:
        with contextlib.suppress(StorageError, OSError):
            await store.close(deadline_s=1.0)


def look(folder: Folder, *, acknowledged: bool) -> bool:
    """Open again as after a crash, look at every file, and tell whether the verdict stands."""

    async def again(service: Local) -> None:
        await service.call("status")
        told.update(await service.call("skill.effects", recompute=True))

    told: dict[str, Any] = {}
    work(folder, again)
    task = tomllib.loads((folder.path / "tasks/t.toml").read_text("utf-8"))
    stands = bool(task["state"] == "accepted")
    assert stands or not acknowledged, "acknowledged means there"
    assert task.get("final_accepted_run_id", "") == ("r1" if stands else "")
    (path,) = folder.path.glob("runs/*/*.md")
    text = path.read_text("utf-8")
    receipt, faults = load_receipt(text, path.name)
    assert (faults, is_sealed(text), receipt.asked, receipt.summary) == ((), True, "Fix it. 修好", "Done.")
    assert (receipt.acceptance.value, receipt.final, receipt.words) == (
        ("accepted", True, "好") if stands else ("pending", False, "")
    )
    candidate = folder.path / "learning/candidates/t.toml"
    assert candidate.exists() is stands
    (log,) = folder.path.glob("sessions/*/*.jsonl")
    whole = (one.value for one in read_events(log.read_bytes()) if one.value)  # what a kill tore is told, and skipped
    kinds = [one["kind"] for one in whole]
    assert kinds == ["opened", "run_started", "run_completed", *(["acceptance"] if stands else [])]
    memory = (folder.path / "MEMORY.md").read_text("utf-8")
    assert ("Node 18" in memory) is not ("Node 20" in memory), memory
    left = [one.name for one in folder.path.rglob("*") if "memd-tmp" in one.name or "conflict" in one.name]
    assert not left
    assert told["equal"], told["differing"]
    return stands


def steps_of_one_verdict(make: Make) -> list[tuple[str, int]]:
    counting = Failing("none", 0, killing)
    assert asyncio.run(judged(make(), counting))
    assert counting.counts is not None
    return [(name, number) for name, times in sorted(counting.counts.items()) for number in range(1, times + 1)]


def test_a_failing_step_leaves_all_files_as_before_or_as_after(make: Make) -> None:
    outcomes: set[bool] = set()
    # Only who opens runs out of handles.
    for name, at in tried([one for one in steps_of_one_verdict(make) if one[0] in ("open", "list")]):
        folder = make()
        acknowledged = asyncio.run(judged(folder, Failing(name, at, failing_with(errno.EMFILE))))
        outcomes.add(look(folder, acknowledged=acknowledged))
    assert True in outcomes


def test_a_kill_at_any_step_leaves_all_files_as_before_or_as_after(make: Make) -> None:
    outcomes: set[bool] = set()
    for name, at in tried([one for one in steps_of_one_verdict(make) if one[0] in CHANGING]):
        folder = make()
        pid = os.fork()
        if pid == 0:
            acknowledged = asyncio.run(judged(folder, Failing(name, at, killing)))
            os._exit(42 if acknowledged else 43)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert status in (-signal.SIGKILL, 42), status
        outcomes.add(look(folder, acknowledged=status == 42))
    assert outcomes == {True, False}, "some kills came before the commit, some after"
