"""What the parts of a Chinese phrase of time mean: from what a rule found to an interval."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memd.text.times import calendar as cal
from memd.text.times.calendar import Interval
from memd.text.times.rules import HALF

DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2}
DAYS = {char: number for number, char in enumerate("一二三四五六日")} | {
    "天": 6,
    **{str(n): n - 1 for n in range(1, 8)},
}
PARTS = {
    "凌晨": "small", "清晨": "morning", "早晨": "morning", "早上": "morning", "上午": "morning", "一早": "morning", "早": "morning",
    "中午": "noon", "正午": "noon", "午后": "afternoon", "下午": "afternoon", "傍晚": "evening", "晚上": "night", "夜里": "night",
    "夜晚": "night", "半夜": "night", "深夜": "night", "晚间": "night", "当晚": "night", "晚": "night", "夜": "night",
}  # fmt: skip
HOLIDAYS = {
    "平安夜": "christmas eve", "圣诞节": "christmas", "圣诞": "christmas", "国庆节": "national", "国庆": "national", "十一黄金周": "national",
    "国庆假期": "national", "国庆长假": "national", "元旦": "new year", "跨年夜": "new year's eve", "劳动节": "labour", "五一": "labour",
    "情人节": "valentine", "妇女节": "women", "儿童节": "children", "六一": "children", "双十一": "singles", "双11": "singles",
    "清明节": "tomb", "清明": "tomb", "端午节": "dragon boat", "端午": "dragon boat", "中秋节": "mid-autumn", "中秋": "mid-autumn",
    "春节": "spring festival", "过年": "spring festival", "万圣节": "halloween", "感恩节": "thanksgiving", "复活节": "easter", "教师节": "teachers",
}  # fmt: skip
SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
YEARS = {"大前年": -3, "前年": -2, "去年": -1, "上一年": -1, "今年": 0, "本年": 0, "这一年": 0, "明年": 1, "后年": 2}
SHIFTS = {"上上": -2, "上": -1, "这": 0, "本": 0, "今": 0, "下": 1, "下下": 2, "前": -1}
RELATIVE = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3, "当": 0}


def number_of(text: str) -> int:
    """Return the number that digits or Chinese characters up to 9,999 spell."""
    if text.isdigit():
        return int(text)
    if "十" not in text and "百" not in text and len(text) > 1:
        return int("".join(str(DIGITS.get(char, char)) for char in text))
    total, number = 0, 0
    for char in text:
        if char == "百":
            total, number = total + (number or 1) * 100, 0
        elif char == "十":
            total, number = total + (number or 1) * 10, 0
        else:
            number = DIGITS.get(char, int(char) if char.isdigit() else 0)
    return total + number


def unit_of(word: str) -> str:
    return {
        "分钟": "minute", "小时": "hour", "钟头": "hour", "天": "day", "日": "day", "月": "month", "年": "year"
    }.get(word, "week")  # fmt: skip


def year_of(found: re.Match[str], now: datetime) -> int | None:
    groups = found.groupdict()
    if groups.get("yearword"):
        return now.year + YEARS[groups["yearword"]]
    if groups.get("year"):
        year = number_of(groups["year"])
        return year if year >= 100 else 2000 + year
    return None


def relative_day(found: re.Match[str], now: datetime) -> Interval:
    return cal.days(now, RELATIVE[found["rel"]])


def ago(found: re.Match[str], now: datetime) -> Interval | None:
    half = 0.5 if found.groupdict().get("half") else 0.0
    sign = 1 if found["way"] in ("后", "以后", "之后") else -1
    return cal.ago(now, number_of(found["n"]) + half, unit_of(found["unit"]), sign=sign)


def half_ago(found: re.Match[str], now: datetime) -> Interval | None:
    unit = unit_of(found["unit"])
    return cal.ago(now, 30 if unit == "hour" else 0.5, "minute" if unit == "hour" else unit)


def few(found: re.Match[str], now: datetime) -> Interval | None:
    return cal.few(now, unit_of(found["unit"]))


def lately(found: re.Match[str], now: datetime) -> Interval | None:
    count = found["n"]
    number = 1.0 if not count else 4.0 if count in "几数" else 0.5 if count == "半" else number_of(count)
    return cal.lately(now, number, unit_of(found["unit"]))


def weekday(found: re.Match[str], now: datetime) -> Interval:
    return cal.weekday(now, SHIFTS[found["shift"]], DAYS[found["weekday"]])


def weekday_alone(found: re.Match[str], now: datetime) -> Interval:
    return cal.last_weekday(now, DAYS[found["weekday"]], today=True).open("week")


def turn(found: re.Match[str], now: datetime) -> Interval | None:
    shift, unit = SHIFTS[found["shift"]], found["unit"]
    if unit == "周末":
        return cal.weekend(now, shift)
    if unit in ("周", "星期", "礼拜"):
        return cal.week(now, shift)
    if unit in ("季度", "季"):
        return cal.quarter(now, now.year, (now.month - 1) // 3 + 1 + shift)
    return cal.months(now, now.year, now.month + shift)


def weekend_alone(_: re.Match[str], now: datetime) -> Interval:
    return cal.weekend(now, 0 if now.weekday() >= 5 else -1).open("week")


def month_day(found: re.Match[str], now: datetime) -> Interval | None:
    """Return a day of a month this one is counted from: 上个月5号."""
    month = cal.months(now, now.year, now.month + SHIFTS[found["shift"]])
    return month and cal.on(now, month.start.year, month.start.month, number_of(found["day"]))


def month_end(found: re.Match[str], now: datetime) -> Interval | None:
    month = cal.months(now, now.year, now.month + SHIFTS[found["shift"]])
    return month and edge_of(month, found["edge"])


def edge_of_month(found: re.Match[str], now: datetime) -> Interval | None:
    """Return the last beginning, middle or end of a month that has begun: 月底."""
    for back in (0, 1):
        month = cal.months(now, now.year, now.month - back)
        edge = month and edge_of(month, found["edge"])
        if edge and edge.start <= now:
            return edge.open("month")
    return None


def edge_of(interval: Interval, edge: str) -> Interval:
    """Return the beginning, the middle or the end of a month or of a year: 初, 中旬, 年底."""
    word = edge.removeprefix("年")
    return cal.edge_of(interval, 0 if word[0] in "初上" else 1 if word[0] == "中" or word == "年中" else 2)


def date(found: re.Match[str], now: datetime) -> Interval | None:
    month, day, year = number_of(found["month"]), number_of(found["day"]), year_of(found, now)
    return cal.on(now, year, month, day) if year else cal.past_date(now, month, day)


def day_of_month(found: re.Match[str], now: datetime) -> Interval | None:
    return cal.past_day_of_month(now, number_of(found["day"]))


def date_range(found: re.Match[str], now: datetime) -> Interval | None:
    month, year = number_of(found["month"]), year_of(found, now)
    first_day, last_day = number_of(found["day"]), number_of(found["last"])
    first = cal.on(now, year, month, first_day) if year else cal.past_date(now, month, first_day)
    last = first and cal.on(now, first.start.year, month, last_day)
    return Interval(first.start, last.end, turns=first.turns) if first and last and last.end > first.start else None


def month(found: re.Match[str], now: datetime) -> Interval | None:
    month, year = number_of(found["month"]), year_of(found, now)
    interval = cal.months(now, year, month) if year else cal.past_month(now, month)
    edge = found.groupdict().get("edge")
    return edge_of(interval, edge) if interval and edge else interval


def month_range(found: re.Match[str], now: datetime) -> Interval | None:
    first, last, year = number_of(found["month"]), number_of(found["last"]), year_of(found, now)
    turns = "" if year else "year"
    if year is None:
        year = now.year if last <= now.month else now.year - 1
        year -= first > last
    start = cal.months(now, year, first)
    end = cal.months(now, year + (first > last), last)
    return Interval(start.start, end.end, turns=turns) if start and end else None


def year(found: re.Match[str], now: datetime) -> Interval | None:
    year = year_of(found, now)
    interval = cal.years(now, year) if year else None
    edge = found.groupdict().get("edge")
    return edge_of(interval, edge) if interval and edge else interval


def half_year(found: re.Match[str], now: datetime) -> Interval | None:
    year = year_of(found, now)
    first = found["half"] == "上"
    turns = "" if year else "year"
    if year is None:
        year = now.year if first or now.month > 6 else now.year - 1
    half = cal.months(now, year, 1 if first else 7, 6)
    return half and half.open(turns)


def year_range(found: re.Match[str], now: datetime) -> Interval | None:
    first, last = number_of(found["a"]), number_of(found["b"])
    return cal.years(now, first, last - first + 1) if 1800 <= first < last <= 2100 else None


def decade(found: re.Match[str], now: datetime) -> Interval | None:
    number = number_of(found["decade"])
    if number >= 1000:
        return cal.years(now, number, 10)
    if number % 10 or number > 90:
        return None
    old = found.groupdict().get("century") or number >= 30
    return cal.years(now, (1900 if old else 2000) + number, 10)


def quarter(found: re.Match[str], now: datetime) -> Interval | None:
    return quarter_of_year(number_of(found["q"]), year_of(found, now), now)


def quarter_of(found: re.Match[str], now: datetime) -> Interval | None:
    return quarter_of_year(number_of(found["q"] or found["q2"]), year_of(found, now), now)


def quarter_of_year(number: int, year: int | None, now: datetime) -> Interval | None:
    turns = "" if year else "year"
    if year is None:
        year = now.year if number <= (now.month - 1) // 3 + 1 else now.year - 1
    part = cal.quarter(now, year, number)
    return part and part.open(turns)


def year_edge(edge: str, now: datetime) -> Interval | None:
    first = {"初": 1, "中": 5}.get(edge[-1], 10)
    year = now.year if first <= now.month else now.year - 1
    found = cal.months(now, year, first, 4 if edge[-1] == "中" else 3)
    return found and found.vague().open()


def season(found: re.Match[str], now: datetime) -> Interval | None:
    name, year = SEASONS[found["season"]], year_of(found, now)
    return cal.season(now, year, name) if year else cal.past_season(now, name)


def holiday(found: re.Match[str], now: datetime) -> Interval | None:
    name, year = HOLIDAYS[found["holiday"]], year_of(found, now)
    return cal.holiday(now, year, name) if year else cal.past_holiday(now, name)


def eve(found: re.Match[str], now: datetime) -> Interval | None:
    year = year_of(found, now)
    festival = cal.holiday(now, year, "spring festival") if year else cal.past_holiday(now, "spring festival")
    return festival and Interval(festival.start - timedelta(days=1), festival.start, loose=True, turns=festival.turns)


def numeric(found: re.Match[str], now: datetime) -> Interval | None:
    return cal.on(now, int(found["y"]), int(found["m"]), int(found["d"]))


def just_now(_: re.Match[str], now: datetime) -> Interval:
    return Interval(cal.later(now, -60), now, loose=True)


def part_today(found: re.Match[str], now: datetime) -> Interval:
    return cal.part_of(cal.days(now, 0), PARTS[found["part"]])


def clock(found: re.Match[str], now: datetime) -> Interval | None:
    return _hour(found, "", now)


def clock_range(found: re.Match[str], now: datetime) -> Interval | None:
    """Return from one time of day to another: 两点到四点半."""
    first, last = _hour(found, "", now), _hour(found, "2", now)
    if not (first and last and first.start < last.start):
        return None
    return Interval(first.start, last.start, loose=True, turns=last.turns)


def _hour(found: re.Match[str], which: str, now: datetime) -> Interval | None:
    groups = found.groupdict()
    hour, minute = number_of(groups[f"hour{which}"]), 0
    if groups.get(f"half{which}"):
        minute = 30
    elif quarters := groups.get(f"quarter{which}"):
        minute = 15 * number_of(quarters)
    elif said := groups.get(f"minute{which}"):
        minute = number_of(said)
    if hour >= 24 or minute >= 60:
        return None
    at = cal.hour_of(cal.days(now, 0), hour, minute)
    return at.open(HALF) if 0 < hour <= 12 and "点" in found[0] else at


def days_of_month(found: re.Match[str], now: datetime) -> Interval | None:
    """Return days of a month by their numbers alone: 10号到12号."""
    return cal.days_of_month(now, number_of(found["day"]), number_of(found["last"]))


def from_now(found: re.Match[str], now: datetime) -> Interval | None:
    """Return so many units from now: 过两天."""
    count = found["n"]
    return cal.ago(now, 3 if count in "几数" else number_of(count), unit_of(found["unit"]), sign=1)
