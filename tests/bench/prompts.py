"""What meaning costs at a prompt: the process that embeds, the daemon itself, and an agent's hook as a whole process.

python -m tests.bench.prompts [MEMORIES]      1,000 unless told otherwise; the packaged model

Wall is what a person waits; CPU is told of each process, and is what counts on a machine with other work. New prompts are of
words that people write; the same once more is a known question, whose vector is kept.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench.corpus import Ordinary
from tests.support import ROOT, Daemon, Folder, until

MEMORIES, ASKED = 1_000, 20
MEMD = Path(sys.executable).with_name("memd")
PATIENT_S = 3600.0  # for as many vectors on a busy machine
CPU_CLOCK = 2


def prompt(some: Ordinary) -> str:
    """A prompt of 2,000 characters."""
    return " ".join(some.english(12) for _ in range(40))[-2000:]


CALLS: dict[str, Callable[[Ordinary], str]] = {
    "a question of 10 words": lambda some: some.english(10)[:-1] + "?",
    "a question of 40 words": lambda some: some.english(40)[:-1] + "?",
    "10 Han": lambda some: some.chinese(10)[:-1] + "？",
    "40 Han": lambda some: some.chinese(40)[:-1] + "？",
    "a prompt of 2,000 characters": prompt,
    "2,000 Han": lambda some: some.chinese(2000)[-2000:],
}


def cpu_s(pid: int) -> float:
    """The CPU seconds of a process so far."""
    return time.clock_gettime((~pid << 3) | CPU_CLOCK)


def embedding(pid: int) -> int:
    """The number of a daemon's process that embeds."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(one) for task in tasks for one in (task / "children").read_text("ascii").split()]
    return next(one for one in children if b"memd.storage.embedding.child" in Path(f"/proc/{one}/cmdline").read_bytes())


def told(what: str, samples: Sequence[tuple[float, ...]]) -> str:
    """A row: median of each figure in ms, and p99 of the first."""
    middle = [f"{statistics.median(one) * 1000:.1f}" for one in zip(*samples, strict=True)]
    late = sorted(one[0] for one in samples)[int(len(samples) * 0.99)] * 1000
    return f"{what:44}{middle[0]:>9}{late:>9.1f}" + "".join(f"{one:>9}" for one in middle[1:])


def asked(daemon: Daemon, messages: list[str]) -> list[tuple[float, float, float]]:
    """Wall of a trigger, and the CPU of the daemon and of the process that embeds, in seconds."""
    assert daemon.process is not None
    pids = daemon.process.pid, embedding(daemon.process.pid)
    samples = []
    with daemon.client() as client:
        for at, message in enumerate(messages):
            before, begun_s = [cpu_s(one) for one in pids], time.perf_counter()
            client.call("trigger", role="main", message=message, session=f"b{at}")
            took_s, after = time.perf_counter() - begun_s, [cpu_s(one) for one in pids]
            samples.append((took_s, after[0] - before[0], after[1] - before[1]))
    return samples


def hooked(daemon: Daemon, messages: list[str]) -> list[tuple[float]]:
    """Wall of a hook at a prompt, as a whole process."""
    words = [str(MEMD), "hook", "claude", "--workspace", str(daemon.folder.path), "--socket", str(daemon.socket)]
    samples = []
    for at, message in enumerate(messages):
        given = {"hook_event_name": "UserPromptSubmit", "cwd": "/", "session_id": f"h{at}", "prompt_id": f"p{at}"}
        begun_s = time.perf_counter()
        subprocess.run(words, input=json.dumps({**given, "prompt": message}).encode(), capture_output=True, check=True)
        samples.append((time.perf_counter() - begun_s,))
    return samples


def measure(count: int) -> None:
    """Print the table."""
    some = Ordinary(7)
    with tempfile.TemporaryDirectory(prefix="memd-p") as name:
        folder = Folder.make(Path(name) / "m", demo=False)
        folder.file("main").parent.mkdir(exist_ok=True)
        folder.file("main").write_text(Ordinary(1).dump_role(count), "utf-8")
        daemon = Daemon(folder, Path(name) / "s", alone=True)
        daemon.start()
        try:
            daemon.call("session.open", role="main")
            until(lambda: _is_ready(daemon), PATIENT_S, "every memory has a vector")
            print(f"{count:,} memories, the packaged model, {ASKED} of each; ms, and MB of the process that embeds")
            print(f"{'':44}{'wall':>9}{'p99':>9}{'daemon':>9}{'embeds':>9}")
            for what, make in CALLS.items():
                messages = [make(some) for _ in range(ASKED)]
                print(told(f"trigger, {what}", asked(daemon, messages)))
                print(told("  known", asked(daemon, messages)))
            new = [prompt(some) for _ in range(ASKED)]
            print(told("hook, a new prompt of 2,000 characters", hooked(daemon, new)))
            print(told("  known", hooked(daemon, new)))
            print(f"resident: {daemon.call('status')['embedder']['resident_kb'] / 1024:.0f} MB")
        finally:
            daemon.stop()


def _is_ready(daemon: Daemon) -> bool:
    daemon.call("trigger", role="main", message="what is known of it?")
    state = daemon.call("status")["embedder"]
    return state["state"] == "ready" and not state["behind"] and bool(state.get("vectors"))


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ["MEMD_EMBEDDINGS"] = "packaged"
    measure(int(sys.argv[1]) if sys.argv[1:] else MEMORIES)
