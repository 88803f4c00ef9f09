"""Times in English, rule by rule: a pattern and what it means.

What may as well be a name, a verb or a number (May, march, second, 2024) counts only where the words around it say so.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache

from memd.text import expressions as re
from memd.text.times import calendar as cal
from memd.text.times import english_meaning as means
from memd.text.times.calendar import Interval
from memd.text.times.english_meaning import number_word
from memd.text.times.needed import needs_of
from memd.text.times.rules import HALF, Build, Kind, Phrase, Rule


def clock(found: re.Match[str], now: datetime) -> Interval | None:
    """Return a time of day in digits."""
    groups = found.groupdict()
    at = _hour(now, int(groups["hour"]), int(groups.get("minute") or 0), _half(groups.get("half")))
    return at and (at.open("") if groups.get("minute") else at)  # 9:30 is written so by the clock of 24 hours


def clock_word(found: re.Match[str], now: datetime) -> Interval | None:
    """Return an hour, as a word or in digits: at eight."""
    return _hour(now, int(number_word(found["hour"])), 0, "")


def clock_beside(found: re.Match[str], now: datetime) -> Interval | None:
    """Return a time said by the hour it is near: half past seven, a quarter to nine."""
    word = found["by"].lower().removeprefix("a ").split()[0]
    minutes = {"half": 30, "quarter": 15}.get(word) or int(number_word(word))
    at = _hour(now, int(number_word(found["hour"])), 0, _half(found["half"]))
    sign = 1 if found["side"].lower() == "past" else -1
    return at and cal.shift(at, minutes=sign * minutes)


def clock_range(found: re.Match[str], now: datetime) -> Interval | None:
    """Return from one time of day to another; the half of the day that stands behind the second is that of both."""
    groups = found.groupdict()
    own, half = _half(groups.get("half")), _half(groups.get("half2"))
    last = _hour(now, int(groups["hour2"]), int(groups.get("minute2") or 0), half)
    for one in (own or half, own or ("am" if half else "")):
        first = _hour(now, int(groups["hour"]), int(groups.get("minute") or 0), one)
        if first and last and first.start < last.start:
            turns = "" if groups.get("minute2") else last.turns
            return Interval(first.start, last.start, loose=True, turns=turns)
    return None


def _half(word: str | None) -> str:
    return (word or "").lower().replace(".", "")


def _hour(now: datetime, hour: int, minute: int, half: str) -> Interval | None:
    doubtful = not half and 0 < hour <= 12
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    if hour >= 24 or minute >= 60:
        return None
    found = cal.hour_of(cal.days(now, 0), hour, minute)
    return found.open(HALF) if doubtful else found


N = rf"(?:\d{{1,4}}(?:\.5)?|(?:{'|'.join(means.ONES.split())}|thirty|forty|fifty|sixty)(?: and a half)?|a couple(?: of)?|half an?|an?|a good)"
M = rf"(?:{'|'.join(means.MONTH_NAMES)}|jan\.?|feb\.?|mar\.?|apr\.?|jun\.?|jul\.?|aug\.?|sept?\.?|oct\.?|nov\.?|dec\.?)"
W = rf"(?:{'|'.join(means.DAY_NAMES)})"
UNIT = r"(?P<unit>minute|min|hour|hr|day|night|week|fortnight|month|year|decade)s?"
YEAR = r"(?:1[89]|20)\d\d"
ORD = r"(?:st|nd|rd|th)"
# A day of a month in words: fifteenth, twenty-first, "thirty one july"; may and march are verbs too.
DAY_WORD = rf"(?:(?:twenty|thirty)[- ](?:{'|'.join([*means.ONES.split()[:9], *list(means.ORDINALS)[:9]])})|{'|'.join(means.ORDINALS)})"
MONTH_SURELY = M.replace("march|", "(?-i:March)|").replace("may|", "(?-i:May)|")
MOVED_TO = r"(?:(?:moved|pushed|put|slipped|shifted|postponed|delayed|extended|rescheduled|changed|brought)(?: (?:it|back|forward|out|again|now))* to)"
SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
_DAYS_OFF = "|".join(sorted(map(re.escape, means.HOLIDAYS), key=len, reverse=True))
# A Christmas fair is on another day, and a Christmas tree on none.
_OF_IT = "(?! (?:fair|concert|party|parties|market|tree|trees|cards?|jumper|shopping|show|play|quiz|songs?|carols?|lights|presents?|gifts?|bonus|hamper|raffle|panto|bazaar|fayre|eggs?|costumes?)\\b)"
HOLIDAY = f"(?P<holiday>{_DAYS_OFF}){_OF_IT}".replace("'", "['’]").replace("\\ ", " ")
SHIFT = r"(?P<shift>last|this|next|previous|this coming|this past|the coming|the past|the previous|the following|the current)"


def _day(shift: int) -> Build:
    return lambda _, now: cal.days(now, shift)


_UNLIKE_UNIT = r"(?!\s*(?:%|[€$£¥]|(?:\w+\s)?(?:lines?|files?|users?|people|words?|items?|rows?|records?|tokens?|requests?|bytes?|yen|dollars?|euros?|pounds?|yuan|rmb|km|kg|miles|metres?|meters?|mb|gb|ms|px|points?|steps?|times|calories|pages?|copies|units|watts?)\b))"
HOUR = rf"(?:\d\d?|{'|'.join(means.ONES.split()[:12])})"
_HALF = r"a\.?m\.?|p\.?m\.?"
EDGE = r"early|mid|late|(?:the )?(?:start|beginning|middle|end) of"
NOT_PLACE = r"(?! (?:of|century|quarter|edition|chapter|element|argument|row|column|place|floor|street|avenue|line|page|day|time|try|attempt))"
NOT_OF = r"(?! (?:of|in) (?:the|each|every|a|any) (?:month|quarter|year))"
_SEP = r"\s*(?:-|–|—|to|until|till|through|and)\s*"

# A text without any of these names no time; most messages have none.
HINT = re.compile(
    r"\d|day|night|week|month|year|decade|morning|afternoon|evening|noon|ago\b|now\b|moment|minute|hour|quarter|tomorrow|tmrw|fortnight"
    r"|\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|spring|summer|autumn|fall|winter"
    r"|christmas|xmas|easter|halloween|valentine|festival|thanksgiving|hallowe|hogmanay|epiphany|ties\b",
    re.IGNORECASE,
)

PHRASES: tuple[Phrase, ...] = (
    Phrase(Kind.DAY, r"the day before yesterday|day before yesterday", _day(-2)),
    Phrase(Kind.DAY, r"the day after tomorrow|day after tomorrow", _day(2)),
    Phrase(Kind.DAY, r"(?:this day|today|tomorrow|yesterday) (?:week|fortnight)(?! ?(?:\d|one|two|three|four|five|six|day))|a (?:week|fortnight) (?:today|tomorrow|from tomorrow)|a (?:week|fortnight) ago (?:today|yesterday)", means.weeks_beside),
    Phrase(Kind.DAY, rf"a (?P<n>week|fortnight) ago last (?P<weekday>{W})", means.weekday_weeks_ago),
    Phrase(Kind.DAY, r"yesterday", _day(-1)),
    Phrase(Kind.SPAN, r"(?:earlier|later) (?:on )?today", lambda _, now: cal.days(now, 0).vague()),
    Phrase(Kind.DAY, r"this (?:day|time) last year|a year ago today|last year today", lambda _, now: cal.on(now, now.year - 1, now.month, now.day)),
    Phrase(Kind.DAY, r"today", _day(0)),
    Phrase(Kind.DAY, r"tomorrow|tmrw", _day(1)),
    Phrase(Kind.SPAN, r"tonight", lambda _, now: cal.part_of(cal.days(now, 0), "night")),
    Phrase(Kind.SPAN, r"last night", lambda _, now: cal.part_of(cal.days(now, -1), "night")),
    Phrase(Kind.SPAN, r"(?:the )?night before last", lambda _, now: cal.part_of(cal.days(now, -2), "night")),
    Phrase(Kind.SPAN, r"(?:earlier )?this (?P<part>morning|afternoon|evening)", means.part_today),
    Phrase(Kind.SPAN, r"just now|a (?:moment|minute|second|sec|little while) ago|moments ago|right before this", means.just_now),
    Phrase(Kind.SPAN, rf"(?:a few|several|some) {UNIT} (?:ago|back|earlier)", lambda f, now: cal.few(now, means.unit_of(f["unit"])[0])),
    Phrase(Kind.DAY, rf"(?:about |around |roughly |nearly |almost |over )?(?P<n>{N}) (?P<unit>day)s? (?:ago|back|earlier)", means.ago),
    Phrase(Kind.SPAN, rf"(?:about |around |roughly |nearly |almost |over )?(?P<n>{N}) {UNIT} (?:ago|back|earlier)", means.ago),
    Phrase(Kind.SPAN, rf"(?P<n>{N}) {UNIT} from (?:now|today)", means.from_now),
    Phrase(Kind.SPAN, rf"in (?P<n>{N}) (?P<unit>day|week|fortnight|month|year)s?(?: time|['’] time)?", means.from_now),
    Phrase(Kind.SPAN, rf"(?P<core>the (?:last|past) (?P<n>{N}|few|several) {UNIT})", means.lately),
    Phrase(Kind.SPAN, rf"(?:over|during|in|within|for) (?P<core>the past (?P<n>){UNIT})", lambda f, now: cal.lately(now, 1, means.unit_of(f["unit"])[0])),
    Phrase(Kind.SPAN, r"(?:the )?(?P<unit>week|month|year|weekend|quarter) before last", means.before_last),
    Phrase(Kind.SPAN, r"(?:the )?(?P<unit>week|month|year|weekend) after next", lambda f, now: means.whole(now, 2, f["unit"].lower())),
    Phrase(Kind.SPAN, r"(?:the )?(?P<edge>start|beginning|middle|end) of (?:the|this) month", means.edge_of_month),
    Phrase(Kind.SPAN, r"(?:the )?(?P<edge>start|beginning|middle|end) of (?:the|this) year", means.edge_of_year),
    Phrase(Kind.SPAN, r"(?:between )?christmas (?:and|to|until) new year(?:['’]s)?(?: day)?", means.turn_of_year),
    Phrase(Kind.SPAN, rf"(?P<vague>earlier|later|early|late) {SHIFT} (?P<unit>week|month|year|quarter|decade)", means.turn),
    Phrase(Kind.SPAN, rf"{SHIFT} (?P<unit>weekend|week|month|year|quarter|decade)(?!-)", means.turn),
    Phrase(Kind.SPAN, r"(?:over|at|on|during) (?P<core>the (?P<unit>weekend))", means.weekend_alone),
    Phrase(Kind.DAY, rf"(?P<weekday>{W}) (?P<shift>last|this|next) week|(?P<unused>)(?!)", means.week_of_day),
    Phrase(Kind.DAY, rf"(?P<shift>last|this|next) week(?:['’]s| on)? (?P<weekday>{W})", means.week_of_day),
    Phrase(Kind.DAY, rf"(?P<weekday>{W}) of (?P<shift>last|this|next) week", means.week_of_day),
    Phrase(Kind.DAY, rf"a week ago(?: on)? (?P<weekday>{W})|(?:on )?(?P<weekday2>{W}) a week ago", lambda f, now: cal.weekday(now, -1, means.DAYS[(f["weekday"] or f["weekday2"]).lower()])),
    Phrase(Kind.DAY, rf"a week (?:from|on) (?P<weekday>{W})|(?:on )?(?P<weekday2>{W}) week", lambda f, now: means.weekday_later(f["weekday"] or f["weekday2"], now)),
    Phrase(Kind.DAY, rf"a fortnight (?:from|on) (?P<weekday>{W})|(?:on )?(?P<weekday2>{W}) fortnight", lambda f, now: cal.shift(means.weekday_later(f["weekday"] or f["weekday2"], now), 7)),
    Phrase(Kind.DAY, rf"(?P<n>two|three|four|2|3|4) (?P<weekday>{W})s ago|(?:the )?(?P<weekday2>{W}) before last", means.weekdays_ago),
    Phrase(Kind.DAY, rf"(?P<shift>last|this coming|this past|this|next|previous|coming|past) (?P<weekday>{W}){NOT_OF}", means.weekday),
    Phrase(Kind.DAY, rf"(?P<lead>due on|due|by|until|till|before) (?P<core>(?P<weekday>{W}))(?! last){NOT_OF}", means.weekday),
    Phrase(Kind.DAY, rf"(?P<lead>on|since) (?P<core>(?P<weekday>{W})){NOT_OF}", means.weekday),
    Phrase(Kind.DAY, rf"(?P<weekday>{W})(?!\.\w){NOT_OF}", means.weekday),
    Phrase(Kind.DAY, rf"(?P<weekday>{W}),? (?:the )?(?P<day>\d\d?){ORD}{NOT_PLACE}", lambda f, now: cal.dated_weekday(now, int(f["day"]), means.DAYS[f["weekday"].lower()])),
    Phrase(Kind.DAY, rf"(?P<year>{YEAR})-(?P<month>\d\d?)-(?P<day>\d\d?)(?:[T ]\d\d:\d\d(?::\d\d)?)?", means.numeric),
    Phrase(Kind.DAY, r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])", means.numeric),
    Phrase(Kind.DAY, rf"(?P<year>{YEAR})([/.])(?P<month>\d\d?)\2(?P<day>\d\d?)", means.numeric),
    Phrase(Kind.DAY, rf"(?P<a>\d\d?)(?P<sep>[/.])(?P<b>\d\d?)(?P=sep)(?P<year>{YEAR})", means.slashed),
    Phrase(Kind.SPAN, rf"(?P<a>\d\d?)(?:{ORD})?{_SEP}(?:the )?(?P<b>\d\d?)(?:{ORD})?(?: of)? (?P<month>{M})(?:,? (?P<year>{YEAR}))?", means.date_range),
    Phrase(Kind.SPAN, rf"(?P<month>{M}) (?P<a>\d\d?)(?:{ORD})?{_SEP}(?:the )?(?P<b>\d\d?)(?:{ORD})?(?!\d)(?:,? (?P<year>{YEAR}))?", means.date_range),
    Phrase(Kind.DAY, rf"(?:the )?(?P<day>\d\d?)(?:{ORD})?(?: of)? (?P<month>{M})(?: of)?,?(?: in)? (?P<year>{YEAR})", means.date),
    Phrase(Kind.DAY, rf"(?P<month>{M}) (?:the )?(?P<day>\d\d?)(?:{ORD})?,?(?: (?:in|of))? (?P<year>{YEAR})", means.date),
    Phrase(Kind.DAY, rf"(?:in )?(?P<year>{YEAR}),? on (?:the )?(?:(?P<day>\d\d?)(?:{ORD})?(?: of)? (?P<month>{M})|(?P<month2>{M}) (?:the )?(?P<day2>\d\d?)(?:{ORD})?)", means.date),
    Phrase(Kind.DAY, rf"(?:the )?(?P<day>\d\d?)(?:{ORD})?(?: of)? (?P<month>{M})(?: (?P<shift>last|this|next) year)?", means.date),
    Phrase(Kind.DAY, rf"(?P<month>{M}) (?:the )?(?P<day>\d\d?)(?:{ORD})?(?: (?P<shift>last|this|next) year)?(?!:?\d)", means.date),
    Phrase(Kind.SPAN, rf"(?P<month>{MONTH_SURELY}) (?:the )?(?P<a>{DAY_WORD}){_SEP}(?:the )?(?P<b>{DAY_WORD})", means.date_range),
    Phrase(Kind.SPAN, rf"(?:the )?(?P<a>{DAY_WORD}){_SEP}(?:the )?(?P<b>{DAY_WORD}) (?:of )?(?P<month>{MONTH_SURELY})", means.date_range),
    Phrase(Kind.DAY, rf"(?<!\bmy )(?<!\bour )(?<!\bhis )(?<!\bher )(?<!\btheir )(?<!\ba )(?:the )?(?P<day>{DAY_WORD})(?: of (?P<month>{MONTH_SURELY})| (?P<month2>{MONTH_SURELY})(?! (?:in|at|here|there|with|without|on)\b))(?:,? (?P<year>{YEAR}))?", means.date),
    Phrase(Kind.DAY, rf"(?P<month>{MONTH_SURELY}) (?:the )?(?P<day>{DAY_WORD})(?:,?(?: of)? (?P<year>{YEAR}))?(?! (?:half|thing|week|time|quarter))", means.date),
    Phrase(Kind.DAY, rf"(?:on|by|since|until|till|before|from|{MOVED_TO}|it['’]s(?: now)?) (?P<core>the (?P<day>\d\d?){ORD}){NOT_PLACE}", means.day_of_month),
    Phrase(Kind.DAY, rf"(?:is|are|was) (?:now )?(?P<core>the (?P<day>\d\d?){ORD})(?= now\b| instead\b|,? not the \d)", means.day_of_month),
    Phrase(Kind.SPAN, rf"(?:between|from) (?P<core>(?:the )?(?P<a>\d\d?){ORD}{_SEP}(?:the )?(?P<b>\d\d?){ORD}){NOT_PLACE}", means.days_of_month),
    Phrase(Kind.SPAN, rf"(?P<a>{M})(?:\s*(?:-|–|—)\s*|\s+(?:to|until|till|through|and)\s+)(?P<b>{M})(?: of)?(?:,? (?P<year>{YEAR}))?", means.month_range),
    Phrase(Kind.SPAN, rf"(?:(?P<vague>{EDGE})[ -]?)?(?P<month>{M})(?: of)?,?(?: in)? (?P<year>{YEAR})", means.month_year),
    Phrase(Kind.SPAN, rf"(?P<month>{M})(?: of)? (?P<shift>last|this|next) year", lambda f, now: cal.months(now, now.year + means.shift_of(f["shift"]), means.month_number(f["month"]))),
    Phrase(Kind.SPAN, rf"(?P<shift>last|this|next|this past) (?P<month>{M})", means.month_alone),
    Phrase(Kind.SPAN, rf"(?:in|since|(?<!is )(?<!are )(?<!was )from|during|until|till|throughout|around|by|of|{MOVED_TO}) (?P<core>(?:(?P<vague>{EDGE})[ -])?(?P<month>{M}))(?! (?:of )?progress)", means.month_alone),
    Phrase(Kind.SPAN, rf"(?P<vague>{EDGE})[ -](?P<month>{M})", means.month_alone),
    Phrase(Kind.SPAN, r"(?P<month>january|february|july|september|october|november|december)", means.month_alone),
    Phrase(Kind.SPAN, rf"q(?P<q>[1-4])(?: of| in)?[ ,-]*(?P<year>{YEAR})", means.quarter),
    Phrase(Kind.SPAN, rf"(?P<year>{YEAR})[ -]?q(?P<q>[1-4])", means.quarter),
    Phrase(Kind.SPAN, rf"(?:the )?(?P<q>first|second|third|fourth|last) quarter of (?:(?P<year>{YEAR})|(?P<shift>last|this|next) year)", means.quarter),
    Phrase(Kind.SPAN, r"q(?P<q>[1-4])(?: (?:of )?(?P<shift>last|this|next) year)?", means.quarter),
    Phrase(Kind.SPAN, rf"{SEASON}(?: of)?,? (?P<year>{YEAR})", means.season_year),
    Phrase(Kind.SPAN, rf"(?P<shift>last|this|next|this past|this coming) {SEASON}", means.season_shift),
    Phrase(Kind.SPAN, rf"(?:in|during|over|since) (?P<core>the {SEASON})(?! of)", means.season_alone),
    Phrase(Kind.SPAN, r"(?:in|during|since) (?P<core>(?:early |late )?(?P<season>(?-i:spring|summer|autumn|fall|winter)))(?! (?:of|boot|framework|mvc|data|security|water|onions?|rolls?|break|term|semester|cleaning|tides?|mode))", means.season_alone),
    Phrase(Kind.DAY, rf"{HOLIDAY}(?: of| in)?,? (?P<year>{YEAR})", means.holiday_day),
    Phrase(Kind.DAY, rf"(?:(?P<shift>last|this|next) )?{HOLIDAY}", means.holiday_day),
    Phrase(Kind.DAY, rf"{HOLIDAY}(?: of)? (?P<shift>last|this|next) year", lambda f, now: cal.holiday(now, now.year + means.shift_of(f["shift"]), means.holiday_name(f["holiday"]))),
    Phrase(Kind.SPAN, rf"(?P<a>{YEAR})(?:-|–|—| to | until | through )(?P<b>{YEAR})(?!-)", means.year_range),
    Phrase(Kind.SPAN, rf"(?:between|from) (?P<core>(?P<a>{YEAR}) (?:and|to|until|till) (?P<b>{YEAR}))", means.year_range),
    Phrase(Kind.SPAN, rf"(?:in|since|during|until|till|of|from|by|before|after|around|throughout|for|circa|the year) (?P<core>(?P<year>{YEAR}))(?![-:.]\d|-\w){_UNLIKE_UNIT}", means.year),
    Phrase(Kind.SPAN, rf"(?P<vague>{EDGE})[ -](?:(?P<year>{YEAR})|(?P<shift>last|this|next) year)", means.year),
    Phrase(Kind.SPAN, r"(?:the )?(?:early |mid |late |mid-)?(?P<decade>(?:1[89]|20)\d0)['’]?s", means.decade),
    Phrase(Kind.SPAN, r"the (?:early |mid |late |mid-)?['’]?(?P<decade>\d0)['’]?s", means.decade),
    Phrase(Kind.SPAN, r"the (?:early |mid |late |mid-)?(?P<word>twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)", means.decade),
    Phrase(Kind.PART, r"(?:(?:in|during) the )?(?P<part>morning|afternoon|evening|night)", means.part_today),
    Phrase(Kind.PART, r"(?:at |around )?(?P<part>noon|lunchtime|midday)", lambda _, now: cal.part_of(cal.days(now, 0), "noon")),
    Phrase(Kind.CLOCK, rf"(?:from |between )?(?P<hour>\d\d?)(?::(?P<minute>\d\d))? ?(?P<half>{_HALF})?{_SEP}(?P<hour2>\d\d?)(?::(?P<minute2>\d\d))? ?(?P<half2>{_HALF})", clock_range),
    Phrase(Kind.CLOCK, rf"(?:from |between )?(?P<hour>\d\d?):(?P<minute>\d\d){_SEP}(?P<hour2>\d\d?):(?P<minute2>\d\d)", clock_range),
    Phrase(Kind.CLOCK, rf"(?:from|between) (?P<hour>\d\d?){_SEP}(?P<hour2>\d\d?)(?: o['’]clock)?(?=\s*(?:\Z|[.,;!?]|(?:in the|on|today|tomorrow|yesterday|this|next|{W})))", clock_range),
    Phrase(Kind.CLOCK, rf"(?:at |around |about )?(?P<hour>\d\d?)(?::(?P<minute>\d\d))? ?(?P<half>{_HALF})", clock),
    Phrase(Kind.CLOCK, rf"(?:at |around |about )?(?P<by>half|(?:a )?quarter|(?:five|ten|twenty|5|10|20)(?: minutes)?) (?P<side>past|to) (?P<hour>{HOUR})(?: ?(?P<half>{_HALF}))?", clock_beside),
    Phrase(Kind.CLOCK, rf"(?:at|around|about) (?P<hour>{HOUR})(?: o['’]clock|(?=\s*(?:[.,;!?]|\Z|in the|on {W}|today|tomorrow|yesterday|tonight)))", clock_word),
    Phrase(Kind.CLOCK, r"(?:at |around |about )(?P<hour>\d\d?):(?P<minute>\d\d)", clock),
    Phrase(Kind.CLOCK, r"(?:at |around |about )(?P<hour>\d\d?)(?: o['’]clock)?", clock),
)  # fmt: skip


@cache
def rules() -> tuple[Rule, ...]:
    """Return the rules, read when they are first asked for, each compiled when a text has what it needs."""
    front, behind = r"(?<![\w/.'’-])(?:", r")(?!\w)"
    return tuple(
        Rule(one.kind, re.compile(f"{front}{one.pattern}{behind}", re.IGNORECASE), one.build, needs_of(one.pattern))
        for one in PHRASES
    )
