"""One connection: lines in, lines out, in the order that counts, within what the settings allow."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from memd.doors.socket import IN_FLIGHT, Server
from tests.service.test_verbs import opened
from tests.support import Folder

pytestmark = pytest.mark.demo

Steps = Callable[[Server], Awaitable[None]]


class Client:
    """A connection to a server in this process."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def of(cls, server: Server) -> Client:
        return cls(*await asyncio.open_unix_connection(server.path, limit=1 << 24))

    def send(self, *calls: tuple[str, dict[str, Any]], first: int = 0) -> None:
        frames = (
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            for number, (method, params) in enumerate(calls, first)
        )
        self.writer.write(b"".join(json.dumps(frame).encode() + b"\n" for frame in frames))

    async def replies(self, count: int) -> list[dict[str, Any]]:
        async with asyncio.timeout(30):
            return [json.loads(await self.reader.readline()) for _ in range(count)]

    async def ended(self) -> bytes:
        """All that comes until the other side closes."""
        async with asyncio.timeout(30):
            return await self.reader.read()

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


def serving(workspace: Folder, path: Path, steps: Steps) -> None:
    async def run() -> None:
        async with opened(workspace, daemon=True) as service:
            server = Server(service.service, str(path / "s"))
            await server.start()
            try:
                await steps(server)
            finally:
                await server.stop(5.0)

    asyncio.run(run())


def test_replies_of_one_role_come_in_order_though_another_role_is_quicker(workspace: Folder, short_dir: Path) -> None:
    async def steps(server: Server) -> None:
        client = await Client.of(server)
        slow = await server.service.store.role("main")
        await slow.turn.acquire()
        client.send(("trigger", {"role": "main", "message": "x"}), ("memory.list", {"role": "main"}), ("ping", {}))
        (quick,) = await client.replies(1)
        assert quick["id"] == 2, "what concerns no role overtakes"
        slow.turn.release()
        assert [one["id"] for one in await client.replies(2)] == [0, 1]
        await client.close()

    serving(workspace, short_dir, steps)


def test_what_builds_on_another_request_begins_when_that_has_ended(workspace: Folder, short_dir: Path) -> None:
    async def steps(server: Server) -> None:
        client = await Client.of(server)
        texts = [f"Fact {n} of many. 事实{n}。" for n in range(6)]
        changes = itertools.pairwise(texts)
        client.send(
            ("curated.add", {"file": "memory", "content": texts[0]}),
            *(("curated.replace", {"file": "memory", "old_text": old, "content": new}) for old, new in changes),
        )
        found = await client.replies(len(texts))
        assert [(one["id"], one.get("error")) for one in found] == [(n, None) for n in range(len(texts))]
        await client.close()

    serving(workspace, short_dir, steps)


def test_a_frame_as_long_as_the_limit_is_read_and_a_longer_one_ends_the_connection(
    workspace: Folder, short_dir: Path
) -> None:
    workspace.settings(daemon__frame_bytes=65_536)
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'

    async def steps(server: Server) -> None:
        for beyond, ended in ((0, b""), (1, b"\n")):
            client = await Client.of(server)
            client.writer.write(b" " * (server.frame_bytes - len(ping) + beyond) + ping + b"\n")
            (reply,) = await client.replies(1)
            assert ("error" in reply) is bool(beyond)
            if ended:
                assert await client.ended() == b""
            await client.close()
        endless = await Client.of(server)
        endless.writer.write(b"x" * (server.frame_bytes + 1))  # and never a line break
        assert b"longer than" in await endless.ended()
        await endless.close()

    serving(workspace, short_dir, steps)


def test_as_many_clients_as_the_settings_say_are_served_and_one_more_is_told(
    workspace: Folder, short_dir: Path
) -> None:
    workspace.settings(daemon__max_clients=2)

    async def steps(server: Server) -> None:
        clients = [await Client.of(server) for _ in range(2)]
        for client in clients:
            client.send(("ping", {}))
            assert "result" in (await client.replies(1))[0]
        refused = await Client.of(server)
        assert b"limit" in await refused.ended()
        await refused.close()
        await clients.pop().close()
        async with asyncio.timeout(20):
            while len(server.clients) > 1:
                await asyncio.sleep(0.005)
        again = await Client.of(server)
        again.send(("ping", {}))
        assert "result" in (await again.replies(1))[0]
        await again.close()
        await clients.pop().close()

    serving(workspace, short_dir, steps)


def test_more_requests_than_are_taken_at_once_are_all_answered(workspace: Folder, short_dir: Path) -> None:
    async def steps(server: Server) -> None:
        client = await Client.of(server)
        count = IN_FLIGHT * 3 + 1
        client.send(*[("ping", {})] * count)
        assert sorted(one["id"] for one in await client.replies(count)) == list(range(count))
        await client.close()

    serving(workspace, short_dir, steps)


def test_a_notification_is_carried_out_and_not_answered(workspace: Folder, short_dir: Path) -> None:
    async def steps(server: Server) -> None:
        client = await Client.of(server)
        told = {"jsonrpc": "2.0", "method": "role.create", "params": {"name": "told"}}
        client.writer.write(json.dumps(told).encode() + b"\n\n  \n")
        async with asyncio.timeout(20):
            while not (workspace.path / "roles/told").exists():
                await asyncio.sleep(0.005)
        client.send(("ping", {}), first=7)
        assert [one["id"] for one in await client.replies(1)] == [7]
        await client.close()

    serving(workspace, short_dir, steps)


@pytest.mark.parametrize("rest", [b"", b'{"jsonrpc":'])
def test_who_stops_sending_still_gets_what_was_asked(workspace: Folder, short_dir: Path, rest: bytes) -> None:
    async def steps(server: Server) -> None:
        client = await Client.of(server)
        client.send(("memory.list", {"role": "nora"}), ("trigger", {"role": "nora", "message": "celadon"}))
        client.writer.write(rest)
        client.writer.write_eof()
        found = [json.loads(line) for line in (await client.ended()).splitlines()]
        assert sorted(str(one["id"]) for one in found) == ["0", "1", *(["None"] if rest else [])]
        await client.close()

    serving(workspace, short_dir, steps)


def test_who_subscribed_and_went_is_told_nothing_more(workspace: Folder, short_dir: Path) -> None:
    async def steps(server: Server) -> None:
        listeners = server.service.store.happenings.listeners
        before = len(listeners)
        client = await Client.of(server)
        client.send(("subscribe", {}), ("subscribe", {}))
        await client.replies(2)
        assert len(listeners) == before + 1, "once, however often it is asked for"
        await client.close()
        async with asyncio.timeout(20):
            while len(listeners) > before:
                await asyncio.sleep(0.005)

    serving(workspace, short_dir, steps)


def test_a_stopped_server_answers_what_was_asked_and_leaves_no_socket(workspace: Folder, short_dir: Path) -> None:
    async def steps(server: Server) -> None:
        client = await Client.of(server)
        client.send(("trigger", {"role": "nora", "message": "celadon"}))
        async with asyncio.timeout(20):
            while not any(one.tasks for one in server.clients):
                await asyncio.sleep(0)
        await server.stop(5.0)
        assert json.loads(await client.ended())["id"] == 0
        assert not Path(server.path).exists()
        await client.close()

    serving(workspace, short_dir, steps)


def test_what_is_asked_beyond_the_bound_waits_unread_and_nothing_of_it_is_kept(
    workspace: Folder, short_dir: Path
) -> None:
    async def steps(server: Server) -> None:
        client = await Client.of(server)
        main = await server.service.store.role("main")
        await main.turn.acquire()
        count = IN_FLIGHT + 8
        client.send(*[("memory.list", {"role": "main"})] * count)
        async with asyncio.timeout(20):
            while not any(len(one.tasks) >= IN_FLIGHT for one in server.clients):
                await asyncio.sleep(0.005)
        (connection,) = server.clients
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(connection.tasks) == IN_FLIGHT
        main.turn.release()
        assert [one["id"] for one in await client.replies(count)] == list(range(count))
        async with asyncio.timeout(20):
            while connection.tasks or connection.last_of:
                await asyncio.sleep(0.005)
        await client.close()

    serving(workspace, short_dir, steps)


def test_after_a_refusal_nothing_more_is_taken_and_what_was_asked_is_answered(
    workspace: Folder, short_dir: Path
) -> None:
    workspace.settings(daemon__frame_bytes=65_536)

    async def steps(server: Server) -> None:
        client = await Client.of(server)
        main = await server.service.store.role("main")
        await main.turn.acquire()
        client.send(("memory.list", {"role": "main"}))
        client.writer.write(b"x" * (server.frame_bytes + 1) + b"\n")
        (told,) = await client.replies(1)
        assert told["error"]["data"]["code"] == "frame.too_large"
        client.send(("role.create", {"name": "late"}), first=5)
        await client.writer.drain()
        main.turn.release()
        assert [json.loads(line)["id"] for line in (await client.ended()).splitlines()] == [0]
        assert not (workspace.path / "roles/late").exists()
        await client.close()

    serving(workspace, short_dir, steps)
