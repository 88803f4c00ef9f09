"""Clients that are shared, cut off, cancelled and closed, before daemons that end and start anew."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memd import PROTOCOL
from memd.client import AsyncClient, Client
from memd.client.wire import check_greeting
from memd.doors import socket as doors
from memd.doors.socket import Server
from memd.errors import ClientClosedError, DaemonLostError, DaemonMissingError, ProtocolVersionError
from tests.client.relays import relayed
from tests.doors.test_socket import serving
from tests.support import Daemon, Folder, until

THREADS, TURNS = 16, 12
BIG = {"kind": "message", "speaker": "user", "content": "长" * 300_000}  # 900 kB: more than a socket holds


def remember(number: int) -> dict[str, Any]:
    return {"role": "main", "content": f"Heron {number} nests at mile {number * 37}.", "explicit": True}


def remembered(daemon: Daemon) -> int:
    return int(daemon.call("memory.list", role="main")["total"])


def test_sixteen_threads_share_a_client_and_each_gets_its_own_answers(daemon: Daemon) -> None:
    wrong: list[object] = []

    def ask(client: Client, number: int) -> None:
        try:
            name = client.session.open(session=f"s{number}", title=f"第 {number} 次").session
            for turn in range(TURNS):
                event = {"kind": "message", "speaker": "user", "content": f"{number}-{turn}"}
                appended = client.session.append(session=name, events=[event])
                history = client.session.history(session=name, max_messages=1)
                found = client.session.get(session=name)
                answers = (history.messages[0]["content"], found.title, appended.events[0].id, client.ping().pong)
                if answers != (f"{number}-{turn}", f"第 {number} 次", history.messages[0]["id"], True):
                    wrong.append((number, turn, answers))
        except Exception as error:
            wrong.append(error)

    with daemon.client() as client:
        together(ask, client)
    assert wrong == []


def test_threads_go_on_together_after_the_daemon_was_started_anew(daemon: Daemon) -> None:
    wrong: list[object] = []

    def ask(client: Client, number: int) -> None:
        try:
            if not client.call("remember", **remember(number))["stored"]:
                wrong.append(number)
        except Exception as error:
            wrong.append(error)

    with daemon.client() as client:
        client.ping()
        daemon.stop()
        daemon.start()
        together(ask, client)
    assert wrong == []
    assert remembered(daemon) == THREADS


def together(ask: Callable[[Client, int], None], client: Client) -> None:
    threads = [threading.Thread(target=ask, args=(client, number)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
        assert not thread.is_alive()


# What holds of the client that blocks and of the one that awaits.


class Either:
    """One of the two clients, called in the same words."""

    def __init__(self, path: Path, loop: asyncio.Runner | None, **options: Any) -> None:
        self.loop, self.path = loop, str(path)
        self.client: Any = (AsyncClient if loop else Client)(self.path, deadline_s=30, **options)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        return self.waited(self.client.call(method, **params))  # type: ignore[no-any-return]

    def close(self) -> None:
        self.waited(self.client.close())

    def waited(self, found: Any) -> Any:
        async def wait() -> Any:
            return await found

        return self.loop.run(wait()) if self.loop else found


Making = Callable[..., Either]


@pytest.fixture(params=["blocking", "asyncio"])
def either(request: pytest.FixtureRequest) -> Iterator[Making]:
    loop = asyncio.Runner() if request.param == "asyncio" else None
    made: list[Either] = []

    def make(path: Path, **options: Any) -> Either:
        made.append(Either(path, loop, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()
    if loop:
        loop.close()


def test_after_a_restart_a_call_finds_the_daemon_again(daemon: Daemon, either: Making) -> None:
    client = either(daemon.socket)
    client.call("ping")
    for number in range(2):
        daemon.stop()
        daemon.start()
        assert client.call("remember", **remember(number))["stored"], "nothing had gone to the one that ended"
    assert remembered(daemon) == 2
    daemon.stop()
    with pytest.raises(DaemonMissingError, match="no daemon answers") as told:
        client.call("remember", **remember(2))
    assert not isinstance(told.value, DaemonLostError), "it was surely not carried out"
    daemon.start()
    assert client.call("remember", **remember(3))["stored"]


def test_what_writes_and_was_not_answered_is_not_sent_again(daemon: Daemon, either: Making, short_dir: Path) -> None:
    with relayed(daemon.socket, short_dir / "relay", unanswered=["remember"]) as relay:
        client = either(relay.path)
        with pytest.raises(DaemonLostError, match="whether this was done is not known"):
            client.call("remember", **remember(0))
        assert (relay.count("remember"), remembered(daemon)) == (1, 1), "it was carried out, once"
        assert client.call("remember", **remember(1))["stored"], "the next call has a connection again"


def test_what_writes_nothing_and_was_not_answered_is_sent_again(
    daemon: Daemon, either: Making, short_dir: Path
) -> None:
    with relayed(daemon.socket, short_dir / "relay", unanswered=["role.get"]) as relay:
        client = either(relay.path)
        assert client.call("role.get", role="main")["name"] == "main"
        assert relay.count("role.get") == 2
        relay.unanswered += ["role.get", "role.get"]
        with pytest.raises(DaemonMissingError):
            client.call("role.get", role="main")
        assert relay.count("role.get") == 4, "once more, and no more"


def test_a_method_that_nobody_knows_may_have_written(daemon: Daemon, either: Making, short_dir: Path) -> None:
    with relayed(daemon.socket, short_dir / "relay", unanswered=["of.tomorrow"]) as relay:
        with pytest.raises(DaemonLostError):
            either(relay.path).call("of.tomorrow")
        assert relay.count("of.tomorrow") == 1


def test_half_a_frame_was_not_carried_out_and_is_sent_again(daemon: Daemon, either: Making, short_dir: Path) -> None:
    daemon.call("session.open", session="s")
    with relayed(daemon.socket, short_dir / "relay") as relay:
        client = either(relay.path)
        client.call("session.get", session="s")
        relay.cut_in.append(1000)
        client.call("session.get", session="s")
        assert client.call("session.append", session="s", events=[BIG])["events"]
        assert daemon.call("session.get", session="s")["visible"] == 1
        assert (relay.cut_in, relay.count("session.append")) == ([], 1)


def test_what_a_closed_client_is_asked_says_so(daemon: Daemon, either: Making) -> None:
    client = either(daemon.socket)
    client.call("ping")
    for _ in range(3):
        client.close()
    with pytest.raises(ClientClosedError, match="was closed") as told:
        client.call("ping")
    assert (told.value.code, told.value.hint.split()[0]) == ("client.closed", "Make")
    unused = either(daemon.socket)
    unused.close()
    with pytest.raises(ClientClosedError):
        unused.call("ping")


def test_a_daemon_of_an_older_protocol_is_told_before_anything_is_asked(daemon: Daemon, either: Making) -> None:
    client = either(daemon.socket, protocol=PROTOCOL + 1)
    for _ in range(2):
        with pytest.raises(ProtocolVersionError, match=rf"protocol {PROTOCOL + 1} .* speaks {PROTOCOL}"):
            client.call("remember", **remember(0))
    assert remembered(daemon) == 0
    assert client.call("ping")["protocol"] == PROTOCOL, "who answers may be asked all the same"
    assert either(daemon.socket, protocol=0).call("remember", **remember(0))["stored"]


def test_who_answers_is_asked_once_a_connection(daemon: Daemon, either: Making, short_dir: Path) -> None:
    with relayed(daemon.socket, short_dir / "relay") as relay:
        client = either(relay.path)
        for _ in range(3):
            client.call("role.list")
        assert relay.asked == ["ping", *["role.list"] * 3]


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(
            {"error": {"code": -32602, "message": "x", "data": {"code": "params.bad"}}}, id="it knows no number"
        ),
        pytest.param({"result": {"pong": True}}, id="it passes over the number"),
        pytest.param({"result": {"pong": True, "protocol": 1}}, id="an older number"),
    ],
)
def test_a_daemon_from_before_is_an_older_one(reply: dict[str, Any]) -> None:
    with pytest.raises(ProtocolVersionError, match="protocol 2 was asked for"):
        check_greeting(reply, 2, "/s")


def test_a_connection_that_was_silent_too_long_is_made_again(
    workspace: Folder, short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "FIRST_BYTE_S", 0.05)

    async def steps(server: Server) -> None:
        blocking = await asyncio.to_thread(Client, server.path)
        async with AsyncClient(server.path) as waiting:
            await asyncio.to_thread(until, lambda: not server.clients, 20, "the daemon closed what was silent")
            assert (await asyncio.to_thread(lambda: blocking.call("remember", **remember(0))))["stored"]
            assert (await waiting.call("remember", **remember(1)))["stored"]
        await asyncio.to_thread(blocking.close)

    serving(workspace, short_dir, steps)


# The client that awaits.


def test_calls_overlap_and_each_gets_its_own_answer(daemon: Daemon) -> None:
    async def ask(client: AsyncClient, number: int) -> None:
        name = (await client.session.open(session=f"s{number}")).session
        for turn in range(TURNS):
            event = {"kind": "message", "speaker": "user", "content": f"{number}-{turn}"}
            await client.session.append(session=name, events=[event])
            history, pong = await asyncio.gather(client.session.history(session=name, max_messages=1), client.ping())
            assert (history.messages[0]["content"], pong.pong) == (f"{number}-{turn}", True)

    async def all_of_them() -> None:
        async with AsyncClient(str(daemon.socket), deadline_s=60) as client:
            await asyncio.gather(*(ask(client, number) for number in range(THREADS)))

    asyncio.run(all_of_them())


def test_one_that_is_cancelled_takes_nothing_from_the_others(daemon: Daemon) -> None:
    """At whatever turn of the loop it comes: also before the connection is there, and amid a frame that is being sent."""

    async def ask(turns: int) -> bool:
        async with AsyncClient(str(daemon.socket), deadline_s=60) as client:
            await client.session.open(session=f"s{turns}")
            doomed = asyncio.create_task(client.session.append(session=f"s{turns}", events=[BIG]))
            others = [asyncio.create_task(client.call("role.get", role="main")) for _ in range(4)]
            for _ in range(turns):
                await asyncio.sleep(0)
            ended = not doomed.cancel()
            assert [one["name"] for one in await asyncio.gather(*others)] == ["main"] * 4
            await asyncio.wait({doomed})
            assert ended or doomed.cancelled()
            assert (await client.session.get(session=f"s{turns}")).session == f"s{turns}", "it goes on"
            return ended

    async def first_of_all(turns: int) -> None:
        client = AsyncClient(str(daemon.socket), deadline_s=60)
        doomed, other = (asyncio.create_task(client.call("role.get", role="main")) for _ in range(2))
        for _ in range(turns):
            await asyncio.sleep(0)
        doomed.cancel()  # it may be the one that connects, or that asks who answers
        assert (await other)["name"] == "main"
        await client.close()

    async def steps() -> None:
        for turns in (*range(12), 50, 200):
            await ask(turns)
            await first_of_all(turns)

    asyncio.run(steps())


def test_what_waits_when_it_is_closed_ends(daemon: Daemon, short_dir: Path) -> None:
    async def steps() -> None:
        client = AsyncClient(str(short_dir / "relay"), deadline_s=60)
        await client.call("ping")
        relay.unanswered.append("status")
        waiting = [asyncio.create_task(client.call("remember", **remember(number))) for number in range(3)]
        await asyncio.sleep(0)
        await asyncio.gather(client.close(), client.close())
        told = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(one) for one in told} == {ClientClosedError}

    with relayed(daemon.socket, short_dir / "relay") as relay:
        asyncio.run(steps())
