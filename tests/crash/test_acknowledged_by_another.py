"""What is answered because another request has just done it is as durable as what that one is answered."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.storage.system import System
from memd.store.opening import open_workspace
from tests.support import Folder

PAUSE_S = 0.3
SAID = {"kind": "message", "speaker": "user", "content": "The kiln is fired on Mondays."}


class Slow(System):
    """The log's syncs wait for a word."""

    def __init__(self) -> None:
        self.goes = threading.Event()
        self.goes.set()

    def sync_data(self, handle: int) -> None:
        self.goes.wait(60)
        super().sync_data(handle)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("snapshot.take", {}),
        ("remember", {"role": "main", "content": "The kiln is fired at 1240 degrees.", "explicit": True}),
        ("curated.add", {"content": "窑炉每周一点火。"}),
        ("run.start", {"run": "r1"}),
    ],
)
def test_the_second_of_two_equal_requests_waits_for_the_first(
    workspace: Folder, method: str, params: dict[str, Any]
) -> None:
    async def run() -> None:
        place, system = Place(str(workspace.path), "", ""), Slow()
        opened = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"}, system=system)
        service = Local(opened, service_of(opened, place, daemon=False))
        try:
            await service.call("session.open", session="s")
            await opened.writer.journal.drain()
            system.goes.clear()
            first = asyncio.create_task(service.call(method, **params))
            await asyncio.sleep(PAUSE_S)
            second = asyncio.create_task(service.call(method, **params))
            await asyncio.sleep(PAUSE_S)
            assert (first.done(), second.done()) == (False, False)
            system.goes.set()
            await asyncio.wait({first, second})
            first.result()
        finally:
            system.goes.set()
            await opened.close()

    asyncio.run(run())
