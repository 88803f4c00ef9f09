"""A real agent with memd's hooks, at work in an empty project: its own binary, the daemon, and a stand-in for the model alone.

The binaries are in MEMD_AGENTS, or in .agents (`make agents` puts them there). Where they are not, the tests skip.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memd.client import socket_of
from memd.errors import DaemonMissingError
from tests.agents.standins import Anthropic, Gemini, OpenAI, Standin
from tests.support import ROOT, Daemon, Folder, memd

AGENTS = Path(os.environ.get("MEMD_AGENTS", "") or ROOT / ".agents").absolute()
BINARIES = {
    "claude": AGENTS / "python/claude_agent_sdk/_bundled/claude",
    "codex": AGENTS / "node_modules/.bin/codex",
    "gemini": AGENTS / "node_modules/.bin/gemini",
}
MODELS: dict[str, type[Standin]] = {"claude": Anthropic, "codex": OpenAI, "gemini": Gemini}
IN_NODE = {"NODE_COMPILE_CACHE": str(AGENTS / "compiled")}  # half of what its start takes a processor
SETTINGS = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json"}


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
            self.env |= IN_NODE | {
                "GOOGLE_GEMINI_BASE_URL": self.model.url, "GEMINI_API_KEY": "none",
                "GEMINI_CLI_NO_RELAUNCH": "true",  # it would start a second time, with more memory
            }  # fmt: skip
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


def answers(real: Real) -> bool:
    """Tell whether the daemon that a hook started is there already: on a slow machine that takes seconds."""
    try:
        return bool(real.daemon.call("ping")["pong"])
    except DaemonMissingError:
        return False


@contextmanager
def at_work(name: str, folder: Folder, place: Path) -> Iterator[Real]:
    """Let an agent work in `place` with its hooks installed; the folder's daemon does not run yet.

    A daemon that its hooks start has the model that comes with memd, as for anybody.
    """
    if not BINARIES[name].exists():
        pytest.skip(f"no {name} in {AGENTS}: `make agents`")
    project = place / "project"
    project.mkdir(exist_ok=True)
    daemon = Daemon(folder, Path(socket_of(str(folder.path.resolve()))))
    model = MODELS[name]()
    path = f"{AGENTS / 'node_modules/.bin'}:{os.environ.get('PATH', os.defpath)}"
    places = ("HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    kept = {key: os.environ[key] for key in places}
    one = Real(name, daemon, Path(os.environ["HOME"]), project, model, {**kept, "PATH": path})
    one.install()
    one.settle()
    try:
        yield one
    finally:
        model.close()
        daemon.stop()
