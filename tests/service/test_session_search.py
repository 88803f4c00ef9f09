"""Sessions searched in four shapes: discover, scroll, read, browse; English and Chinese; what was said a moment ago too."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest

from memd.config import place_of
from memd.daemon import Local, local
from memd.errors import BadParamsError, SessionUnknownError
from tests.service.test_runs import call, result, written
from tests.service.test_sessions import append, opened, say
from tests.service.test_verbs import work
from tests.support import Daemon, Folder, until


def found(daemon: Daemon, query: str, **given: Any) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = daemon.call("session.search", query=query, **given)["hits"]
    return hits


def talk(daemon: Daemon, session: str, *events: dict[str, Any], **given: Any) -> list[str]:
    daemon.call("session.open", session=session, **given)
    return [one["id"] for one in daemon.call("session.append", session=session, events=list(events))["events"]]


def test_what_was_said_is_discovered_with_what_stood_around_it(daemon: Daemon) -> None:
    around = [say(f"Small talk number {n}.") for n in range(8)]
    ids = talk(daemon, "s", *around, say("The zebra crossing is closed."), *around, title="On roads")
    talk(
        daemon,
        "other",
        say("We spoke of zebras once.", "assistant"),
        call(arguments={"path": "zebra.py"}),
        result("1", "zebra"),
    )
    until(lambda: len(found(daemon, "zebra")) == 2, 10, "both sessions are found")
    hits = {one["session"]: one for one in found(daemon, "zebra crossing", window=2)}
    hit = hits["s"]
    assert (hit["id"], hit["seq"], hit["speaker"], hit["title"]) == (ids[8], 10, "user", "On roads")
    assert "**zebra**" in hit["snippet"]
    assert [one["seq"] for one in hit["window"]] == [8, 9, 10, 11, 12]
    assert ([one["seq"] for one in hit["begins"]], [one["seq"] for one in hit["ends"]]) == ([1, 2, 3], [16, 17, 18])
    assert [one["session"] for one in found(daemon, "zebra", session="other")] == ["other"] * 3
    assert {one["session"] for one in found(daemon, "zebra", speaker="assistant")} == {"other"}
    assert found(daemon, "unicorn") == []


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("我们决定周五不发版，改到下周一。", "周五发版"),
        ("仓库的钥匙在门卫室的抽屉里。", "钥匙"),
        ("用户的 iPhone手机 坏了。", "手机"),
        ("The kiln was fired on Tuesday.", "firing the kiln"),
    ],
)
def test_what_was_said_a_moment_ago_is_found_in_its_language(daemon: Daemon, said: str, query: str) -> None:
    talk(daemon, "s", say("Something else."), say(said))
    until(lambda: [one["seq"] for one in found(daemon, query)] == [3], 5, "it is found")
    daemon.call("session.append", session="s", events=[say(f"Again: {said}", context_visible=False)])
    until(lambda: {one["seq"] for one in found(daemon, query, session="s")} == {3, 4}, 5, "what is not visible, too")


def test_events_are_scrolled_around_an_anchor(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        ids = await opened(service, *(say(f"Message {n}") for n in range(20)))
        for around in (ids[9], "11"):
            reply = await service.call("session.search", session="s", around=around, window=3)
            assert (reply["shape"], reply["seq"]) == ("scroll", 11)
            assert [one["seq"] for one in reply["events"]] == [8, 9, 10, 11, 12, 13, 14]
            assert (reply["earlier"], reply["later"], reply["count"]) == (7, 7, 21)
        edge = await service.call("session.search", session="s", around="21", window=3)
        assert [one["seq"] for one in edge["events"]] == [18, 19, 20, 21]
        for given in ({"around": "22"}, {"around": "0"}, {"around": "-1"}, {"around": "nobody"}, {"around": "²"}):
            with pytest.raises(BadParamsError, match="around"):
                await service.call("session.search", session="s", **given)
        with pytest.raises(BadParamsError, match="session"):
            await service.call("session.search", around=ids[0])

    work(workspace, steps)


@pytest.mark.parametrize(("count", "begins", "ends", "between"), [(10, 11, 0, 0), (29, 30, 0, 0), (40, 20, 10, 11)])
def test_a_session_is_read_by_its_two_ends(workspace: Folder, count: int, begins: int, ends: int, between: int) -> None:
    async def steps(service: Local) -> None:
        await opened(service, *(say(f"Message {n} " + "x" * 500) for n in range(count)))
        reply = await service.call("session.search", session="s")
        assert (reply["shape"], len(reply["begins"]), len(reply["ends"]), reply["between"]) == (
            "read", begins, ends, between,
        )  # fmt: skip
        assert len(reply["begins"][1]["content"]) == 401, "long texts are told in short"
        with pytest.raises(SessionUnknownError):
            await service.call("session.search", session="nobody")

    work(workspace, steps)


def test_sessions_are_browsed_page_by_page(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        for number in range(5):
            await opened(service, say("x"), session=f"s{number}")
        await append(service, say("newest"), session="s2")
        await written(service)
        whole = await service.call("session.search")
        assert (whole["shape"], whole["total"], len(whole["sessions"])) == ("browse", 5, 5)
        pages = [await service.call("session.search", limit=2, offset=offset) for offset in (0, 2, 4, 6)]
        assert [one["session"] for page in pages for one in page["sessions"]] == [
            one["session"] for one in whole["sessions"]
        ]

    work(workspace, steps)


def discovered(folder: Folder, query: str, **given: Any) -> list[dict[str, Any]]:
    """Search as a command does that runs without a daemon."""

    async def steps() -> list[dict[str, Any]]:
        async with local(place_of(str(folder.path)), writes=True) as service:
            hits: list[dict[str, Any]] = (await service.call("session.search", query=query, **given))["hits"]
            return hits

    return asyncio.run(steps())


def foreign(folder: Folder, text: str, session: str = "foreign") -> None:
    path = folder.path / f"sessions/2026-01/{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def test_one_hit_is_told_for_each_lineage(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, say("A zebra."), say("Another zebra."), session="root")
        await opened(service, say("A zebra again."), session="child", resumes="root")

    work(workspace, steps)
    assert len(discovered(workspace, "zebra")) == 1
    assert len(discovered(workspace, "zebra", session="child")) == 3


def test_a_grandchild_is_of_one_lineage_with_the_first(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, say("A zebra."), session="root")
        await opened(service, say("A zebra again."), session="child", resumes="root")
        await opened(service, say("And again a zebra."), session="grandchild", forks="child")

    work(workspace, steps)
    assert len(discovered(workspace, "zebra")) == 1


def test_a_hit_in_a_file_with_torn_lines_is_the_event_that_was_found(workspace: Folder) -> None:
    one = '{"speaker": "user", "content": "%s"}\n'
    foreign(workspace, one % "apple" + '{"torn\n' + "\xff\x00\n" + one % "banana" + one % "cherry")
    for word, seq in (("apple", 1), ("banana", 2), ("cherry", 3)):
        assert [(hit["seq"], hit["snippet"]) for hit in discovered(workspace, word)] == [(seq, f"**{word}**")]


@pytest.mark.parametrize("between", ["\n\n", "}\n"])
def test_a_hit_in_a_file_with_lines_of_nothing_is_the_event_that_was_found(workspace: Folder, between: str) -> None:
    one = '{"speaker": "user", "content": "%s"}\n'
    foreign(workspace, one % "apple" + between + one % "banana" + one % "cherry")
    for word, seq in (("apple", 1), ("banana", 2), ("cherry", 3)):
        assert [hit["seq"] for hit in discovered(workspace, word)] == [seq]


def test_a_tool_is_found_by_its_name(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, say("Nothing."), {"kind": "tool_call", "tool": "zebra_tool", "arguments": {"at": "noon"}})

    work(workspace, steps)
    assert [hit["kind"] for hit in discovered(workspace, "zebra_tool")] == ["tool_call"]
    assert [hit["kind"] for hit in discovered(workspace, "zebra_tool", session="s")] == ["tool_call"]


MANY = [say(f"The zebra {n}, the zebra.") for n in range(120)]


def test_a_session_with_many_hits_does_not_hide_another(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, *MANY, session="many")
        await opened(
            service, say("A long way from here, where nobody lives, somebody once saw a zebra."), session="one"
        )

    work(workspace, steps)
    assert {hit["session"] for hit in discovered(workspace, "zebra")} == {"many", "one"}


def test_a_speaker_is_found_among_many_others(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        answer = "A long way from here, where nobody lives, somebody once saw a zebra."
        await opened(service, *MANY, say(answer, "assistant"))

    work(workspace, steps)
    assert [hit["speaker"] for hit in discovered(workspace, "zebra", speaker="assistant")] == ["assistant"]


def test_sessions_are_listed_while_others_begin_and_go(workspace: Folder) -> None:
    """Lists that are made at the same time do not take the names of each other's sessions away."""

    async def steps(service: Local) -> None:
        for number in range(8):
            await opened(service, say("hello"), session=f"s{number}")

        async def begin(number: int) -> None:
            await opened(service, say("hello"), session=f"new{number}")

        async def lose(number: int) -> None:
            for file in (workspace.path / "sessions").rglob(f"s{number}.jsonl"):
                file.unlink()
            with contextlib.suppress(SessionUnknownError):
                await service.call("session.get", session=f"s{number}")

        def listed() -> list[Any]:
            return [service.call("session.search") for _ in range(4)]

        lists = await asyncio.gather(*listed(), begin(0), *listed(), lose(1), *listed(), begin(1), lose(2), *listed())
        assert {one["shape"] for one in lists if one} == {"browse"}

    work(workspace, steps)


def test_of_one_speaker_as_many_are_told_as_that_one_said(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await opened(service, say("A zebra."), say("Zebras again."), say("A zebra it is.", "assistant"), session="one")
        await opened(service, say("A zebra."), session="other")

    async def total(**given: Any) -> int:
        async with local(place_of(str(workspace.path)), writes=True) as service:
            return int((await service.call("session.search", query="zebra", **given))["total"])

    work(workspace, steps)
    assert [asyncio.run(total(speaker=who)) for who in ("", "user", "assistant")] == [4, 2, 1]
