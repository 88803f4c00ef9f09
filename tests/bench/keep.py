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
from tests.support import ROOT, Daemon

Row = tuple[str, str, str, str]
CASES = ROOT / "tests/conformance/cases"


def bench_keep(daemon: Daemon, size: int, runs: int, row: Callable[..., Row]) -> Iterator[Row]:
    texts = [(one["text"], one["source"]) for one in cases("gate")]
    calls = [one for one in cases("guard") if one["tool"]]
    scores: list[list[float]] = []
    passed: list[list[float]] = []
    redirected: list[list[float]] = []
    with daemon.client() as client:
        for run in range(runs):
            scores.append([timed(client.call, "score", role="main", content=t, source=s) for t, s in texts])
            for wanted, into in (("allow", passed), ("redirect", redirected)):
                some = [(f"{run}.{n}", one) for n, one in enumerate(calls) if one["expect"] == wanted]
                into.append(
                    [
                        timed(client.call, "guard.check", tool=one["tool"], input=one["input"], session=s)
                        for s, one in some
                    ]
                )
    yield row(f"score over the socket, {size:,} memories: median ms", middle(scores, 0.5), 5)
    yield row(f"score over the socket, {size:,} memories: p99 ms", middle(scores, 0.99), 10)
    yield row("guard.check that lets pass, over the socket: p99 ms", middle(passed, 0.99), 1)
    yield row("guard.check that redirects, audited on disk: p99 ms", middle(redirected, 0.99), 10)
    validations = [[timed(read_offer, RememberRequest("main", t)) for t, _ in texts] for _ in range(runs)]
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
