"""What judging costs: a scoring, a validation, a look by the guard, and the memory that what was learned takes."""

from __future__ import annotations

import json
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

from memd.service.judging.offers import RememberRequest, read_offer
from memd.store.keep.learned import Learned
from tests.support import ROOT, Daemon, until

Row = tuple[str, str, str, str]
CASES = ROOT / "tests/conformance/cases"


def bench_score(daemon: Daemon, size: int, runs: int, row: Callable[..., Row], *, model: bool) -> Iterator[Row]:
    """A scoring of each text of the gate's cases, by words alone or with the packaged model, one client."""
    texts = [(one["text"], one["source"]) for one in cases("gate")]
    by_words = 0
    scores: list[list[float]] = []
    with daemon.client() as client:
        if model:
            client.call("score", role="main", content="The model is read for the first of them.")
            until(lambda: client.call("status")["embedder"]["state"] == "ready", 60, "the model is ready")
        for run in range(runs):
            took: list[float] = []
            for text, source in texts:
                begun = time.perf_counter()
                reply = client.call("score", role="main", content=f"{text} ({run})", source=source)
                took.append(time.perf_counter() - begun)
                by_words += bool(reply.get("provisional"))
            scores.append(took)
    how = "with the packaged model" if model else "by words"
    yield row(f"score over the socket, {how}, {size:,} memories: median ms", middle(scores, 0.5), 30 if model else 5)
    yield row(f"score over the socket, {how}, {size:,} memories: p99 ms", middle(scores, 0.99), 60 if model else 10)
    if model:
        late = by_words / (runs * len(texts)) * 100
        yield row("of these, judged by words as the model had no time: %", max(late, 0.01), 1)


def bench_keep(daemon: Daemon, size: int, runs: int, row: Callable[..., Row]) -> Iterator[Row]:
    calls = [one for one in cases("guard") if one["tool"]]
    passed: list[list[float]] = []
    redirected: list[list[float]] = []
    with daemon.client() as client:
        for run in range(runs):
            for wanted, into in (("allow", passed), ("redirect", redirected)):
                some = [(f"{run}.{n}", one) for n, one in enumerate(calls) if one["expect"] == wanted]
                into.append(
                    [
                        timed(client.call, "guard.check", tool=one["tool"], input=one["input"], session=s)
                        for s, one in some
                    ]
                )
    yield row("guard.check that lets pass, over the socket: p99 ms", middle(passed, 0.99), 1)
    yield row("guard.check that redirects, audited on disk: p99 ms", middle(redirected, 0.99), 10)
    texts = [one["text"] for one in cases("gate")]
    validations = [[timed(read_offer, RememberRequest("main", one)) for one in texts] for _ in range(runs)]
    yield row("validation of an offer: p99 ms", middle(validations, 0.99), 5)
    yield row("what was learned, in memory, MB", learned_mb(), 10)


def cases(stem: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / f"{stem}.jsonl").read_text("utf-8").splitlines()]


def timed(call: Callable[..., Any], *given: Any, **named: Any) -> float:
    start = time.perf_counter()
    call(*given, **named)
    return time.perf_counter() - start


def middle(samples: list[list[float]], share: float) -> float:
    """The median over the runs of one quantile, in ms."""
    return statistics.median(sorted(run)[min(len(run) - 1, int(len(run) * share))] for run in samples) * 1000


def learned_mb() -> float:
    tracemalloc.start()
    learned = Learned()
    learned.load()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size / 1e6
