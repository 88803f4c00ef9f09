"""Kinds of values that people say: a date, a day, an hour, a number; and of which kinds two statements differ.

What changes a memory is learned over these kinds (changes.py): another kind makes that to be learned anew.

Source
    Own lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from memd.text import expressions as re

_DAYS = "mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
_MONTHS = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_NUM_ZH = "[零〇一二两三四五六七八九十百千万\\d]"
# What may stand before an hour that is written with a point: no name, whose version it would be (Ubuntu 22.04), and no money.
_TIMED = (
    r"(?<![£$€])(?:(?<![a-z] )|(?<=\bat )|(?<=\bby )|(?<=\bto )|(?<=\bthe )|(?<=\bfrom )|(?<=\btill )|(?<=\buntil )|(?<=\bis )|(?<=\bnow )"
    r"|(?<=\bstarts )|(?<=\bends )|(?<=\bopens )|(?<=\bcloses )|(?<=\baround )|(?<=\babout )|(?<=\bbefore )|(?<=\bafter )|(?<=day )|(?<=days ))"
)
KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("date", re.compile(
        rf"\b(?:{_MONTHS})\.? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b|\b(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTHS})\b|\bthe \d{{1,2}}(?:st|nd|rd|th)\b|\b\d{{1,2}}(?:st|nd|rd|th)\b|\b(?:19|20)\d\d-\d\d-\d\d\b"
        rf"|(?:{_NUM_ZH}{{1,3}}月)?{_NUM_ZH}{{1,3}}[号日]",
        re.IGNORECASE,
    )),
    ("day", re.compile(
        rf"\b(?:next |this |last )?(?:{_DAYS})\b|\b(?:today|tomorrow|yesterday|tonight)\b|(?:[上下这本]个?)*(?:周|星期|礼拜)[一二三四五六日天末]|[今明昨前后]天", re.IGNORECASE
    )),
    ("month", re.compile(rf"\b(?:early |mid-?|late )?(?:{_MONTHS.replace('|may|', '|(?-i:May)|').replace('mar(?:ch)?', 'march')})\b|{_NUM_ZH}{{1,2}}月份?[初中底]?|[上下]个?月[初中底]?", re.IGNORECASE)),
    ("hour", re.compile(
        rf"\b\d{{1,2}}:\d\d(?: ?[ap]\.?m\.?)?\b|{_TIMED}\b\d{{1,2}}\.\d\d(?: ?[ap]\.?m\.?)?\b|\b\d{{1,2}} ?[ap]\.?m\b\.?|\b(?:half|quarter) (?:past |to )?\w+\b|\bnoon\b|\bmidnight\b|(?<=\bat )\d{{1,2}}\b|(?:早上|上午|中午|下午|晚上|凌晨)?{_NUM_ZH}{{1,3}}[点时](?:半|[一三]刻|{_NUM_ZH}{{1,3}}分?)?",
        re.IGNORECASE,
    )),
    ("grade", re.compile(r"[初高大研][一二三四](?=$|[，。！了的年上下])|[一二三四五六七八九]年级")),
    ("year", re.compile(r"\b(?:19|20)\d\d\b")),
    ("number", re.compile(rf"[$€£¥]?\b\d+(?:[.,]\d+)*(?: ?%|k\b)?|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty)\b|{_NUM_ZH}+(?=[个位只条口岁块元人天年次楼号])|(?:[一二两三四五六七八九][十百千万]+)+", re.IGNORECASE)),
)  # fmt: skip


@lru_cache(maxsize=4096)
def values_in(text: str) -> Mapping[str, frozenset[str]]:
    """Return the values that a text has, folded, by their kind."""
    found = {kind: frozenset(one[0].casefold() for one in pattern.finditer(text)) for kind, pattern in KINDS}
    return {kind: values for kind, values in found.items() if values}


def kinds_of(text: str) -> set[str]:
    """Return which kinds of value a text has."""
    return set(values_in(text))


def kinds_apart(old: str, new: str) -> set[str]:
    """Return of which kinds both texts have values, and the new one has one that the old has not."""
    had, has = values_in(old), values_in(new)
    return {kind for kind in had.keys() & has.keys() if has[kind] - had[kind]}
