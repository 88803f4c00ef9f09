"""memd's plugins, installed by the agents' own programs: a conversation has its memory, setup finds them, the person is told.

The binaries are in MEMD_AGENTS, or in .agents (`make agents` puts them there). Where they are not, these tests skip.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.agents.real import BINARIES
from tests.agents.standins import Call
from tests.agents.test_setup_with_agents import TOLD, Owner, owner  # noqa: F401  a fixture
from tests.cli.setup.conftest import home  # noqa: F401  a fixture
from tests.support import ROOT

pytestmark = pytest.mark.agents

INSTALLS = {
    "claude": (("plugin", "marketplace", "add", "{checkout}"), ("plugin", "install", "memd@memd")),
    "codex": (("plugin", "marketplace", "add", "{checkout}"), ("plugin", "add", "memd@memd")),
    "gemini": (("extensions", "install", "{checkout}/contrib/plugins/gemini", "--consent", "--skip-settings"),),
}
REMOVES = {
    "claude": ("plugin", "uninstall", "memd@memd"),
    "codex": ("plugin", "remove", "memd@memd"),
    "gemini": ("extensions", "uninstall", "memd"),
}
OFFERING = {"gemini": ("--approval-mode", "yolo")}  # without a terminal to ask on it offers no tool else
TOOL = {"claude": "mcp__plugin_memd_memd__memory_search", "codex": "memory_search", "gemini": "mcp_memd_memory_search"}


def runs(one: Owner, *words: str, check: bool = True) -> str:
    """Run the agent's program, and return what it prints."""
    env = {"HOME": str(one.home.path), "PATH": f"{one.home.programs}:/usr/bin:/bin", **one.env}
    kept = {name: os.environ[name] for name in ("XDG_RUNTIME_DIR", "MEMD_EMBEDDINGS") if name in os.environ}
    ended = subprocess.run(
        [one.home.programs / one.agent, *words], cwd=one.home.path / "work", env={**kept, **env},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert not check or ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What of the repository an agent is given."""
    for name in (".claude-plugin", "contrib/plugins"):
        shutil.copytree(ROOT / name, tmp_path / "checkout" / name)
    return tmp_path / "checkout"


def install(one: Owner, checkout: Path) -> None:
    if one.agent == "gemini":
        trusted = {str(place): "TRUST_FOLDER" for place in (one.home.path / "work", checkout)}
        one.home.put(".gemini/trustedFolders.json", json.dumps(trusted))
    for words in INSTALLS[one.agent]:
        runs(one, *(word.format(checkout=checkout) for word in words))


@pytest.mark.parametrize("language", TOLD)
def test_by_the_plugin_a_fact_told_in_one_conversation_is_there_in_the_next(
    owner: Owner,  # noqa: F811  the fixture
    checkout: Path,
    language: str,
) -> None:
    told, asked, known = TOLD[language]
    install(owner, checkout)
    plan = json.loads(owner.home.setup("--yes", "--json").stdout)
    [agent] = plan["agents"]
    assert agent["files"] == []
    assert agent["there"] == ["hooks and tools by its plugin memd"]
    owner.says(told)
    owner.says(asked, *OFFERING.get(owner.agent, ()))
    assert known in owner.model.seen()
    assert known not in asked
    assert TOOL[owner.agent] in owner.model.seen(), "the server's tools are there in the first turn"


def test_without_a_memory_the_agent_works_on(owner: Owner, checkout: Path) -> None:  # noqa: F811
    install(owner, checkout)
    owner.says("Hello there.")
    assert len(owner.model.asked) == 1


def test_beside_setups_hooks_nothing_comes_twice_and_setup_takes_its_own_out(owner: Owner, checkout: Path) -> None:  # noqa: F811
    owner.home.setup("--yes")
    install(owner, checkout)
    owner.says(TOLD["English"][0])
    owner.says(TOLD["English"][1])
    assert owner.model.seen().count("allergic to penicillin") == 1
    assert "no hooks or tools beside the plugin" in owner.home.setup("--yes").stdout
    owner.says(TOLD["English"][1])
    assert owner.model.seen().count("allergic to penicillin") == 1
    runs(owner, *REMOVES[owner.agent])
    [agent] = json.loads(owner.home.setup("--yes", "--json").stdout)["agents"]
    assert [part for one in agent["files"] for part in one["parts"]] == ["hooks", "tools"]


def test_a_tool_of_the_plugins_passes_under_default_permissions_and_another_does_not(
    owner: Owner,  # noqa: F811
    checkout: Path,
) -> None:
    if owner.agent != "claude":
        pytest.skip("the others do not name a plugin's tools in a way of their own")
    install(owner, checkout)
    owner.home.setup("--yes")
    owner.model.script += [Call(TOOL["claude"], {"query": "shop"}), "OK"]
    owner.says("Look for the shop.")
    assert "requested permissions" not in owner.model.seen()
    owner.model.script += [Call("mcp__plugin_memd_memd__memory_forget", {"id": "1a2b3c4d"}), "OK"]
    owner.says("Forget it.")
    assert "requested permissions" in owner.model.seen()


def test_claude_code_finds_nothing_wrong_with_the_plugin_and_its_marketplace(owner: Owner, checkout: Path) -> None:  # noqa: F811
    if owner.agent != "claude":
        pytest.skip("it is Claude Code that looks")
    for path in (checkout, checkout / "contrib/plugins/memd"):
        assert "Validation passed" in runs(owner, "plugin", "validate", str(path))
    assert BINARIES["claude"].exists()
