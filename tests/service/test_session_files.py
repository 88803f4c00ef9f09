"""The files of sessions in other hands: torn, edited, foreign, removed, replaced; and in a daemon that is killed."""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.errors import SessionUnknownError
from memd.storage.system import System
from memd.store.opening import open_workspace
from tests.service.test_runs import written
from tests.service.test_sessions import append, lines, opened, say, shown
from tests.service.test_verbs import work
from tests.support import Daemon, Folder, until


def file_of(folder: Folder, session: str = "s") -> Path:
    (path,) = folder.path.glob(f"sessions/*/{session}.jsonl")
    return path


def foreign(folder: Folder, data: bytes | str, session: str = "s") -> Path:
    path = folder.path / f"sessions/2026-01/{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize(
    ("data", "texts", "counts"),
    [
        pytest.param('{"speaker":"user","content":"a"}\n{"speaker":"user","con', ["a"], {"foreign": 1, "damaged": 1}, id="torn end"),
        pytest.param('{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n', ["a", "b"], {"foreign": 2}, id="other keys"),
        pytest.param('{"speaker":"user","content":"a"}\r\n\r\n{"speaker":"user","content":"b"}\r\n', ["a", "b"], {"foreign": 2, "damaged": 0}, id="CR LF"),
        pytest.param('\ufeff{"speaker":"user","content":"a"}\n', ["a"], {"foreign": 1}, id="a byte order mark"),
        pytest.param(b'\xff\xfe\x00\n{"speaker":"user","content":"a"}\n\x00\x00\x00\n', ["a"], {"damaged": 2}, id="rubbish"),
        pytest.param('[1]\n55\n"x"\nnull\n{"speaker":"user","content":"a"}\n', ["a"], {"damaged": 4}, id="no objects"),
        pytest.param('{"content":"nobody said it"}\n{"kind":7,"speaker":[],"content":{}}\n{}\n', [], {"foreign": 3}, id="objects"),
        pytest.param('{"speaker":"user","content":"a"}\n' * 3, ["a"] * 3, {"foreign": 3}, id="the same said thrice"),
        pytest.param('{"a":' * 200 + "1" + "}" * 200 + "\n" + '{"speaker":"user","content":"a"}\n', ["a"], {"damaged": 1}, id="deep"),
        pytest.param('{"speaker":"user","content":"a","content":"b"}\n', [], {"damaged": 1}, id="a key twice"),
    ],
)  # fmt: skip
def test_lines_of_others_are_read_and_no_bad_line_costs_a_good_one(
    workspace: Folder, data: bytes | str, texts: list[str], counts: dict[str, int]
) -> None:
    path = foreign(workspace, data)
    before = path.read_bytes()

    async def steps(service: Local) -> None:
        assert await shown(service) == texts
        told = await service.call("session.get", session="s")
        assert {key: told.get(key, 0) for key in counts} == counts
        await append(service, say("from memd"))
        assert await shown(service) == [*texts, "from memd"]

    work(workspace, steps)
    assert path.read_bytes().startswith(before), "nothing of it was touched"
    assert json.loads(path.read_bytes().splitlines()[-1])["content"] == "from memd"

    async def again(service: Local) -> None:
        assert await shown(service) == [*texts, "from memd"]

    work(workspace, again)


@pytest.mark.parametrize("name", ["My talk of today", "2026-01-01_会话", ".hidden"])
def test_a_file_of_any_name_is_a_session_unless_it_is_hidden(workspace: Folder, name: str) -> None:
    foreign(workspace, '{"speaker":"user","content":"a"}\n', name)

    async def steps(service: Local) -> None:
        told = [one["session"] for one in (await service.call("session.search"))["sessions"]]
        assert told == ([] if name.startswith(".") else [name])

    work(workspace, steps)


def test_a_last_line_without_its_end_has_its_place_from_the_start(workspace: Folder) -> None:
    foreign(workspace, '{"speaker":"user","content":"a"}\n{"speaker":"user","content":"b"}')

    async def steps(service: Local) -> None:
        told = await service.call("session.append", session="s", events=[say("c")])
        await written(service)
        again = await service.call("session.append", session="s", events=[say("d")], after=told["count"])
        assert again["events"][0]["seq"] == told["events"][0]["seq"] + 1

    work(workspace, steps)


def test_an_edited_line_counts_as_it_stands_and_is_told(workspace: Folder) -> None:
    async def begin(service: Local) -> None:
        await opened(service, say("one"), say("two"), say("three"))

    work(workspace, begin)
    path = file_of(workspace)
    text = path.read_text("utf-8").replace('"two"', '"zwei"')
    path.write_text(text + text.splitlines(keepends=True)[-1], "utf-8")

    async def look(service: Local) -> None:
        assert await shown(service) == ["one", "zwei", "three"]
        told = await service.call("session.get", session="s")
        assert (told["foreign"], told["twice"], told["events"]) == (1, 1, 4)

    work(workspace, look)


def test_a_line_that_a_person_copied_and_changed_is_not_lost(workspace: Folder) -> None:
    async def begin(service: Local) -> None:
        await opened(service, say("one"))

    work(workspace, begin)
    path = file_of(workspace)
    text = path.read_text("utf-8")
    path.write_text(text + text.splitlines(keepends=True)[-1].replace("one", "one and a half"), "utf-8")

    async def look(service: Local) -> None:
        assert await shown(service) == ["one", "one and a half"]

    work(workspace, look)


def test_what_others_write_into_an_open_session_is_taken_in_at_the_next_look(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, say("one"))
        await written(service)
        with file_of(workspace).open("a", encoding="utf-8") as file:
            file.write('{"speaker":"user","content":"by hand 手写"}\n')
        assert await shown(service) == ["one", "by hand 手写"]
        await append(service, say("two"))
        assert await shown(service) == ["one", "by hand 手写", "two"]

    work(workspace, steps)
    assert [one.get("content") for one in lines(workspace)] == [None, "one", "by hand 手写", "two"]


def test_a_session_whose_file_is_replaced_or_removed_is_as_the_file_is(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, say("one"), say("two"))
        await written(service)
        path = file_of(workspace)
        other = path.with_suffix(".new")
        other.write_text('{"speaker":"user","content":"instead"}\n', "utf-8")
        other.replace(path)
        assert await shown(service) == ["instead"]
        await append(service, say("more"))
        assert await shown(service) == ["instead", "more"]
        await written(service)
        path.unlink()
        for method, given in (("session.append", {"events": [say("x")]}), ("session.get", {}), ("session.history", {})):
            with pytest.raises(SessionUnknownError):
                await service.call(method, session="s", **given)
        await opened(service, say("anew"))
        assert await shown(service) == ["anew"]

    work(workspace, steps)
    assert [one.get("content") for one in lines(workspace)] == [None, "anew"]


class Meanwhile(System):
    """A system in which somebody else appends a line just before memd appends its own."""

    line = b""

    def write(self, handle: int, data: bytes | memoryview) -> int:
        if self.line and b'"mine"' in bytes(data) and os.readlink(f"/proc/self/fd/{handle}").endswith("/s.jsonl"):
            line, self.line = self.line, b""
            super().write(handle, line)
        return super().write(handle, data)


def test_a_line_that_came_at_the_very_moment_of_ours_is_taken_in(workspace: Folder) -> None:
    async def steps() -> None:
        place, system = Place(str(workspace.path), "", ""), Meanwhile()
        there = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"}, system=system)
        try:
            service = Local(there, service_of(there, place))
            await opened(service, say("one"))
            system.line = b'{"speaker":"user","content":"theirs"}\n'
            await append(service, say("mine"))
            await written(service)
            assert sorted(await shown(service)) == ["mine", "one", "theirs"]
        finally:
            await there.close()

    asyncio.run(steps())


def burst(path: Path, texts: list[str], acknowledged: list[str]) -> None:
    """Append without waiting for replies, and note what was acknowledged until the connection breaks."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.settimeout(10)
        params: list[dict[str, Any]] = [{"session": "s", "events": [say(text), say(f"Re: {text}")]} for text in texts]
        frames = [
            json.dumps({"jsonrpc": "2.0", "id": number, "method": "session.append", "params": one})
            for number, one in enumerate(params)
        ]
        try:
            client.sendall(("\n".join(frames) + "\n").encode())
            with client.makefile("rb") as replies:
                for line in replies:
                    reply = json.loads(line)
                    assert "result" in reply, reply
                    acknowledged.append(texts[reply["id"]])
        except (ConnectionError, TimeoutError):
            return


def test_no_acknowledged_event_is_lost_or_doubled_by_kills(workspace: Folder, short_dir: Path) -> None:
    chance = random.Random(6)
    daemon = Daemon(workspace, short_dir / "s")
    daemon.start()
    daemon.call("session.open", session="s")
    daemon.stop()
    acknowledged: list[str] = []
    for number in range(10):
        daemon.start()
        texts = [f"Round {number} event {n} 第{n}条 {chance.getrandbits(48):x}" for n in range(80)]
        sender = threading.Thread(target=burst, args=(short_dir / "s", texts, acknowledged))
        sender.start()
        enough = len(acknowledged) + chance.randint(0, 40)
        until(lambda: len(acknowledged) >= enough or not sender.is_alive(), 30, "some are acknowledged")  # noqa: B023
        time.sleep(chance.uniform(0.0, 0.05))  # the kill must come at a moment nobody chose
        daemon.kill()
        sender.join()
    daemon.start()
    told = daemon.call("session.get", session="s")
    daemon.stop()
    said = [one["content"] for one in lines(workspace) if one["kind"] == "message"]
    assert len(acknowledged) > 50
    assert len(said) == len(set(said)) == told["events"] - 1, "each once"
    assert {text for one in acknowledged for text in (one, f"Re: {one}")} <= set(said)
    kept = [one for one in said if not one.startswith("Re: ")]
    assert [one for one in kept if one in set(acknowledged)] == acknowledged, "in the order of the acknowledgements"
    assert "damaged" not in told
