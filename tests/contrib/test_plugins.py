"""The plugins of agents as they lie in the repository: what they are made of agrees with memd, and they start what setup names."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

import memd
from memd.formats.agent_settings import MATCHERS, TIMEOUT_S
from memd.formats.setup_files import plugins_of
from memd.model.agents import EVENTS
from memd.service.setup import served_by_plugins, start_text
from tests.cli.setup.conftest import home  # noqa: F401  a fixture
from tests.cli.setup.homes import Home
from tests.support import ROOT
from tests.support import memd as run_memd

PLUGINS = ROOT / "contrib/plugins"
HOOKS = {
    "claude": ("memd/hooks/hooks.json", "${CLAUDE_PLUGIN_ROOT}"),
    "codex": ("memd/hooks/codex.json", "${PLUGIN_ROOT}"),
    "gemini": ("gemini/hooks/hooks.json", "${extensionPath}"),
}
MANIFESTS = ("memd/.claude-plugin/plugin.json", "memd/.codex-plugin/plugin.json", "gemini/gemini-extension.json")
HOOK = ("/bin/sh", str(PLUGINS / "memd/scripts/memd.sh"), "hook", "claude")
START = '{"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}'
PROMPT = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": 'say "hook_event_name": "SessionStart"'})


def read(path: str) -> dict[str, Any]:
    return dict(json.loads((PLUGINS / path).read_text("utf-8")))


SERVERS = {
    "claude": ["/bin/sh", HOOK[1], "mcp"],
    "codex": ["/bin/sh", *read("memd/codex.mcp.json")["mcpServers"]["memd"]["args"]],
}


@pytest.mark.parametrize("agent", HOOKS)
def test_a_plugin_hooks_what_memd_answers_and_no_more(agent: str) -> None:
    path, root = HOOKS[agent]
    hooks = read(path)["hooks"]
    assert list(hooks) == list(EVENTS[agent])
    for event, groups in hooks.items():
        [group] = groups
        [hook] = group.pop("hooks")
        assert group == MATCHERS.get((agent, event), {})
        assert hook["command"] == f'sh "{root}/scripts/memd.sh" hook {agent}'
        assert hook["timeout"] == (TIMEOUT_S * 1000 if agent == "gemini" else TIMEOUT_S)


def test_names_and_versions_agree() -> None:
    assert {(read(path)["name"], read(path)["version"]) for path in MANIFESTS} == {("memd", memd.__version__)}
    market = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text("utf-8"))
    [plugin] = market["plugins"]
    assert plugin["name"] == "memd"
    assert (ROOT / plugin["source"] / ".claude-plugin/plugin.json").is_file()
    scripts = {path.read_text("utf-8") for path in PLUGINS.glob("*/scripts/memd.sh")}
    assert len(scripts) == 1


def ran(home: Home, given: str, *words: str, **env: str) -> subprocess.CompletedProcess[str]:  # noqa: F811
    kept = {name: os.environ[name] for name in ("XDG_RUNTIME_DIR", "MEMD_EMBEDDINGS") if name in os.environ}
    env = {"HOME": str(home.path), "PATH": "/usr/bin:/bin", **kept, **env}
    return subprocess.run(words, input=given, env=env, cwd=home.path, capture_output=True, text=True, check=False)


def shown(home: Home, **env: str) -> str:  # noqa: F811
    """What a person is shown when a session begins."""
    told = ran(home, START, *HOOK, **env)
    assert (told.returncode, told.stderr) == (0, "")
    return str(json.loads(told.stdout)["systemMessage"])


def asked(home: Home, agent: str) -> subprocess.CompletedProcess[str]:  # noqa: F811
    """What the server says when it is asked who it is."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    return ran(home, json.dumps(request) + "\n", *SERVERS[agent])


def test_without_a_memory_a_person_is_told_when_a_session_begins_and_the_agent_goes_on(home: Home) -> None:  # noqa: F811
    assert shown(home) == "memory: off, there is none yet; `memd setup` makes one"
    assert shown(home, LANG="zh_CN.UTF-8") == "记忆：关，还没有建；`memd setup` 一条命令就有"
    silent = ran(home, PROMPT, *HOOK)
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, "", "")
    for agent in SERVERS:
        server = asked(home, agent)
        assert (server.returncode != 0, server.stdout) == (True, "")
        assert server.stderr


def test_a_plugin_starts_the_program_and_the_memory_that_setup_named(home: Home) -> None:  # noqa: F811
    place = home.path / "it's mine, 我的"
    home.setup("--yes", "--workspace", str(place))
    assert shown(home) == "memory: on, nothing remembered yet"
    for agent in SERVERS:
        assert json.loads(asked(home, agent).stdout)["result"]["serverInfo"]["name"] == "memd"
    home.setup("--undo", "--workspace", str(place), check=False)
    assert shown(home).startswith("memory: off")


def test_a_plugin_serves_the_memory_that_was_set_up_first_until_it_is_gone(home: Home) -> None:  # noqa: F811
    home.setup("--yes")
    start = home.path / ".local/state/memd/start"
    first = start.read_bytes()
    other = home.path / "other"
    home.setup("--yes", "--workspace", str(other))
    assert start.read_bytes() == first
    (home.memory / "memd.toml").rename(home.path / "gone.toml")
    assert shown(home).startswith("memory: off")
    assert "agents that have memd's plugin find this memory" in home.setup("--yes", "--workspace", str(other)).stdout
    assert shlex.quote(str(other)) in start.read_text()
    (home.path / "gone.toml").rename(home.memory / "memd.toml")
    home.setup("--undo")
    assert start.exists()


@pytest.mark.parametrize(
    "said", ["", "[ -x ", "exec rm -rf --workspace", "#", "[ -x /bin/sh ] && exec x --workspace /nowhere"]
)
def test_a_start_that_is_broken_or_leads_nowhere_is_written_anew(home: Home, said: str) -> None:  # noqa: F811
    home.setup("--yes")
    start = home.path / ".local/state/memd/start"
    start.write_text(said)
    home.setup("--yes")
    assert start.read_bytes() == start_text(str(home.memory))
    assert served_by_plugins(str(start.with_name("key"))) == str(home.memory)
    assert "Nothing to change." in home.setup("--yes").stdout


INSTALLED = {
    "claude": {
        "plugins/installed_plugins.json": '{"plugins": {"memd@memd": [{}], "memd@mine": [{}], "other@memd": [{}]}}',
        "settings.json": '{"enabledPlugins": {"memd@memd": true, "memd@mine": false, "other@memd": true}}',
    },
    "codex": {"config.toml": '[plugins."memd@memd"]\nenabled = true\n[plugins."memd@mine"]\n[plugins."x@memd"]\nenabled = true\n'},
    "gemini": {"extensions/memd/gemini-extension.json": "{}", "extensions/extension-enablement.json": '{"memd": {"overrides": ["/home/a/*", "!/home/a/b/*"]}}'},
}  # fmt: skip
TAKEN_OUT = {
    "claude": "claude plugin uninstall memd@memd", "codex": "codex plugin remove memd@memd", "gemini": "gemini extensions uninstall memd",
}  # fmt: skip
SWITCHED_OFF = {
    "claude": ("settings.json", '{"enabledPlugins": {"memd@memd": false}}'),
    "codex": ("config.toml", '[plugins."memd@memd"]\nenabled = false\n'),
    "gemini": ("extensions/extension-enablement.json", '{"memd": {"overrides": ["!/home/a/*"]}}'),
}


@pytest.mark.parametrize("agent", INSTALLED)
def test_a_plugin_is_found_where_it_is_installed_and_switched_on(agent: str) -> None:
    files = INSTALLED[agent]
    assert plugins_of(agent, lambda name: files.get(name, "")) == [TAKEN_OUT[agent]]
    name, off = SWITCHED_OFF[agent]
    assert plugins_of(agent, lambda one: off if one == name else files.get(one, "")) == []
    for odd in ("", "{", "[]", "[[", '{"plugins": 1, "enabledPlugins": []}', "[" * 100_000):
        assert plugins_of(agent, lambda one, odd=odd: odd if one in files and "memd/" not in one else "") == []  # type: ignore[misc]


@pytest.mark.parametrize("agent", INSTALLED)
def test_setup_leaves_an_agent_to_its_plugin_and_takes_out_what_stands_twice(home: Home, agent: str) -> None:  # noqa: F811
    home.install(agent)
    home.setup("--yes")
    place_of = {"claude": ".claude.json", "codex": ".codex/config.toml", "gemini": ".gemini/settings.json"}
    assert "memd" in (home.path / place_of[agent]).read_text()
    for name, text in INSTALLED[agent].items():
        path = home.path / f".{agent}" / name
        home.put(f".{agent}/{name}", (path.read_text() if path.exists() and name.endswith(".toml") else "") + text)
    refused = run_memd("hook", "install", agent, "-w", str(home.memory), check=False)
    assert refused.returncode != 0
    assert f"`{TAKEN_OUT[agent]}`" in refused.stderr
    plan = json.loads(home.setup("--yes", "--json").stdout)
    [found] = plan["agents"]
    assert found["there"] == ["hooks and tools by its plugin memd"]
    assert {one["parts"][0] for one in found["files"]} == {"no hooks or tools beside the plugin"}
    for one in found["files"]:
        assert "memd hook" not in Path(one["path"]).read_text()
        assert '"mcp"' not in Path(one["path"]).read_text()
    assert "Nothing to change." in home.setup("--yes").stdout
    home.setup("--undo")
    assert not (home.path / place_of[agent]).exists() or '"mcp"' not in (home.path / place_of[agent]).read_text()


def test_what_is_of_another_memory_stays_beside_a_plugin_and_is_told(home: Home) -> None:  # noqa: F811
    home.install("claude")
    other = home.path / "other"
    run_memd("init", str(other))
    run_memd("hook", "install", "claude", "-w", str(other))
    before = (home.path / ".claude/settings.json").read_text()
    for name, text in INSTALLED["claude"].items():
        home.put(
            f".claude/{name}",
            json.dumps({**json.loads(before), **json.loads(text)}) if name == "settings.json" else text,
        )
    said = home.setup("--yes", check=False)
    assert said.returncode == 1
    assert "for another memory" in said.stdout
    assert "`claude plugin uninstall memd@memd`" in said.stdout
    assert str(other) in (home.path / ".claude/settings.json").read_text()
