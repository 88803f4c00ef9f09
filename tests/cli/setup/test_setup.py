"""setup on a whole home: one command, once, for one project, in a workspace that is there, and all of it taken back."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memd.cli.setup import carrying_out
from memd.client import Client
from tests import forking
from tests.cli.screens import faults_of, on_screen
from tests.cli.setup.homes import CLAUDE, CODEX, GEMINI, Home
from tests.flow.test_service import programs  # noqa: F401  a fixture
from tests.support import Folder, memd, stride


@pytest.fixture
def lived_in(home: Home) -> Home:
    """Three agents with settings of their own, one that was never started, and one without a program."""
    home.install("claude", "codex", "gemini")
    home.put(".claude/settings.json", CLAUDE, 0o600)
    home.put(".claude.json", '{"numStartups": 3, "projects": {"/x": {}}}', 0o600)
    home.put(".codex/config.toml", CODEX)
    home.put(".gemini/settings.json", GEMINI)
    home.put(".config/opencode/opencode.json", '{\n  "$schema": "https://opencode.ai/config.json"\n}\n')
    return home


def git(home: Home, *words: str) -> str:
    return subprocess.run(["git", "-C", home.memory, *words], capture_output=True, text=True, check=True).stdout


def command(home: Home) -> list[str]:
    return ["mcp", "--workspace", str(home.memory)]


def test_one_command_gives_every_agent_a_memory(lived_in: Home) -> None:
    done = lived_in.setup("--yes")
    assert git(lived_in, "log", "--format=%s") == "A memory, as memd setup made it\n"
    assert git(lived_in, "status", "--short") == ""
    with Client.of_workspace(str(lived_in.memory)) as client:
        assert client.call("capture.level")["level"] == "auto"
    for name, other in (
        (".claude/settings.json", "notify-send 完成"),
        (".codex/hooks.json", ""),
        (".gemini/settings.json", "dark"),
    ):
        text = (lived_in.path / name).read_text("utf-8")
        assert f" --workspace {lived_in.memory}" in text
        assert other in text
    servers = json.loads((lived_in.path / ".claude.json").read_text())
    assert servers["mcpServers"]["memd"]["args"] == command(lived_in)
    assert servers["numStartups"] == 3
    assert tomllib.loads((lived_in.path / ".codex/config.toml").read_text())["mcp_servers"]["memd"]["args"] == command(
        lived_in
    )
    assert json.loads((lived_in.path / ".gemini/settings.json").read_text())["mcpServers"]["memd"]["args"] == command(
        lived_in
    )
    opencode = json.loads((lived_in.path / ".config/opencode/opencode.json").read_text())
    assert opencode["mcp"]["memd"]["command"][1:] == command(lived_in)
    assert not (lived_in.path / ".config/Code").exists()
    assert "start `claude`" in done.stdout.splitlines()[-1]
    assert "记住我是左撇子" in done.stdout.splitlines()[-1]


def test_the_plan_says_what_is_kept_and_where_and_that_nothing_leaves(home: Home) -> None:
    before = home.all()
    said = home.setup("--print").stdout
    assert "auto. Besides what a person asks for, every conversation is gone through" in said
    assert str(home.memory / "sessions") in said
    assert "no remote: nothing is pushed until one is added" in said
    assert "Stop it with `memd pause`" in said
    assert "Nothing was changed." in said
    assert home.all() == before


def test_a_second_run_changes_nothing_and_says_so(lived_in: Home) -> None:
    lived_in.setup("--yes")
    before = lived_in.all()
    again = lived_in.setup("--yes")
    assert "All of this is there already" in again.stdout
    assert "Nothing to change." in again.stdout
    daemons = (".cache", "memory/.memory")  # what the daemon writes by itself meanwhile
    assert [
        name for name, one in lived_in.all().items() if before.get(name) != one and not name.startswith(daemons)
    ] == []


def test_undo_gives_the_home_back_to_the_byte(lived_in: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = lived_in.programs.parent / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    before = lived_in.all()
    lived_in.setup("--yes")
    assert lived_in.all() != before
    lived_in.setup("--undo")
    assert lived_in.all() == before
    assert list(runtime.iterdir()) == []
    said = lived_in.setup("--undo").stdout
    assert "Nothing to take back" in said
    assert lived_in.all() == before


def test_it_is_taken_back_after_two_runs_as_after_one(lived_in: Home) -> None:
    before = lived_in.all()
    lived_in.setup("--yes", "--capture", "explicit")
    lived_in.install("code")
    lived_in.setup("--yes", "--capture", "inbox")
    assert "memd" in (lived_in.path / ".config/Code/User/mcp.json").read_text()
    lived_in.setup("--undo")
    assert lived_in.all() == before


def test_what_somebody_changed_since_stays_and_is_told(lived_in: Home) -> None:
    lived_in.setup("--yes")
    settings = lived_in.path / ".claude/settings.json"
    settings.write_text(settings.read_text("utf-8").replace("opus", "haiku"), "utf-8")
    config = lived_in.path / ".codex/config.toml"
    with config.open("a", newline="") as file:
        file.write('\n[projects."/later"]\ntrust_level = "untrusted"\n')
    hooks = lived_in.path / ".codex/hooks.json"
    hooks.write_text(hooks.read_text().replace("memd hook codex", "tee log | memd hook codex", 1))
    gemini = lived_in.path / ".gemini/settings.json"
    gemini.write_text("{ // mine now\n}")
    done = lived_in.setup("--undo", check=False)
    assert done.returncode == 1
    assert settings.read_text("utf-8") == CLAUDE.replace("opus", "haiku")
    assert "what else was changed since stays" in done.stdout
    left = tomllib.loads(config.read_text())
    assert "mcp_servers" not in left
    assert left["projects"]["/later"] == {"trust_level": "untrusted"}
    assert "tee log | memd hook codex" in hooks.read_text()
    assert gemini.read_text() == "{ // mine now\n}"
    for told in ("~/.codex/hooks.json: a hook there runs", "~/.gemini/settings.json: line 1, column 3"):
        assert told in done.stdout
    assert not lived_in.memory.exists()


def test_what_is_remembered_stays_when_the_rest_is_taken_back(lived_in: Home) -> None:
    before = lived_in.all()
    lived_in.setup("--yes")
    memd("remember", "main", "用户对花生过敏。", "--explicit", "-w", str(lived_in.memory))
    done = lived_in.setup("--undo", check=False)
    assert done.returncode == 1
    assert f"{lived_in.memory.name} is yours now" in done.stdout
    assert "花生" in (lived_in.memory / "roles/main/memory.json").read_text("utf-8")
    kept = {name: value for name, value in lived_in.all().items() if name.partition("/")[0] != "memory"}
    assert kept == before


def told_by_hook(home: Home, prompt: str, session: str, event: str = "UserPromptSubmit") -> str:
    given: dict[str, Any] = {"hook_event_name": event, "session_id": session, "cwd": str(home.path), "prompt": prompt}
    settings = json.loads((home.path / ".claude/settings.json").read_text("utf-8"))
    line = settings["hooks"][event][-1]["hooks"][-1]["command"]
    ran = subprocess.run(["sh", "-c", line], input=json.dumps(given), capture_output=True, text=True, check=True)
    return ran.stdout


@pytest.mark.parametrize(
    ("told", "asked", "known"),
    [
        ("Remember that I am allergic to penicillin.", "What am I allergic to?", "penicillin"),
        ("记住我对青霉素过敏。", "我对什么过敏？", "青霉素"),
    ],
)
def test_what_is_told_in_one_conversation_comes_to_mind_in_the_next(
    home: Home, told: str, asked: str, known: str
) -> None:
    home.install("claude")
    home.setup("--yes")
    told_by_hook(home, told, "one")
    assert known in json.loads(told_by_hook(home, asked, "two"))["hookSpecificOutput"]["additionalContext"]


def test_for_one_project_only_its_files_are_written(lived_in: Home) -> None:
    project = lived_in.path / "代码 shop"
    project.mkdir()
    before = lived_in.all()
    done = lived_in.setup("--yes", "--project", str(project)).stdout
    assert "start `claude` in ~/代码 shop" in done.splitlines()[-1]
    changed = {name for name, value in lived_in.all().items() if before.get(name) != value}
    theirs = {one for one in changed if one.startswith("代码 shop/") and (lived_in.path / one).is_file()}
    assert theirs == {
        f"代码 shop/{one}"
        for one in (
            ".claude/settings.json",
            ".mcp.json",
            ".codex/hooks.json",
            ".codex/config.toml",
            ".gemini/settings.json",
            "opencode.json",
        )
    }
    assert not {one for one in changed if one.startswith((".claude", ".codex", ".gemini", ".config"))}
    assert "Nothing to change." in lived_in.setup("--yes", "--project", str(project)).stdout
    lived_in.setup("--undo", "--project", str(project))
    assert list(project.iterdir()) == []
    assert lived_in.memory.exists()
    lived_in.setup("--undo")
    assert lived_in.all() == before


def test_a_project_needs_nothing_where_agents_know_it_everywhere(lived_in: Home) -> None:
    lived_in.setup("--yes")
    project = lived_in.path / "p"
    project.mkdir()
    said = lived_in.setup("--yes", "--project", str(project))
    assert "for all work already" in said.stdout
    assert list(project.iterdir()) == []


def test_a_workspace_that_is_there_is_used_as_it_is(lived_in: Home) -> None:
    folder = Folder.make(lived_in.path / "有 记忆")
    folder.settings(capture__level="explicit")
    before = lived_in.all()
    lived_in.setup("--yes", "-w", str(folder.path))
    assert memd("capture", "-w", str(folder.path)).stdout.startswith("capture: auto")
    assert not lived_in.memory.exists()
    assert not (folder.path / ".git").exists()
    lived_in.setup("--undo", "-w", str(folder.path))
    assert lived_in.all() == before


def test_what_was_set_up_is_meant_wherever_a_person_stands(lived_in: Home, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    none = memd("status", cwd=elsewhere, check=False)
    assert "no memd.toml" in none.stderr
    lived_in.setup("--yes")
    memd("remember", "main", "我对青霉素过敏。", "--explicit", cwd=elsewhere)
    assert "青霉素" in memd("list", "main", cwd=elsewhere).stdout
    own = Folder.make(elsewhere / "own")
    assert "青霉素" not in memd("list", "main", cwd=own.path).stdout, "the nearest comes first"
    lived_in.setup("--undo", check=False)  # what is remembered stays, and setup says so
    assert "no memd.toml" in memd("status", cwd=tmp_path, check=False).stderr


def test_a_level_that_somebody_chose_is_not_raised_again(home: Home) -> None:
    home.setup("--yes")
    memd("capture", "explicit", "-w", str(home.memory))
    assert "Nothing to change." in home.setup("--yes").stdout
    assert memd("capture", "-w", str(home.memory)).stdout.startswith("capture: explicit")


@pytest.mark.parametrize("level", ["off", "explicit", "inbox", "auto"])
def test_capture_is_what_is_asked_for(home: Home, level: str) -> None:
    home.setup("--yes", "--capture", level)
    assert memd("capture", "-w", str(home.memory)).stdout.startswith(f"capture: {level}\n")
    assert "Nothing to change." in home.setup("--yes").stdout


def test_without_a_terminal_it_asks_nobody_and_does_nothing(lived_in: Home) -> None:
    before = lived_in.all()
    for words in ((), ("--json",)):
        done = lived_in.setup(*words, check=False)
        assert done.returncode == 2
        assert "no terminal to ask on; add --yes" in done.stderr
        assert done.stdout == ""
    assert lived_in.all() == before


@pytest.mark.parametrize(("answer", "does"), [("y", True), ("n", False), ("", False)])
def test_on_a_terminal_it_asks_and_does_what_is_answered(home: Home, answer: str, does: bool) -> None:
    before = home.all()
    seen = on_screen(80, "setup", typed=f"{answer}\n")
    assert "Do this? [y/N]" in seen.raw
    assert seen.status == (0 if does else 1)
    assert (home.all() != before) == does
    assert home.memory.exists() == does


@pytest.mark.parametrize("columns", [140, 80, 60])
def test_its_screens_fit(lived_in: Home, columns: int) -> None:
    for words in (("setup", "--yes"), ("setup", "--yes"), ("setup", "--undo", "--print"), ("setup", "--undo")):
        seen = on_screen(columns, *words)
        whole = " ".join(one.strip() for one in seen.lines)
        assert [one for one in faults_of(seen, columns, whole) if "half a word" not in one] == []


def test_as_json_it_says_what_was_done(lived_in: Home) -> None:
    told = json.loads(lived_in.setup("--yes", "--json").stdout)
    assert (told["done"], told["changes"], told["capture"], told["failed"]) == (True, True, "auto", [])
    assert {one["agent"] for one in told["agents"]} == {"claude", "codex", "gemini", "opencode"}
    undone = json.loads(lived_in.setup("--undo", "--json").stdout)
    assert undone["left"] == []


@pytest.mark.usefixtures("programs")
def test_where_systemd_answers_it_has_units_and_undo_takes_them_out(home: Home) -> None:
    before = home.all()
    said = home.setup("--yes", check=False).stdout
    calls = Path(os.environ["CALLS"]).read_text("utf-8")
    assert "enable --now memd-" in calls
    assert (
        "agents' hooks start the daemon instead" in said
    )  # this systemd starts nothing, so what it was given is taken back
    assert not list(home.path.glob(".config/systemd/user/memd-*"))
    home.setup("--undo")
    assert home.all() == before


def test_systemd_keeps_the_daemon_up_where_it_does(home: Home, programs: Path) -> None:  # noqa: F811
    systemctl = programs.with_name("bin") / "systemctl"
    systemctl.write_text(
        systemctl.read_text() + f'case "$*" in *"enable --now"*) memd up --detach -w "{home.memory}";; esac\n'
    )
    systemctl.write_text(systemctl.read_text().replace('exit "${SYSTEMCTL_STATUS:-0}"\n', ""))
    before = home.all()
    done = home.setup("--yes")
    assert "done   daemon: systemd starts it" in done.stdout
    assert len(list(home.path.glob(".config/systemd/user/memd-*"))) == 2
    assert "Nothing to change." in home.setup("--yes").stdout
    home.setup("--undo")
    assert "disable --now" in programs.read_text()
    assert home.all() == before


def test_one_that_was_killed_in_the_middle_is_gone_on_with_or_taken_back(lived_in: Home) -> None:
    before = lived_in.all()
    for at in ("make_files", "raise_capture", "start_detached", "write_settings")[:: stride(1, 2)]:
        process = forking.start("setup", "--yes", cwd=lived_in.path.parent, before=(dies_at, {"at": at}))
        assert process.wait(60) == 9, at
        assert lived_in.all() != before
        lived_in.setup("--undo")
        assert lived_in.all() == before, at
        process = forking.start("setup", "--yes", cwd=lived_in.path.parent, before=(dies_at, {"at": at}))
        assert process.wait(60) == 9, at
        lived_in.setup("--yes")
        assert "Nothing to change." in lived_in.setup("--yes").stdout
        lived_in.setup("--undo")
        assert lived_in.all() == before, at


def dies_at(at: str) -> None:
    """In the process that memd runs in: end at once when setup comes to this."""

    def die(*_: object, **__: object) -> None:
        os._exit(9)

    vars(carrying_out)[at] = die
