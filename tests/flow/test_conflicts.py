"""Memories that may say otherwise than others: both are served, and a person settles it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memd.daemon import Local
from memd.service.inbox import with_conflict
from tests.service.test_verbs import work
from tests.support import Daemon, Folder, memd, until

OLD, NEW, OTHER = (
    "The choir meets on Tuesdays at seven.",
    "The choir meets on Thursdays at seven.",
    "The choir sings Bach.",
)
OLD_ZH, NEW_ZH = "合唱团每周二晚上排练。", "合唱团每周四晚上排练。"
PAIRS = pytest.mark.parametrize(("old", "new"), [(OLD, NEW), (OLD_ZH, NEW_ZH)], ids=["english", "chinese"])


def put(folder: Folder, old: str, new: str, *, linked: bool = True, **more: Any) -> None:
    """Two memories that conflict, the second told two months later, and a third that has nothing to do with them."""
    folder.write("main", old, new, OTHER)
    document = folder.load("main")
    first, second, third = document["semantic"]
    first["updatedAt"], second["updatedAt"] = "2026-03-01T09:00:00Z", "2026-05-01T09:00:00Z"
    third["updatedAt"] = "2026-04-01T09:00:00Z"
    if linked:
        second["conflictsWith"] = [{"id": first["id"], "why": "the day differs", "sure": 0.61}]
    second.update(more)
    folder.file("main").write_text(json.dumps(document, ensure_ascii=False, indent=2), "utf-8")


def conflicts(daemon: Daemon) -> list[dict[str, Any]]:
    return list(daemon.call("review.list").get("conflicts", []))


def block(daemon: Daemon, message: str) -> list[str]:
    content = daemon.call("trigger", role="main", message=message)["content"]
    return [line for line in content.split("\n") if line.startswith("- ")]


def live(daemon: Daemon) -> dict[str, str]:
    """Return each memory that stands, with what took its place."""
    found = daemon.call("memory.list", role="main")["memories"]
    return {one["id"]: one.get("superseded_by", "") for one in found}


@PAIRS
def test_both_are_served_the_newest_first_and_the_older_dated(daemon: Daemon, old: str, new: str) -> None:
    put(daemon.folder, old, new)
    message = "When does the choir meet?" if old == OLD else "合唱团每周什么时候排练？"
    until(lambda: conflicts(daemon), 20, "the file is read")
    said = [line for line in block(daemon, message) if OTHER not in line]
    assert said == [f"- {new}", f"- {old} (2026-03-01, a newer memory says otherwise)"]
    (one,) = conflicts(daemon)
    assert (one["newer"]["id"], one["older"]["id"]) == ("id-00001", "id-00000")
    assert (one["why"], one["sure"]) == ("the day differs", 0.61)
    shown = memd("review", "-w", str(daemon.folder.path)).stdout
    assert old in shown
    assert new in shown


SPLIT = pytest.mark.parametrize(
    ("asked", "told", "rival"),
    [
        ("Which bakery has rye bread?", "Rye bread comes from the bakery Huber.", "We buy every loaf at Lidl now."),
        ("哪家面包店有黑麦面包？", "黑麦面包在胡伯面包店买。", "现在我们只去超市。"),
    ],
    ids=["english", "chinese"],
)


@SPLIT
@pytest.mark.parametrize("newer", [True, False], ids=["the newer comes along", "the older comes along"])
def test_a_rival_that_nothing_speaks_for_comes_along(
    daemon: Daemon, asked: str, told: str, rival: str, newer: bool
) -> None:
    put(daemon.folder, *((told, rival) if newer else (rival, told)))
    until(lambda: conflicts(daemon), 20, "the file is read")
    lines = {True: [f"- {rival}", f"- {told} (2026-03-01, a newer memory says otherwise)"],
             False: [f"- {told}", f"- {rival} (2026-03-01, a newer memory says otherwise)"]}  # fmt: skip
    assert block(daemon, asked) == lines[newer]
    reply = daemon.call("trigger", role="main", message=asked, explain=True)
    by = {one["text"]: one for one in reply["activated"]}
    assert by[rival]["reasons"] == [f"conflicts with {by[told]['id']}, which comes to mind"]
    assert by[rival]["strategies"].keys() == {"conflict"}
    assert (by[rival]["relevance"], by[rival]["score"]) == (by[told]["relevance"], by[told]["score"])
    counts = reply["counts"]
    assert (counts["activated"], counts["by_strategy"]["conflict"]) == (2, 1)
    assert counts["activated"] + counts["refused"] + counts["silent"] == 3
    assert sum("otherwise" in line for line in block(daemon, "Does the choir sing Bach?")) == 0, (
        "of others nothing comes"
    )


@SPLIT
def test_a_rival_takes_no_place_of_its_kind_but_needs_room_and_the_newer_has_it_first(
    daemon: Daemon, asked: str, told: str, rival: str
) -> None:
    daemon.folder.settings(trigger__max_semantic=1)
    put(daemon.folder, told, rival)
    until(lambda: conflicts(daemon), 20, "the file is read")
    assert len(block(daemon, asked)) == 2
    whole = len(daemon.call("trigger", role="main", message=asked)["content"])
    reply = daemon.call("trigger", role="main", message=asked, budget=whole - 10, explain=True)
    assert [one["text"] for one in reply["activated"]] == [rival]
    assert [(one["text"], one["why"]) for one in reply["refused"] if one["text"] == told] == [(told, "budget")]


@SPLIT
def test_a_rival_that_the_session_was_told_does_not_come_again(
    daemon: Daemon, asked: str, told: str, rival: str
) -> None:
    put(daemon.folder, told, rival)
    until(lambda: conflicts(daemon), 20, "the file is read")
    first = daemon.call("trigger", role="main", message=asked, session="s")
    assert len(first["activated"]) == 2
    assert daemon.call("trigger", role="main", message=asked + "!", session="s")["activated"] == []


@SPLIT
def test_the_rival_of_a_constant_comes_with_it(daemon: Daemon, asked: str, told: str, rival: str) -> None:
    put(daemon.folder, rival, told, isConstant=True)
    until(lambda: conflicts(daemon), 20, "the file is read")
    lines = block(daemon, "What time is it?" if asked.isascii() else "现在几点？")
    assert lines == [f"- {told}", f"- {rival} (2026-03-01, a newer memory says otherwise)"]


@PAIRS
def test_what_a_person_says_to_hold_beside_another_is_not_asked_again(workspace: Folder, old: str, new: str) -> None:
    put(workspace, old, new)

    async def steps(service: Local) -> None:
        (one,) = (await service.call("review.list"))["conflicts"]
        await service.call("review.settle", id=one["id"], holds="both")
        assert "conflicts" not in await service.call("review.list")

    work(workspace, steps)
    (second,) = [one for one in workspace.records("main") if one["id"] == "id-00001"]
    assert "conflictsWith" not in second
    assert second["bothHold"].keys() == {"id-00000"}
    assert with_conflict(second, "id-00000", "the day differs", 0.9) == second


def test_a_record_that_is_about_to_be_stored_says_it_itself() -> None:
    record = with_conflict({"id": "b", "content": NEW}, "a", "the day differs", 0.6123)
    assert record["conflictsWith"] == [{"id": "a", "why": "the day differs", "sure": 0.612}]
    assert with_conflict(record, "a", "again", 0.9) == record


@pytest.mark.parametrize("named", ["conflict", "newer", "older"])
def test_the_newer_holds_and_takes_the_place_until_that_is_taken_back(daemon: Daemon, named: str) -> None:
    put(daemon.folder, OLD, NEW)
    until(lambda: conflicts(daemon), 20, "the file is read")
    (one,) = conflicts(daemon)
    handle = one["id"] if named == "conflict" else one[named]["id"]
    shown = memd("review", "newer", handle, "-w", str(daemon.folder.path)).stdout
    assert "memd undo main" in shown
    assert live(daemon) == {"id-00000": "id-00001", "id-00001": "", "id-00002": ""}
    assert conflicts(daemon) == []
    daemon.kill()
    daemon.start()
    assert daemon.call("memory.undo", role="main", id="id-00001")["took_back"] == "supersede"
    assert live(daemon) == {"id-00000": "", "id-00001": "", "id-00002": ""}
    assert [one["id"] for one in conflicts(daemon)] == [one["id"]], "it is asked again"


def test_the_older_holds_and_the_newer_is_archived_until_that_is_taken_back(daemon: Daemon) -> None:
    put(daemon.folder, OLD, NEW)
    until(lambda: conflicts(daemon), 20, "the file is read")
    memd("review", "older", "id-00000", "-w", str(daemon.folder.path))
    assert live(daemon).keys() == {"id-00000", "id-00002"}
    assert conflicts(daemon) == []
    daemon.call("memory.undo", role="main", id="id-00001")
    assert len(conflicts(daemon)) == 1


def test_both_hold_and_that_can_be_taken_back_by_either(daemon: Daemon) -> None:
    put(daemon.folder, OLD, NEW)
    until(lambda: conflicts(daemon), 20, "the file is read")
    (before,) = conflicts(daemon)
    for named in ("id-00000", "id-00001"):
        memd("review", "both", "id-00001", "-w", str(daemon.folder.path))
        assert conflicts(daemon) == []
        assert all("otherwise" not in line for line in block(daemon, "When does the choir meet?"))
        undone = daemon.call("memory.undo", role="main", id=named)
        assert (undone["took_back"], {one["id"] for one in undone["standing"]}) == (
            "both hold",
            {"id-00000", "id-00001"},
        )
        assert conflicts(daemon) == [before]


@pytest.mark.parametrize("gone", ["id-00000", "id-00001"])
def test_forgetting_either_ends_it_and_restoring_asks_again(daemon: Daemon, gone: str) -> None:
    put(daemon.folder, OLD, NEW)
    until(lambda: conflicts(daemon), 20, "the file is read")
    daemon.call("memory.forget", role="main", id=gone)
    assert conflicts(daemon) == []
    assert all("otherwise" not in line for line in block(daemon, "When does the choir meet?"))
    daemon.call("memory.restore", role="main", id=gone)
    assert len(conflicts(daemon)) == 1


@pytest.mark.parametrize("gone", ["id-00000", "id-00001"])
def test_what_is_superseded_or_over_or_disabled_conflicts_with_nothing(daemon: Daemon, gone: str) -> None:
    put(daemon.folder, OLD, NEW)
    until(lambda: conflicts(daemon), 20, "the file is read")
    daemon.call("memory.link", role="main", id="id-00002", to=gone, relation="supersedes")
    assert conflicts(daemon) == []
    daemon.call("memory.undo", role="main", id=gone)
    assert len(conflicts(daemon)) == 1
    daemon.call("memory.update", role="main", id=gone, disabled=True)
    assert conflicts(daemon) == []
    daemon.call("memory.update", role="main", id=gone, disabled=False, expires_at="2026-06-01T00:00:00Z")
    assert conflicts(daemon) == []


def test_two_that_took_the_place_of_the_same_are_settled_in_the_same_way(daemon: Daemon) -> None:
    daemon.folder.write("main", OLD, NEW, "The choir meets on Fridays at seven.")
    document = daemon.folder.load("main")
    for number, one in enumerate(document["semantic"]):
        one["updatedAt"] = f"2026-0{number + 1}-01T09:00:00Z"
        one.update({"supersedes": ["id-00000"]} if number else {})
    daemon.folder.file("main").write_text(json.dumps(document), "utf-8")
    until(lambda: conflicts(daemon), 20, "the file is read")
    (one,) = conflicts(daemon)
    assert (one["newer"]["id"], one["older"]["id"]) == ("id-00002", "id-00001")
    memd("review", "both", one["id"], "-w", str(daemon.folder.path))
    assert conflicts(daemon) == []
    check = ("check", "-w", str(daemon.folder.path))
    until(lambda: "memory.conflict" not in memd(*check, check=False).stdout, 20, "the file says it too")
    assert daemon.call("memory.undo", role="main", id="id-00002")["took_back"] == "both hold"
    assert len(conflicts(daemon)) == 1


@pytest.mark.parametrize("said", [7, "id-00000", {"id": "id-00000"}, [7, {"why": "x"}, {"id": 3}, ""], [["id-00000"]]])
def test_what_a_file_says_in_another_form_says_nothing_and_the_memory_serves(daemon: Daemon, said: Any) -> None:
    put(daemon.folder, OLD, NEW, linked=False, conflictsWith=said, bothHold=["id-00000"])
    until(lambda: live(daemon).keys() == {"id-00000", "id-00001", "id-00002"}, 20, "the file is read")
    assert conflicts(daemon) == []


def test_ids_alone_and_circles_are_told_once(daemon: Daemon) -> None:
    put(daemon.folder, OLD, NEW, linked=False, conflictsWith=["id-00000", "id-00001", "id-none"])
    until(lambda: conflicts(daemon), 20, "the file is read")
    (one,) = conflicts(daemon)
    assert "sure" not in one
    assert memd("check", "-w", str(daemon.folder.path)).returncode == 0, "what a person is asked about is no fault"


@pytest.mark.parametrize(
    ("told", "new", "others"),
    [
        ("我住在上海。", "我搬到杭州了。", ("厨房的灯坏了。", "小猫叫豆包。", "书架在客厅。", "车停在地下二层。")),
        (
            "I live in Shanghai.", "Since May my home is in Hangzhou.",
            ("The kitchen lamp broke.", "A cat is called Bean.", "The shelf stands there.", "Cars park below."),
        ),
    ],
    ids=["chinese", "english"],
)  # fmt: skip
def test_of_memories_that_share_no_word_with_a_text_the_newest_are_held_against_it(
    workspace: Folder, daemon: Daemon, told: str, new: str, others: tuple[str, ...]
) -> None:
    workspace.write("main", *others, told)
    document = workspace.load("main")
    for place, one in enumerate(document["semantic"]):
        one["id"] = "a" if one["content"] == told else f"z{place}"
        one["timestamp"] = "2026-05-01T09:00:00Z" if one["content"] == told else "2026-03-01T09:00:00Z"
    workspace.file("main").write_text(json.dumps(document, ensure_ascii=False, indent=2), "utf-8")
    until(lambda: len(live(daemon)) == len(others) + 1, 20, "the file is read")
    got = daemon.call("remember", role="main", content=new, source="user")
    assert "a" in (got.get("supersedes"), got.get("conflict", {}).get("to")), got
