"""Times in texts: what a blank between figures and characters leaves as it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memd.text.times import read_times

NOW = datetime(2026, 11, 23, 19, tzinfo=UTC)


@pytest.mark.parametrize(
    ("traditional", "simplified", "said"),
    [
        ("下個月三號要開會", "下个月三号要开会", "下個月三號"),
        ("這週五下午兩點鐘回診", "这周五下午两点钟回诊", "這週五下午兩點鐘"),
        ("我後天去臺北", "我后天去台北", "後天"),
        ("三個禮拜後搬家", "三个礼拜后搬家", "三個禮拜後"),
        ("國慶節回高雄", "国庆节回高雄", "國慶節"),
        ("十二月二十五號交稿", "十二月二十五号交稿", "十二月二十五號"),
        ("去年端午節去了宜蘭", "去年端午节去了宜兰", "去年端午節"),
        ("剛才吃過藥", "刚才吃过药", "剛才"),
        ("過兩天再說", "过两天再说", "過兩天"),
    ],
)
def test_traditional_characters_tell_the_same_times(traditional: str, simplified: str, said: str) -> None:
    found, same = read_times(traditional, NOW), read_times(simplified, NOW)
    assert [traditional[one.begin : one.stop] for one in found] == [said]
    assert [one.interval for one in found] == [one.interval for one in same]


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the freeze is the 27th now", ["the 27th"]),
        ("my talk is now the 14th instead", ["the 14th"]),
        ("the deadline is the 3rd, not the 5th", ["the 3rd"]),
        ("he is the 2nd best", []),
        ("this is the 3rd time", []),
        ("the shop is the 4th on the left", []),
    ],
)
def test_a_bare_day_that_is_so_now_is_a_day(text: str, said: list[str]) -> None:
    assert [text[one.begin : one.stop] for one in read_times(text, NOW)] == said


@pytest.mark.parametrize(
    ("text", "said", "day"),
    [
        ("My flight is on Saturday, 12 December 2026.", "Saturday, 12 December 2026", "2026-12-12"),
        ("The recital is on Friday, December 18th.", "Friday, December 18th", "2026-12-18"),
        ("Launch is on Monday 2026-12-14.", "Monday 2026-12-14", "2026-12-14"),
        ("The visit is on Wednesday 20 January.", "Wednesday 20 January", "2027-01-20"),
        ("Cinema (Friday, 11 Dec at 9pm)", "Friday, 11 Dec at 9pm", "2026-12-11"),
        ("The party is on Friday the 11th.", "Friday the 11th", "2026-12-11"),
        ("Friday (11 December) we move.", "Friday (11 December)", "2026-12-11"),
        ("tomorrow, Tuesday, we meet", "tomorrow, Tuesday", "2026-11-24"),
        ("11号周五家里装空调", "11号周五", "2026-12-11"),
        ("周五（11号）去看房子", "周五（11号）", "2026-12-11"),
        ("12月11号（周五）去看房子", "12月11号（周五）", "2026-12-11"),
        ("星期日12月6号爬山", "星期日12月6号", "2026-12-06"),
        ("We meet on Friday, 5 people came.", "Friday", "2026-11-27"),
        ("Friday. The 11th is taken.", "Friday", "2026-11-27"),
    ],
)
def test_a_day_of_the_week_beside_a_date_is_of_the_date(text: str, said: str, day: str) -> None:
    first = read_times(text, NOW, lambda *_: True)[0]
    assert (text[first.begin : first.stop], first.interval.start.date().isoformat()) == (said, day)


@pytest.mark.parametrize(
    ("text", "last", "following"),
    [
        ("元旦放假三天，1号到3号我们去三亚", ("2026-01-01", "2026-01-04"), ("2027-01-01", "2027-01-04")),
        ("新年1号到3号店里休息", ("2026-01-01", "2026-01-04"), ("2027-01-01", "2027-01-04")),
        ("国庆我1号到5号回老家", ("2026-10-01", "2026-10-06"), ("2027-10-01", "2027-10-06")),
        ("五一我们2号至4号去爬山", ("2026-05-02", "2026-05-05"), ("2027-05-02", "2027-05-05")),
        ("国庆回来了。10号到12号出差", ("2026-11-10", "2026-11-13"), ("2026-12-10", "2026-12-13")),
    ],
)
def test_days_behind_a_holiday_are_of_its_month(text: str, last: tuple[str, str], following: tuple[str, str]) -> None:
    for meant, ahead in ((last, False), (following, True)):
        interval = read_times(text, NOW, lambda *_, ahead=ahead: ahead)[-1].interval
        assert (interval.start.date().isoformat(), interval.end.date().isoformat()) == meant
