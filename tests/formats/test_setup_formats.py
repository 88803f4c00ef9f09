"""Files of servers with memd's put in and taken out, and the record of a setup: every other byte stays."""

from __future__ import annotations

import json
import os
import tomllib

import pytest

from memd.errors import AgentSettingsError
from memd.formats.setup_files import (
    Kept,
    Record,
    dump_setup,
    is_of,
    load_setup,
    load_toml,
    with_server,
    without_server,
    words_of,
)

WORDS = ["/opt/memd bin/memd", "mcp", "--workspace", '/home/小雨/我的 "记忆"\x7f']
JSON = (
    "{}", '{"a": 1}', '{\n    "a": [1, 2],\n    "mcpServers": {\n        "x": {}\n    }\n}\n', '{"mcpServers":{"x":{}},"b":2}',
    '{\r\n\t"theme": "暗"\r\n}\r\n', '\ufeff{"a": 1}', '{"servers": {"x": {}}, "mcp": {"y": {}}}',
)  # fmt: skip
TOML = (
    'model = "x"\n', 'model = "x"', "# 只有注释\r\n", '[mcp_servers.other]\ncommand = "x"\n', '[a]\nb = """\n[mcp_servers.memd]\n"""\n',
)  # fmt: skip


@pytest.mark.parametrize("agent", ["claude", "gemini", "vscode", "opencode"])
@pytest.mark.parametrize("text", JSON)
def test_what_was_put_into_json_is_read_back_and_leaves_no_trace(agent: str, text: str) -> None:
    new = with_server(text, "f", agent, WORDS)
    assert words_of(new, agent) == WORDS
    assert with_server(new, "f", agent, WORDS) == new
    assert without_server(new, "f", agent) == text
    before, after = json.loads(text.removeprefix("\ufeff")), json.loads(new.removeprefix("\ufeff"))
    assert all(after[key] == value for key, value in before.items() if key not in ("mcpServers", "servers", "mcp"))


@pytest.mark.parametrize("text", TOML)
def test_what_was_put_into_toml_is_read_back_and_keeps_all_else(text: str) -> None:
    new = with_server(text, "f", "codex", WORDS)
    assert words_of(new, "codex") == WORDS
    assert new.startswith(text)
    assert with_server(new, "f", "codex", WORDS) == new
    assert without_server(new, "f", "codex") == text
    later = f'{new}[later]\nx = "a"\n'
    assert tomllib.loads(without_server(later, "f", "codex")) == tomllib.loads(text) | {"later": {"x": "a"}}


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_another_program_of_ours_takes_the_place_of_the_old_one(agent: str) -> None:
    text = with_server("", "f", agent, WORDS)
    moved = ["/new/memd", *WORDS[1:]]
    assert words_of(with_server(text, "f", agent, moved), agent) == moved
    assert with_server(text, "f", agent, moved).count('memd"' if agent == "codex" else '"memd":') >= 1


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { memd = { command = "x" } }\n', "mcp_servers = 3\n", 'mcp_servers.memd.command = "x"\n',
        '[mcp_servers.memd]\nargs = []\ncommand = "x"\n',
    ],
)  # fmt: skip
def test_a_toml_that_is_written_otherwise_is_refused(text: str) -> None:
    with pytest.raises(AgentSettingsError):
        with_server(text, "f", "codex", WORDS)


@pytest.mark.parametrize("data", [b"\xff", b"a = ", b"[" * 5000])
def test_what_is_no_toml_is_told(data: bytes) -> None:
    with pytest.raises(AgentSettingsError, match=r"^f: "):
        load_toml(data, "f")


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        (["/x/memd", "mcp", "--workspace", "/w"], True),
        (["python", "-P", "-m", "memd", "mcp", "--workspace", "/w"], True),
        (["/x/memd", "mcp", "--workspace", "/other"], False),
        (["/x/memd", "mcp", "--workspace", "/w", "--role", "r"], False),
        (["/x/memd", "mcp"], False),
        (["/x/other", "mcp", "--workspace", "/w"], False),
        (["mcp", "--workspace", "/w"], False),
        (["/x/memd", "mcp", "--http", "/w"], False),
        ([], False),
    ],
)
def test_which_servers_are_memds_own(words: list[str], ours: bool) -> None:
    assert is_of(words, "/w", os.path.realpath) == ours


def test_a_record_says_again_what_it_was_told() -> None:
    files = [
        Kept("/a/记", "", "claude", there=True, before=b"\x00\xff", after="d"),
        Kept("/b", "/p", "", there=False, before=None, after=""),
    ]
    record = Record(
        "/w",
        {"memd.toml": "d"},
        files,
        ["/w"],
        ["trust"],
        git=True,
        units=True,
        served=True,
        starts=True,
        level="inbox",
    )
    assert load_setup(dump_setup(record)) == record


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b'{"form": 2}', b'{"form": 1}', b'{"form": 1, "workspace": "w", "files": [{"path": "x"}]}', b'{"form": 1, "files": [], "workspace": "w", "more": 1}', b'{"form": 1, "files": [], "workspace": "w", "folders": 3}', b'{"form": 1, "files": [], "workspace": "w", "made": {"memd.toml": 1}}', b'{"form": 1, "files": [], "workspace": "w", "folders": [1]}'],
)  # fmt: skip
def test_a_record_that_is_damaged_is_told(data: bytes) -> None:
    with pytest.raises(ValueError, match="it "):
        load_setup(data)
