"""How far long work is, for a person who waits: click's bar on standard error where that is a terminal, else nothing.

Work that is done at once shows no bar. What the daemon does is looked at by `ping`, several times a second.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from memd.cli.reach import ask
from memd.cli.show import clean, screen_of
from memd.cli.tables import short
from memd.client import Client, find_workspace
from memd.errors import DaemonMissingError, MemdError
from memd.model.files import Told, untold

AFTER_S = 1.0  # work that takes less shows nothing; 0: all work shows how far it is
LOOK_S = 0.2
BAR_COLUMNS, BESIDE = 36, 44  # of the bar at most; of what stands beside it: percent, time, step
LEAST_BAR, STEP_COLUMNS = 6, 18


class Bar:
    """A bar that appears when the work has taken a while, as far as it is then."""

    def __init__(self, label: str) -> None:
        self.label = label
        self._lock = threading.Lock()
        self._last: tuple[int, int, str] | None = (0, 1, "")
        self._bar: Any = None
        self._timer = threading.Timer(AFTER_S, self._begin)
        self._timer.daemon = True
        if AFTER_S:
            self._timer.start()
        else:
            self._begin()

    def told(self, done: int, of: int, step: str = "") -> None:
        """Show how far it is."""
        with self._lock:
            self._last = (done, max(of, 1), step)
            self._show()

    def finish(self) -> None:
        """Show that all is done."""
        with self._lock:
            if self._last is not None:
                self._last = (self._last[1], self._last[1], "")
                self._show()

    def close(self) -> None:
        """Leave the bar as it is, and go to the next line."""
        self._timer.cancel()
        with self._lock:
            if self._bar is not None:
                self._bar.__exit__(None, None, None)
            self._last = None

    def _begin(self) -> None:
        with self._lock:
            if self._last is not None:
                self._bar = self._made()
                self._bar.__enter__()
                self._show()

    def _show(self) -> None:
        if self._bar is not None and self._last is not None:
            done, of, step = self._last
            self._bar.length, self._bar.current_item = of, step
            self._bar.make_step(
                min(done, of) - self._bar.pos
            )  # it may go back: another piece of work of this name began
            self._bar.render_progress()

    def _made(self) -> Any:
        room = (screen_of(sys.stderr).columns or 0) - len(self.label) - BESIDE
        return click.progressbar(
            length=1,
            label=self.label,
            width=min(max(room, LEAST_BAR), BAR_COLUMNS),
            item_show_func=lambda step: short(clean(step), STEP_COLUMNS) if step else None,
            file=sys.stderr,
        )


@contextmanager
def progress(label: str) -> Iterator[Told]:
    """Give what tells a person how far the work in this block is."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield untold
        return
    bar = Bar(label)
    try:
        yield bar.told
        bar.finish()
    finally:
        bar.close()


def ask_and_watch(
    workspace: str, method: str, label: str, *, name: str, deadline_s: float, **params: Any
) -> dict[str, Any]:
    """Ask what takes a while; `name`: under what name the one who works tells how far it is."""
    path = find_workspace(workspace)
    with progress(label) as told:
        if told is untold:
            return ask(path, method, deadline_s=deadline_s, **params)
        try:
            with Client.of_workspace(path) as looking:
                return _asked(lambda: ask(path, method, deadline_s=deadline_s, **params), looking, name, told)
        except DaemonMissingError:
            return asyncio.run(
                _worked(path, method, {key: value for key, value in params.items() if value}, name, told)
            )


def _asked(work: Callable[[], dict[str, Any]], looking: Client, name: str, told: Told) -> dict[str, Any]:
    """Do it in a thread, and look meanwhile how far the daemon is."""
    found: list[dict[str, Any]] = []
    failed: list[BaseException] = []

    def do() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=do, daemon=True)  # who stops waiting stops the command
    thread.start()
    while thread.is_alive():
        thread.join(LOOK_S)
        try:
            _tell(looking.call("ping"), name, told)
        except MemdError:
            thread.join()  # it is busy or gone; what was asked tells what became of it
    if failed:
        raise failed[0]
    return found[0]


async def _worked(path: str, method: str, params: Mapping[str, Any], name: str, told: Told) -> dict[str, Any]:
    """Do it in this process, and look meanwhile how far it is."""
    from memd.config import place_of
    from memd.daemon import local, writes

    async with local(place_of(path), writes=writes(method)) as service:
        work = asyncio.ensure_future(service.call(method, **params))
        while not (await asyncio.wait([work], timeout=LOOK_S))[0]:
            _tell(await service.call("ping"), name, told)
        return work.result()


def _tell(pong: Mapping[str, Any], name: str, told: Told) -> None:
    if one := pong.get("under_way", {}).get(name):
        told(one["done"], one["of"], one["step"])
