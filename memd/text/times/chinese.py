"""Times in Chinese, rule by rule: a pattern and what it means. Numbers may be digits or characters."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache

from memd.text import expressions as re
from memd.text.times import calendar as cal
from memd.text.times.calendar import Interval
from memd.text.times.needed import needs_of
from memd.text.times.rules import HALF, Kind, Phrase, Rule

DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2}
DAYS = {char: at for at, char in enumerate("一二三四五六日")} | {"天": 6, **{str(n): n - 1 for n in range(1, 8)}}
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
HOLIDAY_MONTHS = {"元旦": 1, "新年": 1, "五一": 5, "劳动节": 5, "国庆": 10}  # of those that are by the sun
SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
YEARS = {"大前年": -3, "前年": -2, "去年": -1, "上一年": -1, "今年": 0, "本年": 0, "这一年": 0, "明年": 1, "后年": 2}
SHIFTS = {"上上": -2, "上": -1, "这": 0, "本": 0, "今": 0, "下": 1, "下下": 2, "前": -1}
RELATIVE = {"听": 1, "琴": -1, "寻": -1, "噚": -1, "大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3, "当": 0}  # fmt: skip


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


def dated_weekday(found: re.Match[str], now: datetime) -> Interval | None:
    weekday_, day = found["weekday"] or found["weekday2"], found["day"] or found["day2"]
    return cal.dated_weekday(now, number_of(day), DAYS[weekday_])


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
    """Return a day of a month this one is counted from, or some in a row: 上个月5号, 下个月21到23号."""
    month = cal.months(now, now.year, now.month + SHIFTS[found["shift"]])
    first, last = number_of(found["day"]), number_of(found.groupdict().get("last") or found["day"])
    return month and cal.days_from_to(now, month.start.year, month.start.month, first, last)


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
    return cal.days_from_to(now, year, month, number_of(found["day"]), number_of(found["last"]))


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


def holiday(found: re.Match[str], now: datetime, name: str = "") -> Interval | None:
    name, year = name or HOLIDAYS[found["holiday"]], year_of(found, now)
    return cal.holiday(now, year, name) if year else cal.past_holiday(now, name)


def of_new_year(found: re.Match[str], now: datetime) -> Interval | None:
    """Return the eve of the lunar year, or one of its first ten days: 除夕, 正月初八."""
    festival, lunar = holiday(found, now, "spring festival"), found.groupdict().get("lunar")
    day = festival and cal.shift(festival, "一二三四五六七八九十".index(lunar) if lunar else -1)
    return day and Interval(day.start, day.start + timedelta(days=1), loose=not lunar, turns=day.turns)


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
    return cal.days_of_month(now, number_of(found["day"] or found["bare"]), number_of(found["last"]))


def days_of_holiday(found: re.Match[str], now: datetime) -> Interval | None:
    """Return days of a month that was named before them, by their numbers alone: 国庆放假，1号到3号; 十二月去金泽，五号到十号."""
    month = HOLIDAY_MONTHS.get(found["holiday"]) or number_of(found["month"])
    return cal.days_from_to(now, None, month, number_of(found["day"]), number_of(found["last"]))


def from_now(found: re.Match[str], now: datetime) -> Interval | None:
    """Return so many units from now: 过两天."""
    count = found["n"]
    return cal.ago(now, 3 if count in "几数" else number_of(count), unit_of(found["unit"]), sign=1)


# A text without any of these names no time.
HINT = re.compile(
    r"[天日号周月年季点夜晚早晨午春夏秋冬节旦]|星期|礼拜|小时|分钟|钟头|刚|方才|适才|圣诞|国庆|清明|端午|中秋|除夕|双十一|双11|五一|六一|(?:19|20)\d\d[-/.]\d|(?:19|20)\d{6}"
)
NUM = r"[零〇一二两俩三四五六七八九十百\d]{1,6}"
PART = rf"(?<![周期拜](?=一早))(?P<part>{'|'.join(sorted(PARTS, key=len, reverse=True))})"
YEAR_WORD = rf"(?P<yearword>{'|'.join(sorted(YEARS, key=len, reverse=True))})"
YEAR = r"(?P<year>(?:1[89]|20)\d\d|[一二][零〇一二三四五六七八九]{3}|(?<!\d)[0-2]\d(?=年))年?"
MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?"
DAY = r"(?P<day>3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])[日号]"
SEASON = r"(?P<season>[春夏秋冬])(?:天|季)?"
HOLIDAY = rf"(?P<holiday>{'|'.join(sorted(HOLIDAYS, key=len, reverse=True))})(?!市集|树|晚会|音乐会|集市|礼物|卡)"
UNIT = r"(?P<unit>分钟|小时|钟头|天|日|周|星期|礼拜|月|年)"
WEEK = r"(?:周|星期|礼拜)"
SHIFT = r"(?P<shift>上上|下下|上|这|本|下)(?:一)?(?:个)?"


_MINUTE = r"(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>{NUM})分?)?".replace("{NUM}", NUM)
_MINUTE2 = re.sub(r"<(\w+)>", r"<\g<1>2>", _MINUTE)
_BACK = r"(?:之前|以前|前)"
_TO = r"(?:到|至|-|–|—|~|～)"
_REL_YEAR = rf"(?:{YEAR_WORD}|{YEAR})的?"

PHRASES: tuple[Phrase, ...] = (
    Phrase(Kind.DAY, r"(?<![以今之最](?=后))(?P<rel>大前|大后|前|昨|今|明|后|[听琴寻噚](?=日(?!子|[记志])))(?:天|日|儿个?)(?!头条|后[^面来])", relative_day),
    Phrase(Kind.DAY, rf"{YEAR_WORD}的?(?:今天|这一?天|今日)", lambda f, now: cal.on(now, now.year + YEARS[f["yearword"]], now.month, now.day)),
    Phrase(Kind.DAY, r"(?P<rel>[昨今明])(?P<part>早|晚|夜|晨)", lambda f, now: cal.part_of(cal.days(now, RELATIVE[f["rel"]]), "morning" if f["part"] in "早晨" else "night")),
    Phrase(Kind.SPAN, r"刚才|刚刚|方才|适才|刚刚才", just_now),
    Phrase(Kind.DAY, rf"(?P<n>{NUM})(?P<unit>[天日])(?P<way>{_BACK})", ago),
    Phrase(Kind.SPAN, rf"(?P<n>{NUM})个?(?P<half>半)?{UNIT}(?P<half2>半)?(?:的时间)?(?P<way>{_BACK}|以后|之后|后)", ago),
    Phrase(Kind.DAY, rf"(?<!通)再?过(?P<n>{NUM}|几)(?P<unit>[天日])(?!了|的|前)", from_now),
    Phrase(Kind.SPAN, rf"(?<!通)再?过(?P<n>{NUM}|几)个?(?P<unit>周|星期|礼拜|月|年)(?!了|的|前)", from_now),
    Phrase(Kind.SPAN, rf"半个?(?P<unit>小时|钟头|天|月|年){_BACK}", half_ago),
    Phrase(Kind.SPAN, rf"(?:好)?[几数]个?{UNIT}{_BACK}", few),
    Phrase(Kind.SPAN, r"前(?:几|些|两|俩)(?P<unit>天|周|年|月)|前几个(?P<unit2>月|星期)", lambda f, now: cal.few(now, unit_of(f["unit"] or f["unit2"]))),
    Phrase(Kind.SPAN, rf"(?:过去|最近|近|这)(?:的)?(?P<n>{NUM}|[几数半])个?(?:来)?{UNIT}", lately),
    Phrase(Kind.DAY, rf"{SHIFT}{WEEK}(?P<weekday>[一二三四五六日天1-7])(?!\d|个|些|百|千|万|(?![一二三四五六七八九十]{{1,3}}点)[一二三四五六七八九十])", weekday),
    Phrase(Kind.DAY, rf"(?<![上下这本每个])(?<!每周[一二三四五六日天][、和跟及与])(?<!每(?:星期|礼拜)[一二三四五六日天][、和跟及与]){WEEK}(?P<weekday>[一二三四五六日天])(?!的?(?:站会|例会|周会|早会|晨会|组会)(?![^，。]*(?:改|取消|推|提前|挪|不开|停)))(?!(?![一二三四五六七八九十]{{1,3}}点)[一二三四五六日天八九十、]|个|些|百|千|万)", weekday_alone),
    Phrase(Kind.DAY, rf"(?<![上下这本每个]){WEEK}(?P<weekday>[一二三四五六日天])[（(，,]?(?P<day>{NUM})[号日][）)]?|(?<![月\d])(?P<day2>{NUM})[号日][（(，,]?{WEEK}(?P<weekday2>[一二三四五六日天])[）)]?", dated_weekday),
    Phrase(Kind.SPAN, rf"{SHIFT}(?P<unit>周末|{WEEK})(?!\s*[一二三四五六日天末1-7])", turn),
    Phrase(Kind.SPAN, rf"{SHIFT}(?P<unit>周末)", turn),
    Phrase(Kind.SPAN, r"(?:那个|这个)?(?<![上下这本每])周末(?!都)", weekend_alone),
    Phrase(Kind.SPAN, r"(?P<shift>上上|下下|上|这|本|下)(?:一)?个?(?P<unit>月|季度|季)(?!\d|[一二三四五六七八九十月])", turn),
    Phrase(Kind.DAY, rf"(?P<shift>上上|上|这|本|下)个?月的?{DAY}", month_day),
    Phrase(Kind.SPAN, rf"(?P<shift>上上|上|这|本|下)个?月的?(?P<day>{NUM})[日号]?{_TO}(?P<last>{NUM})[日号]", month_day),
    Phrase(Kind.SPAN, r"(?<![上下这本个每几多\d一二三四五六七八九十年正腊])月(?P<edge>初|中旬|上旬|下旬|底|末)(?!日)", edge_of_month),
    Phrase(Kind.SPAN, r"(?P<shift>上上|上|这|本|下)个?月(?P<edge>初|中旬|上旬|下旬|底|末|中(?![风考午暑毒标奖级]))", month_end),
    Phrase(Kind.DAY, rf"{_REL_YEAR}{MONTH}{DAY}", date),
    Phrase(Kind.DAY, rf"(?<!\d){MONTH}{DAY}(?!楼|线|院|公路)", date),
    Phrase(Kind.DAY, rf"(?<!农历)(?<!阴历)(?<!旧历)(?<![\d一二三四五六七八九十正腊])(?:{_REL_YEAR})?(?<!腊)(?<!正)(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月(?P<day>(?:[12]\d|3[01])(?![\d.:：/%]|号楼)|(?:二十|三十|十)[一二三四五六七八九]?)(?![一二三四五六七八九十百千万个人岁天年月点时块元名位多家次份篇章周度斤米平寸套只条分几来余足])(?![号日])", date),
    Phrase(Kind.DAY, rf"(?<![\d一二三四五六七八九十月第]){DAY}(?=那天|当天|那晚|晚上|下午|上午|早上|中午|之前|以前|之后|以后|的时候|前|就|去|要|交|出发|回来|开会|考试|体检|发工资|复诊|搬)", day_of_month),
    Phrase(Kind.SPAN, rf"(?<![\d一二三四五六七八九十月第/.])(?:{DAY}|(?P<bare>[12]\d|3[01]|二?十[一二三四五六七八九]?)){_TO}(?P<last>{NUM})[日号](?!楼|线|院|公路|位|文件|机|门|桌|床)", days_of_month),
    Phrase(Kind.SPAN, rf"(?:(?P<holiday>{'|'.join(HOLIDAY_MONTHS)})|{MONTH}(?=[^。！？!?；;\n\d月号]{{0,14}}[，,\s]))[^。！？!?；;\n\d月号]{{0,16}}{DAY}{_TO}(?P<last>{NUM})[日号](?!楼|线|院|公路|位|文件|机|门|桌|床)", days_of_holiday),
    Phrase(Kind.DAY, rf"(?:(?<=[在到从是])|(?<=[推改挪][咗了]去)){DAY}(?!楼|线|院|公路|位|文件|机|门|桌|床|{_TO}{NUM}号(?:楼|线|院|公路|门|桌|床))", day_of_month),
    Phrase(Kind.DAY, r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?!\d)", numeric),
    Phrase(Kind.SPAN, rf"(?:{_REL_YEAR})?(?<!\d){MONTH}(?P<day>{NUM})[日号]?{_TO}(?P<last>{NUM})(?:[日号]|(?<=\d)(?![\d月点时:：/%.百千万块元个人岁年]))", date_range),
    Phrase(Kind.SPAN, rf"{_REL_YEAR}{MONTH}(?P<edge>初|中旬|上旬|下旬|底|末)?", month),
    Phrase(Kind.SPAN, rf"(?<![叫名姓个\d.第/]){MONTH}(?P<edge>初|中旬|上旬|下旬|底|末)?(?![饼亮球]|[\d一二三四五六七八九十]+[日号])", month),
    Phrase(Kind.SPAN, rf"(?:{_REL_YEAR})?(?<!\d)(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月?份?{_TO}(?P<last>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?(?!\d)", month_range),
    Phrase(Kind.SPAN, r"(?P<year>(?:1[89]|20)\d\d|[一二][零〇一二三四五六七八九]{3}|(?<!\d)[0129]\d)年(?P<edge>年?[初底末]|年中)?(?![代级糕轻货\d])", year),
    Phrase(Kind.SPAN, rf"{YEAR_WORD}(?P<edge>年?[初底末]|年中)?(?![轻糕]|(?:\d{{2}}|[一二三四五六七八九]?十[一二三四五六七八九]?)(?:周?岁|[，,。\s]|\Z))", year),
    Phrase(Kind.SPAN, r"(?P<edge>年[初底末]|年中)(?![大])(?!(?<=年初)[一二三四五六七八九十](?![中手个家号次名位批期月级年季点]))", lambda f, now: year_edge(f["edge"], now)),
    Phrase(Kind.SPAN, rf"(?:{_REL_YEAR})?(?P<half>[上下])半年", half_year),
    Phrase(Kind.SPAN, rf"(?P<a>(?:1[89]|20)\d\d)年?{_TO}(?P<b>(?:1[89]|20)\d\d)年", year_range),
    Phrase(Kind.SPAN, r"(?P<century>上个?世纪|二十世纪|20世纪)?(?P<decade>(?:19|20)\d0|\d0|[一二三四五六七八九]十)年代(?:初|末|中期?)?", decade),
    Phrase(Kind.SPAN, rf"(?:{_REL_YEAR}\s*)?(?:第(?P<q>[一二三四1-4])个?季度|(?<![一二三四五六七八九十\d])(?P<q2>[一二三四])季度)", quarter_of),
    Phrase(Kind.SPAN, rf"{YEAR_WORD}的?\s*[Qq](?P<q>[1-4])", quarter),
    Phrase(Kind.SPAN, r"(?P<year>(?:1[89]|20)\d\d)年的?[Qq](?P<q>[1-4])", quarter),
    Phrase(Kind.SPAN, rf"{_REL_YEAR}{SEASON}", season),
    Phrase(Kind.SPAN, r"(?<![每个明去今前后年\d])(?P<season>[春夏秋冬])(?:天|季)(?!的?衣|装|款)", season),
    Phrase(Kind.DAY, rf"{_REL_YEAR}{HOLIDAY}", holiday),
    Phrase(Kind.DAY, rf"{HOLIDAY}(?!快乐)", holiday),
    Phrase(Kind.SPAN, rf"(?:{_REL_YEAR})?(?:除夕|大年三十|年三十)夜?", of_new_year),
    Phrase(Kind.DAY, rf"(?:{_REL_YEAR})?(?:大年|正月|(?<!今)(?<!去)(?<!明)(?<!前)(?<!每)年)初(?P<lunar>[一二三四五六七八九十])(?![中手个家号次名位批期月级年季点])", of_new_year),
    Phrase(Kind.DAY, r"(?<!\d)(?P<y>(?:19|20)\d\d)([-/.])(?P<m>\d{1,2})\2(?P<d>\d{1,2})(?!\d)", numeric),
    Phrase(Kind.PART, PART, part_today),
    Phrase(Kind.CLOCK, rf"(?<![周期拜])(?P<hour>{NUM})[点时]{_MINUTE}(?:钟|左右|多)?", clock),
    Phrase(Kind.CLOCK, r"(?<!\d)(?P<hour>\d{1,2})[:：](?P<minute>\d\d)(?!\d)", clock),
    Phrase(Kind.CLOCK, rf"(?<![周期拜])(?P<hour>{NUM})(?:[点时]{_MINUTE}(?:钟)?)?{_TO}{PART.replace('<part>', '<part2>')}?(?P<hour2>{NUM})[点时]{_MINUTE2}(?:钟|左右|多)?", clock_range),
    Phrase(Kind.CLOCK, rf"(?<!\d)(?P<hour>\d{{1,2}})[:：](?P<minute>\d\d){_TO}(?P<hour2>\d{{1,2}})[:：](?P<minute2>\d\d)(?!\d)", clock_range),
)  # fmt: skip


@cache
def rules() -> tuple[Rule, ...]:
    """Return the rules, read when they are first asked for, each compiled when a text has what it needs."""
    return tuple(Rule(one.kind, re.compile(one.pattern), one.build, needs_of(one.pattern)) for one in PHRASES)
