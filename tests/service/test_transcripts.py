"""Sessions that hooks write stay out of git, unless somebody wants them there; and everybody is told where sessions would go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memd.service.care.transcripts import remotes_of, without_credentials
from memd.storage.files import Tree
from memd.store.keep.ignored import OF_HOOKS, is_of_hooks, keep_ignored, kept_up
from tests.flow.repositories import Repository, clones
from tests.support import ROOT, Folder, memd

OLD = ".memory/audit*.jsonl\n.memory/review.jsonl\n.memory/scores/\n.memory/wal.jsonl\n.memory/lock\n.memory/state/\n*.memd-tmp\n"
ADDED = ".memory/consolidations/\n" + "".join(f"{one}\n" for one in OF_HOOKS)
SECRET = "https://ana:" + "hunter2" + "@git.example.org/ana/memory.git?token=quetzal"
SHOWN = "https://git.example.org/ana/memory.git"


def keep(path: Path, *, version: bool = False) -> bool:
    tree = Tree(str(path))
    try:
        return keep_ignored(tree, version=version)
    finally:
        tree.close()


def test_the_template_has_every_line() -> None:
    text = (ROOT / "workspace-template/.gitignore").read_text("utf-8")
    assert kept_up(text, version=False) == text


def test_an_older_workspaces_gitignore_gets_what_it_lacks_once(workspace: Folder) -> None:
    (workspace.path / ".gitignore").write_text(f"# mine\nprivate/\n{OLD}", "utf-8")
    memd("remember", "main", "The bins go out on Thursday.", "--explicit", "-w", str(workspace.path))
    wanted = f"# mine\nprivate/\n{OLD}{ADDED}"
    assert (workspace.path / ".gitignore").read_text("utf-8") == wanted
    assert not keep(workspace.path)


@pytest.mark.parametrize(
    ("text", "version", "after"),
    [
        pytest.param("", False, "", id="there is none of memd's"),
        pytest.param("node_modules/\n", False, "node_modules/\n", id="a person's own"),
        pytest.param(OLD, True, f"{OLD}.memory/consolidations/\n", id="sessions are wanted in git"),
        pytest.param(OLD + ADDED, True, f"{OLD}.memory/consolidations/\n", id="sessions are wanted in git now"),
        pytest.param(f"{OLD}sessions/\n", False, f"{OLD}sessions/\n.memory/consolidations/\n", id="all sessions are ignored"),
        pytest.param(OLD.strip(), False, OLD + ADDED, id="no last line end"),
        pytest.param(
            f"{OLD}!{OF_HOOKS[0]}\n", False, f"{OLD}!{OF_HOOKS[0]}\n" + ADDED.replace(f"{OF_HOOKS[0]}\n", ""), id="a person wants one"
        ),
        pytest.param(OLD.replace("\n", "\r\n"), False, (OLD + ADDED).replace("\n", "\r\n"), id="lines end with CR LF"),
    ],
)  # fmt: skip
def test_what_becomes_of_a_gitignore(tmp_path: Path, text: str, version: bool, after: str) -> None:
    (tmp_path / ".gitignore").write_bytes(text.encode())
    keep(tmp_path, version=version)
    assert (tmp_path / ".gitignore").read_bytes().decode() == after


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("sessions/2026-03/claude-1234.jsonl", True),
        ("sessions/2026-03/gemini-1234.2.jsonl", True),
        ("sessions/2026-03/s20260301-1000-abcd.jsonl", False),
        ("sessions/claude-1234.jsonl", False),
        ("runs/2026-03/claude-1234.jsonl", False),
    ],
)
def test_sessions_of_hooks_are_known_by_their_names(name: str, is_one: bool) -> None:
    assert is_of_hooks(name) is is_one


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (SECRET, SHOWN),
        ("ssh://git:pw@host.example/x.git", "ssh://host.example/x.git"),
        ("git@github.com:ana/memory.git", "github.com:ana/memory.git"),
        ("/srv/git/memory.git", "/srv/git/memory.git"),
        ("C:/git/memory.git", "C:/git/memory.git"),
        ("https://tok\x1ben@ho\x07st.example/a\u202eb.git", "https://host.example/ab.git"),
        ("https://[bad@host/x", "https://…"),
    ],
)
def test_an_address_is_told_without_its_credentials(address: str, shown: str) -> None:
    assert without_credentials(address) == shown


def test_where_a_push_would_go_is_read_of_gits_settings() -> None:
    config = f'[remote "origin"]\n\turl = {SECRET}\n[remote "b"]\n\turl = https://read.example/x\n\tpushurl = git@push.example:x\n'
    assert remotes_of(config) == (SHOWN, "push.example:x")
    assert remotes_of("[core]\n\tbare = false\n") == ()


@pytest.fixture
def ours(tmp_path: Path) -> Repository:
    """A repository with a workspace, a bare one it is pushed to, and a session of each kind."""
    repository = clones(tmp_path, 1)[0]
    folder = repository.path / "sessions" / "2026-03"
    folder.mkdir(parents=True)
    for name in ("claude-1", "s1"):
        line = json.dumps({"kind": "message", "speaker": "user", "content": f"I am {name}."})
        (folder / f"{name}.jsonl").write_text(line + "\n", "utf-8")
    return repository


def tracked(repository: Repository) -> set[str]:
    return {one.rpartition("/")[2] for one in repository.git("ls-files", "sessions").split()}


def doctors(repository: Repository) -> dict[str, str]:
    rows = json.loads(memd("doctor", "--json", "-w", str(repository.path), check=False).stdout)["checks"]
    (row,) = (one for one in rows if one["name"] == "transcripts")
    return {str(key): str(value) for key, value in row.items()}


def checks(repository: Repository) -> dict[str, str]:
    found = json.loads(memd("check", "--json", "-w", str(repository.path), check=False).stdout)["findings"]
    return {one["code"]: one["message"] for one in found if one["code"].startswith("session.")}


def test_sync_leaves_sessions_of_hooks_here_and_tells_where_the_others_go(ours: Repository) -> None:
    told = memd("sync", "-w", str(ours.path)).stdout
    assert tracked(ours) == {"s1.jsonl"}
    assert "1 session would be pushed to " in told
    assert doctors(ours)["state"] == "ok"
    assert "session.pushed" in checks(ours)


def test_sync_sends_none_though_the_gitignore_is_a_persons_own(ours: Repository) -> None:
    (ours.path / ".gitignore").write_text("*.memd-tmp\n.memory/\n", "utf-8")
    memd("sync", "--all", "-w", str(ours.path))
    assert tracked(ours) == {"s1.jsonl"}
    assert "claude, codex, gemini, vscode" in checks(ours)["session.leaks"]
    assert doctors(ours)["state"] == "warn"


def test_sessions_are_sent_where_the_setting_is_granted_here(ours: Repository) -> None:
    folder = Folder(ours.path)
    folder.settings(sessions__version=True)
    memd("sync", "-w", str(ours.path))
    assert tracked(ours) == {"s1.jsonl"}
    folder.trust("sessions.version")
    told = memd("sync", "-w", str(ours.path)).stdout
    assert tracked(ours) == {"s1.jsonl", "claude-1.jsonl"}
    assert "2 sessions (1 written by agents' hooks) would be pushed to" in told
    assert "session.leaks" not in checks(ours)


def test_what_git_keeps_from_before_is_told_with_what_to_do(ours: Repository) -> None:
    ours.git("add", "-f", "sessions/2026-03/claude-1.jsonl")
    ours.git("commit", "-qm", "before")
    assert "git rm --cached" in checks(ours)["session.leaks"]
    assert doctors(ours)["state"] == "warn"
    assert "git rm --cached" in memd("sync", "-w", str(ours.path)).stdout


def test_no_credential_of_a_remote_is_shown(ours: Repository) -> None:
    ours.git("remote", "set-url", "origin", SECRET)
    for words in (("doctor",), ("check",)):
        ran = memd(*words, "-w", str(ours.path), check=False)
        assert "hunter2" not in ran.stdout + ran.stderr
        assert "quetzal" not in ran.stdout + ran.stderr
    assert SHOWN in doctors(ours)["seen"]


def test_nothing_goes_anywhere_without_a_remote(ours: Repository) -> None:
    ours.git("remote", "remove", "origin")
    assert "no remote" in doctors(ours)["seen"]
    assert not checks(ours).keys() & {"session.pushed", "session.leaks"}
