"""Whatever comes in is answered with a clear error, and the daemon goes on."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import socket
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memd.errors import RemoteError
from tests.support import Daemon, Folder, memd, until

pytestmark = pytest.mark.demo

CALL = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PARSE, INVALID, UNKNOWN, PARAMS = -32700, -32600, -32601, -32602


def frame(**members: Any) -> bytes:
    return json.dumps({**CALL, **members}).encode()


def trigger(**params: Any) -> bytes:
    return frame(method="trigger", params={"role": "nora", "message": "hello", **params})


FRAMES = [
    pytest.param(b"hello", PARSE, id="no JSON"),
    pytest.param(b"{", PARSE, id="an open brace"),
    pytest.param(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"', PARSE, id="a cut frame"),
    pytest.param(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"} x', PARSE, id="something behind"),
    pytest.param(b"\xff\xfe{\x00}\x00", PARSE, id="UTF-16"),
    pytest.param(b'{"a": "\xc3\x28"}', PARSE, id="broken UTF-8"),
    pytest.param(b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', PARSE, id="a key twice"),
    pytest.param(b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', PARSE, id="NaN"),
    pytest.param(b'{"jsonrpc": "2.0", "id": -Infinity, "method": "ping"}', PARSE, id="minus infinity"),
    pytest.param(b'{"jsonrpc": "2.0", "id": 1e400, "method": "ping"}', PARSE, id="1e400"),
    pytest.param(b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b', "method": "ping"}', PARSE, id="5,000 digits"),
    pytest.param(b"[" * 100_000, PARSE, id="100,000 brackets"),
    pytest.param(b'{"a":' * 70 + b"1" + b"}" * 70, PARSE, id="depth 70"),
    pytest.param(b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}', PARSE, id="a lone surrogate"),
    pytest.param(b'{"jsonrpc": "2.0", "id": 1, "method": "a\\u0000b"}', PARSE, id="a NUL"),
    pytest.param(b'{"jsonrpc": "2.0", "id": 1, "method": "a\tb"}', PARSE, id="a raw tab in a text"),
    pytest.param(b"[]", INVALID, id="an empty batch"),
    pytest.param(b"[" + json.dumps(CALL).encode() + b"]", INVALID, id="a batch"),
    pytest.param(b"42", INVALID, id="a number"),
    pytest.param(b'"ping"', INVALID, id="a text"),
    pytest.param(b"null", INVALID, id="null"),
    pytest.param(b'{"id": 1, "method": "ping"}', INVALID, id="no version"),
    pytest.param(frame(jsonrpc="1.0"), INVALID, id="another version"),
    pytest.param(frame(id=[1]), INVALID, id="a list as id"),
    pytest.param(frame(id=True), INVALID, id="true as id"),
    pytest.param(frame(method=7), INVALID, id="a number as method"),
    pytest.param(frame(extra=1), INVALID, id="an unknown member"),
    pytest.param(frame(method="nothing.here"), UNKNOWN, id="an unknown method"),
    pytest.param(frame(method="__init__"), UNKNOWN, id="a name of Python's"),
    pytest.param(frame(params=[1, 2]), PARAMS, id="parameters by position"),
    pytest.param(frame(params={"x": 1}), PARAMS, id="an unknown parameter"),
    pytest.param(trigger(role=5), PARAMS, id="a number as role"),
    pytest.param(trigger(budget=-5), PARAMS, id="a negative budget"),
    pytest.param(trigger(budget="much"), PARAMS, id="a text as budget"),
    pytest.param(trigger(position="nowhere"), PARAMS, id="an unknown position"),
    pytest.param(trigger(messages="hello"), PARAMS, id="a text as messages"),
    pytest.param(trigger(now="yesterday-ish"), PARAMS, id="no time"),
    pytest.param(frame(method="trigger", params={"role": "nora"}), PARAMS, id="no message"),
    pytest.param(frame(method="remember", params={"role": "nora", "content": ""}), PARAMS, id="nothing to remember"),
]


def exchange(daemon: Daemon, data: bytes) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(daemon.socket))
        client.settimeout(10)
        client.sendall(data + b"\n")
        with client.makefile("rb") as lines:
            reply: dict[str, Any] = json.loads(lines.readline())
            return reply


def test_every_bad_frame_gets_its_error_and_the_daemon_lives(daemon: Daemon) -> None:
    assert len(FRAMES) >= 30
    for case in FRAMES:
        data, number = case.values
        assert isinstance(data, bytes)
        error = exchange(daemon, data)["error"]
        assert error["code"] == number, (case.id, error)
        assert error["data"]["code"].split(".")[0] in ("frame", "request", "method", "params"), case.id
        assert error["data"]["hint"][0].isupper(), case.id
        assert exchange(daemon, json.dumps(CALL).encode())["result"]["pong"]


def test_a_bad_frame_costs_its_connection_nothing(daemon: Daemon) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(daemon.socket))
        client.sendall(
            b"rubbish\n" + json.dumps(CALL).encode() + b"\n\n" + json.dumps({**CALL, "id": "二"}).encode() + b"\n"
        )
        with client.makefile("rb") as lines:
            replies = [json.loads(lines.readline()) for _ in range(3)]
    assert replies[0]["id"] is None
    assert [reply["id"] for reply in replies[1:]] == [1, "二"]


def test_a_frame_over_the_limit_is_told_and_closed(daemon: Daemon) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(daemon.socket))
        client.settimeout(10)
        with contextlib.suppress(BrokenPipeError):
            client.sendall(b"x" * 1_200_000)
        with client.makefile("rb") as lines:
            assert json.loads(lines.readline())["error"]["data"]["code"] == "frame.too_large"
    assert daemon.call("ping")["pong"]


def test_a_frame_that_is_never_finished_is_dropped_and_others_are_served(daemon: Daemon) -> None:
    slow = []
    for _ in range(100):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(daemon.socket))
        client.sendall(b'{"jsonrpc"')
        client.settimeout(9)
        slow.append(client)
    assert daemon.call("ping")["pong"]
    for client in slow:
        with client.makefile("rb") as lines:
            assert json.loads(lines.readline())["error"]["data"]["code"] == "frame.slow"
        client.close()
    assert daemon.call("ping")["pong"]


def test_the_hundred_and_twenty_ninth_client_is_refused_with_the_figures(daemon: Daemon) -> None:
    clients = []
    try:
        for _ in range(128):
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(daemon.socket))
            clients.append(client)
        with socket.socket(socket.AF_UNIX) as one_more:
            one_more.connect(str(daemon.socket))
            with one_more.makefile("rb") as lines:
                error = json.loads(lines.readline())["error"]
        assert error["data"]["code"] == "limit.clients"
        assert "limit 128" in error["message"]
    finally:
        for client in clients:
            client.close()


@pytest.mark.parametrize(
    "name",
    ["../x", "a/b", "a\\b", ".", "..", ".hidden", "-dash", "dot.", "CON", "nul.txt", "x" * 65, "", " ", "a b", "a\tb",
     "ｎａｍｅ" * 20, "a:b", "名" * 70, "emoji😀", "ctrl\x01"],
    ids=repr,
)  # fmt: skip
def test_bad_names_are_refused_by_the_rule_they_break(standing: Daemon, name: str) -> None:
    before = sorted(os.listdir(standing.folder.path / "roles"))
    with pytest.raises(RemoteError) as refused:
        standing.call("role.create", name=name)
    assert refused.value.code == "name.bad"
    assert sorted(os.listdir(standing.folder.path / "roles")) == before


@pytest.mark.parametrize("name", ["NORA", "nora", "Ｎora", "MAIN"])
def test_a_name_that_collides_after_folding_is_refused(standing: Daemon, name: str) -> None:
    with pytest.raises(RemoteError) as refused:
        standing.call("role.create", name=name)
    assert refused.value.code == "name.taken"


def test_a_nul_in_a_name_never_reaches_a_path(daemon: Daemon) -> None:
    assert exchange(daemon, frame(method="role.create", params={"name": "a\0b"}))["error"]["code"] == PARSE


def test_links_and_pipes_in_a_workspace_are_reported_and_never_followed(workspace: Folder, short_dir: Path) -> None:
    secret = short_dir / "secret"
    secret.mkdir()
    (secret / "memory.json").write_text('{"semantic": [{"id": "x", "content": "a secret"}]}')
    roles = workspace.path / "roles"
    (roles / "linked").symlink_to(secret)
    (roles / "inside").mkdir()
    (roles / "inside/memory.json").symlink_to(secret / "memory.json")
    (roles / "pipe").mkdir()
    os.mkfifo(roles / "pipe/memory.json")
    (roles / "device").mkdir()
    (roles / "device/memory.json").symlink_to("/dev/zero")
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    try:
        rejected = "\n".join(daemon.call("status")["rejected"])
        for name in ("roles/linked", "roles/inside/memory.json", "roles/pipe/memory.json", "roles/device/memory.json"):
            assert name in rejected
        for role in ("inside", "pipe", "device"):
            with pytest.raises(RemoteError) as refused:
                daemon.call("trigger", role=role, message="secret")
            assert refused.value.code == "role.rejected"
            assert refused.value.hint
        with pytest.raises(RemoteError) as unknown:
            daemon.call("trigger", role="linked", message="secret")
        assert unknown.value.code == "role.unknown"
        assert daemon.call("trigger", role="nora", message="celadon")["activated"]
        assert (secret / "memory.json").read_text() == '{"semantic": [{"id": "x", "content": "a secret"}]}'
    finally:
        daemon.stop()


def test_a_broken_memory_file_is_left_alone_its_last_good_state_serves_and_nothing_is_lost(daemon: Daemon) -> None:
    path = daemon.folder.file("nora")
    good = path.read_text("utf-8")
    broken = good.replace('"episodic": [', '"episodic": [\n<<<<<<< HEAD\n', 1)
    path.write_text(broken, "utf-8")
    assert daemon.call("trigger", role="nora", message="the celadon glaze")["activated"], "the last good state serves"
    (fault,) = [one for one in daemon.call("status")["rejected"] if "nora" in one]
    assert fault.startswith("roles/nora/memory.json:4:")
    assert "conflict marker" in fault
    stored = daemon.call(
        "remember", role="nora", content="The kiln door must stay shut until 80 degrees.", explicit=True
    )
    assert stored["stored"]
    assert path.read_text("utf-8") == broken, "a person's broken file is not touched"
    path.write_text(good, "utf-8")
    daemon.stop()
    assert any("80 degrees" in text for text in daemon.folder.contents("nora"))


def test_a_file_that_is_broken_from_the_start_is_named_with_line_and_column(workspace: Folder, short_dir: Path) -> None:
    workspace.file("nora").write_text('{\n  "episodic": [\n    {"id": "1", "content": "x",}\n  ]\n}\n')
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    try:
        with pytest.raises(RemoteError) as refused:
            daemon.call("remember", role="nora", content="Something to keep.", explicit=True)
        assert refused.value.code == "role.rejected"
        assert "roles/nora/memory.json:3:" in str(refused.value)
        assert daemon.call("trigger", role="阿远", message="咖啡")["activated"]
    finally:
        daemon.stop()


def test_bad_settings_are_told_all_at_once_with_their_lines(workspace: Folder) -> None:
    text = (workspace.path / "memd.toml").read_text("utf-8")
    bad = text.replace("keyword = true", "keywrod = true").replace("budget_chars = 2000", "budget_chars = -1")
    (workspace.path / "memd.toml").write_text(bad, "utf-8")
    result = memd("up", "-w", str(workspace.path), check=False)
    assert result.returncode == 78
    line = bad[: bad.index("keywrod")].count("\n") + 1
    assert f"memd.toml:{line}:" in result.stderr
    assert "did you mean 'keyword'" in result.stderr
    assert "injection.budget_chars must be from 100" in result.stderr


def test_no_workspace_and_no_role_are_usage_and_data_errors(workspace: Folder, tmp_path: Path) -> None:
    assert memd("trigger", "main", "hello", cwd=tmp_path, check=False).returncode == 2
    result = memd("trigger", "nobody", "hello", "-w", str(workspace.path), check=False)
    assert result.returncode == 65
    assert "nora" in result.stderr
    assert "Try:" in result.stderr


def test_more_connections_than_there_are_handles_cost_a_try_a_second(daemon: Daemon) -> None:
    assert daemon.process is not None
    resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (40, 40))
    with contextlib.ExitStack() as clients:
        for _ in range(80):
            one = clients.enter_context(socket.socket(socket.AF_UNIX))
            one.connect(str(daemon.socket))
        time.sleep(3.5)  # each second it looks whether there are handles again
    until(partial(daemon.call, "ping"), 20, "it answers again")
    daemon.stop()
    assert 1 <= sum("out of system resource" in line for line in daemon.log) <= 10
