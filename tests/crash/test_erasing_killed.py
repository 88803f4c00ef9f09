"""A kill during an erase leaves nothing of the memory behind, and no temporary; what is somebody's is kept."""

from __future__ import annotations

import asyncio
import collections
import os
from pathlib import Path
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.engine.work.visible import freeze
from memd.formats.records import dump_record
from memd.storage.files import Tree
from memd.store.opening import open_workspace
from memd.store.recover import clear_logs, clear_private
from memd.store.writing.erasing import erase_from_logs
from tests.crash.test_every_step import Failing, killing
from tests.service.test_verbs import work
from tests.support import Folder

TEXT = "Quokka pinewood marmalade belongs to the private life of Ann."
KILLED, ENDED = -9, 43


async def told_and_forgotten(service: Local) -> str:
    """A memory with a line in every log: told, archived, brought back."""
    told = await service.call("remember", role="main", content=TEXT, explicit=True)
    await service.call("memory.forget", role="main", id=told["id"])
    await service.call("memory.restore", role="main", id=told["id"])
    return str(told["id"])


async def erased(folder: Folder, memory_id: str, system: Failing) -> None:
    place = Place(str(folder.path), "", "")
    store = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"}, system=system)
    system.counts = collections.Counter()
    await Local(store, service_of(store, place)).call("memory.forget", role="main", id=memory_id, erase=True)
    await store.close(deadline_s=3)


def child(folder: Folder, memory_id: str, system: Failing) -> int:
    """Erase in a process of its own, and return how it ended."""
    pid = os.fork()
    if pid == 0:
        status = 44
        try:
            asyncio.run(erased(folder, memory_id, system))
            status = ENDED
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def holding(folder: Folder, word: bytes) -> list[str]:
    files = (path for path in folder.path.rglob("*") if path.is_file())
    return sorted(str(path.relative_to(folder.path)) for path in files if word in path.read_bytes())


@pytest.mark.parametrize("step", ["unlink", "exchange", "rename"])
def test_whatever_step_of_an_erase_is_killed_nothing_stays(tmp_path: Path, step: str) -> None:
    for at in range(1, 40, 1 if step == "unlink" else 2):
        folder = Folder.make(tmp_path / f"{step}{at}", demo=False)
        folder.write("main")
        memory_id = str(work(folder, told_and_forgotten))
        quoting, other = (freeze({"MEMORY.md": f"- Other.\n- {said}\n"}, {}) for said in (TEXT, f"{TEXT} 还有别的"))
        for one in (quoting, other):
            (folder.path / "runs/snapshots").mkdir(parents=True, exist_ok=True)
            (folder.path / f"runs/snapshots/{one.digest}.json").write_text(one.text, "utf-8")
        status = child(folder, memory_id, Failing(step, at, killing))
        assert status in (KILLED, ENDED)
        work(folder, lambda service: service.call("ping"))
        assert holding(folder, TEXT.encode()) == [f"runs/snapshots/{other.digest}.json"], at
        assert [str(path) for path in folder.path.rglob("*.memd-tmp*")] == [], at
        if status == ENDED:
            break
    else:
        pytest.fail("an erase has fewer steps")


def archived(memory_id: str, n: int) -> bytes:
    value: dict[str, Any] = {
        "w": "0a",
        "n": n,
        "what": "forgotten",
        "role": "main",
        "kind": "semantic",
        "id": memory_id,
    }
    return dump_record({**value, "entry": {"id": memory_id, "content": f"text of {memory_id}"}})


def test_a_temporary_with_somebodys_line_becomes_a_conflict_copy(tmp_path: Path) -> None:
    for folder in ("archive", ".memory"):
        (tmp_path / folder).mkdir()
    archive, temporary = tmp_path / "archive/2026-11.jsonl", tmp_path / "archive/.2026-11.jsonl.0a0a.memd-tmp"
    archive.write_bytes(archived("kept", 1))
    temporary.write_bytes(archived("kept", 1) + archived("gone", 2) + archived("saved", 3))
    (tmp_path / "archive/.2026-11.jsonl.0b0b.memd-tmp-new").write_bytes(archived("kept", 1)[:20])
    declared = tmp_path / ".memory/.declarative.md.0c0c.memd-tmp"
    declared.write_text("- 2026/11/21 10:00 a secret #其他 #id:gone #评分:8\n一个人写的行\n", "utf-8")
    (tmp_path / ".memory/.audit.jsonl.0d0d.memd-tmp").write_bytes(b"ours")
    tree = Tree(str(tmp_path))
    clear_private(tree, (".memory",))
    kept = clear_logs(tree, {("main", "gone")})
    assert sorted(tree.read(name)[0] for name in kept) == sorted([archived("saved", 3), "一个人写的行\n".encode()])
    assert all(".conflict-" in name for name in kept)
    assert not list(tmp_path.rglob("*.memd-tmp*"))
    assert clear_logs(tree, set()) == []


def test_a_quarantined_line_about_an_erased_memory_goes_too(tmp_path: Path) -> None:
    aside = tmp_path / ".memory/state/quarantine"
    aside.mkdir(parents=True)
    (aside / "wal.jsonl.1").write_bytes(b'{"id":"m1","text":"secret"\n{"id":"m2","text":"rest"\n')
    erase_from_logs(Tree(str(tmp_path)), "main", "m1")
    assert (aside / "wal.jsonl.1").read_bytes() == b'{"id":"m2","text":"rest"\n'
