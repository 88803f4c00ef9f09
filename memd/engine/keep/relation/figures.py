"""The figures that a text has: the one reader of them for relations.

A figure is a time of day, a weekday, a month, a day, a year, a span, a size, a sum, a share, a version, or a bare number, in
whatever words: 下午三点一刻 and 3:15 pm are one. "Half ten" is 9:30 or 10:30 by who says it, 3/4 a date or a share: both stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from memd.engine.keep.relation.amounts import (
    CALENDAR,
    CLOCK,
    DAY,
    EXACT,
    IMPERIAL,
    MINUTES_OF_DAY,
    MONTH,
    MONTH_SECONDS,
    NOON,
    NUMBER,
    SECONDS,
    SHARE,
    SPAN_MONTHS,
    UNITS,
    WEEKDAY,
    YEAR,
    Figure,
    Reading,
)  # fmt: skip
from memd.engine.keep.relation.numerals import in_digits
from memd.text import expressions as re
from memd.text.analysis import dates_in, stem
from memd.text.characters import fold


@dataclass(frozen=True, slots=True)
class Figured:
    """A text with its numerals in digits and its times of day on the clock of 24 hours, and its figures."""

    plain: str
    figures: tuple[Figure, ...]


_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_MONTHS = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
]  # fmt: skip
MASK = "\x00"  # in the place of a date that is read already
MOST_PARTS = 6  # of a version
_UNIT_WORDS = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_PARTS = "凌晨|清晨|早晨|早上|上午|一早|中午|正午|午后|下午|傍晚|晚上|夜里|半夜|深夜|晚间|[今当每昨明]晚|(?<!最)[早晚]"
_LATE = re.compile(r"午后|下午|傍晚|晚|夜|evening|afternoon|night|p$")
_EARLY = re.compile(r"凌晨|清晨|早|上午|morning|a$")
_SPOKEN = {"half": 30, "quarter": 15, "1 quarter": 15, "a quarter": 15}
_RULES = {
    "version": r"(?<![\w.])v\d+(?:\.\d+)*(?![\w.]*\w)|(?<![\w.])\d+(?:\.\d+){2,}(?!\w)",
    "share": r"(?<![\d./:])1 (?:in|out of) (?:every )?[1-9]\d?(?![\d.:])|(?<![\d./])(?:1/[2-9]|2/3|3/[48]|2/5)(?![\d/])|\bhalf (?:of )?(?=the |my |our |his |her |their |its |all |us |them )|一半|\b3 quarters(?= of)",
    "slash": r"(?<![\d./-])(?!24/7)(?:\d{1,2}/\d{1,2}(?:/(?:\d{4}|\d\d))?|\d{1,2}\.\d{1,2}\.\d{4})(?![\d./])",
    "told": r"\b(?:half|(?:[a1] )?quarter|\d{1,2}(?: minutes?)?) (?:past|after|to|before) \d{1,2}(?![\d:]|\.\d)(?! (?:of (?!an? )|people|times|hours?|minutes?|days?|weeks?|months?|years?|percent\b))|\bhalf \d{1,2}(?![\d:]|\.\d)(?= |[.,;!?)]|$)(?! (?:hours?|minutes?|days?|percent))",
    "clock": rf"(?:(?:{_PARTS}) ?)?(?<![\d.:])\d{{1,2}}(?:点(?![伤赞评数])|时(?![间候区段]))(?:半|差?[13]刻|差?\d{{1,2}}(?!\d)分?|钟|整)?"
    rf"|(?:(?:{_PARTS}) ?)?(?<![\d.:/])(?:[01]?\d|2[0-4]):[0-5]\d(?![\d:])(?: ?[ap]\.?m\b\.?)?|(?<![\d.:,])\d{{1,2}}(?:\.[0-5]\d)? ?[ap]\.?m\b\.?"
    r"|(?<![\d.:])\d{1,2} o'clock|(?<![\d.:])\d{1,2}(?= (?:in the|at|of an?|every|each) (?:morning|afternoon|evening|night)\b)|\bnoon\b|\bmidnight\b|午夜",
    "weekday": r"(?:周|星期|礼拜)(?:[1-6](?!\d)(?!个|次|天|小|遍|回|趟|节|顿|百|千)|7(?!天)|日(?!均|程|常|历)|天(?!气))|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    "month": rf"\b(?:{'|'.join(one for one in _MONTHS if one != 'may')})\b|\b(?<=in |by )may\b|(?<!\d)(?:1[0-2]|[1-9])月(?=份|初|底|中|[^0-9]|$)",
    "day": r"(?<![\d.])(?:3[01]|[12]?\d)号(?![线楼门院店机])|(?<=on the )\d{1,2}(?![\d:.%])",
    "year": r"(?<![\d.])(?:1[89]|20|21)\d\d年(?!前|后|来|多)|(?<![\d.])\d\d年(?=\x00)|(?<![\d.])(?:0\d|[5-9]\d)年(?!前|后|来|多|了|没|的历史)|(?<![\w'])'\d\d\b",
    "ratio": r"(?<![\d.:])\d+(?::|比)\d(?![\d:])",
    "unit": rf"(?<![\d.:])(?:[$€£¥₦₹] ?)?\d+(?:[.,]\d+)?[ -]?(?:degrees? |of )?(?:{_UNIT_WORDS}|fahrenheit|°f|f|')(?![a-z])(?!(?<=[周期拜])[1-6日])",
    "money": r"[$€£¥₦₹] ?\d+(?:\.\d+)?",
    "number": r"(?<![\d.])\d+(?:[.]\d+)*",
}  # fmt: skip
_BEGINS = r"(?=[\d$€£¥₦₹'周星礼凌清早一中正午下傍晚夜半深今当每昨明上]|\b[adfhjmnoqstvw])"  # what no rule begins with is passed over
_ANY = re.compile(f"{_BEGINS}(?:{'|'.join(f'(?P<{name}>{pattern})' for name, pattern in _RULES.items())})")
_HAS_FIGURE = re.compile(r"\d|day|noon|midnight|half|一半|午夜|[周期拜]|uary|march|april|ma[yr]|june|july|august|ber\b")
_PART_BEHIND = re.compile(r"(?: o'clock)?,? (?:in the|at|of an?|every|each) (morning|afternoon|evening|night)\b")
_HOUR = re.compile(r"(\d{1,2})(?:[点时:.](?:(半)|(差)?(?:([13])刻|(\d{1,2})))?)?")
_CLAUSE = re.compile(r"[,，。;；、.!?！？\d]")
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_UNIT = re.compile(rf"([$€£¥₦₹])? ?(\d+(?:[.,]\d+)?)[ -]?(?:degrees? |of )?({_UNIT_WORDS}|fahrenheit|°f|f|')?")
_AND = re.compile(r"(?: ?and |零| |,)?")
_OF = re.compile(r"[ -]?(?:([\u4e00-\u9fff])|([a-z]+))")


@lru_cache(maxsize=64)
def figured(text: str) -> Figured:
    """Read a text; of a long one, only what is handed over."""
    plain = in_digits(_spelled(fold(text).replace("’", "'")))
    if not _HAS_FIGURE.search(plain):
        return Figured(plain, ())
    figures: list[Figure] = []
    rest, at = [], 0
    for date in dates_in(plain):
        rest += [plain[at : date.begin], MASK * (date.end - date.begin)]
        at = date.end
        for kind, number in ((YEAR, date.year), (MONTH, date.month), (DAY, date.day)):
            if number:
                figures.append(_one(kind, number, str(number)))
    masked = "".join([*rest, plain[at:]])
    pieces, at, end, last = [], 0, -1, None
    for found in _ANY.finditer(masked):
        read = _READERS[found.lastgroup or ""](found)
        if last is not None and len(read) == 1 and (both := _together(last, read[0], masked[end : found.start()])):
            figures[-1:], last, end = [both], None, -1
            continue
        figures += read
        last, end = (read[0] if len(read) == 1 else None), found.end()
        if found.lastgroup in ("clock", "told") and read:
            begin = plain[found.start() - 1 : found.start()]
            blank = " " if begin.isdigit() else ""
            pieces += [plain[at : found.start()], blank, read[0].said]
            at = found.end()
    whole = _ISO.sub(lambda found: " ".join(str(int(part)) for part in found.groups()), "".join([*pieces, plain[at:]]))
    return Figured(re.sub(r"\b0+(?=\d)", "", whole), tuple(figures))


def plain_figures(text: str) -> str:
    """Return the folded text with numerals in digits, and times of day on the clock of 24 hours."""
    return figured(text).plain


def _spelled(text: str) -> str:
    if "n't" in text:
        text = text.replace("can't", "can not").replace("won't", "will not").replace("n't", " not")
    return text.replace("cannot", "can not")


def _one(kind: str, amount: float, said: str, *others: Reading, of: str = "") -> Figure:
    return Figure(((kind, float(amount), EXACT), *others), float(amount), of, said)


def _number(found: re.Match[str]) -> list[Figure]:
    said = found[0]
    if said.count(".") > 1:
        return [_version(found)[0]]
    number = float(said)
    behind = _OF.match(found.string, found.end())
    of = "" if behind is None else behind[1] or stem(behind[2])
    others: list[Reading] = []
    if re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", said):
        others.append((NUMBER, float(said.replace(".", "")), EXACT))
    if re.fullmatch(r"(?:19|20)\d\d", said):
        others.append((YEAR, number, EXACT))
    return [_one(NUMBER, number, said, *others, of=of)]


def _version(found: re.Match[str]) -> list[Figure]:
    said = found[0].lstrip("v")
    parts = [float(part) for part in said.split(".")[:MOST_PARTS]]
    amount = sum(part * 1e-4**at for at, part in enumerate(parts))
    return [Figure((("version", amount, 1e-15),), float(said) if len(parts) < 3 else None, "", said)]


def _share(found: re.Match[str]) -> list[Figure]:
    said = found[0].strip()
    if said[0].isdigit() and "quarters" not in said:
        part, whole = re.findall(r"\d+", said)
        return [Figure(((SHARE, int(part) / int(whole), 0.01),), None, "", said)]
    return [Figure(((SHARE, 0.75 if said.startswith("3") else 0.5, 0.01),), None, "", said)]


def _slash(found: re.Match[str]) -> list[Figure]:
    """Read 3/14, 4/5 or 30/9/2025: day and month in either order."""
    first, second, *year = (int(part) for part in re.split(r"[/.]", found[0]))
    both = (first, second)
    months = tuple((MONTH, float(one), EXACT) for one in both if 0 < one <= 12)
    days = tuple((DAY, float(one), EXACT) for one in both if 0 < one <= 31)
    figures = [Figure(one, None, "", found[0]) for one in (months, days) if one]
    if not months or len(days) < 2:
        return [Figure(((NUMBER, float(one), EXACT),), float(one), "", found[0]) for one in both]
    return figures + [
        Figure(((YEAR, float(one if one > 99 else 2000 + one), EXACT),), None, "", str(one)) for one in year
    ]


def _told(found: re.Match[str]) -> list[Figure]:
    """Read half past 10, 12 minutes to 8, and half 10, which is before it or behind it."""
    minutes, _, rest = found[0].replace(" minutes", "").replace(" minute", "").partition(" ")
    way, _, hour = rest.rpartition(" ")
    way = way.split()[-1] if way else ""
    number = _SPOKEN["quarter"] if "quarter" in found[0] else _SPOKEN.get(minutes) or int(minutes)
    at = int(hour) * 60
    if not way:
        return [Figure(_times((at + 30, at - 30), _part(found)), None, "", found[0])]
    is_clock = (
        way == "past"
        or number in (15, 20, 25, 30)
        or "minute" in found[0]
        or "at " in found.string[: found.start()][-4:]
    )
    if not is_clock:
        return [_one(NUMBER, float(one), one) for one in (minutes, hour) if one.isdigit()]
    at += number if way in ("past", "after") else -number
    return [Figure(_times((at,), _part(found)), None, "", _at(at, _part(found)))]


def _part(found: re.Match[str]) -> str:
    """Return the part of the day that is told with a time: in it, shortly before it, or behind it."""
    before = _CLAUSE.split(found.string[max(0, found.start() - 6) : found.start()])[-1]
    behind = _PART_BEHIND.match(found.string, found.end())
    own = re.search(r"[ap](?=\.?m)", found[0])
    return (
        (own[0] if own else "") or (behind[1] if behind else "") or "".join(re.findall(_PARTS, before + found[0])[-1:])
    )


def _times(minutes: Iterable[int], part: str) -> tuple[Reading, ...]:
    """Return times of 12 hours as minutes of the day: both where no part of the day is told."""
    found: list[int] = []
    for at in minutes:
        early, late = at % NOON, at % NOON + NOON
        if _LATE.search(part):
            small = (re.search(r"夜|night", part) and early < 360) or ("晚" in part and early < 240)
            found.append(early if small else late)
        elif _EARLY.search(part):
            found.append(early)
        elif part in ("中午", "正午"):
            found.append(early if early >= 600 else late)
        else:
            found += [early, late]
    return tuple((CLOCK, float(at), 0.0) for at in dict.fromkeys(found))


def _at(minutes: int, part: str) -> str:
    hour, minute = minutes // 60 % 24, minutes % 60
    if part and len(times := _times((minutes,), part)) == 1:
        hour = int(times[0][1]) // 60
    return f"{hour}:{minute:02}" if minute else str(hour)


def _clock(found: re.Match[str]) -> list[Figure]:
    said = found[0]
    if said in ("noon", "midnight", "午夜"):
        return [Figure(((CLOCK, float(NOON if said == "noon" else 0), 0.0),), None, "", said)]
    time = _HOUR.search(said)
    if time is None:
        return []
    hour = int(time[1])
    minute = 30 if time[2] else int(time[4]) * 15 if time[4] else int(time[5] or 0)
    minute = -minute if time[3] else minute
    at, part = hour * 60 + minute, _part(found)
    plain = 0 < hour <= 12 and not time[1].startswith("0")
    times = _times((at,), part) if plain else ((CLOCK, float(at % MINUTES_OF_DAY), 0.0),)
    return [Figure(times, None if minute else float(hour), "", _at(at, part if plain else ""))]


def _weekday(found: re.Match[str]) -> list[Figure]:
    last = found[0][-1]
    number = _DAYS.index(found[0].rstrip("s")) + 1 if last in "ys" else 7 if last in "日天" else int(last)
    return [Figure(((WEEKDAY, float(number), 0.0),), None, "", found[0])]


def _month(found: re.Match[str]) -> list[Figure]:
    said = found[0].rstrip("月")
    return [_one(MONTH, _MONTHS.index(said) + 1 if said in _MONTHS else int(said), said)]


def _day(found: re.Match[str]) -> list[Figure]:
    return [_one(DAY, int(found[0].rstrip("号")), found[0].rstrip("号"))]


def _year(found: re.Match[str]) -> list[Figure]:
    said = found[0].strip("'年")
    number = int(said)
    if number > 99:
        return [_one(YEAR, number, said)]
    spans = [] if "'" in found[0] or said[0] == "0" else [(SPAN_MONTHS, number * 12.0, EXACT)]
    return [Figure(((YEAR, 1900.0 + number, 0.0), (YEAR, 2000.0 + number, 0.0), *spans), float(number), "", said)]


def _ratio(found: re.Match[str]) -> list[Figure]:
    first, second = (float(part) for part in re.split(r"\D+", found[0]))
    return [Figure((("ratio", first / second if second else first, EXACT),), None, "", found[0])]


def _measured(found: re.Match[str]) -> list[Figure]:
    parts = _UNIT.search(found[0])
    if parts is None:
        return []
    if found.string[: found.start()].endswith("第"):
        return [_one(NUMBER, float(parts[2].replace(",", ".")), parts[2], of=parts[3] or "")]
    number, unit = float(parts[2].replace(",", ".")), parts[3] or ""
    numbers = [number] + ([number * 1000] if re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", parts[2]) else [])
    if unit in ("f", "°f", "fahrenheit"):
        readings = [("celsius", (one - 32) / 1.8, 0.03) for one in numbers]
    elif unit == "'":
        readings = [("metres", one * 0.3048, IMPERIAL) for one in numbers]
    else:
        known = UNITS[unit] if unit else [("money", 1.0, EXACT)]
        if parts[1]:
            known = [*known, ("money", 1.0, EXACT)]
        readings = [(kind, one * size, slack) for one in numbers for kind, size, slack in known]
    return [Figure(tuple(readings), number, unit, parts[2])]


def _together(one: Figure, other: Figure, between: str) -> Figure | None:
    """Return two figures that are one quantity: 7 lb 2 oz, 1米78, 6 foot 2, 1个月零10天."""
    (kind, amount, slack), (behind, more, _) = one.readings[0], other.readings[0]
    if kind not in ("metres", "grams", SECONDS, SPAN_MONTHS) or not _AND.fullmatch(between):
        return None
    if behind == NUMBER and kind == "metres" and other.number is not None and between.strip() in ("", "and"):
        if one.of in ("foot", "feet", "ft", "'") and other.number < 12:
            amount += other.number * 0.0254
        elif one.of in ("米", "m", "metre", "meter") and other.said.isdigit() and one.said.isdigit():
            amount += float(f"0.{other.said}")
        else:
            return None
    elif behind == kind and more < amount / (one.number or 1):
        amount += more
    elif (kind, behind) == (SPAN_MONTHS, SECONDS):
        kind, amount, slack = SECONDS, amount * MONTH_SECONDS + more, CALENDAR
    else:
        return None
    return Figure(((kind, amount, slack),), None, one.of, one.said)


_READERS: dict[str, Callable[[re.Match[str]], list[Figure]]] = {
    "version": _version, "share": _share, "slash": _slash, "told": _told, "clock": _clock, "weekday": _weekday, "month": _month,
    "day": _day, "year": _year, "ratio": _ratio, "unit": _measured, "money": _measured, "number": _number,
}  # fmt: skip
