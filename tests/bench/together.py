"""Trigger while others are at work: eight clients, an editor that saves the role's own files, notes that come in to be indexed.

python -m tests.bench.together [memories ...]
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.bench.__main__ import daemon_of, folder_of, milliseconds
from tests.bench.corpus import Corpus
from tests.support import ROOT, Daemon, Folder

SIZES = (1000, 10_000)
CLIENTS = 8
EACH = 150
RUNS = 5
GOAL_MS = 20
PAUSE_S = 0.01  # an agent's client, not a loop that only asks
SAVE_S = 0.5
NOTE_S = 0.1

CLIENT = """
import asyncio, json, sys, time
from memd.client import AsyncClient
path, pause, share = sys.argv[1], float(sys.argv[2]), json.load(open(sys.argv[3]))
samples = []
async def one(messages):
    async with AsyncClient(path, deadline_s=60) as client:
        for message in messages:
            start = time.perf_counter()
            await client.call("trigger", role="main", message=message)
            samples.append(time.perf_counter() - start)
            await asyncio.sleep(pause)
async def main():
    await asyncio.gather(*(one(messages) for messages in share))
    print(json.dumps(samples))
asyncio.run(main())
"""


def work(folder: Folder, corpus: Corpus, stop: threading.Event) -> None:
    """Save the role's character page twice a second, and put a new note beside it ten times a second."""
    notes, page = folder.path / "notes", folder.file("main").with_name("character.md")
    notes.mkdir(exist_ok=True)
    number, saved = 0, 0.0
    while not stop.wait(NOTE_S):
        number += 1
        (notes / f"n{random.getrandbits(48):x}.md").write_text(f"# {corpus.text()}\n\n{corpus.text()}\n", "utf-8")
        if time.monotonic() - saved > SAVE_S:
            saved = time.monotonic()
            fresh = page.with_suffix(".md~")
            fresh.write_text(f"# Main\n\n{corpus.text()} {number}\n", "utf-8")
            os.replace(fresh, page)


def asked(daemon: Daemon, share: Path) -> list[float]:
    """Seconds that each trigger of eight clients took, asked from another process."""
    command = [sys.executable, "-c", CLIENT, str(daemon.socket), str(PAUSE_S), str(share)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    samples: list[float] = json.loads(done.stdout)
    return samples


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    print(f"{'memories':>10}  {'at work':>8}  {'median ms':>9}  {'p99 ms':>7}  {'goal':>5}  ratio")
    with tempfile.TemporaryDirectory(prefix="memd-bench") as directory:
        os.environ["XDG_CACHE_HOME"] = f"{directory}/cache"
        for size in sizes:
            folder, corpus, share = folder_of(Path(directory) / str(size), size), Corpus(seed=3), Path(directory) / "m"
            share.write_text(json.dumps([[corpus.message(corpus.text()) for _ in range(EACH)] for _ in range(CLIENTS)]))
            with daemon_of(folder) as daemon:
                time.sleep(2)  # the first indexing is not what is measured
                for busy in (False, True):
                    stop = threading.Event()
                    hands = threading.Thread(target=work, args=(folder, corpus, stop))
                    if busy:
                        hands.start()
                    medians, tails = zip(*(milliseconds(asked(daemon, share)) for _ in range(RUNS)), strict=True)
                    stop.set()
                    if busy:
                        hands.join()
                    tail = statistics.median(tails)
                    print(
                        f"{size:>10,}  {'yes' if busy else 'no':>8}  {statistics.median(medians):>9.2f}  {tail:>7.2f}"
                        f"  {GOAL_MS:>5}  {GOAL_MS / tail:.2f}{'' if tail <= GOAL_MS else '  MISSED'}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
