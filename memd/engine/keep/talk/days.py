"""The days of a month that a text names: "the 4th", "December the fifth", "the sixth", 12月4号, 三号; and the days of statements that were
told at some time, by whatever words.

Source
    Own lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from memd.engine.keep.event.resolve import dating
from memd.formats.times import WRITTEN
from memd.text import expressions as re
from memd.text.characters import is_cjk
from memd.text.times import Interval, read_times
from memd.text.times.chinese import number_of
from memd.text.times.english_meaning import day_number, month_number

LAST_DAY = 31
DAY, LONGEST = timedelta(days=1), timedelta(days=21)  # of days from one to another
LEAST_MONTH, MOST_MONTH = timedelta(days=28), timedelta(days=32)
HALF_A_YEAR = timedelta(days=183)  # what lies longer back is no day that is moved
PHRASE, PHRASE_HAN = 40, 12  # characters: what is longer has other words between two times

_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_ONES = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_WORD = rf"(?:(?:twenty|thirty)[- ]?(?:{_ONES})|{_ONES}|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth)"
_DAY = re.compile(
    rf"(?<![\w-])(?:the )?(?:(?P<month>{_MONTH})\.? (?:the )?)?(?:(?P<day>\d{{1,2}}(?=st|nd|rd|th))(?:st|nd|rd|th)|(?P<word>{_WORD}))\b(?: (?:of )?(?P<month2>{_MONTH})\b)?"
    rf"|(?<![\w-])(?P<month3>{_MONTH})\.? (?P<day3>\d{{1,2}})(?![\d:.]\d|\d|[ap]m)|(?<![\w.-])(?P<day4>\d{{1,2}}) (?:of )?(?P<month4>{_MONTH})\b",
    re.IGNORECASE,
)
_WORD_ENDS = re.compile(
    r"\W*\Z|\s*[,.;:!—–-]|\s+(?:not|of|instead|now|at|and|still|but|same|for|that|is|was)\b", re.IGNORECASE
)
_N = r"(?:3[01]|[12]\d|0?[1-9]|三十一?|二十[一二三四五六七八九]?|廿[一二三四五六七八九]?|十[一二三四五六七八九]?|[一二三四五六七八九])"
_DAY_ZH = re.compile(
    rf"(?<![\d第十百千.])(?:(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s?月\s?(?:份的?)?)?(?P<day>(?<![\d.]){_N})\s?(?:[号號](?![线楼院店机门桌房车馆])|[日](?![常程期记出落语本元系子报志光夜]))"
    r"|(?<![\d.])(?P<month2>1[0-2]|[1-9])月(?P<day2>3[01]|[12]\d|[1-9])(?!\d)|(?<![\d.])(?P<from>3[01]|[12]\d|[1-9])(?=[到至~-](?:3[01]|[12]\d|[1-9])(?!\d))|(?<=[到至~-])(?P<to>3[01]|[12]\d|[1-9])(?![\d.:：点时月年个人万千百块元])"
    r"|(?P<bare>(?<![\d.:：])(?:3[01]|[12]\d|[1-9])(?![\d.:：%％a-zA-Z点时月年个位万千百块元岁天周次杯件条号號日]))"
)
_IN_BRACKETS = re.compile(r"[(（][^)）]*\Z")
_AT = re.compile(r"\s*[,，]?\s*(?:at|from|by)\b|\s*[,，]", re.IGNORECASE)
_SET = re.compile(r"[是写改变到]\s*\Z")  # before a bare figure that is a day


class Day(NamedTuple):
    """A day of a month that a text names. `month`: 0 where it names none; `bare`: a figure alone, which may be none."""

    begin: int
    stop: int
    day: int
    month: int = 0
    bare: bool = False


def days_in(text: str, *, loose: bool = False) -> list[Day]:
    """Return the days of a month that a text names; `loose`: also figures alone, as in 请帖上写16."""
    found = [*_english(text), *_chinese(text, loose=loose)]
    return sorted(one for one in found if 0 < one.day <= LAST_DAY)


def _english(text: str) -> Iterator[Day]:
    for found in _DAY.finditer(text):
        month = next((found[name] for name in ("month", "month2", "month3", "month4") if found[name]), "")
        figure = found["day"] or found["day3"] or found["day4"]
        word = found["word"]
        if word and not month and not (found[0].lower().startswith("the ") and _WORD_ENDS.match(text, found.end())):
            continue
        day = day_number(word.replace("-", " ")) if word else int(figure)
        yield Day(found.start(), found.end(), day, month_number(month) if month else 0)


def _chinese(text: str, *, loose: bool) -> Iterator[Day]:
    for found in _DAY_ZH.finditer(text):
        if bare := found["bare"]:
            if loose:
                set_ = _SET.search(text[: found.start()]) is not None
                yield Day(found.start(), found.end(), int(bare), bare=not set_)
            continue
        figure = next(found[name] for name in ("day", "day2", "from", "to") if found[name])
        month = found["month"] or found["month2"]
        if (found["from"] or found["to"]) and not loose:
            continue
        yield Day(found.start(), found.end(), number_of(figure.replace("廿", "二十")), number_of(month) if month else 0)


Older = tuple[str, datetime | None]  # a statement, and when it was told: None beyond the calendar


class Known(NamedTuple):
    """A day of an older statement, or days from one to another."""

    place: int
    text: str
    begin: int
    stop: int
    first: date
    last: date

    @property
    def names_month(self) -> bool:
        """Tell whether it is more than days of a month that it does not name."""
        days = days_in(self.text[self.begin : self.stop])
        return not days or days[0].begin > 0 or any(one.month for one in days)

    def has(self, day: Day) -> bool:
        """Tell whether it begins or ends on a day."""
        return any(one.day == day.day and day.month in (0, one.month) for one in (self.first, self.last))


def date_of(year: int, month: int, day: int) -> date | None:
    """Return a day, None where there is none such."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def known_of(older: Iterable[tuple[int, Older]]) -> Iterator[Known]:
    """Yield the days of older statements, by their places."""
    for place, (text, at) in older:
        for one in _days_of(text, at) if at else ():
            yield one._replace(place=place)


@lru_cache(maxsize=128)  # each is asked again for every statement behind it
def _days_of(text: str, now: datetime) -> tuple[Known, ...]:
    """Return the days of a statement that was told at some time, each with the month that it names elsewhere; none that is no day."""
    return tuple(_dated_in(text, now))


def _dated_in(text: str, now: datetime) -> Iterator[Known]:
    try:
        found = dating(text, now)
        found = found if any(_is_day(one.interval) for one in found) else read_times(text, now, lambda *_: True)
    except (OverflowError, ValueError, OSError):
        return  # at the ends of the calendar
    months = [one.interval.start for one in found if LEAST_MONTH <= one.interval.end - one.interval.start < MOST_MONTH]
    for one in found:
        begin, stop = one.begin, one.stop
        if not _is_day(one.interval) or stop - begin > (PHRASE_HAN if is_cjk(text[begin]) else PHRASE):
            # an hour of a day that it may name; 五一我们去上海，一号到三号
            inner = days_in(text[begin:stop], loose=True) if one.interval.end - one.interval.start <= LONGEST else []
            if not inner or (len(inner) != 1 and not _is_day(one.interval)):
                continue
            begin, stop = begin + inner[0].begin, begin + inner[-1].stop
        if ends := [one.stop for one in days_in(text[begin:stop]) if _AT.match(text[begin + one.stop : stop])]:
            stop = begin + ends[-1]  # an hour behind it stays
        if written := WRITTEN.match(text, stop):
            stop = written.end()
        if _IN_BRACKETS.search(text[:begin]):
            continue  # what somebody asked
        first, last = one.interval.start, one.interval.end - timedelta(seconds=1)
        if first < now - HALF_A_YEAR and one.interval.turns:
            first, last = (_in_month(each, each.replace(day=1, year=each.year + 1)) for each in (first, last))
        yield Known(0, text, begin, stop, first.date(), last.date())
    read = [(one.begin, one.stop) for one in found if _is_day(one.interval)]
    for day in days_in(text) if months else ():  # 四月，9号飞14号回
        at = date_of(months[0].year, day.month or months[0].month, day.day)
        if at and not any(begin <= day.begin < stop for begin, stop in read):
            yield Known(0, text, day.begin, day.stop, at, at)


def _in_month(at: datetime, month: datetime) -> datetime:
    try:
        return at.replace(year=month.year, month=month.month)
    except ValueError:  # it has no such day
        return at


def _is_day(interval: Interval) -> bool:
    return DAY <= interval.end - interval.start <= LONGEST
