"""trigger in a workspace: books where they lie, sessions, times, feelings, explanations."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from memd.config import place_of
from memd.daemon import Local, local
from memd.errors import BadParamsError
from tests.service.test_verbs import Clock, work
from tests.support import Folder

BOOK = {
    "entries": {
        "0": {
            "uid": 0,
            "key": ["castle", "城堡"],
            "content": "The castle of {{char}} stands on a hill.",
            "order": 10,
            "position": 0,
        },
        "1": {"uid": 1, "key": ["手机"], "content": "一部旧手机。", "position": 1},
        "2": {
            "uid": 2,
            "key": ["bell"],
            "content": "Rung at noon.",
            "sticky": 3,
            "cooldown": 2,
            "position": 4,
            "depth": 2,
            "role": 1,
        },
        "3": {"uid": 3, "key": ["castle"], "content": "", "disable": True},
    }
}


def put_book(folder: Folder, book: Any = None, name: str = "world") -> None:
    path = folder.path / "roles/main/books" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(BOOK if book is None else book, ensure_ascii=False), "utf-8")


async def ask(service: Local, *messages: str, **given: Any) -> dict[str, Any]:
    return await service.call("trigger", role="main", messages=list(messages), **given)


def ids(reply: dict[str, Any]) -> list[str]:
    return [one["id"] for one in reply["activated"]]


def test_books_are_used_where_they_lie_and_followed(workspace: Folder) -> None:
    put_book(workspace)
    (workspace.path / "roles/main/role.toml").write_text('display_name = "Mira"\n', "utf-8")

    async def steps(service: Local) -> None:
        reply = await ask(service, "看看城堡和iPhone手机")
        assert sorted(ids(reply)) == ["world:0", "world:1"]
        assert "The castle of Mira stands on a hill." in reply["content"]
        before = (workspace.path / "roles/main/books/world.json").read_bytes()
        put_book(workspace, {"entries": [{"uid": 7, "key": ["moat"], "content": "Deep water."}]})
        assert ids(await ask(service, "the moat and the castle")) == ["world:7"]
        (workspace.path / "roles/main/books/world.json").write_text("{ broken", "utf-8")
        assert ids(await ask(service, "the moat and the castle")) == ["world:7"], "the last good state serves"
        told = await service.call("status")
        assert any("world.json" in one and "json.syntax" in one for one in told["rejected"])
        (workspace.path / "roles/main/books/world.json").write_bytes(before)
        assert ids(await ask(service, "the moat and the castle")) == ["world:0"]
        (workspace.path / "roles/main/books/world.json").unlink()
        assert ids(await ask(service, "the moat and the castle")) == []

    work(workspace, steps)


def test_a_book_follows_sillytavern_where_the_role_says_so(workspace: Folder) -> None:
    put_book(workspace)

    async def steps(service: Local) -> None:
        assert "world:1" in ids(await ask(service, "iPhone手机"))
        profile = workspace.path / "roles/main/role.toml"
        profile.write_text('[[book]]\nname = "world"\ncompat = "sillytavern"\n', "utf-8")
        assert "world:1" not in ids(await ask(service, "iPhone手机"))
        profile.write_text('[[book]]\nname = "world"\nenabled = false\n', "utf-8")
        assert ids(await ask(service, "castle")) == []

    work(workspace, steps)


def test_entries_stand_apart_where_the_settings_say_so(workspace: Folder) -> None:
    put_book(workspace)
    workspace.settings(books__apart=True)

    async def steps(service: Local) -> None:
        reply = await ask(service, "castle 手机 bell")
        assert reply["content"] == ""
        assert reply["books"]["before"] == "The castle of main stands on a hill."
        assert reply["books"]["after"] == "一部旧手机。"
        assert reply["books"]["at_depth"] == [{"depth": 2, "role": "user", "entries": ["Rung at noon."]}]

    work(workspace, steps)


def test_timers_run_by_the_turns_of_a_session(workspace: Folder) -> None:
    put_book(workspace)

    async def steps(service: Local) -> None:
        on = [
            "world:2" in ids(await ask(service, message, session="s", turn=turn))
            for turn, message in enumerate(["bell", "x", "y", "bell", "bell", "bell"], 1)
        ]
        assert on == [True, True, True, False, False, True]
        assert "world:2" in ids(await ask(service, "bell", session="other", turn=4))

    work(workspace, steps)


def test_what_the_window_has_is_not_injected_again(workspace: Folder) -> None:
    workspace.write("main", "The boiler is a Vaillant.", "用户的猫叫二进制。", keywords=["boiler", "猫"])

    async def steps(service: Local) -> None:
        first = await ask(service, "about the boiler", session="s")
        again = await ask(service, "about the boiler", session="s")
        assert ids(first) == ids(again) != [], "the same question is the same turn"
        later = await ask(service, "the boiler, once more", session="s", explain=True)
        assert ids(later) == []
        assert {one["why"] for one in later["refused"]} >= {"recently injected"}
        assert set(later["in_window"]) == set(ids(first))
        assert ids(await ask(service, "about the boiler", session="t")) == ids(first)
        for question, more in (("the boiler, please", {"repeat_after": 0}), ("the boiler at last", {"turn": 40})):
            assert sorted(ids(await ask(service, question, session="s", **more))) == sorted(ids(first))

    work(workspace, steps)


def test_times_are_read_in_the_zone_of_the_scene(workspace: Folder) -> None:
    workspace.write("main", "Ran ten kilometres.", timestamp="2026-03-17T20:30:00Z")
    moved = workspace.load("main")
    moved["episodic"], moved["semantic"] = moved["semantic"], []
    workspace.file("main").write_text(json.dumps(moved), "utf-8")

    async def steps(service: Local) -> None:
        shanghai = await ask(service, "我今天做了什么？昨天呢？", now="2026-03-18T09:00:00+08:00")
        assert [one["words"] for one in shanghai["times"]] == ["今天", "昨天"]
        assert ids(await ask(service, "What did I do yesterday?", now="2026-03-18T09:00:00+00:00")) == ["id-00000"]
        assert (
            ids(await ask(service, "What did I do yesterday?", now="2026-03-18T01:00:00Z", zone="Asia/Shanghai")) == []
        )
        assert ids(await ask(service, "What did I do yesterday?", now="2026-03-19T01:00:00Z", zone="+08:00")) == [
            "id-00000"
        ]
        for zone in ("Mars/One", "+99:00", "../etc/passwd"):
            with pytest.raises(BadParamsError):
                await ask(service, "x", zone=zone)

    work(workspace, steps)


def test_feelings_are_read_or_given_and_the_lexicon_is_the_workspaces_to_edit(workspace: Folder) -> None:
    workspace.write("main", "The flat had mould.", "A picnic by the lake.", emotionalWeight=0.9)
    data = workspace.load("main")
    for one, feeling in zip(data["semantic"], ("anger", "joy"), strict=True):
        one["emotionalContext"] = [feeling]
    workspace.file("main").write_text(json.dumps(data), "utf-8")

    async def steps(service: Local) -> None:
        assert ids(await ask(service, "I'm so furious right now!")) == ["id-00000"]
        assert ids(await ask(service, "今天真的好开心")) == ["id-00001"]
        assert ids(await ask(service, "I'm not furious at all.")) == []
        assert ids(await ask(service, "hm", emotion="生气")) == ["id-00000"]
        with pytest.raises(BadParamsError):
            await ask(service, "hm", emotion="ennui")
        (workspace.path / "emotions.toml").write_text('[anger.en]\nstrong = ["flabbertigibbet"]\n', "utf-8")
        assert ids(await ask(service, "flabbertigibbet")) == ["id-00000"]
        (workspace.path / "emotions.toml").write_text("[ennui.en]\nstrong = []\n", "utf-8")
        assert ids(await ask(service, "flabbertigibbet")) == ["id-00000"], "a faulty file leaves the last good lexicon"
        assert any("emotions.toml" in one for one in (await service.call("status"))["rejected"])

    work(workspace, steps)


def test_explained_fates_add_up_to_the_candidates(workspace: Folder) -> None:
    put_book(workspace)
    workspace.write("main", *(f"The harbour crane {n} is yellow." for n in range(8)), keywords=["crane"])

    async def steps(service: Local) -> None:
        reply = await ask(service, "the crane near the castle", explain=True)
        counts = reply["counts"]
        assert counts["candidates"] == counts["activated"] + counts["refused"]
        assert len(reply["activated"]) == counts["activated"]
        assert len(reply["refused"]) == counts["refused"]
        told = [one["id"] for one in (*reply["activated"], *reply["refused"])]
        assert len(told) == len(set(told))
        assert {one["why"] for one in reply["refused"]} <= {
            "disabled",
            "duplicate",
            "limit of its kind",
            "below threshold",
        }
        assert counts["candidates"] + counts["silent"] == 8 + len(BOOK["entries"])

    work(workspace, steps)


def test_a_memory_that_came_lately_has_aged_less(workspace: Folder) -> None:
    workspace.write(
        "main", "The pump is in the shed.", "The pump is in the yard.", keywords=["pump"], timestamp="2025-01-01"
    )

    async def steps(service: Local) -> None:
        clock = service.store.ports.now
        service.store.recalled.use("main", ["id-00001"], clock())
        assert ids(await ask(service, "pump"))[0] == "id-00001"
        told = await service.call("memory.get", role="main", id="id-00001")
        assert told["access_count"] == 2
        assert "accessCount" not in workspace.file("main").read_text("utf-8")

    work(workspace, steps, Clock())


def test_an_unchanged_scene_is_answered_from_what_is_known_and_a_changed_one_is_not(workspace: Folder) -> None:
    put_book(workspace)
    workspace.write("main", "The pump is in the shed.", keywords=["pump"])

    async def steps(service: Local) -> None:
        first = await ask(service, "pump and castle")
        again = await ask(service, "pump and castle")
        assert "cached" not in first
        assert again["cached"]
        assert {**first, "elapsed_ms": 0, "cached": True} == {**again, "elapsed_ms": 0}
        assert service.store.recalled.uses["main"]["id-00000"][0] == 2, "what is known is used again"
        assert await ask(service, "pump and castle", explain=True, trying={"max_semantic": 1})
        assert service.store.recalled.uses["main"]["id-00000"][0] == 2, "who asks why uses nothing"
        made = await service.call(
            "remember", role="main", content="The pump of the castle leaks.", keys=["castle pump"], explicit=True
        )
        changed = await ask(service, "pump and castle")
        assert "cached" not in changed
        assert made["id"] in {one["id"] for one in changed["activated"]}
        put_book(workspace, {"entries": []})
        assert "entry" not in {one["kind"] for one in (await ask(service, "pump and castle"))["activated"]}
        workspace.settings(trigger__keyword=False)
        last = await ask(service, "pump and castle")
        assert "cached" not in last
        assert "id-00000" not in ids(last)
        assert service.store.recalled.uses["main"]["id-00000"][0] == 4, "it came with all others"

    work(workspace, steps, Clock())


def test_a_page_that_names_a_role_and_keys_comes(workspace: Folder) -> None:
    page = "---\nrole: main\nkeys: [lighthouse, 灯塔]\n---\n# The lighthouse\nIts lamp burns oil.\n"
    (workspace.path / "lighthouse.md").write_text(page, "utf-8")
    (workspace.path / "other.md").write_text("---\nkeys: [lighthouse]\n---\nNot for a role.\n", "utf-8")

    async def run() -> None:
        async with local(place_of(str(workspace.path)), writes=False) as service:
            reply = await ask(service, "去灯塔")
            assert [(one["kind"], one["id"]) for one in reply["activated"]] == [("page", "page:lighthouse.md")]
            assert "Its lamp burns oil." in reply["content"]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("[]", "book.unknown"), ('{"entries": 5}', "book.unknown"), ("", "file.empty"), ("{", "json.syntax"),
        ('{"entries": {"0": 5}}', "book.entry"), ('{"entries": {"0": {"key": {}, "content": "x"}}}', "book.entry"),
        ('{"entries": {"0": {"key": ["a"], "content": "x", "order": "high"}}}', "book.entry"),
        ('{"entries": {"0": {"key": ["a"], "content": "x", "probability": 1e300, "depth": -4}}}', "book.odd"),
        ('{"entries": {"0": {"key": ["a", 4, null], "content": "x"}}}', "book.odd"),
    ],
)  # fmt: skip
def test_a_broken_book_is_told_and_costs_no_other(workspace: Folder, content: str, code: str) -> None:
    put_book(workspace)
    (workspace.path / "roles/main/books/bad.json").write_text(content, "utf-8")

    async def steps(service: Local) -> None:
        assert "world:0" in ids(await ask(service, "castle"))
        told = await service.call("status")
        assert any("bad.json:1:" in one and code in one for one in told["rejected"]), told["rejected"]

    work(workspace, steps)


def test_a_refused_request_moves_no_session(workspace: Folder) -> None:
    workspace.write("main", "The boiler is a Vaillant.", keywords=["boiler"])

    async def steps(service: Local) -> None:
        assert ids(await ask(service, "boiler", session="s")) == ["id-00000"]
        for _ in range(12):
            with pytest.raises(BadParamsError):
                await ask(service, "x", session="s", zone="bogus")
        with pytest.raises(BadParamsError):
            await ask(service, "y", session="s", turn=0, emotion="xyz")
        assert ids(await ask(service, "boiler!", session="s")) == []

    work(workspace, steps)


@pytest.mark.demo
def test_two_links_to_one_role_bring_it_once(workspace: Folder) -> None:
    (workspace.path / "roles/nora/role.toml").write_text('aliases = ["nory"]\n', "utf-8")
    links = '[[link]]\nrole = "nora"\n[[link]]\nrole = "nory"\n'
    (workspace.path / "roles/main/role.toml").write_text(links, "utf-8")

    async def steps(service: Local) -> None:
        reply = await ask(service, "Tomasz and the kiln", explain=True)
        told = [(one["role"], one["id"]) for one in (*reply["activated"], *reply["refused"])]
        assert told
        assert len(told) == len(set(told))

    work(workspace, steps)


def test_books_that_are_no_directory_cost_no_memory(workspace: Folder) -> None:
    workspace.write("main", "The boiler is a Vaillant.", keywords=["boiler"])
    (workspace.path / "elsewhere").mkdir()
    (workspace.path / "roles/main/books").symlink_to(workspace.path / "elsewhere")

    async def steps(service: Local) -> None:
        assert ids(await ask(service, "boiler")) == ["id-00000"]
        assert any("roles/main/books" in one for one in (await service.call("status"))["rejected"])

    work(workspace, steps)


@pytest.mark.parametrize(
    "template", ["{{content}}{{content}}", "{{constantContent}}\n{{loreContent}}\n{{content}}", "{{triggeredContent}}"]
)
def test_the_budget_holds_whatever_the_template_prints_twice(workspace: Folder, template: str) -> None:
    put_book(workspace)
    workspace.settings(injection__template=template)
    workspace.write("main", *(f"The crane {n} lifts {'y' * 90}." for n in range(9)), keywords=["crane"])

    async def steps(service: Local) -> None:
        for budget in (150, 300, 601, 900):
            reply = await ask(service, "crane castle bell", budget=budget)
            assert len(reply["content"]) <= budget
        assert reply["activated"]

    work(workspace, steps)


@pytest.mark.parametrize("now", ["9999-12-31T23:00:00Z", "0001-01-01T00:00:00Z"])
def test_the_ends_of_the_calendar_are_no_error(workspace: Folder, now: str) -> None:
    workspace.write("main", "On 2024-05-01 we met, the day before yesterday.", keywords=["met"], timestamp=now)

    async def steps(service: Local) -> None:
        assert ids(await ask(service, "When did we meet, yesterday or tomorrow? 昨天 明天 2小时前", now=now)) == [
            "id-00000"
        ]

    work(workspace, steps)


RULES = (
    "Invoice totals are integers of cents.",
    "Invoice pages need a golden file.",
    "Commit messages about an invoice name the ticket.",
    "Every invoice query is paged by 50.",
    "Labels of an invoice are translated into Dutch.",
)


@pytest.mark.parametrize(
    ("message", "most", "count"),
    [("Add an export button to the invoice pages, with totals", 2, 4), ("Where is the invoice?", 2, 2),
     ("Add an export button to the invoice pages, with totals", 1, 2), ("Add an export button to the invoice pages, with totals", 0, 0),
     ("What are my invoice rules?", 2, 4), ("Where is my invoice?", 2, 2), ("我的 invoice 都有哪些规定？", 2, 4), ("我的 invoice 在哪里？", 2, 2)],
)  # fmt: skip
def test_an_order_and_a_question_for_several_bring_more_than_a_question_for_one(
    workspace: Folder, message: str, most: int, count: int
) -> None:
    workspace.write("main", *RULES, keywords=["invoice"])
    workspace.settings(trigger__max_semantic=most)

    async def steps(service: Local) -> None:
        assert len(ids(await ask(service, message))) == count

    work(workspace, steps)
