"""git merges memories one by one: with the real git, in every way it merges."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import forking
from tests.flow.repositories import Repository, begun
from tests.support import Daemon, memd, until

GREEN = {"id": "20", "content": "我喜欢绿茶。", "keywords": ["茶"], "priority": 1, "updatedAt": "2026-01-01T00:00:00Z"}
HOME = {"id": "50", "content": "I live in Berlin.", "keywords": ["home"], "score": 7.5}
CAT = {"id": "80", "content": "The cat is called Tom."}
ROLE = "小美"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = begun(tmp_path / "memory")
    made.put(ROLE, GREEN, HOME, CAT)
    made.commit("three memories")
    return made


def branches(repository: Repository, ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> None:
    """Leave the repository on `main` with ours, and theirs on the branch `other`."""
    repository.git("checkout", "-q", "-b", "other")
    repository.put(ROLE, *theirs)
    repository.commit("theirs")
    repository.git("checkout", "-q", "main")
    repository.put(ROLE, *ours)
    repository.commit("ours")


NEW_A, NEW_B = {"id": "30", "content": "Ours is new."}, {"id": "31", "content": "他们的新记忆。"}

CLEAN = [
    pytest.param([GREEN, NEW_A, HOME, CAT], [GREEN, NEW_B, HOME, CAT], [GREEN, NEW_A, NEW_B, HOME, CAT], id="both added"),
    pytest.param(
        [{**GREEN, "priority": 9, "updatedAt": "2026-02-01T00:00:00Z"}, HOME, CAT],
        [{**GREEN, "content": "我喜欢红茶。", "updatedAt": "2026-03-01T00:00:00Z"}, HOME, CAT],
        [{**GREEN, "content": "我喜欢红茶。", "priority": 9, "updatedAt": "2026-03-01T00:00:00Z"}, HOME, CAT],
        id="both changed different fields",
    ),
    pytest.param(
        [{**GREEN, "keywords": ["茶", "绿"]}, HOME, CAT],
        [{**GREEN, "keywords": ["tea", "茶"]}, HOME, CAT],
        [{**GREEN, "keywords": ["茶", "绿", "tea"]}, HOME, CAT],
        id="both added a keyword",
    ),
    pytest.param([GREEN, CAT], [GREEN, {**HOME, "content": "I live in Kiel."}, CAT],
                 [GREEN, {**HOME, "content": "I live in Kiel."}, CAT], id="we deleted what they changed"),
    pytest.param([GREEN, {**HOME, "content": "I live in Kiel."}, CAT], [GREEN, CAT],
                 [GREEN, {**HOME, "content": "I live in Kiel."}, CAT], id="they deleted what we changed"),
    pytest.param([GREEN, CAT], [GREEN, HOME, CAT, {"id": "99", "content": "z"}],
                 [GREEN, CAT, {"id": "99", "content": "z"}], id="we deleted what they left alone"),
    pytest.param([GREEN, HOME], [HOME, CAT], [HOME], id="each deleted one"),
    pytest.param([{**GREEN, "priority": 9}, HOME, CAT], [CAT, HOME, GREEN], [CAT, HOME, {**GREEN, "priority": 9}],
                 id="they put them in another order"),
    pytest.param([{**HOME, "supersededBy": "30"}, {"id": "30", "content": "I live in Kiel."}],
                 [{**HOME, "supersededBy": "31"}, {"id": "31", "content": "I live in Bonn."}],
                 [{**HOME, "supersededBy": "31"}, {"id": "30", "content": "I live in Kiel."}, {"id": "31", "content": "I live in Bonn."}],
                 id="both took its place"),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs", "merged"), CLEAN)
def test_two_branches_merge_without_a_conflict(
    repository: Repository, ours: list[dict[str, Any]], theirs: list[dict[str, Any]], merged: list[dict[str, Any]]
) -> None:
    if merged[0]["id"] == "50" and len(merged) == 3:
        repository.put(ROLE, HOME)
        repository.commit("one only")
    branches(repository, ours, theirs)
    repository.git("merge", "-q", "other")
    assert repository.records(ROLE) == merged


@pytest.mark.parametrize("way", ["merge", "rebase", "cherry-pick", "stash"])
def test_every_way_git_merges_uses_the_driver(repository: Repository, way: str) -> None:
    branches(repository, [GREEN, NEW_A, HOME, CAT], [GREEN, NEW_B, HOME, {**CAT, "priority": 3}])
    if way == "stash":
        repository.git("checkout", "-q", "other")
        repository.git("reset", "-q", "--soft", "HEAD~1")
        repository.git("stash", "-q")
        repository.git("checkout", "-q", "main")
        repository.git("stash", "pop", "-q")
    else:
        repository.git(way, "other")
    assert [one["id"] for one in repository.records(ROLE)] == ["20", "30", "31", "50", "80"]
    assert repository.records(ROLE)[-1]["priority"] == 3


def test_what_both_changed_stands_between_markers_and_either_choice_is_a_whole_file(repository: Repository) -> None:
    branches(
        repository,
        [GREEN, {**HOME, "content": "I live in Kiel."}, NEW_A | {"id": "60"}, CAT],
        [{**GREEN, "priority": 5}, {**HOME, "content": "我住在汉堡。"}, CAT],
    )
    assert repository.status("merge", "-q", "other") == 1
    text = repository.file(ROLE).read_text("utf-8")
    section = text[text.index("<<<<<<<") : text.index(">>>>>>>")]
    assert section == '<<<<<<< ours\n      "content": "I live in Kiel.",\n=======\n      "content": "我住在汉堡。",\n'
    for side, content in ((0, "I live in Kiel."), (1, "我住在汉堡。")):
        chosen, keep = [], True
        for line in text.splitlines():
            if line.startswith(("<<<<<<<", "=======", ">>>>>>>")):
                keep = {"<": side == 0, "=": side == 1, ">": True}[line[0]]
            elif keep:
                chosen.append(line)
        records = json.loads("\n".join(chosen))["semantic"]
        assert [one["id"] for one in records] == ["20", "50", "60", "80"]
        assert records[0]["priority"] == 5
        assert records[1]["content"] == content


def test_a_field_that_one_side_took_out_and_the_other_changed_is_asked_about(repository: Repository) -> None:
    branches(repository, [GREEN, {"id": "50", "content": "I live in Berlin.", "keywords": ["home"]}, CAT],
             [GREEN, {**HOME, "score": 9.0}, CAT])  # fmt: skip
    assert repository.status("merge", "-q", "other") == 1
    text = repository.file(ROLE).read_text("utf-8")
    assert '<<<<<<< ours\n=======\n      "score": 9.0,\n>>>>>>> theirs\n' in text
    lines = [line for line in text.splitlines() if not line.startswith(("<<<<<<<", "=======", ">>>>>>>"))]
    assert json.loads("\n".join(lines))
    assert json.loads("\n".join(line for line in lines if '"score": 9.0' not in line))


def test_with_diff3_the_base_stands_between_both(repository: Repository) -> None:
    repository.git("config", "merge.conflictStyle", "diff3")
    branches(repository, [{**CAT, "content": "Tom."}], [{**CAT, "content": "汤姆。"}])
    assert repository.status("merge", "-q", "other") == 1
    assert '||||||| base\n      "content": "The cat is called Tom."\n=======\n' in repository.file(ROLE).read_text(
        "utf-8"
    )


def test_curated_files_merge_entry_by_entry(repository: Repository) -> None:
    page = repository.path / "MEMORY.md"
    page.write_text("# Memory\n\n- one\n- two\n- three\n", "utf-8")
    repository.commit("three entries")
    repository.git("checkout", "-q", "-b", "other")
    page.write_text("# Memory\n\n- one\n- 二\n- three\n- theirs\n", "utf-8")
    repository.commit("theirs")
    repository.git("checkout", "-q", "main")
    page.write_text("# Memory\n\n- eins\n- two\n- three\n- ours\n", "utf-8")
    repository.commit("ours")
    repository.git("merge", "-q", "other")
    assert page.read_text("utf-8") == "# Memory\n\n- eins\n- 二\n- three\n- theirs\n- ours\n"
    repository.git("checkout", "-q", "-b", "third", "HEAD")
    page.write_text(page.read_text("utf-8").replace("三", "3").replace("- three", "- drei"), "utf-8")
    repository.commit("drei")
    repository.git("checkout", "-q", "main")
    page.write_text(page.read_text("utf-8").replace("- three", "- trois"), "utf-8")
    repository.commit("trois")
    assert repository.status("merge", "-q", "third") == 1
    assert "<<<<<<< ours\n- trois\n=======\n- drei\n>>>>>>> theirs\n" in page.read_text("utf-8")


def test_logs_of_two_branches_are_joined(repository: Repository) -> None:
    log = repository.path / "archive/2026-11.jsonl"
    log.parent.mkdir()
    log.write_text('{"n":1}\n', "utf-8")
    repository.commit("log")
    repository.git("checkout", "-q", "-b", "other")
    log.write_text('{"n":1}\n{"n":2,"w":"theirs"}\n', "utf-8")
    repository.commit("theirs")
    repository.git("checkout", "-q", "main")
    log.write_text('{"n":1}\n{"n":2,"w":"ours"}\n', "utf-8")
    repository.commit("ours")
    repository.git("merge", "-q", "other")
    assert sorted(log.read_text("utf-8").splitlines()) == ['{"n":1}', '{"n":2,"w":"ours"}', '{"n":2,"w":"theirs"}']


@pytest.mark.parametrize(
    ("name", "text", "erased"),
    [
        ("archive/2026-11.jsonl", '{"n":1}\n{"n":2,"text":"a secret"}\n{"n":3}\n', '{"n":2,"text":"a secret"}\n'),
        (".memory/declarative.md", "# 2026-11\n\n- 我的密码提示\n\n- Tea at four.\n", "- 我的密码提示\n\n"),
    ],
)
@pytest.mark.parametrize("by", ["ours", "theirs"])
def test_what_one_branch_erased_of_a_log_does_not_come_back_from_the_other(
    repository: Repository, name: str, text: str, erased: str, by: str
) -> None:
    log = repository.path / name
    log.parent.mkdir(exist_ok=True)
    log.write_text(text, "utf-8")
    repository.commit("log")
    repository.git("checkout", "-q", "-b", "other")
    log.write_text((text if by == "ours" else text.replace(erased, "")) + "theirs\n", "utf-8")
    repository.commit("theirs")
    repository.git("checkout", "-q", "main")
    log.write_text((text.replace(erased, "") if by == "ours" else text) + "ours\n", "utf-8")
    repository.commit("ours")
    repository.git("merge", "-q", "other")
    assert [one for one in log.read_text("utf-8").splitlines() if one] == [
        *(one for one in text.replace(erased, "").splitlines() if one), "ours", "theirs"
    ]  # fmt: skip


def test_where_memd_is_gone_logs_are_joined_by_git_itself(repository: Repository, tmp_path: Path) -> None:
    command = repository.git("config", "merge.union.driver").strip()
    there = command.split(")", 1)[1].split()[0]
    repository.git("config", "merge.union.driver", command.replace(there, str(tmp_path / "gone/memd")))
    test_logs_of_two_branches_are_joined(repository)


def test_somebodys_own_way_to_join_lines_stays(tmp_path: Path) -> None:
    folder = begun(tmp_path / "memory", install=False)
    folder.git("config", "merge.union.driver", "true")
    told = json.loads(memd("git", "install", "-w", str(folder.path), "--json").stdout)
    assert "merge.union.driver" not in told["changed"]
    assert any("merge.union" in one for one in told["remarks"])
    memd("git", "uninstall", "-w", str(folder.path))
    assert folder.git("config", "merge.union.driver").strip() == "true"


def test_a_driver_whose_program_is_gone_leaves_markers_not_one_side(repository: Repository, tmp_path: Path) -> None:
    for key in ("merge.memd.driver", "merge.memd-curated.driver"):
        command = repository.git("config", key).strip()
        there = command.split(")", 1)[1].split()[0]
        repository.git("config", key, command.replace(there, str(tmp_path / "gone/memd")))
    branches(repository, [GREEN, {**HOME, "content": "ours"}, CAT], [GREEN, {**HOME, "content": "theirs"}, CAT])
    assert repository.status("merge", "-q", "other") == 1
    text = repository.file(ROLE).read_text("utf-8")
    assert "<<<<<<< ours" in text
    assert '"content": "ours"' in text
    assert '"content": "theirs"' in text


@pytest.mark.parametrize("broken", ["ours", "theirs"])
def test_a_file_that_is_broken_on_one_side_is_merged_by_lines(repository: Repository, broken: str) -> None:
    branches(repository, [GREEN, HOME, CAT, NEW_A], [NEW_B, GREEN, HOME, CAT])
    repository.git("checkout", "-q", "main" if broken == "ours" else "other")
    text = repository.file(ROLE).read_text("utf-8").replace('"traits": []', '"traits": [')
    repository.file(ROLE).write_text(text, "utf-8")
    repository.commit("broken")
    repository.git("checkout", "-q", "main")
    repository.status("merge", "-q", "other")
    text = repository.file(ROLE).read_text("utf-8")
    assert "他们的新记忆。" in text
    assert "Ours is new." in text


def test_a_role_that_both_branches_made_has_the_memories_of_both(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "other")
    repository.put("new", NEW_B)
    repository.commit("theirs")
    repository.git("checkout", "-q", "main")
    repository.put("new", NEW_A)
    repository.commit("ours")
    repository.git("merge", "-q", "other")
    assert [one["id"] for one in repository.records("new")] == ["30", "31"]


def test_memd_serves_the_last_good_state_while_a_conflict_stands(repository: Repository, short_dir: Path) -> None:
    daemon = Daemon(repository, short_dir / "s")
    daemon.start()
    try:
        branches(
            repository,
            [GREEN, {**HOME, "content": "I live in Kiel."}, CAT],
            [GREEN, {**HOME, "content": "我住在汉堡。"}, CAT],
        )
        assert repository.status("merge", "-q", "other") == 1
        until(lambda: "file.conflict_marker" in str(daemon.call("status")["rejected"]), 10, "the conflict is told")
        assert "绿茶" in daemon.call("trigger", role=ROLE, message="茶")["content"]
        stored = daemon.call("remember", role=ROLE, content="My sister is called Anna.", source="user", explicit=True)
        assert stored["stored"]
        text = repository.file(ROLE).read_text("utf-8")
        kept = [line for line in text.splitlines() if not line.startswith(("<<<<<<<", "=======", ">>>>>>>"))]
        repository.file(ROLE).write_text("\n".join(line for line in kept if "Kiel" not in line) + "\n", "utf-8")
        repository.commit("settled")
        until(
            lambda: "My sister is called Anna." in repository.contents(ROLE), 10, "what was remembered is in the file"
        )
        assert "我住在汉堡。" in repository.contents(ROLE)
    finally:
        daemon.stop()


def test_installing_twice_changes_nothing_and_uninstalling_leaves_no_trace(tmp_path: Path) -> None:
    repository = begun(tmp_path / "memory", install=False)
    before = (repository.path / ".git/config").read_text("utf-8")
    first = json.loads(memd("git", "install", "--hook", "-w", str(repository.path), "--json").stdout)
    assert "merge.memd.driver" in first["changed"]
    assert "hooks/pre-commit" in first["changed"]
    again = json.loads(memd("git", "install", "--hook", "-w", str(repository.path), "--json").stdout)
    assert again["changed"] == []
    memd("git", "uninstall", "-w", str(repository.path))
    assert (repository.path / ".git/config").read_text("utf-8") == before
    assert not (repository.path / ".git/hooks/pre-commit").exists()


def test_a_hook_of_somebody_else_stays_and_the_line_to_add_is_told(tmp_path: Path) -> None:
    repository = begun(tmp_path / "memory", install=False)
    hook = repository.path / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 0\n", "utf-8")
    told = memd("git", "install", "--hook", "-w", str(repository.path)).stdout
    assert "git pre-commit" in told
    assert hook.read_text("utf-8") == "#!/bin/sh\nexit 0\n"
    repository.git("config", "core.hooksPath", "shared-hooks")
    hook.unlink()
    assert "shared-hooks" in memd("git", "install", "--hook", "-w", str(repository.path)).stdout
    assert not hook.exists()


def test_the_hook_lets_no_conflict_marker_into_a_commit(tmp_path: Path) -> None:
    repository = begun(tmp_path / "memory")
    memd("git", "install", "--hook", "-w", str(repository.path), called=str(forking.program()))
    repository.put(ROLE, GREEN)
    repository.commit("good")
    repository.file(ROLE).write_text("{\n<<<<<<< ours\n=======\n>>>>>>> theirs\n}\n", "utf-8")
    repository.git("add", "-A")
    assert repository.status("commit", "-q", "-m", "bad") == 1


def test_the_hook_tells_of_warnings_and_lets_the_commit_be_made(tmp_path: Path) -> None:
    repository = begun(tmp_path / "memory")
    memd("git", "install", "--hook", "-w", str(repository.path), called=str(forking.program()))
    repository.put(ROLE, {**GREEN, "supersedes": ["7d9a4a3e-6f1c-4c0e-9d0e-000000000000"]})
    warned = memd("check", "-w", str(repository.path), check=False)
    assert "memory.lost_link" in warned.stdout
    assert warned.returncode == 1
    repository.git("add", "-A")
    assert repository.status("commit", "-q", "-m", "a link to what is gone") == 0


def test_git_diff_shows_memories_as_text(repository: Repository) -> None:
    repository.put(ROLE, GREEN, {**HOME, "content": "我住在基尔。"}, CAT)
    shown = repository.git("diff")
    assert "-  I live in Berlin." in shown
    assert "+  我住在基尔。" in shown
    assert '"content"' not in shown


def test_a_workspace_that_is_no_repository_is_told_so(workspace: Any) -> None:
    ran = memd("git", "install", "-w", str(workspace.path), check=False)
    assert ran.returncode == 65
    assert "git init" in ran.stderr


def test_a_repository_cannot_make_memd_run_its_programs(tmp_path: Path) -> None:
    repository = begun(tmp_path / "memory")
    trap = tmp_path / "trap"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {trap}\n", "utf-8")
    program.chmod(0o755)
    repository.git("config", "core.fsmonitor", str(program))
    hooks = repository.path / ".git/hooks"
    shutil.copy(program, hooks / "post-commit")
    repository.put(ROLE, GREEN)
    subprocess.run(["git", "status"], cwd=repository.path, capture_output=True, check=False)
    assert trap.exists(), "the trap works"
    trap.unlink()
    repository.sync()
    assert not trap.exists()


def test_merges_that_cross_each_other_bring_nothing_back_and_invent_no_conflict(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "b")
    repository.put(ROLE, GREEN, HOME, {**CAT, "priority": 1})
    second = repository.commit("b1")
    repository.git("checkout", "-q", "main")
    repository.put(ROLE, GREEN, {**HOME, "content": "I live in Kiel."}, CAT)
    first = repository.commit("a1")
    repository.git("merge", "-q", second)
    repository.git("checkout", "-q", "b")
    repository.git("merge", "-q", first)
    repository.git("checkout", "-q", "main")
    repository.put(ROLE, {**HOME, "content": "我住在汉堡。"}, {**CAT, "priority": 1})
    repository.commit("a3: one forgotten, one changed again")
    repository.git("checkout", "-q", "b")
    repository.put(ROLE, *repository.records(ROLE), NEW_B | {"id": "90"})
    repository.commit("b3")
    repository.git("merge", "-q", "main")
    assert [one["id"] for one in repository.records(ROLE)] == ["50", "80", "90"]
    assert repository.contents(ROLE)[0] == "我住在汉堡。"


def hooked(tmp_path: Path) -> Repository:
    repository = begun(tmp_path / "memory")
    memd("git", "install", "--hook", "-w", str(repository.path))
    repository.put(ROLE, GREEN)
    repository.commit("good")
    return repository


def test_the_hook_looks_at_what_is_committed_and_not_at_what_lies_there(tmp_path: Path) -> None:
    repository = hooked(tmp_path)
    good = repository.file(ROLE).read_text("utf-8")
    repository.file(ROLE).write_text("{\n<<<<<<< ours\n}\n", "utf-8")
    assert repository.status("commit", "-q", "-a", "-m", "everything") == 1
    repository.git("add", "-A")
    repository.file(ROLE).write_text(good, "utf-8")
    assert repository.status("commit", "-q", "-m", "staged") == 1
    repository.git("reset", "-q")
    repository.put(ROLE, GREEN, HOME)
    repository.git("add", "-A")
    repository.file(ROLE).write_text("{ not finished", "utf-8")
    assert repository.status("commit", "-q", "-m", "good") == 0


def test_the_hook_lets_no_key_into_a_commit(tmp_path: Path) -> None:
    repository = hooked(tmp_path)
    (repository.path / "page.md").write_text("AKIA" + "IOSFODNN7EXAMPLQ is the key\n", "utf-8")
    repository.git("add", "-A")
    assert repository.status("commit", "-q", "-m", "key") == 1


def test_a_hook_in_a_larger_repository_hinders_nobody(tmp_path: Path) -> None:
    outer = Repository(tmp_path / "outer")
    outer.path.mkdir()
    outer.git("init", "-q")
    memd("init", str(outer.path / "我的 记忆"))
    memd("git", "install", "--hook", "-w", str(outer.path / "我的 记忆"))
    outer.commit("everything")
    (outer.path / "code.py").write_text("x = 1\n", "utf-8")
    outer.commit("code only")
    broken = outer.path / "我的 记忆/roles/main/memory.json"
    broken.write_text("{", "utf-8")
    outer.git("add", "-A")
    assert outer.status("commit", "-q", "-m", "broken") == 1
    hook = outer.path / ".git/hooks/pre-commit"
    hook.write_text(hook.read_text("utf-8").replace(str(Path(sys.executable).parent), str(tmp_path / "gone")), "utf-8")
    assert outer.status("commit", "-q", "-m", "memd is gone") == 0
