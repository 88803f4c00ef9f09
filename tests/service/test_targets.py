"""What fails is told and tried again until it is done; the end waits for what has begun."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from memd.errors import StorageError
from memd.store.writing.targets import HeldError, Targets


class Work:
    """Targets over a list of faults: each try takes the first, and the last try succeeds."""

    def __init__(self, *faults: Exception) -> None:
        self.faults: dict[str, list[Exception]] = {"a": list(faults)}
        self.open = {"a"}
        self.told: list[str] = []
        self.may_end = asyncio.Event()
        self.may_end.set()
        self.targets = Targets(time.monotonic, self.open.__contains__, self.write, self.advance)

    async def write(self, target: str) -> None:
        await self.may_end.wait()
        if faults := self.faults.get(target):
            raise faults.pop(0)
        self.open.discard(target)

    async def advance(self) -> None:
        self.told.append(self.targets.trouble.get("a", ""))


async def nothing_more() -> str:
    return ""


def run(steps: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(steps(), 30))


def test_what_fails_is_told_tried_again_and_told_no_more_when_it_is_done() -> None:
    async def steps() -> None:
        work = Work(HeldError("a person broke it"), StorageError("f", "no room"), ValueError("unforeseen"))
        work.targets.wake("a")
        while work.open or work.targets.trouble:
            await asyncio.sleep(0.01)
        assert work.told == ["held: a person broke it", "f: no room", "internal error: ValueError", ""]

    run(steps)


def test_another_target_does_not_wait_for_one_that_fails() -> None:
    async def steps() -> None:
        work = Work(*[StorageError("f", "no room")] * 1000)
        work.targets.wake("a")
        while not work.told:
            await asyncio.sleep(0.01)
        work.open.add("b")
        work.targets.wake("b")
        while "b" in work.open:
            await asyncio.sleep(0.01)
        assert work.open == {"a"}
        await work.targets.finish(0.0, nothing_more)
        assert work.targets.trouble == {"a": "f: no room"}

    run(steps)


def test_the_end_waits_for_a_write_that_has_begun_and_begins_none_after_it() -> None:
    async def steps() -> None:
        work = Work()
        work.may_end.clear()
        work.targets.wake("a")
        ending = asyncio.create_task(work.targets.finish(0.0, nothing_more))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not ending.done()
        work.may_end.set()
        await ending
        assert (work.open, work.told) == (set(), [""])
        work.open.add("a")
        work.targets.wake("a")
        await asyncio.sleep(0)
        assert work.open == {"a"}, "what comes now is in the log, for the next start"

    run(steps)


def test_the_end_looks_once_more_at_what_waited_for_the_others() -> None:
    async def steps() -> None:
        work = Work()
        work.open.add("later")

        async def later() -> str:
            return "later" if "later" in work.open else ""

        work.targets.wake("a")
        await work.targets.finish(20.0, later)
        assert work.open == set()

    run(steps)


def test_a_target_waits_for_its_time_unless_somebody_cannot_wait() -> None:
    async def steps() -> None:
        work = Work()
        work.targets.due_s = lambda _: time.monotonic() + 60
        work.targets.wake("a")
        await asyncio.sleep(0.4)  # longer than it looks again
        assert work.open == {"a"}
        await work.targets.flush(lambda: work.open, 20)
        assert (work.open, work.told) == (set(), [""])

    run(steps)


def test_a_flush_tries_at_once_what_is_in_trouble_and_waits_for_no_second_try() -> None:
    async def steps() -> None:
        work = Work(*[StorageError("f", "no room")] * 2, *[HeldError("git is at work")] * 1000)
        work.targets.wake("a")
        while len(work.told) < 2:
            await asyncio.sleep(0.01)
        began_s = time.monotonic()  # the third try would be a second away
        await work.targets.flush(lambda: work.open, 20)
        assert time.monotonic() - began_s < 0.9
        assert work.told[2:] == ["held: git is at work"]
        await asyncio.gather(*(work.targets.flush(lambda: work.open, 20) for _ in range(3)))
        assert len(work.told) < 7, "and three who ask at once make no storm"
        await work.targets.finish(0.0, nothing_more)

    run(steps)


def test_a_flush_ends_at_its_deadline_and_the_write_goes_on() -> None:
    async def steps() -> None:
        work = Work()
        work.may_end.clear()
        await work.targets.flush(lambda: work.open, 0.05)
        assert work.open == {"a"}
        work.may_end.set()
        await work.targets.finish(20.0, nothing_more)
        assert work.open == set()

    run(steps)
