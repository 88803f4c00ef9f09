"""What the page costs: from its address to the first screen in a browser, and the memory of its server.

python -m tests.bench.page [MEMORIES]      10,000 unless told otherwise; needs what `make browser` installs
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.bench.doors import MEMD, Row, dumped, records, told
from tests.browser.conftest import CHROMIUM, HERE
from tests.support import Daemon, Folder

MEMORIES = 10_000
RUNS = 7
SCREENS = ("memories", "why", "inbox", "settings")
# By the browser's own clock, from the start of the navigation: when something was painted, and when the largest text or picture of the screen was.
SEEN = """() => new Promise((done, failed) => {
  const shown = [];
  new PerformanceObserver((list) => shown.push(...list.getEntries().filter((one) => one.element?.closest("#screen"))))
    .observe({type: "largest-contentful-paint", buffered: true});
  setTimeout(() => {
    if (!shown.length) return failed(new Error("no screen was painted"));
    done([performance.getEntriesByName("first-contentful-paint")[0].startTime, shown.at(-1).startTime]);
  }, 1500);
})"""
LINE = b"<!doctype html><title>x</title><main id=screen><p>A page of one line, which asks for nothing more.</p></main>"


class Line(BaseHTTPRequestHandler):
    """A server of one line: what the browser takes for the least."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(LINE)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def megabytes(pid: int, name: str) -> float:
    """Return a figure of a process's memory, as proc(5) names it."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(float(one.split()[1]) / 1024 for one in lines if one.startswith(f"{name}:"))


def opened(browser: Any, address: str) -> tuple[Any, list[float]]:
    """Open an address in a window of its own; return it, and ms to the first paint and to the screen."""
    page = browser.new_page()
    page.goto(address, wait_until="commit")
    return page, [float(one) for one in page.evaluate(SEEN)]


def least(browser: Any) -> list[float]:
    """Return for each run what the browser takes for a page of one line, ms."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Line) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        runs = []
        for _ in range(RUNS):
            page, seen = opened(browser, f"http://127.0.0.1:{server.server_port}/")
            runs.append(seen[1])
            page.close()
        server.shutdown()
    return runs


def visited(browser: Any, daemon: Daemon) -> tuple[list[float], float, float, float]:
    """Open a page of its own; return ms to the first paint and to the first screen, the server's start in s, its memory and its most."""
    begun_s = time.perf_counter()
    words = [str(MEMD), "ui", "--print", "-w", str(daemon.folder.path)]
    env = {**os.environ, "MEMD_SOCKET": str(daemon.socket)}
    server = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        address = server.stdout.readline().strip()
        up_s = time.perf_counter() - begun_s
        page, seen = opened(browser, address)
        for screen in SCREENS:
            page.goto(f"{address.partition('/#')[0]}/{screen}")
            page.locator("#screen > *").first.wait_for()
        page.close()
        return seen, up_s, megabytes(server.pid, "VmRSS"), megabytes(server.pid, "VmHWM")
    finally:
        server.terminate()
        server.wait(20)


def table(memories: int) -> list[Row]:
    sys.path.insert(0, str(HERE))
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  where `make browser` put it

    with tempfile.TemporaryDirectory(prefix="memd-b") as name:
        folder = Folder.make(Path(name) / "m", demo=False)
        (folder.path / "roles/main").mkdir(exist_ok=True)
        folder.file("main").write_bytes(dumped(records(memories, 1)))
        daemon = Daemon(folder, Path(name) / "s", alone=True)
        daemon.start()
        try:
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                lines = least(browser)
                runs = [visited(browser, daemon) for _ in range(RUNS)]
                browser.close()
        finally:
            daemon.stop()
    held = statistics.median(one[2] for one in runs)
    return [
        told("the server, start to its address, ms", [one[1] for one in runs], 0),
        told("a page of one line of another server, ms", [one / 1000 for one in lines], 0),
        told("address opened to something seen, ms", [one[0][0] / 1000 for one in runs], 200),
        told("address opened to the first screen, ms", [one[0][1] / 1000 for one in runs], 200),
        ("the server after five screens, MB; its most", f"{held:.1f}; {max(one[3] for one in runs):.1f}", "40", f"{40 / held:.2f}"),
    ]  # fmt: skip


def main() -> None:
    memories = int(sys.argv[1]) if len(sys.argv) > 1 else MEMORIES
    if not CHROMIUM or not HERE.exists():
        print("no browser here: `make browser` says what is missing")
        return
    print(f"{memories} memories, {RUNS} runs: median / p99, goal, ratio")
    for row in table(memories):
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(row, (50, 16, 6, 12), strict=True)).rstrip())


if __name__ == "__main__":
    main()
