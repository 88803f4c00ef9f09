"""Real agents with memd's hooks, from end to end: the agent's own binary, the daemon, and a stand-in for the model alone.

The binaries are in MEMD_AGENTS, or in .agents (`make agents` puts them there). Where they are not, these tests skip.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memd.client import socket_of
from memd.storage.itself import own_line
from tests.agents.standins import Anthropic, Call, Gemini, OpenAI, Standin
from tests.support import ROOT, Daemon, Folder, memd, until

pytestmark = pytest.mark.agents

AGENTS = Path(os.environ.get("MEMD_AGENTS", "") or ROOT / ".agents").absolute()
BINARIES = {
    "claude": AGENTS / "python/claude_agent_sdk/_bundled/claude",
    "codex": AGENTS / "node_modules/.bin/codex",
    "gemini": AGENTS / "node_modules/.bin/gemini",
}
MODELS: dict[str, type[Standin]] = {"claude": Anthropic, "codex": OpenAI, "gemini": Gemini}
SETTINGS = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json"}
SHELL = {"claude": ("Bash", "command"), "codex": ("exec_command", "cmd"), "gemini": ("run_shell_command", "command")}
KEY = "The deploy key of the shop lives in the blue safe."
PEANUT = "用户对花生过敏，聚餐要避开花生。"
NODE = "The build needs Node 22."
BRIEF = "用户喜欢简洁的回答。"


@dataclass
class Real:
    """One agent, installed in a home of its own, at work in an empty project."""

    name: str
    daemon: Daemon
    home: Path
    project: Path
    model: Standin
    env: dict[str, str] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        return self.daemon.folder.path

    def install(self) -> None:
        memd("hook", "install", self.name, "-w", str(self.workspace), cwd=self.project)

    def install_by_hand_too(self, trace: Path) -> None:
        """The same hooks in the project's settings: both scopes run, as an installer that asks nobody would leave it."""
        printed = memd(
            "hook", "install", self.name, "-w", str(self.workspace), "--scope", "project", "--print", cwd=self.project
        )
        file = self.project / SETTINGS[self.name]
        file.parent.mkdir()
        file.write_text(printed.stdout.replace('"command": "', f'"command": "echo ran >> {trace}; '))

    def settle(self) -> None:
        """What the agent needs beside the hooks to talk to the stand-in, and to no one else."""
        if self.name == "claude":
            self.env |= {
                "ANTHROPIC_BASE_URL": self.model.url, "ANTHROPIC_API_KEY": "none", "DISABLE_TELEMETRY": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            }  # fmt: skip
        elif self.name == "codex":
            (self.home / ".codex/config.toml").write_text(
                'model = "gpt-5"\nmodel_provider = "standin"\n[model_providers.standin]\nname = "standin"\n'
                f'base_url = "{self.model.url}/v1"\nwire_api = "responses"\n'
                f'[projects."{self.project}"]\ntrust_level = "trusted"\n'
            )
        else:
            self.env |= {"GOOGLE_GEMINI_BASE_URL": self.model.url, "GEMINI_API_KEY": "none"}
            file = self.home / SETTINGS["gemini"]
            more = {
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "privacy": {"usageStatisticsEnabled": False},
            }
            file.write_text(json.dumps({**json.loads(file.read_text()), **more}))
            (file.parent / "trustedFolders.json").write_text(json.dumps({str(self.project): "TRUST_FOLDER"}))

    def run(self, prompt: str, *, more: bool = False) -> str:
        """Give the agent a prompt, `more` in the conversation it had, and return what it prints."""
        words = {
            "claude": [*(["--continue"] if more else []), "-p", prompt],
            "codex": ["exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check",
                      *(["resume", "--last"] if more else []), prompt],
            "gemini": ["--model", "gemini-2.5-flash", "--approval-mode", "yolo",
                       *(["--resume", "latest"] if more else []), "-p", prompt],
        }  # fmt: skip
        ended = subprocess.run(
            [str(BINARIES[self.name]), *words[self.name]],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr[-2000:]
        return ended.stdout

    def spoken(self) -> list[tuple[str, str]]:
        """What the agent's session has of both sides."""
        found = self.daemon.call("session.search")["sessions"]
        if not found:
            return []
        assert len(found) == 1
        assert found[0]["session"].startswith(f"{self.name}-")
        events = self.daemon.call("session.history", session=found[0]["session"])["messages"]
        return [(one["speaker"], one["content"]) for one in events]


@pytest.fixture(params=MODELS)
def real(request: pytest.FixtureRequest, workspace: Folder, tmp_path: Path) -> Iterator[Real]:
    name = request.param
    if not BINARIES[name].exists():
        pytest.skip(f"no {name} in {AGENTS}: `make agents`")
    workspace.write("main", KEY, PEANUT)
    (workspace.path / "MEMORY.md").write_text(f"# Memory\n\n- {NODE}\n", "utf-8")
    (workspace.path / "USER.md").write_text(f"- {BRIEF}\n", "utf-8")
    project = tmp_path / "project"
    project.mkdir()
    daemon = Daemon(workspace, Path(socket_of(str(workspace.path.resolve()))))
    daemon.start()
    model = MODELS[name]()
    path = f"{AGENTS / 'node_modules/.bin'}:{os.environ.get('PATH', os.defpath)}"
    kept = {key: os.environ[key] for key in ("HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME")}
    one = Real(name, daemon, tmp_path / "home", project, model, {**kept, "PATH": path})
    one.install()
    one.settle()
    yield one
    model.close()
    daemon.stop()


def test_the_model_is_shown_the_memory_and_may_not_write_it_by_hand(real: Real) -> None:
    tool, argument = SHELL[real.name]
    command = f"echo '- no meat' >> {real.workspace}/MEMORY.md"
    real.model.script.extend([Call(tool, {argument: command}), "In the blue safe."])
    assert "In the blue safe." in real.run("Where is the deploy key of the shop?")
    first, second = real.model.seen(0), real.model.seen(1)
    for told in (NODE, BRIEF, KEY):
        assert told in first
    assert PEANUT not in first
    assert "which is memory. Memory is written through memd." in second
    assert f"{own_line()} remember main 'no meat' --source agent" in second
    assert (real.workspace / "MEMORY.md").read_text() == f"# Memory\n\n- {NODE}\n"
    both = [("user", "Where is the deploy key of the shop?"), ("assistant", "In the blue safe.")]
    until(lambda: real.spoken() == both, 5, "both sides are in the session")


def test_hooks_in_both_scopes_inject_once_and_keep_it_once(real: Real, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    real.install_by_hand_too(trace)
    real.model.script.append("不能点，您对花生过敏。")
    assert "您对花生过敏" in real.run("今晚聚餐，花生能点吗？")
    assert trace.read_text().count("ran") >= 3  # a start, a prompt and a stop, in the project's scope as well
    shown = real.model.seen(0)
    assert [shown.count(told) for told in (NODE, BRIEF, PEANUT)] == [1, 1, 1]
    assert KEY not in shown
    both = [("user", "今晚聚餐，花生能点吗？"), ("assistant", "不能点，您对花生过敏。")]
    until(lambda: real.spoken() == both, 5, "both sides are in the session")


def test_a_conversation_that_goes_on_is_one_session_and_keeps_its_memory(real: Real) -> None:
    said: list[tuple[str, str]] = []
    for number, prompt in enumerate(("Where is the deploy key of the shop?", "The deploy key of the shop, once more?")):
        real.model.script.append("Safe.")
        real.run(prompt, more=bool(number))
        shown = real.model.seen()
        assert NODE in shown
        assert shown.count(KEY) == 1  # told anew only where the agent does not show it again by itself
        said += [("user", prompt), ("assistant", "Safe.")]
        until(lambda: real.spoken() == said, 5, "both sides are in the session")  # noqa: B023  looked at here and now


def test_after_a_compaction_the_window_has_its_memory_again(real: Real) -> None:
    if real.name != "claude":
        pytest.skip("only Claude Code compacts without a terminal")
    real.run("Where is the deploy key of the shop?")
    real.run("/compact", more=True)
    real.run("Where is that deploy key of the shop?", more=True)
    shown = real.model.seen()
    assert [shown.count(told) for told in (NODE, BRIEF, KEY)] == [1, 1, 1]
    kinds = real.daemon.call("session.get", session=real.daemon.call("session.search")["sessions"][0]["session"])[
        "kinds"
    ]
    assert kinds["note"] == 1


def test_where_no_daemon_runs_the_agent_answers_all_the_same(real: Real) -> None:
    real.daemon.stop()
    real.model.script.append("I do not know.")
    assert "I do not know." in real.run("Where is the deploy key of the shop?")
    assert KEY not in real.model.seen(0)
    assert NODE not in real.model.seen(0)


def test_where_no_daemon_runs_a_session_starts_one(real: Real) -> None:
    real.daemon.stop()
    real.env["XDG_STATE_HOME"] = os.environ["XDG_STATE_HOME"]
    real.model.script.append("In the blue safe.")
    try:
        assert "In the blue safe." in real.run("Where is the deploy key of the shop?")
        assert NODE in real.model.seen(0)
        assert KEY in real.model.seen(0)
    finally:
        memd("down", "-w", str(real.workspace), check=False)


def test_a_plain_call_of_memds_own_passes_under_default_permissions_and_another_does_not(real: Real) -> None:
    if real.name != "claude":
        pytest.skip("without a terminal only Claude Code refuses what nobody may approve")
    tool, key = SHELL[real.name]
    real.env["MEMD_WORKSPACE"] = str(real.workspace.resolve())
    plain = f"{own_line()} search 'blue safe'"
    for line, passes in ((plain, True), (f"{plain} && echo done", False)):
        at = len(real.model.asked)
        real.model.script += [Call(tool, {key: line}), "Done."]
        real.run("Look it up.")
        result = real.model.seen(at + 1).rpartition('"tool_result"')[2]
        assert ("lives in the" in result) == passes, result[:500]
