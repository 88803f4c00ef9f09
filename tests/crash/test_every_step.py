"""Every step of one remember fails once, in every way: old or new, never a mix, and nothing acknowledged is lost."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import errno
import json
import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.errors import StorageError
from memd.storage.system import System
from memd.store.opening import open_workspace
from tests.support import Folder, tried

STEPS = (
    "open", "close", "read", "write", "sync", "sync_data", "truncate", "set_mode", "fstat", "stat", "exchange",
    "rename_new", "rename", "unlink", "make_dir", "list", "is_open_elsewhere",
)  # fmt: skip
TEXT = "The password policy was decided: twelve words, 决定了。"


class Failing(System):
    """A system whose n-th call of one kind (from the moment it is armed) goes wrong."""

    def __init__(self, name: str, at: int, wrong: Callable[[str], None]) -> None:
        self.name, self.at, self.wrong = name, at, wrong
        self.counts: collections.Counter[str] | None = None
        self.lock = threading.Lock()

    def goes_wrong(self, name: str) -> bool:
        """Count a call; tell whether it is the one."""
        with self.lock:
            if self.counts is None:
                return False
            self.counts[name] += 1
            return name == self.name and self.counts[name] == self.at


def _wrapped(name: str) -> Callable[..., Any]:
    def call(self: Failing, *args: Any, **kwargs: Any) -> Any:
        wrong = self.goes_wrong(name)
        if wrong and name == "close":  # the handle is closed whatever is reported
            System.close(self, *args)
        if wrong and name == "write":  # half of it gets there
            handle, data = args
            System.write(self, handle, bytes(data)[: len(data) // 2])
        if wrong:
            self.wrong(name)
        return getattr(System, name)(self, *args, **kwargs)

    return call


for _name in STEPS:
    setattr(Failing, _name, _wrapped(_name))


def failing_with(number: int) -> Callable[[str], None]:
    def wrong(name: str) -> None:
        raise OSError(number, os.strerror(number), name)

    return wrong


def killing(_: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def remember_once(folder: Folder, system: Failing | None) -> bool:
    """Remember one text; tell whether it was acknowledged. The system is armed once the workspace is open."""
    place = Place(str(folder.path), "", "")
    store = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"}, system=system)
    try:
        if system:
            system.counts = collections.Counter()
        try:
            reply = await Local(store, service_of(store, place)).call(
                "remember", role="main", content=TEXT, explicit=True, kind="semantic", keys=["password"]
            )
            return bool(reply["stored"])
        except (StorageError, OSError):
            return False
    finally:
        with contextlib.suppress(StorageError, OSError):
            await store.close(deadline_s=1.0)


def look(folder: Folder, *, acknowledged: bool, before: list[str]) -> None:
    """Open again as after a crash, and look at every file."""
    json.loads(folder.file("main").read_text("utf-8"))  # whole, at every moment
    asyncio.run(remember_nothing(folder))
    contents = folder.contents("main")
    assert contents.count(TEXT) <= 1, "never twice"
    assert [text for text in contents if text != TEXT] == before, "nothing else is touched"
    if acknowledged:
        assert contents.count(TEXT) == 1, "acknowledged means there"
    stored = contents.count(TEXT)
    declared = folder.path / ".memory/declarative.md"
    lines = declared.read_text("utf-8").count(TEXT) if declared.exists() else 0
    assert lines == stored, "the memory and its line go together"
    left = [one for one in os.listdir(folder.path / "roles/main") if one.endswith(".memd-tmp") or "conflict" in one]
    assert not left


async def remember_nothing(folder: Folder) -> None:
    store = await open_workspace(str(folder.path), holder={"pid": 1, "what": "test"})
    await store.close()


def steps_of_one_remember(make: Callable[[], Folder]) -> list[tuple[str, int]]:
    """Every kind of call, as often as one remember makes it."""
    counting = Failing("none", 0, killing)
    assert asyncio.run(remember_once(make(), counting))
    assert counting.counts is not None
    return [(name, number) for name, times in sorted(counting.counts.items()) for number in range(1, times + 1)]


CHANGING = frozenset(
    ("write", "sync", "sync_data", "truncate", "set_mode", "exchange", "rename_new", "rename", "unlink", "make_dir")
)
# Which calls an error can come from: a read never finds the disk full, and only who opens runs out of handles.
ANSWERED = {
    errno.ENOSPC: CHANGING | {"open"},
    errno.EROFS: CHANGING | {"open"},
    errno.EMFILE: frozenset({"open", "list"}),
}
BEFORE = ["The first memory.", "第二条记忆。"]


def fresh(folder: Folder) -> Folder:
    folder.write("main", *BEFORE)
    return folder


@pytest.fixture
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Folder]:
    return lambda: fresh(Folder.make(tmp_path_factory.mktemp("w") / "m", demo=False))


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EROFS, errno.EMFILE], ids=errno.errorcode.get)
def test_a_failing_step_leaves_old_or_new(make: Callable[[], Folder], number: int) -> None:
    steps = steps_of_one_remember(make)
    assert {"write", "sync", "sync_data", "exchange", "open", "unlink", "make_dir"} <= {name for name, _ in steps}
    outcomes: set[bool] = set()
    for name, at in tried([one for one in steps if one[0] in ANSWERED.get(number, {one[0]})]):
        folder = make()
        acknowledged = asyncio.run(remember_once(folder, Failing(name, at, failing_with(number))))
        look(folder, acknowledged=acknowledged, before=BEFORE)
        outcomes.add(acknowledged)
    assert outcomes == {True, False}, "some failures came before the commit, some after"


def test_a_kill_at_any_step_leaves_old_or_new(make: Callable[[], Folder]) -> None:
    kept: set[int] = set()
    # A kill at a call that only looks leaves what a kill at the change before it leaves.
    for name, at in tried([one for one in steps_of_one_remember(make) if one[0] in CHANGING]):
        folder = make()
        pid = os.fork()
        if pid == 0:
            acknowledged = asyncio.run(remember_once(folder, Failing(name, at, killing)))
            os._exit(42 if acknowledged else 43)  # the killed call never came
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert status in (-signal.SIGKILL, 42), status
        look(folder, acknowledged=status == 42, before=BEFORE)
        kept.add(folder.contents("main").count(TEXT))
    assert kept == {0, 1}, "some kills came before the commit, some after"
