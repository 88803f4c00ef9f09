"""memd mcp as the agents themselves see it: their own binaries connect, list, call and read; the protocol's own checks pass.

The binaries are looked for below MEMD_AGENTS, else .agents in the checkout: node_modules/.bin/* and
python/claude_agent_sdk/_bundled/claude. Where one is not there its test is skipped.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from memd.doors.mcp.answers import listed
from tests.support import ROOT, Daemon

pytest.importorskip("mcp", reason="the extra memdaemon[mcp] is not installed")

pytestmark = [pytest.mark.agents, pytest.mark.demo]

AGENTS = Path(os.environ.get("MEMD_AGENTS") or ROOT / ".agents")
# Those of the 32 that need no tools, prompts or resources of the conformance suite's own.
SCENARIOS = (
    "server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-error", "completion-complete",
    "server-sse-multiple-streams", "resources-list", "resources-subscribe", "resources-unsubscribe", "prompts-list",
    "dns-rebinding-protection",
)  # fmt: skip


def binary(name: str) -> str:
    """Return an agent's path, or skip the test."""
    place = "python/claude_agent_sdk/_bundled" if name == "claude" else "node_modules/.bin"
    path = AGENTS / place / name
    if not path.exists():
        pytest.skip(f"{name} is not installed in {AGENTS}")
    return str(path)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project that an agent is started in."""
    path = tmp_path / "project"
    path.mkdir()
    return path


@pytest.fixture
def command(daemon: Daemon) -> list[str]:
    """What a client runs: clients pass on little of the environment, so all that is needed is on the line."""
    told = [f"MEMD_SOCKET={daemon.socket}", f"PYTHONPATH={ROOT}"]
    arguments = ["-m", "memd", "mcp", "--no-start", "-w", str(daemon.folder.path)]
    return ["/usr/bin/env", *told, sys.executable, *arguments]


def run(place: Path, *arguments: str, errors: bool = True, settings: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return what an agent prints, without the colours; not all agree on where to print it."""
    known = {name: value for name, value in os.environ.items() if name in ("HOME", "XDG_RUNTIME_DIR", "LANG")}
    env = {
        **known,
        "PATH": f"{AGENTS / 'node_modules/.bin'}:/usr/bin:/bin",
        "DISABLE_TELEMETRY": "1",
        "CI": "1",
        **settings,
    }
    result = subprocess.run(
        arguments, capture_output=True, text=True, cwd=place, env=env, timeout=60, stdin=subprocess.DEVNULL, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return re.sub(r"\x1b\[[0-9;]*m", "", result.stdout + (result.stderr if errors else ""))


def inspected(place: Path, command: list[str], method: str, *more: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        run(place, binary("mcp-inspector"), "--cli", *command, "--method", method, *more)
    )
    return found


def test_the_inspector_lists_the_tools_and_the_resources_and_calls_in_chinese(place: Path, command: list[str]) -> None:
    tools = {one["name"]: one for one in inspected(place, command, "tools/list")["tools"]}
    assert tools.keys() == {one["name"] for one in listed()}
    assert tools["memory_trigger"]["annotations"]["readOnlyHint"] is True
    uris = [one["uri"] for one in inspected(place, command, "resources/list")["resources"]]
    assert "memd://curated/MEMORY.md" in uris
    asked = ("--tool-name", "memory_trigger", "--tool-arg", "role=阿远", "--tool-arg", "message=阿远能吃香菜和虾吗？")
    reply = inspected(place, command, "tools/call", *asked)
    assert "香菜" in reply["structuredContent"]["content"]
    assert "香菜" in reply["content"][0]["text"]


def test_no_agent_meets_what_its_model_refuses_in_a_schema(place: Path, command: list[str]) -> None:
    for tool in inspected(place, command, "tools/list")["tools"]:
        text = json.dumps(tool["inputSchema"])
        assert '""' not in text, "Gemini refuses an empty choice"
        for key in ("$ref", "$defs", "anyOf", "oneOf", "allOf"):
            assert f'"{key}"' not in text, f"{tool['name']}: {key} is read differently by every model"


def test_claude_code_connects(place: Path, command: list[str]) -> None:
    claude = binary("claude")
    run(place, claude, "mcp", "add", "memd", "--", *command)
    assert "✔ Connected" in run(place, claude, "mcp", "list")


def test_claude_code_reads_the_settings_we_ship(place: Path, command: list[str]) -> None:
    claude = binary("claude")
    shipped = json.loads((ROOT / "contrib/agents/claude/.mcp.json").read_text("utf-8"))
    assert shipped["mcpServers"]["memd"]["command"] == "memd"
    shipped["mcpServers"]["memd"] |= {"command": command[0], "args": command[1:]}
    (place / ".mcp.json").write_text(json.dumps(shipped), "utf-8")
    told = run(place, claude, "mcp", "list")
    assert "memd: /usr/bin/env" in told, "a project's server is found; it waits for the person's approval"


def test_gemini_connects_in_a_folder_that_is_trusted(place: Path, command: list[str]) -> None:
    gemini = binary("gemini")
    shipped = json.loads((ROOT / "contrib/agents/gemini/settings.json").read_text("utf-8"))
    assert shipped["mcpServers"]["memd"]["command"] == "memd"
    shipped["mcpServers"]["memd"] |= {"command": command[0], "args": command[1:]}
    home = Path(os.environ["HOME"]) / ".gemini"
    for directory in (place / ".gemini", home):
        directory.mkdir()
    (place / ".gemini/settings.json").write_text(json.dumps(shipped), "utf-8")
    (home / "trustedFolders.json").write_text(json.dumps({str(place): "TRUST_FOLDER"}), "utf-8")
    assert "✓ memd" in run(place, gemini, "mcp", "list")


def test_opencode_connects(place: Path, command: list[str]) -> None:
    opencode = binary("opencode")
    shipped = json.loads((ROOT / "contrib/agents/opencode/opencode.json").read_text("utf-8"))
    assert shipped["mcp"]["memd"]["command"][0] == "memd"
    shipped["mcp"]["memd"]["command"] = command
    (place / "opencode.json").write_text(json.dumps(shipped), "utf-8")
    assert "✓ memd connected" in run(place, opencode, "mcp", "list")


def test_codex_takes_the_settings_we_ship(place: Path) -> None:
    codex = binary("codex")
    home = Path(os.environ["HOME"]) / ".codex"
    home.mkdir()
    (home / "config.toml").write_text((ROOT / "contrib/agents/codex/config.toml").read_text("utf-8"), "utf-8")
    (server,) = json.loads(run(place, codex, "mcp", "list", "--json", errors=False))
    assert (server["name"], server["transport"]["command"], server["enabled"]) == ("memd", "memd", True)


class Model(BaseHTTPRequestHandler):
    """A model that calls memory_trigger once and is then content, in the words of Claude's and of Codex's service."""

    asked: list[dict[str, Any]]
    arguments = json.dumps({"message": "阿远能吃香菜和虾吗？", "role": "阿远"})

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append(body)
        told = any(mark in json.dumps(body) for mark in ('"tool_result"', '"function_call_output"'))
        answered = self.for_codex(told) if "responses" in self.path else self.for_claude(told)
        events = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in answered).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(events)))
        self.end_headers()
        self.wfile.write(events)

    def for_claude(self, told: bool) -> list[dict[str, Any]]:
        used = {"input_tokens": 1, "output_tokens": 1}
        begun = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": used}
        block: dict[str, Any] = {"type": "tool_use", "id": "t", "name": "mcp__memd__memory_trigger", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": self.arguments}
        if told:
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "content"}
        return [
            {"type": "message_start", "message": begun},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn" if told else "tool_use"}, "usage": used},
            {"type": "message_stop"},
        ]

    def for_codex(self, told: bool) -> list[dict[str, Any]]:
        item: dict[str, Any] = {"type": "function_call", "id": "f", "call_id": "c", "name": "memory_trigger",
                                "namespace": "mcp__memd", "arguments": self.arguments}  # fmt: skip
        if told:
            said = {"type": "output_text", "text": "content"}
            item = {"type": "message", "id": "m", "role": "assistant", "content": [said]}
        return [
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "r", "usage": {
                "input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None,
                "total_tokens": 2}}},
        ]  # fmt: skip


@pytest.fixture
def model() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address of a model on this machine, and what it is asked."""
    asked: list[dict[str, Any]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Asked", (Model,), {"asked": asked}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_model_behind_claude_code_has_the_tool_at_hand_and_reads_the_memory(
    place: Path, command: list[str], model: tuple[str, list[dict[str, Any]]]
) -> None:
    claude = binary("claude")
    (place / "mcp.json").write_text(json.dumps({"mcpServers": {"memd": {"command": command[0], "args": command[1:]}}}))
    address, asked = model
    settings = {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    allowed = ("--mcp-config", "mcp.json", "--strict-mcp-config", "--allowedTools", "mcp__memd__memory_trigger")
    run(place, claude, "-p", "阿远能吃香菜和虾吗？", *allowed, settings=settings)
    tools = [one["name"] for one in asked[0]["tools"]]
    assert {"mcp__memd__memory_trigger", "mcp__memd__memory_remember"} <= set(tools)
    assert "mcp__memd__memory_forget" not in tools, "what is rarely called is found by name"
    assert "long-term memory" in json.dumps(asked[0]), "the server's instructions stand in the prompt"
    assert "香菜" in json.dumps(asked[-1]["messages"][-1], ensure_ascii=False)


def test_the_model_behind_codex_has_the_tools_at_hand_and_reads_the_memory(
    place: Path, command: list[str], model: tuple[str, list[dict[str, Any]]]
) -> None:
    codex = binary("codex")
    address, asked = model
    home = Path(os.environ["HOME"]) / ".codex"
    home.mkdir()
    lines = [
        'model_provider = "here"', 'model = "m"', "[model_providers.here]", 'name = "here"', 'wire_api = "responses"',
        f'base_url = "{address}/v1"', "[mcp_servers.memd]", f"command = {json.dumps(command[0])}",
        f"args = {json.dumps(command[1:])}",
    ]  # fmt: skip
    (home / "config.toml").write_text("\n".join(lines), "utf-8")
    run(place, codex, "exec", "--skip-git-repo-check", "阿远能吃香菜和虾吗？")
    ours = [one for one in asked[0]["tools"] if one.get("name") == "mcp__memd"]
    assert len(ours) == 1, "the first turn has the tools, though nothing makes it wait"
    assert "long-term memory" in ours[0]["description"]
    assert "香菜" in json.dumps(asked[-1]["input"][-1], ensure_ascii=False)


@pytest.fixture
def address(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server on a port of this machine."""
    monkeypatch.setenv("MEMD_SOCKET", str(daemon.socket))
    arguments = [sys.executable, "-m", "memd", "mcp", "--http", "0", "-w", str(daemon.folder.path)]
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, cwd=ROOT, text=True)
    assert process.stderr is not None
    yield process.stderr.readline().split()[-1]
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)


def test_the_protocols_own_checks_pass(place: Path, address: str) -> None:
    conformance = binary("conformance")
    for scenario in SCENARIOS:
        told = run(place, conformance, "server", "--url", address, "--scenario", scenario)
        assert re.search(r"Passed: (\d+)/\1, 0 failed", told), f"{scenario}: {told}"
