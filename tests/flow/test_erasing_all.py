"""Erasing a memory reaches every place that memd wrote its text to: workspace, state and cache, by whichever way it came in."""

from __future__ import annotations

import base64
import bz2
import gzip
import json
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flow.test_consolidation import say, settled
from tests.flow.test_hooks import Agent
from tests.support import Daemon, Folder, memd, until

# Each way has a word that stands nowhere else; what is left of any of them is a leak.
WORDS = {
    "remember": "zorvexil", "hand": "quimbrant", "import": "plothgar", "session": "vindrusk",
    "run": "snorvath", "hook": "krellbane", "update": "wexilroth", "archived": "brindolac", "refused": "thrawlix", "inbox": "glemmortia", "snapshot": "jalquorn", "中文": "飐飑飒",
}  # fmt: skip


def forms(word: str) -> list[bytes]:
    """A word as memd may have written it: plain, folded, escaped, in UTF-16, in base64 at each of its three places."""
    plain = word.encode()
    found = [
        plain,
        word.capitalize().encode(),
        word.upper().encode(),
        json.dumps(word)[1:-1].encode(),
        word.encode("utf-16-le"),
    ]
    for before in range(3):
        whole = base64.b64encode(b"x" * before + plain)
        found.append(whole[4 if before else 0 : len(whole) // 4 * 4 - 4])
    return [one for one in found if len(one) > 3]


def opened(data: bytes) -> Iterator[bytes]:
    """A file's bytes, and what they are when some part of them was packed."""
    yield data
    for unpack in (gzip.decompress, bz2.decompress, lzma.decompress, zlib.decompress):
        try:
            yield unpack(data)
        except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
            continue
    at = -1
    while (at := data.find(b"\x78", at + 1)) >= 0:  # a zlib stream inside
        if data[at + 1 : at + 2] in (b"\x01", b"\x5e", b"\x9c", b"\xda"):
            try:
                yield zlib.decompressobj().decompress(data[at:])
            except zlib.error:
                continue


def leaks(places: list[Path], words: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for place in places:
        for file in sorted(place.rglob("*")):
            if not file.is_file() or ".git/" in str(file):
                continue
            pieces = [str(file.name).encode(), *opened(file.read_bytes())]
            for word in words:
                if any(form in piece for form in forms(word) for piece in pieces):
                    found.setdefault(word, []).append(str(file.relative_to(place)))
    return found


@pytest.fixture
def places(workspace: Folder, tmp_path: Path) -> list[Path]:
    return [workspace.path, tmp_path / "cache", tmp_path / "state"]


@pytest.fixture
def told(workspace: Folder, daemon: Daemon, tmp_path: Path) -> Daemon:
    """Every way in which memd takes text in, each with its word."""

    def offer(text: str, **more: Any) -> dict[str, Any]:
        return daemon.call("remember", role="main", content=text, **{"explicit": True, **more})

    (workspace.path / "notes.md").write_text("# Notes\n\nA person's own page.\n", "utf-8")
    text = f"My locker code at the gym is {WORDS['remember']} seven."
    assert offer(text, session="s-0")["stored"]
    offer(text)  # known already, and scored once more
    settled(daemon)
    document = workspace.load("main")
    entry = {
        "id": "by-hand",
        "content": f"The spare key lies under the {WORDS['hand']} pot.",
        "timestamp": "2026-11-20T10:00:00Z",
    }
    document["semantic"].append(entry)
    workspace.file("main").write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", "utf-8")
    source = tmp_path / "hermes" / "MEMORY.md"
    source.parent.mkdir()
    source.write_text(f"My aunt {WORDS['import']} lives in Graz since 2019.\n§\nThe kiln is in the shed.", "utf-8")
    memd("import", str(source), "--role", "main", "-w", str(workspace.path))
    said = f"I am allergic to {WORDS['session']} nuts and I must never eat them."
    say(daemon, "s1", [("user", said), ("assistant", f"Noted: {said}"), ("user", "Thanks, that is all.")])
    daemon.call("consolidate.run")
    update = offer("My bicycle is locked with a blue chain.")
    daemon.call(
        "memory.update", role="main", id=update["id"], content=f"My bicycle lock opens with {WORDS['update']} today."
    )
    late = f"The bus was late because of {WORDS['refused']} street works."
    assert not offer(late, explicit=False)["stored"]
    assert offer(late)["stored"]  # and this time asked for
    say(daemon, "s2", [("user", f"My sister Ana has {WORDS['inbox']} since May, her doctor says.")])
    waits = daemon.call("consolidate.run", inbox=True)["passes"][0]["became"][0]["inbox"]
    daemon.call("review.decide", id=waits, verdict="keep")
    gone = offer(f"My old landlord is called {WORDS['archived']} Meyer.", kind="semantic")
    daemon.call("memory.forget", role="main", id=gone["id"], reason=f"{WORDS['archived']} moved away")
    offer(f"用户的银行柜子暗语是{WORDS['中文']}。")
    door = f"The workshop door opens with the pin {WORDS['run']} nine."
    daemon.call("task.open", task="t1", title=f"Sheet: {door}", role="main")
    daemon.call("run.start", run="r1", session="s1", role="main", asked=door, task="t1")
    daemon.call("run.complete", run="r1", summary=f"Wrote it down: {door}")
    offer(door)
    agent = Agent(daemon)
    agent.context("UserPromptSubmit", prompt=f"Remember that my safe word is {WORDS['hook']} moon.", prompt_id="p1")
    agent.context("Stop", last_assistant_message=f"Your safe word is {WORDS['hook']} moon.", prompt_id="p1")
    daemon.call("curated.add", file="memory", content=f"The alarm of the barn is {WORDS['snapshot']} four.")
    daemon.call("snapshot.take")
    daemon.call("curated.remove", file="memory", old_text=WORDS["snapshot"])
    offer(f"The alarm of the barn is {WORDS['snapshot']} four.")
    settled(daemon)
    return daemon


def everything(daemon: Daemon) -> list[tuple[str, str]]:
    """The id and text of every memory, those in the archive among them."""
    kept = daemon.call("memory.list", role="main", limit=200)["memories"]
    kept += daemon.call("memory.list", role="main", limit=200, forgotten=True)["memories"]
    return [(str(one["id"]), json.dumps(one, ensure_ascii=False)) for one in kept]


def test_what_is_erased_is_nowhere(told: Daemon, workspace: Folder, places: list[Path]) -> None:
    for word in WORDS.values():
        told.call("search", query=word)
        told.call("trigger", role="main", message=f"What is {word}?", session="s1")
    until(
        lambda: set(leaks(places, list(WORDS.values()))) == set(WORDS.values()),
        20,
        f"every word is somewhere: {leaks(places, list(WORDS.values()))}",
    )
    for one, text in everything(told):
        if any(word in text for word in WORDS.values()):
            told.call("memory.forget", role="main", id=one, erase=True)
    settled(told)
    until(
        lambda: not leaks(places, list(WORDS.values())), 20, f"nothing is left: {leaks(places, list(WORDS.values()))}"
    )
    assert [one["content"] for one in told.call("session.history", session="s1")["messages"]][
        -1
    ] == "Thanks, that is all."
    told.stop()
    told.start()
    assert leaks(places, list(WORDS.values())) == {}
    assert told.call("search", query=WORDS["session"])["hits"] == []
    assert memd("check", "-w", str(workspace.path), check=False).returncode == 0


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("Yesterday I signed the lease for my flat in Graz with Mrs Zimmerl.", "Zimmerl"),
        ("我上周五把旧钢琴卖给了邻居老顾。", "老顾"),
    ],
)
def test_what_was_forgotten_before_it_is_erased_is_nowhere_either(
    workspace: Folder, daemon: Daemon, places: list[Path], said: str, word: str
) -> None:
    workspace.write("main")
    say(daemon, "s1", [("user", said), ("assistant", "Noted."), ("user", "Thanks, that is all.")])
    (kept,) = daemon.call("consolidate.run")["passes"][0]["became"]
    assert kept["text"] != said, "it was kept with its date, and so in other words than it was told in"
    daemon.call("memory.forget", role="main", id=kept["memory"])
    settled(daemon)
    daemon.call("memory.forget", role="main", id=kept["memory"], erase=True)
    settled(daemon)
    until(lambda: not leaks(places, [word]), 20, f"nothing is left: {leaks(places, [word])}")
    assert [one["content"] for one in daemon.call("session.history", session="s1")["messages"]][1:] == [
        "Noted.",
        "Thanks, that is all.",
    ]


def test_an_older_save_brings_nothing_of_an_erased_memory_into_a_log(daemon: Daemon, workspace: Folder) -> None:
    workspace.write("main", "I keep bees.")
    text = "My vault is behind the Turner print."
    erased = daemon.call("remember", role="main", content=text, explicit=True)["id"]
    settled(daemon)
    before = workspace.file("main").read_bytes()
    daemon.call("memory.forget", role="main", id=erased, erase=True)
    settled(daemon)
    workspace.file("main").write_bytes(before)
    until(lambda: "Turner" not in workspace.file("main").read_text("utf-8"), 20, "it is erased again")
    daemon.call("flush")
    settled(daemon)
    logs = [path for path in (workspace.path / ".memory").rglob("*") if path.is_file()]
    assert not [path.name for path in logs if b"Turner" in path.read_bytes()]
    assert not [one for one in daemon.call("memory.list", role="main")["memories"] if "Turner" in one["content"]]
