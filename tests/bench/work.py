"""What a long session costs: durable appends, the history, a search in it, a window, and the first look after a start.

python -m tests.bench.work [EVENTS]        100,000 events unless told otherwise
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from memd.client import Client
from tests.bench.corpus import Corpus
from tests.bench.keep import timed
from tests.support import Daemon, Folder

EVENTS, RUNS, SAMPLES = 100_000, 5, 200
BATCH = 500


def events_of(count: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Yield the events of a conversation in two languages: messages, calls, results, usage."""
    corpus = Corpus(seed)
    for number in range(count):
        text = corpus.text()
        match number % 5:
            case 0:
                yield {"kind": "message", "speaker": "user", "content": text}
            case 1:
                yield {"kind": "tool_call", "tool": "search", "call_id": f"c{number}", "arguments": {"query": text}}
            case 2:
                yield {"kind": "tool_result", "call_id": f"c{number - 1}", "content": text}
            case 3:
                yield {"kind": "message", "speaker": "assistant", "content": text}
            case _:
                yield {"kind": "usage", "input_tokens": 900, "output_tokens": 80}


def queries() -> list[str]:
    """Questions that share words with what was said, in both languages, and phrases."""
    corpus = Corpus(1)
    texts = [corpus.text() for _ in range(200)]
    latin = [one for one in texts if one.isascii()]
    han = [one for one in texts if not one.isascii()]
    phrases = [f'"{" ".join(one.strip(".").split()[2:5])}"' for one in latin[:3]]
    return [
        *map(corpus.message, latin[3:11]),
        *map(corpus.message, han[:6]),
        *(one[4:8] for one in han[6:10]),
        *phrases,
    ]


def fill(client: Client, session: str, count: int) -> None:
    client.call("session.open", session=session)
    events = list(events_of(count))
    for at in range(0, count, BATCH):
        client.call("session.append", session=session, events=events[at : at + BATCH])


def table(count: int) -> list[tuple[str, str, str]]:
    rows: list[tuple[str, str, str]] = []

    def row(what: str, runs: list[list[float]], goal: str) -> None:
        medians = [statistics.median(one) * 1000 for one in runs]
        tails = [sorted(one)[int(len(one) * 0.99)] * 1000 for one in runs]
        rows.append((what, f"{statistics.median(medians):.2f} / {statistics.median(tails):.2f}", goal))

    with tempfile.TemporaryDirectory(prefix="memd-b") as held:
        folder = Folder.make(Path(held) / "m", demo=False)
        daemon = Daemon(folder, Path(held) / "s", alone=True)
        daemon.start()
        try:
            with daemon.client(deadline_s=600) as client:
                begun_s = time.monotonic()
                fill(client, "long", count)
                rows.append(
                    (f"{count:,} events appended {BATCH} at a time, s", f"{time.monotonic() - begun_s:.1f}", "")
                )
                settle(client)
                measure(client, row)
            daemon.stop()
            daemon.start()
            with daemon.client(deadline_s=600) as client:
                first = timed(client.call, "session.history", session="long")
                rows.append(("the first history after a start, ms", f"{first * 1000:.0f}", ""))
        finally:
            daemon.stop()
    return rows


def measure(client: Client, row: Callable[[str, list[list[float]], str], None]) -> None:
    one = list(events_of(RUNS * SAMPLES, seed=11))
    appends = [
        [timed(client.call, "session.append", session="long", events=[event]) for event in one[r * SAMPLES :][:SAMPLES]]
        for r in range(RUNS)
    ]
    row("session.append, one event, durable: median / p99 ms", appends, "p99 5")
    histories = [[timed(client.call, "session.history", session="long") for _ in range(SAMPLES)] for _ in range(RUNS)]
    row("session.history, 100 messages: median / p99 ms", histories, "5")
    asked = queries()
    for what, more in (("in it", {"session": "long"}), ("in all", {})):
        searches = [[timed(client.call, "session.search", query=q, **more) for q in asked] for _ in range(RUNS)]
        row(f"session.search {what}, while it was just appended to: median / p99 ms", searches, "50")
    settle(client)
    searches = [[timed(client.call, "session.search", query=q, session="long") for q in asked] for _ in range(RUNS)]
    row("session.search in it, index up to date: median / p99 ms", searches, "50")
    windows = [
        [timed(client.call, "session.search", session="long", around=str(1 + n * 97 % 2000)) for n in range(SAMPLES)]
        for _ in range(RUNS)
    ]
    row("session.search around an event: median / p99 ms", windows, "5")


def settle(client: Client) -> None:
    """Wait until the index has what the files have."""
    until = time.monotonic() + 600
    while time.monotonic() < until:
        view = client.call("status")["index"]
        if view["state"] == "ready" and not view["behind"]:
            return
        time.sleep(0.2)


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    lines = [("what", "memd", "goal"), *table(number)]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
