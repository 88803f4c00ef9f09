"""hermes' memory provider over a real daemon: what it keeps, what it brings back, and that it never disturbs."""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import json
import re
import shutil
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memd.adapters.hermes import HermesMemory
from memd.errors import RemoteError
from tests.adapters.hermes_interface import MemoryProvider
from tests.support import ROOT, Daemon, Folder

ENGLISH = (
    "We decided to always photograph the kiln log before a reduction firing.",
    "Understood.",
    "What do I do before a reduction firing?",
    "photograph the kiln log",
)
CHINESE = ("请记住：我上个月搬到福州了。", "记住了。", "我现在住在福州哪里？", "搬到福州")


class Provider(HermesMemory, MemoryProvider):
    """As contrib/hermes makes it, of the interface as it is written down."""


@dataclass
class Stage:
    """A running daemon, and in it a role and sessions that no other test uses; `home` is hermes'."""

    daemon: Daemon
    role: str
    home: Path

    def __post_init__(self) -> None:
        self.home.mkdir(exist_ok=True)
        self.settings(role=self.role)
        self.daemon.call("role.create", name=self.role)

    def settings(self, **values: str) -> None:
        (self.home / "memd.json").write_text(json.dumps(values))

    def provider(self, **given: Any) -> Provider:
        provider = Provider(lambda _: self.daemon.client(), str(self.home))
        provider.initialize(self.id("s1"), platform="cli", **given)
        return provider

    def id(self, session: str) -> str:
        return f"{self.role}-{session}"

    def history(self, session: str = "s1") -> list[tuple[str, str]]:
        return self.told(f"hermes-{self.id(session)}")

    def told(self, name: str) -> list[tuple[str, str]]:
        messages = self.daemon.call("session.history", session=name)["messages"]
        return [(one.get("speaker", one["kind"]), one.get("content", one.get("arguments", ""))) for one in messages]

    def sessions(self) -> set[str]:
        return {one["session"] for one in self.daemon.call("session.search", limit=50)["sessions"]}

    def total(self) -> int:
        return int(self.daemon.call("memory.list", role=self.role)["total"])


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One daemon for all tests that do not end it."""
    places, short = tmp_path_factory.mktemp("hermes"), Path(tempfile.mkdtemp(prefix="memd-h"))
    with pytest.MonkeyPatch.context() as environment:
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
            environment.setenv(name, str(short))
        daemon = Daemon(Folder.make(places / "memory"), short / "s")
        daemon.start()
    yield daemon
    daemon.stop()
    shutil.rmtree(short, ignore_errors=True)


_numbers = itertools.count(1)


@pytest.fixture
def stage(running: Daemon, tmp_path: Path) -> Stage:
    return Stage(running, f"role{next(_numbers)}", tmp_path / "hermes")


@pytest.fixture
def provider(stage: Stage) -> Provider:
    return stage.provider()


def called(provider: Provider, tool: str, **args: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(provider.handle_tool_call(tool, args))
    return answer


@pytest.mark.parametrize("turn", [ENGLISH, CHINESE], ids=["English", "Chinese"])
def test_what_is_worth_it_in_a_turn_comes_to_mind_later_and_only_once(stage: Stage, turn: tuple[str, ...]) -> None:
    user, assistant, question, wanted = turn
    provider = stage.provider()
    assert wanted not in provider.prefetch(question)
    provider.sync_turn(user, assistant)
    assert stage.history() == [("user", user), ("assistant", assistant)]
    provider.on_session_switch(stage.id("s2"), reset=True)
    found = provider.prefetch(question)
    assert (wanted in found, found.startswith("<memd-memory")) == (True, True)
    assert wanted not in provider.prefetch(f"{question} Again? 再说一遍。")


@pytest.mark.parametrize("prompt", ["ok", "好的", "/compact", "", "谢谢"])
def test_a_word_of_assent_brings_nothing_to_mind(stage: Stage, prompt: str) -> None:
    stage.daemon.call(
        "remember",
        role=stage.role,
        content="好的 ok compact 谢谢",
        kind="trait",
        name="x",
        constant=True,
        explicit=True,
    )
    provider = stage.provider()
    assert provider.prefetch("What shall I cook?") != ""
    assert provider.prefetch(prompt) == ""


def test_the_tool_calls_of_a_turn_and_only_of_that_turn_are_in_the_session(provider: Provider, stage: Stage) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "窑.md"}'}}
    messages = [
        {"role": "user", "content": "Earlier."},
        {"role": "tool", "tool_call_id": "c0", "name": "read_file", "content": "That was before."},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": [{"type": "text", "text": "Read it."}, {"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "name": "read_file", "content": "釉料在第 0 层。"},
        {"role": "assistant", "content": "It says where the glaze is."},
    ]
    provider.sync_turn("Read it.", "It says where the glaze is.", messages=messages)
    assert stage.history() == [
        ("user", "Read it."),
        ("tool_call", '{"path": "窑.md"}'),
        ("tool_result", "釉料在第 0 层。"),
        ("assistant", "It says where the glaze is."),
    ]


def test_a_turn_larger_than_a_frame_is_kept_with_what_was_left_out_told(provider: Provider, stage: Stage) -> None:
    results = [{"role": "tool", "name": "read_file", "content": "陶" * 150_000} for _ in range(5)]
    provider.sync_turn("Read all.", "Read.", messages=[{"role": "user", "content": "Read all."}, *results])
    told = stage.history()
    assert [kind for kind, _ in told] == ["user", *["tool_result"] * 5, "assistant"]
    assert told[1][1].endswith("陶\n[50000 characters more]")


def test_the_prompts_block_is_frozen_until_a_new_conversation(provider: Provider, stage: Stage) -> None:
    stage.daemon.call("curated.add", file="user", content="阿远不吃香菜。")
    assert "阿远不吃香菜。" not in provider.system_prompt_block()
    provider.on_session_switch(stage.id("s2"), parent_session_id=stage.id("s1"))
    assert "阿远不吃香菜。" not in provider.system_prompt_block()
    provider.on_session_switch(stage.id("s3"), parent_session_id=stage.id("s2"), reset=True)
    assert "阿远不吃香菜。" in provider.system_prompt_block()


@pytest.mark.parametrize(
    ("text", "query", "correction"),
    [
        ("The glaze order goes to Marguerite on Mondays.", "glaze", "The glaze order goes to Tomasz on Mondays."),
        ("阿远对花生过敏，做菜时不能放花生。", "花生", "阿远对花生和虾过敏，做菜时都不能放。"),
    ],
    ids=["English", "Chinese"],
)
def test_the_models_tools_remember_find_correct_and_forget(
    provider: Provider, text: str, query: str, correction: str
) -> None:
    kept = called(provider, "memory_remember", content=text, asked=True)
    assert (kept["stored"], kept["verdict"]) == (True, "stored")
    hits = called(provider, "memory_search", query=query, limit=50)["hits"]
    assert kept["id"] in [hit["id"] for hit in hits]
    assert text in called(provider, "memory_trigger", message=text)["content"]
    called(provider, "memory_update", id=kept["id"], content=correction)
    assert correction in called(provider, "memory_trigger", message=text)["content"]
    called(provider, "memory_forget", id=kept["id"], reason="a test")
    assert correction not in called(provider, "memory_trigger", message=text)["content"]


@pytest.mark.parametrize(
    ("tool", "args", "why"),
    [
        pytest.param("memory_fly", {}, "no tool", id="no such tool"),
        pytest.param("memory_remember", {}, "content", id="a missing argument"),
        pytest.param("memory_search", {"query": 7}, "query", id="a number for a text"),
        pytest.param("memory_forget", {"id": "nothing"}, "nothing", id="an unknown memory"),
        pytest.param("memory_search", {"query": "\ud800"}, "sent", id="no Unicode text"),
    ],
)
def test_a_bad_tool_call_is_answered_with_what_is_wrong(
    provider: Provider, tool: str, args: dict[str, Any], why: str
) -> None:
    assert why in called(provider, tool, **args)["error"]


def test_hermes_own_memory_writes_are_mirrored(provider: Provider, stage: Stage) -> None:
    def entries(file: str) -> list[str]:
        return [one["text"] for one in stage.daemon.call("curated.read", file=file)["entries"]]

    before = entries("memory")
    provider.on_memory_write("add", "memory", "The build needs Node 20.", {"session_id": "s1"})
    provider.on_memory_write("add", "user", "用户喜欢简短的回答。")
    assert (entries("memory"), entries("user")[-1]) == ([*before, "The build needs Node 20."], "用户喜欢简短的回答。")
    provider.on_memory_write("replace", "memory", "The build needs Node 24.", {"old_text": "Node 20"})
    assert entries("memory") == [*before, "The build needs Node 24."]
    provider.on_memory_write("replace", "memory", "Tests run on two cores.", {"old_text": "hermes alone had this"})
    provider.on_memory_write("remove", "memory", "", {"old_text": "Node 24"})
    provider.on_memory_write("remove", "memory", "what memd never had")
    assert entries("memory") == [*before, "Tests run on two cores."]


@pytest.mark.parametrize("context", ["subagent", "cron", "flush"])
def test_an_agent_that_is_not_the_users_own_reads_and_writes_nothing(stage: Stage, context: str) -> None:
    provider = stage.provider(agent_context=context)
    before = stage.daemon.call("curated.read")["text"]
    provider.sync_turn(*CHINESE[:2])
    provider.on_memory_write("add", "memory", "The build needs Node 20.")
    provider.on_session_switch(stage.id("s1"), rewound=True)
    provider.on_session_end([{"role": "user", "content": CHINESE[0]}])
    assert provider.on_pre_compress([{"role": "user", "content": CHINESE[0]}]) == ""
    assert "primary" in called(provider, "memory_remember", content="The sky is blue.", asked=True)["error"]
    assert stage.total() == 0
    with pytest.raises(RemoteError, match="session"):
        stage.history()
    assert stage.daemon.call("curated.read")["text"] == before
    assert called(provider, "memory_search", query="kiln")["total"] > 0


def test_a_session_goes_on_from_the_one_it_continues(provider: Provider, stage: Stage) -> None:
    provider.sync_turn("First.", "Yes.")
    provider.on_session_switch(stage.id("s2"), parent_session_id=stage.id("s1"))
    provider.sync_turn("Second.", "Yes.")
    provider.on_session_switch(stage.id("s2"), rewound=True)
    assert [text for _, text in stage.history("s2")] == ["First.", "Yes.", "Second.", "Yes."]
    provider.on_session_switch(stage.id("s3"), parent_session_id=stage.id("s2"), reset=True)
    provider.sync_turn("第三。", "好。")
    assert stage.history("s3") == [("user", "第三。"), ("assistant", "好。")]


def test_a_session_that_was_closed_is_resumed_in_another(provider: Provider, stage: Stage) -> None:
    provider.sync_turn("First.", "Yes.")
    before = stage.sessions()
    stage.daemon.call("session.close", session=f"hermes-{stage.id('s1')}")
    again = stage.provider()
    again.sync_turn("Second.", "Yes.")
    (name,) = stage.sessions() - before
    assert [text for _, text in stage.told(name)] == ["First.", "Yes.", "Second.", "Yes."]


@pytest.mark.parametrize("session", ["telegram:group/7", "x" * 300, "..", "\ud800", "群 聊"])
def test_any_session_id_of_hermes_has_a_session(stage: Stage, session: str) -> None:
    provider, before = stage.provider(), stage.sessions()
    provider.sync_turn("First.", "Yes.", session_id=session)
    provider.sync_turn("Second.", "Yes.", session_id=session)
    (name,) = stage.sessions() - before
    assert len(stage.told(name)) == 4


@pytest.mark.parametrize("turn", [ENGLISH, CHINESE], ids=["English", "Chinese"])
def test_messages_that_go_away_are_looked_through_and_what_was_kept_is_told(
    stage: Stage, turn: tuple[str, ...]
) -> None:
    provider = stage.provider()
    messages = [{"role": "system", "content": "x"}, {"role": "user", "content": turn[0]}]
    assert turn[3] in provider.on_pre_compress(messages)
    assert provider.on_pre_compress(messages) == ""
    provider.on_session_end(messages)
    assert stage.total() == 1


def test_keeping_and_the_prompts_block_can_be_turned_off(stage: Stage) -> None:
    provider = stage.provider()
    assert {one["key"] for one in provider.get_config_schema()} == {"workspace", "role", "keep", "curated"}
    workspace = str(stage.daemon.folder.path)
    chosen = {"workspace": workspace, "role": stage.role, "keep": "no", "curated": "no", "else": 1}
    provider.save_config(chosen, str(stage.home))
    again = stage.provider()
    again.sync_turn(*ENGLISH[:2])
    again.on_session_end([])
    assert (len(stage.history()), stage.total()) == (2, 0)
    assert "##" not in again.system_prompt_block()
    assert again.backup_paths() == [workspace]


@pytest.mark.parametrize("content", ["{", "[]", '{"role": 7}', "\udcff"])
def test_a_broken_settings_file_is_no_reason_to_fail(stage: Stage, content: str) -> None:
    (stage.home / "memd.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    provider = stage.provider()
    assert (provider.is_available(), provider.backup_paths()) == (True, [])


def test_a_role_that_is_not_there_makes_it_unavailable(stage: Stage) -> None:
    assert stage.provider().is_available()
    stage.settings(role="nobody")
    assert not stage.provider().is_available()


CALLS: dict[str, Callable[[Provider, Any], Any]] = {
    "initialize": lambda p, odd: p.initialize("s1", session_title=odd),
    "prefetch": lambda p, odd: p.prefetch(odd),
    "prefetch of": lambda p, odd: p.prefetch("What is it?", session_id=odd),
    "queue_prefetch": lambda p, odd: p.queue_prefetch(odd),
    "sync_turn": lambda p, odd: p.sync_turn(odd, odd, messages=odd),
    "sync_turn with": lambda p, odd: p.sync_turn("a", "b", messages=[odd, {"role": "tool", "content": odd}]),
    "calls": lambda p, odd: p.sync_turn("a", "b", messages=[{"tool_calls": [odd, {"function": odd}]}]),
    "handle_tool_call": lambda p, odd: p.handle_tool_call(odd, odd),
    "remember": lambda p, odd: p.handle_tool_call("memory_remember", {"content": odd}),
    "on_session_end": lambda p, odd: p.on_session_end(odd),
    "on_session_end with": lambda p, odd: p.on_session_end([odd, {"role": "user", "content": odd}]),
    "on_session_switch": lambda p, odd: p.on_session_switch(odd, parent_session_id=odd, rewound=True),
    "on_pre_compress": lambda p, odd: p.on_pre_compress([{"role": "user", "content": [odd]}]),
    "on_memory_write": lambda p, odd: p.on_memory_write(odd, "memory", odd, {"old_text": odd}),
    "on_memory_write add": lambda p, odd: p.on_memory_write("add", "user", odd, odd),
    "shutdown": lambda p, odd: p.shutdown(),
}


def test_whatever_hermes_hands_over_no_exception_reaches_it(stage: Stage) -> None:
    for odd in (None, 7, "", "\ud800\0", [], {}, {"text": 7}, ["\udcff"], object(), "x" * 2_000_000):
        for call in CALLS.values():
            answer = call(stage.provider(), odd)
            assert answer is None or isinstance(answer, str)
            if answer:
                answer.encode("utf-8")


def test_a_daemon_that_is_down_is_no_memory_and_one_that_comes_back_is(daemon: Daemon, tmp_path: Path) -> None:
    provider = Provider(lambda _: daemon.client())
    provider.initialize("s1", agent_context="primary")
    assert provider.is_available()
    daemon.stop()
    assert not provider.is_available()
    for call in CALLS.values():
        call(provider, "What do I do?")
    assert provider.prefetch("What is it?") == ""
    assert "hint" in called(provider, "memory_search", query="kiln")
    daemon.start()
    provider.sync_turn(*CHINESE[:2], session_id="s9")
    assert CHINESE[3] in provider.prefetch(CHINESE[2])


def test_every_method_takes_what_the_interface_passes() -> None:
    for name, method in vars(MemoryProvider).items():
        if name.startswith("_") or not callable(method) or not hasattr(HermesMemory, name):
            continue
        wanted, ours = inspect.signature(method), inspect.signature(getattr(HermesMemory, name))
        assert [*ours.parameters][: len(wanted.parameters)][:-1] == [*wanted.parameters][:-1], name
        assert {one.kind for one in wanted.parameters.values()} == {one.kind for one in ours.parameters.values()}, name


def test_the_plugin_directory_registers_a_provider_of_hermes_own_class(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of the interface as it is written down; with hermes itself below."""
    agent, interface, constants = (
        types.ModuleType(one) for one in ("agent", "agent.memory_provider", "hermes_constants")
    )
    vars(interface)["MemoryProvider"] = MemoryProvider
    vars(constants)["get_hermes_home"] = lambda: tmp_path
    for module in (agent, interface, constants):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setenv("MEMD_SOCKET", str(stage.daemon.socket))
    spec = importlib.util.spec_from_file_location("memd_plugin", ROOT / "contrib/hermes/__init__.py")
    assert spec
    assert spec.loader
    plugin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plugin)
    registered: list[Any] = []
    plugin.register(types.SimpleNamespace(register_memory_provider=registered.append))
    (provider,) = registered
    assert isinstance(provider, MemoryProvider)
    provider.save_config({"workspace": str(stage.daemon.folder.path)}, str(tmp_path))
    assert (provider.name, provider.is_available()) == ("memd", True)


def test_hermes_itself_loads_the_plugin_and_has_its_turns_kept(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where hermes-agent is installed: its own loader and its own manager of providers, over the socket."""
    pytest.importorskip("agent.memory_manager", reason="hermes-agent is not installed")
    from agent.memory_manager import MemoryManager  # type: ignore[import-not-found]  # noqa: PLC0415  only where it is installed
    from plugins.memory import load_memory_provider  # type: ignore[import-not-found]  # noqa: PLC0415  the same

    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    monkeypatch.setenv("MEMD_SOCKET", str(stage.daemon.socket))
    shutil.copytree(ROOT / "contrib/hermes", tmp_path / "plugins/memd")
    (tmp_path / "memd.json").write_text(json.dumps({"workspace": str(stage.daemon.folder.path), "role": stage.role}))
    provider = load_memory_provider("memd")
    assert (provider.is_available(), provider.backup_paths()) == (True, [str(stage.daemon.folder.path)])
    manager = MemoryManager()
    manager.add_provider(provider)
    manager.initialize_all(stage.id("s1"), platform="cli", agent_context="primary")
    assert manager.get_all_tool_names() == {one["name"] for one in provider.get_tool_schemas()}
    assert "kept by memd" in manager.build_system_prompt()
    for turn in (ENGLISH, CHINESE):
        manager.sync_all(*turn[:2], session_id=stage.id("s1"), messages=[])
    assert manager.flush_pending(10)
    manager.commit_session_boundary_async([], new_session_id=stage.id("s2"), parent_session_id=stage.id("s1"))
    assert manager.flush_pending(10)
    assert ENGLISH[3] in manager.prefetch_all(ENGLISH[2], session_id=stage.id("s2"))
    assert CHINESE[3] in manager.prefetch_all(CHINESE[2], session_id=stage.id("s2"))
    found = json.loads(manager.handle_tool_call("memory_search", {"query": "福州"}))
    assert found["total"] >= 1
    written = {"action": "add", "target": "user", "content": "Prefers answers of three lines."}
    manager.notify_memory_tool_write('{"success": true}', written)
    assert "answers of three lines" in stage.daemon.call("curated.read", file="user")["text"]
    manager.shutdown_all()
    assert len(stage.history()) == 4


def test_the_example_of_the_documentation_runs(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/adapters.md").read_text("utf-8"), re.DOTALL)
    (example,) = (one for one in blocks if "HermesMemory" in one)
    monkeypatch.setenv("MEMD_SOCKET", str(daemon.socket))
    exec(compile(example.replace('"my-memory"', repr(str(daemon.folder.path))), "adapters.md", "exec"), {})
    told = capsys.readouterr().out
    assert (ENGLISH[3] in told, CHINESE[3] in told) == (True, True)
