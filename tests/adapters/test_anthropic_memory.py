"""Anthropic's memory tool on a workspace: the SDK's own tool is the oracle, and the client's tool loop is real."""

# ruff: noqa: TC004, PLC0415  the SDK is imported by a fixture
from __future__ import annotations

import asyncio
import errno
import http.server
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.errors import BadNameError, ExtraMissingError, WorkspaceMissingError
from tests.support import ROOT, Daemon, Folder, examples, until

if TYPE_CHECKING:
    import anthropic
    from anthropic.tools import BetaLocalFilesystemMemoryTool, ToolError

    from memd.adapters.anthropic_memory import AsyncWorkspaceMemoryTool, WorkspaceMemoryTool

PATHS = [
    "/memories", "/memories/", "/memories/a.md", "/memories/计划.md", "/memories/sub", "/memories/sub/b.txt",
    "/memories/sub/two words.md", "/memories/sub/deep/deeper/c.md", "/memories/a.md/x", "/memories//sub//b.txt/",
    "/memories/sub/../a.md", "/memories/none/../a.md", "/memories/./计划.md", "/memories/../memories/a.md",
    "/memories/../escape.md", "/memories/../../../etc/passwd", "/memoriesx/a.md", "/etc/passwd", "memories/a.md", "", ".",
]  # fmt: skip
PIECES = ["", "one", "two", "a", "aa", "二", "\n", "\r\n", "\t", "é", "\u2028", "\x85", "\f", "end"]
BEGIN = ["/memories/a.md", "/memories/计划.md", "/memories/sub/b.txt"]
paths = st.one_of(st.sampled_from(BEGIN), st.sampled_from(PATHS))
texts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
pieces = st.one_of(st.sampled_from(PIECES), texts)
numbers = st.integers(-3, 9)
commands = st.one_of(
    st.fixed_dictionaries({"command": st.just("view"), "path": paths}),
    st.fixed_dictionaries(
        {"command": st.just("view"), "path": paths, "view_range": st.lists(numbers, min_size=1, max_size=3)}
    ),
    st.fixed_dictionaries({"command": st.just("create"), "path": paths, "file_text": texts}),
    st.fixed_dictionaries({"command": st.just("str_replace"), "path": paths, "old_str": pieces, "new_str": pieces}),
    st.fixed_dictionaries({"command": st.just("insert"), "path": paths, "insert_line": numbers, "insert_text": pieces}),
    st.fixed_dictionaries({"command": st.just("delete"), "path": paths}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": paths, "new_path": paths}),
)

lines = st.lists(st.sampled_from(["one", "two", "二", "nnnn", "end", "", "\r"]), max_size=9).map("\n".join)
edits = st.one_of(
    st.fixed_dictionaries(
        {
            "command": st.just("str_replace"),
            "path": st.just(BEGIN[1]),
            "old_str": st.sampled_from(["one", "二", "end", "two\n", "\r\n", "nn", ""]),
            "new_str": st.sampled_from(["three", "三\n", "", "nnn", "\n\n\n"]),
        }
    ),
    st.fixed_dictionaries(
        {
            "command": st.just("insert"),
            "path": st.just(BEGIN[1]),
            "insert_line": st.integers(0, 5),
            "insert_text": st.sampled_from(["new", "新\n", "\n\n", "", "a\r\nb\r\n"]),
        }
    ),
)


@pytest.fixture(scope="module", autouse=True)
def _sdk() -> None:
    """Import the SDK where a test of this module runs: it takes more than a second, and every process of the tests looks in here."""
    global anthropic, BetaLocalFilesystemMemoryTool, ToolError, AsyncWorkspaceMemoryTool, WorkspaceMemoryTool  # noqa: PLW0603
    pytest.importorskip("anthropic")
    import anthropic
    from anthropic.tools import BetaLocalFilesystemMemoryTool, ToolError

    from memd.adapters.anthropic_memory import AsyncWorkspaceMemoryTool, WorkspaceMemoryTool


def said(tool: Any, command: dict[str, Any]) -> tuple[str, str]:
    try:
        return "said", tool.call(command)
    except ToolError as error:
        return "refused", str(error)


def tree_of(path: Path) -> dict[str, bytes | None]:
    return {str(one.relative_to(path)): one.read_bytes() if one.is_file() else None for one in path.rglob("*")}


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def tool(workspace: Folder) -> WorkspaceMemoryTool:
    return WorkspaceMemoryTool(workspace.path)


def drop_made(top: Path, before: set[str]) -> None:
    for name in sorted(set(tree_of(top)) - before, reverse=True):
        (top / name).rmdir()


def compare(stream: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        (Path(ours) / "memd.toml").write_text("")
        tool, oracle = WorkspaceMemoryTool(ours), BetaLocalFilesystemMemoryTool(theirs)
        for command in stream:
            got, before = said(tool, command), set(tree_of(Path(theirs)))
            try:
                wanted = said(oracle, command)
            except OSError:  # the SDK lets the system's errors through; here each is an answer for the model
                assert got[0] == "refused", command
            else:
                assert got == wanted, command
            if command["command"] == "rename" and got[0] == "refused":
                drop_made(Path(theirs), before)  # the SDK makes the folders first, and leaves them
            assert tree_of(Path(ours) / "memories") == tree_of(Path(theirs) / "memories"), command


@settings(max_examples=examples(100))
@given(st.lists(texts, min_size=3, max_size=3), st.lists(commands, min_size=1, max_size=14))
def test_any_stream_of_commands_has_the_answers_the_errors_and_the_files_of_the_sdks_own_tool(
    begin: list[str], stream: list[dict[str, Any]]
) -> None:
    made = [{"command": "create", "path": path, "file_text": text} for path, text in zip(BEGIN, begin, strict=True)]
    compare([*made, *stream])


@settings(max_examples=examples(150))
@given(lines, st.lists(edits, min_size=1, max_size=6))
def test_any_edits_of_one_page_leave_the_bytes_that_the_sdks_own_tool_leaves(
    text: str, stream: list[dict[str, Any]]
) -> None:
    made = {"command": "create", "path": BEGIN[1], "file_text": text}
    compare([made, *stream, {"command": "view", "path": BEGIN[1]}])


def test_a_page_is_private_to_its_owner(tool: WorkspaceMemoryTool, workspace: Folder) -> None:
    said(tool, {"command": "create", "path": "/memories/a.md", "file_text": "one\n"})
    assert mode_of(workspace.path / "memories/a.md") == 0o600
    (workspace.path / "memories/a.md").chmod(0o644)
    said(tool, {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "zero"})
    assert mode_of(workspace.path / "memories/a.md") == 0o644


@pytest.mark.parametrize(
    "command",
    [
        pytest.param({"command": "view", "path": "/memories/link.md"}, id="a link is not read"),
        pytest.param({"command": "view", "path": "/memories/out"}, id="a linked folder is not listed"),
        pytest.param(
            {"command": "create", "path": "/memories/out/new.md", "file_text": "x"}, id="nothing is made in one"
        ),
        pytest.param(
            {"command": "create", "path": "/memories/gone", "file_text": "x"}, id="nor where a dead link leads"
        ),
        pytest.param(
            {"command": "str_replace", "path": "/memories/link.md", "old_str": "kept", "new_str": "x"}, id="nor changed"
        ),
        pytest.param({"command": "delete", "path": "/memories/link.md"}, id="nor deleted"),
        pytest.param({"command": "delete", "path": "/memories/out/kept.md"}, id="nor deleted behind one"),
        pytest.param({"command": "rename", "old_path": "/memories/out", "new_path": "/memories/in"}, id="nor moved"),
        pytest.param(
            {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/out/a.md"}, id="nor moved into"
        ),
    ],
)
def test_a_link_is_never_followed(
    tool: WorkspaceMemoryTool, workspace: Folder, tmp_path: Path, command: dict[str, Any]
) -> None:
    outside, inside = tmp_path / "outside", workspace.path / "memories"
    outside.mkdir()
    (outside / "kept.md").write_text("kept")
    (inside / "a.md").write_text("a")
    (inside / "link.md").symlink_to(outside / "kept.md")
    (inside / "out").symlink_to(outside)
    (inside / "gone").symlink_to(outside / "gone")
    kind, text = said(tool, command)
    assert (kind, "symbolic link" in text) == ("refused", True)
    assert tree_of(outside) == {"kept.md": b"kept"}
    assert (inside / "link.md").is_symlink()
    assert said(tool, {"command": "view", "path": "/memories"})[1].splitlines()[2:] == ["1B\t/memories/a.md"]


def test_a_deleted_folder_takes_its_links_with_it_and_not_what_they_lead_to(
    tool: WorkspaceMemoryTool, workspace: Folder, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/kept.md").write_text("kept")
    said(tool, {"command": "create", "path": "/memories/sub/a.md", "file_text": "a"})
    (workspace.path / "memories/sub/out").symlink_to(tmp_path / "outside")
    (workspace.path / "memories/sub/.hidden").mkdir()
    assert said(tool, {"command": "delete", "path": "/memories/sub"}) == ("said", "Successfully deleted /memories/sub")
    assert tree_of(tmp_path / "outside") == {"kept.md": b"kept"}


@pytest.mark.parametrize(
    "text",
    ["The key is AKIAIOSFODNN7EXAMPLQ.\n", "我的登录密码是 tR7$kq92Lm，别忘了。\n"],
    ids=["English", "Chinese"],
)
def test_a_secret_is_refused_in_words_and_nothing_is_written(
    tool: WorkspaceMemoryTool, workspace: Folder, text: str
) -> None:
    page = workspace.path / "memories/a.md"
    kind, why = said(tool, {"command": "create", "path": "/memories/a.md", "file_text": text})
    assert (kind, "a secret" in why, page.exists()) == ("refused", True, False)
    said(tool, {"command": "create", "path": "/memories/a.md", "file_text": "one\n"})
    for command in (
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "one", "new_str": text},
        {"command": "insert", "path": "/memories/a.md", "insert_line": 1, "insert_text": text},
    ):
        kind, why = said(tool, command)
        assert (kind, "a secret" in why, page.read_text()) == ("refused", True, "one\n")
    page.write_text(text)  # a person's own does not stop the work beside it
    assert (
        said(tool, {"command": "insert", "path": "/memories/a.md", "insert_line": 1, "insert_text": "二"})[0] == "said"
    )
    assert page.read_text() == f"{text}二\n"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        pytest.param({"command": "create", "path": "/memories/.git/config", "file_text": "x"}, "hidden", id="hidden"),
        pytest.param({"command": "view", "path": "/memories/.git"}, "hidden", id="hidden ones are not shown"),
        pytest.param({"command": "create", "path": "/memories/con.md", "file_text": "x"}, "Windows", id="device"),
        pytest.param({"command": "create", "path": "/memories/a:b.md", "file_text": "x"}, "':'", id="colon"),
        pytest.param({"command": "create", "path": "/memories/a\nb.md", "file_text": "x"}, "U+000A", id="line break"),
        pytest.param({"command": "create", "path": f"/memories/{'长' * 70}.md", "file_text": "x"}, "bytes", id="long"),
        pytest.param({"command": "create", "path": "/memories" + "/d" * 40, "file_text": "x"}, "deeper", id="deep"),
        pytest.param({"command": "create", "path": "/memories/a\0.md", "file_text": "x"}, "NUL", id="NUL"),
        pytest.param({"command": "create", "path": "/memories/a.md", "file_text": "\ud800"}, "Unicode", id="surrogate"),
        pytest.param(
            {"command": "create", "path": "/memories/a.md", "file_text": "x" * 4_200_000}, "Split", id="too large"
        ),
        pytest.param({"command": "create", "path": "/memories/a.md"}, "`file_text`, a text", id="a field is missing"),
        pytest.param({"command": "view", "path": 7}, "`path`, a text", id="a number for a text"),
        pytest.param({"command": "view", "path": "/memories", "view_range": ["a", 2]}, "view_range", id="a bad range"),
        pytest.param(
            {"command": "insert", "path": "/memories/a.md", "insert_line": "top", "insert_text": ""}, "whole", id="line"
        ),
        pytest.param({"command": "format"}, "Unknown command", id="an unknown command"),
        pytest.param({}, "Unknown command", id="no command"),
        pytest.param("view", "Unknown command", id="no object"),
    ],
)
def test_what_a_model_may_not_do_it_is_told_and_nothing_is_written(
    tool: WorkspaceMemoryTool, workspace: Folder, command: Any, why: str
) -> None:
    kind, text = said(tool, command)
    assert (kind, why in text) == ("refused", True), text
    text.encode("utf-8")
    assert tree_of(workspace.path / "memories") == {}


def test_a_page_that_is_no_text_is_told(tool: WorkspaceMemoryTool, workspace: Folder) -> None:
    (workspace.path / "memories/a.md").write_bytes(b"\xff\xfe")
    assert "not UTF-8" in said(tool, {"command": "view", "path": "/memories/a.md"})[1]


@pytest.mark.parametrize("command", ["create", "insert"])
def test_on_a_full_disk_the_old_text_stands(
    tool: WorkspaceMemoryTool, workspace: Folder, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    said(tool, {"command": "create", "path": "/memories/a.md", "file_text": "one\n"})

    def full_disk(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    path = "/memories/b.md" if command == "create" else "/memories/a.md"
    given_to = {"command": command, "path": path, "file_text": "x", "insert_line": 0, "insert_text": "x"}
    kind, why = said(tool, given_to)
    assert (kind, "Free some space" in why) == ("refused", True)
    assert tree_of(workspace.path / "memories") == {"a.md": b"one\n"}


def test_the_folder_is_chosen_by_the_one_who_builds_the_tool(workspace: Folder) -> None:
    tool = WorkspaceMemoryTool(workspace.path, folder="notes/claude")
    said(tool, {"command": "create", "path": "/memories/a.md", "file_text": "one\n"})
    assert (workspace.path / "notes/claude/a.md").read_text() == "one\n"
    assert said(tool, {"command": "delete", "path": "/memories"})[1] == "Cannot delete the /memories directory itself"
    assert tool.clear_all_memory() == "All memory cleared"
    assert tree_of(workspace.path / "notes/claude") == {}


@pytest.mark.parametrize("folder", ["roles", ".memory", "sessions/x", "../up", "", "skills", "learning"])
def test_a_folder_that_is_memds_own_is_refused(workspace: Folder, folder: str) -> None:
    with pytest.raises(BadNameError):
        WorkspaceMemoryTool(workspace.path, folder=folder)


def test_a_directory_that_is_no_workspace_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceMissingError):
        WorkspaceMemoryTool(tmp_path)
    assert list(tmp_path.glob("memories")) == []


def test_a_folder_that_is_a_link_is_refused(tool: WorkspaceMemoryTool, workspace: Folder, tmp_path: Path) -> None:
    (workspace.path / "memories").rmdir()
    (tmp_path / "outside").mkdir()
    (workspace.path / "memories").symlink_to(tmp_path / "outside")
    for command in ("view", "create"):
        given_to = {"command": command, "path": "/memories/a.md", "file_text": "x"}
        assert "symbolic link" in said(tool, given_to)[1]
    assert tree_of(tmp_path / "outside") == {}


def test_without_the_extra_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic.tools", None)
    spec = importlib.util.spec_from_file_location("without", ROOT / "memd/adapters/anthropic_memory.py")
    assert spec
    assert spec.loader
    with pytest.raises(ExtraMissingError, match="anthropic"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_a_running_daemon_finds_what_the_tool_wrote_and_never_disturbs_it(daemon: Daemon) -> None:
    tool = WorkspaceMemoryTool(daemon.folder.path)
    said(tool, {"command": "create", "path": "/memories/窑.md", "file_text": "# 窑\n釉料在第 0 层。\n"})
    for step in range(40):
        change = {"command": "str_replace", "old_str": f"第 {step} 层", "new_str": f"第 {step + 1} 层"}
        assert said(tool, {**change, "path": "/memories/窑.md"})[0] == "said"
    said(tool, {"command": "create", "path": "/memories/rota.md", "file_text": "Marguerite feeds the axolotl.\n"})

    def found(query: str) -> list[str]:
        return [hit["name"] for hit in daemon.call("search", query=query)["hits"]]

    until(lambda: found("axolotl") == ["memories/rota.md"], 10, "the page is found")
    until(lambda: "memories/窑.md" in found("釉料"), 10, "the Chinese page is found")
    assert "第 40 层" in (daemon.folder.path / "memories/窑.md").read_text("utf-8")
    said(tool, {"command": "delete", "path": "/memories/rota.md"})
    until(lambda: found("axolotl") == [], 10, "the page is gone")


EDITING = """
import sys
from memd.adapters.anthropic_memory import WorkspaceMemoryTool
tool = WorkspaceMemoryTool(sys.argv[1])
for step in range(30):
    line = {"command": "insert", "path": "/memories/a.md", "insert_line": step, "insert_text": f"{step}"}
    tool.call(line)
"""


def test_a_program_that_keeps_reading_a_page_neither_stops_nor_kills_the_agent_that_writes_it(
    tool: WorkspaceMemoryTool, workspace: Folder
) -> None:
    said(tool, {"command": "create", "path": "/memories/a.md", "file_text": ""})
    page = workspace.path / "memories/a.md"
    agent = subprocess.Popen([sys.executable, "-c", EDITING, workspace.path], cwd=ROOT, stderr=subprocess.PIPE)
    until(lambda: page.read_text() or agent.poll() is not None, 30, "it writes")
    while agent.poll() is None:
        page.read_text()
    _, err = agent.communicate()
    assert (agent.returncode, err.decode()[-500:]) == (0, "")
    assert page.read_text().split() == [str(step) for step in range(30)]


def test_many_tools_at_one_page_lose_no_line(workspace: Folder) -> None:
    said(WorkspaceMemoryTool(workspace.path), {"command": "create", "path": "/memories/a.md", "file_text": ""})

    async def main() -> list[bool]:
        tool = AsyncWorkspaceMemoryTool(workspace.path)

        async def insert(number: int) -> bool:
            command = {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": f"line {number}"}
            try:
                await tool.call(command)
            except ToolError:
                return False
            return True

        return await asyncio.gather(*map(insert, range(20)))

    done = asyncio.run(main())
    lines = (workspace.path / "memories/a.md").read_text().split()[1::2]
    assert (sorted(map(int, lines)), all(done)) == (list(range(20)), True)


class Model(http.server.BaseHTTPRequestHandler):
    """Stands in for POST /v1/messages: gives the next reply of its script, and keeps what it was asked."""

    script: list[list[dict[str, Any]]]
    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        content = self.script.pop(0)
        reply = {
            "id": "m", "type": "message", "role": "assistant", "model": "stand-in", "content": content,
            "stop_reason": "tool_use" if content[0]["type"] == "tool_use" else "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }  # fmt: skip
        sent = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    uses = [
        {"command": "view", "path": "/memories"},
        {"command": "create", "path": "/memories/口味.md", "file_text": "喜欢手冲咖啡。\n"},
        {"command": "create", "path": "/memories/key.md", "file_text": "AKIAIOSFODNN7EXAMPLQ"},
    ]
    Model.script = [
        [{"type": "tool_use", "id": f"t{number}", "name": "memory", "input": one}] for number, one in enumerate(uses)
    ]
    Model.script.append([{"type": "text", "text": "Done."}])
    Model.asked = []
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("blocking", [True, False], ids=["blocking", "asyncio"])
def test_the_clients_own_tool_loop_writes_a_page_and_is_told_of_the_secret(
    workspace: Folder, model: str, blocking: bool
) -> None:
    asked: dict[str, Any] = {
        "model": "stand-in", "max_tokens": 100, "messages": [{"role": "user", "content": "记住：我喜欢手冲咖啡。"}],
    }  # fmt: skip

    async def loop() -> Any:
        async with anthropic.AsyncAnthropic(api_key="none", base_url=model) as client:
            runner = client.beta.messages.tool_runner(**asked, tools=[AsyncWorkspaceMemoryTool(workspace.path)])
            return await runner.until_done()

    if blocking:
        with anthropic.Anthropic(api_key="none", base_url=model) as client:
            last = client.beta.messages.tool_runner(**asked, tools=[WorkspaceMemoryTool(workspace.path)]).until_done()
    else:
        last = asyncio.run(loop())
    assert last.content[0].text == "Done."
    assert Model.asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    results = [request["messages"][-1]["content"][0] for request in Model.asked[1:]]
    assert "File created successfully at: /memories/口味.md" in str(results[1]["content"])
    assert [one.get("is_error", False) for one in results] == [False, False, True]
    assert "a secret (aws)" in str(results[2]["content"])
    assert tree_of(workspace.path / "memories") == {"口味.md": "喜欢手冲咖啡。\n".encode()}


def test_the_example_of_the_documentation_runs(
    workspace: Folder, model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/adapters.md").read_text("utf-8"), re.DOTALL)
    (example,) = (one for one in blocks if "WorkspaceMemoryTool" in one)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", model)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    exec(compile(example.replace('"my-memory"', repr(str(workspace.path))), "adapters.md", "exec"), {})
    assert capsys.readouterr().out == "Done.\n"
    assert (workspace.path / "memories/口味.md").exists()


def test_a_rename_that_cannot_be_leaves_nothing_behind_and_says_so_in_plain_words(
    tool: WorkspaceMemoryTool, workspace: Folder
) -> None:
    said(tool, {"command": "create", "path": "/memories/计划/b.md", "file_text": "x"})
    before = tree_of(workspace.path / "memories")
    into = {"command": "rename", "old_path": "/memories/计划", "new_path": "/memories/计划/旧/c"}
    gone = {"command": "rename", "old_path": "/memories/none.md", "new_path": "/memories/q/r/s.md"}
    assert "cannot be moved into itself" in said(tool, into)[1]
    assert said(tool, gone) == ("refused", "The path /memories/none.md does not exist")
    assert tree_of(workspace.path / "memories") == before


def test_a_name_that_some_system_would_confuse_with_another_is_refused(tool: WorkspaceMemoryTool) -> None:
    said(tool, {"command": "create", "path": "/memories/plan/Café.md", "file_text": "x"})
    for command in (
        {"command": "create", "path": "/memories/plan/CAFÉ.md", "file_text": "x"},
        {"command": "create", "path": "/memories/Plan/b.md", "file_text": "x"},
        {"command": "rename", "old_path": "/memories/plan/Café.md", "new_path": "/memories/PLAN/c.md"},
    ):
        kind, why = said(tool, command)
        assert (kind, "collides with the existing" in why) == ("refused", True), why
    renamed = {"command": "rename", "old_path": "/memories/plan/Café.md", "new_path": "/memories/plan/café.md"}
    assert said(tool, renamed)[0] == "said"
    why = said(tool, {"command": "create", "path": "/memories/a:b.md", "file_text": "x"})[1]
    assert "64 characters" not in why, "that is the rule for roles"
