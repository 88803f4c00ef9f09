"""What a record of others tells of times, read from its own words: only where they name one, and where it says when it was told."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memd.engine.keep.event.resolve import names_time, resolve
from memd.engine.keep.event.written import dated
from memd.formats.entry import to_memory
from memd.model.memory import Kind, Memory
from tests.engine.test_event_kinds import BERLIN, CHINESE, ENGLISH, SHANGHAI

ZONE = ZoneInfo("Europe/Berlin")


def read(text: str, **members: Any) -> Memory:
    return dated(to_memory({"content": text, **members}, Kind.EPISODIC, "a"), ZONE)


def test_whatever_tells_a_time_is_known_to_name_one() -> None:
    for cases, now in ((ENGLISH, BERLIN), (CHINESE, SHANGHAI)):
        for text, _ in cases:
            assert names_time(text) or resolve(text, now) == (None, None, None), text
    assert not names_time("The kettle is green.")
    assert not names_time("我喜欢喝绿茶。")


@pytest.mark.parametrize("text", ["Yesterday we fixed the roof.", "昨天修好了屋顶。"])
def test_it_is_read_against_the_time_it_was_told_at(text: str) -> None:
    for members in (
        {"timestamp": "2026-03-10T23:30:00Z"},
        {"createdAt": 1_773_185_400_000, "updatedAt": "2026-08-01"},
        {"timestamp": "2026-03-11T00:30:00"},
    ):
        found = read(text, **members)
        assert found.event is not None, members
        assert found.event.told == "2026-03-10"
        assert not found.planned


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("Yesterday we fixed the roof.", {}),  # nobody knows which
        ("昨天修好了屋顶。", {"timestamp": "2026-03-10", "score": 8}),  # memd kept it, and read it then
        ("昨天修好了屋顶。", {"timestamp": "2026-03-10", "tags": ["world"]}),  # of a story
        ("Every Friday we fix the roof.", {"timestamp": "2026-03-10"}),
    ],
)
def test_nothing_is_guessed(text: str, members: dict[str, Any]) -> None:
    found = read(text, **members)
    assert (found.event, found.held) == (None, None)


def test_what_its_record_says_stands() -> None:
    found = read("昨天修好了屋顶。", timestamp="2026-03-10", eventStart="2026-01-05")
    assert found.event is not None
    assert found.event.start.startswith("2026-01-05")


def test_a_plan_is_one_of_when_it_was_told() -> None:
    found = read("I am at my parents' until Sunday. Tomorrow we bake.", timestamp="2026-03-10T12:00:00+01:00")
    assert found.planned
    assert found.event is not None
    assert found.held is not None
    assert (found.event.told, found.held.until) == ("2026-03-11", "2026-03-16")
