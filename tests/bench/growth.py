"""What a call costs, and how much more when what is held doubles: wall and CPU over the socket, bytes written, resident memory.

    python -m tests.bench.growth [PART ...] [--sizes N ...] [--against TREE] [--samples N]

`--against` names another checkout: its daemon stands beside ours on a copy of the same files, and both are asked the same
things in turns, so that what else the machine does meanwhile is the same for both. CPU is that of the daemon's process alone.
Every run begins and ends with an anchor, which has nothing of memd: a bare echo over a socket, and a server that parses,
writes a log with one sync for all who wait, and replies.

An exponent is the slope of CPU over size, both as logarithms: 1 where the cost doubles with what is held, 0 where it stays.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from memd.client import Client
from tests.bench.corpus import Ordinary
from tests.support import ROOT, Daemon, Folder, until

MEMORIES, ROLES = (1000, 10_000, 100_000), (100, 1000, 2000)
COMMON = ("the", "is", "so are you", "it was", "of the", "的", "什么", "怎么", "一个")
BURSTS, BURST = 5, 100
SESSIONS, WARM = 50, 300
CPU_CLOCK = 2  # of all threads of a process, as the number of a clock has it

ANCHOR = """
import asyncio, json, os, sys
async def main():
    log, waiting = os.open(sys.argv[2], os.O_CREAT | os.O_APPEND | os.O_WRONLY), []
    def sync(lines):
        os.write(log, b"".join(lines))
        os.fdatasync(log)
    async def commit():
        while True:
            await asyncio.sleep(0)
            now, waiting[:] = waiting[:], []
            if not now:
                await woken.wait()
                woken.clear()
                continue
            await asyncio.to_thread(sync, [line for line, _ in now])
            for _, done in now:
                done.set_result(None)
    woken, loop = asyncio.Event(), asyncio.get_running_loop()
    async def serve(reader, writer):
        while line := await reader.readline():
            if json.loads(line)["method"] == "log":
                done = loop.create_future()
                waiting.append((line, done))
                woken.set()
                await done
            writer.write(line)
    committing = loop.create_task(commit())
    await (await asyncio.start_unix_server(serve, sys.argv[1])).serve_forever()
asyncio.run(main())
"""
CLIENTS = """
import asyncio, sys, time
async def one():
    reader, writer = await asyncio.open_unix_connection(sys.argv[1])
    for _ in range(20):
        writer.write(b'{"method": "log", "text": "' + b"x" * 200 + b'"}\\n')
        await reader.readline()
async def main():
    start = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(64)))
    print(64 * 20 / (time.perf_counter() - start))
asyncio.run(main())
"""


class Cost(NamedTuple):
    """What one kind of call cost one side: ms of wall, median and p99, and of CPU, median and p99."""

    wall: float
    late: float
    cpu: float
    cpu_late: float


@dataclass
class Side:
    """A daemon that is measured: ours, or the other tree's."""

    name: str
    daemon: Daemon
    client: Client
    taken: list[tuple[float, float]] = field(default_factory=list)

    def ask(self, method: str, **given: Any) -> None:
        """Call it, and note what that took."""
        cpu, wall = self.cpu_s(), time.perf_counter()
        self.client.call(method, **given)
        self.taken.append((time.perf_counter() - wall, self.cpu_s() - cpu))

    def cpu_s(self) -> float:
        """The CPU seconds of its process so far."""
        assert self.daemon.process is not None
        return time.clock_gettime((~self.daemon.process.pid << 3) | CPU_CLOCK)

    def held(self, file: str, key: str) -> int:
        """A figure that the system has of its process."""
        assert self.daemon.process is not None
        lines = Path(f"/proc/{self.daemon.process.pid}/{file}").read_text("utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))

    def cost(self) -> Cost:
        """What was noted, which is forgotten then."""
        columns = [sorted(one * 1000 for one in column) for column in zip(*self.taken, strict=True)]
        self.taken.clear()
        figures = [(statistics.median(one), one[min(len(one) - 1, int(len(one) * 0.99))]) for one in columns]
        return Cost(*figures[0], *figures[1])


class Table:
    """The rows as they come, and the exponents at the end."""

    def __init__(self) -> None:
        self.points: dict[tuple[str, str], list[tuple[int, float]]] = {}
        print(
            f"{'what':44} {'size':>8} {'side':8} {'wall ms':>9} {'p99':>9} {'CPU ms':>9} {'p99':>9}  ours", flush=True
        )

    def calls(self, what: str, size: int, sides: Sequence[Side]) -> None:
        """Print what each side's calls cost."""
        costs = [(side.name, side.cost()) for side in sides]
        for name, cost in costs:
            self.points.setdefault((what, name), []).append((size, cost.cpu))
            ratio = f"{costs[-1][1].cpu / cost.cpu:6.2f}x" if name == "ours" and len(costs) > 1 else ""
            print(f"{what:44} {size:>8} {name:8} " + " ".join(f"{one:9.2f}" for one in cost) + ratio, flush=True)

    def figure(self, what: str, size: int, name: str, value: str) -> None:
        """Print another figure."""
        print(f"{what:44} {size:>8} {name:8} {value}", flush=True)

    def exponents(self) -> None:
        """Print how the CPU of each kind of call grows."""
        for (what, name), points in self.points.items():
            if len({size for size, _ in points}) > 1:
                logs = [(math.log(size), math.log(max(cpu, 1e-3))) for size, cpu in points]
                slope = statistics.linear_regression(*zip(*logs, strict=True)).slope
                print(f"{what:44} {'':8} {name:8} exponent {slope:.2f}")


@contextmanager
def sides_of(folder: Folder, against: Path | None) -> Iterator[list[Side]]:
    """Yield our daemon on a folder, and the other tree's on a copy of it."""
    with ExitStack() as open_, tempfile.TemporaryDirectory(prefix="memd-b") as short:
        sides = []
        for name, tree in (("ours", ROOT), *((("other", against),) if against else ())):
            held = folder
            if name == "other":
                held = Folder(Path(short) / "m")
                shutil.copytree(folder.path, held.path)
                shutil.copy(tree / "workspace-template/memd.toml", held.path)  # it may know other settings
                unlimited(held)
            daemon = Daemon(held, Path(short) / name, alone=True, tree=tree)
            daemon.start()
            open_.callback(daemon.stop)
            sides.append(Side(name, daemon, open_.enter_context(daemon.client(deadline_s=600))))
        yield sides


def in_turns(sides: Sequence[Side], asked: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Ask every side everything, each time another one first."""
    for number, (method, given) in enumerate(asked):
        for side in sides if number % 2 else sides[::-1]:
            side.ask(method, **given)


def settle(sides: Sequence[Side]) -> None:
    """Wait until each index has what the files have."""
    for side in sides:
        until(lambda s=side: _is_ready(s), 600, "the index is ready")  # type: ignore[misc]


def _is_ready(side: Side) -> bool:
    index = side.client.call("status")["index"]
    return index["state"] == "ready" and not index["behind"]


def folder_of(path: Path, role: str = "") -> Folder:
    """A workspace without limits, whose role `main` is of this text."""
    folder = Folder.make(path, demo=False)
    unlimited(folder)
    if role:
        folder.file("main").parent.mkdir(exist_ok=True)
        folder.file("main").write_text(role, "utf-8")
    return folder


def unlimited(folder: Folder) -> None:
    """Set no limits that are measured against."""
    folder.settings(limits__scorings_per_day=10**9, limits__role_memories=10**6, limits__role_bytes=10**9,
                    limits__memory_dir_bytes=10**9)  # fmt: skip
    folder.trust()


def of_memories(held: Path, options: argparse.Namespace, table: Table) -> None:
    """Trigger and search in one role whose keys are ordinary words."""
    for size in options.sizes or MEMORIES:
        corpus = Ordinary()
        folder = folder_of(held / f"m{size}", corpus.dump_role(size))
        with sides_of(folder, options.against) as sides:
            in_turns(sides, [("trigger", {"role": "main", "message": corpus.text()}) for _ in range(5)])
            for side in sides:
                side.taken.clear()
            messages = [corpus.text() if at % 2 else corpus.message(corpus.text()) for at in range(options.samples)]
            in_turns(sides, [("trigger", {"role": "main", "message": one}) for one in messages])
            table.calls("trigger, keys of ordinary words", size, sides)
            settle(sides)
            words = [" ".join(corpus.chance.sample(corpus.words, 2)) for _ in range(options.samples)]
            for what, queries in (("search, two words", words), ("search, common words", COMMON * 3)):
                in_turns(sides, [("search", {"query": one}) for one in queries])
                table.calls(what, size, sides)
            for side in sides:
                table.figure("resident, MB", size, side.name, f"{side.held('status', 'VmRSS') / 1024:.0f}")
        shutil.rmtree(folder.path)


def of_roles(held: Path, options: argparse.Namespace, table: Table) -> None:
    """What is asked of one role, and of all, where there are many."""
    for size in options.sizes or ROLES:
        folder, corpus = folder_of(held / f"r{size}"), Ordinary()
        for number in range(size):
            texts = [corpus.text() for _ in range(10)]
            folder.write(f"role{number:04d}", *texts, keywords=corpus.keys_of(texts[0]))
        begun = time.perf_counter()
        with sides_of(folder, options.against) as sides:
            table.figure("start of all sides, s", size, "", f"{time.perf_counter() - begun:.2f}")
            times = range(options.samples)
            some = [f"role{corpus.chance.randrange(size):04d}" for _ in times]
            words = [" ".join(corpus.chance.sample(corpus.words, 2)) for _ in times]
            asked: dict[str, tuple[str, list[dict[str, Any]]]] = {
                "trigger in a role of many": ("trigger", [{"role": one, "message": corpus.text()} for one in some]),
                "trigger in one role": ("trigger", [{"role": some[0], "message": corpus.text()} for _ in times]),
                "search in all": ("search", [{"query": one} for one in words]),
                "status": ("status", [{}] * len(times)),
                "role.list": ("role.list", [{}] * len(times)),
            }
            for what, (method, given) in asked.items():
                in_turns(sides, [(method, one) for one in given])
                table.calls(what, size, sides)
        shutil.rmtree(folder.path)


def of_written(held: Path, options: argparse.Namespace, table: Table) -> None:
    """What a remember writes: in bursts of 100 after which all is quiet, and one after another with a pause as in a talk."""
    for size in options.sizes or (1000, 10_000):
        corpus = Ordinary()
        folder = folder_of(held / f"w{size}", corpus.dump_role(size))
        with sides_of(folder, options.against) as sides:
            settle(sides)
            for side in sides:
                for what, bursts, pause_s in (("in bursts", BURSTS, 0.0), ("every 0.4 s", 1, 0.4)):
                    before = side.held("io", "wchar"), side.held("io", "write_bytes")
                    for burst in range(bursts):
                        for number in range(BURST):
                            text = f"{corpus.text()} Mark {pause_s:g}-{burst}-{number}."
                            side.ask("remember", role="main", content=text, explicit=True)
                            time.sleep(pause_s)
                        until(lambda s=side: not s.client.call("status")["log"]["waiting"], 60, "all is in the files")  # type: ignore[misc]
                    after = side.held("io", "wchar"), side.held("io", "write_bytes")
                    each = [(now - then) / bursts / BURST / 1000 for now, then in zip(after, before, strict=True)]
                    figures = f"{each[0]:.1f} {each[1]:.1f}"
                    table.figure(f"remember {what}: kB written, and to the disk", size, side.name, figures)
            table.calls("remember, one after another", size, sides)
        shutil.rmtree(folder.path)


def of_resident(held: Path, options: argparse.Namespace, table: Table) -> None:
    """What a daemon holds after many triggers and remembers, beside one that was just started on the same files."""
    memories, count = (options.sizes or [10_000])[0], options.operations
    corpus = Ordinary()
    folder = folder_of(held / "g", corpus.dump_role(memories))
    with sides_of(folder, None) as (side,):
        _work(side, corpus, WARM, WARM)
        held_kb = [side.held("status", "VmRSS")]
        for triggers, remembers in ((count, 0), (0, count)):
            _work(side, corpus, triggers, remembers)
            held_kb.append(side.held("status", "VmRSS"))
    with sides_of(folder, None) as (side,):
        _work(side, corpus, WARM, WARM)
        held_kb.append(side.held("status", "VmRSS"))
    begun, asked, stored, fresh = (one / 1024 for one in held_kb)
    for what, value in (
        ("warm", f"{begun:.1f}"),
        (f"after {count:,} triggers", f"{asked:.1f} {asked / begun - 1:8.1%}  goal < 5 %"),
        (f"and {count:,} remembers", f"{stored:.1f}"),
        ("those files, just started", f"{fresh:.1f} {stored / fresh - 1:8.1%}  goal < 5 %"),
    ):
        table.figure(f"resident, MB: {what}", memories, "ours", value)


def _work(side: Side, corpus: Ordinary, triggers: int, remembers: int) -> None:
    for number in range(triggers):
        side.client.call("trigger", role="main", message=corpus.text(), session=f"s{number % SESSIONS}")
    for _ in range(remembers):
        text = f"{corpus.text()} {corpus.chance.getrandbits(20):x}"
        side.client.call("remember", role="main", content=text, explicit=True, kind="semantic")
    until(lambda: not side.client.call("status")["log"]["waiting"], 300, "all is in the files")


def anchor(held: Path, table: Table) -> None:
    """What the machine can do now."""
    path = str(held / "a")
    with subprocess.Popen([sys.executable, "-c", ANCHOR, path, str(held / "log")]) as server:
        until(lambda: os.path.exists(path), 20, "the anchor answers")
        samples = []
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(path)
            for _ in range(2000):
                begun = time.perf_counter()
                one.sendall(json.dumps({"method": "echo", "text": "x" * 200}).encode() + b"\n")
                one.recv(4096)
                samples.append((time.perf_counter() - begun) * 1000)
        samples.sort()
        table.figure("anchor: an echo, median / p99 ms", 1, "", f"{samples[1000]:.3f} / {samples[1980]:.3f}")
        told = subprocess.run([sys.executable, "-c", CLIENTS, path], check=True, capture_output=True, text=True)
        table.figure("anchor: parsed, logged, replied, a second", 64, "", f"{float(told.stdout):.0f}")
        server.kill()
    os.unlink(path)


PARTS = {"memories": of_memories, "roles": of_roles, "written": of_written, "resident": of_resident}


def main() -> None:
    """Print the tables of the parts that are asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[])
    parser.add_argument("--sizes", type=int, nargs="*")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--against", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memd-b") as name:
        os.environ.update(HOME=name, XDG_CACHE_HOME=f"{name}/cache", XDG_RUNTIME_DIR=name, MEMD_EMBEDDINGS="none")
        table = Table()
        for part in options.parts or PARTS:
            anchor(Path(name), table)
            PARTS[part](Path(name), options, table)
        anchor(Path(name), table)
        table.exponents()


if __name__ == "__main__":
    main()
