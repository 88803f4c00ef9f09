"""A kill leaves no temporary for ever, and what looks like somebody's save is kept beside its file."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import json
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.errors import MemdError
from memd.storage.files import Tree
from memd.storage.replace import write_temporary
from memd.store.opening import open_workspace
from tests.crash.test_every_step import Failing, failing_with, killing
from tests.support import Folder, tried

CALLS = ("write", "sync", "sync_data", "exchange", "rename_new", "rename", "unlink", "make_dir", "remove_dir")
Deed = Callable[[Local], Awaitable[object]]


async def a_role(service: Local) -> object:
    return await service.call("role.create", name="新角色", display_name="Nora 诺拉")


async def a_setting(service: Local) -> object:
    return await service.call("config.set", key="trigger.scan_messages", value=7)


async def an_erasure(service: Local) -> object:
    return await service.call("memory.forget", role="main", id="id-00001", erase=True)


def made(path: Path) -> Folder:
    folder = Folder.make(path / "m", demo=False)
    folder.write("main", "The first memory.", "第二条记忆。")
    archived = {"what": "forgotten", "role": "main", "kind": "semantic", "id": "id-00001", "entry": {"id": "id-00001"}}
    (folder.path / "archive").mkdir()
    (folder.path / "archive/2026-01.jsonl").write_text(json.dumps(archived) + "\n", "utf-8")
    return folder


async def once(folder: Folder, deed: Deed | None, system: Failing | None = None) -> None:
    store = await open_workspace(str(folder.path), holder={"pid": 1, "what": "test"}, system=system)
    try:
        if deed:
            if system:
                system.counts = collections.Counter()
            with contextlib.suppress(MemdError, OSError):
                await deed(Local(store, service_of(store, Place(str(folder.path), "", ""))))
    finally:
        await store.close(deadline_s=1.0)


def steps(path: Path, deed: Deed) -> list[tuple[str, int]]:
    counting = Failing("none", 0, killing)
    asyncio.run(once(made(path), deed, counting))
    assert counting.counts is not None
    return [(name, at) for name, times in counting.counts.items() if name in CALLS for at in range(1, times + 1)]


def odd(folder: Folder) -> list[str]:
    """What should not be there: temporaries, and conflict copies of what nobody edited."""
    return [path.name for path in folder.path.rglob("*") if "memd-tmp" in path.name or "conflict" in path.name]


@pytest.mark.parametrize("deed", [a_role, a_setting, an_erasure])
def test_a_kill_at_any_step_leaves_nothing_behind(tmp_path: Path, deed: Deed) -> None:
    found = steps(tmp_path / "counted", deed)
    assert len(found) > 4
    for number, (name, at) in enumerate(tried(found)):
        folder = made(tmp_path / str(number))
        pid = os.fork()
        if pid == 0:
            asyncio.run(once(folder, deed, Failing(name, at, killing)))
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) in (-signal.SIGKILL, 0)
        asyncio.run(once(folder, None))
        assert not odd(folder), (name, at)
        role = folder.path / "roles/新角色"
        assert not role.exists() or {one.name for one in role.iterdir()} == {"memory.json", "role.toml"}, (name, at)


@pytest.mark.parametrize("number", [5, 28])
def test_a_role_that_the_disk_refuses_is_not_there(tmp_path: Path, number: int) -> None:
    for count, (name, at) in enumerate(tried(steps(tmp_path / "counted", a_role))):
        folder = made(tmp_path / str(count))
        asyncio.run(once(folder, a_role, Failing(name, at, failing_with(number))))
        role = folder.path / "roles/新角色"
        assert not role.exists() or {one.name for one in role.iterdir()} == {"memory.json", "role.toml"}, (name, at)
        assert not odd(folder), (name, at)


def test_a_save_that_was_exchanged_out_is_kept_beside_the_settings(tmp_path: Path) -> None:
    folder = made(tmp_path)
    tree = Tree(str(folder.path))
    temporary = folder.path / write_temporary(tree, "memd.toml", b"new", 0o644, b"known")
    temporary.write_text("# an editor wrote this while it was out of its place\n", "utf-8")
    asyncio.run(once(folder, None))
    (copy,) = folder.path.glob("memd.conflict-*.toml")
    assert "an editor wrote this" in copy.read_text("utf-8")
    assert not temporary.exists()
