"""What is said in one language is never lost because the other one has something like it; in both, who moved is asked where they live."""

from __future__ import annotations

import pytest

from tests.support import Daemon


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("I am allergic to peanuts.", "我对青霉素过敏。"), ("我对花生过敏。", "I'm allergic to penicillin."),
        ("My sister lives in Porto.", "我妹妹住在里斯本。"), ("我不吃猪肉。", "I don't eat beef."), ("我养了一只猫。", "I have a dog."),
        ("I play the cello.", "我会拉小提琴。"), ("我每天吃降压药。", "I take blood thinners every day."), ("My son plays chess.", "我儿子在学象棋。"),
    ],
)  # fmt: skip
def test_another_fact_in_the_other_language_is_kept(daemon: Daemon, known: str, said: str) -> None:
    daemon.folder.write("main")
    daemon.call("remember", role="main", content=known, explicit=True, source="user")
    reply = daemon.call("remember", role="main", content=said, explicit=True, source="user")
    assert reply["verdict"] != "duplicate"
    contents = [one["content"] for one in daemon.call("memory.list", role="main")["memories"]]
    assert said in contents


@pytest.mark.parametrize(
    ("said", "asked", "beside"),
    [
        (
            ("I have a beagle called Otto.", "My sister plays the cello.", "I live in a flat in Munich and work as a nurse.", "I moved to Berlin last week."),
            "Where do I live, and in which flat?",
            "What is my job?",
        ),
        (("我养了一只狗叫奥托", "我妹妹会拉大提琴", "我住在北京，做护士", "我搬到上海了"), "我住在哪里？", "我做什么工作？"),
    ],
)  # fmt: skip
def test_who_took_the_place_of_a_part_answers_what_that_part_answered(
    daemon: Daemon, said: tuple[str, ...], asked: str, beside: str
) -> None:
    daemon.folder.write("main")
    for one in said:
        moved = daemon.call("remember", role="main", content=one, explicit=True, source="user")
    came = [one["text"] for one in daemon.call("trigger", role="main", message=asked)["activated"]]
    assert came == [said[-1]]
    other = [one["text"] for one in daemon.call("trigger", role="main", message=beside)["activated"]]
    assert said[-1] not in other
    daemon.call("memory.undo", role="main", id=moved["id"])
    came = [one["text"] for one in daemon.call("trigger", role="main", message=asked)["activated"]]
    assert said[-1] not in came, "its word counts no more"
