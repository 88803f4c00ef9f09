"""A statement as units: words and phrases with what they mean, its figures, its names, its denials.

Figures are brought to one form: "twelve", "12" and 十二 are equal, so are 3pm, 15:00 and 下午三点.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from memd.engine.keep.relation.person import first_person
from memd.engine.keep.relation.words import NOTHING, Sense, Thesaurus, row
from memd.text import expressions as re
from memd.text.analysis import CHINESE_CHARS, ENGLISH
from memd.text.characters import fold, is_chinese, is_cjk

_NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100",
     "dozen": "12", "half": "0.5", "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7",
     "eighth": "8", "ninth": "9", "tenth": "10", "twice": "2", "once": "1", "couple": "2"}  # fmt: skip
_DIGITS = "零一二三四五六七八九"
_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_MEASURES = "年月日号点个次岁天周米公里元块分钟小时人只条本件层楼斤克度秒页行位台辆间套张份期步支家门袋杯片盒瓶颗粒级路队折倍章课节集班成毛遍轮场头匹棵把双对口回届版顿趟季晚月遍名"
_HAN_NUMBER = re.compile(
    rf"百分之[一二三四五六七八九十百]+|(?<![\d.])(?:[零一二三四五六七八九十百千万两〇]+|(?<!点)半)(?=[{_MEASURES}]|\d|$)|(?<=[第周期])[一二三四五六日天]"
)
_ENGLISH_NUMBER = re.compile(r"\b(?:" + "|".join(_NUMBER_WORDS) + r")\b")
_COMPOUND = re.compile(
    r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ](one|two|three|four|five|six|seven|eight|nine|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)\b"
)
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.](\d\d))? ?([ap])\.?m\b\.?|\b(\d{1,2}) o'clock|\b(\d{1,2}):(\d\d)\b")
_TOLD_CLOCK = re.compile(
    r"\b(half|(?:a )?quarter|five|ten|twenty|twenty-five) (past|after|to) (\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?!:)"
)
_MINUTES = {"half": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
_HAN_CLOCK = re.compile(
    r"(上午|早上|早晨|凌晨|清晨|中午|下午|傍晚|晚上|夜里|晚|早)?(\d{1,2})(?:点|时(?!间|候|区)|:)(半|一刻|\d{1,2})?分?(?:钟)?"
)
_GROUPED = re.compile(r"(?<=\d)[,，](?=\d{3}\b)")
_DATE = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b")
_SCALED = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) ?(k\b|万|千(?!米|克|瓦)|百(?!分))")
# What each needs to stand in a text, the expression, and what stands in its place.
_SPANS = tuple(
    (needed.split("|"), re.compile(pattern), instead)
    for needed, pattern, instead in (
        ("half", r"\bhalf an hour\b|\bhalf-hour\b", "30 minutes"),
        ("quarter", r"\ba quarter of an hour\b", "15 minutes"),
        ("hour and", r"\b(?:an|1) hour and a half\b", "90 minutes"),
        ("fortnight| weeks", r"\bfortnight\b|\b(?:2|two) weeks\b", "14 days"),
        ("half", r"\bhalf a year\b", "6 months"),
        ("半", r"半个?(?:小时|钟头)", "30分钟"),
        ("刻钟", r"[一1]刻钟", "15分钟"),
        ("一个半", r"一个半(?:小时|钟头)", "90分钟"),
        ("周|星期|礼拜", r"(?:两|2 ?)个?(?:周|星期|礼拜)(?!年)", "14天"),
        ("半年", r"半年", "6个月"),
    )
)
_NTH, _ZEROS, _DIGIT = re.compile(r"(\d)(?:st|nd|rd|th)\b"), re.compile(r"\b0+(?=\d)"), re.compile(r"\d")
_FIGURE = re.compile(r"\d+(?:[.:/]\d+)*")
_DENIALS = frozenset(
    [
        "not",
        "no",
        "never",
        "without",
        "none",
        "nobody",
        "nothing",
        "neither",
        "nor",
        "cannot",
        "refus",
        "avoid",
        "forbid",
        "ban",
        "forbidden",
        "banned",
        "stop",
        "quit",
        "不",
        "没",
        "无",
        "未",
        "别",
        "勿",
        "禁",
        "拒",
        "忌",
    ]
)
_NO_DENIAL = frozenset(
    (
        "不过",
        "不错",
        "不同",
        "不仅",
        "不但",
        "不只",
        "不管",
        "不论",
        "不少",
        "不断",
        "不久",
        "无论",
        "无线",
        "无锡",
        "未来",
        "别人",
        "别的",
        "别墅",
    )
)
_NAME = re.compile(
    r"(?<![.!?。！？:：]\s)(?<!^)(?<![\w'’])[A-Z][\w’'-]*[a-z]\w*|\b[A-Z]{2,}\d*\b|\b[a-z]+[A-Z]\w*|“[^”]{1,20}”|「[^」]{1,20}」|《[^》]{1,20}》|\"[^\"]{1,20}\""
)
_FUNCTION = ENGLISH - frozenset(
    [
        "not",
        "no",
        "never",
        "none",
        "nothing",
        "without",
        "before",
        "after",
        "above",
        "below",
        "over",
        "under",
        "up",
        "down",
        "off",
        "out",
        "on",
        "near",
        "least",
        "most",
        "more",
        "few",
        "own",
        "same",
        "only",
        "all",
        "always",
    ]
)


@dataclass(frozen=True, slots=True)
class Unit:
    """One word or phrase: its stems as one text, what is known of it, and where it begins (0 to 1)."""

    form: str
    sense: Sense
    place: float
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Statement:
    """A text read: units in order, figures, names and denials."""

    units: tuple[Unit, ...]
    figures: frozenset[str]
    names: frozenset[str]
    denials: int
    lone_denials: int
    folded: str
    words: tuple[str, ...] = ()
    marks: frozenset[str] = frozenset()  # the units' forms, and the groups of those that mean the same
    mass: float = 0.0  # of its units
    pairs: frozenset[tuple[str, str]] = frozenset()  # words that stand side by side
    chinese: bool = False


LONGEST = 1500  # characters that are read: what a memory is about stands there


def read_statement(text: str, thesaurus: Thesaurus) -> Statement:
    """Return a text as units."""
    text = text[:LONGEST]
    plain = plain_figures(first_person(text))
    stems = row(plain)
    names = frozenset(fold(match.strip('“”「」《》"')) for match in _NAME.findall(text))
    figures = frozenset(_FIGURE.findall(plain))
    units, denials = _units(stems, thesaurus)
    everywhere = sum(denies(stems, at) for at in range(len(stems)))
    marks = frozenset(mark for unit in units for mark in (unit.form, *unit.sense.same))
    return Statement(
        tuple(units), figures, names, everywhere, denials, plain, tuple(stems), marks,
        sum(unit.weight for unit in units), frozenset(pairwise(stems)), is_chinese(plain),
    )  # fmt: skip


def likeness(one: Statement, other: Statement) -> float:
    """Return the greater share (0 to 1) of either statement's units that the other has in some words: a quick look."""
    return max(share_in(one, other), share_in(other, one))


def shared_mass(one: Statement, other: Statement) -> float:
    """Return how many units of a statement another has in some words."""
    return share_in(one, other) * one.mass


def share_in(one: Statement, other: Statement) -> float:
    """Return the share (0 to 1) of a statement's units that another has in some words."""
    marks = other.marks
    held = sum(unit.weight for unit in one.units if unit.form in marks or not marks.isdisjoint(unit.sense.same))
    return held / (one.mass or 1.0)


@lru_cache(maxsize=64)
def plain_figures(text: str) -> str:
    """Return the folded text with figures in digits, times of day on the clock of 24 hours, short spans in one unit."""
    plain = fold(text).replace("’", "'")
    if "," in plain or "，" in plain:
        plain = _GROUPED.sub("", plain)
    if "n't" in plain:
        plain = plain.replace("can't", "can not").replace("won't", "will not").replace("n't", " not")
    plain = plain.replace("cannot", "can not")
    if " past " in plain or " after " in plain or " to " in plain:
        plain = _TOLD_CLOCK.sub(_told_clock, plain)
    for needed, pattern, instead in _SPANS:
        if any(one in plain for one in needed):
            plain = pattern.sub(instead, plain)
    if "ty" in plain:
        plain = _COMPOUND.sub(lambda match: str(int(_NUMBER_WORDS[match[1]]) + int(_NUMBER_WORDS[match[2]])), plain)
    plain = _ENGLISH_NUMBER.sub(lambda match: _NUMBER_WORDS[match[0]], plain)
    if not plain.isascii():
        plain = _HAN_NUMBER.sub(lambda match: _han_number(match[0]), plain)
    return _plain_digits(plain) if _DIGIT.search(plain) else plain


def _plain_digits(plain: str) -> str:
    """Return a text that has digits with dates, scales and times of day in one form."""
    plain = _NTH.sub(r"\1", plain)
    plain = _DATE.sub(lambda match: " ".join(str(int(part)) for part in match.groups()), plain)
    plain = _SCALED.sub(lambda match: f"{float(match[1]) * _SCALES.get(match[2], 1000):.10g}", plain)
    plain = _CLOCK.sub(_clock, plain)
    return _ZEROS.sub("", _HAN_CLOCK.sub(_han_clock, plain))


def _han_number(text: str) -> str:
    if text == "半":
        return "0.5"
    if text in ("日", "天"):
        return "7"
    if text.startswith("百分之"):
        return _han_number(text[3:]) + "%"
    text = text.replace("两", "二").replace("〇", "零")
    if not any(char in _SCALES for char in text):
        return "".join(str(_DIGITS.index(char)) for char in text)
    total = current = 0
    for char in text:
        if char in _SCALES:
            scale = _SCALES[char]
            total = (total + current) * scale if scale == 10_000 else total + (current or 1) * scale
            current = 0
        else:
            current = _DIGITS.index(char)
    return str(total + current)


def _clock(match: re.Match[str]) -> str:
    if match[4]:
        return match[4]
    hour, minute = int(match[1] or match[5]), match[2] or match[6] or "00"
    if match[3] == "p" and hour < 12:
        hour += 12
    elif match[3] == "a" and hour == 12:
        hour = 0
    return f"{hour}:{minute}" if int(minute) else str(hour)


def _told_clock(match: re.Match[str]) -> str:
    hour = int(_NUMBER_WORDS.get(match[3], match[3]))
    minutes = _MINUTES[match[1]] if match[2] != "to" else 60 - _MINUTES[match[1]]
    return f"{hour if match[2] != 'to' else hour - 1 or 12}:{minutes:0>2}"


def _han_clock(match: re.Match[str]) -> str:
    hour = int(match[2])
    if match[1] in ("下午", "傍晚", "晚上", "夜里", "晚") and hour < 12:
        hour += 12
    minute = {"半": "30", "一刻": "15", None: "00"}.get(match[3], match[3])
    return f"{hour}:{minute:0>2}" if int(minute) else str(hour)


def _units(stems: list[str], thesaurus: Thesaurus) -> tuple[list[Unit], int]:
    """Return the units of a row of stems, and how many denials stand outside phrases that the thesaurus knows."""
    found: list[Unit] = []
    at, count, denials = 0, max(1, len(stems)), 0
    while at < len(stems):
        size, sense = _phrase(stems, at, thesaurus)
        word = stems[at]
        denials += size == 1 and denies(stems, at)
        plain = sense is NOTHING
        if not (plain and (word in _FUNCTION or word in CHINESE_CHARS or word[0].isdigit())):
            form = " ".join(stems[at : at + size])
            found.append(Unit(form, sense, at / count, 0.6 if plain and is_cjk(word[0]) else 1.0))
        at += size
    return found, denials


def denies(stems: Sequence[str], at: int) -> bool:
    """Tell whether the word at a place is a denial."""
    return stems[at] in _DENIALS and "".join(stems[at : at + 2]) not in _NO_DENIAL


def _phrase(stems: list[str], at: int, thesaurus: Thesaurus) -> tuple[int, Sense]:
    """Return the longest phrase that the thesaurus knows at a place, and its sense; one word where it knows none."""
    for size in range(min(thesaurus.longest.get(stems[at], 1), len(stems) - at), 0, -1):
        sense = thesaurus.sense(" ".join(stems[at : at + size]))
        if sense is not NOTHING:
            if size == 1 and (stems[at] in _FUNCTION or stems[at] in CHINESE_CHARS):
                break
            return size, sense
    return 1, NOTHING
