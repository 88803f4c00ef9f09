"""Turns of a conversation, kept through verbs: who said it, in which session, at which turn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support import Daemon, memd

ASKED = {"role": "main", "explicit": True, "kind": "episodic"}


def said(daemon: Daemon, turn: int, speaker: str, content: str, **given: Any) -> dict[str, Any]:
    return daemon.call(
        "remember", **{**ASKED, "content": content, "session": "s1", "speaker": speaker, "turn": turn, **given}
    )


def test_a_turn_is_kept_with_its_speaker_and_shown_with_it(daemon: Daemon) -> None:
    reply = said(daemon, 3, "卡罗琳", "我昨天去了互助会。")
    assert reply["verdict"] == "stored"
    (shown,) = daemon.call("memory.list", role="main")["memories"]
    assert (shown["speaker"], shown["session"], shown["turn"]) == ("卡罗琳", "s1", 3)
    daemon.stop()
    (record,) = daemon.folder.records("main")
    assert (record["speaker"], record["session"], record["turn"]) == ("卡罗琳", "s1", 3)


def test_the_command_line_says_who_spoke(daemon: Daemon) -> None:
    words = ("--explicit", "--kind", "episodic", "--speaker", "Ann", "--session", "s2", "--turn", "0", "--json")
    reply = memd("remember", "main", "We went sailing on Lake Como.", *words, "-w", str(daemon.folder.path))
    found = daemon.call("memory.get", role="main", id=json.loads(reply.stdout)["id"])
    assert (found["speaker"], found["session"], found["turn"]) == ("Ann", "s2", 0)


def test_the_same_words_of_two_turns_are_two_and_a_turn_told_again_is_one(daemon: Daemon) -> None:
    first = said(daemon, 1, "Ann", "I went to the pottery class again.")
    second = said(daemon, 5, "Ann", "I went to the pottery class again.")
    assert second["verdict"] == "stored"
    assert second["id"] != first["id"]
    again = said(daemon, 5, "Ann", "I went to the pottery class again.")
    assert (again["verdict"], again["id"]) == ("duplicate", second["id"])


@pytest.mark.parametrize(
    ("who", "other", "homes"),
    [
        ("Ann", "Ben", ("I live in Munich.", "I live in Berlin.", "I have moved to Hamburg and live there now.")),
        ("小林", "阿哲", ("我住在杭州。", "我住在成都。", "我现在住在苏州，不住在杭州了。")),
    ],
)
def test_what_one_speaker_says_does_not_take_the_place_of_what_another_said(
    daemon: Daemon, who: str, other: str, homes: tuple[str, str, str]
) -> None:
    known = {"role": "main", "explicit": True, "kind": "semantic", "session": "s1"}
    assert daemon.call("remember", **known, speaker=who, content=homes[0])["verdict"] == "stored"
    assert daemon.call("remember", **known, speaker=other, content=homes[1])["verdict"] == "stored"
    moved = daemon.call("remember", **known, speaker=who.upper(), content=homes[2])
    assert (moved["verdict"], moved["relation"]["content"]) == ("superseding", homes[0])


def test_a_row_of_an_import_says_who_spoke_and_its_record_has_the_last_word(daemon: Daemon) -> None:
    rows = [
        {"kind": "episodic", "record": {"id": "t1", "content": "好的。"}, "speaker": "安", "session": "s1", "turn": 1},
        {"kind": "episodic", "record": {"id": "t2", "content": "好的。"}, "speaker": "安", "session": "s1", "turn": 2},
        {"kind": "episodic", "record": {"id": "t3", "content": "Fine.", "speaker": "Ben"}, "speaker": "x", "session": "s1", "turn": 3},
    ]  # fmt: skip
    first = daemon.call("import", role="main", import_id="i1", memories=rows)
    assert [one["id"] for one in first["taken"]] == ["t1", "t2", "t3"]
    assert daemon.call("memory.get", role="main", id="t3")["speaker"] == "Ben"
    again = daemon.call("import", role="main", import_id="i1", memories=rows)
    assert {one["why"] for one in again["refused"]} == {"duplicate"}


def test_turns_help_their_neighbours_in_the_order_of_their_numbers(daemon: Daemon) -> None:
    said(daemon, 2, "Ben", "It was the one with the blue door, near the harbour.")
    said(daemon, 1, "Ann", "Which bakery sells the rye bread?")
    for turn in range(10, 16):
        said(daemon, turn, "Ben", f"We looked at house number {turn} on the hill, which has a garden.")
    hits = daemon.call("search", query="bakery rye bread", role="main")["hits"]
    assert {hit["snippet"].replace("**", "") for hit in hits[:2]} == {
        "Which bakery sells the rye bread?",
        "It was the one with the blue door, near the harbour.",
    }


def test_a_turn_that_is_no_number_says_nothing_and_costs_no_record(daemon: Daemon) -> None:
    daemon.folder.write("main", "The harbour lights are green.", turn="second")
    assert "turn" not in daemon.call("memory.list", role="main")["memories"][0]
