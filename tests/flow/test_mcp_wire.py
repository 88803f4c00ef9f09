"""Our own frames beside the official SDK's: the same requests to both servers, over one daemon, get the same answers."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import pytest

pytest.importorskip("mcp", reason="the extra memdaemon[mcp] is not installed")

import anyio
from mcp import Client, StdioServerParameters, stdio_client
from mcp.server.subscriptions import ResourceUpdated
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from memd.cli.serving import Reach
from memd.doors.mcp.http import MemoryServer
from tests.support import ROOT, Daemon, until

pytestmark = pytest.mark.demo

Frame = dict[str, Any]
T = TypeVar("T")
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
CURATED = "memd://curated/MEMORY.md"


def ask(known: int | str, method: str, **params: Any) -> Frame:
    return {"jsonrpc": "2.0", "id": known, "method": method, "params": params}


def shake(version: str, known: int | str = "first") -> Frame:
    client = {"name": "x", "version": "1"}
    return ask(known, "initialize", protocolVersion=version, capabilities={}, clientInfo=client)


JOINED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
RECALL = {"type": "ref/prompt", "name": "recall"}
# What both eras are asked: what it is, and the method with its parameters.
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "tools": ("tools/list", {}),
    "a page of them": ("tools/list", {"cursor": "x"}),
    "a tool": ("tools/call", {"name": "memory_search", "arguments": {"query": "kiln", "role": "nora"}}),
    "一个工具": ("tools/call", {"name": "memory_search", "arguments": {"query": "香菜", "role": "阿远"}}),
    "arguments left out": ("tools/call", {"name": "memory_get"}),
    "a refusal": ("tools/call", {"name": "memory_get", "arguments": {"id": "beef0000", "role": "nora"}}),
    "no such tool": ("tools/call", {"name": "nothing", "arguments": {}}),
    "no name": ("tools/call", {"arguments": {}}),
    "a name that is none": ("tools/call", {"name": 5}),
    "a list of arguments": ("tools/call", {"name": "memory_get", "arguments": ["id"]}),
    "resources": ("resources/list", {}),
    "templates": ("resources/templates/list", {}),
    "a role": ("resources/read", {"uri": "memd://roles/阿远"}),
    "its memories": ("resources/read", {"uri": "memd://roles/%E9%98%BF%E8%BF%9C/memories"}),
    "a file": ("resources/read", {"uri": CURATED}),
    "nobody": ("resources/read", {"uri": "memd://roles/nobody"}),
    "nothing": ("resources/read", {"uri": "memd://else"}),
    "no uri": ("resources/read", {}),
    "prompts": ("prompts/list", {}),
    "a prompt": ("prompts/get", {"name": "recall", "arguments": {"message": "hi", "role": "阿远"}}),
    "a prompt that lacks something": ("prompts/get", {"name": "recall"}),
    "no such prompt": ("prompts/get", {"name": "nothing"}),
    "a role's name": ("completion/complete", {"ref": RECALL, "argument": {"name": "role", "value": "阿"}}),
    "no argument": ("completion/complete", {"ref": RECALL}),
    "no method": ("nothing/at/all", {}),
    "levels, which are none": ("logging/setLevel", {"level": "info"}),
}
OLD = (ask("ping", "ping"), ask("follow", "resources/subscribe", uri=CURATED), ask("follow nothing", "resources/subscribe", uri=""),
       ask("discover", "server/discover", _meta=META), shake("2025-06-18", "again"), shake("none", "of no version"),
       {"jsonrpc": "2.0", "id": "bare", "method": "tools/list"})  # fmt: skip
NEW = (ask("ping", "ping", _meta=META), ask("bare", "tools/list"), shake("2025-11-25", "old"),
       ask("later", "tools/list", _meta={**META, "io.modelcontextprotocol/protocolVersion": "2027-01-01"}))  # fmt: skip
TALKS: dict[str, list[Frame]] = {
    **{
        version: [shake(version), JOINED, *(ask(name, method, **given) for name, (method, given) in ASKED.items()), *OLD]
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
    },
    "2026-07-28": [
        ask("first", "server/discover", _meta=META),
        *(ask(name, method, **given, _meta=META) for name, (method, given) in ASKED.items()),
        *NEW,
    ],
    "before the handshake": [ask("tools", "tools/list"), ask("ping", "ping"), ask("none", "nothing"), shake("2025-11-25")],
}  # fmt: skip


class Ours:
    """`memd mcp` in a process of its own."""

    def __init__(self, daemon: Daemon, *options: str) -> None:
        command = [sys.executable, "-m", "memd", "mcp", "--no-start", "-w", str(daemon.folder.path), *options]
        env = {**os.environ, "MEMD_SOCKET": str(daemon.socket)}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=env)

    def send(self, *frames: Frame) -> None:
        assert self.process.stdin is not None
        for frame in frames:
            self.process.stdin.write(json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> Frame:
        assert self.process.stdout is not None
        frame: Frame = json.loads(self.process.stdout.readline())
        return frame

    def ask(self, known: str, method: str, **params: Any) -> Frame:
        self.send(ask(known, method, **params))
        answer = self.hear()
        assert answer["id"] == known
        return answer

    def end(self) -> list[Frame]:
        """Close our end, and return what was still answered."""
        rest = self.process.communicate(timeout=30)[0]
        assert self.process.returncode == 0
        return [json.loads(line) for line in rest.splitlines()]


@pytest.fixture
def ours(daemon: Daemon) -> Iterator[Ours]:
    server = Ours(daemon)
    yield server
    server.process.kill()
    server.process.communicate()


def answered(frames: list[Frame]) -> dict[str, Any]:
    """Return what came by its id: results as they are, errors by their numbers."""
    return {str(one["id"]): one["result"] if "result" in one else one["error"]["code"] for one in frames if "id" in one}


async def of_sdk(daemon: Daemon, frames: list[Frame]) -> dict[str, Any]:
    server = MemoryServer(Reach(str(daemon.folder.path), starts=False))
    to_server, come = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    go, from_server = anyio.create_memory_object_stream[SessionMessage](100)
    running = asyncio.create_task(server.run_over(come, go))
    found: list[Frame] = []
    for frame in frames:
        await to_server.send(SessionMessage(jsonrpc_message_adapter.validate_python(frame)))
        while "id" in frame:  # one after the other: answers would overtake each other
            message = (await from_server.receive()).message
            found.append(message.model_dump(by_alias=True, mode="json", exclude_none=True))
            if found[-1].get("id") == frame["id"]:
                break
    await to_server.aclose()
    await running
    await from_server.aclose()
    return answered(found)


@pytest.mark.parametrize("version", TALKS)
def test_what_is_asked_of_us_is_answered_as_the_sdk_answers_it(
    daemon: Daemon, ours: Ours, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("MEMD_SOCKET", str(daemon.socket))
    until(lambda: daemon.call("status")["index"]["state"] == "ready", 20, "the index is there")
    theirs = asyncio.run(of_sdk(daemon, TALKS[version]))
    ours.send(*TALKS[version])
    own = answered(ours.end())
    assert own.keys() == theirs.keys() == {str(one["id"]) for one in TALKS[version] if "id" in one}
    for known, answer in own.items():
        meant = theirs[known]
        if version == "2026-07-28" and known == "first":
            # The SDK promises to tell of other tools and prompts, too, which there never are.
            assert answer["capabilities"].pop("resources") == meant["capabilities"].pop("resources")
            assert answer.pop("capabilities").keys() == meant.pop("capabilities").keys()
        assert same(answer, meant, newer=version in ("2024-11-05", "2025-03-26")), (known, answer, meant)


NEWER = {
    "title",
    "annotations",
    "outputSchema",
    "structuredContent",
    "_meta",
    "description",
}  # which older clients let be


def same(told: Any, meant: Any, *, newer: bool) -> bool:
    """Tell whether two answers are one; `newer`: ours may have what the client's version did not know yet."""
    if isinstance(told, dict) and isinstance(meant, dict):
        more = told.keys() - meant.keys()
        alike = all(name in told and same(told[name], value, newer=newer) for name, value in meant.items())
        return alike and (more <= NEWER if newer else not more)
    if isinstance(told, list) and isinstance(meant, list):
        return len(told) == len(meant) and all(
            same(one, other, newer=newer) for one, other in zip(told, meant, strict=True)
        )
    return bool(told == meant)


def test_answers_that_differ_are_told_apart() -> None:
    assert same({"a": [{"b": 1, "title": "x"}]}, {"a": [{"b": 1}]}, newer=True)
    assert not same({"a": [{"b": 1, "title": "x"}]}, {"a": [{"b": 1}]}, newer=False)
    others: tuple[Frame, ...] = ({"a": [{"b": 2}]}, {"a": []}, {"a": [{"b": 1}], "c": 1}, {"a": [{"b": 1, "c": 1}]})
    assert not [one for one in others if same({"a": [{"b": 1}]}, one, newer=True)]
    assert not same({"a": 1, "c": 1}, {"a": 1}, newer=True)


HEAVY = {"asyncio", "click", "concurrent", "email", "http", "logging", "mcp", "msgspec", "numpy", "pydantic", "shutil", "tempfile", "urllib"}  # fmt: skip
MOST_KB = 25_000


def test_what_an_agent_waits_for_at_every_window_imports_next_to_nothing() -> None:
    code = "import sys, memd.cli.mcp_entry; print(*{name.partition('.')[0] for name in sys.modules})"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    assert "memd" in told.split()
    assert not HEAVY & {*told.split()}


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="this system does not show how large a process is")
def test_a_server_that_has_answered_is_small(ours: Ours) -> None:
    ours.ask("first", "initialize", **shake("2025-11-25")["params"])
    ours.send(JOINED)
    ours.ask("tool", "tools/call", name="memory_trigger", arguments={"message": "阿远能吃香菜和虾吗？", "role": "阿远"})
    ours.ask("tools", "tools/list")
    with open(f"/proc/{ours.process.pid}/status", encoding="utf-8") as file:
        (resident,) = [line for line in file if line.startswith("VmRSS:")]
    assert int(resident.split()[1]) <= MOST_KB


def test_a_slow_request_keeps_no_other_waiting_and_one_that_is_cancelled_is_not_answered(
    daemon: Daemon, ours: Ours
) -> None:
    assert daemon.process is not None
    ours.ask("first", "initialize", **shake("2025-11-25")["params"])
    ours.send(JOINED)
    search = {"name": "memory_search", "arguments": {"query": "kiln", "role": "nora"}}
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        ours.send(ask("waits", "tools/call", **search), ask("gone", "tools/call", **search))
        assert ours.ask("ping", "ping")["result"] == {}
        ours.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "gone"}})
        assert ours.ask("tools", "tools/list")["result"]["tools"]
    finally:
        daemon.process.send_signal(signal.SIGCONT)
    ours.send(ask("last", "tools/call", **search))
    answers = {one["id"]: one["result"] for one in ours.end()}
    assert answers.keys() == {"waits", "last"}
    assert answers["waits"] == answers["last"]


def test_what_was_asked_before_the_client_closed_its_end_is_answered(ours: Ours) -> None:
    asked = [ask(n, "resources/read", uri="memd://roles/阿远") for n in range(40)]
    ours.send(shake("2025-11-25"), JOINED, *asked)
    answers = ours.end()
    assert {one["id"] for one in answers} == {"first", *range(40)}
    assert not [one for one in answers if "error" in one]


async def edited_until(edit: Callable[[str], None], told: Awaitable[T]) -> T:
    """Edit until somebody is told of it: when the server begins to follow the daemon, nobody outside can see."""
    waiting = asyncio.ensure_future(told)
    while not waiting.done():
        edit("一")
        await asyncio.wait({waiting}, timeout=0.5)
    return await waiting


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
def test_over_standard_input_a_client_of_the_sdk_is_told_what_changes(daemon: Daemon, mode: Any) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        await heard.put(getattr(message.params, "uri", "") or message.method)

    def edit(line: str) -> None:
        with (daemon.folder.path / "MEMORY.md").open("a", encoding="utf-8") as file:
            file.write(f"- {line}\n")

    async def run() -> None:
        arguments = ["-m", "memd", "mcp", "--no-start", "-w", str(daemon.folder.path)]
        env = {**os.environ, "MEMD_SOCKET": str(daemon.socket)}
        served = stdio_client(StdioServerParameters(command=sys.executable, args=arguments, cwd=ROOT, env=env))
        async with asyncio.timeout(60), Client(served, mode=mode, message_handler=hear) as client:
            assert client.protocol_version == ("2026-07-28" if mode == "auto" else "2025-11-25")
            if mode == "auto":
                async with client.listen(resource_subscriptions=[CURATED]) as told:
                    assert await edited_until(edit, anext(told)) == ResourceUpdated(CURATED)
                return
            await client.subscribe_resource(CURATED)
            assert await edited_until(edit, heard.get()) == CURATED
            await client.unsubscribe_resource(CURATED)
            while not heard.empty():
                assert heard.get_nowait() == CURATED
            edit("二")
            for name in ("later", "last"):  # what is told of the second comes after all that could be told of the edit
                (daemon.folder.path / "roles" / name).mkdir()
                assert await heard.get() == "notifications/resources/list_changed"

    asyncio.run(run())


def test_what_a_library_prints_goes_to_nobody_who_reads_the_protocol(daemon: Daemon) -> None:
    code = (
        "import sys, os, memd.cli.starting as way\n"
        "ask = way.BlockingWay._call\n"
        "def loud(self, *given):\n"
        "    print('a word'); os.write(1, b'another\\n'); return ask(self, *given)\n"
        "way.BlockingWay._call = loud\n"
        "from memd.__main__ import main\n"
        "sys.exit(main())\n"
    )
    command = [sys.executable, "-c", code, "mcp", "--no-start", "-w", str(daemon.folder.path)]
    lines = [shake("2025-11-25"), JOINED, ask("role", "resources/read", uri="memd://roles/nora")]
    told = subprocess.run(
        command, input="".join(json.dumps(one) + "\n" for one in lines), capture_output=True, text=True, cwd=ROOT,
        env={**os.environ, "MEMD_SOCKET": str(daemon.socket)}, check=True, timeout=60,
    )  # fmt: skip
    assert [json.loads(line)["id"] for line in told.stdout.splitlines()] == ["first", "role"]
    assert "another" in told.stderr
