"""What the doors to other programs cost: an agent's hook, the MCP server's start, the merge driver, sync, backup.

python -m tests.bench.doors [MEMORIES] [CHANGES]      10,000 and 1,000 unless told otherwise
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.corpus import Corpus
from tests.flow.repositories import WHO, clones
from tests.support import ROOT, Daemon, Folder

MEMORIES, CHANGES = 10_000, 1_000
# A short run, of fewer memories, only shows that everything can be measured.
SHORT = len(sys.argv) > 1 and int(sys.argv[1]) < MEMORIES
RUNS, STARTS = (2, 6) if SHORT else (5, 30)
MEMD = Path(sys.executable).with_name("memd")
Row = tuple[str, str, str, str]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}


def process(words: list[str], given: str = "", **env: str) -> float:
    """Return the seconds of a whole process; it must end well."""
    begun_s = time.perf_counter()
    subprocess.run(words, input=given.encode(), env={**os.environ, **env}, capture_output=True, check=True)
    return time.perf_counter() - begun_s


def told(what: str, samples: list[float], goal_ms: float) -> Row:
    """Return a row with median and p99 in ms, and what share of the goal the median needs."""
    middle = statistics.median(samples) * 1000
    late = sorted(samples)[min(len(samples) - 1, int(len(samples) * 0.99))] * 1000
    ratio = f"{goal_ms / middle:.2f}{'' if middle <= goal_ms else '  MISSED'}" if goal_ms else ""
    return (what, f"{middle:.0f} / {late:.0f}", f"{goal_ms:g}" if goal_ms else "", ratio)


def records(count: int, seed: int) -> list[dict[str, Any]]:
    corpus = Corpus(seed)
    return [
        {"id": f"{seed:x}{number * 7919 % (count * 16):08x}", "content": corpus.text(), "keywords": [f"k{number}"]}
        for number in range(count)
    ]


def dumped(found: list[dict[str, Any]]) -> bytes:
    ordered = sorted(found, key=lambda one: str(one["id"]))
    document = {"characterUuid": "main", "episodic": [], "semantic": ordered, "traits": [], "goals": []}
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def of_merge(held: Path, count: int) -> Row:
    base, one, other = records(count, 1), records(100, 2), records(100, 3)
    ours = [{**record, "priority": 2} if at % 50 == 0 else record for at, record in enumerate(base)] + one
    theirs = [{**record, "name": "新"} if at % 50 == 1 else record for at, record in enumerate(base)] + other
    for name, found in (("base", base), ("theirs", theirs)):
        (held / name).write_bytes(dumped(found))
    samples = []
    for _ in range(RUNS):
        (held / "ours").write_bytes(dumped(ours))
        words = [str(MEMD), "git", "merge-driver", "memory", "base", "ours", "theirs", "7", "roles/main/memory.json"]
        begun_s = time.perf_counter()
        subprocess.run(words, cwd=held, check=True)
        samples.append(time.perf_counter() - begun_s)
    return told(f"merge driver, {count:,} memories, 200 added and 400 changed: ms", samples, 1000)


def of_sync(held: Path, count: int) -> list[Row]:
    here, there = clones(held)
    base = records(count, 1)
    send: list[float] = []
    take: list[float] = []
    both: list[float] = []
    for run in range(RUNS):
        for at, side in enumerate((here, there)):
            fresh = records(count // 2, 10 + run * 2 + at)
            (side.path / "roles/main").mkdir(parents=True, exist_ok=True)
            side.file("main").write_bytes(
                dumped([*base, *side.records("main"), *fresh] if not run else [*side.records("main"), *fresh])
            )
        for samples, side in ((send, here), (both, there), (take, here)):
            samples.append(process([str(MEMD), "sync", "-w", str(side.path)], **WHO))
        base = []
    return [
        told(f"sync, {count // 2:,} changes to send: ms", send, 0),
        told(f"sync, {count:,} changes: as many to merge as to send: ms", both, 0),
        told(f"sync, {count // 2:,} changes to take in: ms", take, 0),
    ]


def of_backup(held: Path, folder: Folder) -> Row:
    samples = [process([str(MEMD), "backup", str(held / f"b{run}.tar"), "-w", str(folder.path)]) for run in range(RUNS)]
    return told("backup and proof of that workspace: ms", samples, 0)


def of_hooks(daemon: Daemon) -> list[Row]:
    rows = []
    where = ["--workspace", str(daemon.folder.path), "--socket", str(daemon.socket)]
    start = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": "/"}
    prompt = {
        "session_id": "s",
        "hook_event_name": "UserPromptSubmit",
        "cwd": "/",
        "prompt": "Which tea do I like? 我喜欢什么茶？",
    }
    tool = {
        "session_id": "s",
        "hook_event_name": "PreToolUse",
        "cwd": "/",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    for name, given in (("session start", start), ("prompt", prompt), ("before a tool", tool)):
        samples = [
            process(
                [str(MEMD), "hook", "claude", *where],
                json.dumps({**given, "session_id": f"s{run}", "prompt_id": f"p{run}"}),
            )
            for run in range(STARTS)
        ]
        rows.append(told(f"hook, {name}, whole process: ms", samples, 60))
    gone = [
        process([str(MEMD), "hook", "claude", "--socket", "/nowhere/s", *where[:2]], json.dumps(prompt))
        for _ in range(STARTS)
    ]
    bare = [process([sys.executable, "-c", "pass"]) for _ in range(STARTS)]
    return [*rows, told("hook, no daemon, whole process: ms", gone, 60), told("python itself: ms", bare, 0)]


def of_mcp(daemon: Daemon) -> list[Row]:
    first: list[float] = []
    answer: list[float] = []
    call = {**CALL, "params": {"name": "memory_trigger", "arguments": {"message": "tea 茶"}}}
    for _ in range(RUNS):
        begun_s = time.perf_counter()
        server = subprocess.Popen(
            [str(MEMD), "mcp", "-w", str(daemon.folder.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "MEMD_SOCKET": str(daemon.socket)},
        )
        assert server.stdin is not None
        assert server.stdout is not None
        with server:
            for samples, frames in (
                (first, [HELLO]),
                (answer, [{"jsonrpc": "2.0", "method": "notifications/initialized"}, call]),
            ):
                for frame in frames:
                    server.stdin.write(json.dumps(frame).encode() + b"\n")
                server.stdin.flush()
                while "id" not in json.loads(server.stdout.readline()):
                    pass
                samples.append(time.perf_counter() - begun_s)
            server.stdin.close()
            server.wait(30)
    return [
        told("mcp, start to initialized: ms", first, 0),
        told("mcp, start to the first tool's answer: ms", answer, 0),
    ]


def table(memories: int, changes: int) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="memd-b") as name:
        held = Path(name)
        folder = Folder.make(held / "m", demo=False)
        (folder.path / "roles/main").mkdir(exist_ok=True)
        folder.file("main").write_bytes(dumped(records(min(memories, 1000), 1)))
        daemon = Daemon(folder, held / "s", alone=True)
        daemon.start()
        try:
            for measure in (of_hooks, of_mcp):
                rows += measure(daemon)
        finally:
            daemon.stop()
        rows.append(of_merge(held, memories))
        (held / "git").mkdir()
        rows += of_sync(held / "git", changes)
        rows.append(of_backup(held, folder))
        shutil.rmtree(held / "git")
    return rows


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(ROOT)
    numbers = [int(one) for one in sys.argv[1:]] or [MEMORIES, CHANGES]
    lines = [("what, median / p99", "memd", "goal", "ratio"), *table(numbers[0], [*numbers, CHANGES][1])]
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
