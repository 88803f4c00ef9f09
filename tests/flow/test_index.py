"""The index on disk is made of the files and of nothing else: whatever happens to it, answers stay right."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memd.config import place_of
from tests.support import Daemon, Folder, memd, until

pytestmark = pytest.mark.demo

QUERIES = (
    "kiln firing", '"load the kiln"', "sched* -deadline*", "kind:goal", "after:2026-05 before:2026-08 role:nora", "Tomasz",
    "香菜 虾", '"不吃香菜"', "茶马*道", "柏林 数据中心", "page:none", "kind:session zebra", "tag:berlin", "林", "+kiln +gas",
)  # fmt: skip


@pytest.fixture
def stocked(workspace: Folder) -> Folder:
    """A workspace with a page, a session, a run, a task and a skill beside its roles."""
    for name, text in {
        "notes/berlin.md": "---\ntags: [berlin, 项目]\ndate: 2026-05-08\n---\n柏林的数据中心在五月搬迁。修改youer服务端。\n",
        "runs/2026-05/r1.md": "---\nrole: nora\ndate: 2026-05-09\n---\n# Firing\n\nThe zebra glaze was fired.\n",
        "tasks/open-day.toml": 'title = "Open day"\ncreated_at = "2026-06-01"\nwhat = "Invite the zebra club."\n',
        "skills/load-kiln/SKILL.md": "---\nname: load-kiln\ndescription: How to load the kiln\n---\n# Load\n\nZebra side up.\n",
        "sessions/2026-05/s1.jsonl": "".join(
            json.dumps({"role": "user", "content": text, "at": f"2026-05-08T10:0{n}:00Z"}, ensure_ascii=False) + "\n"
            for n, text in enumerate(("Is the zebra cup dry?", "斑马杯子干了吗？", "Yes, since Monday."))
        ),
    }.items():
        path = workspace.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return workspace


def answers(call: Callable[..., dict[str, Any]]) -> list[Any]:
    found = []
    for query in QUERIES:
        reply = call(query=query, limit=50)
        found.append(
            (query, reply["total"], sorted((hit["kind"], hit["name"], hit["id"], hit["line"]) for hit in reply["hits"]))
        )
    return found


def offline(folder: Folder) -> Callable[..., dict[str, Any]]:
    def call(**given: Any) -> dict[str, Any]:
        out = memd("search", given["query"], "--limit", str(given["limit"]), "--json", "-w", str(folder.path)).stdout
        reply: dict[str, Any] = json.loads(out)
        return reply

    return call


def settled(daemon: Daemon) -> bool:
    index = daemon.call("status")["index"]
    return index["state"] == "ready" and not index["behind"]


def index_dir(folder: Folder) -> Path:
    return Path(place_of(str(folder.path)).cache) / "index"


@pytest.mark.slice
def test_answers_are_the_same_with_and_without_an_index_a_daemon_and_after_a_rebuild(
    stocked: Folder, short_dir: Path
) -> None:
    without = answers(offline(stocked))
    assert {query: total for query, total, _ in without}["kind:session zebra"] == 1
    memd("rebuild", "-w", str(stocked.path))
    assert answers(offline(stocked)) == without
    daemon = Daemon(stocked, short_dir / "s")
    daemon.start()
    try:
        until(lambda: settled(daemon), 30, "the index")
        live = answers(lambda **given: daemon.call("search", **given))
        assert live == without
        reply = daemon.call("rebuild")
        assert reply["fresh"]
        assert reply["documents"] == daemon.call("status")["index"]["documents"]
        assert answers(lambda **given: daemon.call("search", **given)) == without
    finally:
        daemon.stop()
    assert memd("check", "--index", "-w", str(stocked.path)).returncode == 0


def test_every_kind_of_file_is_found_under_its_kind(stocked: Folder) -> None:
    reply = offline(stocked)(query="zebra 斑马", limit=50)
    kinds = {(hit["kind"], hit["id"], hit["line"]) for hit in reply["hits"]}
    assert kinds >= {
        ("run", "r1", 5),
        ("task", "open-day", 1),
        ("skill", "load-kiln", 5),
        ("session", "s1", 1),
        ("session", "s1", 2),
    }


def test_paging_gives_every_hit_once(stocked: Folder, daemon: Daemon) -> None:
    until(lambda: settled(daemon), 30, "the index")
    for query in ("kiln", "kind:semantic", '"the"'):
        whole = [hit["id"] for hit in daemon.call("search", query=query, limit=100)["hits"]]
        paged: list[str] = []
        for offset in range(0, len(whole) + 3, 3):
            paged += [hit["id"] for hit in daemon.call("search", query=query, limit=3, offset=offset)["hits"]]
        assert paged == whole


class Evil:
    """Unpickling this makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def _segment(index: Path) -> Path:
    return max(index.glob("g*/*.seg"), key=lambda one: one.stat().st_size)


def _toc(index: Path) -> Path:
    return next(index.glob("g*/_MAIN_*.toc"))


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(0, len(data), max(1, len(data) // 20)):
        data[at] ^= 0x41
    path.write_bytes(data)


def _linked_toc(index: Path, mark: Path) -> None:
    evil = index.parent / "evil.toc"
    evil.write_bytes(pickle.dumps(Evil(mark)))
    _toc(index).with_name("_MAIN_999.toc").symlink_to(evil)


def _folder_to_file(index: Path) -> None:
    folder = next(index.glob("g*"))
    shutil.rmtree(folder)
    folder.write_text("x")


DAMAGE: dict[str, Callable[[Path, Path], object]] = {
    "a segment is gone": lambda index, _: _segment(index).unlink(),
    "a segment is short": lambda index, _: os.truncate(_segment(index), 100),
    "a segment is flipped": lambda index, _: flip(_segment(index)),
    "the table of contents is flipped": lambda index, _: flip(_toc(index)),
    "the table of contents is empty": lambda index, _: _toc(index).write_bytes(b""),
    "a crafted table of contents": lambda index, mark: _toc(index).write_bytes(pickle.dumps(Evil(mark))),
    "a second, crafted one": lambda index, mark: (
        _toc(index).with_name("_MAIN_99.toc").write_bytes(pickle.dumps(Evil(mark)))
    ),
    "a link to a crafted one": _linked_toc,
    "a file where its folder was": lambda index, _: _folder_to_file(index),
    "the manifest is gone": lambda index, _: (index / "manifest").unlink(),
    "the manifest is flipped": lambda index, _: flip(index / "manifest"),
    "the manifest is a pickle": lambda index, mark: (index / "manifest").write_bytes(pickle.dumps(Evil(mark))),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_is_rebuilt_and_nothing_of_it_is_run(
    stocked: Folder, short_dir: Path, tmp_path: Path, damage: str
) -> None:
    memd("rebuild", "-w", str(stocked.path))
    mark = tmp_path / "code-ran"
    DAMAGE[damage](index_dir(stocked), mark)
    wanted = {"kind": "page", "name": "notes/berlin.md"}
    hit = offline(stocked)(query='"在五月搬迁"', limit=5)["hits"][0]
    assert {key: hit[key] for key in wanted} == wanted
    daemon = Daemon(stocked, short_dir / "s")
    daemon.start()
    try:
        assert daemon.call("search", query="搬迁")["hits"][0]["name"] == "notes/berlin.md"
        assert daemon.call("search", query='"在五月搬迁"')["total"] == 1
        until(lambda: settled(daemon), 30, "another index")
        assert daemon.call("search", query='"在五月搬迁"')["total"] == 1
    finally:
        daemon.stop()
    assert not mark.exists()
    assert memd("check", "--index", "-w", str(stocked.path)).returncode == 0


def test_an_index_that_came_with_the_workspace_is_never_opened(stocked: Folder, tmp_path: Path) -> None:
    mark = tmp_path / "code-ran"
    for place in (".", ".memory", ".memory/state", "index", "index/g1", "notes"):
        folder = stocked.path / place
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "_MAIN_1.toc").write_bytes(pickle.dumps(Evil(mark)))
        (folder / "manifest").write_bytes(pickle.dumps(Evil(mark)))
    memd("rebuild", "-w", str(stocked.path))
    assert offline(stocked)(query="zebra", limit=5)["hits"]
    assert not mark.exists()


def test_an_index_lost_while_the_daemon_runs_is_made_again(stocked: Folder, short_dir: Path) -> None:
    daemon = Daemon(stocked, short_dir / "s")
    daemon.start()
    try:
        until(lambda: settled(daemon), 30, "the index")
        for path in index_dir(stocked).glob("g*/*"):
            os.truncate(path, 0)
        (stocked.path / "notes/more.md").write_text("Thylacine notes.\n", "utf-8")
        until(lambda: daemon.call("search", query="thylacine")["total"] == 1, 5, "plain words")
        until(lambda: settled(daemon), 60, "another index")
        assert daemon.call("search", query='"thylacine notes"')["total"] == 1
        assert daemon.call("search", query='"在五月搬迁"')["total"] == 1
    finally:
        daemon.stop()


def test_check_tells_where_the_index_and_the_files_differ(stocked: Folder) -> None:
    memd("rebuild", "-w", str(stocked.path))
    (stocked.path / "notes/berlin.md").write_text("Something else.\n", "utf-8")
    (stocked.path / "notes/new.md").write_text("New.\n", "utf-8")
    (stocked.path / "tasks/open-day.toml").unlink()
    result = memd("check", "--index", "--json", "-w", str(stocked.path), check=False)
    found = {(one["file"], one["code"]) for one in json.loads(result.stdout)["findings"]}
    assert result.returncode == 1
    assert found >= {
        ("notes/berlin.md", "index.differs"),
        ("notes/new.md", "index.missing"),
        ("tasks/open-day.toml", "index.extra"),
    }
    assert offline(stocked)(query='"something else"', limit=5)["total"] == 1, "the answers are right all the same"
    assert offline(stocked)(query='"invite the zebra"', limit=5)["total"] == 0


def test_indexing_changes_no_file(stocked: Folder, daemon: Daemon) -> None:
    until(lambda: settled(daemon), 30, "the index")
    daemon.call("search", query="kiln")
    daemon.call("rebuild")
    recent = [path for path in stocked.path.rglob("*") if path.is_file() and ".memory" not in path.parts]
    assert recent
    assert not list(stocked.path.rglob("*.toc"))
    assert stocked.file("nora").stat().st_mtime < (stocked.path / ".memory/lock").stat().st_mtime
