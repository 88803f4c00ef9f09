"""What a memory is worth as it ages, and when its time is over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memd.engine.keep import aging
from memd.engine.keep.aging import DAY_S, worth_now
from memd.engine.recall import temporal
from memd.model.memory import Kind, Memory
from memd.model.scene import TimeSpan

NOW_S = 1_795_225_077.0
MADE = Memory("m", Kind.EPISODIC, "x", when_s=NOW_S - 40 * DAY_S, decay_per_day=0.1, score=8.0)


def test_half_of_its_worth_is_gone_in_forty_days_unless_it_came_to_mind() -> None:
    assert worth_now(MADE, 0, None, NOW_S) == pytest.approx(4.0)
    assert worth_now(MADE, 0, NOW_S, NOW_S) == pytest.approx(8.0)
    assert worth_now(MADE, 0, NOW_S - 400 * DAY_S, NOW_S) == pytest.approx(4.0), "an older use does not age it"
    assert worth_now(MADE, 1, None, NOW_S) == pytest.approx(4.4)
    assert worth_now(replace(MADE, when_s=None), 0, None, NOW_S) == pytest.approx(8.0)
    assert worth_now(replace(MADE, when_s=NOW_S + DAY_S), 10**9, None, NOW_S) == 10.0
    assert worth_now(replace(MADE, score=2.0), 10**9, NOW_S, NOW_S) == pytest.approx(3.0), (
        "use counts so much and no more"
    )
    assert worth_now(replace(MADE, score=None), 0, NOW_S, NOW_S) == aging.SCORE


def test_a_memorys_time_is_over_in_the_second_it_names() -> None:
    assert [replace(MADE, expires_s=NOW_S + one).is_expired(NOW_S) for one in (-1, 0, 1)] == [True, True, False]
    assert not MADE.is_expired(NOW_S)


def test_decay_is_by_days_since_it_was_made_or_used_whichever_is_later() -> None:
    whole = temporal.decay(replace(MADE, when_s=NOW_S), NOW_S)
    made, used, before = (temporal.decay(MADE, NOW_S, one) for one in (None, NOW_S, NOW_S - 400 * DAY_S))
    assert (whole, used) == (1.0, 1.0)
    assert made == before == pytest.approx(0.0183, abs=1e-4)
    assert temporal.decay(replace(MADE, when_s=NOW_S + DAY_S), NOW_S) == 1.0


def test_a_time_that_is_named_begins_with_its_first_second_and_ends_before_the_next() -> None:
    span = TimeSpan(NOW_S - DAY_S, NOW_S, "yesterday")
    at = {"before": -DAY_S - 1, "first": -DAY_S, "last": -1.0, "next": 0.0}
    memories = {name: Memory(name, Kind.EPISODIC, "x", when_s=NOW_S + shift) for name, shift in at.items()}
    assert temporal.meant(memories, {}, [span], NOW_S).keys() == {"first", "last"}
    days = {"touches": ((NOW_S, NOW_S + DAY_S),), "within": ((NOW_S - 60, NOW_S + DAY_S),)}
    assert temporal.meant({}, days, [span], NOW_S).keys() == {"within"}
