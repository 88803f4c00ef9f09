"""Times in Chinese, rule by rule: a pattern and what it means. Numbers may be digits or characters."""

from __future__ import annotations

import re
from functools import cache

from memd.text.times import calendar as cal
from memd.text.times import chinese_meaning as means
from memd.text.times.rules import Kind, Phrase, Rule

# A text without any of these names no time.
HINT = re.compile(
    r"[天日号周月年季点夜晚早晨午春夏秋冬节旦]|星期|礼拜|小时|分钟|钟头|刚|方才|适才|圣诞|国庆|清明|端午|中秋|除夕|双十一|双11|五一|六一|(?:19|20)\d\d[-/.]\d|(?:19|20)\d{6}"
)
NUM = r"[零〇一二两俩三四五六七八九十百\d]{1,6}"
PART = rf"(?<![周期拜](?=一早))(?P<part>{'|'.join(sorted(means.PARTS, key=len, reverse=True))})"
YEAR_WORD = rf"(?P<yearword>{'|'.join(sorted(means.YEARS, key=len, reverse=True))})"
YEAR = r"(?P<year>(?:1[89]|20)\d\d|[一二][零〇一二三四五六七八九]{3}|(?<!\d)[0-2]\d(?=年))年?"
MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?"
DAY = r"(?P<day>3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])[日号]"
SEASON = r"(?P<season>[春夏秋冬])(?:天|季)?"
HOLIDAY = rf"(?P<holiday>{'|'.join(sorted(means.HOLIDAYS, key=len, reverse=True))})"
UNIT = r"(?P<unit>分钟|小时|钟头|天|日|周|星期|礼拜|月|年)"
WEEK = r"(?:周|星期|礼拜)"
SHIFT = r"(?P<shift>上上|下下|上|这|本|下)(?:一)?(?:个)?"


_MINUTE = r"(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>{NUM})分?)?".replace("{NUM}", NUM)
_MINUTE2 = re.sub(r"<(\w+)>", r"<\g<1>2>", _MINUTE)
_BACK = r"(?:之前|以前|前)"
_TO = r"(?:到|至|-|–|—|~|～)"
_REL_YEAR = rf"(?:{YEAR_WORD}|{YEAR})的?"

PHRASES: tuple[Phrase, ...] = (
    Phrase(Kind.DAY, r"(?<![以今之最](?=后))(?P<rel>大前|大后|前|昨|今|明|后)(?:天|日|儿个?)(?!头条|后[^面来])", means.relative_day),
    Phrase(Kind.DAY, rf"{YEAR_WORD}的?(?:今天|这一?天|今日)", lambda f, now: cal.on(now, now.year + means.YEARS[f["yearword"]], now.month, now.day)),
    Phrase(Kind.DAY, r"(?P<rel>[昨今明])(?P<part>早|晚|夜|晨)", lambda f, now: cal.part_of(cal.days(now, means.RELATIVE[f["rel"]]), "morning" if f["part"] in "早晨" else "night")),
    Phrase(Kind.SPAN, r"刚才|刚刚|方才|适才|刚刚才", means.just_now),
    Phrase(Kind.DAY, rf"(?P<n>{NUM})(?P<unit>[天日])(?P<way>{_BACK})", means.ago),
    Phrase(Kind.SPAN, rf"(?P<n>{NUM})个?(?P<half>半)?{UNIT}(?P<half2>半)?(?:的时间)?(?P<way>{_BACK}|以后|之后|后)", means.ago),
    Phrase(Kind.DAY, rf"(?<!通)再?过(?P<n>{NUM}|几)(?P<unit>[天日])(?!了|的|前)", means.from_now),
    Phrase(Kind.SPAN, rf"(?<!通)再?过(?P<n>{NUM}|几)个?(?P<unit>周|星期|礼拜|月|年)(?!了|的|前)", means.from_now),
    Phrase(Kind.SPAN, rf"半个?(?P<unit>小时|钟头|天|月|年){_BACK}", means.half_ago),
    Phrase(Kind.SPAN, rf"(?:好)?[几数]个?{UNIT}{_BACK}", means.few),
    Phrase(Kind.SPAN, r"前(?:几|些|两|俩)(?P<unit>天|周|年|月)|前几个(?P<unit2>月|星期)", lambda f, now: cal.few(now, means.unit_of(f["unit"] or f["unit2"]))),
    Phrase(Kind.SPAN, rf"(?:过去|最近|近|这)(?:的)?(?P<n>{NUM}|[几数半])个?(?:来)?{UNIT}", means.lately),
    Phrase(Kind.DAY, rf"{SHIFT}{WEEK}(?P<weekday>[一二三四五六日天1-7])(?!\d|个|些|百|千|万|(?![一二三四五六七八九十]{{1,3}}点)[一二三四五六七八九十])", means.weekday),
    Phrase(Kind.DAY, rf"(?<![上下这本每个]){WEEK}(?P<weekday>[一二三四五六日天])(?!(?![一二三四五六七八九十]{{1,3}}点)[一二三四五六日天八九十、]|个|些|百|千|万)", means.weekday_alone),
    Phrase(Kind.SPAN, rf"{SHIFT}(?P<unit>周末|{WEEK})(?!\s*[一二三四五六日天末1-7])", means.turn),
    Phrase(Kind.SPAN, rf"{SHIFT}(?P<unit>周末)", means.turn),
    Phrase(Kind.SPAN, r"(?:那个|这个)?(?<![上下这本每])周末(?!都)", means.weekend_alone),
    Phrase(Kind.SPAN, r"(?P<shift>上上|下下|上|这|本|下)(?:一)?个?(?P<unit>月|季度|季)(?!\d|[一二三四五六七八九十月])", means.turn),
    Phrase(Kind.DAY, rf"(?P<shift>上上|上|这|本|下)个?月的?{DAY}", means.month_day),
    Phrase(Kind.SPAN, r"(?<![上下这本个每几多\d一二三四五六七八九十年])月(?P<edge>初|中旬|上旬|下旬|底|末)(?!日)", means.edge_of_month),
    Phrase(Kind.SPAN, r"(?P<shift>上上|上|这|本|下)个?月(?P<edge>初|中旬|上旬|下旬|底|末|中)", means.month_end),
    Phrase(Kind.DAY, rf"{_REL_YEAR}{MONTH}{DAY}", means.date),
    Phrase(Kind.DAY, rf"(?<!\d){MONTH}{DAY}(?!楼|线|院|公路)", means.date),
    Phrase(Kind.DAY, rf"(?<![\d一二三四五六七八九十月第]){DAY}(?=那天|当天|那晚|晚上|下午|上午|早上|中午|之前|以前|之后|以后|的时候|前|就|去|要|交|出发|回来|开会|考试|体检|发工资|复诊|搬)", means.day_of_month),
    Phrase(Kind.SPAN, rf"(?<![\d一二三四五六七八九十月第/]){DAY}{_TO}(?P<last>{NUM})[日号](?!楼|线|院|公路|位|文件|机|门|桌|床)", means.days_of_month),
    Phrase(Kind.DAY, rf"(?<=[在到从是]){DAY}(?!楼|线|院|公路|位|文件|机|门|桌|床|{_TO}{NUM}号(?:楼|线|院|公路|门|桌|床))", means.day_of_month),
    Phrase(Kind.DAY, r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?!\d)", means.numeric),
    Phrase(Kind.SPAN, rf"(?:{_REL_YEAR})?(?<!\d){MONTH}(?P<day>{NUM})[日号]?{_TO}(?P<last>{NUM})[日号]", means.date_range),
    Phrase(Kind.SPAN, rf"{_REL_YEAR}{MONTH}(?P<edge>初|中旬|上旬|下旬|底|末)?", means.month),
    Phrase(Kind.SPAN, rf"(?<![叫名姓个\d.第/]){MONTH}(?P<edge>初|中旬|上旬|下旬|底|末)?(?![饼亮球]|[\d一二三四五六七八九十]+[日号])", means.month),
    Phrase(Kind.SPAN, rf"(?:{_REL_YEAR})?(?<!\d)(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月?份?{_TO}(?P<last>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?(?!\d)", means.month_range),
    Phrase(Kind.SPAN, r"(?P<year>(?:1[89]|20)\d\d|[一二][零〇一二三四五六七八九]{3}|(?<!\d)[0129]\d)年(?P<edge>年?[初底末]|年中)?(?![代级糕轻货\d])", means.year),
    Phrase(Kind.SPAN, rf"{YEAR_WORD}(?P<edge>年?[初底末]|年中)?(?![轻糕])", means.year),
    Phrase(Kind.SPAN, r"(?P<edge>年[初底末]|年中)(?![大])", lambda f, now: means.year_edge(f["edge"], now)),
    Phrase(Kind.SPAN, rf"(?:{_REL_YEAR})?(?P<half>[上下])半年", means.half_year),
    Phrase(Kind.SPAN, rf"(?P<a>(?:1[89]|20)\d\d)年?{_TO}(?P<b>(?:1[89]|20)\d\d)年", means.year_range),
    Phrase(Kind.SPAN, r"(?P<century>上个?世纪|二十世纪|20世纪)?(?P<decade>(?:19|20)\d0|\d0|[一二三四五六七八九]十)年代(?:初|末|中期?)?", means.decade),
    Phrase(Kind.SPAN, rf"(?:{_REL_YEAR}\s*)?(?:第(?P<q>[一二三四1-4])个?季度|(?<![一二三四五六七八九十\d])(?P<q2>[一二三四])季度)", means.quarter_of),
    Phrase(Kind.SPAN, rf"{YEAR_WORD}的?\s*[Qq](?P<q>[1-4])", means.quarter),
    Phrase(Kind.SPAN, r"(?P<year>(?:1[89]|20)\d\d)年的?[Qq](?P<q>[1-4])", means.quarter),
    Phrase(Kind.SPAN, rf"{_REL_YEAR}{SEASON}", means.season),
    Phrase(Kind.SPAN, r"(?<![每个明去今前后年\d])(?P<season>[春夏秋冬])(?:天|季)(?!的?衣|装|款)", means.season),
    Phrase(Kind.DAY, rf"{_REL_YEAR}{HOLIDAY}", means.holiday),
    Phrase(Kind.DAY, rf"{HOLIDAY}(?!快乐)", means.holiday),
    Phrase(Kind.SPAN, rf"(?:{_REL_YEAR})?(?:除夕|大年三十|年三十)夜?", means.eve),
    Phrase(Kind.DAY, r"(?<!\d)(?P<y>(?:19|20)\d\d)([-/.])(?P<m>\d{1,2})\2(?P<d>\d{1,2})(?!\d)", means.numeric),
    Phrase(Kind.PART, PART, means.part_today),
    Phrase(Kind.CLOCK, rf"(?<![周期拜])(?P<hour>{NUM})[点时]{_MINUTE}(?:钟|左右|多)?", means.clock),
    Phrase(Kind.CLOCK, r"(?<!\d)(?P<hour>\d{1,2})[:：](?P<minute>\d\d)(?!\d)", means.clock),
    Phrase(Kind.CLOCK, rf"(?<![周期拜])(?P<hour>{NUM})(?:[点时]{_MINUTE}(?:钟)?)?{_TO}{PART.replace('<part>', '<part2>')}?(?P<hour2>{NUM})[点时]{_MINUTE2}(?:钟|左右|多)?", means.clock_range),
    Phrase(Kind.CLOCK, rf"(?<!\d)(?P<hour>\d{{1,2}})[:：](?P<minute>\d\d){_TO}(?P<hour2>\d{{1,2}})[:：](?P<minute2>\d\d)(?!\d)", means.clock_range),
)  # fmt: skip


@cache
def rules() -> tuple[Rule, ...]:
    """Return the rules, compiled when they are first asked for: a start should not take that long."""
    return tuple(Rule(one.kind, re.compile(one.pattern), one.build) for one in PHRASES)
