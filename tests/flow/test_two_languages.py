"""What is said in one language is never lost because the other one has something like it."""

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
