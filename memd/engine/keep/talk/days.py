"""The days of a month that a text names: "the 4th", "December the fifth", "the sixth", 12月4号, 三号.

Source
    Own lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.times.chinese import number_of
from memd.text.times.english_meaning import day_number, month_number

LAST_DAY = 31

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
_SET = re.compile(r"[是写改变到]\s*\Z")  # before a bare figure that is a day


class Day(NamedTuple):
    """A day of a month that a text names. `month`: 0 where it names none; `bare`: a figure alone, which may be none."""

    begin: int
    stop: int
    day: int
    month: int = 0
    bare: bool = False


def days_in(text: str, *, loose: bool = False) -> list[Day]:
    """Return the days of a month that a text names; `loose`: also figures alone, as in 单子写16."""
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
