"""Calls as models make them, good and bad, in English and Chinese, to the server as an agent runs it: each is understood.

A good one does what was meant. A bad one comes back as an error that names the parameter as the tool calls it and says what to
write; written so, it is understood.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from memd.doors.mcp.answers import listed
from tests import forking
from tests.support import ROOT, Daemon, Folder

pytestmark = pytest.mark.demo

Given = dict[str, Any]
SHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a model", "version": "1"}}
SCHEMAS = {one["name"]: one for one in listed()}


class Server:
    """`memd mcp` in a process of its own, and what a model calls there."""

    def __init__(self, workspace: Path, *options: str, **env: str) -> None:
        self.process = subprocess.Popen(
            [forking.program(), "mcp", "-w", str(workspace), *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env={**os.environ, **env},
        )  # fmt: skip
        self.hello = self._asked("initialize", SHAKE)

    def call(self, tool: str, given: Given) -> tuple[str, Given]:
        """Return what a tool says, and its structure; an error's is empty. A structure keeps what the tool promised."""
        result = self._asked("tools/call", {"name": tool, "arguments": given})
        (part,) = result["content"]
        structure: Given = result.get("structuredContent", {})
        assert result["isError"] == (not structure), result
        if structure:
            jsonschema.validate(structure, SCHEMAS[tool]["outputSchema"])
        return part["text"], structure

    def _asked(self, method: str, params: Given) -> Given:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        frame = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(frame, ensure_ascii=False).encode() + b"\n")
        self.process.stdin.flush()
        result: Given = json.loads(self.process.stdout.readline())["result"]
        return result

    def end(self) -> None:
        self.process.communicate(timeout=30)


@pytest.fixture
def server(daemon: Daemon) -> Iterator[Server]:
    found = Server(daemon.folder.path, "--no-start", MEMD_SOCKET=str(daemon.socket))
    yield found
    found.end()


# What a model calls, and what its text says then. They are called one after the other: {id} is the memory that was kept last.
GOOD: dict[str, list[tuple[str, Given, str]]] = {
    "English": [
        ("memory_snapshot", {}, "UTC time"),
        ("memory_trigger", {"message": "What do I do with the kiln log?", "role": "nora", "session": "talk", "earlier": ["Morning!"]}, "kiln log"),
        ("memory_trigger", {"message": "What do I do with the kiln log?", "role": "Nora's assistant", "earlier": '["Morning!"]', "budget_chars": "2000"}, "kiln log"),
        ("memory_remember", {"content": "Nora was overjoyed when the blue glaze won the prize in Kassel.", "role": "nora", "emotions": ["joy"], "event_start": "2026-10-04", "validity": "long", "explicit": True}, "Stored"),
        ("memory_get", {"id": "{id}", "role": "nora", "history": "true"}, "event: 2026-10-04"),
        ("memory_update", {"id": "{id}", "role": "nora", "content": "Nora was overjoyed when the blue glaze won second prize in Kassel.", "keys": ["prizes"]}, "second prize"),
        ("memory_remember", {"content": "Weigh the cobalt twice before a glaze is mixed.", "role": "nora", "keys": ["mix a glaze", "new batch"], "constant": "true", "explicit": "True"}, "Stored"),
        ("memory_trigger", {"message": "How is the weather?", "role": "nora"}, "Weigh the cobalt twice"),
        ("memory_list", {"role": "nora", "order": "newest", "limit": "1"}, "More: call it again with offset=1."),
        ("memory_list", {"role": "nora", "kind": "goal", "offset": 0.0}, "goal"),
        ("memory_search", {"query": "cobalt", "role": "*", "kind": "memory", "limit": 5}, "cobalt"),
        ("memory_forget", {"id": "{id}", "role": "nora", "reason": "a trial"}, "Moved to archive/"),
        ("memory_list", {"role": "nora", "forgotten": True}, "cobalt"),
        ("memory_remember", {"content": "ok then", "role": "nora"}, "Not stored (refused)"),
        ("memory_review", {}, "wait"),
        ("session_search", {"query": "kiln"}, "Nothing was said"),
    ],
    "中文": [
        ("memory_trigger", {"message": "阿远能吃香菜和虾吗？", "role": "阿远", "session": "对话一", "earlier": ["早上好", "今天吃什么"]}, "香菜"),
        ("memory_trigger", {"message": "阿远能吃香菜和虾吗？", "role": "yuan", "as_of": "2026-11"}, "香菜"),
        ("memory_remember", {"content": "阿远的体检定在2026年12月3日，他有点担心。", "role": "阿远", "emotions": ["担心"], "event_start": "2026-12-03", "validity": "短期", "tags": ["健康"], "explicit": True}, "Stored"),
        ("memory_get", {"id": "{id}", "role": "阿远"}, "健康"),
        ("memory_update", {"id": "{id}", "role": "阿远", "content": "阿远的体检改到2026年12月5日。", "event_start": "2026-12-05"}, "12月5日"),
        ("memory_remember", {"content": "给阿远写的邮件一律不用感叹号。", "role": "阿远", "keys": ["写邮件", "回信"], "constant": True, "explicit": True}, "Stored"),
        ("memory_trigger", {"message": "今天天气怎么样？", "role": "阿远"}, "不用感叹号"),
        ("memory_list", {"role": "阿远", "kind": "trait", "limit": 2}, "offset=2"),
        ("memory_search", {"query": "感叹号", "role": "阿远"}, "感叹号"),
        ("memory_forget", {"id": "{id}", "role": "阿远", "reason": "试一下", "erase": False}, "Moved to archive/"),
        ("memory_remember", {"content": "嗯嗯好的", "role": "阿远"}, "Not stored (refused)"),
        ("memory_review", {"role": "*"}, "wait"),
        ("session_search", {}, "Nothing was said"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("language", GOOD)
def test_what_a_model_means_is_done(server: Server, language: str) -> None:
    kept = ""
    for tool, given, says in GOOD[language]:
        text, structure = server.call(tool, {**given, **({"id": kept} if given.get("id") == "{id}" else {})})
        assert says in text, (tool, given, text)
        kept = structure["id"] if structure.get("stored") else kept


# What a model calls wrongly, what it is told, and what it calls then.
BAD: tuple[tuple[str, Given, str, Given], ...] = (
    ("memory_trigger", {"prompt": "hello"}, "no parameter 'prompt'; it has message, role", {"message": "hello"}),
    ("memory_trigger", {"message": ""}, "message: it is empty", {"message": "hello"}),
    ("memory_trigger", {"message": {"text": "hello"}}, "message: it must be a text, not an object", {"message": "hello"}),
    ("memory_trigger", {"message": "在吗", "role": "小远"}, "the roles are: main, nora, 阿远", {"message": "在吗", "role": "阿远"}),
    ("memory_trigger", {"message": "hello", "as_of": "last week"}, "as_of: 'last week' is no time; write 2026", {"message": "hello", "as_of": "2026-11-16"}),
    ("memory_trigger", {"message": "在吗", "as_of": "上周"}, "as_of: '上周' is no time; write 2026", {"message": "在吗", "as_of": "2026-11-16"}),
    ("memory_trigger", {"message": "在吗", "earlier": "早上好"}, 'earlier: it must be a list, not a text; write ["早上好"]', {"message": "在吗", "earlier": ["早上好"]}),
    ("memory_search", {"q": "kiln"}, "no parameter 'q'; it has query", {"query": "kiln"}),
    ("memory_search", {"query": "kiln", "role": "norra"}, "did you mean 'nora'?", {"query": "kiln", "role": "nora"}),
    ("memory_search", {"query": "kiln", "kind": "facts"}, "kind: it must be one of memory, episodic, semantic", {"query": "kiln", "kind": "semantic"}),
    ("memory_search", {"query": "香菜", "after": "去年"}, "'去年' is no date; write 2026", {"query": "香菜", "after": "2025"}),
    ("memory_search", {"query": "kiln", "limit": 500}, "limit: it must be at most 50", {"query": "kiln", "limit": 50}),
    ("memory_list", {"role": "nora", "page": 2}, "no parameter 'page'; it has role, kind, tag, order, limit, offset", {"role": "nora", "offset": 20}),
    ("memory_list", {"role": "阿远", "kind": "特质"}, "kind: it must be one of episodic, semantic, trait, goal", {"role": "阿远", "kind": "trait"}),
    ("memory_list", {"role": "nora", "order": "date"}, "order: it must be one of file, newest", {"role": "nora", "order": "newest"}),
    ("memory_remember", {"text": "Tea at five."}, "no parameter 'text'; it has content", {"content": "Tea at five."}),
    ("memory_remember", {"content": "Tea at five.", "importance": 9}, "no parameter 'importance'", {"content": "Tea at five.", "scores": {"importance": 9}}),
    ("memory_remember", {"content": "Tea at five.", "scores": {"importance": 90}}, "importance is 90, it must be from 0 to 10", {"content": "Tea at five.", "scores": {"importance": 9}}),
    ("memory_remember", {"content": "Tea at five.", "scores": "high"}, "scores: it must be an object", {"content": "Tea at five.", "scores": '{"importance": 9}'}),
    ("memory_remember", {"content": "体检在明天。", "event_start": "明天"}, "event_start: '明天' is no time; write 2026", {"content": "体检在明天。", "event_start": "2026-11-24"}),
    ("memory_remember", {"content": "The fair ends soon.", "event_start": "2026-11-20", "event_end": "Friday"}, "event_end: 'Friday' is no time", {"content": "The fair ends soon.", "event_start": "2026-11-20", "event_end": "2026-11-27"}),
    ("memory_remember", {"content": "Tea at five.", "emotions": "joy"}, 'emotions: it must be a list, not a text; write ["joy"]', {"content": "Tea at five.", "emotions": ["joy"]}),
    ("memory_remember", {"content": "五点喝茶。", "tags": "习惯"}, 'tags: it must be a list, not a text; write ["习惯"]', {"content": "五点喝茶。", "tags": ["习惯"]}),
    ("memory_remember", {"content": "五点喝茶。", "validity": "永远"}, "validity: it must be one of short, medium, long", {"content": "五点喝茶。", "validity": "长期"}),
    ("memory_remember", {"content": "五点喝茶。", "source": "用户"}, "source: it must be one of user, agent, tool", {"content": "五点喝茶。", "source": "user"}),
    ("memory_remember", {"content": "No exclamation marks.", "constant": True}, "constant: it counts only with explicit=true", {"content": "No exclamation marks.", "constant": True, "explicit": True}),
    ("memory_remember", {"content": "Tea at five.", "explicit": "yes"}, "explicit: it must be true or false", {"content": "Tea at five.", "explicit": "true"}),
    ("memory_review", {"decide": "approve"}, "memory_review has no parameter 'decide'; it has role", {}),
    ("memory_snapshot", {"role": "nora"}, "it takes none", {}),
    ("session_search", {"around": 3}, "`around` needs `session`", {}),
    ("session_search", {"query": "茶", "speaker": "用户"}, "speaker: it must be one of user, assistant, tool", {"query": "茶", "speaker": "user"}),
)  # fmt: skip


def test_what_is_called_wrongly_is_said_so_that_it_can_be_called_rightly(server: Server) -> None:
    for tool, wrong, says, right in BAD:
        text, structure = server.call(tool, wrong)
        assert not structure, (tool, wrong)
        assert says in text, (tool, wrong, text)
        assert "\nTry: " in text
        assert "Traceback" not in text
        text, structure = server.call(tool, right)
        assert structure, (tool, right, text)


# Of these nothing that is written otherwise helps: the model must look first.
GONE: tuple[tuple[str, Given, str], ...] = (
    ("memory_get", {"id": "beef0000", "role": "nora"}, "memory_list"),
    ("memory_get", {"id": 12345678, "role": "nora"}, "'12345678'"),
    ("memory_update", {"id": "beef0000", "content": "x", "role": "阿远"}, "memory_search"),
    ("memory_update", {"content": "x"}, "id: it is missing"),
    ("memory_forget", {"id": "全部的记忆", "role": "阿远"}, "has no memory '全部的记忆'"),
    ("memory_forget", {"ids": ["a", "b"]}, "no parameter 'ids'; it has id"),
    ("memory_forget", {"id": ""}, "id: it is empty"),
)


def test_what_is_not_there_is_said_with_where_to_look_and_nothing_is_changed(server: Server, daemon: Daemon) -> None:
    before = {role: daemon.folder.contents(role) for role in ("nora", "阿远")}
    for tool, given, says in GONE:
        text, structure = server.call(tool, given)
        assert not structure, (tool, given)
        assert says in text, (tool, given, text)
    text, structure = server.call("memory_delete", {"id": "x"})
    assert "no tool 'memory_delete'; the tools are memory_trigger" in text
    assert before == {role: daemon.folder.contents(role) for role in ("nora", "阿远")}


def test_every_schema_tells_rightly_what_is_taken(server: Server) -> None:
    """What a schema allows is not refused for its form, and what it forbids is refused."""
    for tool, given, _ in GOOD["English"] + GOOD["中文"]:
        as_meant = all(not isinstance(value, str) or name not in ("earlier", "budget_chars", "history", "constant", "explicit", "limit") for name, value in given.items())  # fmt: skip
        if as_meant and given.get("validity") != "短期":  # those are read all the same
            jsonschema.validate(given, SCHEMAS[tool]["inputSchema"])
    forbidden = 0
    for tool, wrong, _, right in BAD:
        if (
            right.get("validity") != "长期"
            and right.get("explicit") != "true"
            and not isinstance(right.get("scores"), str)
        ):
            jsonschema.validate(right, SCHEMAS[tool]["inputSchema"])
        forbidden += not jsonschema.Draft202012Validator(SCHEMAS[tool]["inputSchema"]).is_valid(wrong)
    assert forbidden >= 20
    assert server.hello["instructions"].count("memory_") >= 8


@pytest.mark.parametrize("message", ["What do I do with the kiln log?", "今天做什么？"])
def test_where_no_daemon_can_be_had_the_model_is_told_in_words_it_can_pass_on(
    workspace: Folder, short_dir: Path, message: str
) -> None:
    (short_dir / "open").mkdir(mode=0o755)  # no daemon listens where others may enter
    served = Server(workspace.path, MEMD_SOCKET=str(short_dir / "open/s"))
    text, structure = served.call("memory_trigger", {"message": message, "role": "nora"})
    assert structure["role"] == "nora"
    assert "memd's daemon could not be started (the daemon ended with status 73" in text
    assert "nobody else may enter" in text
    served.end()


def test_where_the_memory_cannot_be_reached_at_all_the_model_is_told_to_say_so(daemon: Daemon, short_dir: Path) -> None:
    elsewhere = Server(daemon.folder.path, "--no-start", MEMD_SOCKET=str(short_dir / "elsewhere"))
    text, structure = elsewhere.call("memory_remember", {"content": "Nora's agent is Hannes Vogt.", "explicit": True})
    assert not structure
    assert text.startswith("workspace.busy: the workspace is held by process ")
    assert "Tell the user that the memory cannot be reached: memd's daemon does not answer." in text
    elsewhere.end()
