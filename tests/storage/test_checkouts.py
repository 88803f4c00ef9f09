"""What a directory says of whose memory it gets, where a stranger made it: real repositories, and everything that could lie in them."""

from __future__ import annotations

import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from memd.model.projects import is_project, project_of
from memd.storage.checkouts import CONFIG_BYTES, look_at, mark_of

PRIVATE = "github.com/me/private"


def repository(path: Path, origin: str = "") -> Path:
    path.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    if origin:
        subprocess.run(["git", "-C", str(path), "remote", "add", "origin", origin], check=True)
    return path


def commit(path: Path) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", str(path), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(path), *who, "commit", "-q", "-m", "x", "--allow-empty"], check=True)


@pytest.mark.parametrize(
    ("origin", "project"),
    [
        ("https://github.com/Acme/Web.git", "github.com/acme/web"),
        ("git@github.com:acme/web.git", "github.com/acme/web"),
        ("ssh://git@github.com:22/acme/web/", "github.com/acme/web"),
        ("https://me:token@host.example:8443/group/sub/tool.git", "host.example:8443/group/sub/tool"),
        ("git@host.example:dotfiles", "host.example/dotfiles"),
        ("https://gitee.com/深圳/网页.git", "gitee.com/深圳/网页"),
        ("/srv/git/web.git", ""),
        ("../web", ""),
        ("file:///srv/git/web.git", ""),
        ("C:/git/web", ""),
        ("https://localhost/a/b", ""),
        ("git@127.0.0.1:a/b", ""),
        ("ext::sh -c whoami", ""),
        ("https://github.com/../me/private", ""),
        ("https://github.com/acme/../me/private", ""),
        ("https://github.com/acme/%2e%2e/private", ""),
        ("https://github.com/acme/we\x1b[31mb", ""),
        ("https://github.com/acme/web\u202e", ""),
        ("https://github.com/" + "a/" * 30 + "b", ""),
        ("https://github.com/" + "a" * 10_000, ""),
        ("", ""),
    ],
)
def test_a_project_is_the_plain_address_of_another_host(origin: str, project: str) -> None:
    assert project_of(origin) == project
    assert is_project(project) == bool(project)


def test_a_clone_a_worktree_and_a_submodule_have_the_project_of_their_origin(tmp_path: Path) -> None:
    web = repository(tmp_path / "web", "git@github.com:acme/web.git")
    (web / "src" / "深").mkdir(parents=True)
    commit(web)
    subprocess.run(["git", "-C", str(web), "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    library = repository(tmp_path / "library")
    commit(library)
    add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "library"]
    subprocess.run(["git", "-C", str(web), *add], check=True)
    below = ["git", "-C", str(web / "library"), "remote", "set-url", "origin", "https://github.com/acme/library"]
    subprocess.run(below, check=True)
    assert look_at(str(web / "src" / "深")).project == "github.com/acme/web"
    assert look_at(str(tmp_path / "tree")).project == "github.com/acme/web"
    assert look_at(str(web / "library")).project == "github.com/acme/library"


def test_without_an_origin_on_another_host_there_is_no_project(tmp_path: Path) -> None:
    assert look_at(str(tmp_path / "nowhere")).why == "there is no such directory"
    (tmp_path / "plain").mkdir()
    assert look_at(str(tmp_path / "plain")).why == "it lies in no git repository"
    bare = repository(tmp_path / "bare")
    assert "has no origin" in look_at(str(bare)).why
    local = repository(tmp_path / "local", str(bare))
    assert look_at(str(local)).project == ""


def test_what_a_stranger_packed_as_a_repository_does_not_become_another_s(tmp_path: Path) -> None:
    """An archive may bring a `.git` of any form: a link or a file that leads into the person's own repository, an include, a device."""
    private = repository(tmp_path / "private", "git@github.com:me/private.git")
    commit(private)
    subprocess.run(["git", "-C", str(private), "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    hostile = tmp_path / "hostile"
    for name in ("link", "file", "relative", "worktree", "config", "include", "pipe", "huge", "steps"):
        (hostile / name).mkdir(parents=True)
    (hostile / "link" / ".git").symlink_to(private / ".git")
    (hostile / "file" / ".git").write_text(f"gitdir: {private}/.git\n")
    (hostile / "relative" / ".git").write_text("gitdir: ../../private/.git\n")
    (hostile / "worktree" / ".git").write_text(f"gitdir: {private}/.git/worktrees/tree\n")
    (hostile / "config" / ".git").mkdir()
    (hostile / "config" / ".git" / "config").symlink_to(private / ".git" / "config")
    (hostile / "include" / ".git").mkdir()
    (hostile / "include" / ".git" / "config").write_text(f"[include]\n\tpath = {private}/.git/config\n")
    (hostile / "pipe" / ".git").mkdir()
    os.mkfifo(hostile / "pipe" / ".git" / "config")
    (hostile / "huge" / ".git").mkdir()
    origin = '[remote "origin"]\n\turl = git@github.com:me/private.git\n'
    (hostile / "huge" / ".git" / "config").write_text(origin + "#" * CONFIG_BYTES)
    (hostile / "steps" / ".git").mkdir()
    (hostile / "steps" / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = https://github.com/x/../me/private\n'
    )
    assert look_at(str(private)).project == look_at(str(tmp_path / "tree")).project == PRIVATE
    assert {one.name: look_at(str(one)).project for one in hostile.iterdir()} == dict.fromkeys(
        (one.name for one in hostile.iterdir()), ""
    )
    with tarfile.open(tmp_path / "x.tar", "w") as packed:
        packed.add(hostile / "file", "unpacked")
    with tarfile.open(tmp_path / "x.tar") as packed:
        packed.extraction_filter = getattr(tarfile, "tar_filter", None)  # from 3.11.4 on
        packed.extractall(tmp_path)
    assert look_at(str(tmp_path / "unpacked")).project == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_what_another_user_put_there_counts_for_nothing(tmp_path: Path) -> None:
    theirs = repository(tmp_path / "shared" / "web", "git@github.com:me/private.git")
    (tmp_path / "shared" / ".memd-role").write_text("nora\n")
    inner = tmp_path / "shared" / "mine"
    inner.mkdir()
    assert look_at(str(theirs)).project == PRIVATE
    assert look_at(str(inner)).named == "nora"
    os.chown(tmp_path / "shared" / ".memd-role", 12345, 12345)
    os.chown(theirs / ".git", 12345, 12345)
    assert look_at(str(theirs)).project == ""
    assert look_at(str(inner)).named == ""
    assert "another user" in look_at(str(inner)).named_why
    os.chown(theirs / ".git", 0, 0)
    os.chown(theirs / ".git" / "config", 12345, 12345)
    assert look_at(str(theirs)).project == ""


@pytest.mark.parametrize(
    "text",
    [
        "/home/me/memory", "../nora", "..", "no/ra", "nora\nmain", "nora\x1b[2J", "nora\x00", "\u202earon", "", "  ", "n" * 65, "@github.com/me/private",
        "roles/nora", "n:ora", "\\\\host\\share", "x" * 10_000_000,
    ],
)  # fmt: skip
def test_a_role_file_that_is_no_plain_name_counts_for_nothing(tmp_path: Path, text: str) -> None:
    web = repository(tmp_path / "web", "git@github.com:acme/web.git")
    (web / ".memd-role").write_text(text)
    found = look_at(str(web))
    assert (found.named, found.mark) == ("", "")
    assert found.named_why
    assert found.named_why.isprintable()
    assert found.project == "github.com/acme/web"


def test_a_role_file_that_leads_elsewhere_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("nora")
    for name, make in (
        ("link", lambda at: at.symlink_to(tmp_path / "secret")),
        ("loop", lambda at: at.symlink_to(at)),
        ("folder", lambda at: at.mkdir()),
        ("pipe", os.mkfifo),
        ("bytes", lambda at: at.write_bytes(b"\xff\xfenora")),
    ):
        web = repository(tmp_path / name)
        make(web / ".memd-role")
        assert look_at(str(web)).named == "", name


def test_a_role_file_is_known_by_its_place_and_what_it_says_and_the_repository_s_top_is_the_highest(
    tmp_path: Path,
) -> None:
    (tmp_path / ".memd-role").write_text("nora\n")
    web = repository(tmp_path / "web")
    (web / "src").mkdir()
    assert look_at(str(web / "src")).named == ""
    assert look_at(str(tmp_path)).named == "nora"
    (web / ".memd-role").write_text("阿远")
    found = look_at(str(web / "src"))
    assert (found.named, found.mark) == ("阿远", mark_of(os.path.realpath(web), "阿远"))
    assert found.mark != mark_of(os.path.realpath(web), "main")
    assert found.mark != mark_of(os.path.realpath(tmp_path), "阿远")


def test_what_lies_in_the_workspace_is_the_workspace_s_and_a_path_with_strange_signs_is_told_plainly(
    tmp_path: Path,
) -> None:
    memory = repository(tmp_path / "memory", "git@github.com:me/memory.git")
    inner = repository(memory / "vendor" / "web", "git@github.com:acme/web.git")
    (inner / "memd.toml").write_text("")
    assert look_at(str(memory), str(memory)).project == look_at(str(inner), str(memory)).project == ""
    strange = repository(tmp_path / "a\x1b[31mb\nc")
    assert look_at(str(strange)).why.isprintable()
