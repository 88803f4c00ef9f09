"""Who subscribes hears what changes: by the socket, by an editor, and nothing of what it did not ask for."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from memd.client import AsyncClient, Client
from memd.errors import DaemonMissingError, RemoteError
from tests.support import Daemon

pytestmark = pytest.mark.demo


class Listener:
    """A raw connection, as a program in any language would have it."""

    def __init__(self, stack: ExitStack, daemon: Daemon, **params: Any) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(10)
        self.socket.connect(str(daemon.socket))
        self.lines = self.socket.makefile("rb")
        stack.callback(self.close)
        self.ask("subscribe", **params)
        self.reply = self.next()

    def close(self) -> None:
        self.lines.close()
        self.socket.close()

    def ask(self, method: str, **params: Any) -> None:
        frame = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        self.socket.sendall(json.dumps(frame).encode() + b"\n")

    def next(self) -> dict[str, Any]:
        line: dict[str, Any] = json.loads(self.lines.readline())
        return line

    def until(self, topic: str) -> dict[str, Any]:
        while (line := self.next()).get("params", {}).get("topic") != topic:
            pass
        found: dict[str, Any] = line["params"]
        return found


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as closing:
        yield closing


def test_a_stored_memory_is_told_with_its_id(daemon: Daemon, stack: ExitStack) -> None:
    listener = Listener(stack, daemon, topics=["memory"])
    assert listener.reply["result"] == {"subscribed": ["memory"], "roles": []}
    stored = daemon.call("remember", role="main", content="我住在杭州。", source="user", explicit=True)
    assert listener.next() == {
        "jsonrpc": "2.0",
        "method": "event",
        "params": {"topic": "memory", "role": "main", "ids": [stored["id"]], "more": False},
    }


def test_an_editors_save_is_told_whatever_file_it_is(daemon: Daemon, stack: ExitStack) -> None:
    listener = Listener(stack, daemon)
    (daemon.folder.path / "MEMORY.md").write_text("- 用户喜欢绿茶。\n", "utf-8")
    assert listener.until("curated")["name"] == "MEMORY.md"
    (daemon.folder.path / "page.md").write_text("A page about tea.\n", "utf-8")
    assert listener.until("file") == {"topic": "file", "name": "page.md", "kind": "page", "role": ""}
    daemon.folder.write("main", "The tea is in the left cupboard.")
    assert "id-00000" in listener.until("memory")["ids"]
    (daemon.folder.path / "roles/新角色").mkdir()
    assert listener.until("role") == {"topic": "role", "role": "新角色", "there": True}
    daemon.folder.settings(injection__budget_chars=1500)
    assert listener.until("settings") == {"topic": "settings"}


def test_a_subscriber_hears_only_the_topics_and_roles_it_named(daemon: Daemon, stack: ExitStack) -> None:
    daemon.call("role.create", name="另一个")
    listener = Listener(stack, daemon, topics=["memory"], roles=["另一个"])
    (daemon.folder.path / "MEMORY.md").write_text("- One.\n", "utf-8")
    daemon.call("remember", role="main", content="I live in Hamburg.", source="user", explicit=True)
    stored = daemon.call("remember", role="另一个", content="我住在汉堡。", source="user", explicit=True)
    assert listener.next()["params"]["ids"] == [stored["id"]]
    listener.ask("ping")
    assert listener.next()["id"] == "ping"


def test_what_is_of_no_role_is_told_whichever_roles_were_named(daemon: Daemon, stack: ExitStack) -> None:
    listener = Listener(stack, daemon, roles=["main"])
    (daemon.folder.path / "MEMORY.md").write_text("- One.\n", "utf-8")
    assert listener.until("curated")["name"] == "MEMORY.md"
    daemon.folder.settings(injection__budget_chars=1500)
    assert listener.until("settings") == {"topic": "settings"}


def test_a_subscriber_that_goes_is_forgotten(daemon: Daemon, stack: ExitStack) -> None:
    listener = Listener(stack, daemon)
    listener.close()
    daemon.call("remember", role="main", content="I live in Hamburg.", source="user", explicit=True)
    again = Listener(stack, daemon, topics=["memory"])
    daemon.call("remember", role="main", content="My sister lives in Kiel.", source="user", explicit=True)
    assert len(again.next()["params"]["ids"]) == 1


@pytest.mark.parametrize(
    ("params", "code"),
    [({"topics": ["weather"]}, "params.bad"), ({"roles": ["nobody"]}, "role.unknown"), ({"x": 1}, "params.bad")],
)
def test_what_cannot_be_subscribed_to_is_refused(standing: Daemon, params: dict[str, Any], code: str) -> None:
    with pytest.raises(RemoteError) as error:
        standing.call("subscribe", **params)
    assert error.value.code == code


def test_the_client_yields_events_until_the_daemon_ends(daemon: Daemon) -> None:
    async def listen() -> list[str]:
        heard: list[str] = []
        try:
            async for event in AsyncClient(str(daemon.socket)).events(topics=["memory"]):
                heard.append(event["topic"])
                if event["topic"] == "subscribed":
                    await asyncio.to_thread(daemon.call, "role.create", name="other")
                    await asyncio.to_thread(
                        daemon.call, "remember", role="other", content="Tea at five.", explicit=True
                    )
                else:
                    await asyncio.to_thread(daemon.kill)
        except DaemonMissingError:
            heard.append("the daemon is gone")
        return heard

    assert asyncio.run(listen()) == ["subscribed", "memory", "the daemon is gone"]


def test_the_client_that_blocks_yields_them_too(daemon: Daemon) -> None:
    with Client(str(daemon.socket)) as client:
        events = client.events(topics=["memory"])
        assert next(events)["topic"] == "subscribed"
        kept = client.call("remember", role="nora", content="Tea at five.", explicit=True)
        told = next(events)
        assert (told["topic"], told["role"], told["ids"]) == ("memory", "nora", [kept["id"]])
        daemon.kill()
        with pytest.raises(DaemonMissingError):
            next(events)
