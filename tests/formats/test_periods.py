"""Stretches of time as files and callers write them."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from memd.errors import BadMemoryError
from memd.formats.entry import to_memory
from memd.formats.times import given_bounds, period_of
from memd.model.memory import Kind, notes_of

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [
        ("2026-11-24T00:00:00+01:00", "2026-11-25T00:00:00+01:00", "2026-11-24"),
        ("2026-11-27T00:00:00+01:00", "2026-11-30T00:00:00+01:00", "2026-11-27 to 2026-11-29"),
        ("2026-10-01T00:00:00+02:00", "2026-11-01T00:00:00+01:00", "2026-10"),
        ("2026-01-01T00:00:00+01:00", "2027-01-01T00:00:00+01:00", "2026"),
        ("2026-11-30T15:00:00+01:00", "2026-11-30T16:00:00+01:00", "2026-11-30 15:00"),
        ("2026-11-24T18:00:00+01:00", "2026-11-25T06:00:00+01:00", "2026-11-24"),
        ("2026-11-24T15:30:00+01:00", None, "2026-11-24 15:30"),
        ("2026-11-24", None, "2026-11-24"),
        (1_764_000_000_000, None, "2025-11-24 16:00"),
        ("2026-11-24T00:00:00Z", "2026-11-20T00:00:00Z", "2026-11-24"),
    ],
)
def test_a_stretch_is_told_as_a_reader_says_it(start: object, end: object, told: str) -> None:
    found = period_of(start, end)
    assert found is not None
    assert found.told == told


@pytest.mark.parametrize("value", ["soon", "", True, {}, [], "2026-13-01", None])
def test_what_is_no_time_in_a_file_says_nothing_and_the_record_serves(value: object) -> None:
    assert period_of(value, value) is None
    record = {"content": "The pear tree was planted.", "eventStart": value, "validUntil": value}
    assert to_memory(record, Kind.EPISODIC, "x").event is None
    with pytest.raises(BadMemoryError):
        to_memory({**record, "expiresAt": "soon"}, Kind.EPISODIC, "x")


@pytest.mark.parametrize(
    ("start", "end", "bounds"),
    [
        ("2026-05-08", "", ("2026-05-08T00:00:00+02:00", "2026-05-09T00:00:00+02:00")),
        ("2026-12", "", ("2026-12-01T00:00:00+01:00", "2027-01-01T00:00:00+01:00")),
        ("2026年5月8日", "2026-05-10", ("2026-05-08T00:00:00+02:00", "2026-05-11T00:00:00+02:00")),
        ("2026-05-08T15:00", "2026-05-08T17:00", ("2026-05-08T15:00:00+02:00", "2026-05-08T17:00:00+02:00")),
        ("2026-05-08T15:00:00+09:00", "", ("2026-05-08T15:00:00+09:00", "")),
    ],
)
def test_a_day_a_month_and_a_year_are_meant_whole(start: str, end: str, bounds: tuple[str, str]) -> None:
    assert given_bounds(start, end, BERLIN) == bounds


@pytest.mark.parametrize(
    ("start", "end"), [("soon", ""), ("", "2026-05-08"), ("2026-05-08", "2026-05-07"), ("2026-02-30", "")]
)
def test_what_is_no_event_is_refused(start: str, end: str) -> None:
    with pytest.raises(ValueError, match=r"time|event|day|month"):
        given_bounds(start, end, BERLIN)


def test_a_plan_is_told_as_past_when_its_day_is_over() -> None:
    event = period_of("2026-11-27T00:00:00+01:00", "2026-11-28T00:00:00+01:00")
    assert event is not None
    assert event.end_s is not None
    assert notes_of(event, None, event.end_s - 1, "Exam.", planned=True) == ["planned for 2026-11-27"]
    assert notes_of(event, None, event.end_s, "Exam.", planned=True) == ["was planned for 2026-11-27"]
    assert notes_of(event, None, event.end_s, "Exam.", planned=False) == ["on 2026-11-27"]
    assert notes_of(event, None, event.end_s, "The exam of 2026-11-27.", planned=False) == []


def test_what_a_record_told_ahead_is_a_plan_and_what_it_told_after_is_none() -> None:
    record = {"content": "Exam.", "eventStart": "2026-11-27T00:00:00Z"}
    assert to_memory({**record, "timestamp": "2026-11-20T00:00:00Z"}, Kind.EPISODIC, "x").planned
    assert not to_memory({**record, "timestamp": "2026-11-28T00:00:00Z"}, Kind.EPISODIC, "x").planned
    moved = {**record, "createdAt": "2026-11-20T00:00:00Z", "updatedAt": "2026-12-01T00:00:00Z"}
    assert to_memory(moved, Kind.SEMANTIC, "x").planned
    assert not to_memory(record, Kind.EPISODIC, "x").planned
