"""No frame of any verb, however hostile its text, keeps another client waiting."""

from __future__ import annotations

import json
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.support import Daemon, Folder, own_places, until

HELD_S = 0.05
SUM_S = 0.0023  # what a sum takes a processor where HELD_S was set
PAUSE_S = 0.002
TRIES = 4
FRAME = 900_000  # bytes of JSON: nearly a whole frame


class Pings:
    """A client that pings all the time, and notes for how long the daemon worked at most before it answered.

    That is what the client waits on a quiet machine; on a busy one it waits for other processes too, and that is not told.
    """

    def __init__(self, daemon: Daemon) -> None:
        self.daemon, self.longest_s, self.count, self.ended = daemon, 0.0, 0, False
        self.thread = threading.Thread(target=self._ping, daemon=True)
        self.thread.start()

    def _ping(self) -> None:
        with self.daemon.client(120) as client:
            while not self.ended:
                worked_s, start_s = self._worked_s(), time.perf_counter()
                client.call("ping")
                waited_s = min(time.perf_counter() - start_s, self._worked_s() - worked_s)
                self.longest_s = max(self.longest_s, waited_s)
                self.count += 1
                time.sleep(PAUSE_S)

    def _worked_s(self) -> float:
        """Return the CPU seconds of the daemon's threads so far."""
        assert self.daemon.process is not None
        worked = 0
        for one in Path(f"/proc/{self.daemon.process.pid}/task").glob("*/schedstat"):
            with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile
                worked += int(one.read_text().split()[0])
        return worked / 1e9

    def longest(self) -> float:
        """Return the longest wait since the last question, the one that is under way included."""
        before = self.count
        until(lambda: self.count > before + 1, 60, "a ping is answered")
        found, self.longest_s = self.longest_s, 0.0
        return found


def slowness() -> float:
    """Return how many times as long as where HELD_S was set a processor takes here, now that others work beside it; at least 1."""
    took: list[float] = []
    for _ in range(9):
        start_s = time.thread_time()
        sum(n * n for n in range(50_000))
        took.append(time.thread_time() - start_s)
    return max(1.0, median(took) / SUM_S)


def of(unit: str, chars: int = 0) -> str:
    """Return a unit repeated to so many characters, or to as many as a frame holds."""
    times = chars // len(unit) + 1 if chars else FRAME // (len(json.dumps(unit, ensure_ascii=False).encode()) - 2)
    return (unit * times)[: chars or None]


def said(unit: str, speaker: str = "user", chars: int = 0) -> dict[str, Any]:
    return {"kind": "message", "speaker": speaker, "content": of(unit, chars)}


FRAMES: list[tuple[str, str, dict[str, Any]]] = [
    ("many apostrophes to curated.add", "curated.add", {"file": "memory", "content": of("'", 99_000)}),
    ("apostrophes that fit into MEMORY.md", "curated.add", {"file": "memory", "content": of("'", 2000)}),
    ("edits by the thousand", "curated.edit", {"file": "memory", "operations": [{"action": "add", "content": "a 'b"}] * 100}),
    ("a text of quotes to remember", "remember", {"role": "main", "content": of("'"), "explicit": True}),
    ("names of tokens to remember", "remember", {"role": "main", "content": of("token="), "explicit": True}),
    ("as long as a memory may be", "remember", {"role": "main", "content": of("密码是 ", 4000), "explicit": True}),
    ("many keys", "remember", {"role": "main", "content": "I like tea.", "explicit": True, "keys": [f"{n}' token=" for n in range(100)]}),
    ("score of unseen marks", "score", {"role": "main", "content": of("\u200e")}),
    ("an update", "memory.update", {"role": "main", "id": "id-00000", "content": of("token=")}),
    ("traits", "traits.update", {"role": "main", "traits": [{"name": "n", "value": of("'", 3900)}]}),
    ("a python one-liner to the guard", "guard.check", {"tool": "Bash", "input": {"command": "python3 -c '" + of('a\\"', 150_000) + "'"}}),
    ("a long script", "guard.check", {"tool": "Bash", "input": {"command": of("echo a >> MEMORY.md\n")}}),
    ("files that double", "guard.check", {"tool": "Bash", "input": {"command": "echo a > f;" + of("cat f f > g; cat g g > f;")}}),
    ("a program", "guard.check", {"tool": "Write", "input": {"file_path": "x.py", "content": of('a\\"', 150_000)}}),
    ("a memory file", "guard.check", {"tool": "Write", "input": {"file_path": "MEMORY.md", "content": of("a\n")}}),
    ("blocks of a patch", "guard.check", {"tool": "Edit", "input": {"path": "MEMORY.md", "diff": of("<<<<<\n-----\n")}}),
    ("another memory", "guard.check", {"tool": "mcp__mem0__add", "input": {"content": of("- a\n")}}),
    ("a message to the guard", "guard.check", {"message": of("，请记住")}),
    ("a hook's tool", "hook.event", {"agent": "claude", "event": "tool", "session": "h", "tool": "Bash", "input": {"command": "python -c '" + of('a\\"', 150_000)}}),
    ("a hook's prompt", "hook.event", {"agent": "claude", "event": "prompt", "session": "h", "message": of("'")}),
    ("a hook's reply", "hook.event", {"agent": "claude", "event": "stop", "session": "h", "reply": of("token=")}),
    ("an odd query", "search", {"query": of("(a OR ", 1900)}),
    ("a query of many words", "search", {"query": of("的 kiln ", 1900)}),
    ("marks of calls", "session.append", {"session": "s", "events": [said('<tool_call>{"name": ', "assistant")]}),
    ("tokens of calls", "session.append", {"session": "s", "events": [said("<|", "assistant")]}),
    ("names of secrets", "session.append", {"session": "s", "events": [said("token=")]}),
    ("thousands of events", "session.append", {"session": "s", "events": [said("eyJ-", chars=400)] * 1000}),
    ("what was said", "propose", {"role": "main", "messages": [{"speaker": "user", "content": of("I like 'tea'. ")}]}),
    ("one long sentence", "propose", {"role": "main", "messages": [{"speaker": "user", "content": of("password ")}]}),
    ("a session's sayings", "propose", {"role": "main", "session": "s"}),
    ("a long message", "trigger", {"role": "main", "messages": [of("春晚")]}),
    ("a message of words", "trigger", {"role": "main", "messages": [of("the kiln is hot ")]}),
    ("many messages", "trigger", {"role": "main", "messages": [of("昨天下午三点", 200)] * 600}),
    ("a role's name", "role.create", {"name": of("'", 190)}),
    ("a task's words", "task.open", {"title": "t", "asked": of("token=", 19_000)}),
    ("a list", "memory.list", {"role": "main"}),
    ("a snapshot", "snapshot.take", {}),
    ("a context", "context.render", {"role": "main", "message": "kiln"}),
    ("a trigger of long memories", "trigger", {"role": "main", "messages": ["What of the kiln?"]}),
    ("no frame of JSON", "ping", {"extra": json.loads("[" * 90 + "]" * 90)}),
    ("many members", "ping", {f"k{n}": n for n in range(30_000)}),
    ("many numbers", "ping", {"extra": [1] * 300_000}),
    ("many lists", "ping", {"extra": [[]] * 60_000}),
]  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon of a workspace whose files are hostile too."""
    place = tmp_path_factory.mktemp("hostile")
    folder = Folder.make(place / "w", demo=False)
    folder.settings(limits__scorings_per_day=1_000_000)
    kilns = (f"The kiln {n} says {of(unit, 3000)}" for n, unit in enumerate(("'", '"', "a", "-", "。") * 8))
    folder.write("main", *kilns, keywords=["kiln"])
    (folder.path / "MEMORY.md").write_text(f"- {of(chr(39), 40_000)}\n" + "- a 'b\n" * 300, "utf-8")
    short = tempfile.mkdtemp(prefix="memd-t")
    with own_places(place):
        daemon = Daemon(folder, Path(short) / "s")
        daemon.start()
        daemon.call("session.open", session="s", role="main")
        for unit in ("'", "1'"):  # what a search has to read that the index has not
            sent(
                daemon,
                frame_of("hook.event", {"agent": "claude", "event": "prompt", "session": "h", "message": of(unit)}),
            )
        yield daemon
        daemon.stop()
    shutil.rmtree(short, ignore_errors=True)


def frame_of(method: str, params: dict[str, Any]) -> bytes:
    """Return a request as the daemon reads it."""
    return (
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, ensure_ascii=False).encode() + b"\n"
    )


def sent(daemon: Daemon, frame: bytes) -> None:
    """Send a request and wait for the answer; an error is one too. Nothing here takes this process's time."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(daemon.socket))
        client.sendall(frame)
        while (answer := client.recv(1 << 20)) and not answer.endswith(b"\n"):
            pass
    assert answer, "the daemon hung up"


@pytest.mark.slice
@pytest.mark.parametrize(("method", "params"), [frame[1:] for frame in FRAMES], ids=[frame[0] for frame in FRAMES])
def test_a_hostile_frame_keeps_nobody_waiting(hostile: Daemon, method: str, params: dict[str, Any]) -> None:
    frame, waited = frame_of(method, params), []
    pings = Pings(hostile)
    try:
        for _ in range(TRIES):  # what holds the loop holds it every time, a busy machine does not
            idle_s = pings.longest()
            sent(hostile, frame)
            waited.append(pings.longest())
            if waited[-1] <= max(HELD_S * slowness(), 5 * idle_s):
                return
    finally:
        pings.ended = True
        pings.thread.join()
    raise AssertionError(f"another client waited {min(waited) * 1000:.0f} ms at least")
