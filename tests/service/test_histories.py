"""What of a session a model is shown again: the visible tail, nothing torn apart, with what it goes on from."""

from __future__ import annotations

from typing import Any

import pytest

from memd.daemon import Local
from memd.errors import BadParamsError, MemdError, NameTakenError, SessionUnknownError
from tests.service.test_runs import call, result
from tests.service.test_sessions import append, lines, opened, say, shown
from tests.service.test_verbs import work
from tests.support import Folder

LEAKED = 'I look. <tool_call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_call> Done.'
TALK = [say(f"{number}" * 10) for number in range(8)]


def test_a_history_is_the_visible_tail_within_its_limits(workspace: Folder) -> None:
    workspace.settings(sessions__max_context_messages=5)

    async def steps(service: Local) -> None:
        ids = await opened(service, say("hidden", context_visible=False), *TALK, {"kind": "note", "content": "aside"})
        whole = [one["content"] for one in TALK]
        assert await shown(service) == await shown(service, max_messages=99) == whole[3:]
        assert await shown(service, max_messages=2) == whole[6:]
        assert await shown(service, budget_chars=39) == whole[5:]
        assert await shown(service, budget_chars=1) == whole[7:], "the newest always comes"
        page = await service.call("session.history", session="s", max_messages=3)
        assert (page["cut"], page["chars"], page["visible"], page["before"]) == (True, 30, 8, ids[6])
        assert await shown(service, max_messages=3, before=page["before"]) == whole[2:5]
        first = await service.call("session.history", session="s", before=ids[3])
        assert ([one["content"] for one in first["messages"]], first["cut"]) == (whole[:2], False)
        assert (await service.call("session.search", session="s"))["begins"][1]["content"] == "hidden"

    work(workspace, steps)


PAIR = [call(call_id="a"), result("a")]
PARALLEL = [call(call_id="a"), call(call_id="b"), result("a"), result("b")]


@pytest.mark.parametrize(
    ("events", "most"),
    [(PAIR + TALK[:1], 2), (PAIR + PAIR, 3), (PARALLEL + TALK[:1], 3), (PARALLEL, 3)],
)
def test_no_result_comes_without_its_call_at_the_cut(
    workspace: Folder, events: list[dict[str, Any]], most: int
) -> None:
    async def steps(service: Local) -> None:
        await opened(service, *events)
        seen = set()
        for what, call_id in [one for one in await shown(service, max_messages=most) if isinstance(one, tuple)]:
            assert what == "tool_call" or call_id in seen
            seen.add(call_id)

    work(workspace, steps)


def test_a_page_before_an_unknown_event_is_refused(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, *TALK)
        with pytest.raises(MemdError):
            await service.call("session.history", session="s", before="nobody-1")

    work(workspace, steps)


@pytest.mark.parametrize(
    ("setting", "wanted"),
    [
        ("mark", [LEAKED]),
        ("replace", ["I look. [a tool call of read_file was written here as text] Done."]),
        ("hide", []),
    ],
)
def test_a_tool_call_that_leaked_into_a_text_is_dealt_with_as_set(
    workspace: Folder, setting: str, wanted: list[str]
) -> None:
    workspace.settings(sessions__raw_tool_calls=setting)

    async def steps(service: Local) -> None:
        await service.call("session.open", session="s")
        events = [say(LEAKED, "assistant"), say(LEAKED), say("Plain.", "assistant")]
        told = await service.call("session.append", session="s", events=events)
        assert [one.get("raw_tool_call", {}).get("tool") for one in told["events"]] == ["read_file", None, None]
        assert await shown(service) == [*wanted, LEAKED, "Plain."]

    work(workspace, steps)
    stands = lines(workspace)[1]
    assert (stands["content"], stands["raw_tool_call"]["tool"]) == (LEAKED, "read_file"), "the file has what was said"


def test_sessions_go_on_from_one_another(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        ids = await opened(service, say("a1"), say("a2"), say("a3"), session="grandparent")
        await opened(service, say("b1"), session="parent", forks="grandparent", at=ids[1])
        await opened(service, say("c1"), session="child", resumes="parent")
        for session in ("grandparent", "parent"):
            await append(service, say("later"), session=session)
        reply = await service.call("session.history", session="child")
        assert [one["content"] for one in reply["messages"]] == ["a1", "a2", "b1", "c1"]
        assert reply["lineage"] == ["child", "parent", "grandparent"]
        assert await shown(service, "child", lineage=False) == ["c1"]
        assert await shown(service, "child", before=ids[1]) == ["a1"]
        assert (await service.call("session.get", session="child"))["from"]["session"] == "parent"
        for given, error in (
            ({"resumes": "nobody"}, SessionUnknownError),
            ({"forks": "parent", "at": "nobody-1"}, BadParamsError),
            ({"forks": "parent", "at": ids[0]}, BadParamsError),
            ({"session": "child", "resumes": "parent"}, NameTakenError),
        ):
            with pytest.raises(error):
                await service.call("session.open", **{"session": "new", **given})

    work(workspace, steps)
    next(workspace.path.glob("sessions/*/grandparent.jsonl")).unlink()

    async def orphaned(service: Local) -> None:
        assert await shown(service, "child") == ["b1", "c1"]

    work(workspace, orphaned)


def test_a_history_counts_what_is_visible_in_it(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        ids = await opened(service, *TALK, session="parent")
        await opened(service, say("x"), forks="parent", at=ids[1])
        reply = await service.call("session.history", session="s")
        assert (len(reply["messages"]), reply["visible"]) == (3, 3)

    work(workspace, steps)
