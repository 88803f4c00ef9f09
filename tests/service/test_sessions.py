"""Sessions: events checked and kept in their order, shown within limits, gone on from, closed."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from memd.client import Client
from memd.daemon import Local
from memd.errors import (
    BadEventError,
    BadNameError,
    LimitExceededError,
    NameTakenError,
    RemoteError,
    SessionClosedError,
    SessionOrderError,
    SessionUnknownError,
)
from tests.service.test_runs import call, result
from tests.service.test_verbs import work
from tests.support import Daemon, Folder

TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ456789"


def say(content: str, speaker: str = "user", **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "content": content, **more}


async def opened(service: Local, *events: dict[str, Any], session: str = "s", **given: Any) -> list[str]:
    """Open a session with these events, and return their ids."""
    await service.call("session.open", session=session, **given)
    return await append(service, *events, session=session) if events else []


async def append(service: Local, *events: dict[str, Any], session: str = "s") -> list[str]:
    told = await service.call("session.append", session=session, events=list(events))
    return [one["id"] for one in told["events"]]


async def shown(service: Local, session: str = "s", **given: Any) -> list[Any]:
    """Return what a history says: the texts of messages, the ids of calls and results."""
    messages = (await service.call("session.history", session=session, **given))["messages"]
    return [one["content"] if one["kind"] == "message" else (one["kind"], one.get("call_id")) for one in messages]


def lines(folder: Folder, session: str = "s") -> list[dict[str, Any]]:
    (path,) = folder.path.glob(f"sessions/*/{session}.jsonl")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


GOOD: list[dict[str, Any]] = [
    say("Hello. 你好"),
    say("Hi.", "assistant", name="Ada", at="2026-11-21T10:00:00Z"),
    {"kind": "message", "speaker": "system", "content": "x", "context_visible": False, "data": {"any": [1, None]}},
    call(call_id="1", arguments={"path": "a"}, iteration=1),
    call("shell", arguments="ls"),
    result("1", is_error=True, tool="read_file"),
    {"kind": "tool_result", "content": {"rows": [1, 2]}},
    {"kind": "usage", "input_tokens": 10, "output_tokens": 2, "cost": 0.5, "model": "m"},
    {"kind": "prompt_snapshot", "digest": "ab", "content": "You are …"},
    {"kind": "injected", "memories": ["id-1"], "role": "main"},
    {"kind": "task_evidence", "content": "tests pass", "task": "t", "status": "passed"},
    {"kind": "fallback", "action": "retried", "of": "1", "content": "again"},
    {"kind": "note", "content": "a note"},
]


def test_every_kind_of_event_is_kept_as_it_was_sent(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, *GOOD, title="A talk", role="main", engine="own")
        told = await service.call("session.get", session="s")
        assert (told["events"], told["visible"], told["title"], told["role"]) == (14, 6, "A talk", "main")
        assert told["usage"] == {"input_tokens": 10, "output_tokens": 2, "cost": 0.5, "calls": 1}
        assert told["kinds"]["message"] == 3

    work(workspace, steps)
    found = lines(workspace)
    assert [one["kind"] for one in found] == ["opened", *(one.get("kind", "message") for one in GOOD)]
    for sent, stands in zip(GOOD, found[1:], strict=True):
        wanted = {**sent, "content": '{"rows":[1,2]}'} if isinstance(sent.get("content"), dict) else sent
        assert {key: stands[key] for key in wanted} == wanted


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ({"kind": "opinion", "content": "x"}, "no kind of event"),
        ({"kind": None, "content": "x"}, "no kind of event"),
        *(({"kind": kind}, "written by memd alone") for kind in ("opened", "closed", "run_started", "run_completed", "acceptance")),
        ({"content": "x"}, "needs `speaker`"),
        ({"speaker": "user"}, "needs `content`"),
        ({"speaker": "user", "content": ""}, "needs `content`"),
        ({"speaker": "nobody", "content": "x"}, "`speaker` must be one of"),
        ({"speaker": "user", "content": 7}, "`content` must be a text"),
        ({"speaker": "user", "content": ["x"]}, "`content` must be a text"),
        (say("x", tool="t"), "no field 'tool'"),
        (say("x", w="me", n=1), "no field 'w'"),
        (say("x", context_visible="no"), "true or false"),
        (say("x", at="yesterday-ish"), "`at` must be a time"),
        (say("x", at=True), "`at` must be a time"),
        (say("x", name="x" * 201), "at most 200"),
        (say("x" * 900_001), "longer than"),
        ({"kind": "tool_call"}, "needs `tool`"),
        ({"kind": "tool_call", "tool": 7}, "`tool` must be a text"),
        (call(call_id=1), "`call_id` must be a text"),
        (call(iteration=-1), "`iteration` must be a number"),
        (call(iteration="2"), "`iteration` must be a number"),
        ({"kind": "tool_result", "is_error": 1}, "true or false"),
        ({"kind": "usage", "input_tokens": True}, "`input_tokens` must be a number"),
        ({"kind": "usage", "cost": -0.1}, "`cost` must be a number"),
        ({"kind": "usage", "cost": float("nan")}, "JSON|`cost` must be"),
        ({"kind": "injected"}, "needs `memories`"),
        ({"kind": "injected", "memories": "id"}, "list of ids"),
        ({"kind": "injected", "memories": [1]}, "list of ids"),
        ({"kind": "task_evidence", "status": "passed"}, "needs `content`"),
        ({"kind": "fallback"}, "needs `action`"),
        ({"kind": "note"}, "needs `content`"),
    ],
)  # fmt: skip
def test_a_bad_event_is_refused_by_its_place_with_all_that_came_with_it(
    workspace: Folder, event: dict[str, Any], told: str
) -> None:
    async def steps(service: Local) -> None:
        await opened(service)
        with pytest.raises(BadEventError, match=f"event 2: .*({told})"):
            await append(service, say("before"), event, say("behind"))
        assert (await service.call("session.get", session="s"))["events"] == 1

    work(workspace, steps)
    assert len(lines(workspace)) == 1


def test_an_event_that_claims_a_taken_place_is_refused_and_the_same_request_again_is_one(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service)
        request = {"session": "s", "events": [say("one"), say("two", "assistant")], "after": 1}
        first = await service.call("session.append", **request)
        await append(service, say("three"))
        again = await service.call("session.append", **request)
        assert (again["already"], again["events"]) == (True, first["events"])
        for after, events in ((1, [say("other")]), (3, [say("four")]), (9, [say("four")]), (0, [say("one")])):
            with pytest.raises(
                SessionOrderError, match=f"next place in session 's' is 5, not {after + 1}: its events are 4"
            ):
                await service.call("session.append", session="s", events=events, after=after)
        assert await shown(service) == ["one", "two", "three"]

    work(workspace, steps)


def test_a_request_with_a_secret_that_is_sent_again_is_one(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service)
        for _ in range(2):
            await service.call("session.append", session="s", events=[say(f"It is {TOKEN}.")], after=1)
        assert (await service.call("session.get", session="s"))["events"] == 2

    work(workspace, steps)


def test_an_odd_order_is_remarked_and_kept(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, say("late", at="2026-11-21T12:00:00Z"))
        told = await service.call(
            "session.append", session="s", events=[say("early", at="2026-11-21T11:00:00Z"), result("nobody's")]
        )
        assert ["time" in told["remarks"][0], "no tool call" in told["remarks"][1]] == [True, True]
        assert await shown(service) == ["late", "early", ("tool_result", "nobody's")]

    work(workspace, steps)


def test_two_engines_append_to_one_session_and_nothing_is_lost(daemon: Daemon) -> None:
    daemon.call("session.open", session="s")

    def engine(name: str) -> None:
        with Client(str(daemon.socket), deadline_s=30) as client:
            for number in range(60):
                client.call("session.append", session="s", events=[say(f"{name} {number}"), say("回答", "assistant")])

    threads = [threading.Thread(target=engine, args=(name,)) for name in ("one", "two", "三")]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    daemon.stop()
    found = lines(daemon.folder)[1:]
    for name in ("one", "two", "三"):
        assert [one["content"] for one in found if one["content"].startswith(name)] == [
            f"{name} {n}" for n in range(60)
        ]
    assert len({(one["w"], one["n"], one["i"]) for one in found}) == 360
    assert all(a["n"] == b["n"] for a, b in zip(found[::2], found[1::2], strict=True)), "a request stands together"


@pytest.mark.parametrize(("setting", "kept"), [("redact", False), ("keep", True)])
def test_secrets_are_redacted_or_kept_as_set(workspace: Folder, setting: str, kept: bool) -> None:
    workspace.settings(sessions__secrets=setting)
    workspace.trust()

    async def steps(service: Local) -> None:
        await opened(service, say(TOKEN), call(arguments={"env": [{"key": TOKEN}]}), result("1", f"key={TOKEN}"))

    work(workspace, steps)
    assert any(TOKEN in json.dumps(one) for one in lines(workspace)) is kept
    assert [one["kind"] for one in lines(workspace)] == ["opened", "message", "tool_call", "tool_result"]


def test_secrets_are_in_no_title_and_no_reason(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, title=f"Use {TOKEN}", engine=TOKEN)
        await service.call("session.close", session="s", reason=f"No use for {TOKEN}")

    work(workspace, steps)
    assert TOKEN not in json.dumps(lines(workspace))


def test_usage_is_summed_and_a_restart_sums_the_same(workspace: Folder) -> None:
    usage = [{"kind": "usage", "input_tokens": n, "cache_read_tokens": 1, "cost": 0.1} for n in range(10)]

    async def steps(service: Local) -> Any:
        if not list(workspace.path.glob("sessions/*/s.jsonl")):
            await opened(service, *usage, say("x"))
        return (await service.call("session.get", session="s"))["usage"]

    wanted = {"input_tokens": 45, "cache_read_tokens": 10, "cost": 1.0, "calls": 10}
    assert [work(workspace, steps) for _ in range(2)] == [wanted, wanted]


def test_a_closed_session_takes_no_more_and_closing_it_again_changes_nothing(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, say("x"))
        run = (await service.call("run.start", session="s"))["run"]
        assert (await service.call("session.close", session="s", reason="done"))["runs_still_open"] == [run]
        for _ in range(2):
            assert (await service.call("session.close", session="s"))["closed"]
        for request in (append(service, say("y")), service.call("session.open", session="s")):
            with pytest.raises(SessionClosedError):
                await request
        await opened(service, say("y"), session="next", resumes="s")
        assert await shown(service, "next") == ["x", "y"]

    work(workspace, steps)
    assert [one["kind"] for one in lines(workspace)].count("closed") == 1


@pytest.mark.parametrize(
    "name", ["", "a b", "../x", ".hidden", "-x", "x.", "x/y", "nul", "COM1.x", "x" * 65, "a\u200bb"]
)
def test_a_session_with_a_bad_name_is_refused_or_gets_one(workspace: Folder, name: str) -> None:
    async def steps(service: Local) -> None:
        if name:
            with pytest.raises(BadNameError):
                await service.call("session.open", session=name)
            for method in ("session.get", "session.close", "session.history"):
                with pytest.raises(SessionUnknownError):
                    await service.call(method, session=name)
        else:
            assert len((await service.call("session.open"))["session"]) > 10

    work(workspace, steps)


def test_one_name_is_one_session_in_any_spelling(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        made = await asyncio.gather(*(service.call("session.open", session="Café") for _ in range(5)))
        assert [one["existed"] for one in made] == [False, True, True, True, True]
        await append(service, say("x"), session="Cafe\u0301")
        assert (await service.call("session.get", session="Café"))["events"] == 2
        for name in ("café", "CAFÉ", "Ｃａｆé"):
            with pytest.raises(NameTakenError):
                await service.call("session.open", session=name)

    work(workspace, steps)


def test_a_full_session_says_so_and_another_may_go_on_from_it(workspace: Folder) -> None:
    workspace.settings(limits__session_bytes=100_000)

    async def steps(service: Local) -> None:
        await opened(service, say("x" * 100_000))
        with pytest.raises(LimitExceededError, match="limit 100000"):
            await append(service, say("y"))
        await opened(service, say("y"), session="next", resumes="s")
        assert (await shown(service, "next"))[-1] == "y"

    work(workspace, steps)


def test_what_cannot_be_sent_over_the_socket_leaves_the_session_as_it_is(daemon: Daemon) -> None:
    daemon.call("session.open", session="s")
    for events in ([], [say("x")] * 1001, [say("a\0b")], [say("x", data={"deep": json.loads("[" * 70 + "]" * 70)})]):
        with pytest.raises(RemoteError):
            daemon.call("session.append", session="s", events=events)
    assert daemon.call("session.get", session="s")["events"] == 1
