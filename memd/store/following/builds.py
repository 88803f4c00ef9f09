"""Builds of the full-text index, each in a child process: what it is asked, how far it is, and who waits for one."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from memd.errors import InternalError, MemdError
from memd.storage.processes import Child

BUILT = "built"  # begins a line in which a build tells how far it is: done, of all, step


@dataclass(slots=True)
class Builds:
    """Of one workspace. `last` is what the last build came to, `under_way` how far the present one is."""

    path: str
    cache_dir: str
    last: dict[str, Any] = field(default_factory=dict)
    under_way: dict[str, Any] = field(default_factory=dict)
    _child: Child = field(default_factory=Child)
    _waiting: list[asyncio.Future[dict[str, Any]]] = field(default_factory=list)

    async def build(self, names: list[str] | None, *, fresh: bool) -> None:
        """Have these files brought up, all of them where None; `fresh`: from nothing."""
        self.last = json.loads(await asyncio.to_thread(self._run, names, fresh))

    def wait(self) -> asyncio.Future[dict[str, Any]]:
        """Return what ends with the result of the next build to begin."""
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        return waiting

    def take_waiting(self) -> list[asyncio.Future[dict[str, Any]]]:
        """Return who waits for the build that begins now."""
        taken, self._waiting = self._waiting, []
        return taken

    def tell(self, waiting: list[asyncio.Future[dict[str, Any]]], error: Exception | None) -> None:
        """Tell those who wait what became of their build."""
        for one in waiting:
            if one.done():
                continue
            if error is None:
                one.set_result(dict(self.last))
            else:
                one.set_exception(error if isinstance(error, MemdError) else InternalError(str(error)))

    def stop(self) -> None:
        """Build no more."""
        self.tell(self.take_waiting(), InternalError("the daemon is stopping"))
        self._child.stop()

    def _run(self, names: list[str] | None, fresh: bool) -> bytes:
        arguments = ["rebuild", "--here", "--json", "--workspace", self.path, "--cache", self.cache_dir]
        arguments += ["--fresh"] if fresh else [] if names is None else ["--changed"]
        try:
            return self._child.run([*arguments, "--tell"], json.dumps(names or []).encode(), self._hear)
        finally:
            self.under_way = {}

    def _hear(self, line: bytes) -> bool:
        """Take in how far a build is, and tell whether the line said so."""
        words = line.decode("utf-8", "replace").split()
        if len(words) != 4 or words[0] != BUILT or not (words[1].isdigit() and words[2].isdigit()):
            return False
        self.under_way = {"done": int(words[1]), "of": int(words[2]), "step": words[3]}
        return True
