"""Without being asked for, sessions are consolidated after a rest and once a night, and never while capture is paused."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from memd.daemon import Local
from memd.service.capture.timing import look
from tests.service.test_verbs import Clock, work
from tests.support import Folder, memd

SAID = "My sister Ana lives in Lisbon."
Wait = Callable[[float], None]


def at(hour: int, minute: int) -> float:
    """Return a time of tomorrow, in UTC."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    return tomorrow.replace(hour=hour, minute=minute, second=0).timestamp()


@pytest.fixture
def auto(workspace: Folder) -> Folder:
    workspace.write("main")
    workspace.settings(trigger__zone="UTC")
    memd("capture", "auto", "-w", str(workspace.path))
    return workspace


async def talk(service: Local, folder: Folder, when_s: float) -> None:
    """Say something at a time."""
    await service.call("session.open", session="talk", role="main")
    await service.call(
        "session.append", session="talk", events=[{"kind": "message", "speaker": "user", "content": SAID}]
    )
    while service.store.writer.depth:
        await asyncio.sleep(0.005)
    for file in (folder.path / "sessions").rglob("*.jsonl"):
        os.utime(file, (when_s, when_s))


def looked_at(folder: Folder, said_s: float, *looks_s: float, paused: bool = False) -> list[int]:
    """Say something at a time and look at others; return how many sessions were due at each."""
    clock = Clock(said_s)

    async def steps(service: Local) -> list[int]:
        await talk(service, folder, said_s)
        if paused:
            await service.call("capture.pause")
        found = []
        for now_s in looks_s:
            clock.now_s = now_s
            found.append(await look(service.store, asyncio.Event()))
        return found

    return list(work(folder, steps, clock))


def test_after_half_an_hour_of_rest_a_session_is_looked_at_once(auto: Folder) -> None:
    assert looked_at(auto, at(12, 0), at(12, 10), at(12, 29), at(12, 31), at(13, 0)) == [0, 0, 1, 0]
    assert auto.contents("main") == [SAID]


def test_when_a_night_begins_also_what_has_not_rested_is_looked_at(auto: Folder) -> None:
    assert looked_at(auto, at(2, 50), at(2, 51), at(2, 59), at(3, 1), at(3, 2)) == [0, 0, 1, 0]
    assert auto.contents("main") == [SAID]


def test_while_capture_is_paused_nothing_is_looked_at(auto: Folder) -> None:
    assert looked_at(auto, at(12, 0), at(12, 31), at(20, 0), paused=True) == [0, 0]
    assert auto.contents("main") == []


def test_what_was_said_days_ago_is_left_to_a_person(auto: Folder) -> None:
    assert looked_at(auto, at(12, 0), at(12, 0) + 4 * 86_400.0) == [0]


def test_what_another_clock_wrote_days_ahead_is_left_to_a_person(auto: Folder) -> None:
    assert looked_at(auto, at(12, 0), at(12, 0) - 4 * 86_400.0) == [0]
