"""What the parts of an English phrase of time mean: from what a rule found to an interval."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memd.text.times import calendar as cal
from memd.text.times.calendar import Interval

ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
NUMBERS: dict[str, float] = {word: number for number, word in enumerate(ONES.split(), 1)}
NUMBERS |= {
    "a": 1,
    "an": 1,
    "the": 1,
    "couple": 2,
    "half": 0.5,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "hundred": 100,
}
MONTH_NAMES = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTHS = {name: number for number, name in enumerate(MONTH_NAMES, 1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
DAY_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
DAYS = {name: number for number, name in enumerate(DAY_NAMES)}
HOLIDAYS = {
    "christmas eve": "christmas eve", "christmas day": "christmas", "christmas": "christmas", "xmas": "christmas",
    "boxing day": "boxing", "new year's eve": "new year's eve", "new years eve": "new year's eve",
    "new year's day": "new year", "new years day": "new year", "new year's": "new year", "halloween": "halloween",
    "valentine's day": "valentine", "valentines day": "valentine", "valentine's": "valentine", "easter sunday": "easter",
    "easter": "easter", "thanksgiving": "thanksgiving", "independence day": "independence",
    "fourth of july": "independence", "april fools' day": "april fools", "april fool's day": "april fools",
    "labour day": "labour", "national day": "national", "spring festival": "spring festival",
    "chinese new year": "spring festival", "lunar new year": "spring festival", "mid-autumn festival": "mid-autumn",
    "dragon boat festival": "dragon boat", "singles' day": "singles", "hallowe'en": "halloween", "hogmanay": "new year's eve",
    "st stephen's day": "boxing", "st. stephen's day": "boxing", "st stephens day": "boxing", "stephen's day": "boxing",
    "little christmas": "epiphany", "feast of the epiphany": "epiphany", "st patrick's day": "patrick", "st. patrick's day": "patrick", "paddy's day": "patrick",
    "bonfire night": "bonfire", "guy fawkes night": "bonfire", "burns night": "burns", "all saints' day": "all saints",
}  # fmt: skip
_SHIFTS = {"last": -1, "this": 0, "next": 1, "past": -1, "previous": -1, "current": 0, "coming": 1, "following": 1}


_TEENS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
ORDINALS = {word: number for number, word in enumerate(_TEENS.split(), 1)} | {"twentieth": 20, "thirtieth": 30}


def day_number(word: str) -> int:
    """Return a day of the month, in digits or in words: 15, fifteenth, twenty-first, thirty one."""
    if word[0].isdigit():
        return int(word)
    tens, _, ones = word.lower().replace("-", " ").partition(" ")
    if not ones:
        return ORDINALS[tens]
    return {"twenty": 20, "thirty": 30}[tens] + (ORDINALS.get(ones) or int(NUMBERS[ones]))


def number_word(word: str) -> float:
    word = word.lower().removesuffix(" of").strip()
    half = 0.5 if word.endswith(" and a half") else 0.0
    word = word.removesuffix(" and a half")
    if word.startswith("half"):
        return 0.5
    word = word.removeprefix("a ") if word != "a" else word
    return (float(word) if word[0].isdigit() else NUMBERS.get(word, 1.0)) + half


def unit_of(word: str) -> tuple[str, float]:
    word = word.lower()
    return {
        "min": ("minute", 1),
        "hr": ("hour", 1),
        "night": ("day", 1),
        "fortnight": ("week", 2),
        "decade": ("year", 10),
    }.get(word, (word, 1))


def shift_of(word: str) -> int:
    return _SHIFTS[word.lower().split()[-1]]


def month_number(word: str) -> int:
    return MONTHS[word.lower().rstrip(".")]


def season_name(word: str) -> str:
    return "autumn" if word.lower() == "fall" else word.lower()


def holiday_name(word: str) -> str:
    return HOLIDAYS[word.lower().replace("’", "'")]


def ago(found: re.Match[str], now: datetime) -> Interval | None:
    unit, times = unit_of(found["unit"])
    return cal.ago(now, number_word(found["n"]) * times, unit)


def from_now(found: re.Match[str], now: datetime) -> Interval | None:
    unit, times = unit_of(found["unit"])
    return cal.ago(now, number_word(found["n"]) * times, unit, sign=1)


def lately(found: re.Match[str], now: datetime) -> Interval | None:
    unit, times = unit_of(found["unit"])
    count = found["n"]
    return cal.lately(now, (4.0 if count.lower() in ("few", "several") else number_word(count)) * times, unit)


def turn(found: re.Match[str], now: datetime) -> Interval | None:
    shift, unit = shift_of(found["shift"]), found["unit"].lower()
    interval = whole(now, shift, unit)
    return interval.vague() if interval and found.groupdict().get("vague") else interval


def whole(now: datetime, shift: int, unit: str) -> Interval | None:
    if unit == "week":
        return cal.week(now, shift)
    if unit == "weekend":
        return cal.weekend(now, shift)
    if unit == "month":
        return cal.months(now, now.year, now.month + shift)
    if unit == "quarter":
        return cal.quarter(now, now.year, (now.month - 1) // 3 + 1 + shift)
    if unit == "decade":
        return cal.years(now, (now.year // 10 + shift) * 10, 10)
    return cal.years(now, now.year + shift)


def weekend_alone(_: re.Match[str], now: datetime) -> Interval:
    return cal.weekend(now, 0 if now.weekday() == 6 else -1).open("week")


def edge_of_month(found: re.Match[str], now: datetime) -> Interval | None:
    """Return the last ten days of a month that a word means and that have begun."""
    first = {"middle": 10, "end": 20}.get(found["edge"].lower(), 0)
    for back in (0, 1):
        month = cal.months(now, now.year, now.month - back)
        if month and month.start + timedelta(days=first) <= now:
            end = month.end if first == 20 else month.start + timedelta(days=first + 10)
            return Interval(month.start + timedelta(days=first), end, loose=True, turns="month")
    return None


def edge_of_year(found: re.Match[str], now: datetime) -> Interval | None:
    """Return the beginning, the middle or the end of this year."""
    part = edge(cal.years(now, now.year), found["edge"])
    return part and part.open()


def turn_of_year(_: re.Match[str], now: datetime) -> Interval | None:
    """Return the days from Christmas to the new year, the last that have begun."""
    first = cal.past_date(now, 12, 25)
    return first and first._replace(end=first.start + timedelta(days=8), loose=True)


def before_last(found: re.Match[str], now: datetime) -> Interval | None:
    return whole(now, -2, found["unit"].lower())


def date(found: re.Match[str], now: datetime) -> Interval | None:
    groups = found.groupdict()
    day, month = day_number(groups["day"] or groups["day2"]), month_number(groups["month"] or groups["month2"])
    year = groups.get("year")
    if year:
        return cal.on(now, int(year), month, day)
    if groups.get("shift"):
        return cal.on(now, now.year + shift_of(groups["shift"]), month, day)
    return cal.past_date(now, month, day)


def numeric(found: re.Match[str], now: datetime) -> Interval | None:
    return cal.on(now, int(found["year"]), int(found["month"]), int(found["day"]))


def slashed(found: re.Match[str], now: datetime) -> Interval | None:
    first, second = int(found["a"]), int(found["b"])
    month, day = (second, first) if first > 12 or found["sep"] == "." else (first, second)
    return cal.on(now, int(found["year"]), month, day)


def day_of_month(found: re.Match[str], now: datetime) -> Interval | None:
    return cal.past_day_of_month(now, int(found["day"]))


def date_range(found: re.Match[str], now: datetime) -> Interval | None:
    year, month = found.groupdict().get("year"), month_number(found["month"])
    return cal.days_from_to(now, int(year) if year else None, month, day_number(found["a"]), day_number(found["b"]))


def days_of_month(found: re.Match[str], now: datetime) -> Interval | None:
    """Return days of a month by their numbers alone: between the 3rd and the 5th."""
    return cal.days_of_month(now, int(found["a"]), int(found["b"]))


def edge(interval: Interval | None, word: str | None) -> Interval | None:
    """Return what a word like early or "the end of" leaves of a month or of a year."""
    if interval is None or not word:
        return interval
    last = word.lower().removeprefix("the ").split()[0]
    place = {"early": 0, "start": 0, "beginning": 0, "mid": 1, "middle": 1}.get(last, 2)
    return cal.edge_of(interval, place)


def month_year(found: re.Match[str], now: datetime) -> Interval | None:
    interval = cal.months(now, int(found["year"]), month_number(found["month"]))
    return edge(interval, found.groupdict().get("vague"))


def month_alone(found: re.Match[str], now: datetime) -> Interval | None:
    month, shift = month_number(found["month"]), found.groupdict().get("shift")
    if not shift:
        interval = cal.past_month(now, month)
    else:
        way = shift_of(shift)
        past = cal.past_month(now, month)
        if way > 0:
            interval = cal.months(now, now.year + (month <= now.month), month)
        elif way < 0 and month == now.month:
            interval = cal.months(now, now.year - 1, month)
        else:
            interval = past and past.open("") if way < 0 else cal.months(now, now.year, month)
    return edge(interval, found.groupdict().get("vague"))


def month_range(found: re.Match[str], now: datetime) -> Interval | None:
    first, last = month_number(found["a"]), month_number(found["b"])
    year = int(found["year"]) if found["year"] else now.year if last <= now.month else now.year - 1
    start = cal.months(now, year - (first > last), first)
    end = cal.months(now, year, last)
    return Interval(start.start, end.end, turns="" if found["year"] else "year") if start and end else None


def year(found: re.Match[str], now: datetime) -> Interval | None:
    groups = found.groupdict()
    number = int(groups["year"]) if groups["year"] else now.year + shift_of(groups["shift"])
    return edge(cal.years(now, number), groups.get("vague"))


def year_range(found: re.Match[str], now: datetime) -> Interval | None:
    first, last = int(found["a"]), int(found["b"])
    return cal.years(now, first, last - first + 1) if last > first else None


def decade(found: re.Match[str], now: datetime) -> Interval | None:
    words = {
        "twenties": 1920,
        "thirties": 1930,
        "forties": 1940,
        "fifties": 1950,
        "sixties": 1960,
        "seventies": 1970,
        "eighties": 1980,
        "nineties": 1990,
    }
    if found.groupdict().get("word"):
        return cal.years(now, words[found["word"].lower()], 10)
    number = int(found["decade"])
    return cal.years(now, number if number > 1000 else 1900 + number if number >= 30 else 2000 + number, 10)


def quarter(found: re.Match[str], now: datetime) -> Interval | None:
    groups = found.groupdict()
    number = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}.get((groups["q"] or "").lower()) or int(
        groups["q"]
    )
    if groups.get("year"):
        return cal.quarter(now, int(groups["year"]), number)
    if groups.get("shift"):
        return cal.quarter(now, now.year + shift_of(groups["shift"]), number)
    part = cal.quarter(now, now.year if number <= (now.month - 1) // 3 + 1 else now.year - 1, number)
    return part and part.open()


def season_year(found: re.Match[str], now: datetime) -> Interval | None:
    return cal.season(now, int(found["year"]), season_name(found["season"]))


def season_shift(found: re.Match[str], now: datetime) -> Interval | None:
    name, shift = season_name(found["season"]), shift_of(found["shift"])
    if shift < 0:
        return cal.last_season(now, name)
    this = cal.season(now, now.year, name)
    if shift == 0:
        return this
    return this if this and this.start > now else cal.season(now, now.year + 1, name)


def season_alone(found: re.Match[str], now: datetime) -> Interval | None:
    return cal.past_season(now, season_name(found["season"]))


def holiday_day(found: re.Match[str], now: datetime) -> Interval | None:
    groups, name = found.groupdict(), holiday_name(found["holiday"])
    if groups.get("year"):
        return cal.holiday(now, int(groups["year"]), name)
    shift = shift_of(groups["shift"]) if groups.get("shift") else None
    this = cal.holiday(now, now.year, name)
    if shift == 0:
        return this
    if shift == 1:
        return this if this and this.start > now else cal.holiday(now, now.year + 1, name)
    past = cal.past_holiday(now, name)
    return past and past.open("") if shift else past


def weekday(found: re.Match[str], now: datetime) -> Interval | None:
    groups, number = found.groupdict(), DAYS[found["weekday"].lower()]
    word = (groups.get("shift") or groups.get("lead") or "").lower()
    if word in ("last", "this past", "the previous", "previous", "past"):
        return cal.last_weekday(now, number, today=False)
    if word == "next":
        return cal.weekday(now, 1, number)
    if word == "this":
        return cal.weekday(now, 0, number)
    if word in ("this coming", "coming"):
        return cal.next_weekday(now, number)
    if word in ("by", "until", "till", "before", "due", "due on"):
        return cal.next_weekday(now, number).open("week")
    return cal.last_weekday(now, number, today=word != "on").open("week")


def week_of_day(found: re.Match[str], now: datetime) -> Interval | None:
    number = DAYS[found["weekday"].lower()]
    return cal.weekday(now, {"last": -1, "this": 0, "next": 1}[found["shift"].lower()], number)


def weekday_later(word: str, now: datetime) -> Interval:
    """Return a weekday of the week after the next such day: a week on Friday."""
    return cal.shift(cal.next_weekday(now, DAYS[word.lower()]), 7)


def weeks_beside(found: re.Match[str], now: datetime) -> Interval:
    """Return a day one week or two from another: tomorrow week, this day fortnight, yesterday week, a week tomorrow."""
    words = found[0].lower()
    days = 14 if "fortnight" in words else 7
    if "yesterday" in words or " ago" in words:
        return cal.days(now, -days - ("yesterday" in words))
    return cal.days(now, days + ("tomorrow" in words))


def weekday_weeks_ago(found: re.Match[str], now: datetime) -> Interval:
    """Return a weekday one week or two before the last: a week ago last Tuesday."""
    last = cal.last_weekday(now, DAYS[found["weekday"].lower()], today=False)
    return cal.shift(last, -14 if found["n"].lower() == "fortnight" else -7)


def weekdays_ago(found: re.Match[str], now: datetime) -> Interval:
    """Return a weekday so many of them ago: two Fridays ago, the Friday before last."""
    word, count = found["weekday"] or found["weekday2"], number_word(found["n"] or "two")
    return cal.shift(cal.last_weekday(now, DAYS[word.lower()], today=False), -7 * (int(count) - 1))


def just_now(_: re.Match[str], now: datetime) -> Interval:
    return Interval(cal.later(now, -60), now, loose=True)


def part_today(found: re.Match[str], now: datetime) -> Interval:
    return cal.part_of(cal.days(now, 0), found["part"].lower())
