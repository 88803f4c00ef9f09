"""What a record of others tells of times, read from its own words: only where they name one, and where it says when it was told."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memd.engine.keep.event.resolve import names_time, resolve
from memd.engine.keep.event.written import dated, in_month_of
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
    assert (found.event.told, found.held.until) == ("2026-03-11", "2026-03-15")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("it moved to the 22nd", "2026-09-22"),
        ("改到二十二号了", "2026-09-22"),
        ("改到22号（2026-08-22）了", "2026-09-22"),
        ("moved to the 22nd (2026-08-22)", "2026-09-22"),
        ("moved to the 22nd of October", ""),  # it names its month
        ("moved to Friday", ""),
        ("moved from the 15th to the 22nd", ""),  # two of them
        ("the 31st then", ""),  # September has none
        ("forget it", ""),
    ],
)
def test_a_bare_day_of_what_moves_an_event_is_of_the_events_month(text: str, day: str) -> None:
    now, event = datetime(2026, 8, 10, 12, tzinfo=ZONE), datetime(2026, 9, 15, tzinfo=ZONE)
    found = in_month_of(text, event, now)
    assert (f"{found[1].start:%Y-%m-%d}" if found else "") == day
    assert found is None or "2026-08" not in found[0]


def test_only_the_date_behind_the_day_becomes_another() -> None:
    now, event = datetime(2026, 8, 10, 12, tzinfo=ZONE), datetime(2026, 9, 15, tzinfo=ZONE)
    found = in_month_of("昨天（2026-08-09）医生说改到22号（2026-08-22）了", event, now)
    assert found is not None
    assert found[0] == "昨天（2026-08-09）医生说改到22号（2026-09-22）了"


def test_a_day_of_that_month_that_is_over_is_not_meant() -> None:
    now, event = datetime(2026, 9, 23, tzinfo=ZONE), datetime(2026, 9, 28, tzinfo=ZONE)
    assert in_month_of("moved to the 22nd", event, now) is None
