"""Whose memory a directory gets: one answer for hooks, MCP and the command line, over a real daemon and real repositories."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from memd.model.projects import MARK
from tests import forking
from tests.flow.test_hooks import Agent
from tests.storage.test_checkouts import commit, repository
from tests.support import Daemon, Folder, memd, until

pytestmark = pytest.mark.demo

WEB = "github.com/acme/web"
OVEN = "The master oven key is under the third tile."
RELEASE = "Remember that we release the shop every Thursday at 14:00."
PEANUT = "Remember that I am allergic to peanuts."
TEST_ZH = "记住：这个项目的测试数据库在 5433 端口。"
SELF_ZH = "记住：我住在成都，是一名护士。"


class There(Agent):
    """An agent that works in a directory."""

    def __init__(self, daemon: Daemon, where: Path, session: str = "5f0c2a9b-1111") -> None:
        super().__init__(daemon, session=session)
        self.where = where

    def hook(self, event: str, **payload: Any) -> dict[str, Any]:
        return super().hook(event, **{"cwd": str(self.where), **payload})

    def says(self, prompt: str, key: str, reply: str = "Noted.") -> str:
        told = self.context("UserPromptSubmit", prompt=prompt, prompt_id=key)
        self.context("Stop", last_assistant_message=reply, prompt_id=key)
        return told


@pytest.fixture
def web(tmp_path: Path) -> Path:
    made = repository(tmp_path / "src" / "web", "git@github.com:acme/web.git")
    (made / "lib").mkdir()
    return made


@pytest.fixture
def nora(workspace: Folder, daemon: Daemon) -> Folder:
    workspace.write("main", "The oven needs an hour.")
    workspace.write("nora", OVEN)
    return workspace


def texts(folder: Folder, role: str) -> list[str]:
    file = folder.file(role)
    return folder.contents(role) if file.is_file() else []


def of(folder: Folder, where: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(memd("role", "of", str(where), "--json", "-w", str(folder.path)).stdout)
    return found


def through_mcp(folder: Folder, where: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    async def ask() -> dict[str, Any]:
        words = ["mcp", "--no-start", "-w", str(folder.path)]
        server = StdioServerParameters(command=str(forking.program()), args=words, cwd=str(where), env=dict(os.environ))
        async with Client(stdio_client(server)) as client:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result.content
            return dict(result.structured_content or {})

    return asyncio.run(ask())


def test_a_project_gets_a_memory_with_its_first_kept_fact_and_what_one_says_of_oneself_is_the_person_s(
    workspace: Folder, daemon: Daemon, web: Path
) -> None:
    agent = There(daemon, web / "lib")
    assert of(workspace, web)["role"] == "main"
    agent.says("Remember that.", "p0")
    agent.says(PEANUT, "p1")
    assert not workspace.file("acme-web").exists()
    told = agent.says(RELEASE, "p2")
    assert "acme-web" in told
    agent.says(TEST_ZH, "p3")
    told = agent.says(SELF_ZH, "p4")
    assert "kept" in told, told
    until(lambda: len(texts(workspace, "acme-web")) == 2, 10, "the project's memories are in its file")
    until(lambda: len(texts(workspace, "main")) == 2, 10, "the person's are in theirs")
    assert {"allergic" in one or "成都" in one for one in texts(workspace, "main")} == {True}
    profile = (workspace.path / "roles" / "acme-web" / "role.toml").read_text("utf-8")
    assert f'project = "{WEB}"' in profile
    assert 'role = "main"' in profile
    here = of(workspace, web / "lib")
    assert (here["role"], here["address"], here["person"], here["made"]) == ("acme-web", MARK + WEB, "main", True)


def test_the_project_s_memory_and_the_person_s_come_to_mind_in_it_and_the_project_s_nowhere_else(
    workspace: Folder, daemon: Daemon, web: Path, tmp_path: Path
) -> None:
    there = There(daemon, web)
    there.says(RELEASE, "p1")
    there.says(PEANUT, "p2")
    other = There(daemon, repository(tmp_path / "other", "git@github.com:acme/other.git"), "other-1")
    outside = There(daemon, tmp_path, "outside-1")
    again = There(daemon, web, "again-1")
    assert "Thursday" in again.says("When do we release the shop?", "q1")
    assert "peanuts" in again.says("May I eat peanuts? Am I allergic?", "q2")
    for agent in (other, outside):
        assert "Thursday" not in agent.says("When do we release the shop?", "q1")
        assert "peanuts" in agent.says("May I eat peanuts? Am I allergic?", "q2")


def test_how_a_person_wants_to_be_answered_holds_in_their_projects_as_well(
    workspace: Folder, daemon: Daemon, web: Path
) -> None:
    there = There(daemon, web)
    there.says(RELEASE, "p1")
    there.says("Remember: from now on, always answer in French.", "p2")
    there.says("记住：以后提交信息都用英文写。", "p3")
    until(lambda: len(texts(workspace, "main")) == 1, 10, "the manner of answers is the person's")
    again = There(daemon, web, "again-1").says("Why does the flux capacitor test time out?", "q1")
    assert "French" in again
    assert "Thursday" not in again


def test_hooks_mcp_and_the_command_line_have_one_answer(workspace: Folder, daemon: Daemon, web: Path) -> None:
    place = ["-w", str(workspace.path)]
    kept = json.loads(
        memd(
            "remember",
            "@",
            "We deploy the shop with blue-green releases every Monday.",
            "--explicit",
            "--json",
            *place,
            cwd=web,
        ).stdout
    )
    assert (kept["stored"], kept["role"]) == (True, "acme-web")
    known = through_mcp(workspace, web / "lib", "memory_trigger", message="How do we deploy the shop?")
    assert "blue-green" in json.dumps(known)
    own = through_mcp(workspace, web, "memory_remember", content="I am allergic to latex gloves.", explicit=True)
    assert own["role"] == "main"
    seen = memd("trigger", f"@{web}", "How do we deploy the shop?", *place).stdout
    assert "blue-green" in seen
    told = There(daemon, web, "hook-1").says("How do we deploy the shop?", "p1")
    assert "blue-green" in told
    steps = memd("role", "of", str(web), *place).stdout
    assert "acme-web" in steps
    assert WEB in steps


def test_forget_that_finds_what_was_kept_in_either_memory(workspace: Folder, daemon: Daemon, web: Path) -> None:
    agent = There(daemon, web)
    agent.says(PEANUT, "p1")
    assert "forgot" in agent.says("Forget that.", "p2")
    agent.says(RELEASE, "p3")
    assert "forgot" in agent.says("忘掉刚才那条。", "p4") + agent.says("Forget that.", "p5")
    until(lambda: texts(workspace, "main") == texts(workspace, "acme-web") == [], 10, "both are in the archive")


def test_a_session_of_a_project_is_consolidated_into_both(workspace: Folder, daemon: Daemon, web: Path) -> None:
    agent = There(daemon, web)
    agent.says("I am allergic to shellfish, so no prawns for me.", "p1", "OK.")
    agent.says("Our staging database listens on port 5544, and the whole team must use it.", "p2", "OK.")
    until(lambda: len(daemon.call("session.search")["sessions"]) == 1, 10, "the session is written")
    daemon.call("consolidate.run")
    until(lambda: any("shellfish" in one for one in texts(workspace, "main")), 10, "what one says of oneself is kept")
    roles = {one["name"] for one in daemon.call("role.list")["roles"]}
    assert not any("5544" in one for one in texts(workspace, "main"))
    assert "acme-web" in roles


def test_nothing_that_is_refused_makes_a_role(workspace: Folder, daemon: Daemon, web: Path) -> None:
    kept = daemon.call("remember", role=MARK + WEB, content="ok")
    assert not kept["stored"]
    assert not workspace.file("acme-web").exists()


def test_a_hostile_clone_reaches_nobody_else_s_memory(nora: Folder, daemon: Daemon, tmp_path: Path) -> None:
    """Cloned by git from a stranger: a `.memd-role` of another's, a memd.toml that sends projects and asks for roles, a workspace inside."""
    evil = repository(tmp_path / "evil", "")
    settings = f'[hooks]\nrole = "nora"\n\n[scopes]\nsend = "github.com = {nora.path}"\n'
    (evil / "memd.toml").write_text(settings)
    (evil / ".memd-role").write_text("nora\n")
    (evil / "roles" / "nora").mkdir(parents=True)
    (evil / "roles" / "nora" / "memory.json").symlink_to(nora.file("nora"))
    (evil / "inner").mkdir()
    (evil / "inner" / "memd.toml").write_text(settings)
    (evil / "inner" / "roles").symlink_to(nora.path / "roles")
    commit(evil)
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(evil), str(clone)], check=True)
    for where in (clone, clone / "inner"):
        found = of(nora, where)
        assert (found["role"], found["elsewhere"]) == ("main", "")
        assert any("does not trust" in one for one in found["steps"])
        told = There(daemon, where, f"evil-{where.name}").says("Where is the master oven key? Which tile?", "p1")
        assert "third tile" not in told
        assert "third tile" not in json.dumps(
            through_mcp(nora, where, "memory_trigger", message="Where is the master oven key?")
        )
    for inner in (clone, clone / "inner"):  # as a workspace of its own it has what lies in it, and no link leads out
        for role in ("nora", "main"):
            seen = memd("trigger", role, "Where is the master oven key?", "-w", str(inner), cwd=inner, check=False)
            assert "third tile" not in seen.stdout


def test_a_role_file_counts_where_this_machine_trusts_it_until_it_is_changed_or_moved(
    nora: Folder, daemon: Daemon, web: Path, tmp_path: Path
) -> None:
    place = ["-w", str(nora.path)]
    (web / ".memd-role").write_text("nora\n")
    memd("role", "trust", str(web), *place)
    until(lambda: of(nora, web / "lib")["role"] == "nora", 10, "the daemon follows")
    assert "third tile" in There(daemon, web, "t-1").says("Where is the master oven key? Which tile?", "p1")
    os.rename(web, tmp_path / "moved")
    assert of(nora, tmp_path / "moved")["role"] == "main"
    os.rename(tmp_path / "moved", web)
    (web / ".memd-role").write_text("main\n")
    assert any("does not trust" in one for one in of(nora, web)["steps"])
    (web / ".memd-role").write_text("nora\n")
    memd("role", "trust", str(web), "--revoke", *place)
    until(lambda: of(nora, web)["role"] == "main", 10, "it counts no longer")
    (web / ".memd-role").write_text("nobody\n")
    memd("role", "trust", str(web), *place)
    until(lambda: any("no such role" in one for one in of(nora, web)["steps"]), 10, "a role that is not there is told")


@pytest.fixture
def team(tmp_path: Path, short_dir: Path) -> Iterator[Daemon]:
    one = Daemon(Folder.make(tmp_path / "team", demo=False), short_dir / "t.sock")
    yield one
    one.stop()


def test_a_project_may_live_in_another_workspace_where_this_machine_granted_it_and_the_person_s_own_stays_home(
    workspace: Folder, daemon: Daemon, web: Path, team: Daemon
) -> None:
    toml = workspace.path / "memd.toml"
    toml.write_text(f'[scopes]\nsend = "github.com/acme = {team.folder.path}"\n')
    until(lambda: any("not granted" in one for one in of(workspace, web)["steps"]), 10, "a request alone sends nothing")
    assert of(workspace, web)["elsewhere"] == ""
    workspace.trust("scopes.send")
    until(lambda: of(workspace, web)["elsewhere"] == str(team.folder.path), 10, "what is granted sends it there")
    team.start()
    agent = There(daemon, web)
    agent.says(PEANUT, "p1")
    told = agent.says(RELEASE, "p2")
    assert "acme-web" in told
    until(lambda: texts(team.folder, "acme-web") != [], 10, "the team's workspace has it")
    assert texts(workspace, "acme-web") == []
    assert "peanuts" in " ".join(texts(workspace, "main"))
    assert "peanuts" not in "".join(one.read_text("utf-8", "replace") for one in team.folder.path.rglob("memory.json"))
    place = ["-w", str(workspace.path)]
    assert "Thursday" in memd("trigger", "@", "When do we release the shop?", *place, cwd=web).stdout
    memd("remember", "@", "I am allergic to latex gloves.", "--explicit", *place, cwd=web)
    until(lambda: "latex" in " ".join(texts(workspace, "main")), 10, "it is the person's")
    assert "latex" not in " ".join(texts(team.folder, "main"))


def test_projects_can_be_switched_off(workspace: Folder, daemon: Daemon, web: Path) -> None:
    There(daemon, web).says(RELEASE, "p1")
    (workspace.path / "memd.toml").write_text("[scopes]\nprojects = false\n")
    until(lambda: of(workspace, web)["role"] == "main", 10, "the setting is in force")
    assert "off" in " ".join(of(workspace, web)["steps"])
