"""A made-up folder of notes like the one the peers were measured with: 30 to 80 words, one in five Chinese, one unique
marker in each, from a seed. The peers' recorded figures stand beside memd's; they are ratios of one day and one machine.

Source
    docs/design/peers.md
"""

from __future__ import annotations

import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench.corpus import Corpus
from tests.support import Daemon, Folder, until

TOPICS = ["数据中心", "柏林", "迁移计划", "用户偏好", "会议记录", "性能测试", "茶叶", "古琴", "项目复盘", "周末徒步"]

# Recorded: ingest CPU s, first answer s, search p50 / p99 ms, edit to searchable s, resident MB, index bytes over corpus.
PEERS = {
    1000: {
        "qmd": ("1.4", "1.35-1.69", "4.0 / 56", "0.6-0.8, by hand", "172-185", "4.3"),
        "basic-memory": ("85", "6.2-7.7", "35 / 77", "0.21-0.38; Chinese never", "217", "13"),
        "server-memory": ("0.4", "0.73-0.85", "19 / 33", "0.022", "87-103", "0.86"),
    },
    10_000: {
        "qmd": ("14.6", "0.48-0.69", "16.5 / 43", "2.1-2.7, by hand", "163-179", "4.1"),
        "basic-memory": ("about 850", "not run", "not run", "not run", "not run", "not run"),
        "server-memory": ("6.2", "0.30-0.37", "56 / 88", "0.10", "139-177", "0.86"),
    },
}
Row = tuple[str, str, str, str]


@dataclass(frozen=True)
class Note:
    """One note: its name and what only it has."""

    name: str
    marker: str
    text: str
    chinese: bool
    topic: str


def notes(size: int, seed: int = 11) -> list[Note]:
    """Return so many notes."""
    chance, corpus = random.Random(seed), Corpus(seed)
    made: list[Note] = []
    for number in range(size):
        if chance.random() < 0.2:
            topic = chance.choice(TOPICS)
            marker = "".join(chr(0x9000 + at * 100 + number // 100**at % 100) for at in range(4, -1, -1))
            body = "，".join(
                "".join(
                    chance.choices("的一是在有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会", k=12)
                )
                for _ in range(5)
            )
            made.append(
                Note(
                    f"notes/{number % 40:02d}/{number:05d}.md",
                    marker,
                    f"# {topic} {number}\n\n{body}。{topic}{marker}记下来。\n",
                    True,
                    topic,
                )
            )
        else:
            marker = f"mk{number:05d}zq"
            words = " ".join(corpus.chance.choices(corpus.words, k=chance.randint(30, 80)))
            made.append(
                Note(
                    f"notes/{number % 40:02d}/{number:05d}.md",
                    marker,
                    f"# Note {number}\n\n{words} {marker}.\n",
                    False,
                    "",
                )
            )
    return made


def put(folder: Folder, made: list[Note]) -> int:
    """Write notes; return their bytes."""
    total = 0
    for note in made:
        path = folder.path / note.name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = note.text.encode()
        path.write_bytes(data)
        total += len(data)
    return total


def cpu_s(pid: int) -> float:
    """Processor seconds of a process and of the children it has waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(fields[at]) for at in (11, 12, 13, 14)) / 100


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


def percent(samples: list[float], share: float) -> float:
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


def bench_notes(size: int) -> Iterator[Row]:
    """Yield memd's figures on the peers' kind of corpus."""
    made = notes(size)
    with tempfile.TemporaryDirectory(prefix="memd-n") as base:
        folder = Folder.make(Path(base) / "memory", demo=False)
        corpus_bytes = put(folder, made)
        before = {note.name: (folder.path / note.name).stat().st_mtime_ns for note in made}
        daemon = Daemon(folder, Path(base) / "s", alone=True)
        begun = time.monotonic()
        daemon.start()
        assert daemon.process is not None
        pid = daemon.process.pid
        daemon.call("trigger", role="main", message="hello")
        yield (
            f"{size:,} notes: ready to trigger, s (CPU s)",
            f"{time.monotonic() - begun:.2f} ({cpu_s(pid):.2f})",
            "",
            "",
        )
        first = made[-1]
        until(lambda: daemon.call("search", query=first.marker)["hits"], 60, "the first answer")
        ready_s, ready_cpu = time.monotonic() - begun, cpu_s(pid)
        until(lambda: is_indexed(daemon), 300, "an index")
        indexed_s, indexed_cpu = time.monotonic() - begun, cpu_s(pid)
        index = daemon.call("status")["index"]
        yield (f"{size:,} notes: ready to search, s (CPU s)", f"{ready_s:.2f} ({ready_cpu:.2f})", *beside(size, 1))
        yield (f"{size:,} notes: fully indexed, s (CPU s)", f"{indexed_s:.1f} ({indexed_cpu:.1f})", *beside(size, 0))
        yield (f"{size:,} notes: index over corpus", f"{index['bytes'] / corpus_bytes:.1f}", *beside(size, 5))
        yield from _searches(daemon, made, size)
        yield from _edits(daemon, folder, made, size)
        yield (f"{size:,} notes: resident MB", f"{resident_mb(pid):.0f}", *beside(size, 4))
        changed = sum((folder.path / name).stat().st_mtime_ns != at for name, at in before.items()) - 20
        yield (f"{size:,} notes: files changed by indexing", str(max(changed, 0)), "basic-memory: all of 1,000", "")
        until(lambda: is_indexed(daemon), 300, "an index after the edits")
        time.sleep(5)
        begun_cpu, begun = cpu_s(pid), time.monotonic()
        time.sleep(20)
        idle = (cpu_s(pid) - begun_cpu) / (time.monotonic() - begun) * 100
        yield (f"{size:,} notes: idle CPU, %", f"{idle:.2f}", "basic-memory: 2-3", "")
        daemon.stop()


def is_indexed(daemon: Daemon) -> bool:
    """The index on disk has everything as it is."""
    index = daemon.call("status")["index"]
    return index["state"] == "ready" and not index["behind"]


def _searches(daemon: Daemon, made: list[Note], size: int) -> Iterator[Row]:
    chance = random.Random(5)
    english = [note for note in made if not note.chinese]
    chinese = [note for note in made if note.chinese]
    samples: list[float] = []
    with daemon.client() as client:
        for _ in range(5):
            for _ in range(40):
                note = chance.choice(english)
                words = " ".join(chance.sample(note.text.split()[3:], chance.randint(1, 3)))
                begun = time.perf_counter()
                client.call("search", query=words)
                samples.append(time.perf_counter() - begun)
        found_en = sum(
            client.call("search", query=n.marker)["hits"][0]["name"] == n.name for n in chance.sample(english, 100)
        )
        asked = chance.sample(chinese, min(100, len(chinese)))
        found_zh = sum(client.call("search", query=n.marker)["hits"][0]["name"] == n.name for n in asked)
        one = sum(bool(client.call("search", query=topic)["hits"]) for topic in TOPICS)
        two = sum(
            n.name in [hit["name"] for hit in client.call("search", query=f"{n.topic} {n.marker[-2:]}")["hits"]]
            for n in asked[:20]
        )
        mixed = sum(
            bool(client.call("search", query=f"{n.marker}{n.marker[:1]} {topic}")["hits"])
            for n, topic in zip(english, TOPICS, strict=False)
        )
        phrases = []
        for note in chance.sample(english, 50):
            three = note.text.split()[5:8]
            begun = time.perf_counter()
            reply = client.call("search", query='"' + " ".join(three) + '"')
            phrases.append(time.perf_counter() - begun)
            assert note.name in [hit["name"] for hit in reply["hits"]], note
    yield (
        f"{size:,} notes: search, p50 / p99 ms",
        f"{percent(samples, 0.5):.1f} / {percent(samples, 0.99):.1f}",
        *beside(size, 2),
    )
    yield (
        f"{size:,} notes: a phrase, p50 / p99 ms",
        f"{percent(phrases, 0.5):.1f} / {percent(phrases, 0.99):.1f}",
        "",
        "",
    )
    yield (f"{size:,} notes: English markers found", f"{found_en}/100", "all: all", "")
    yield (f"{size:,} notes: Chinese markers found", f"{found_zh}/{len(asked)}", "basic-memory: 0/49", "")
    yield (f"{size:,} notes: Chinese words, one / two", f"{one}/10, {two}/20", "server-memory: 10/10, 0/3", "")
    yield (f"{size:,} notes: scripts mixed", f"{mixed}/10", "", "")


def _edits(daemon: Daemon, folder: Folder, made: list[Note], size: int) -> Iterator[Row]:
    samples: list[float] = []
    with daemon.client() as client:
        for number, note in enumerate(made[:20]):
            marker = f"zqedit{chr(ord('a') + number)}"  # one word that nothing else has
            path = folder.path / note.name
            path.write_text(note.text + marker + "\n", "utf-8")
            begun = time.perf_counter()
            while not any(hit["name"] == note.name for hit in client.call("search", query=marker)["hits"][:1]):
                assert time.perf_counter() - begun < 10, marker
            samples.append(time.perf_counter() - begun)
    median, longest = statistics.median(samples) * 1000, max(samples) * 1000
    yield (
        f"{size:,} notes: a save searchable after, median / longest ms",
        f"{median:.0f} / {longest:.0f}",
        *beside(size, 3),
    )


def beside(size: int, column: int) -> tuple[str, str]:
    """Return what the peers recorded, and nothing more."""
    return "; ".join(f"{name} {figures[column]}" for name, figures in PEERS.get(size, {}).items()), ""


def main() -> None:
    """Print the table for the sizes named; 1,000 and 10,000 where none is."""
    sizes = [int(one) for one in sys.argv[1:]] or [1000, 10_000]
    with tempfile.TemporaryDirectory(prefix="memd-nc") as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        rows = [row for size in sizes for row in bench_notes(size)]
    print(f"{'what':52}  {'memd':>16}  the peers, as recorded")
    for name, got, peers, _ in rows:
        print(f"{name:52}  {got:>16}  {peers}")


if __name__ == "__main__":
    main()
