"""sync: what memd wrote is committed, others' work comes in, ours goes out; whatever happens, nothing is lost."""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.errors import GitConflictError
from memd.service.care.git_setup import settings_for, words_of
from memd.service.care.syncing import Sync, Synced
from memd.storage.files import Tree
from memd.storage.history import Git
from tests import forking
from tests.bench.corpus import Corpus
from tests.flow.repositories import WHO, Repository, begun, clones
from tests.support import Daemon, examples, memd, until

ROLE = "main"


def synced(repository: Repository) -> Synced:
    """Sync in this process: the property below does it many times."""
    tree = Tree(str(repository.path))
    extra = (
        *(f"{one.key}={one.value}" for one in settings_for(str(forking.program()))),
        "user.name=t",
        "user.email=t@example.org",
    )
    try:
        return Sync(Git(str(repository.path), extra), tree, lambda: "").run()
    finally:
        tree.close()


def chosen(repository: Repository, name: str) -> None:
    """Settle a conflict as a person would who always takes their own."""
    path = repository.path / name
    kept, mine = [], True
    for line in path.read_text("utf-8").splitlines(keepends=True):
        if line.startswith("<<<<<<<"):
            mine = True
        elif line.startswith("======="):
            mine = False
        elif line.startswith(">>>>>>>"):
            mine = True
        elif mine:
            kept.append(line)
    path.write_text("".join(kept), "utf-8")


def settled(repository: Repository) -> Synced:
    try:
        return synced(repository)
    except GitConflictError as error:
        for name in str(error).removeprefix("both sides changed the same in ").split(", "):
            chosen(repository, name)
        return synced(repository)


WORDS = st.sampled_from(["tea", "绿茶", "我住在柏林。", "a cat", "厦门", "Tom"])
STEP = st.tuples(
    st.sampled_from([0, 1]),
    st.sampled_from(["add", "add", "edit", "delete", "curated", "log", "sync"]),
    st.integers(0, 9),
    WORDS,
)


class Side:
    """One person's clone, and what they did in it."""

    def __init__(self, repository: Repository, name: str) -> None:
        self.repository, self.name, self.count = repository, name, 0
        self.added: set[str] = set()
        self.deleted: set[str] = set()

    def step(self, what: str, number: int, words: str) -> None:
        getattr(self, what)(number, words)

    def add(self, number: int, words: str) -> None:
        self.count += 1
        one = {"id": f"{number}{self.name}{self.count}", "content": f"{words} {self.name}{self.count}"}
        self.added.add(one["id"])
        records = self.repository.records(ROLE)
        self.repository.put(ROLE, *sorted([*records, one], key=lambda record: str(record["id"])))

    def edit(self, number: int, words: str) -> None:
        records = self.repository.records(ROLE)
        if records:
            key = "content" if number % 2 else f"field{number}"
            records[number % len(records)][key] = words + self.name
            self.repository.put(ROLE, *records)

    def delete(self, number: int, words: str) -> None:
        records = self.repository.records(ROLE)
        if records:
            gone = records.pop(number % len(records))
            self.deleted.add(gone["id"])
            self.repository.put(ROLE, *records)

    def curated(self, number: int, words: str) -> None:
        self.count += 1
        path = self.repository.path / "MEMORY.md"
        path.write_text(path.read_text("utf-8").rstrip("\n") + f"\n- {words} {self.name}{self.count}\n", "utf-8")

    def log(self, number: int, words: str) -> None:
        self.count += 1
        path = self.repository.path / "archive/2026-11.jsonl"
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"w": self.name, "n": self.count}) + "\n")

    def sync(self, number: int, words: str) -> None:
        settled(self.repository)

    def files(self) -> dict[str, Any]:
        log = self.repository.path / "archive/2026-11.jsonl"
        return {
            "memories": self.repository.records(ROLE),
            "curated": (self.repository.path / "MEMORY.md").read_text("utf-8"),
            "log": sorted(log.read_text("utf-8").splitlines()) if log.exists() else [],
        }


@settings(max_examples=examples(6), suppress_health_check=list(HealthCheck), print_blob=True)
@given(steps=st.lists(STEP, min_size=4, max_size=14))
def test_two_clones_and_a_remote_converge_whatever_both_did(steps: list[tuple[int, str, int, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sides = [Side(one, name) for one, name in zip(clones(Path(folder)), "ab", strict=True)]
        for which, what, number, words in steps:
            sides[which].step(what, number, words)
        for _ in range(2):
            for side in sides:
                settled(side.repository)
        heads = {side.repository.git("rev-parse", "HEAD") for side in sides}
        assert len(heads) == 1
        first, second = (side.files() for side in sides)
        assert first == second
        standing = {one["id"] for one in first["memories"]}
        assert (sides[0].added | sides[1].added) - (sides[0].deleted | sides[1].deleted) <= standing
        assert len(first["memories"]) == len(standing)
        for side in sides:
            assert side.repository.git("status", "--porcelain").strip() == ""


@pytest.mark.slice
def test_five_who_sync_at_the_same_moment_all_get_through(tmp_path: Path) -> None:
    repositories = clones(tmp_path, 5)
    for number, one in enumerate(repositories):
        one.put(ROLE, {"id": f"{number}0", "content": f"memory {number}"}, *one.records(ROLE))
    told = [(tmp_path / f"told{number}").open("w+b") for number in range(5)]
    running = [
        forking.start("sync", "-w", str(one.path), env={**os.environ, **WHO}, stderr=err)
        for one, err in zip(repositories, told, strict=True)
    ]
    for process, err in zip(running, told, strict=True):
        with err:
            status = process.wait(110)
            err.seek(0)
            assert status == 0, err.read().decode()
    for one in repositories:
        one.sync()
    assert {len(one.records(ROLE)) for one in repositories} == {5}


def test_what_was_remembered_is_committed_with_words_that_say_what(tmp_path: Path, short_dir: Path) -> None:
    here, there = clones(tmp_path)
    daemon = Daemon(here, short_dir / "s")
    daemon.start()
    try:
        daemon.call("remember", role=ROLE, content="我喜欢绿茶。", source="user", explicit=True)
        daemon.call("remember", role=ROLE, content="My cat is called Tom.", source="user", explicit=True)
        done = json.loads(
            memd("sync", "-w", str(here.path), "--json", env=WHO | {"MEMD_SOCKET": str(daemon.socket)}).stdout
        )
    finally:
        daemon.stop()
    assert done["committed"] == ["memd: 2 new in main, declarative.md"]
    assert done["sent"] == 1
    message = here.git("log", "-1", "--format=%B")
    assert "roles/main/memory.json" in message
    assert "绿茶" not in message
    assert there.sync()["taken_in"] == 1
    assert len(there.records(ROLE)) == 2


def test_two_people_who_remember_while_they_sync_lose_nothing(tmp_path: Path, short_dir: Path) -> None:
    daemons = [Daemon(one, short_dir / f"s{at}") for at, one in enumerate(clones(tmp_path))]
    stored: list[list[str]] = [[], []]
    ended, most = threading.Event(), examples(150)

    def remember(which: int) -> None:
        with daemons[which].client() as client:
            corpus = Corpus(which + 1)
            while not ended.is_set() and len(stored[which]) < most:
                text = corpus.text()
                reply = client.call("remember", role=ROLE, content=text, source="user", explicit=True)
                stored[which] += [reply["id"]] if reply["stored"] else []

    for daemon in daemons:
        daemon.folder.settings(limits__scorings_per_day=100_000)
        daemon.start()
    working = [threading.Thread(target=remember, args=(which,)) for which in (0, 1)]
    try:
        for one in working:
            one.start()
        for _ in range(4):
            for daemon in daemons:
                memd("sync", "-w", str(daemon.folder.path), env=WHO | {"MEMD_SOCKET": str(daemon.socket)})
        ended.set()
        for one in working:
            one.join()
        for _ in range(2):
            for daemon in daemons:
                memd("sync", "-w", str(daemon.folder.path), env=WHO | {"MEMD_SOCKET": str(daemon.socket)})
        for daemon in daemons:
            standing = {one["id"] for one in daemon.folder.records(ROLE)}
            assert set(stored[0]) | set(stored[1]) <= standing
            until(partial(serves, daemon, standing), 10, "all are served")
    finally:
        ended.set()
        for daemon in daemons:
            daemon.stop()


def serves(daemon: Daemon, standing: set[str]) -> bool:
    return {one["id"] for one in daemon.call("memory.list", role=ROLE, limit=1000)["memories"]} == standing


def test_what_a_person_has_under_way_is_left_alone(tmp_path: Path) -> None:
    here, _ = clones(tmp_path)
    page = here.path / "page.md"
    page.write_text("A page.\n", "utf-8")
    (here.path / "staged.txt").write_text("staged\n", "utf-8")
    here.git("add", "staged.txt")
    here.put(ROLE, {"id": "1", "content": "x"})
    assert here.sync()["files"] == 1
    assert here.git("status", "--porcelain").splitlines() == ["A  staged.txt", "?? page.md"]
    assert here.sync("--all")["files"] == 2
    assert here.git("status", "--porcelain") == ""


def test_a_broken_memory_is_told_and_goes_nowhere_until_it_is_mended(tmp_path: Path) -> None:
    here, there = clones(tmp_path)
    here.put(ROLE, {"id": "1", "content": "x"})
    here.sync()
    file = here.path / "roles/main/memory.json"
    whole = file.read_text("utf-8")
    file.write_text(whole.replace('"semantic": [', '"semantic": [['), "utf-8")
    (here.path / "MEMORY.md").write_text("- two\n", "utf-8")
    told = here.sync()
    assert any("roles/main/memory.json is broken" in one for one in told["remarks"])
    assert told["files"] == 1
    there.sync()
    assert (there.path / "roles/main/memory.json").read_text("utf-8") == whole
    assert (there.path / "MEMORY.md").read_text("utf-8") == "- two\n"
    file.write_text(whole.replace('"x"', '"y"'), "utf-8")
    assert here.sync()["files"] == 1
    there.sync()
    assert '"y"' in (there.path / "roles/main/memory.json").read_text("utf-8")


def test_a_field_that_both_changed_waits_for_a_person_and_then_goes_on(tmp_path: Path) -> None:
    here, there = clones(tmp_path)
    here.put(ROLE, {"id": "1", "content": "Berlin"})
    here.sync()
    there.sync()
    here.put(ROLE, {"id": "1", "content": "Kiel"})
    here.sync()
    there.put(ROLE, {"id": "1", "content": "汉堡"})
    told = there.sync(check=False)
    assert told["status"] == 1
    assert "roles/main/memory.json" in told["error"]
    assert "<<<<<<<" in told["error"]
    again = there.sync(check=False)
    assert again["status"] == 1, "unsettled is unsettled"
    chosen(there, "roles/main/memory.json")
    assert "concluded" in " ".join(there.sync()["remarks"])
    here.sync()
    assert here.records(ROLE) == there.records(ROLE) == [{"id": "1", "content": "汉堡"}]


def _refuses(here: Repository, bare: Path) -> None:
    hook = bare / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho 'nobody pushes on Sundays' >&2\nexit 1\n", "utf-8")
    hook.chmod(0o755)


def _is_gone(here: Repository, bare: Path) -> None:
    bare.rename(bare.with_name("elsewhere"))


def _is_a_command(here: Repository, bare: Path) -> None:
    here.git("remote", "set-url", "origin", f"ext::sh -c touch% {bare.parent}/trap")


def _is_an_option(here: Repository, bare: Path) -> None:
    here.git("config", "branch.main.remote", f"--upload-pack=touch {bare.parent}/trap; git-upload-pack")


@pytest.mark.parametrize("trouble", [_refuses, _is_gone, _is_a_command, _is_an_option])
def test_a_remote_that_refuses_costs_nothing(tmp_path: Path, trouble: Callable[[Repository, Path], None]) -> None:
    here, _ = clones(tmp_path)
    trouble(here, tmp_path / "bare.git")
    here.put(ROLE, {"id": "1", "content": "x"})
    told = here.sync(check=False)
    assert told["status"] == 75
    assert "Try:" in told["error"]
    assert here.git("log", "-1", "--format=%s").startswith("memd: 1 new in main")
    assert here.git("status", "--porcelain") == ""
    assert not (tmp_path / "trap").exists()


def test_a_repository_in_the_middle_of_a_rebase_is_not_touched(tmp_path: Path) -> None:
    here, _ = clones(tmp_path)
    (here.path / "a.txt").write_text("1\n", "utf-8")
    here.commit("one")
    here.git("checkout", "-q", "-b", "side", "HEAD~1")
    (here.path / "a.txt").write_text("2\n", "utf-8")
    here.commit("two")
    assert here.status("rebase", "-q", "main") != 0
    before = here.git("status", "--porcelain")
    told = here.sync(check=False)
    assert told["status"] == 75
    assert "rebase" in told["error"]
    assert here.git("status", "--porcelain") == before


def test_a_workspace_in_a_folder_of_a_larger_repository_syncs_itself_only(tmp_path: Path) -> None:
    outer = Repository(tmp_path / "outer")
    outer.path.mkdir()
    outer.git("init", "-q")
    inner = Repository(outer.path / "记忆")
    memd("init", str(inner.path))
    outer.commit("begin")
    (outer.path / "code.py").write_text("x = 1\n", "utf-8")
    inner.put(ROLE, {"id": "1", "content": "x"})
    done = inner.sync()
    assert done["files"] == 1
    assert "no remote" in " ".join(done["remarks"])
    assert outer.git("status", "--porcelain") == "?? code.py\n"


def test_a_name_puts_no_line_and_no_command_into_the_message() -> None:
    told = words_of(["p\x1b]0;pwn\x07\nFAKE: line.bin", "饺子.bin"], lambda _: b"", lambda _: b"new")
    assert told == "memd: p?]0;pwn??FAKE: line.bin, 饺子.bin\n\np?]0;pwn??FAKE: line.bin\n饺子.bin\n"


def test_a_repository_without_a_commit_begins_with_one(tmp_path: Path) -> None:
    begun(tmp_path / "first").git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    fresh = Repository(tmp_path / "fresh")
    fresh.path.mkdir()
    fresh.git("init", "-q")
    memd("init", str(fresh.path))
    assert fresh.sync()["committed"]
    fresh.git("init", "-q", "--bare", str(tmp_path / "empty.git"))
    fresh.git("remote", "add", "origin", str(tmp_path / "empty.git"))
    assert fresh.sync()["sent"] == 1
    assert fresh.sync()["sent"] == 0


def conflict(tmp_path: Path) -> tuple[Repository, Repository]:
    """Two clones, the second of which syncs into a conflict about one field."""
    here, there = clones(tmp_path)
    here.put(ROLE, {"id": "1", "content": "Berlin"})
    here.sync()
    there.sync()
    here.put(ROLE, {"id": "1", "content": "Kiel"})
    here.sync()
    there.put(ROLE, {"id": "1", "content": "汉堡"})
    return here, there


def test_what_a_tag_is_called_sends_nothing_elsewhere(tmp_path: Path) -> None:
    here, _ = clones(tmp_path)
    here.git("tag", "main")
    here.put(ROLE, {"id": "1", "content": "x"})
    assert here.sync()["branch"] == "main"
    bare = Repository(tmp_path / "bare.git")
    assert bare.git("branch", "--format=%(refname)").split() == ["refs/heads/main"]
    assert bare.git("rev-parse", "refs/heads/main") == here.git("rev-parse", "HEAD")


@pytest.mark.parametrize(
    "setting", ["merge.ff=only", "branch.main.mergeOptions=--no-commit", "branch.main.mergeOptions=--squash"]
)
def test_a_persons_settings_of_merge_do_not_stop_a_sync(tmp_path: Path, setting: str) -> None:
    here, there = clones(tmp_path)
    there.git("config", *setting.split("=", 1))
    here.put(ROLE, {"id": "1", "content": "x"})
    here.sync()
    there.put(ROLE, {"id": "2", "content": "y"})
    assert there.sync()["taken_in"] == 1
    assert there.contents(ROLE) == ["x", "y"]


def test_a_file_that_was_removed_or_renamed_in_the_index_is_committed_so(tmp_path: Path) -> None:
    here, there = clones(tmp_path)
    here.put(ROLE, {"id": "1", "content": "x"})
    here.put("old", {"id": "2", "content": "y"})
    here.sync()
    here.git("mv", "roles/old", "roles/新的")
    here.git("rm", "-q", "roles/main/memory.json")
    here.sync()
    there.sync()
    assert here.git("status", "--porcelain") == ""
    assert not there.file(ROLE).exists()
    assert there.contents("新的") == ["y"]


def test_a_merge_is_concluded_where_nobody_told_git_their_name(tmp_path: Path) -> None:
    _, there = conflict(tmp_path)
    nameless = {key: "" for key in WHO if "AUTHOR" in key or "COMMITTER" in key}
    env = {**nameless, "GIT_CONFIG_NOSYSTEM": "1", "EMAIL": ""}
    for key in nameless:
        os.environ.pop(key, None)
    told = memd("sync", "-w", str(there.path), check=False, env={"GIT_CONFIG_NOSYSTEM": env["GIT_CONFIG_NOSYSTEM"]})
    assert told.returncode == 1, told.stderr
    chosen(there, "roles/main/memory.json")
    memd("sync", "-w", str(there.path), env={"GIT_CONFIG_NOSYSTEM": "1"})
    assert there.git("log", "-1", "--format=%an").strip() == "memd"


def test_what_nobody_chose_is_not_chosen_by_a_second_sync(tmp_path: Path) -> None:
    here, there = clones(tmp_path)
    for one in (here, there):
        (one.path / "notes").mkdir()
    (here.path / "notes/p.md").write_text("first\n", "utf-8")
    (here.path / "notes/b.bin").write_bytes(b"\0base")
    here.sync("--all")
    there.sync("--all")
    (here.path / "notes/p.md").write_text("changed\n", "utf-8")
    (here.path / "notes/b.bin").write_bytes(b"\0here")
    here.sync("--all")
    (there.path / "notes/p.md").unlink()
    (there.path / "notes/b.bin").write_bytes(b"\0there")
    assert there.sync("--all", check=False)["status"] == 1
    again = there.sync("--all", check=False)
    assert again["status"] == 1, "they have no markers, and nobody said what is to stand"
    assert "git add" in again["error"]
    (there.path / "notes/b.bin").write_bytes(b"\0here")
    there.git("add", "notes")
    assert "concluded" in " ".join(there.sync("--all")["remarks"])


def test_a_branch_that_follows_another_one_here_goes_to_origin(tmp_path: Path) -> None:
    here, _ = clones(tmp_path)
    here.git("checkout", "-q", "-b", "特性/one", "--track", "main")
    here.put(ROLE, {"id": "1", "content": "x"})
    assert here.sync()["sent"] >= 1
    assert "特性/one" in Repository(tmp_path / "bare.git").git("branch", "--format=%(refname)")


def test_a_lock_that_a_killed_git_left_is_named(tmp_path: Path) -> None:
    here, _ = clones(tmp_path)
    (here.path / ".git/index.lock").write_bytes(b"")
    os.utime(here.path / ".git/index.lock", (1, 1))
    here.put(ROLE, {"id": "1", "content": "x"})
    told = here.sync(check=False)
    assert told["status"] == 75
    assert "index.lock" in told["error"]
