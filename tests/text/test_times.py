"""Times in texts: what a blank between figures and characters leaves as it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memd.text.times import read_times

NOW = datetime(2026, 11, 23, 19, tzinfo=UTC)


@pytest.mark.parametrize(
    ("spaced", "said"),
    [
        ("房租 12 月 3 日到期", "12 月 3 日"),
        ("2026 年 7 月 11 日下午 3 点开会", "2026 年 7 月 11 日下午 3 点"),
        ("我 3 天前见过他", "3 天前"),
        ("租约 2025 年 3 月底到期", "2025 年 3 月底"),
        ("约在\u00a08\u00a0月\u00a015\u00a0号\u00a0晚上 7 点", "8\u00a0月\u00a015\u00a0号\u00a0晚上 7 点"),
    ],
)
def test_a_blank_beside_a_figure_changes_no_time(spaced: str, said: str) -> None:
    close = spaced.replace(" ", "").replace("\u00a0", "")
    with_blanks, without = read_times(spaced, NOW), read_times(close, NOW)
    assert [one.interval for one in with_blanks] == [one.interval for one in without] != []
    assert [spaced[one.begin : one.stop] for one in with_blanks] == [said]


def test_the_figure_of_a_name_is_no_month() -> None:
    assert read_times("v2 月报做完了", NOW) == []
