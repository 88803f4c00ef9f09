"""Tasks: what may follow what, a person's word on runs, and files that a person edits as well."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon import Local
from memd.errors import (
    BadNameError,
    BadParamsError,
    MemdError,
    NameTakenError,
    RejectedFileError,
    RunMismatchError,
    RunUnknownError,
    TaskMoveError,
    TaskUnknownError,
)
from memd.formats.task_file import changed_task, dump_task, load_task
from memd.model.runs import Evidence, RunState, Said, Task, TaskRun
from memd.model.tasks import TASK_MOVES, Move, TaskState
from tests.service.test_runs import started
from tests.service.test_verbs import Clock, work
from tests.support import Folder

S = TaskState


async def ran(service: Local, task: str, outcome: str = "completed", **given: Any) -> str:
    run = await started(service, task=task, **given)
    await service.call("run.complete", run=run, outcome=outcome)
    return run


async def brought(service: Local, state: TaskState) -> None:
    """Open a task t, and bring it into a state; a run `open` of it is under way."""
    await service.call("task.open", title="Fix it", task="t")
    await started(service, run="open", task="t")
    if state in (S.REVIEW, S.REVISING, S.ACCEPTED):
        await ran(service, "t", run="done")
    if state is S.REVISING:
        await service.call("task.revise", task="t", words="Otherwise.")
    elif state is S.ACCEPTED:
        await service.call("task.accept", task="t")
    elif state is S.ABANDONED:
        await service.call("task.abandon", task="t")
    assert (await service.call("task.get", task="t"))["state"] == state.value


async def move(service: Local, what: Move) -> None:
    match what:
        case Move.START:
            await started(service, task="t")
        case Move.COMPLETE:
            await service.call("run.complete", run="open")
        case Move.STOP:
            await service.call("run.complete", run="open", outcome="failed")
        case Move.EVIDENCE:
            await service.call("task.evidence", task="t", content="12 tests pass", status="passed")
        case _:
            await service.call(f"task.{what.value}", task="t", words="好")


@pytest.mark.parametrize("what", Move)
@pytest.mark.parametrize("state", TaskState)
def test_what_may_follow_leads_where_the_table_says_and_nothing_else_may(
    workspace: Folder, state: TaskState, what: Move
) -> None:
    wanted = TASK_MOVES[state].get(what)

    async def steps(service: Local) -> None:
        await brought(service, state)
        before = await service.call("task.get", task="t")
        if wanted is None:
            with pytest.raises(TaskMoveError, match=rf"task 't' is {state.value}; {what.value} is not possible now"):
                await move(service, what)
            assert await service.call("task.get", task="t") == before
        else:
            await move(service, what)
            assert (await service.call("task.get", task="t"))["state"] == wanted.value

    work(workspace, steps)
    assert tomllib.loads((workspace.path / "tasks/t.toml").read_text("utf-8"))["state"] == (wanted or state).value


def test_accept_marks_the_final_run_in_the_task_the_receipt_and_the_session(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("task.open", title="Fix it", task="t", role="main", asked="Fix the login.")
        first, second = await ran(service, "t"), await ran(service, "t")
        revised = await service.call("task.revise", task="t", words="不要改测试")
        assert [one["acceptance"] for one in revised["runs"]] == ["pending", "revised"]
        third = await ran(service, "t", "failed")
        fourth = await ran(service, "t")
        done = await service.call("task.accept", task="t", run=first, words="The first was right.")
        assert done["final_accepted_run_id"] == first
        assert [(one["id"], one["state"], one["acceptance"]) for one in done["runs"]] == [
            (first, "completed", "accepted"),
            (second, "completed", "revised"),
            (third, "failed", "pending"),
            (fourth, "completed", "pending"),
        ]
        assert [(one["verdict"], one["run"], one["words"]) for one in done["said"]] == [
            ("revise", second, "不要改测试"),
            ("accept", first, "The first was right."),
        ]
        for run, acceptance, final in (
            (first, "accepted", True),
            (second, "revised", False),
            (fourth, "pending", False),
        ):
            found = await service.call("run.get", run=run)
            assert (found["acceptance"], found["final"], found["edited"]) == (acceptance, final, False)
        assert (await service.call("session.get", session=first))["kinds"]["acceptance"] == 1
        assert (await service.call("task.list", state="accepted"))["tasks"][0]["task"] == "t"

    work(workspace, steps)


@pytest.mark.parametrize("verdict", ["accept", "revise"])
def test_a_word_on_a_run_that_is_none_of_the_tasks_is_refused(workspace: Folder, verdict: str) -> None:
    async def steps(service: Local) -> None:
        for task in ("t", "other"):
            await service.call("task.open", title=task, task=task)
        await ran(service, "t")
        failed = await ran(service, "t", "failed")
        running = await started(service, task="t")
        for run, error in (
            ("nobody", RunUnknownError),
            (await ran(service, "other"), RunMismatchError),
            (await started(service), RunMismatchError),
            (failed, TaskMoveError),
            (running, TaskMoveError),
        ):
            with pytest.raises(error):
                await service.call(f"task.{verdict}", task="t", run=run, words="x")
        assert (await service.call("task.get", task="t"))["state"] == "review"
        assert (await service.call("learning.candidates"))["candidates"] == []

    work(workspace, steps)


def test_to_revise_a_task_takes_words(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("task.open", title="Fix it", task="t")
        await ran(service, "t")
        with pytest.raises(BadParamsError, match="words"):
            await service.call("task.revise", task="t", words=" ")

    work(workspace, steps)


def test_evidence_is_kept_as_it_was_given(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("task.open", title="Fix it", task="t")
        run = await ran(service, "t")
        for status in ("passed", "一半", ""):
            await service.call("task.evidence", task="t", content="Two\nlines 两行", status=status, run=run)
        with pytest.raises(RunUnknownError):
            await service.call("task.evidence", task="t", content="x", run="nobody")
        await service.call("task.open", title="Another", task="u")
        with pytest.raises(RunMismatchError):
            await service.call("task.evidence", task="t", content="x", run=await ran(service, "u"))
        found = (await service.call("task.get", task="t"))["evidence"]
        assert [(one["content"], one["status"], one["run"]) for one in found] == [
            ("Two\nlines 两行", status, run) for status in ("passed", "一半", "")
        ]

    work(workspace, steps)


def test_a_task_gets_a_name_of_its_title_that_nobody_has(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        names = [
            (await service.call("task.open", title=one))["task"] for one in ("Fix it!", "fix IT", "修复 登录", "???")
        ]
        assert names[:3] == ["fix-it", "fix-it-2", "修复-登录"]
        for task, error in (("FIX-IT", NameTakenError), ("a b", BadNameError), ("nul", BadNameError)):
            with pytest.raises(error):
                await service.call("task.open", title="x", task=task)
        for title in ("   ", "\n"):
            with pytest.raises(BadParamsError):
                await service.call("task.open", title=title)
        for method in ("task.get", "task.accept"):
            with pytest.raises(TaskUnknownError):
                await service.call(method, task="../fix-it")

    work(workspace, steps)


HAND = """\
# My own notes on this one.
title = 'Fix it'   # single quotes are mine
state = "review"
priority = 1
due = 2026-12-01

[[run]]
id = "r1"   # the first
mine = true

[own]
"a key" = [1, 2]
"""


def test_a_persons_comments_and_keys_stay_in_a_tasks_file(workspace: Folder) -> None:
    path = workspace.path / "tasks/t.toml"
    path.parent.mkdir()
    path.write_text(HAND, "utf-8")

    async def steps(service: Local) -> None:
        assert (await service.call("task.get", task="t"))["title"] == "Fix it"
        await service.call("task.accept", task="t", words="好")
        assert "candidate" in (await service.call("learning.candidates"))["candidates"][0]

    work(workspace, steps)
    after = path.read_text("utf-8")
    kept = [line for line in HAND.splitlines() if line and "state =" not in line]
    assert [line for line in after.splitlines() if line in kept] == kept
    table = tomllib.loads(after)
    assert (table["state"], table["run"][0]["acceptance"], table["run"][0]["mine"]) == ("accepted", "accepted", True)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('title = "x"\nstate = "odd"\n', 2),
        ('title = "x"\n\nstate = 5\n', 3),
        ('title = "x\n', 1),
        ('title = "x"\ntitle = "y"\n', 2),
        ('[[run]]\nid = "r"\nstate = "odd"\n', 1),
    ],
)
def test_a_tasks_file_that_cannot_be_is_told_with_its_line_and_left_as_it_is(
    workspace: Folder, text: str, line: int
) -> None:
    path = workspace.path / "tasks/t.toml"
    path.parent.mkdir()
    path.write_text(text, "utf-8")

    async def steps(service: Local) -> None:
        for method, more in (("task.get", {}), ("task.evidence", {"content": "x"}), ("task.abandon", {})):
            with pytest.raises(RejectedFileError, match=rf"tasks/t\.toml:{line}:"):
                await service.call(method, task="t", **more)
        with pytest.raises(MemdError):
            await started(service, task="t")
        await service.call("task.open", title="Another", task="good")
        told = await service.call("task.list")
        assert [one["task"] for one in told["tasks"]] == ["good"]
        assert len(told["faults"]) == 1

    work(workspace, steps)
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("key", ["run", "acceptance", "evidence"])
def test_lists_in_one_line_stay_when_a_task_changes(key: str) -> None:
    line = f'{key} = [{{id = "r1", verdict = "revise", content = "seen"}}]'
    text = f'title = "x"\nstate = "review"\n{line}\n'
    told = Said("revise", "2026-11-21T00:00:00Z", "r2")
    after = changed_task(
        text, state=S.REVISING, run=TaskRun("r2", RunState.COMPLETED), said=told, evidence=[Evidence("x", "")]
    )
    assert "r1" in str(tomllib.loads(after)[key])


WORDS = st.lists(
    st.sampled_from(["a", "", '"""', "'''", "\\", "\\n", "# x", "[run]", 'state = "odd"', "好", "😀", "\x7f", "  b ", '"']),
    min_size=1, max_size=5,
).map("\n".join)  # fmt: skip


@given(WORDS, WORDS, WORDS)
def test_words_and_evidence_are_read_as_they_were_said(asked: str, words: str, seen: str) -> None:
    text = dump_task(Task("t", "Fix it", S.OPEN, asked=asked, created_at="2026-11-21T00:00:00Z"))
    for _ in range(2):
        told, fact = Said("revise", "2026-11-21T00:00:00Z", "r1", words), Evidence(seen, "2026-11-21T00:00:00Z")
        text = changed_task(text, state=S.REVISING, said=told, evidence=[fact])
    found = load_task(text, "tasks/t.toml")
    assert found.asked == asked
    assert [one.words for one in found.said] == [words] * 2
    assert [one.content for one in found.evidence] == [seen] * 2


def test_words_with_a_link_in_double_brackets_stay_as_they_were_said() -> None:
    text = dump_task(Task("t", "Fix it", S.OPEN))
    told = Said("revise", "2026-11-21T00:00:00Z", "r1", "See\n[[the other note]]\nfor more.")
    assert load_task(changed_task(text, state=S.REVISING, said=told), "tasks/t.toml").said == (told,)


def test_a_bad_run_is_told_with_its_own_line() -> None:
    text = 'title = "x"\n\n[[run]]\nid = "r1"\n\n[[run]]\nid = "r2"\nstate = "odd"\n'
    with pytest.raises(RejectedFileError, match=r"tasks/t\.toml:(6|8):"):
        load_task(text, "tasks/t.toml")


def test_without_a_name_the_last_completed_run_is_judged_though_a_later_one_failed(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("task.open", title="Fix it", task="t")
        done = await ran(service, "t")
        await ran(service, "t", outcome="failed")
        assert (await service.call("task.accept", task="t"))["final_accepted_run_id"] == done

    work(workspace, steps)


def test_tasks_are_listed_the_newest_first(workspace: Folder) -> None:
    clock = Clock()

    async def steps(service: Local) -> None:
        for name in ("b", "c", "a"):
            await service.call("task.open", title="Fix it", task=name)
            clock.now_s += 60
        assert [one["task"] for one in (await service.call("task.list"))["tasks"]] == ["a", "c", "b"]
        assert [one["task"] for one in (await service.call("task.list", limit=1, offset=1))["tasks"]] == ["c"]

    work(workspace, steps, clock)
