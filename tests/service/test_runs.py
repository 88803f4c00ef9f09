"""Runs: begun on a frozen snapshot, counted as they go, ended with a receipt, whatever happens in between."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.errors import (
    BadNameError,
    MemdError,
    NameTakenError,
    RoleUnknownError,
    RunLimitError,
    RunMismatchError,
    RunMoveError,
    RunUnknownError,
    SessionClosedError,
    SessionUnknownError,
    TaskUnknownError,
)
from memd.storage.system import System
from memd.store.opening import open_workspace
from tests.service.test_verbs import work
from tests.support import Folder, memd, until

TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ456789"


def call(tool: str = "read_file", **more: Any) -> dict[str, Any]:
    return {"kind": "tool_call", "tool": tool, **more}


def result(call_id: str, content: str = "ok", **more: Any) -> dict[str, Any]:
    return {"kind": "tool_result", "call_id": call_id, "content": content, **more}


async def started(service: Local, **given: Any) -> str:
    return str((await service.call("run.start", **given))["run"])


async def kinds(service: Local, run: str) -> dict[str, int]:
    found: dict[str, int] = (await service.call("session.get", session=run))["kinds"]
    return found


async def written(service: Local) -> None:
    """Wait until all that was acknowledged is in the files."""
    async with asyncio.timeout(5):
        while service.store.writer.depth:
            await asyncio.sleep(0.01)


def receipt(folder: Folder, run: str) -> str:
    (path,) = folder.path.glob(f"runs/*/{run}.md")
    return path.read_text("utf-8")


def test_a_run_ends_with_a_receipt_of_all_it_did(workspace: Folder) -> None:
    async def steps(service: Local) -> str:
        begun = await service.call(
            "run.start", run="r1", role="main", asked="Fix the login. 修复登录", skills=["fix@2"]
        )
        assert begun["session"] == "r1"
        events = [
            call(call_id="1", arguments={"path": "a.py"}),
            result("1"),
            call("shell", call_id="2", arguments="make test"),
            result("2", "3 failed", is_error=True),
            {"kind": "usage", "input_tokens": 100, "output_tokens": 20, "cost": 0.25},
            {"kind": "usage", "input_tokens": 10},
            {"kind": "task_evidence", "content": "12 tests pass", "status": "passed"},
            {"kind": "injected", "memories": ["id-1"]},
            {"speaker": "assistant", "content": "Done."},
        ]
        told = await service.call("run.event", run="r1", events=events)
        assert [one["seq"] for one in told["events"]] == list(range(3, 12))
        assert (told["iterations"], told["left"]) == (2, 48)
        kept = await service.call(
            "remember", role="main", content="The login needs a token.", explicit=True, run="r1", source="agent"
        )
        done = await service.call("run.complete", run="r1", changed=["a.py"])
        found = await service.call("run.get", run="r1")
        assert found["text"] == done["text"]
        wanted = {
            "state": "completed", "acceptance": "pending", "final": False, "session": "r1", "role": "main",
            "snapshot": begun["snapshot"], "skills": ["fix@2"], "injected": ["main/id-1"],
            "tools": {"read_file": 1, "shell": 1}, "iterations": 2, "asked": "Fix the login. 修复登录",
            "usage": {"input_tokens": 110, "output_tokens": 20, "cost": 0.25, "calls": 2}, "summary": "Done.",
            "evidence": ["[passed] 12 tests pass"], "edited": False,
            "changed": ["a.py", f"remembered main/{kept['id']}: The login needs a token."],
        }  # fmt: skip
        assert {key: found[key] for key in wanted} == wanted
        assert (await kinds(service, "r1"))["run_completed"] == 1
        return str(done["text"])

    text = work(workspace, steps)
    assert receipt(workspace, "r1") == text


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"task": "nowhere"}, TaskUnknownError),
        ({"role": "nobody"}, RoleUnknownError),
        ({"run": "first"}, NameTakenError),
        ({"run": "FIRST"}, NameTakenError),
        ({"run": "../x"}, BadNameError),
        ({"session": "over"}, SessionClosedError),
        ({"session": "nowhere"}, SessionUnknownError),
        ({"session": "OVER"}, SessionUnknownError),
        ({"session": "../over"}, SessionUnknownError),
    ],
)
def test_a_run_that_cannot_be_leaves_nothing(workspace: Folder, given: dict[str, str], error: type[Exception]) -> None:
    async def steps(service: Local) -> None:
        await started(service, run="first")
        await service.call("session.open", session="over")
        await service.call("session.close", session="over")
        with pytest.raises(error):
            await service.call("run.start", **given)
        told = await service.call("run.list")
        assert [one["run"] for one in told["running"]] == ["first"]
        assert (await service.call("session.search"))["total"] == 2

    work(workspace, steps)


def test_several_runs_share_a_session_and_each_has_its_own_events(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("session.open", session="shared")
        for run in ("one", "two"):
            assert (await service.call("run.start", run=run, session="shared"))["session"] == "shared"
        await service.call("run.event", run="one", events=[call("a"), call("b")])
        await service.call("run.event", run="two", events=[call("c")])
        with pytest.raises(RunMismatchError):
            await service.call("run.event", run="two", events=[call("d", run="one")])
        for run, tools in (("one", {"a": 1, "b": 1}), ("two", {"c": 1})):
            assert (await service.call("run.complete", run=run))["tools"] == tools

    work(workspace, steps)


@pytest.mark.parametrize("method", ["run.event", "run.complete", "run.get"])
def test_a_run_nobody_began_is_unknown(workspace: Folder, method: str) -> None:
    async def steps(service: Local) -> None:
        with pytest.raises(RunUnknownError):
            await service.call(method, run="nobody", **({"events": [call()]} if method == "run.event" else {}))

    work(workspace, steps)


def test_the_tool_call_too_many_is_refused_before_it_is_recorded(workspace: Folder) -> None:
    async def begin(service: Local) -> None:
        await started(service, run="r1", max_tool_iterations=3)
        await service.call("run.event", run="r1", events=[call(), call()])
        with pytest.raises(RunLimitError, match="has made 2 of 3 tool iterations"):
            await service.call("run.event", run="r1", events=[{"speaker": "user", "content": "x"}, call(), call()])
        assert await kinds(service, "r1") == {"opened": 1, "run_started": 1, "tool_call": 2}

    work(workspace, begin)

    async def go_on(service: Local) -> None:
        """The count is that of the file: a restart forgets nothing."""
        await service.call("run.event", run="r1", events=[call()])
        for _ in range(2):
            with pytest.raises(RunLimitError, match="3 of 3"):
                await service.call("run.event", run="r1", events=[call()])
        await service.call("run.event", run="r1", events=[result("x"), {"speaker": "assistant", "content": "Enough."}])
        assert (await service.call("run.complete", run="r1"))["iterations"] == 3

    work(workspace, go_on)


def test_calls_of_one_iteration_count_as_one(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await started(service, run="r1", max_tool_iterations=2)
        for _ in range(2):
            told = await service.call("run.event", run="r1", events=[call(iteration=1), call(iteration=1)])
        assert (told["iterations"], told["left"]) == (1, 1)
        await service.call("run.event", run="r1", events=[call(iteration=2)])
        with pytest.raises(RunLimitError):
            await service.call("run.event", run="r1", events=[call(iteration=3)])
        assert (await service.call("run.complete", run="r1"))["tools"] == {"read_file": 5}

    work(workspace, steps)


def test_the_setting_is_the_most_that_a_run_may_ask_for(workspace: Folder) -> None:
    workspace.settings(sessions__max_tool_iterations=4)

    async def steps(service: Local) -> None:
        for asked, given in ((0, 4), (2, 2), (99, 4)):
            assert (await service.call("run.start", max_tool_iterations=asked))["max_tool_iterations"] == given

    work(workspace, steps)


@pytest.mark.parametrize("outcome", ["completed", "failed", "cancelled"])
def test_the_same_completion_twice_is_one_and_another_is_refused(workspace: Folder, outcome: str) -> None:
    async def steps(service: Local) -> None:
        await started(service, run="r1")
        await service.call("run.complete", run="r1", outcome=outcome, summary="It is done.")
        again = await service.call("run.complete", run="r1", outcome=outcome, summary="It is done.")
        assert (again["already"], again["state"]) == (True, outcome)
        other = "failed" if outcome == "completed" else "completed"
        for given in ({"outcome": other}, {"outcome": outcome, "summary": "It is not."}):
            with pytest.raises(RunMoveError, match=f"is {outcome}"):
                await service.call("run.complete", run="r1", **given)
        with pytest.raises(RunMoveError):
            await service.call("run.event", run="r1", events=[call()])
        assert await kinds(service, "r1") == {"opened": 1, "run_started": 1, "run_completed": 1}

    work(workspace, steps)


@pytest.mark.parametrize("summary", ["one\r\ntwo", "x" * 20_001, "a\0b"], ids=["CR LF", "cut", "NUL"])
def test_a_completion_sent_again_is_known_whatever_its_summary(workspace: Folder, summary: str) -> None:
    async def steps(service: Local) -> None:
        await started(service, run="r1")
        await service.call("run.complete", run="r1", summary=summary)
        assert (await service.call("run.complete", run="r1", summary=summary))["already"]

    work(workspace, steps)


@pytest.mark.parametrize("other", ["completed", "failed"])
def test_of_two_completions_at_one_time_only_one_counts(workspace: Folder, other: str) -> None:
    async def steps(service: Local) -> None:
        await started(service, run="r1")
        replies: list[Any] = await asyncio.gather(
            service.call("run.complete", run="r1"),
            service.call("run.complete", run="r1", outcome=other),
            return_exceptions=True,
        )
        assert isinstance(replies[1], RunMoveError) or (other == "completed" and replies[1]["already"])
        assert (await service.call("run.get", run="r1"))["state"] == "completed"
        assert (await kinds(service, "r1"))["run_completed"] == 1

    work(workspace, steps)


def test_a_receipt_has_every_event_that_stands_before_the_end(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await started(service, run="r1")
        await asyncio.gather(
            service.call("run.complete", run="r1"),
            service.call("run.event", run="r1", events=[call()]),
            return_exceptions=True,
        )
        calls = (await kinds(service, "r1")).get("tool_call", 0)
        assert (await service.call("run.get", run="r1")).get("tools", {}) == ({"read_file": 1} if calls else {})

    work(workspace, steps)


def test_a_secret_is_in_no_file_of_a_run(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("task.open", title="T", task="t", asked=f"Use {TOKEN}.")
        await started(service, run="r1", task="t", asked=f"Use {TOKEN}.")
        await service.call("run.event", run="r1", events=[{"speaker": "user", "content": f"Use {TOKEN}."}])
        await service.call("run.complete", run="r1", summary=f"Used {TOKEN}.", changed=[TOKEN])
        await service.call("task.revise", task="t", words=f"Do not use {TOKEN}.")

    work(workspace, steps)
    assert not [one for one in workspace.path.rglob("*") if one.is_file() and TOKEN.encode() in one.read_bytes()]


def test_a_receipt_names_every_memory_and_skill_of_a_long_run(workspace: Folder) -> None:
    ids = [f"{n:08d}-e890-48d8-8b77-591dbfe71d5d" for n in range(120)]
    skills = [f"the-name-of-a-skill-that-says-what-it-is-good-for-and-when-{n:02d}@1" for n in range(50)]

    async def steps(service: Local) -> None:
        await started(service, run="r1", role="main", skills=skills)
        await service.call("run.event", run="r1", events=[{"kind": "injected", "memories": ids}])
        await service.call("run.complete", run="r1")
        found = await service.call("run.get", run="r1")
        assert found["skills"] == skills
        assert found["injected"] == [f"main/{one}" for one in ids]

    work(workspace, steps)


def test_a_receipt_edited_by_hand_counts_and_is_told(workspace: Folder) -> None:
    async def begin(service: Local) -> None:
        await started(service, run="r1", skills=["fix@1"], asked="Fix it.")
        await service.call("run.complete", run="r1")

    work(workspace, begin)
    (path,) = workspace.path.glob("runs/*/r1.md")
    text = path.read_text("utf-8").replace("acceptance: pending", "acceptance: accepted").replace("Fix it.", "Mend it.")
    path.write_text(text, "utf-8")

    async def look(service: Local) -> None:
        found = await service.call("run.get", run="r1")
        assert (found["edited"], found["acceptance"], found["asked"]) == (True, "accepted", "Mend it.")
        counted = await service.call("skill.effects", recompute=True)
        assert (counted["edited"], counted["effects"][0]["accepted"]) == (["r1"], 1)
        with pytest.raises(RunMoveError):
            await service.call("run.complete", run="r1", outcome="failed")

    work(workspace, look)
    assert path.read_text("utf-8") == text
    told = memd("check", "-w", str(workspace.path), check=False).stdout
    assert f"{path.relative_to(workspace.path)}:1:1: run.edited" in told


def test_a_run_whose_session_was_removed_still_ends(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await started(service, run="r1", asked="Fix it.")

    work(workspace, steps)
    next(workspace.path.glob("sessions/*/r1.jsonl")).unlink()

    async def end(service: Local) -> None:
        with pytest.raises(MemdError):
            await service.call("run.event", run="r1", events=[call()])
        assert "Fix it." in (await service.call("run.complete", run="r1"))["text"]

    work(workspace, end)
    assert "events: 0" in receipt(workspace, "r1")


def test_a_broken_receipt_costs_no_other(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        for run in ("r1", "r2"):
            await started(service, run=run)
            await service.call("run.complete", run=run)

    work(workspace, steps)
    next(workspace.path.glob("runs/*/r1.md")).write_bytes(b"\xff\xfe")

    async def look(service: Local) -> None:
        assert [one["run"] for one in (await service.call("run.list"))["runs"]] == ["r2"]

    work(workspace, look)


class SlowListing(System):
    """A disk that is slow to list the receipts: what is to be written meanwhile is there before the list is."""

    until: Callable[[], None] | None = None

    def list(self, handle: int) -> Iterator[os.DirEntry[str]]:
        found = [*super().list(handle)]
        if self.until is not None and any(one.name == "r1.md" for one in found):
            self.until()
        return iter(found)


def test_a_receipt_that_is_just_being_written_is_listed(workspace: Folder) -> None:
    async def steps() -> list[str]:
        place, system = Place(str(workspace.path), "", ""), SlowListing()
        there = await open_workspace(place.workspace, holder={"pid": 1, "what": "test"}, system=system)
        try:
            service = Local(there, service_of(there, place))
            for run in ("r1", "r2"):
                await written(service)
                await started(service, run=run)
                await service.call("run.complete", run=run)
            system.until = lambda: until(lambda: not there.writer.depth, 5, "the receipt is written")
            return [one["run"] for one in (await service.call("run.list"))["runs"]]
        finally:
            system.until = None
            await there.close()

    assert sorted(asyncio.run(steps())) == ["r1", "r2"]
