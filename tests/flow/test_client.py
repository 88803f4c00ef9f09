"""The clients: blocking and asyncio, each call with a deadline."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memd import PROTOCOL
from memd.client import AsyncClient, Client, find_workspace
from memd.doors.socket import Server
from memd.errors import (
    BadFrameError,
    BadReplyError,
    BadSocketError,
    ClientClosedError,
    DaemonMissingError,
    DeadlineError,
    RemoteError,
    WorkspaceMissingError,
)
from tests.doors.test_socket import serving
from tests.support import Daemon, Folder, memd


def test_a_daemon_that_hangs_is_told_after_the_deadline(daemon: Daemon) -> None:
    assert daemon.process is not None
    with daemon.client(deadline_s=0.3) as client:
        client.call("ping")
        os.kill(daemon.process.pid, signal.SIGSTOP)
        try:
            with pytest.raises(DeadlineError, match=r"ping was not answered within 0\.3 s"):
                client.call("ping")
        finally:
            os.kill(daemon.process.pid, signal.SIGCONT)

    async def waits() -> None:
        assert daemon.process is not None
        async with AsyncClient(str(daemon.socket), deadline_s=0.3) as client:
            await client.call("ping")
            os.kill(daemon.process.pid, signal.SIGSTOP)
            try:
                with pytest.raises(DeadlineError):
                    await client.call("ping")
            finally:
                os.kill(daemon.process.pid, signal.SIGCONT)

    asyncio.run(waits())


def test_no_daemon_is_one_clear_error(short_dir: Path) -> None:
    with pytest.raises(DaemonMissingError, match="no daemon answers"):
        Client(str(short_dir / "nothing"))

    async def connect() -> None:
        await AsyncClient(str(short_dir / "nothing")).connect()

    with pytest.raises(DaemonMissingError):
        asyncio.run(connect())


def test_a_daemon_that_dies_ends_what_waits(daemon: Daemon) -> None:
    with daemon.client() as client:
        client.call("ping")
        daemon.kill()
        with pytest.raises(DaemonMissingError):
            client.call("ping")


def test_an_error_of_the_daemon_has_its_code_and_hint(daemon: Daemon) -> None:
    with daemon.client() as client, pytest.raises(RemoteError) as refused:
        client.call("trigger", role="nobody", message="x")
    assert (refused.value.code, refused.value.number) == ("role.unknown", -32002)
    assert refused.value.hint.startswith("Name one")


@pytest.mark.demo
def test_what_cannot_be_sent_is_refused_before_it_is_sent(daemon: Daemon) -> None:
    with daemon.client() as client:
        for bad in ("\ud800", float("nan")):
            with pytest.raises(BadFrameError):
                client.call("trigger", role="nora", message=bad)
        assert client.call("ping")["pong"]


def test_a_large_reply_arrives_whole(workspace: Folder, short_dir: Path) -> None:
    workspace.write("main", *(f"Fact {n}: " + "long " * 140 for n in range(500)))
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    try:
        assert len(daemon.call("memory.list", role="main", limit=1000)["memories"]) == 500
    finally:
        daemon.stop()


@pytest.mark.demo
def test_the_nearest_workspace_above_is_found(
    workspace: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(workspace.path / "roles/nora")
    assert find_workspace() == str(workspace.path.resolve())
    monkeypatch.setenv("MEMD_WORKSPACE", str(workspace.path))
    monkeypatch.chdir(tmp_path)
    assert find_workspace() == str(workspace.path.resolve())
    with pytest.raises(WorkspaceMissingError):
        find_workspace(str(tmp_path))


def test_a_socket_in_a_directory_others_may_enter_is_refused(workspace: Folder, short_dir: Path) -> None:
    open_dir = short_dir / "open"
    open_dir.mkdir(mode=0o755)
    daemon = Daemon(workspace, open_dir / "s")
    with pytest.raises(AssertionError, match="nobody else may enter"):
        daemon.start()


def test_a_file_in_the_sockets_place_is_refused_and_stays(workspace: Folder, short_dir: Path) -> None:
    (short_dir / "notes.txt").write_text("mine")
    daemon = Daemon(workspace, short_dir / "notes.txt")
    with pytest.raises(AssertionError, match="not a socket of ours"):
        daemon.start()
    assert (short_dir / "notes.txt").read_text() == "mine"


STRANGER = """
import os, socket, sys
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
os.setuid(65534)
listening.listen()
print("listening", flush=True)
listening.settimeout(20)
for _ in range(2):
    connected, _ = listening.accept()
    connected.settimeout(20)
    print(repr(connected.recv(100)), flush=True)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_nothing_is_sent_to_another_users_socket(short_dir: Path) -> None:
    path = str(short_dir / "s")
    short_dir.chmod(0o777)
    with subprocess.Popen([sys.executable, "-c", STRANGER, path], stdout=subprocess.PIPE, text=True) as stranger:
        assert stranger.stdout is not None
        assert stranger.stdout.readline() == "listening\n"
        with pytest.raises(BadSocketError, match="another user"):
            Client(path)
        with pytest.raises(BadSocketError, match="another user"):
            asyncio.run(AsyncClient(path).connect())
        assert [stranger.stdout.readline() for _ in range(2)] == ["b''\n", "b''\n"]


REPLIES = {
    "garbage": b"\xff\x00garbage\n",
    "a web server": b"HTTP/1.1 400 Bad Request\n\n",
    "a list": b"[]\n",
    "null": b"null\n",
    "no result": b'{"jsonrpc":"2.0","id":1}\n',
    "another protocol": b'{"id":1,"result":{}}\n',
    "an odd error": b'{"jsonrpc":"2.0","id":1,"error":"no"}\n',
    "nested too deep": b"[" * 100_000 + b"\n",
}


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_another_program_at_the_socket_is_told_as_such(short_dir: Path, workspace: Folder, reply: bytes) -> None:
    def serve() -> None:
        for _ in range(3):
            connected, _ = listening.accept()
            with connected:
                connected.recv(65536)
                connected.sendall(reply)

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(short_dir / "s"))
        listening.listen()
        listening.settimeout(20)
        serving = threading.Thread(target=serve)
        serving.start()
        with pytest.raises(BadReplyError), Client(str(short_dir / "s")) as client:
            client.call("ping")

        async def ask() -> None:
            async with AsyncClient(str(short_dir / "s")) as client:
                await client.call("ping")

        with pytest.raises(BadReplyError):
            asyncio.run(ask())
        ran = memd("status", "-w", str(workspace.path), check=False, env={"MEMD_SOCKET": str(short_dir / "s")})
        assert ran.returncode == 73
        assert "is not memd" in ran.stderr
        serving.join()


def test_a_client_that_is_closed_says_so_in_every_thread(short_dir: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(short_dir / "s"))
        listening.listen()
        client = Client(str(short_dir / "s"), deadline_s=30)
        told: list[type[BaseException]] = []

        def ask() -> None:
            try:
                client.call("ping")
            except Exception as error:
                told.append(type(error))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        with listening.accept()[0] as other:
            other.recv(1)  # the first of them waits for its answer
            client.close()
            for thread in threads:
                thread.join(30)
    assert told == [ClientClosedError] * 4
    with pytest.raises(ClientClosedError, match="was closed"):
        client.call("ping")


def asked_in_vain(client: Client) -> None:
    with suppress(ClientClosedError):
        client.call("ping")


def test_a_call_that_waits_for_other_threads_keeps_its_deadline(short_dir: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(short_dir / "s"))
        listening.listen()
        with Client(str(short_dir / "s"), deadline_s=30) as client:
            first = threading.Thread(target=asked_in_vain, args=(client,))
            first.start()
            with listening.accept()[0] as other:
                other.recv(1)
                client.deadline_s = 0.1
                with pytest.raises(DeadlineError, match="stats was not answered"):
                    client.call("stats")
            client.close()  # else the first would look for the daemon again
            first.join(30)


async def asking(path: str) -> None:
    async with AsyncClient(path) as client:
        await client.call("ping")


async def hearing(path: str) -> None:
    async for _ in AsyncClient(path).events():
        break


@pytest.mark.parametrize("work", [asking, hearing])
def test_who_is_cancelled_ends_so_at_whatever_turn_of_the_loop_it_comes(
    workspace: Folder, short_dir: Path, work: Callable[[str], Coroutine[Any, Any, None]]
) -> None:
    async def steps(server: Server) -> None:
        for turns in itertools.count():
            task = asyncio.create_task(work(server.path))
            for _ in range(turns):
                await asyncio.sleep(0)
            if not task.cancel():
                break  # it had ended before
            await asyncio.wait({task})
            assert task.cancelled(), f"the cancellation after {turns} turns is lost"
        assert turns > 5

    serving(workspace, short_dir, steps)


def test_what_is_spoken_is_told_and_a_newer_one_is_refused_by_name(daemon: Daemon) -> None:
    with daemon.client() as client:
        assert client.call("ping", protocol=PROTOCOL)["protocol"] == PROTOCOL
        assert client.call("rpc.discover")["info"]["x-protocol"] == PROTOCOL
        with pytest.raises(RemoteError, match=f"protocol {PROTOCOL + 1} was asked for") as refused:
            client.call("ping", protocol=PROTOCOL + 1)
    assert refused.value.code == "protocol.version"
    assert refused.value.hint.startswith("Restart")
